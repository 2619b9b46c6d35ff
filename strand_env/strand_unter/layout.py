"""What a player sees: whole numbers in named sections, the observer's own seat first.

An observation is the table (24 entries) and four seats (56 entries each): the observer, then the others in seating
order; with fewer than four players the last seats are zero.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np

from strand_env.strand_unter.actions import FIRST_COMBINATION, NUM_DIAL_POSITIONS
from strand_env.strand_unter.ruleset import MAX_PLAYERS, NUM_VALUES, PLAYED_GROOVES, Ruleset
from strand_env.strand_unter.state import LAST_GROOVE, LAST_ROUND, PHASES

TABLE_SIZE = 24
SEAT_SIZE = 56
MOST_POINTS = NUM_VALUES * PLAYED_GROOVES + sum(range(NUM_VALUES))  # all castles in the last groove
OBSERVATION_SIZE = TABLE_SIZE + MAX_PLAYERS * SEAT_SIZE


@dataclass(frozen=True)
class Section:
    """A run of entries of the observation."""

    name: str
    start: int
    maximum: tuple[int, ...]  # of each entry; the least is 0
    meaning: str

    @property
    def slice(self) -> slice:
        return slice(self.start, self.start + len(self.maximum))


class Layout:
    """The sections of an observation in their order. Iterate over it, or ask by name: ``layout["shells"].slice``."""

    def __init__(self, ruleset: Ruleset) -> None:
        shells = max(ruleset.shells)
        each_colour = tuple(max(1, count) for count in ruleset.shells)  # never 0: users divide by the maximum
        on_card = max(max(card) for cards in ruleset.cards for card in cards)
        fill = max(1, *(max(row) for row in ruleset.fills))
        table = [
            ("phase", (1,) * len(PHASES), f"one-hot: {', '.join(PHASES)}"),
            ("round", (LAST_ROUND,), "number of the round"),
            ("groove", (PLAYED_GROOVES,), "groove the sandpiper stands in"),
            ("sea", (LAST_GROOVE,), "outermost dry groove"),
            ("high_tide", (1,), "1 after the turn of the tide"),
            ("shells", each_colour, "shells of each colour in the current groove"),
            ("unseen", each_colour, "shells of each colour in the bag, under the sea, or in a hidden bucket"),
            ("players", (1, 1, 1), "one-hot: 2, 3, 4 players"),
            ("next_fill", (fill,), "shells that the next round's groove is filled with, if the bag holds them"),
        ]
        seat = [
            ("present", (1,), "1 if somebody sits there"),
            ("to_act", (1,), "1 if the player has to decide now (with hidden buckets not told of others in build)"),
            ("in_spell", (1,), "1 if the player's combination collided this round"),
            ("owed", (1,), "1 if the player has a consolation trove to come"),
            ("bucket", (shells,) * 4, "shells of each colour in the bucket (zero if hidden)"),
            ("cards", (on_card,) * 16, "for each castle value, the coloured shells on its card"),
            (
                "castles",
                (1, 1, PLAYED_GROOVES, 1) * NUM_VALUES,
                "for each castle value: on the heap, ready, the groove it stands in or 0, flooded",
            ),
            ("dial", (1,) * NUM_DIAL_POSITIONS, "one-hot: position set this round, zero before the reveal"),
            ("spell_dial", (1,) * FIRST_COMBINATION, "one-hot: single set in this round's shell-spell"),
            ("built", (NUM_VALUES,), "castles built, flooded ones included"),
            ("points", (MOST_POINTS,), "beach points of the castles that stand"),
        ]
        self.sections: list[Section] = []
        self._append(table, "", "")
        assert self.size == TABLE_SIZE
        for number in range(MAX_PLAYERS):
            whose = "the observer's own seat" if number == 0 else f"player {number} after the observer"
            self._append(seat, f"seat_{number}.", f"{whose}: ")
            assert self.size == TABLE_SIZE + (number + 1) * SEAT_SIZE
        self.maximum = np.array([entry for section in self.sections for entry in section.maximum], np.int8)
        self.maximum.setflags(write=False)

    def _append(self, sections: list[tuple[str, tuple[int, ...], str]], prefix: str, whose: str) -> None:
        for name, maximum, meaning in sections:
            self.sections.append(Section(prefix + name, self.size, maximum, whose + meaning))

    @property
    def size(self) -> int:
        """Number of entries of an observation."""
        return self.sections[-1].slice.stop if self.sections else 0

    def __iter__(self) -> Iterator[Section]:
        return iter(self.sections)

    def __len__(self) -> int:
        return len(self.sections)

    def __getitem__(self, name: str) -> Section:
        for section in self.sections:
            if section.name == name:
                return section
        raise KeyError(f"no section {name!r}; there are {', '.join(section.name for section in self.sections)}")


@cache
def layout_of(ruleset: Ruleset) -> Layout:
    return Layout(ruleset)
