"""The layout of observations: integers in named sections, the observer's own seat first.

Everything in the game is open, and an observation has all of it but the past: the table, and four seats, the
observer's, then the others in seating order; with fewer than four players the last seats are zero. It has the same size
in all variants. Sections are grouped by eight entries, so that they can be written as 64-bit words.
"""

from functools import cache

import numpy as np
import numpy.typing as npt

from strand_env.engine.layout import Layout, Part
from strand_env.maui.actions import PHASES
from strand_env.maui.ruleset import (
    CELLS,
    COLUMNS,
    CRAB_VALUES,
    HIGHEST_TOP,
    LOWEST_TOP,
    MARKET_ROWS,
    MAX_PLAYERS,
    MOST_DOLLARS,
    MOST_ORNAMENTS,
    MOST_ROUNDS,
    MOST_SPOTS,
    NUM_CRABS,
    NUM_PATTERNS,
    NUM_TOWELS,
    PARTS,
    PATTERN_UMBRELLAS,
    PEARL_COLOURS,
    PEARLS,
    PIECES,
    PLACES,
    PLAYER_COUNTS,
    ROWS,
    TOKEN_KINDS,
    TOKENS_PER_SQUARE,
    VARIANTS,
    Ruleset,
)

AHEAD = 3  # columns whose pieces are shown row by row
TABLE_SIZE, SEAT_SIZE = 224, 184
MOST_PENALTIES = PARTS * (COLUMNS + 1) * (CELLS - 1)


@cache
def layout_of(ruleset: Ruleset, dtype: npt.DTypeLike = np.int8) -> Layout:
    """The sections of an observation under a ruleset."""
    longest = [len(row) - 1 for row in ruleset.squares("combined")]
    most_points = [max(row) for row in ruleset.squares("combined")]
    to_ornament = [
        max((at for track, at, _ in ruleset.ornaments if track == p), default=0) for p in range(NUM_PATTERNS)
    ]
    tokens = [TOKENS_PER_SQUARE[-1] * sum(of == kind for *_, of in ruleset.ornaments) for kind in range(TOKEN_KINDS)]
    rows, umbrellas = (ROWS, NUM_PATTERNS), (PATTERN_UMBRELLAS,)
    ahead = (1,) * (PEARL_COLOURS + PATTERN_UMBRELLAS) + CRAB_VALUES[-1:]
    table = (
        Part("phase", (1,) * len(PHASES), f"one-hot: {', '.join(PHASES)}"),
        Part("players", (1,) * len(PLAYER_COUNTS), "one-hot: 2, 3, 4 players"),
        Part("part", PARTS, "1, or 2 in the second part of `combined`"),
        Part(
            "before",
            1,
            "in umbrella and token: the towel before the new one, which it is matched with; for each row of the beach, "
            "one-hot: pattern of its active cell",
            rows,
        ),
        Part("variant", (1,) * len(VARIANTS), f"one-hot: {', '.join(VARIANTS)}"),
        Part("round", MOST_ROUNDS, "number of the round in this part"),
        Part("last_round", 1, "1 if somebody has filled the last column: the part ends with this round"),
        Part("supply", TOKENS_PER_SQUARE[-1], "tokens left on each ornament square", (MOST_ORNAMENTS,)),
        Part("pending", PATTERN_UMBRELLAS, "for each pattern umbrella: 1 if it is used now, 2 if next", umbrellas),
        Part("crab_side", 1, "1 if the crab sides of the beaches are up"),
        Part("turns_left", MAX_PLAYERS - 1, "players who have their turn of this round after the one to act"),
        Part("columns_left", COLUMNS, "columns that the player furthest ahead has still to fill"),
        Part("bag_left", NUM_TOWELS, "number of towels in the bag"),
        Part(
            "market",
            ((1,) * (CELLS * NUM_PATTERNS) + (NUM_TOWELS - 1,)) * PLACES,
            "for each market place: for each cell of its towel, one-hot: pattern; then the towel's number",
            (PLACES, CELLS * NUM_PATTERNS + 1),
        ),
        Part("bag", 1, "for each towel by number: 1 if it is in the bag", (NUM_TOWELS,)),
        Part("zones", MOST_DOLLARS, "dollars in each zone of the market", (MARKET_ROWS,)),
        Part("fresh", tokens, "tokens of each kind that the player to act has received in this turn"),
    )
    seat = (
        Part("last", 1, "the last towel: for each row of the beach, one-hot: pattern of its active cell", rows),
        Part("present", 1, "1 if somebody sits there"),
        Part("to_act", 1, "1 if the player has to decide now"),
        Part("order", MAX_PLAYERS - 1, "place in the turn order, counted from the first player"),
        Part("laid", COLUMNS + 1, "towels on the beach, the start towel included: the number of the next column"),
        Part("top", HIGHEST_TOP - LOWEST_TOP, "top of the last towel, counted from row -1"),
        Part("shells", longest, "for each track, the square of the shell"),
        Part("points", most_points, "for each track, the points of that square"),
        Part("to_ornament", to_ornament, "for each track, squares to the next ornament square; 0 if none is ahead"),
        Part("dollars", MOST_DOLLARS, "dollars held"),
        Part(
            "lying",
            len(PIECES),
            f"for each spot of the beach, in the order of snapshots, what lies there: nothing, {', '.join(PIECES)}",
            (MOST_SPOTS,),
        ),
        Part("number", NUM_TOWELS - 1, "number of the last towel"),
        Part("tokens", tokens, "tokens held of each kind, fresh ones included"),
        Part("pearls", PEARLS, "pearls collected of each colour", (PEARL_COLOURS,)),
        Part("penalties", MOST_PENALTIES, "penalty tokens of both parts"),
        Part("crab_points", CRAB_VALUES[-1] * NUM_CRABS, "sum of the crabs on own towels"),
        Part(
            "ahead",
            ahead * (AHEAD * ROWS),
            f"for each of the next {AHEAD} columns, by row: 1 for a pearl of each colour, 1 for each pattern umbrella, "
            "the value of a crab",
            (AHEAD, ROWS, len(ahead)),
        ),
        Part("to_end", longest, "for each track, squares to the last one"),
        Part("first", 1, "1 for the first player"),
        Part("done", 1, "1 if the last column is filled"),
    )
    layout = Layout(table, seat, MAX_PLAYERS, dtype)
    assert (layout.table_size, layout.seat_size, layout.dtype.itemsize) == (TABLE_SIZE, SEAT_SIZE, 1)
    return layout
