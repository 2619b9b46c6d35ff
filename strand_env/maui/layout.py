"""The layout of observations: integers in named sections, the observer's own seat first.

Everything in the game is open, and an observation has all of it: the table, and four seats, the observer's, then the
others in seating order; with fewer than four players the last seats are zero. It has the same size in all variants.
"""

from functools import cache

from strand_env.engine.layout import Layout, Part
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
from strand_env.maui.state import MOST_ROUNDS, PHASES

AHEAD = 2  # columns that the observer's pieces are shown for row by row
TABLE_SIZE, SEAT_SIZE = 288, 72
MOST_PENALTIES = PARTS * (COLUMNS + 1) * (CELLS - 1)


@cache
def layout_of(ruleset: Ruleset) -> Layout:
    """The sections of an observation under a ruleset."""
    longest = [len(row) - 1 for row in ruleset.squares("combined")]
    most_points = [max(row) for row in ruleset.squares("combined")]
    to_ornament = [
        max((at for track, at, _ in ruleset.ornaments if track == p), default=0) for p in range(NUM_PATTERNS)
    ]
    tokens = [TOKENS_PER_SQUARE[-1] * sum(of == kind for *_, of in ruleset.ornaments) for kind in range(TOKEN_KINDS)]
    rows, cells = (ROWS, NUM_PATTERNS), (CELLS, NUM_PATTERNS)
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
        Part(
            "ahead",
            ahead * (AHEAD * ROWS),
            "for the observer's next column and the one after it, by row: 1 for a pearl of each colour, 1 for each "
            "pattern umbrella, the value of a crab",
            (AHEAD, ROWS, len(ahead)),
        ),
        Part("pending", 2, "for each pattern umbrella: 1 if it is used now, 2 if next", (PATTERN_UMBRELLAS,)),
        Part("supply", TOKENS_PER_SQUARE[-1], "tokens left on each ornament square", (MOST_ORNAMENTS,)),
        Part("market", 1, "for each market place and each cell of its towel, one-hot: pattern", (PLACES, *cells)),
        Part("market_numbers", NUM_TOWELS - 1, "number of the towel on each market place", (PLACES,)),
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
            "pieces",
            len(PIECES),
            f"for each spot of the beach, in the order of snapshots, what lies there: nothing, {', '.join(PIECES)}",
            (MOST_SPOTS,),
        ),
        Part("tokens", tokens, "tokens held of each kind, fresh ones included"),
        Part("pearls", PEARLS, "pearls collected of each colour", (PEARL_COLOURS,)),
        Part("penalties", MOST_PENALTIES, "penalty tokens of both parts"),
        Part("crab_points", CRAB_VALUES[-1] * NUM_CRABS, "sum of the crabs on own towels"),
        Part("number", NUM_TOWELS - 1, "number of the last towel"),
    )
    layout = Layout(table, seat, MAX_PLAYERS)
    assert (layout.table_size, layout.seat_size, layout.dtype.itemsize) == (TABLE_SIZE, SEAT_SIZE, 1)
    return layout
