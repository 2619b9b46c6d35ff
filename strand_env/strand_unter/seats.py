"""What follows from a seat of an observation: which castles are to be built, and what their cards still need."""

import numpy as np

from strand_env.engine.jit import compiled
from strand_env.strand_unter.layout import IS_READY, ON_HEAP
from strand_env.strand_unter.ruleset import NUM_COLOURS, NUM_VALUES


@compiled
def is_built(castle):
    return not castle[ON_HEAP] and not castle[IS_READY]


@compiled
def to_build(seat):
    """The values of the castles not built yet, one bit each."""
    values = 0
    for value in range(NUM_VALUES):
        values |= (not is_built(seat["castles"][value])) << value
    return values


@compiled
def missing(seat, value):
    """Shells that the bucket lacks to pay a castle, the wild one included."""
    lacking = spare = 0
    for colour in range(NUM_COLOURS):
        over = np.int64(seat["bucket"][colour]) - seat["cards"][value, colour]
        lacking += max(-over, 0)
        spare += max(over, 0)
    return lacking + (spare == 0)
