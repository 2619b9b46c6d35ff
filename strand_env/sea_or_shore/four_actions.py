"""What the four actions do that winners of a trick carry out, where no treasure of their colour is open.

Whom they ask for what, and when, is in `phases.py`.
"""

import numpy as np

from strand_env.engine.bits import count
from strand_env.engine.jit import compiled
from strand_env.sea_or_shore.actions import ORDERS
from strand_env.sea_or_shore.drawing import draw_cards
from strand_env.sea_or_shore.legal import NOTHING, set_of
from strand_env.sea_or_shore.ruleset import LOOKED_AT, NO_TREASURE
from strand_env.sea_or_shore.showing import show_card, show_hand, show_lookers, show_shown
from strand_env.sea_or_shore.state import NO_CARD

NEW_ORDERS = np.array(ORDERS)  # by action: the old place, from the top on, of each new one


@compiled
def rob(game, doer, other):
    """Action 1: two extras of another player."""
    game["seats"][other]["extras"] -= 2
    game["seats"][doer]["extras"] += 2


@compiled
def draw_from(game, doer, target):
    """Action 2: random cards of the target's hand come into the doer's; third players lose track of both hands."""
    number = min(np.int64(count(game["hands"][target])), 2)
    taken = draw_cards(game, game["hands"][target], number)
    game["target"] = target
    game["taken"] = taken
    game["table"]["taken_number"] = number
    game["seats"][target]["target"] = 1
    game["hands"][target] &= ~taken
    game["hands"][doer] |= taken
    for third in range(game["players"]):
        if third != doer and third != target:
            game["known"][third, doer] = game["known"][third, target] = NOTHING
    game["shown"][doer] = game["shown"][target] = NOTHING
    game["known"][doer, target] &= ~taken
    game["known"][target, doer] |= taken
    for player in (doer, target):
        show_hand(game, player)
        show_shown(game, player)


@compiled
def choose_gift(game, card):
    """Action 2: one of the cards to give back; they are handed over together."""
    number = game["table"]["given_number"]
    game["given"][number] = card
    game["table"]["given_number"] = number + 1


@compiled
def hand_over(game, doer, target):
    given = NOTHING
    for place in range(np.int64(game["table"]["given_number"])):
        given |= set_of(game["given"][place])
    game["hands"][doer] &= ~given
    game["hands"][target] |= given
    game["known"][target, doer] &= ~given
    game["known"][doer, target] |= given
    for player in (doer, target):
        show_hand(game, player)


@compiled
def look_at_stack(game, doer, stack):
    """Action 3: the doer sees the three top cards."""
    game["stack"] = stack
    game["table"]["stack"][stack] = 1
    game["looker"][stack] = doer
    game["arranged"][stack] = LOOKED_AT
    remember_top(game, doer, stack)
    show_lookers(game)


@compiled
def remember_top(game, player, stack):
    """A player knows which cards lie on top of a stack, as many as are arranged."""
    peeked, number, size = game["peeked"][player, stack], game["arranged"][stack], game["num_stacked"][stack]
    for place in range(number):
        treasure = game["stacks"][stack, np.int64(size) - 1 - place]
        at = place
        while at > 0 and peeked[at - 1] > treasure:  # which keeps them ascending
            peeked[at] = peeked[at - 1]
            at -= 1
        peeked[at] = treasure
    for place in range(number, LOOKED_AT):
        peeked[place] = NO_TREASURE
    game["num_peeked"][player, stack] = number


@compiled
def put_back(game, order):
    """Action 3: the three cards in a new order."""
    stack = game["stacks"][game["stack"]]
    top = np.int64(game["num_stacked"][game["stack"]]) - 1
    old = stack[top], stack[top - 1], stack[top - 2]
    for place in range(LOOKED_AT):
        stack[top - place] = old[NEW_ORDERS[order, place]]


@compiled
def pick_up(game, rules, doer, other):
    """Action 4: a card of this trick, for all to see."""
    card = set_of(game["cards"][other])
    game["cards"][other] = NO_CARD
    show_card(game, rules, other)
    game["hands"][doer] |= card
    game["shown"][doer] |= card
    for third in range(game["players"]):
        if third != doer:
            game["known"][third, doer] |= card
    show_hand(game, doer)
    show_shown(game, doer)


@compiled
def discard(game, doer, card):
    """Action 4: a card of the hand."""
    game["hands"][doer] &= ~set_of(card)
    game["aside"] |= set_of(card)
    all_see_it_leave(game, doer, set_of(card))
    show_hand(game, doer)


@compiled
def all_see_it_leave(game, owner, card):
    """A card leaves its owner for everybody to see."""
    game["shown"][owner] &= ~card
    for other in range(game["players"]):
        game["known"][other, owner] &= ~card
    show_shown(game, owner)
