"""What each action is worth to a player, in points as far as one can tell: the ideas that heuristics are made of.

- A shell is worth what the castle is that it brings closer; a shell too many costs a point (`shells.py`).
- A castle taken from the heap is worth most to who has none ready (`taking.py`).
- A dial is worth what it brings if nobody is in the way. What the others want is guessed by rating their dials, too
  (`dials.py`).
- A castle is worth its points if it stands to the end, which the sea and the leader decide; near the land it may pay to
  wait for the sea to withdraw (`building.py`).

How much each idea counts is up to weights (`weights.py`).
"""

import numpy as np

from strand_env.agents.choosing import NEVER
from strand_env.agents.strand_unter.building import rate_builds
from strand_env.agents.strand_unter.dials import rate_all_dials, rate_dials
from strand_env.agents.strand_unter.shells import MOST, expected_end, number_of_players, rate_shells
from strand_env.agents.strand_unter.taking import rate_castles, rate_combinations, rate_trove
from strand_env.engine.bits import has
from strand_env.engine.jit import Kernel, compiled
from strand_env.strand_unter.actions import NUM_ACTIONS, NUM_DIAL_POSITIONS
from strand_env.strand_unter.observation import SEAT_WORDS, TABLE_WORDS
from strand_env.strand_unter.ruleset import COMBINATIONS, MAX_PLAYERS, NUM_COLOURS, NUM_VALUES
from strand_env.strand_unter.state import BUILD, COLLECT, DIAL, SPELL, TROVE

# Where ratings are worked out. For each player, from the observer on …
ROOM_DTYPE = np.dtype(
    [
        ("shells", np.float32, (MAX_PLAYERS, NUM_COLOURS, MOST + 1)),  # what so many shells of a colour are worth
        ("castle", np.float64, (MAX_PLAYERS,)),  # what one more castle is worth
        ("single", np.float32, (MAX_PLAYERS,)),  # what the best single shell is worth
        ("dials", np.float32, (MAX_PLAYERS, NUM_DIAL_POSITIONS)),  # what each dial is worth to who is alone
        ("likely", np.float32, (MAX_PLAYERS, NUM_DIAL_POSITIONS)),  # how likely each dial is reckoned to be
        # … and for the one who is being rated
        ("worths", np.float64, (NUM_VALUES,)),  # what a shell is worth on the card nearest to completion, the next, …
        ("combinations", np.float32, (len(COMBINATIONS),)),  # what each kind is worth
        ("wanted", np.float64, (MAX_PLAYERS, NUM_COLOURS)),  # how likely it is that so many others want a colour
        ("alone", np.float64, (NUM_DIAL_POSITIONS,)),  # how likely it is that nobody else sets a dial
        ("here", np.float32, (NUM_DIAL_POSITIONS,)),  # how many others set it, on average
    ],
    align=True,
)


@compiled
def rate(table, seats, legal, first, last, turned, weights, kinds, room, ratings):
    """What each action from the first to before the last is worth to who sits in seats[0]; `NEVER` if it is not legal.

    Players of a game who set their dials share what is the same for all of them. Whoever comes first has -1 as `turned`
    and leaves it in the room; of the others it is how many seats after the first one they sit.
    """
    for action in range(first, last):
        ratings[action] = np.float32(0) if has(legal, action) else NEVER
    end = expected_end(table, seats, weights)
    if sets_dial(table):
        if turned < 0:
            rate_all_dials(table, seats, weights, end, kinds, room)
        rate_dials(table, seats, weights, kinds, max(turned, 0), room, ratings)
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
    """What each legal action is worth, into (rows, actions) ratings.

    `words` are the same observations in words of 64 bits.
    """
    known = -1  # the row that all players' shells and dials were rated in last
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
    """How many seats after the player of one row that of the other sits, if they see the same game; else -1."""
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
