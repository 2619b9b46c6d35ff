"""The engine against the literal implementation: random games, compared after every step."""

import random

import naive
import numpy as np
import pytest
from compare import Mismatch, compare_games

pytestmark = pytest.mark.slow

GAMES = 1500
CHUNK = 50


@pytest.mark.parametrize("players", [2, 3, 4])
def test_random_games_are_the_same(players: int) -> None:
    seeds = [random.SystemRandom().getrandbits(48) for _ in range(GAMES // CHUNK)]  # new ones in each run
    chosen = sum(compare_games(players, CHUNK, seed) for seed in seeds)
    assert np.flatnonzero(chosen == 0).tolist() == [], "actions that were never chosen"


def test_a_difference_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(naive.Game, "castles_in", lambda self, groove: [])
    with pytest.raises(Mismatch, match=r"players=4 games=\d+ seed=7"):
        compare_games(4, 20, seed=7)
