"""The estimated value of each action, roughly in points: the ideas that all heuristics share.

- A play wins its colour if nobody in its group counts more: the chance follows from what the others have shown, from
  the cards that can be placed, and from those that cannot (`beliefs.py`).
- A colour is worth its open treasure, or a better one on top of a pile that can be stolen, or its action. Losing as the
  lowest is worth extras; losing may cost the player's top treasure (`plays.py`).
- Extras score half a point in the end, and are worth more before: they are added where they raise the chance to win by
  more than that.
- A card that is played is missed later: high ones more than low ones.
- Before others play, it matters which half they see.
- What another player loses is worth something, too, above all if that player is ahead (`spoils.py`).

Weights set how much each idea counts (`weights.py`).
"""

import numpy as np

from strand_env.agents.choosing import NEVER
from strand_env.agents.sea_or_shore.beliefs import BELIEFS_DTYPE
from strand_env.agents.sea_or_shore.plays import TRICK_DTYPE, expect_trick, rate_play, rate_raise
from strand_env.agents.sea_or_shore.spoils import rate_order, rate_seat, rate_stack, rate_taking
from strand_env.agents.sea_or_shore.standing import STANDING_DTYPE, assess, value_of_card
from strand_env.engine.jit import Kernel, compiled
from strand_env.sea_or_shore.actions import (
    ADD,
    ARRANGE,
    CARD,
    CHOOSE_STACK,
    EXTRAS,
    PASS,
    SEAT,
    SHOW_NUMBER,
    TAKE,
)
from strand_env.sea_or_shore.ruleset import NUM_CARDS, RANKS

# Working memory
ROOM_DTYPE = np.dtype([("standing", STANDING_DTYPE), ("trick", TRICK_DTYPE), ("beliefs", BELIEFS_DTYPE)], align=True)


@compiled
def rate(table, seats, legal, numbers, weights, room, ratings):
    """Rates all actions for the player in seats[0]; `NEVER` if illegal, that is 0 in `legal`.

    `numbers` has the number on each card.
    """
    assess(table, seats, weights, room["standing"])
    if table["phase"][CARD] or table["phase"][EXTRAS]:
        expect_trick(table, seats, numbers, weights, room["standing"], room["trick"], room["beliefs"])
    for action in range(len(legal)):
        ratings[action] = rate_action(table, seats, action, numbers, weights, room) if legal[action] else NEVER


@compiled
def rate_action(table, seats, action, numbers, weights, room):
    if action < ADD:
        card = action % NUM_CARDS
        value = value_of_card(card // RANKS, numbers[card], weights, room["standing"])
        if table["phase"][CARD]:
            shows_number = action >= SHOW_NUMBER
            return rate_play(seats[0], card // RANKS, numbers[card], shows_number, weights, room) - value
        return -value  # given away or discarded
    if action < SEAT:
        return rate_raise(seats[0], action - ADD, room)
    if action < TAKE:
        return rate_seat(table, seats, action - SEAT, numbers, weights, room["standing"])
    if action == TAKE:
        return rate_taking(table, seats[0])
    if action < ARRANGE:
        return rate_stack(table, action - CHOOSE_STACK, numbers, room["standing"])
    if action < PASS:
        return rate_order(table, seats[0], action - ARRANGE, weights, room["standing"])
    return np.float32(0)


@Kernel
def rate_rows(start, stop, tables, seats, masks, numbers, weights, room, ratings):
    """Rates all actions, into (rows, actions) ratings."""
    for row in range(start, stop):
        rate(tables[row], seats[row], masks[row], numbers, weights[0], room[0], ratings[row])
