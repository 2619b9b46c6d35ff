"""The value of taking shells and castles."""

import numpy as np

from strand_env.agents.choosing import NEVER
from strand_env.agents.strand_unter.shells import MOST, another_castle
from strand_env.engine.bits import has
from strand_env.engine.jit import compiled
from strand_env.strand_unter.actions import (
    FIRST_COMBINATION,
    NUM_DIAL_POSITIONS,
    TAKE_ALL_BUT,
    TAKE_CASTLE,
    TAKE_COLOUR,
    TAKE_PAIR,
    TAKEN,
)
from strand_env.strand_unter.legal import shells_of_colour
from strand_env.strand_unter.ruleset import NUM_COLOURS, NUM_VALUES
from strand_env.strand_unter.seats import missing


@compiled
def rate_combinations(table, own, legal, kinds, shells, ratings):
    """Rates the ways to take the combination on the player's dial."""
    kind = 0
    for position in range(FIRST_COMBINATION, NUM_DIAL_POSITIONS):
        if own["dial"][position]:
            kind = kinds[position - FIRST_COMBINATION]
    for action in range(TAKE_COLOUR, TAKE_ALL_BUT + NUM_COLOURS):
        if has(legal, action):
            if action < TAKE_PAIR:
                colour = action - TAKE_COLOUR
                all_there = min(np.int64(table["shells"][colour]), MOST)
                ratings[action] = shells[colour, shells_of_colour(kind, all_there)]
            else:
                for colour in range(NUM_COLOURS):
                    ratings[action] += shells[colour, TAKEN[action, colour]]


@compiled
def rate_castles(own, legal, weights, ratings):
    """Rates the castles on the heap: better if they lack little or have a high value."""
    for value in range(NUM_VALUES):
        if has(legal, TAKE_CASTLE + value):
            worth = weights["pick_value"] * value - weights["pick_missing"] * missing(own, value)
            ratings[TAKE_CASTLE + value] = worth


@compiled
def rate_trove(table, own, legal, weights, end, shells, ratings):
    """Rates a shell against a castle: the best castle is worth one more castle ready, others less by the difference."""
    best = NEVER
    for action in range(TAKE_CASTLE, TAKE_CASTLE + NUM_VALUES):
        if has(legal, action):
            best = max(best, ratings[action])
    castle = another_castle(own, weights, table, end)
    for action in range(TAKE_CASTLE, TAKE_CASTLE + NUM_VALUES):
        if has(legal, action):
            ratings[action] += castle - best
    for colour in range(NUM_COLOURS):
        if has(legal, TAKE_COLOUR + colour):
            ratings[TAKE_COLOUR + colour] = shells[colour, 1]
