"""The state of a batch: one structured array, with a record per game and a field per thing on the table.

Records have room for four players, so one compiled set of kernels serves games of 2, 3 and 4; with fewer players the
last seats stay empty.
"""

import numpy as np

from strand_env.engine.masks import words_for
from strand_env.engine.records import with_overlays
from strand_env.strand_unter.actions import FIRST_COMBINATION, NUM_ACTIONS, NUM_DIAL_POSITIONS
from strand_env.strand_unter.ruleset import LAST_ROUND as LAST_ROUND
from strand_env.strand_unter.ruleset import MAX_PLAYERS, NUM_COLOURS, NUM_VALUES, PLAYED_GROOVES
from strand_env.strand_unter.ruleset import TURN_ROUND as TURN_ROUND

PHASES = ("dial", "pick", "collect", "spell", "spell_pick", "trove", "build", "over")
DIAL, PICK, COLLECT, SPELL, SPELL_PICK, TROVE, BUILD, OVER = range(len(PHASES))

# The place of a castle, unless it is the number of a groove, 1 to 11.
HEAP, READY, FLOODED = 0, 12, 13

UNSET = -1  # a dial that has not been revealed

LAST_GROOVE = 11

# How often a player has set each position in this game, where observations have the same entries.
COUNTS_DTYPE = np.dtype(
    [
        ("dials_set", np.int8, (NUM_DIAL_POSITIONS,)),  # 0-15 each, counted as dials are revealed
        ("unused", np.int8, (2,)),  # observations have the last dials here
        ("spell_dials_set", np.int8, (FIRST_COMBINATION,)),
    ]
)

_FIELDS = np.dtype(
    [
        # The fields that each step reads come first, within one cache line. First of all the legal actions, one bit per
        # action id; players with nothing to decide have PASS alone.
        ("legal", np.uint64, (MAX_PLAYERS, words_for(NUM_ACTIONS))),
        ("phase", np.int8),  # index in PHASES
        ("round", np.int8),  # 1-15
        ("groove", np.int8),  # 1-8, where the sandpiper stands
        ("sea", np.int8),  # 1-11, the outermost dry groove
        ("shells", np.int8, (NUM_COLOURS,)),  # in the current groove
        ("bag", np.int8, (NUM_COLOURS,)),
        ("dials", np.int8, (MAX_PLAYERS,)),  # position 0-9 set this round, or UNSET
        ("spell_dials", np.int8, (MAX_PLAYERS,)),  # position 0-3 set in this round's shell-spell, or UNSET
        ("owed", np.int8, (MAX_PLAYERS,)),  # 1: the player is owed a consolation trove
        ("buckets", np.int8, (MAX_PLAYERS, NUM_COLOURS)),
        ("castles", np.int8, (MAX_PLAYERS, NUM_VALUES)),  # HEAP, READY, groove 1-8, or FLOODED
        ("cards", np.int8, (MAX_PLAYERS, NUM_VALUES, NUM_COLOURS)),  # coloured shells on each card
        ("covered", np.int8, (PLAYED_GROOVES, NUM_COLOURS)),  # under the sea; row g - 1 is groove g
        ("stream", np.uint64),  # state of the random generator
        ("seed", np.uint64),  # from which the game was dealt or redealt; the slot's next seed follows from it
        ("counts", COUNTS_DTYPE, (MAX_PLAYERS,)),
        ("last_dials", np.int8, (MAX_PLAYERS,)),  # those of the round before, or UNSET
        ("last_spell_dials", np.int8, (MAX_PLAYERS,)),
        ("scores", np.int8, (MAX_PLAYERS,)),  # 0 until the game is over
        ("winners", np.int8, (MAX_PLAYERS,)),  # 1: a winner, of one or several; 0 until the game is over
        ("players", np.int8),  # 2-4
    ],
    align=True,
)


GAME_DTYPE = with_overlays(
    _FIELDS,
    {
        "card_words": ("cards", np.dtype((np.uint64, (MAX_PLAYERS, 2)))),  # eight counts at a time
        "castle_words": ("castles", np.dtype((np.uint32, (MAX_PLAYERS,)))),  # the four places
        "bucket_words": ("buckets", np.dtype((np.uint32, (MAX_PLAYERS,)))),  # the four counts of a bucket
        "count_words": ("counts", np.dtype((np.uint64, (MAX_PLAYERS, 2)))),
        "shell_word": ("shells", np.dtype(np.uint32)),  # the four counts of the groove
    },
)
