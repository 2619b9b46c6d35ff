"""The estimated value of each action, roughly in points: the ideas that all heuristics share.

- A shell is worth what the castle is worth that it brings closer; an unfit shell costs a point (`shells.py`).
- A castle from the heap is worth most to a player who has none ready (`taking.py`).
- A dial is worth what it brings if nobody else gets in the way. The other players' dials are predicted by rating
  them, too (`dials.py`).
- A castle is worth its points if it stands to the end, which depends on the sea and the leader; near the land it may
  pay to wait for the sea to withdraw (`building.py`).

Weights set how much each idea counts (`weights.py`).
"""

import numpy as np

from strand_env.agents.choosing import NEVER
from strand_env.agents.strand_unter.building import rate_builds
from strand_env.agents.strand_unter.dials import rate_all_dials, rate_dials
from strand_env.agents.strand_unter.shells import MOST, expected_end, number_of_players, rate_shells
from strand_env.agents.strand_unter.taking import rate_castles, rate_combinations, rate_trove
from strand_env.engine.bits import has
from strand_env.engine.jit import Kernel, compiled
from strand_env.strand_unter.actions import NUM_ACTIONS, NUM_DIAL_POSITIONS, SET_DIAL
from strand_env.strand_unter.observation import SEAT_WORDS, TABLE_WORDS
from strand_env.strand_unter.ruleset import COMBINATIONS, MAX_PLAYERS, NUM_COLOURS, NUM_VALUES
from strand_env.strand_unter.state import BUILD, COLLECT, DIAL, SPELL, TROVE

_DIALS = np.uint64((1 << NUM_DIAL_POSITIONS) - 1)

# Working memory. For each player, from the observer on …
ROOM_DTYPE = np.dtype(
    [
        ("shells", np.float32, (MAX_PLAYERS, NUM_COLOURS, MOST + 1)),  # value of that many shells of a colour
        ("castle", np.float64, (MAX_PLAYERS,)),  # value of one more castle ready
        ("single", np.float32, (MAX_PLAYERS,)),  # value of the best single shell
        (
            "dials",
            np.float32,
            (MAX_PLAYERS, NUM_DIAL_POSITIONS),
        ),  # value of each dial if nobody is in the way
        ("likely", np.float32, (MAX_PLAYERS, NUM_DIAL_POSITIONS)),  # predicted probability of each dial
        # … and for the player whose actions are rated
        ("worths", np.float64, (NUM_VALUES,)),  # value of a shell on the card nearest to completion, the next, …
        ("combinations", np.float32, (len(COMBINATIONS),)),  # value of each kind
        ("wanted", np.float64, (MAX_PLAYERS, NUM_COLOURS)),  # probability that this many others want a colour
        ("alone", np.float64, (NUM_DIAL_POSITIONS,)),  # probability that nobody else sets a dial
        ("here", np.float32, (NUM_DIAL_POSITIONS,)),  # expected number of others who set it
    ],
    align=True,
)


@compiled
def rate(table, seats, legal, first, last, turned, weights, kinds, room, ratings):
    """Rates the actions from `first` to before `last` for the player in seats[0]; `NEVER` if illegal.

    Players of one game who set their dials share the part that is the same for all. The first one has -1 as `turned`
    and leaves it in the room; for the others, `turned` is how many seats after that one they sit.
    """
    for action in range(first, last):
        ratings[action] = np.float32(0) if has(legal, action) else NEVER
    end = expected_end(table, seats, weights)
    if sets_dial(table):
        if turned < 0:
            dials = legal & _DIALS
            # Rows of players with nothing to decide do not say which dials others may set.
            rate_all_dials(table, seats, dials if dials else _DIALS, weights, end, kinds, room)
        rate_dials(table, seats, weights, kinds, max(turned, 0), room, ratings)
        for position in range(NUM_DIAL_POSITIONS):
            if not has(legal, SET_DIAL + position):
                ratings[SET_DIAL + position] = NEVER
        return
    if table["phase"][COLLECT] or table["phase"][TROVE]:
        rate_shells(table, seats[0], weights, end, table["phase"][TROVE], room["worths"], room["shells"][0])
    if table["phase"][COLLECT]:
        rate_combinations(table, seats[0], legal, kinds, room["shells"][0], ratings)
    elif table["phase"][BUILD]:
        rate_builds(table, seats, legal, weights, end, ratings)
    else:
        rate_castles(seats[0], legal, weights, ratings)
        if table["phase"][TROVE]:
            rate_trove(table, seats[0], legal, weights, end, room["shells"][0], ratings)


@compiled
def sets_dial(table):
    return table["phase"][DIAL] or table["phase"][SPELL]


@Kernel
def rate_rows(start, stop, words, tables, seats, masks, weights, kinds, room, ratings):
    """Rates all actions, into (rows, actions) ratings. `words` are the same observations as 64-bit words."""
    known = -1  # the last row in which all players' shells and dials were rated
    for row in range(start, stop):
        table = tables[row]
        legal = np.uint64(0)
        for action in range(NUM_ACTIONS):
            legal |= np.uint64(masks[row, action] != 0) << np.uint64(action)
        # The players of a game usually come one after the other.
        turned = turned_by(words, known, row, number_of_players(table)) if known >= 0 else -1
        rate(table, seats[row], legal, 0, NUM_ACTIONS, turned, weights[0], kinds, room[0], ratings[row])
        if not sets_dial(table):
            known = -1
        elif turned < 0:
            known = row


@compiled
def turned_by(words, one, other, players):
    """How many seats the player of the other row sits after that of the first, if they see the same game; else -1."""
    for word in range(TABLE_WORDS):
        if words[one, word] != words[other, word]:
            return -1
    for turned in range(players):
        same = True
        for seat in range(players):
            there = TABLE_WORDS + SEAT_WORDS * ((seat + turned) % players)
            here = TABLE_WORDS + SEAT_WORDS * seat
            for word in range(SEAT_WORDS):
                same &= words[one, there + word] == words[other, here + word]
            if not same:
                break
        if same:
            return turned
    return -1
