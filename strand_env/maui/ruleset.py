"""The material of the game. What had to be reconstructed is data of a `Ruleset`: correct it here, or pass your own."""

from dataclasses import dataclass
from itertools import permutations
from typing import Any

import numpy as np

from strand_env.engine.checks import shown, whole_number
from strand_env.engine.ruleset import RulesetBase, check_length

VARIANTS: tuple[str, ...] = ("base", "crabs", "combined")
BASE, CRABS, COMBINED = range(len(VARIANTS))
PARTS = 2  # of the combined game
MIN_PLAYERS, MAX_PLAYERS = 2, 4
PLAYER_COUNTS = range(MIN_PLAYERS, MAX_PLAYERS + 1)

PATTERNS = ("yellow", "pink", "light blue", "orange", "purple")
NUM_PATTERNS = len(PATTERNS)
CELLS = 3  # of a towel
TOWELS = tuple(permutations(range(NUM_PATTERNS), CELLS))  # the patterns of each towel, by its number
NUM_TOWELS = len(TOWELS)

ROWS, COLUMNS = 7, 12
ROW_VALUES = (3, 2, 1, 1, 1, 2, 3)
LOWEST_TOP, HIGHEST_TOP = 2 - CELLS, ROWS  # one cell at least lies on the beach
HIGHEST_INSIDE = ROWS + 1 - CELLS  # the highest top with all cells on the beach
SPARE_TOP = 3  # the three rows of value 1

MARKET_ROWS, PLACES_PER_ROW = 2, 3
PLACES = MARKET_ROWS * PLACES_PER_ROW
PRICES = tuple(place % PLACES_PER_ROW for place in range(PLACES))
MOST_DOLLARS = MAX_PLAYERS + MARKET_ROWS  # one for each player and each zone
MOST_ROUNDS = 40  # counted; no game has more, as each dollar taken was paid for one of 12 towels per player

TOKEN_KINDS = 2
TOKENS_PER_SQUARE = (1, 2, 2)  # with 2, 3, 4 players
MOST_ORNAMENTS = 10
MOST_SQUARES, MOST_PER_SQUARE = 32, 100  # of a track with its extension; points of one square

PEARL_COLOURS, PEARLS = 2, 3  # of each colour
PEARL_POINTS = (0, 2, 5, 9)
PATTERN_UMBRELLAS = 2
CRAB_VALUES = (2, 3, 4)
NUM_UMBRELLAS, NUM_CRABS = PEARL_COLOURS * PEARLS + PATTERN_UMBRELLAS, 7
MOST_SPOTS = NUM_CRABS + PATTERN_UMBRELLAS  # on one side of a beach

SPOTS_STORED = 16  # places for pieces in records, in the order of snapshots
NO_SPOT = SPOTS_STORED - 1  # there is never a piece on it

# Pieces on the beach, by number; 0 is none.
PIECES = ("pearl0", "pearl1", "pattern0", "pattern1", "crab2", "crab3", "crab4")
PEARL, PATTERN_UMBRELLA, CRAB = 1, 3, 5  # + colour, + number, + value - 2
UMBRELLA_SIDE, CRAB_SIDE = range(2)

# A ruleset for one player count and variant, as the compiled rules read it. Tables by side of the beach list its spots
# in the order of snapshots. Unsigned numbers are quicker as indices.
RULES_DTYPE = np.dtype(
    [
        ("points", np.uint8, (NUM_PATTERNS, MOST_SQUARES + 1)),  # by track and square
        ("ahead", np.uint16, (NUM_PATTERNS, MOST_SQUARES + 1)),  # ornaments beyond a square, a bit for each
        ("last", np.uint8, (NUM_PATTERNS,)),  # square of each track
        ("ornament_kind", np.uint8, (MOST_ORNAMENTS,)),
        ("supply", np.uint8, (MOST_ORNAMENTS,)),  # tokens at the start
        ("num_ornaments", np.uint8),
        ("token_pattern", np.uint8, (TOKEN_KINDS,)),
        ("umbrella_tracks", np.uint8, (PATTERN_UMBRELLAS, 2)),
        ("variant", np.uint8),
        ("parts", np.uint8),
        ("side", np.uint8, (PARTS,)),  # of the beach, by part
        ("start_top", np.uint8),
        ("penalty", np.uint8),
        ("num_spots", np.uint8, (2,)),
        ("piece", np.uint8, (2, MOST_SPOTS)),  # that are shuffled
        ("spot_column", np.uint8, (2, SPOTS_STORED)),
        ("spot_row", np.uint8, (2, SPOTS_STORED)),
        ("first_spot", np.uint8, (2, COLUMNS + 4)),  # in each column, by ascending row, or NO_SPOT
        ("next_spot", np.uint8, (2, SPOTS_STORED)),  # in the same column, or NO_SPOT
        # The same in the form that observations need
        ("to_ornament", np.uint8, (NUM_PATTERNS, MOST_SQUARES + 1)),  # squares to the next one
        ("lying_words", np.uint64, (2, COLUMNS + 2, 2)),  # spots from each column on, all bits of their entries
    ],
    align=True,
)

