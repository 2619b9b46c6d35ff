"""The random stream that each game carries in its own record.

A fixed 64-bit generator (SplitMix64), so that a seed means the same game on every machine and every version of
NumPy. The functions work on any record that has a ``stream`` field.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from strand_env.jit import compiled

GAMMA = np.uint64(0x9E3779B97F4A7C15)
_FIRST, _SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_SHIFTS = np.uint64(30), np.uint64(27), np.uint64(31)
_HALF, _LOW = np.uint64(32), np.uint64(0xFFFFFFFF)

Seeds = int | Sequence[int] | npt.NDArray[np.integer]


@compiled
def mixed(x):
    """A number that looks random for each 64-bit x; different for different x."""
    z = x + GAMMA
    z = (z ^ (z >> _SHIFTS[0])) * _FIRST
    z = (z ^ (z >> _SHIFTS[1])) * _SECOND
    return z ^ (z >> _SHIFTS[2])


@compiled
def below(record, n):
    """A number from 0 to n - 1, each equally likely, from the record's stream."""
    bound = np.uint64(n)
    product = (_draw(record) >> _HALF) * bound
    if product & _LOW < bound:
        uneven = (_LOW + np.uint64(1)) % bound
        while product & _LOW < uneven:
            product = (_draw(record) >> _HALF) * bound
    return np.int64(product >> _HALF)


@compiled
def _draw(record):
    bits = mixed(record["stream"])
    record["stream"] = record["stream"] + GAMMA
    return bits


def spread_seeds(seed: Seeds, indices: npt.NDArray[np.integer]) -> npt.NDArray[np.uint64]:
    """The seeds of the games with these indices: derived from one int and the index, or given, one per index."""
    if isinstance(seed, (int, np.integer)) and not isinstance(seed, bool):
        _check_seed(int(seed), "seed")
        start = mixed_seeds(np.array([seed], np.uint64))
        return mixed_seeds(start + GAMMA * indices.astype(np.uint64))
    given = np.asarray(seed)
    if given.shape != indices.shape:
        raise ValueError(f"seed: expected an int or {len(indices)} seeds, one per game; got shape {given.shape}")
    if given.size and given.dtype == object:
        for index, value in enumerate(given.tolist()):
            _check_seed(value, f"seed[{index}]")
    elif given.dtype.kind not in "iu":
        raise ValueError(f"seed: expected integers, got {given.dtype}")
    elif given.size and given.min() < 0:
        raise ValueError(f"seed: expected numbers from 0 to 2**64 - 1, got {given.min()}")
    return given.astype(np.uint64)


def mixed_seeds(seeds: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """`mixed` for an array of seeds."""
    with np.errstate(over="ignore"):
        return getattr(mixed, "py_func", mixed)(seeds)


def _check_seed(seed: object, name: str) -> None:
    if not isinstance(seed, int) or isinstance(seed, bool) or not 0 <= seed < 2**64:
        raise ValueError(f"{name}: expected a whole number from 0 to 2**64 - 1, got {seed!r}")
