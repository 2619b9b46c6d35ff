"""The weights of heuristics: how much each idea counts. Different weights make different agents."""

from typing import Any

import numpy as np

from strand_env.engine.checks import fields_of, shown
from strand_env.strand_unter.ruleset import NUM_VALUES
from strand_env.strand_unter.state import TURN_ROUND

Weights = dict[str, Any]

WEIGHTS_DTYPE = np.dtype(
    [
        # Shells
        ("shell", np.float32, (NUM_VALUES,)),  # one needed by the card nearest to completion, the next, and so on
        ("wild", np.float32),  # one that only fits on a wild space
        ("unfit", np.float32),  # the cost of an unfit one
        ("reach", np.float32),  # shells a player hopes to collect per round; cards out of reach are worth nothing
        # Castles on the heap
        ("castle", np.float32, (NUM_VALUES,)),  # one more ready, if none, one, two or three are
        ("pick_missing", np.float32),  # penalty per shell that its card lacks
        ("pick_value", np.float32),  # bonus per point of its value
        # Other players
        ("others", np.float32),  # how far to allow for them, from 0 to 1
        ("guess", np.float32),  # softmax temperature of their predicted dials, in points
        ("crowd", np.float32),  # how much a player who collects earlier thins out the groove
        ("spell", np.float32),  # the share of the best shell that a shell-spell is worth
        # Building
        ("wait", np.float32, (TURN_ROUND,)),  # value of waiting, in each round at low tide
        ("pace", np.float32),  # rounds the leader needs per castle, to estimate the end of the game
        ("doubt", np.float32),  # uncertainty of that estimate, in rounds
        ("value", np.float32),  # weight of a point of a castle's value, relative to one of its groove
        ("finish", np.float32),  # bonus per point of lead when building the last castle
        # Choosing
        ("heat", np.float32),  # softmax temperature, in points
    ]
)

HIGHEST = 1_000_000
POSITIVE, LEAST = ("guess", "doubt", "heat"), 0.0001  # these are divisors


def as_record(weights: Weights) -> np.ndarray:
    """The weights as a record for compiled code."""
    names = WEIGHTS_DTYPE.names or ()
    fields_of("weights", weights, names)
    record = np.zeros(1, WEIGHTS_DTYPE)
    for name in names:
        expected = WEIGHTS_DTYPE[name].shape
        try:
            value = np.asarray(weights[name])
        except ValueError:  # lists of different lengths
            value = np.empty(0)
        if value.shape != expected or value.dtype.kind not in "iuf" or not (abs(value) <= HIGHEST).all():
            amount = f"{expected[0]} numbers" if expected else "a number"
            bounds = f"from {-HIGHEST:,} to {HIGHEST:,}"
            raise ValueError(f"weights: {name}: expected {amount} {bounds}, got {shown(weights[name])}")
        if name in POSITIVE and not (value >= LEAST).all():
            raise ValueError(f"weights: {name}: expected at least {LEAST}, got {shown(weights[name])}")
        record[name][0] = value
    return record
