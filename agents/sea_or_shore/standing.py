"""How the players stand, and what cards and extras are worth to the one who decides."""

import numpy as np

from strand_env.agents.sea_or_shore.weights import KNOTS
from strand_env.engine.jit import compiled
from strand_env.sea_or_shore.ruleset import HIGHEST, HIGHEST_VALUE, MAX_PLAYERS, MIN_PLAYERS, NUM_COLOURS

ENOUGH = 4  # tricks in which cards and extras can be used
HALF_POINT = np.float32(0.5)  # that an extra scores

STANDING_DTYPE = np.dtype(
    [
        ("players", np.int64),
        ("later", np.float32),  # from 0 in the last trick of the round to 1 when there is time to use what is saved
        ("extra", np.float32),  # value of an extra
        ("richness", np.float32, (NUM_COLOURS,)),  # points of a colour yet to be turned up, relative to the mean
        ("harm", np.float32, (MAX_PLAYERS,)),  # value of a point that each player loses
    ],
    align=True,
)


@compiled
def assess(table, seats, weights, standing):
    """Fills in how the players stand."""
    standing["players"] = MIN_PLAYERS
    for index in range(MAX_PLAYERS - MIN_PLAYERS + 1):
        standing["players"] += index * table["players"][index]
    standing["later"] = min(np.float32(table["tricks_left"]) / ENOUGH, np.float32(1))
    standing["extra"] = HALF_POINT + weights["extra"] * standing["later"]
    total = np.float32(0)
    for colour in range(NUM_COLOURS):
        standing["richness"][colour] = points_to_come(table, colour)
        total += standing["richness"][colour]
    for colour in range(NUM_COLOURS):
        standing["richness"][colour] *= NUM_COLOURS / max(total, np.float32(1))
    ahead = 1
    for other in range(1, standing["players"]):
        standing["harm"][other] = weights["spite"]
        if points_of(seats[other]) > points_of(seats[ahead]):
            ahead = other
    standing["harm"][ahead] += weights["leader"]


@compiled
def points_to_come(table, colour):
    """The points of a colour's treasures that were never turned up."""
    points = np.float32(0)
    for value in range(HIGHEST_VALUE):
        points += table["remaining"][colour, value] * np.float32(value + 1)
    return points


@compiled
def points_of(seat):
    """A player's score as it stands."""
    return np.int64(seat["points"]) + seat["worth"] + np.int64(seat["extras"]) // 2


@compiled
def value_of_card(colour, number, weights, standing):
    """What it is worth to have a card in the tricks to come."""
    place = np.float32(number - 1) * (KNOTS - 1) / (HIGHEST - 1)
    knot = min(int(place), KNOTS - 2)
    low, high = weights["keep"][knot], weights["keep"][knot + 1]
    value = low + (high - low) * (place - knot)
    return standing["later"] * value * (1 + weights["rich"] * (standing["richness"][colour] - 1))
