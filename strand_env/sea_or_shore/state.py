"""The state of a batch: one structured array, with a record per game and a field per thing on the table.

Sets of cards are the bits of a word. What everybody sees alike is held in `table` and `seats` by the names of
`layout.py`, so that observing is mostly copying; entries there that follow from others are written by `showing.py`.

Records have room for five players, so one compiled set of kernels serves games of 3, 4 and 5; with fewer players the
last seats stay empty.
"""

import numpy as np

from strand_env.engine.layout import Layout
from strand_env.engine.masks import words_for
from strand_env.engine.records import with_overlays
from strand_env.sea_or_shore.actions import NUM_ACTIONS
from strand_env.sea_or_shore.layout import (
    DTYPE,
    PUBLIC_SEAT_SIZE,
    PUBLIC_TABLE_SIZE,
    WORD,
    public_seat,
    public_table,
)
from strand_env.sea_or_shore.ruleset import (
    LOOKED_AT,
    MAX_PLAYERS,
    MOST_STACKED,
    MOST_STACKS,
    MOST_TRICKS,
    MOST_TURNED_UP,
    ROUNDS,
    Ruleset,
)

NOBODY = NO_CARD = NO_STACK = -1

# The records are the same for all rulesets.
TABLE_RECORD = Layout(public_table(Ruleset.default()), dtype=DTYPE).record
SEAT_RECORD = Layout(public_seat(Ruleset.default()), dtype=DTYPE).record
assert (TABLE_RECORD.itemsize, SEAT_RECORD.itemsize) == (PUBLIC_TABLE_SIZE, PUBLIC_SEAT_SIZE)

WIN_DTYPE = np.dtype([("player", np.int8), ("colour", np.int8)])
QUEUE_DTYPE = np.dtype([("player", np.int8), ("action", np.int8)])
# A play of the trick revealed last; `card` is NO_CARD before the first reveal of a round.
REVEALED_DTYPE = np.dtype([("card", np.int8), ("shows", np.int8), ("extras", np.int8)])

EACH, EACH_STACK = (MAX_PLAYERS,), (MOST_STACKS,)

_FIELDS = np.dtype(
    [
        # First of all the legal actions, one bit per action id; players with nothing to decide have PASS alone.
        ("legal", np.uint64, (MAX_PLAYERS, words_for(NUM_ACTIONS))),
        ("hands", np.uint64, EACH),
        ("known", np.uint64, (MAX_PLAYERS, MAX_PLAYERS)),  # by observer and owner; nothing of oneself
        ("shown", np.uint64, EACH),  # cards that all know to be with a player
        ("box", np.uint64),
        ("aside", np.uint64),
        ("taken", np.uint64),  # by action 2; empty outside phase give
        ("stream", np.uint64),  # state of the random generator
        ("seed", np.uint64),  # from which the game was dealt or redealt; the slot's next seed follows from it
        ("table", TABLE_RECORD),
        ("seats", SEAT_RECORD, EACH),
        ("phase", np.uint8),  # index in PHASES
        ("players", np.int8),  # 3-5
        ("turn", np.int8),  # the player who decides; 0 in phase gift and at the end
        ("leader", np.int8),
        ("cards", np.int8, EACH),  # played in this trick, or NO_CARD
        ("target", np.int8),  # of action 2 in phase give, or NOBODY
        ("stack", np.int8),  # looked at in phase order, or NO_STACK
        ("given", np.int8, (2,)),  # cards chosen in phase give; `given_number` of the table counts them
        ("num_wins", np.int8),
        ("num_queue", np.int8),
        ("wins", WIN_DTYPE, (MOST_STACKS,)),  # winners who still have to take or steal, the one deciding first
        ("queue", QUEUE_DTYPE, (MOST_STACKS,)),  # actions still to be completed, the one under way first
        ("revealed", REVEALED_DTYPE, EACH),
        # Treasures, as `ruleset.code_of` numbers them; 0 is none.
        ("open", np.uint8, EACH_STACK),
        ("num_stacked", np.int8, EACH_STACK),
        ("num_under", np.int8, EACH_STACK),
        ("stacks", np.uint8, (MOST_STACKS, MOST_STACKED)),  # never turned up; the last one is the top
        ("under", np.uint8, (MOST_STACKS, MOST_TRICKS)),
        ("treasures", np.uint8, (MAX_PLAYERS, MOST_TURNED_UP)),  # bottom first; `pile_size` of the seats counts them
        ("looker", np.int8, EACH_STACK),  # or NOBODY
        ("arranged", np.int8, EACH_STACK),  # cards on top that the looker knows
        ("num_peeked", np.int8, (MAX_PLAYERS, MOST_STACKS)),
        ("peeked", np.uint8, (MAX_PLAYERS, MOST_STACKS, LOOKED_AT)),  # known to be among these, ascending
        ("winners", np.int8, EACH),  # 1: the winner; 0 until the game is over
        ("points", np.int16, (ROUNDS, MAX_PLAYERS)),  # of finished rounds
        ("scores", np.int16, EACH),  # 0 until the game is over
    ],
    align=True,
)

GAME_DTYPE = with_overlays(
    _FIELDS,
    {
        "table_words": ("table", np.dtype((np.uint64, (PUBLIC_TABLE_SIZE // WORD,)))),
        "seat_words": ("seats", np.dtype((np.uint64, (MAX_PLAYERS, PUBLIC_SEAT_SIZE // WORD)))),
        "table_bytes": ("table", np.dtype((np.uint8, (PUBLIC_TABLE_SIZE,)))),
        "seat_bytes": ("seats", np.dtype((np.uint8, (MAX_PLAYERS, PUBLIC_SEAT_SIZE)))),
    },
)
