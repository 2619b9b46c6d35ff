"""Legal actions: sets with one bit per action id, in two words.

Word 0 has the cards with their colour showing, and the first of those with their number showing; word 1 the rest.
"""

import numpy as np

from strand_env.engine.bits import ONE, count, highest
from strand_env.engine.jit import compiled
from strand_env.sea_or_shore.actions import ADD, ARRANGE, CHOOSE_STACK, ORDERS, PASS, SEAT, SHOW_NUMBER, TAKE
from strand_env.sea_or_shore.ruleset import COLOUR_SHIFT, MOST_ADDED, MOST_STACKS, NUM_COLOURS, RANKS

WORD_BITS = 64
NOTHING = np.uint64(0)
COLOUR_SETS = np.array([((1 << RANKS) - 1) << RANKS * colour for colour in range(NUM_COLOURS)], np.uint64)
LEFT_IN_FIRST, INTO_FIRST = np.uint64(WORD_BITS - SHOW_NUMBER), np.uint64(SHOW_NUMBER)


def _in_second(action: int, number: int = 1) -> np.uint64:
    """Consecutive actions as bits of the second word."""
    return np.uint64(((1 << number) - 1) << action - WORD_BITS)


PASS_ONLY, TAKE_ONLY = _in_second(PASS), _in_second(TAKE)
ANY_STACK, ANY_ORDER = _in_second(CHOOSE_STACK, MOST_STACKS), _in_second(ARRANGE, len(ORDERS))
SOME_EXTRAS = np.array([_in_second(ADD, owned + 1) for owned in range(MOST_ADDED + 1)], np.uint64)
FIRST_SEAT = np.uint64(SEAT - WORD_BITS)
FIRST_SEATS = np.array([_in_second(SEAT, seats) for seats in range(6)], np.uint64)


@compiled
def set_of(card):
    """The set with one card alone."""
    return ONE << np.uint64(card)


@compiled
def gift_options(hand):
    """The highest card of each colour of which the hand has the most."""
    most = NOTHING
    for colour in range(NUM_COLOURS):
        most = max(most, count(hand & COLOUR_SETS[colour]))
    cards = NOTHING
    for colour in range(NUM_COLOURS):
        own = hand & COLOUR_SETS[colour]
        if count(own) == most:
            cards |= set_of(highest(own))
    return cards


@compiled
def seat_option(game, player, other):
    """The action by which a player names another, as a bit of the second word."""
    away = other - player
    away += game["players"] if away < 0 else 0
    return ONE << (FIRST_SEAT + np.uint64(away))


@compiled
def treasure_options(game, player, colour):
    """The open treasure, and every loser of the group whose top treasure has its colour."""
    options = TAKE_ONLY
    for other in range(game["players"]):
        size = game["seats"][other]["pile_size"]
        if other != player and size > 0 and game["cards"][other] // RANKS == colour:
            if game["treasures"][other, size - 1] >> COLOUR_SHIFT == colour:
                options |= seat_option(game, player, other)
    return options


@compiled
def rich_options(game, player):
    """Action 1: all others who own two extras or more."""
    options = NOTHING
    for other in range(game["players"]):
        if other != player and game["seats"][other]["extras"] >= 2:
            options |= seat_option(game, player, other)
    return options


@compiled
def other_options(game):
    """Action 2: all others."""
    return FIRST_SEATS[game["players"]] & ~FIRST_SEATS[1]


@compiled
def give_options(game, player):
    """The hand, without what was chosen just before."""
    options = game["hands"][player]
    for place in range(np.int64(game["table"]["given_number"])):
        options &= ~set_of(game["given"][place])
    return options
