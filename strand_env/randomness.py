"""The random stream that each game carries in its own record.

A fixed 64-bit generator (SplitMix64), so that a seed means the same game on every machine and every version of
NumPy. A stream is one 64-bit number that is handed on from draw to draw.
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
def below(stream, n):
    """A number from 0 to n - 1, each equally likely, and the stream after it."""
    bound = np.uint64(n)
    product = (mixed(stream) >> _HALF) * bound
    stream += GAMMA
    if product & _LOW < bound:
        uneven = (_LOW + np.uint64(1)) % bound
        while product & _LOW < uneven:
            product = (mixed(stream) >> _HALF) * bound
            stream += GAMMA
    return np.int64(product >> _HALF), stream


def spread_seeds(seed: Seeds, indices: npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
    """The seeds of the games with these numbers: derived from one int and the number, or given, one per game."""
    if isinstance(seed, (int, np.integer)):
        with np.errstate(over="ignore"):
            start = _mixed_array(np.array([check_seed("seed", seed)], np.uint64))
            return _mixed_array(start + GAMMA * indices.astype(np.uint64))
    given = np.asarray(seed, dtype=object)
    if given.shape != indices.shape:
        raise ValueError(f"seed: expected an int or {len(indices)} seeds, one per game; got {seed!r:.80}")
    return np.array([check_seed(f"seed[{index}]", value) for index, value in enumerate(given)], np.uint64)


def check_seed(name: str, seed: object) -> int:
    """The seed, if it is one."""
    if not isinstance(seed, (int, np.integer)) or isinstance(seed, bool) or not 0 <= seed < 2**64:
        raise ValueError(f"{name}: expected a whole number from 0 to 2**64 - 1, got {seed!r}")
    return int(seed)


_mixed_array = getattr(mixed, "py_func", mixed)
