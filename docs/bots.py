"""OpenSpiel's searches against ours at equal CPU time, in all games, for docs/openspiel.md: `make bots`.

Each of our searches gets as many rollouts as take at most the time of the bot's simulations, as measured once on this
machine. Times and games are kept in results/bots/, so an interrupted run goes on.
"""

import json
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from marks import filled

from strand_env.adapters.openspiel_bots import has_information_sets
from strand_env.agents import agent_of, joint_actions
from strand_env.arena import Estimate, run_arena
from strand_env.engine.game import Game
from strand_env.registry import game_names, game_of
from strand_env.support.files import write_whole

PAGE = Path(__file__).with_name("openspiel.md")
RESULTS = Path("results/bots")
BOTS = "openspiel-mcts", "openspiel-ismcts"
OURS = {"strand_unter": ("mc", "uct", "prior")}  # prior where everything hangs on foreseeing the others
USUAL_OURS = "mc", "uct"
FIRST = 256  # rollouts with which ours are timed
# Simulations of the bots, and deals, each played in all seats: few where OpenSpiel is slow, or not known to be fast.
MEASURES = {"strand_unter": (32, 8), "maui": (32, 8)}
USUAL_MEASURE = (8, 2)
POSITIONS, APART = 6, 6  # in which searches are timed, and moves between them


@dataclass(frozen=True)
class Pair:
    """A bot, one of our searches with the rollouts that take no longer, and the milliseconds per decision of both."""

    bot: str
    ours: str
    bot_time: float
    our_time: float


def bots_of(game: Game) -> list[str]:
    """The kinds that play it: information-set MCTS only where something is hidden or decided at once."""
    return list(BOTS if has_information_sets(game) else BOTS[:1])


def time_of(name: str, game: Game) -> float:
    """Milliseconds of CPU time per decision, in positions of one game that is played at random."""
    agent, start = agent_of(name, game=game), game.batch(1, game.player_counts[0], 0)
    for _ in range(2):  # the first time compiles
        games, spent, decisions = start.clone(), 0.0, 0
        for step in range(POSITIONS * APART):
            if games.over[0]:
                break
            if step % APART == 0:
                before = time.process_time()
                joint_actions(agent, games, step)
                spent += time.process_time() - before
                decisions += int((games.legal[0].sum(1) > 1).sum())
            games.step(games.random_actions(step))
    return 1000 * spent / decisions


def pairs_of(game: Game, simulations: int) -> list[Pair]:
    """What is played; measured once."""
    kept = RESULTS / f"{game.name}-{simulations}.json"
    if kept.exists():
        return [Pair(**each) for each in json.loads(kept.read_text("utf-8"))]
    found = []
    for kind in bots_of(game):
        bot = f"{kind}:{simulations}"
        bot_time = time_of(bot, game)
        for ours in OURS.get(game.name, USUAL_OURS):
            affordable = FIRST * bot_time / time_of(f"{ours}:{FIRST}", game)
            name = f"{ours}:{2 ** max(0, int(np.log2(max(1, affordable))))}"
            found.append(Pair(bot, name, bot_time, time_of(name, game)))
    write_whole(kept, json.dumps([asdict(pair) for pair in found]).encode())
    return found


def row_of(game: Game, pair: Pair, deals: int) -> str:
    """Plays what has not been played yet: one of ours, copies of the bot."""
    players = game.player_counts[0]
    out = RESULTS / f"{game.name}-{pair.bot}-{pair.ours}-{deals}".replace(":", "")
    results = run_arena(
        [pair.ours], deals, players, versus=pair.bot, game=game, out=out, resume=True, watch=lambda _: None
    )
    for forfeit in results.forfeits:  # else a bot that fails would only look weak
        raise RuntimeError(f"{results.plan.names[forfeit.agent]} failed: {forfeit.error}: {forfeit.message}")
    share = _shown(results.standings[0].win)
    times = f"{pair.bot_time:.0f} ms | `{pair.ours}` | {pair.our_time:.0f} ms | {deals}"
    return f"| {game.title}, {players} players | `{pair.bot}` | {times} | {share} |"


def _shown(win: Estimate) -> str:
    return f"{100 * win.mean:.0f} % ({100 * win.low:.0f} to {100 * win.high:.0f})"


def main() -> None:
    rows = [
        "| game | bot | CPU time per decision | our search | the same | deals | our share of the win |",
        "| --- | --- | ---: | --- | ---: | ---: | ---: |",
    ]
    for game in map(game_of, game_names()):
        simulations, deals = MEASURES.get(game.name, USUAL_MEASURE)
        for pair in pairs_of(game, simulations):
            rows.append(row_of(game, pair, deals))
            print(rows[-1], flush=True)
    PAGE.write_text(filled(PAGE.read_text("utf-8"), "bots", "make bots", rows), "utf-8")


if __name__ == "__main__":
    main()