Row = tuple[int, ...]
Spots = tuple[tuple[int, int], ...]

_TRACK = (1, *range(2, 24, 2))
_EXTENSION = tuple(range(24, 48, 2))


@dataclass(frozen=True)
class Ruleset(RulesetBase):
    """The numbers of the game that are *reconstructed*, checked on construction.

    They are a careful guess, and everything may be replaced; owners of the box can correct them. Patterns are 0 yellow,
    1 pink, 2 light blue, 3 orange, 4 purple. What the rulebook or reviews tell is in the rules.
    """

    start_top: int = 3
    """The row of the start towel's first cell. *Reconstructed.*"""

    tracks: tuple[Row, ...] = (_TRACK,) * NUM_PATTERNS
    """For each pattern, the points of squares 1, 2, … of its track. *Reconstructed.*"""

    extensions: tuple[Row, ...] = (_EXTENSION,) * NUM_PATTERNS
    """For each pattern, the points of the squares that the additional board adds in `combined`. *Reconstructed.*"""

    ornaments: tuple[tuple[int, int, int], ...] = ((0, 6, 0), (1, 6, 1))
    """The ornament squares: pattern of the track, square, kind of the tokens on it. *Reconstructed.*"""

    token_patterns: tuple[int, int] = (2, 3)
    """The pattern that a towel token of each kind shows. *Reconstructed.*"""

    pattern_umbrellas: tuple[tuple[int, int], ...] = ((0, 4), (1, 4))
    """The two patterns of each pattern umbrella. *Reconstructed.*"""

    penalty: int = 1
    """Points that a penalty token costs, water or trees. *Reconstructed.*"""

    crabs: Row = (2, 2, 3, 3, 3, 4, 4)
    """The values of a player's sand crabs. *Reconstructed*, except that there are seven of 2 to 4."""

    umbrella_spots: Spots = ((2, 3), (3, 6), (5, 2), (6, 5), (8, 3), (9, 6), (11, 2), (12, 5))
    """Column and row of the umbrellas on the umbrella side of a beach. *Reconstructed.*"""

    crab_spots: Spots = ((2, 4), (4, 2), (5, 6), (7, 4), (9, 2), (10, 6), (12, 4))
    """Column and row of the crabs on the crab side of a beach. *Reconstructed.*"""

    crab_umbrella_spots: Spots = ((3, 5), (11, 3))
    """Column and row of the pattern umbrellas on the crab side of a beach. *Reconstructed.*"""

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_number("start_top", self.start_top, 1, HIGHEST_INSIDE)
        self._check_tracks()
        self._check_ornaments()
        _check_numbers("token_patterns", self.token_patterns, TOKEN_KINDS, 0, NUM_PATTERNS - 1)
        check_length("pattern_umbrellas", self.pattern_umbrellas, PATTERN_UMBRELLAS)
        for number, patterns in enumerate(self.pattern_umbrellas):
            _check_numbers(f"pattern_umbrellas[{number}]", patterns, 2, 0, NUM_PATTERNS - 1)
            if len(set(patterns)) < 2:
                raise ValueError(f"ruleset.pattern_umbrellas[{number}]: expected two different ones, got {patterns}")
        _check_number("penalty", self.penalty, 0, MOST_PER_SQUARE)
        _check_numbers("crabs", self.crabs, NUM_CRABS, CRAB_VALUES[0], CRAB_VALUES[-1])
        _check_spots("umbrella_spots", self.umbrella_spots, NUM_UMBRELLAS)
        _check_spots("crab_spots", self.crab_spots, NUM_CRABS)
        _check_spots("crab_umbrella_spots", self.crab_umbrella_spots, PATTERN_UMBRELLAS)
        if both := set(self.crab_spots) & set(self.crab_umbrella_spots):
            raise ValueError(f"ruleset.crab_umbrella_spots: {sorted(both)[0]} is among the crab_spots, too")

    def _check_tracks(self) -> None:
        for name, rows, shortest in (("tracks", self.tracks, 1), ("extensions", self.extensions, 0)):
            check_length(name, rows, NUM_PATTERNS)
            for pattern, row in enumerate(rows):
                if not isinstance(row, tuple) or not shortest <= len(row) <= MOST_SQUARES // 2:
                    expected = f"{shortest} to {MOST_SQUARES // 2} squares"
                    raise ValueError(f"ruleset.{name}[{pattern}]: expected {expected}, got {shown(row)}")
                _check_numbers(f"{name}[{pattern}]", row, len(row), 0, MOST_PER_SQUARE)

    def _check_ornaments(self) -> None:
        if not isinstance(self.ornaments, tuple) or len(self.ornaments) > MOST_ORNAMENTS:
            expected = f"expected at most {MOST_ORNAMENTS} squares"
            raise ValueError(f"ruleset.ornaments: {expected}, got {shown(self.ornaments)}")
        for number, ornament in enumerate(self.ornaments):
            name = f"ornaments[{number}]"
            check_length(name, ornament, 3)
            pattern, square, kind = ornament
            _check_number(f"{name}[0]", pattern, 0, NUM_PATTERNS - 1)
            _check_number(f"{name}[1]", square, 1, len(self.tracks[pattern]))
            _check_number(f"{name}[2]", kind, 0, TOKEN_KINDS - 1)
            if (pattern, square) in [other[:2] for other in self.ornaments[:number]]:
                raise ValueError(f"ruleset.{name}: square {square} of track {pattern} is there already")

    def spots(self, side: int) -> Spots:
        """Column and row of each spot on a side of a beach, in the order of snapshots."""
        return self.umbrella_spots if side == UMBRELLA_SIDE else self.crab_spots + self.crab_umbrella_spots

    def squares(self, variant: str | None) -> list[Row]:
        """For each pattern, the points of the squares of its track, which starts with square 0."""
        rows = zip(self.tracks, self.extensions, strict=True)
        return [(0, *track, *(extension if variant == "combined" else ())) for track, extension in rows]

    def for_kernels(self, num_players: int, variant: str | None) -> np.ndarray:
        """One record with the numbers that the compiled rules read."""
        rules = np.zeros(1, RULES_DTYPE)
        record = rules[0]
        number = VARIANTS.index(variant or VARIANTS[0])
        record["variant"] = number
        record["parts"] = PARTS if number == COMBINED else 1
        record["side"] = CRAB_SIDE if number == CRABS else UMBRELLA_SIDE
        record["side"][1:] = UMBRELLA_SIDE if number == BASE else CRAB_SIDE
        for name in ("start_top", "penalty"):
            record[name] = getattr(self, name)
        record["token_pattern"] = self.token_patterns
        record["umbrella_tracks"] = self.pattern_umbrellas
        record["num_ornaments"] = len(self.ornaments)
        for index, (_, _, kind) in enumerate(self.ornaments):
            record["ornament_kind"][index] = kind
            record["supply"][index] = TOKENS_PER_SQUARE[num_players - MIN_PLAYERS]
        self._fill_tracks(record, variant)
        for side in (UMBRELLA_SIDE, CRAB_SIDE):
            self._fill_spots(record, side)
        return rules

    def _fill_tracks(self, record: np.void, variant: str | None) -> None:
        for pattern, points in enumerate(self.squares(variant)):
            record["last"][pattern] = len(points) - 1
            record["points"][pattern, : len(points)] = points
            for square in range(len(points)):
                ahead = [each for each, (track, at, _) in enumerate(self.ornaments) if track == pattern and at > square]
                record["ahead"][pattern, square] = sum(1 << each for each in ahead)
                nearest = min((self.ornaments[each][1] - square for each in ahead), default=0)
                record["to_ornament"][pattern, square] = nearest

    def _fill_spots(self, record: np.void, side: int) -> None:
        spots = self.spots(side)
        pattern_umbrellas = [PATTERN_UMBRELLA + number for number in range(PATTERN_UMBRELLAS)]
        if side == UMBRELLA_SIDE:
            pieces = [PEARL + colour for colour in range(PEARL_COLOURS) for _ in range(PEARLS)] + pattern_umbrellas
        else:
            pieces = [CRAB + value - CRAB_VALUES[0] for value in self.crabs] + pattern_umbrellas
        record["num_spots"][side] = len(spots)
        record["piece"][side, : len(spots)] = pieces
        record["spot_column"][side, : len(spots)], record["spot_row"][side, : len(spots)] = zip(*spots, strict=True)
        record["spot_row"][side, len(spots) :] = 1
        record["first_spot"][side] = record["next_spot"][side] = NO_SPOT
        in_order = sorted(range(len(spots)), key=lambda spot: spots[spot])
        for spot in reversed(in_order):
            column, _ = spots[spot]
            record["next_spot"][side, spot] = record["first_spot"][side, column]
            record["first_spot"][side, column] = spot
        for column in range(COLUMNS + 2):
            entries = np.zeros(16, np.uint8)
            entries[: len(spots)] = [0xFF * (at >= column) for at, _ in spots]
            record["lying_words"][side, column] = entries.view(np.uint64)


def _check_number(name: str, value: Any, least: int, most: int) -> None:
    whole_number(f"ruleset.{name}", value, least, most)


def _check_numbers(name: str, value: Any, length: int, least: int, most: int) -> None:
    check_length(name, value, length)
    for index, each in enumerate(value):
        _check_number(f"{name}[{index}]", each, least, most)


def _check_spots(name: str, spots: Any, length: int) -> None:
    check_length(name, spots, length)
    for number, spot in enumerate(spots):
        check_length(f"{name}[{number}]", spot, 2)
        _check_number(f"{name}[{number}][0]", spot[0], 1, COLUMNS)
        _check_number(f"{name}[{number}][1]", spot[1], 1, ROWS)
        if spot in spots[:number]:
            raise ValueError(f"ruleset.{name}[{number}]: {spot} is there already")
