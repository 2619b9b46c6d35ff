"""How far from equilibrium agents play where games can be solved, for docs/openspiel.md: `make endgames`.

Endgames of Strand Unter are the last round of games between two of the same agent, or the last two, from their first
decision on; besides them the small game, `Ruleset.small()`. Results are kept in results/endgames/, so an interrupted
run goes on.
"""

import argparse
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from marks import filled
from rich.progress import Progress

from strand_env.agents import agent_of, joint_actions
from strand_env.arena.exact import GameTree
from strand_env.strand_unter import Games, Ruleset
from strand_env.strand_unter.chance import outcomes, turned_up
from strand_env.strand_unter.ruleset import LAST_ROUND
from strand_env.support.files import write_whole

PAGE = Path(__file__).parent / "openspiel.md"
RESULTS = Path("results/endgames")
SOURCES = ("tide", "learned")
AGENTS = ("random", "tide", "learned", "mc:64", "rm:64")
# Not `learned`, which plays the usual rules alone, nor searches, which would have to be asked in every position.
IN_SMALL_GAME = ("random", "greedy", "dodger", "sprinter", "mason", "tide")
HISTORY = ("counts", "last_dials", "last_spell_dials")  # which these agents do not look at
AT_ONCE = 20  # endgames in one tree
IN_TWO_ROUNDS = ("random", "tide", "learned")  # searches would have to be asked millions of times
MOST = 3_000_000  # positions of an endgame of two rounds; to merge so many can take more than 20 GB


def kept(name: str) -> Any:
    path = RESULTS / f"{name.replace(':', '')}.json"
    return json.loads(path.read_text("utf-8")) if path.exists() else None


def keep(name: str, data: Any) -> None:
    RESULTS.mkdir(parents=True, exist_ok=True)
    write_whole(RESULTS / f"{name.replace(':', '')}.json", json.dumps(data).encode())


def endgames(source: str, number: int, progress: Progress, begun: int = LAST_ROUND) -> list[Any]:
    """Snapshots of the first position of a round, by default the last, of games that get there."""
    name = f"positions-{source}" if begun == LAST_ROUND else f"positions-{source}-{begun}"
    found = kept(name) or []
    bar = progress.add_task(f"games of {source}", total=number, completed=len(found))
    agent = agent_of(source)
    while len(found) < number:
        games = Games(256, 2, seed=10_000 + len(found))
        moves = 0
        while games is not None:
            there = (games.state["round"] == begun) & ~games.over
            found += [games.snapshot(int(game)) for game in np.flatnonzero(there)]
            on = ~there & ~games.over
            games = games.select(on) if on.any() else None
            if games is not None:
                games.step(joint_actions(agent, games, moves))
                moves += 1
        keep(name, found)
        progress.update(bar, completed=len(found))
    return found[:number]


def losses(tree: GameTree, names: Iterable[str], ruleset: Ruleset | None = None) -> dict[str, np.ndarray]:
    """By agent, (games, seats): the share of the win that it loses to somebody who knows it, beyond the equilibrium."""
    value, _ = tree.equilibrium()
    found = {}
    for name in names:
        agent = agent_of(name, ruleset)
        found[name] = np.stack([value - tree.best_response(agent, 0), tree.best_response(agent, 1) - value], axis=1)
    return found


def measure(positions: list[Any], progress: Progress) -> dict[str, np.ndarray]:
    done: dict[str, list[Any]] = kept("losses") or {name: [] for name in AGENTS}
    bar = progress.add_task("best responses", total=len(positions), completed=len(done[AGENTS[0]]))
    while (solved := len(done[AGENTS[0]])) < len(positions):
        tree = GameTree(Games.from_snapshots(positions[solved : solved + AT_ONCE]))
        for name, lost in losses(tree, AGENTS).items():
            done[name] += lost.tolist()
        keep("losses", done)
        progress.update(bar, completed=len(done[AGENTS[0]]))
    return {name: np.array(lost[: len(positions)]) for name, lost in done.items()}


