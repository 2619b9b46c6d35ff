"""What follows from an observation: a player's score as it stands, the towels of the market."""

import numpy as np

from strand_env.engine.jit import compiled
from strand_env.maui.ruleset import CELLS, NUM_PATTERNS, PEARL_COLOURS, PEARL_POINTS


@compiled
def towel_at(table, place):
    """The number of the towel on a market place."""
    return table["market"][place, CELLS * NUM_PATTERNS]


@compiled
def score_of(seat, rules):
    """A player's score as it stands."""
    points = np.int64(seat["dollars"]) - seat["crab_points"] - rules["penalty"] * seat["penalties"]
    for track in range(NUM_PATTERNS):
        points += seat["points"][track]
    for colour in range(PEARL_COLOURS):
        points += PEARL_POINTS[seat["pearls"][colour]]
    return points
