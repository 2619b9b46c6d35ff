"""The files of tuned weights."""

import os
from typing import Any

from strand_env.engine.checks import fields_of, shown
from strand_env.support.reading import naming, read_json


def read_weights(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The weights in a file that `strand_env.train.tune` wrote; the heuristic that takes them checks their values."""
    data = read_json(path)
    with naming(path):
        weights = fields_of("file", data, ("name", "version", "settings", "weights"))["weights"]
        if not isinstance(weights, dict):
            raise ValueError(f"weights: expected an object, got {shown(weights)}")
        return weights
