"""Chance is fair in Maui: this the literal implementation, which is told all draws, cannot judge."""

import random
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace

import naive_maui
import numpy as np
import pytest
from compare import compare_games
from subjects import SUBJECTS
from subjects.base import Snapshot

Notes = dict[str, list[float]]


class Noted(naive_maui.Chance):
    """Notes for each draw which of the possibilities it was, spread over 0 to 1: evenly, if chance is fair."""

    def __init__(self, look: Callable[[], Snapshot], notes: Notes, rng: random.Random) -> None:
        super().__init__(look)
        self.notes, self.rng = notes, rng

    def note(self, name: str, which: int, possibilities: int) -> None:
        self.notes[name].append((which + self.rng.random()) / possibilities)

    def towel(self, part: int, number: int, bag: list[int]) -> int:
        drawn = super().towel(part, number, bag)
        self.note("towel of the set-up" if number < 8 else "later towel", sorted(bag).index(drawn), len(bag))
        return drawn

    def pieces(self, seat: int, pieces: list[str], first_spot: int) -> list[str]:
        dealt = super().pieces(seat, pieces, first_spot)
        for kind in set(pieces):
            spots = [spot for spot, name in enumerate(dealt) if name == kind]
            self.note(f"{kind} of {len(pieces)}, player {seat}", self.rng.choice(spots), len(pieces))
        return dealt

    def first(self, candidates: list[int]) -> int:
        first = super().first(candidates)
        self.note(f"first player of {len(candidates)}", candidates.index(first), len(candidates))
        return first


@pytest.mark.slow
def test_every_draw_is_fair() -> None:
    notes: Notes = defaultdict(list)
    rng = random.Random(1)

    def twin(look: Callable[[], Snapshot]) -> naive_maui.Game:
        return naive_maui.Game(look()["players"], "combined", look()["ruleset"], Noted(look, notes, rng))

    subject = replace(SUBJECTS["maui"], twin=twin)
    for seed in range(60):
        compare_games(subject, {"num_players": 2 + seed % 3, "variant": "combined"}, 10, seed)
    assert len(notes) == 2 + 4 * (4 + 3 + 2) + 4
    for name, drawn in notes.items():
        counts, expected = np.histogram(drawn, 8, (0, 1))[0], len(drawn) / 8
        assert ((counts - expected) ** 2 / expected).sum() < 35, name  # chi-squared, exceeded in 1 of 90,000 cases
