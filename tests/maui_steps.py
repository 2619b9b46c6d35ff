"""Random games of Maui, step by step, for the tests of its views."""

import random
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np

from strand_env.maui import PASS, PHASES, VARIANTS, Games, Ruleset
from strand_env.maui.ruleset import COLUMNS, ROWS
from strand_env.maui.views import tell

PLAYERS = (2, 3, 4)
KINDS = [(players, variant) for players in PLAYERS for variant in VARIANTS]
Step = tuple[dict[str, Any], list[int], dict[str, Any]]


def steps_of_a_game(players: int, variant: str, seed: int, ruleset: Ruleset | None = None) -> Iterator[Step]:
    """Snapshots before and after each step, and the actions between them. Some players hoard dollars or tokens."""
    rng = random.Random(seed)
    games = Games(1, players, [seed], ruleset, variant=variant)
    greed = [rng.choice((0, 0, 0.7)) for _ in range(players)]
    after = games.snapshot(0)
    while not games.over[0]:
        before = after
        [asked] = before["to_act"]
        legal = np.flatnonzero(games.legal[0, asked]).tolist()
        hoard = [action for action in legal if action in (30, 31, PASS)]
        chosen = rng.choice(hoard if hoard and rng.random() < greed[asked] else legal)
        actions = [chosen if player == asked else PASS for player in range(players)]
        games.step([actions])
        after = games.snapshot(0)
        yield before, actions, after


@cache
def examples(players: int, variant: str) -> list[tuple[dict[str, Any], list[str]]]:
    """A snapshot of each phase and part with its story, from a few games."""
    found: dict[tuple[str, int], tuple[dict[str, Any], list[str]]] = {}
    for seed in range(5):
        for before, actions, after in steps_of_a_game(players, variant, seed):
            found.setdefault((after["phase"], after["part"]), (after, tell(before, actions, after)))
    assert {phase for phase, _ in found} == set(PHASES)
    return list(found.values())


def random_ruleset(rng: random.Random) -> Ruleset:
    """Other tracks, ornaments and spots, some of them several in a column or on a track."""
    spots = rng.sample([(column, row) for column in range(1, COLUMNS + 1) for row in range(1, ROWS + 1)], 17)
    tracks = [sorted(rng.choices(range(60), k=rng.randint(1, 16))) for _ in range(5)]
    squares = [(track, square) for track in range(5) for square in range(1, len(tracks[track]) + 1)]
    return Ruleset(
        start_top=rng.randint(1, 5),
        tracks=tracks,
        extensions=[rng.choices(range(100), k=rng.randint(0, 16)) for _ in range(5)],
        ornaments=[(*square, rng.randrange(2)) for square in rng.sample(squares, min(10, len(squares)))],
        token_patterns=rng.sample(range(5), 2),
        pattern_umbrellas=[rng.sample(range(5), 2) for _ in range(2)],
        penalty=rng.randint(0, 100),
        crabs=rng.choices((2, 3, 4), k=7),
        umbrella_spots=spots[:8],
        crab_spots=spots[8:15],
        crab_umbrella_spots=spots[15:],
    )
