"""What memory is worth at tables of unknown opponents, for docs/agents.md: `python docs/tables.py`.

At each table, three opponents are drawn for a deal, from the game's population or from its strangers; both agents play
the same tables in all four seats.
"""

import argparse

import numpy as np

from strand_env.agents import AnyAgent, agent_of
from strand_env.agents.strangers import strangers_of
from strand_env.arena.play import play_deals
from strand_env.arena.statistics import estimate_means
from strand_env.engine.randomness import spread_seeds
from strand_env.registry import game_of

PLAYERS = 4
DRAWS = 7  # separates the draws of opponents from other seeds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--agents", nargs=2, default=["posterior:256", "prior:256"])
    parser.add_argument("--tables", type=int, default=36)
    parser.add_argument("--strangers", action="store_true", help="draw strangers in place of the population")
    options = parser.parse_args()
    game = game_of("strand_unter")
    known = {name: agent_of(name, game=game) for name in (*game.agents.heuristics, *game.agents.trained)}
    others: dict[str, AnyAgent] = strangers_of(game) if options.strangers else known
    seating = np.zeros((options.tables, PLAYERS, PLAYERS), np.int64)
    for table in range(options.tables):
        drawn = 1 + np.random.default_rng([DRAWS, table]).integers(0, len(others), PLAYERS - 1)
        for seat in range(PLAYERS):
            seating[table, seat, (seat + 1 + np.arange(PLAYERS - 1)) % PLAYERS] = drawn
    wins = []
    for name in options.agents:
        agents = [agent_of(name, game=game), *others.values()]
        played, _ = play_deals(game, agents, seating, spread_seeds(0, np.arange(options.tables)))
        if played.forfeits:
            raise RuntimeError(f"{name}: {played.forfeits[0]}")
        wins.append(played.outcomes["win"][:, np.arange(PLAYERS), np.arange(PLAYERS)].mean(1))
    columns = np.stack([*wins, wins[0] - wins[1]], axis=1)
    for name, win in zip(
        [*options.agents, "difference"], estimate_means(columns, np.ones_like(columns), 0), strict=True
    ):
        print(f"{name}: {100 * win.mean:.1f} % ({100 * win.low:.1f} to {100 * win.high:.1f}), {options.tables} tables")


if __name__ == "__main__":
    main()
