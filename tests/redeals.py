"""Redeals of Sea or Shore in as many positions as you like: what the observer may know is the same before and after.

python tests/redeals.py --positions 100000      that many, over all numbers of players and sides of the action cards
"""

import argparse
import json
import secrets
import sys
from collections import Counter
from itertools import product

import numpy as np
from sea_or_shore_deals import view, wrong_in_redeal

from strand_env.agents import agent_of, joint_actions
from strand_env.sea_or_shore import GAME, PHASES, Games, Ruleset

CASES = tuple(product(GAME.player_counts, product(range(2), repeat=2)))
GAMES_AT_ONCE = 2


class Difference(AssertionError):
    """An observer would notice the redeal."""


def check_redeals(players: int, sides: tuple[int, int], positions: int, seed: int) -> Counter[str]:
    """Redeals so many positions for random observers; how many were in each phase.

    Every other one is of a random game, the rest of games that one of the heuristics plays.
    """
    rng, phases, ruleset = np.random.default_rng(seed), Counter[str](), Ruleset(sides=sides)
    games = Games(GAMES_AT_ONCE, players, seed=seed, ruleset=ruleset)
    heuristic = agent_of(str(rng.choice([*GAME.agents.heuristics])), ruleset, game=GAME)
    for number in range(-(-positions // GAMES_AT_ONCE)):
        other, observers = games.clone(), rng.integers(players, size=GAMES_AT_ONCE)
        other.redeal(seed + number, observers)
        for game, observer in enumerate(observers.tolist()):
            where = f"{players} players, sides {sides}, seed {seed}, step {number}, game {game}, observer {observer}"
            compare(games, other, game, observer, where)
        phases.update(PHASES[phase] for phase in games.state["phase"])
        public = games.clone()
        public.redeal(seed + number)
        if wrong := wrong_in_redeal(games.snapshot(0), public.snapshot(0), None):
            raise Difference(f"{players} players, sides {sides}, seed {seed}, step {number}, no observer: {wrong}")
        games.reset(games.over)
        actions = games.random_actions(seed + number)
        actions[1::2] = joint_actions(heuristic, games, number)[1::2]
        games.step(actions)
    return phases


def compare(games: Games, other: Games, game: int, observer: int, where: str) -> None:
    before, after = games.snapshot(game), other.snapshot(game)
    views = [json.dumps(view(each, observer)) for each in (before, after)]
    if views[0] != views[1]:
        raise Difference(f"{where}: the view was {views[0]}\nand is now {views[1]}")
    if wrong := wrong_in_redeal(before, after, observer):
        raise Difference(f"{where}: {wrong}\nbefore: {json.dumps(before)}\nafter: {json.dumps(after)}")
    seen = [each.look_at_rows([game], [observer]) for each in (games, other)]
    for name, one, two in zip(("observation", "mask"), *seen, strict=True):
        if (one != two).any():
            raise Difference(f"{where}: the {name} differs at {np.flatnonzero(one != two)}")
    if Games.as_seen(before, observer) != Games.as_seen(after, observer):
        raise Difference(f"{where}: the snapshot as the observer sees it differs")
    if Games.from_snapshots([after]).snapshot(0) != after:
        raise Difference(f"{where}: the snapshot is not restored as it was")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--positions", type=int, default=100_000, help="in all (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=secrets.randbits(32), help="(default: another one each time)")
    arguments = parser.parse_args()
    if arguments.positions < 1 or arguments.seed < 0:
        parser.error("--positions, --seed: expected at least 1 and 0")
    phases = Counter[str]()
    for players, sides in CASES:
        try:
            phases += check_redeals(players, sides, -(-arguments.positions // len(CASES)), arguments.seed)
        except Difference as difference:
            sys.exit(f"A redeal is wrong. {difference}")
        print(f"{players} players, sides {sides}: {phases.total():,} positions so far", flush=True)
    if missing := set(PHASES) - phases.keys():
        sys.exit(f"Too few positions: none was in {', '.join(sorted(missing))}. Seed {arguments.seed}.")
    told = ", ".join(f"{phase} {number:,}" for phase, number in phases.items())
    print(f"No observer would notice any of {phases.total():,} redeals. Seed {arguments.seed}. Phases: {told}.")


if __name__ == "__main__":
    main()
