"""The value of playing a card with one half covered, and of adding extras."""

import numpy as np

from strand_env.agents.choosing import NEVER
from strand_env.agents.sea_or_shore.beliefs import OTHERS, expect_others, weigh_chances
from strand_env.engine.jit import compiled
from strand_env.sea_or_shore.ruleset import ACTIONS, HIGHEST, MOST_ADDED, NUM_COLOURS

MIDDLE = np.float32(6.5)  # of the numbers on cards

TRICK_DTYPE = np.dtype(
    [
        ("worth", np.float32, (NUM_COLOURS,)),  # value of winning each colour
        ("exposed", np.float32, (NUM_COLOURS,)),  # of the top treasure, if the winner of the colour may steal it
        ("to_come", np.float32),  # share of the others who still play
    ],
    align=True,
)


@compiled
def expect_trick(table, seats, numbers, weights, standing, trick, beliefs):
    """Fills in what winning and losing each colour brings, and how likely it is."""
    for colour in range(NUM_COLOURS):
        beliefs["stakes"][colour] = rate_stake(table, colour, weights, standing)
    expect_others(table, seats, numbers, weights["tempt"], weights["lean"], weights["boost"], beliefs)
    weigh_chances(table, seats, beliefs)
    for colour in range(NUM_COLOURS):
        worth = beliefs["stakes"][colour]
        trick["exposed"][colour] = 0
        if table["stake_treasure"][colour]:
            worth += rate_stealing(seats, colour, worth, standing, beliefs)
            trick["exposed"][colour] = weights["guard"] * top_value(seats[0], colour)
        trick["worth"][colour] = worth
    others = standing["players"] - 1
    trick["to_come"] = np.float32(others - table["played"] + seats[0]["played"]) / others


@compiled
def rate_stake(table, colour, weights, standing):
    """The value of a colour's open treasure, or of its action."""
    value = np.float32(table["stake_treasure"][colour])
    for action in range(len(ACTIONS)):
        if table["stake_action"][colour, action]:
            value += weights["action"][action] * standing["later"]
            value += 2 * standing["extra"] if action == 0 else np.float32(0)
    return value


@compiled
def colour_of(seat):
    """The colour of the card that a player has played."""
    colour = 0
    for other in range(1, NUM_COLOURS):
        colour += other * seat["colour"][other]
    return colour


@compiled
def top_value(seat, colour):
    """The value of a player's top treasure; 0 unless it has this colour."""
    return np.float32(seat["pile"][0, NUM_COLOURS]) * seat["pile"][0, colour]


@compiled
def rate_stealing(seats, colour, worth, standing, beliefs):
    """What the best chance to steal adds to an open treasure."""
    more = np.float32(0)
    for other in range(OTHERS):
        top = top_value(seats[other + 1], colour)
        if top > 0:
            gain = top * (1 + standing["harm"][other + 1]) - worth
            more = max(more, beliefs["joins"][other, colour] * gain)
    return more


@compiled
def rate_outcome(colour, count, room):
    """The value of a play that counts this much: by winning, and by losing."""
    trick, beliefs = room["trick"], room["beliefs"]
    win = beliefs["win"][colour, count]
    by_winning = win * trick["worth"][colour] - (1 - win) * trick["exposed"][colour]
    return by_winning, beliefs["lowest"][colour, count] * room["standing"]["extra"]


@compiled
def rate_raise(own, added, room):
    """Adding this many extras to the card that lies there."""
    by_winning, by_losing = rate_outcome(colour_of(own), min(np.int64(own["number"]) + added, HIGHEST), room)
    return by_winning + by_losing - added * room["standing"]["extra"]


@compiled
def rate_play(own, colour, number, shows_number, weights, room):
    """Playing a card, with the best number of extras; and what the others make of the half that shows."""
    best, hopes, consoles = NEVER, np.float32(0), np.float32(0)
    for added in range(min(np.int64(own["extras"]), MOST_ADDED, HIGHEST - number) + 1):
        by_winning, by_losing = rate_outcome(colour, number + added, room)
        value = by_winning + by_losing - added * room["standing"]["extra"]
        if value > best:
            best, hopes, consoles = value, max(by_winning, np.float32(0)), by_losing
    if shows_number:
        scare = weights["scare"] * (number - MIDDLE) / MIDDLE
        best += room["trick"]["to_come"] * (hopes * (weights["veil"] + scare) + consoles * weights["lure"])
    return best