def measure_two_rounds(number: int, progress: Progress) -> tuple[dict[str, np.ndarray], int]:
    """The losses in endgames of two rounds, of each source equally many, and how many were too large."""
    done: dict[str, Any] = kept("losses-two") or {"tried": {}, "lost": {name: [] for name in IN_TWO_ROUNDS}}
    bar = progress.add_task("the last two rounds", total=number, completed=len(done["lost"][IN_TWO_ROUNDS[0]]))
    for place, source in enumerate(SOURCES, 1):
        while len(done["lost"][IN_TWO_ROUNDS[0]]) < place * number // len(SOURCES):
            tried = done["tried"].get(source, 0)
            position = endgames(source, tried + 1, progress, LAST_ROUND - 1)[tried]
            try:
                tree = GameTree(Games.from_snapshots([position]), outcomes=outcomes, forget=HISTORY, most=MOST)
            except ValueError:  # too many positions
                found = {}
            else:
                found = losses(tree, IN_TWO_ROUNDS)
                progress.advance(bar)
            for name, lost in found.items():
                done["lost"][name] += lost.tolist()
            done["tried"][source] = tried + 1
            keep("losses-two", done)
    lost = {name: np.array(each) for name, each in done["lost"].items()}
    return lost, sum(done["tried"].values()) - len(lost[IN_TWO_ROUNDS[0]])


def small_game() -> dict[str, Any]:
    done = kept("small") or {}
    if set(IN_SMALL_GAME) <= done.keys():
        return done
    ruleset = Ruleset.small()
    roots, _, chances = turned_up(Games(1, 2, 0, ruleset))
    tree = GameTree(roots, outcomes=outcomes, forget=HISTORY)
    value, _ = tree.equilibrium()
    done |= {"positions": tree.num_positions, "value": float(chances @ value)}
    for name, lost in losses(tree, IN_SMALL_GAME, ruleset).items():
        done[name] = float((chances @ lost).mean())
    keep("small", done)
    return done


def rows_of(results: dict[str, np.ndarray]) -> list[str]:
    rows = [
        "| agent | points of win share lost to a best response | endgames with more than 1 | more than 25 |",
        "| --- | ---: | ---: | ---: |",
    ]
    for name, lost in results.items():
        points = 100 * lost.mean(1).clip(0)
        error = 1.96 * points.std(ddof=1) / np.sqrt(len(points))
        rows.append(
            f"| `{name}` | {points.mean():.1f} ± {error:.1f} | {(points > 1).mean():.0%} | {(points > 25).mean():.0%} |"
        )
    return [row.replace("%", " %") for row in rows]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--endgames", type=int, default=200, help="half of them of each source")
    parser.add_argument("--longer", type=int, default=0, help="endgames of two rounds, half of them of each source")
    options = parser.parse_args()
    number = options.endgames
    with Progress() as progress:
        positions = []
        for each in zip(*(endgames(source, number // len(SOURCES), progress) for source in SOURCES), strict=True):
            positions += each
        results = measure(positions, progress)
        longer = measure_two_rounds(options.longer, progress) if options.longer else None
        small = small_game()
    page = PAGE.read_text("utf-8")
    count = [f"{len(positions):,} endgames:", ""]
    page = filled(page, "endgames", "make endgames", [*count, *rows_of(results)])
    if longer:
        in_two_rounds, too_large = longer
        fitting = len(in_two_rounds[IN_TWO_ROUNDS[0]])
        found = f"{fitting} endgames of two rounds, found among {fitting + too_large}"
        count = [f"{found}; the others have more than {MOST:,} positions:", ""]
        page = filled(page, "longer endgames", "make endgames", [*count, *rows_of(in_two_rounds)])
    told = [f"- {small['positions']:,} positions; its value is {abs(small['value']):.3f}, as both have the same cards"]
    told += [
        f"- `{name}` loses {100 * small[name]:.1f} points of win share to best responses" for name in IN_SMALL_GAME
    ]
    PAGE.write_text(filled(page, "small game", "make endgames", told), "utf-8")


if __name__ == "__main__":
    main()
