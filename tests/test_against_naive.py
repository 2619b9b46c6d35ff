"""The engine against the literal implementation in random games: a few compared whole after every step, and many."""

import random
import re
from typing import Any

import naive
import naive_maui
import naive_sea_or_shore
import numpy as np
import pytest
from compare import Mismatch, compare_games
from subjects import SUBJECTS
from subjects.base import Configuration, Subject, described

GAMES = 1000
CHUNK = 20  # games of one ruleset
COMPLETE = 1 / 10  # the share of positions in which complete snapshots are compared


CASES = [
    pytest.param(subject, configuration, id=", ".join([name, *described(configuration)]))
    for name, subject in SUBJECTS.items()
    for configuration in subject.configurations
]


@pytest.mark.slow
@pytest.mark.parametrize(("subject", "configuration"), CASES)
@pytest.mark.parametrize("seed", range(4))  # some with a random ruleset
def test_a_few_games_are_the_same(subject: Subject, configuration: Configuration, seed: int) -> None:
    compare_games(subject, configuration, 1, seed)


@pytest.mark.slow
@pytest.mark.parametrize(("subject", "configuration"), CASES)
def test_random_games_are_the_same(subject: Subject, configuration: Configuration) -> None:
    seeds = [random.SystemRandom().getrandbits(48) for _ in range(GAMES // CHUNK)]  # new ones in each run
    chosen = sum(compare_games(subject, configuration, CHUNK, seed, COMPLETE) for seed in seeds)
    never = set(np.flatnonzero(chosen == 0).tolist())
    assert never == subject.impossible(configuration), "actions that were never chosen"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "configuration", "fault"),
    [
        ("strand_unter", {"num_players": 4}, (naive.Game, "castles_in", lambda game, groove: [])),
        ("maui", {"num_players": 2, "variant": "combined"}, (naive_maui.Game, "lay_spare", lambda *towel: None)),
        ("sea_or_shore", {"num_players": 3}, (naive_sea_or_shore.Game, "all_see_it_leave", lambda *card: None)),
    ],
)
@pytest.mark.parametrize("complete", [1, 1 / 32])
def test_a_difference_is_found(
    name: str, configuration: Configuration, fault: Any, complete: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(*fault)
    where = re.escape(f"{name} {configuration} games=30 seed=7 game=")
    with pytest.raises(Mismatch, match=rf"{where}\d+: (\w+ is|player \d may|drawn: )"):
        compare_games(SUBJECTS[name], configuration, 30, 7, complete)


@pytest.mark.parametrize(
    ("name", "configuration", "fault", "found"),
    [
        ("strand_unter", {"num_players": 4}, (naive.Player, "unfit", lambda player: 0), ", at the end: scores is"),
        ("maui", {"num_players": 3, "variant": "base"}, (naive_maui, "COSTS", (0, 1, 1)), r": player \d may"),
        ("sea_or_shore", {"num_players": 5}, (naive_sea_or_shore, "ALL_EXTRAS", 23), ", at the end: supply is"),
    ],
)
def test_masks_and_ends_are_compared_without_snapshots_in_between(
    name: str, configuration: Configuration, fault: Any, found: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(*fault)
    with pytest.raises(Mismatch, match=found):
        compare_games(SUBJECTS[name], configuration, 10, seed=7, complete=0)


def test_impossible_draws_are_a_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(naive_maui.Chance, "towel", lambda *asked: 0)
    with pytest.raises(Mismatch, match="game=0: drawn: 0, which is not in the bag"):
        compare_games(SUBJECTS["maui"], {"num_players": 2, "variant": "base"}, 1, seed=7)
