"""The value of what winners choose: treasures, whom to harm, cards, the order of a stack."""

import numpy as np

from strand_env.agents.sea_or_shore.plays import colour_of
from strand_env.agents.sea_or_shore.standing import value_of_card
from strand_env.engine.jit import compiled
from strand_env.sea_or_shore.actions import ORDERS, PICK, TREASURE
from strand_env.sea_or_shore.ruleset import HIGHEST, LOOKED_AT, MOST_STACKS, NUM_CARDS, NUM_COLOURS, RANKS

ORDER = np.array(ORDERS)
TAKEN_EXTRAS = DRAWN_CARDS = 2


@compiled
def rate_taking(table, own):
    """The open treasure of the colour that was won."""
    colour = colour_of(own)
    value = np.float32(0)
    for stack in range(MOST_STACKS):
        value += np.float32(table["open"][stack, NUM_COLOURS]) * table["open"][stack, colour]
    return value


@compiled
def rate_seat(table, seats, place, numbers, weights, standing):
    """Naming a player: to steal the top treasure, to take the card played, extras, or cards of the hand."""
    seat = seats[place]
    if table["phase"][TREASURE]:
        return seat["pile"][0, NUM_COLOURS] * (1 + standing["harm"][place])
    if table["phase"][PICK]:
        return value_of_card(colour_of(seat), np.int64(seat["number"]), weights, standing)
    if seats[0]["to_do"][0]:
        return TAKEN_EXTRAS * standing["extra"] * standing["harm"][place]
    hoped = np.float32(0)
    for card in range(NUM_CARDS):
        if seat["held"][card]:
            hoped += value_of_card(card // RANKS, numbers[card], weights, standing)
    return standing["harm"][place] + hoped * DRAWN_CARDS / max(np.float32(seat["hand_size"]), np.float32(1))


@compiled
def rate_stack(table, stack, numbers, standing):
    """Looking at a stack: the more it holds, and the higher the player's cards of its colours, the better."""
    value = np.float32(0)
    for colour in range(2 * stack, 2 * stack + 2):
        highest = np.int64(0)
        for card in range(RANKS * colour, RANKS * colour + RANKS):
            if table["hand"][card]:
                highest = max(highest, numbers[card])
        value += standing["richness"][colour] * np.float32(highest) / HIGHEST
    return value


@compiled
def rate_order(table, own, order, weights, standing):
    """High treasures should be turned up in the tricks in which the player plays late."""
    stack = 1 if table["stack"][1] else 0
    players = standing["players"]
    value = np.float32(0)
    for place in range(min(LOOKED_AT, np.int64(table["tricks_left"]))):
        order_then = (np.int64(own["order"]) - 1 - place + 2 * players) % players
        points = np.float32(table["next"][stack, ORDER[order, place], NUM_COLOURS])
        value += weights["late"] * points * order_then / (players - 1)
    return value
