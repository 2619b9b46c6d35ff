"""How much each idea counts for a heuristic: different weights make different players."""

from typing import Any

import numpy as np

from strand_env.strand_unter.ruleset import NUM_VALUES
from strand_env.strand_unter.state import TURN_ROUND

Weights = dict[str, Any]

WEIGHTS_DTYPE = np.dtype(
    [
        # Shells
        ("shell", np.float32, (NUM_VALUES,)),  # one that the card nearest to completion needs, the next, and so on
        ("wild", np.float32),  # one that can only pay a wild space
        ("unfit", np.float32),  # the cost of one that finds no place
        ("reach", np.float32),  # shells that one hopes to collect in a round: what is out of reach is worth nothing
        # Castles on the heap
        ("castle", np.float32, (NUM_VALUES,)),  # one more, if none, one, two or three are ready
        ("pick_missing", np.float32),  # for each shell that its card lacks
        ("pick_value", np.float32),  # for each point of its value
        # The others
        ("others", np.float32),  # how far they are reckoned with: from 0 to 1
        ("guess", np.float32),  # in points: how far their dials may be from what seems best for them
        ("crowd", np.float32),  # how much one who collects earlier thins out the groove
        ("spell", np.float32),  # the part of the best shell that a shell-spell is worth
        # Building
        ("wait", np.float32, (TURN_ROUND,)),  # in each round at low tide: what it is worth to wait
        ("pace", np.float32),  # rounds that the leader takes for a castle: when the game will end
        ("doubt", np.float32),  # rounds that this may be wrong by
        ("value", np.float32),  # what a point of a castle's value counts, against one of its groove
        ("finish", np.float32),  # for each point that one leads by when building the last castle
        # Choosing
        ("heat", np.float32),  # in points: how far a choice may be from what seems best
    ]
)

POSITIVE, LEAST = ("guess", "doubt", "heat"), 0.0001  # what is divided by


def as_record(weights: Weights) -> np.ndarray:
    """The weights as compiled code takes them."""
    names = WEIGHTS_DTYPE.names or ()
    if weights.keys() != set(names):
        wrong = sorted(weights.keys() ^ set(names))
        raise ValueError(f"weights: expected each of those in weights.py once; unknown or missing: {wrong}")
    record = np.zeros(1, WEIGHTS_DTYPE)
    for name in names:
        value = np.asarray(weights[name])
        expected = WEIGHTS_DTYPE[name].shape
        if value.shape != expected or value.dtype.kind not in "iuf" or not np.isfinite(value).all():
            amount = f"{expected[0]} finite numbers" if expected else "a finite number"
            raise ValueError(f"weights: {name}: expected {amount}, got {weights[name]!r:.80}")
        if name in POSITIVE and not (value >= LEAST).all():
            raise ValueError(f"weights: {name}: expected at least {LEAST}, got {weights[name]!r:.80}")
        record[name][0] = value
    return record
