"""What a player sees: whole numbers in named sections, the observer's own seat first.

An observation is the table (24 entries) and four seats (56 entries each): the observer, then the others in seating
order; with fewer than four players the last seats are zero. `Layout` names the sections.

The packing works on 64-bit words, eight entries at a time: it is most of the engine's work, and this is four times as
fast as writing entry by entry. `tests/test_observation.py` holds it against the layout's plain reading.
"""

import sys
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from strand_env.jit import compiled
from strand_env.strand_unter.actions import FIRST_COMBINATION, NUM_DIAL_POSITIONS
from strand_env.strand_unter.legal import PASS_ONLY, in_spell, set_combinations
from strand_env.strand_unter.ruleset import (
    MAX_PLAYERS,
    MIN_PLAYERS,
    NUM_COLOURS,
    NUM_VALUES,
    PLAYED_GROOVES,
    Ruleset,
)
from strand_env.strand_unter.state import (
    BUILD,
    FLOODED,
    GAME_DTYPE,
    HEAP,
    LAST_GROOVE,
    LAST_ROUND,
    OVER,
    PHASES,
    READY,
    TURN_ROUND,
)

assert sys.byteorder == "little", "strand_env packs observations for little-endian machines"

TABLE_SIZE = 24
SEAT_SIZE = 56
OBSERVATION_SIZE = TABLE_SIZE + MAX_PLAYERS * SEAT_SIZE
WORD = 8  # entries in a 64-bit word


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
        on_card = max(max(card) for cards in ruleset.cards for card in cards)
        fill = max(max(row) for row in ruleset.fills)
        table = [
            ("phase", (1,) * len(PHASES), f"one-hot: {', '.join(PHASES)}"),
            ("round", (LAST_ROUND,), "number of the round"),
            ("groove", (PLAYED_GROOVES,), "groove the sandpiper stands in"),
            ("sea", (LAST_GROOVE,), "outermost dry groove"),
            ("high_tide", (1,), "1 after the turn of the tide"),
            ("shells", ruleset.shells, "shells of each colour in the current groove"),
            ("unseen", ruleset.shells, "shells of each colour in the bag, under the sea, or in a hidden bucket"),
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
            ("points", (NUM_VALUES * PLAYED_GROOVES + 6,), "beach points of the castles that stand"),
        ]
        self.sections: list[Section] = []
        self._append(table, "", "")
        assert self.size == TABLE_SIZE
        for number in range(MAX_PLAYERS):
            whose = "the observer's own seat" if number == 0 else f"the {number}. player after the observer"
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

    def __iter__(self):
        return iter(self.sections)

    def __len__(self) -> int:
        return len(self.sections)

    def __getitem__(self, name: str) -> Section:
        for section in self.sections:
            if section.name == name:
                return section
        raise KeyError(f"no section {name!r}; there are {', '.join(section.name for section in self.sections)}")


@lru_cache
def layout_of(ruleset: Ruleset) -> Layout:
    return Layout(ruleset)


# The packing. A game's record is also read as PACKED_DTYPE, in words and half words, where entries stand side by side
# in it as they do in the observation; the rest comes from tables of ready-made words.


def _overlay(fields: dict[str, tuple[str, np.dtype]]) -> np.dtype:
    """Another reading of the game's record: the bytes of some fields as larger numbers."""
    offsets = [GAME_DTYPE.fields[field][1] for field, _ in fields.values()]  # type: ignore[index]
    formats = [kind for _, kind in fields.values()]
    itemsize = GAME_DTYPE.itemsize
    return np.dtype({"names": list(fields), "formats": formats, "offsets": offsets, "itemsize": itemsize})


