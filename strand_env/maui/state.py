"""The state of a batch: one structured array, with a record per game and a field per thing on the table.

All but the past of a game lies open, so a record holds `table` and `seats` as players see them, by the names of
`layout.py`; to observe is to copy them. Entries there that follow from others are written by `showing.py`.

Records have room for four players, so one compiled set of kernels serves games of 2, 3 and 4; with fewer players the
last seats stay empty.
"""

import numpy as np

from strand_env.engine.masks import words_for
from strand_env.engine.records import with_overlays
from strand_env.maui.actions import NUM_ACTIONS
from strand_env.maui.layout import SEAT_SIZE, TABLE_SIZE, layout_of
from strand_env.maui.ruleset import (
    CELLS,
    COLUMNS,
    MAX_PLAYERS,
    NUM_TOWELS,
    PARTS,
    PATTERN_UMBRELLAS,
    SPOTS_STORED,
    Ruleset,
)

# What lies on a cell: nothing, one of these, or a crab, by its value from 2 to 4.
NO_COVER, WATER, TREES = 0, -1, -2
TOKEN_COVER = -3  # less the kind

NOT_ACTIVE = 0  # instead of the pattern that a cell shows, counted from 1

WORD = 8  # bytes

# The records are the same for all rulesets; unsigned numbers are quicker as indices.
_LAYOUT = layout_of(Ruleset.default(), np.uint8)
TOWEL_DTYPE = np.dtype([("number", np.int8), ("top", np.int8), ("cover", np.int8, (CELLS,))])

_FIELDS = np.dtype(
    [
        # First of all the legal actions, one bit per action id; players with nothing to decide have PASS alone.
        ("legal", np.uint64, (MAX_PLAYERS, words_for(NUM_ACTIONS))),
        ("bag", np.uint64),  # a bit for each towel
        ("stream", np.uint64),  # state of the random generator
        ("seed", np.uint64),  # from which the game was dealt or redealt; the slot's next seed follows from it
        ("phase", np.uint8),  # index in PHASES
        ("players", np.int8),  # 2-4
        ("first", np.int8),  # player of this part
        ("num_pending", np.uint8),
        ("pending", np.uint8, (PATTERN_UMBRELLAS,)),  # pattern umbrellas to use, the current one first
        ("num_drawn", np.uint8, (PARTS,)),
        ("table", _LAYOUT.table_record),
        (
            "shown",
            np.uint8,
            (MAX_PLAYERS, 2, CELLS),
        ),  # by the last towel, and the one before it: pattern + 1, or NOT_ACTIVE
        ("seats", _LAYOUT.seat_record, (MAX_PLAYERS,)),
        ("pieces", np.uint8, (MAX_PLAYERS, SPOTS_STORED)),  # dealt to each spot in this part: index in PIECES + 1
        ("scores", np.int16, (MAX_PLAYERS,)),  # 0 until the game is over
        ("winners", np.int8, (MAX_PLAYERS,)),  # 1: the winner; 0 until the game is over
        ("beach", TOWEL_DTYPE, (MAX_PLAYERS, COLUMNS + 1)),  # towels by column
        ("drawn", np.uint8, (PARTS, NUM_TOWELS)),  # towels drawn in each part, in order
    ],
    align=True,
)

GAME_DTYPE = with_overlays(
    _FIELDS,
    {
        "table_words": ("table", np.dtype((np.uint64, (TABLE_SIZE // WORD,)))),
        "seat_words": ("seats", np.dtype((np.uint64, (MAX_PLAYERS, SEAT_SIZE // WORD)))),
        "piece_words": ("pieces", np.dtype((np.uint64, (MAX_PLAYERS, SPOTS_STORED // WORD)))),
    },
)
