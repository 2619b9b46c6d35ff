"""The state of a batch: one structured array, with a record per game and a field per thing on the table.

Records have room for four players, so one compiled set of kernels serves games of 2, 3 and 4; with fewer players the
last seats stay empty.

Sets of shown patterns are bits of a word: five for each row, from row -1 to row 9, one for each pattern. A towel is
fifteen such bits, cell 0 first, which its top shifts into place.
"""

import numpy as np

from strand_env.engine.masks import words_for
from strand_env.engine.records import with_overlays
from strand_env.maui.actions import NUM_ACTIONS
from strand_env.maui.ruleset import (
    CELLS,
    COLUMNS,
    MARKET_ROWS,
    MAX_PLAYERS,
    MOST_ORNAMENTS,
    NUM_PATTERNS,
    NUM_TOWELS,
    PARTS,
    PATTERN_UMBRELLAS,
    PEARL_COLOURS,
    PLACES,
    TOKEN_KINDS,
)

PHASES = ("turn", "umbrella", "token", "over")
TURN, UMBRELLA, TOKEN_PHASE, OVER = range(len(PHASES))

# What lies on a cell: nothing, one of these, or a crab, by its value from 2 to 4.
NO_COVER, WATER, TREES = 0, -1, -2
TOKEN_COVER = -3  # less the kind

MOST_ROUNDS = 40  # a little more than there can be: each dollar taken was paid for one of 12 towels per player

TOWEL_DTYPE = np.dtype([("number", np.int8), ("top", np.int8), ("cover", np.int8, (CELLS,))])

SPOTS_STORED = 16  # places for pieces, more than there are spots: two words

_FIELDS = np.dtype(
    [
        # First of all the legal actions, one bit per action id; players with nothing to decide have PASS alone.
        ("legal", np.uint64, (MAX_PLAYERS, words_for(NUM_ACTIONS))),
        ("shown", np.uint64, (MAX_PLAYERS, 2)),  # by the active cells of the last towel, and of the one before it
        ("bag", np.uint64),  # a bit for each towel
        ("pieces", np.int8, (MAX_PLAYERS, SPOTS_STORED)),  # dealt to each spot in this part: index in PIECES + 1
        ("stream", np.uint64),  # state of the random generator
        ("seed", np.uint64),  # from which the game was dealt or redealt; the slot's next seed follows from it
        ("phase", np.int8),  # index in PHASES
        ("players", np.int8),  # 2-4
        ("part", np.int8),  # 1, or 2 in the second part of the combined game
        ("round", np.int8),  # in this part, from 1
        ("first", np.int8),  # player of this part
        ("zones", np.int8, (MARKET_ROWS,)),  # dollars
        ("market", np.int8, (PLACES,)),  # towels by place
        ("fresh", np.int8, (TOKEN_KINDS,)),  # tokens that the player to act has received in this turn
        ("num_pending", np.int8),
        ("pending", np.int8, (PATTERN_UMBRELLAS,)),  # pattern umbrellas to use, the current one first
        ("supply", np.int8, (MOST_ORNAMENTS,)),  # tokens left on each ornament square
        ("laid", np.int8, (MAX_PLAYERS,)),  # towels on the beach, the start towel included: the next column
        ("dollars", np.int8, (MAX_PLAYERS,)),
        ("penalties", np.int8, (MAX_PLAYERS,)),  # penalty tokens of both parts
        ("crab_points", np.int8, (MAX_PLAYERS,)),  # the values of the crabs on own towels
        ("tokens", np.int8, (MAX_PLAYERS, TOKEN_KINDS)),  # held, fresh ones included
        ("pearls", np.int8, (MAX_PLAYERS, PEARL_COLOURS)),
        ("shells", np.int8, (MAX_PLAYERS, NUM_PATTERNS)),  # squares; 0 is off the track
        ("beach", TOWEL_DTYPE, (MAX_PLAYERS, COLUMNS + 1)),  # towels by column
        ("scores", np.int16, (MAX_PLAYERS,)),  # 0 until the game is over
        ("winners", np.int8, (MAX_PLAYERS,)),  # 1: the winner; 0 until the game is over
        ("num_drawn", np.int8, (PARTS,)),
        ("drawn", np.int8, (PARTS, NUM_TOWELS)),  # towels drawn in each part, in order
    ],
    align=True,
)

GAME_DTYPE = with_overlays(
    _FIELDS, {"piece_words": ("pieces", np.dtype((np.uint64, (MAX_PLAYERS, SPOTS_STORED // 8))))}
)
