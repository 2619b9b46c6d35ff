"""The weights of heuristics: numbers or lists of numbers, by name."""

import os
from collections.abc import Collection
from typing import Any

import numpy as np

from strand_env.engine.checks import fields_of, shown
from strand_env.support.reading import naming, read_json

Weights = dict[str, Any]

HIGHEST = 1_000_000
LEAST = 0.0001  # of divisors


def read_weights(path: str | os.PathLike[str]) -> Weights:
    """The weights in a file that `strand_env.train.tune` wrote; the heuristic that takes them checks their values."""
    data = read_json(path)
    with naming(path):
        weights = fields_of("file", data, ("name", "version", "settings", "weights"))["weights"]
        if not isinstance(weights, dict):
            raise ValueError(f"weights: expected an object, got {shown(weights)}")
        return weights


def as_record(weights: Weights, dtype: np.dtype, divisors: Collection[str]) -> np.ndarray:
    """The weights as a record for compiled code."""
    names = dtype.names or ()
    fields_of("weights", weights, names)
    record = np.zeros(1, dtype)
    for name in names:
        expected = dtype[name].shape
        try:
            value = np.asarray(weights[name])
        except ValueError:  # lists of different lengths
            value = np.empty(0)
        if value.shape != expected or value.dtype.kind not in "iuf" or not (abs(value) <= HIGHEST).all():
            amount = f"{expected[0]} numbers" if expected else "a number"
            bounds = f"from {-HIGHEST:,} to {HIGHEST:,}"
            raise ValueError(f"weights: {name}: expected {amount} {bounds}, got {shown(weights[name])}")
        if name in divisors and not (value >= LEAST).all():
            raise ValueError(f"weights: {name}: expected at least {LEAST}, got {shown(weights[name])}")
        record[name][0] = value
    return record