PACKED_DTYPE = _overlay(
    {
        "cards": ("cards", np.dtype((np.uint64, (MAX_PLAYERS, 2)))),
        "buckets": ("buckets", np.dtype((np.uint32, (MAX_PLAYERS,)))),
        "shells": ("shells", np.dtype(np.uint32)),
    }
)
OBSERVATION_DTYPE = np.dtype(
    [("table", np.uint64, (TABLE_SIZE // WORD,)), ("seats", np.uint64, (MAX_PLAYERS, SEAT_SIZE // WORD))]
)


def _word(entries: dict[int, int]) -> int:
    return sum(entry << 8 * index for index, entry in entries.items())


def _castle_words() -> tuple[np.ndarray, np.ndarray]:
    """By place: the four entries of a castle. By value and place: what it adds to `built` and `points`."""
    entries = np.zeros(FLOODED + 1, np.uint64)
    sums = np.zeros((NUM_VALUES, FLOODED + 1), np.uint64)
    for place in range(FLOODED + 1):
        groove = place if HEAP < place <= LAST_GROOVE else 0
        entries[place] = _word({0: place == HEAP, 1: place == READY, 2: groove, 3: place == FLOODED})
        for value in range(NUM_VALUES):
            sums[value, place] = _word({6: place not in (HEAP, READY), 7: groove + value if groove else 0})
    return entries, sums


def _dial_words() -> tuple[np.ndarray, np.ndarray]:
    """By position + 1: the one-hot dial in two words. By single + 1: the one-hot spell dial in the second of them."""
    dials = [1 << WORD * position for position in range(NUM_DIAL_POSITIONS)]
    two_words = [[0, 0]] + [[dial & 2**64 - 1, dial >> 64] for dial in dials]
    spell = [0] + [_word({NUM_DIAL_POSITIONS - WORD + single: 1}) for single in range(FIRST_COMBINATION)]
    return np.array(two_words, np.uint64), np.array(spell, np.uint64)


_CASTLE_ENTRIES, _CASTLE_SUMS = _castle_words()
_DIAL_WORDS, _SPELL_WORDS = _dial_words()
_HALF = np.uint64(32)
_TO_ACT = np.uint64(1 << WORD)


@compiled
def entry(number, index):
    """A number at its place in a word."""
    return np.uint64(number) << np.uint64(8 * index)


@compiled
def next_fill(game, rules):
    if game["phase"] == OVER or game["round"] == LAST_ROUND:
        return 0
    coming = game["groove"] + 1 if game["round"] < TURN_ROUND else game["groove"] - 1
    return rules["fill"][coming - 1]


@compiled
def observe(game, packed, rules, players, hide_buckets, index, out):
    """Writes the observations of a game's players into their records, out[index, player]."""
    shells = np.uint64(packed["shells"])
    elsewhere = np.uint64(0)  # all shells but those in the groove
    for colour in range(NUM_COLOURS):
        elsewhere |= entry(rules["shells"][colour], colour)
    elsewhere -= shells
    buckets = np.uint64(0)
    for player in range(players):
        buckets += np.uint64(packed["buckets"][player])

    phase = entry(1, game["phase"])
    where = entry(game["round"], 0) | entry(game["groove"], 1) | entry(game["sea"], 2)
    where |= entry(game["round"] > TURN_ROUND, 3) | shells << _HALF
    rest = entry(1, 4 + players - MIN_PLAYERS) | entry(next_fill(game, rules), 7)
    for observer in range(players):
        seen = np.uint64(packed["buckets"][observer]) if hide_buckets else buckets
        table = out[index, observer]["table"]
        table[0] = phase
        table[1] = where
        table[2] = rest | (elsewhere - seen)
        for seat in range(players, MAX_PLAYERS):
            out[index, observer]["seats"][seat] = np.uint64(0)

    _, collided = set_combinations(game["dials"], players)
    for player in range(players):
        castles = game["castles"][player]
        dial = game["dials"][player]
        flags = entry(1, 0) | entry(game["legal"][player] != PASS_ONLY, 1)
        flags |= entry(in_spell(collided, dial), 2) | entry(game["owed"][player], 3)
        own = flags | np.uint64(packed["buckets"][player]) << _HALF
        others = own
        if hide_buckets:
            others = flags & ~_TO_ACT if game["phase"] == BUILD else flags
        castles_0 = _CASTLE_ENTRIES[castles[0]] | _CASTLE_ENTRIES[castles[1]] << _HALF
        castles_2 = _CASTLE_ENTRIES[castles[2]] | _CASTLE_ENTRIES[castles[3]] << _HALF
        cards_0 = packed["cards"][player, 0]
        cards_2 = packed["cards"][player, 1]
        dial_0 = _DIAL_WORDS[dial + 1, 0]
        dial_8 = _DIAL_WORDS[dial + 1, 1] | _SPELL_WORDS[game["spell_dials"][player] + 1]
        for value in range(NUM_VALUES):
            dial_8 += _CASTLE_SUMS[value, castles[value]]
        for observer in range(players):
            seat = player - observer if player >= observer else player - observer + players
            words = out[index, observer]["seats"][seat]
            words[0] = own if player == observer else others
            words[1] = cards_0
            words[2] = cards_2
            words[3] = castles_0
            words[4] = castles_2
            words[5] = dial_0
            words[6] = dial_8
