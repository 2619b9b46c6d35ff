"""Random games of Sea or Shore, step by step, for the tests of its views."""

import random
from collections.abc import Iterator
from functools import cache
from typing import Any

from playing import Step, steps_of
from subjects.sea_or_shore import POLICIES, SIDES

from strand_env.agents import RandomAgent
from strand_env.play.session import Session
from strand_env.sea_or_shore import GAME, PHASES, Games, Ruleset

PLAYERS = (3, 4, 5)
Snapshot = dict[str, Any]


def steps_of_a_game(players: int, seed: int, ruleset: Ruleset | None = None) -> Iterator[Step]:
    """Snapshots before and after each step, and the actions between them."""
    return steps_of(
        Games(1, players, [seed], ruleset or Ruleset(sides=SIDES[seed % len(SIDES)])), POLICIES, random.Random(seed)
    )


@cache
def examples(players: int) -> list[Step]:
    """A step into each phase of each round, from a few games."""
    found: dict[tuple[str, int], Step] = {}
    for seed in range(8):
        for step in steps_of_a_game(players, seed):
            if step[2]["trick"] > 2 or step[2]["phase"] in ("gift", "treasure", "stack"):
                found.setdefault((step[2]["phase"], step[2]["round"]), step)
    assert {phase for phase, _ in found} == set(PHASES) - ({"stack"} if players == 3 else set())
    return list(found.values())


def session_of(start: Snapshot, seat: int | None, name: str | None = None) -> Session:
    """A game that goes on from a snapshot, with a person in a seat and random agents in the others."""
    batch = Games.from_snapshots([start])
    agents = [None if player == seat else RandomAgent() for player in range(batch.num_players)]
    names = ["you" if player == seat else "random" for player in range(batch.num_players)]
    return Session(GAME, batch, agents, names, name=name)
