"""The legal actions of a player, as they follow from what the player sees: encodings get no masks.

`tests/test_shared_rules.py` holds them to the rules.
"""

import numpy as np

from strand_env.engine.jit import compiled
from strand_env.sea_or_shore.actions import (
    ADD,
    ARRANGE,
    CARD,
    CHOOSE_STACK,
    DISCARD,
    EXTRAS,
    GIFT,
    GIVE,
    ORDER,
    ORDERS,
    PASS,
    PICK,
    SEAT,
    SHOW_NUMBER,
    STACK,
    TAKE,
    TARGET,
    TREASURE,
)
from strand_env.sea_or_shore.ruleset import MAX_PLAYERS, MOST_ADDED, MOST_STACKS, NUM_CARDS, NUM_COLOURS, RANKS


@compiled
def find_legal(table, seats, legal):
    """Fills in 1 for each legal action of the player in seats[0]."""
    for action in range(len(legal)):
        legal[action] = 0
    phase, own = table["phase"], seats[0]
    if not own["to_act"]:
        legal[PASS] = 1
    elif phase[GIFT]:
        find_gifts(table, legal)
    elif phase[CARD] or phase[GIVE] or phase[DISCARD]:
        for card in range(NUM_CARDS):
            legal[card] = table["hand"][card] and not table["given"][card]
            legal[SHOW_NUMBER + card] = phase[CARD] and table["hand"][card]
    elif phase[EXTRAS]:
        for added in range(min(np.int64(own["extras"]), MOST_ADDED) + 1):
            legal[ADD + added] = 1
    elif phase[STACK]:
        for stack in range(MOST_STACKS):
            legal[CHOOSE_STACK + stack] = 1
    elif phase[ORDER]:
        for order in range(len(ORDERS)):
            legal[ARRANGE + order] = 1
    else:
        legal[TAKE] = phase[TREASURE]
        for place in range(MAX_PLAYERS):
            if seats[place]["present"]:
                legal[SEAT + place] = phase[PICK] or (place > 0 and can_be_named(table, own, seats[place]))


@compiled
def find_gifts(table, legal):
    """The highest card of each colour of which the hand has the most."""
    most = 0
    for turn in range(2):  # the first one finds out how many these are
        for colour in range(NUM_COLOURS):
            number, highest = 0, 0
            for card in range(RANKS * colour, RANKS * colour + RANKS):
                if table["hand"][card]:
                    number, highest = number + 1, card
            if turn == 0:
                most = max(most, number)
            elif number == most:
                legal[highest] = 1


@compiled
def can_be_named(table, own, other):
    """In phases treasure and target: whether there is something to take from another player."""
    if table["phase"][TARGET]:
        return not own["to_do"][0] or other["extras"] >= 2
    for colour in range(NUM_COLOURS):
        if own["colour"][colour]:
            return other["colour"][colour] == 1 and other["pile"][0, colour] == 1
    return False
