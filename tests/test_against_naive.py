"""The engine against the literal implementation: random games, compared after every step."""

import random

import naive
import numpy as np
import pytest
from compare import Mismatch, compare_games
from subjects import SUBJECTS
from subjects.base import Configuration, Subject

pytestmark = pytest.mark.slow

GAMES = 1500
CHUNK = 10  # games of one ruleset


CASES = [
    pytest.param(subject, configuration, id="-".join(map(str, (name, *configuration.values()))))
    for name, subject in SUBJECTS.items()
    for configuration in subject.configurations
]


@pytest.mark.parametrize(("subject", "configuration"), CASES)
def test_random_games_are_the_same(subject: Subject, configuration: Configuration) -> None:
    seeds = [random.SystemRandom().getrandbits(48) for _ in range(GAMES // CHUNK)]  # new ones in each run
    chosen = sum(compare_games(subject, configuration, CHUNK, seed) for seed in seeds)
    assert np.flatnonzero(chosen == 0).tolist() == [], "actions that were never chosen"


def test_a_difference_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(naive.Game, "castles_in", lambda self, groove: [])
    with pytest.raises(Mismatch, match=r"strand_unter {'num_players': 4} games=20 seed=7 game=\d+: \w+ is"):
        compare_games(SUBJECTS["strand_unter"], {"num_players": 4}, 20, seed=7)
