"""The random stream that each game carries in its own record.

A fixed 64-bit generator (SplitMix64), so that a seed means the same game on every machine and every version of
NumPy. A stream is one 64-bit number that is handed on from draw to draw.
"""

import secrets
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from strand_env.engine.checks import is_whole, seed_number, shown
from strand_env.engine.jit import Kernel, compiled

GAMMA = np.uint64(0x9E3779B97F4A7C15)
_FIRST, _SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_SHIFTS = np.uint64(30), np.uint64(27), np.uint64(31)
_HALF, _LOW = np.uint64(32), np.uint64(0xFFFFFFFF)
_DECISIONS = np.uint64(0xDEC15105DEC15105)  # sets the streams of decisions apart from those of games

Seeds = int | Sequence[int] | npt.NDArray[np.integer]


@compiled
def mixed(x):
    """A number that looks random for each 64-bit x; different for different x."""
    z = x + GAMMA
    z = (z ^ (z >> _SHIFTS[0])) * _FIRST
    z = (z ^ (z >> _SHIFTS[1])) * _SECOND
    return z ^ (z >> _SHIFTS[2])


@compiled
def fraction(bits):
    """A number from 0 up to but not including 1, of 64 random bits."""
    return (bits >> np.uint64(11)) * np.float64(2.0**-53)


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
    if is_whole(seed):
        with np.errstate(over="ignore"):
            start = mixed(np.array([seed_number("seed", seed)], np.uint64))
            return mixed(start + GAMMA * indices.astype(np.uint64))
    return _checked_seeds(seed, len(indices), f"an int or {len(indices)} seeds, one per game")


def _checked_seeds(seeds: npt.ArrayLike, number: int, expected: str) -> npt.NDArray[np.uint64]:
    given = seeds if isinstance(seeds, np.ndarray) else np.asarray(seeds, dtype=object)
    if given.shape != (number,):
        raise ValueError(f"seed: expected {expected}; got {shown(seeds)}")
    if isinstance(seeds, np.ndarray) and seeds.dtype == np.uint64:
        return seeds.copy()
    return np.array([seed_number(f"seed[{index}]", value) for index, value in enumerate(given)], np.uint64)


def seeds_of_single_games(seeds: npt.ArrayLike, number: int) -> npt.NDArray[np.uint64]:
    """The seeds of games each of which is the only one of a batch with one of the given seeds."""
    with np.errstate(over="ignore"):
        return mixed(mixed(_checked_seeds(seeds, number, f"{number} seeds, one per game")))


def fresh_seed() -> int:
    """A seed that nobody has chosen."""
    return secrets.randbits(64)


@compiled
def decision_stream(seed, moves, seat):
    """Where the random stream of one decision begins: in the game of this seed, after so many moves, in this seat."""
    return mixed(mixed(seed ^ _DECISIONS) + GAMMA * np.uint64(moves << 8 | seat))


class Streams:
    """Random numbers for many rows at once, each row from a stream of its own.

    What a row draws does not depend on the other rows: agents that draw from it play a game the same way alone and in
    any batch.
    """

    def __init__(self, streams: npt.NDArray[np.uint64]) -> None:
        self._streams = streams

    @classmethod
    def of_decisions(cls, seeds: npt.NDArray[np.uint64], moves: int, seats: npt.NDArray[np.int64]) -> "Streams":
        """For a decision each: in the game of this seed, after so many moves, by the player in this seat."""
        streams = np.empty(len(seeds), np.uint64)
        begin_streams(1, len(seeds), seeds, moves, seats, streams)
        return cls(streams)

    def __len__(self) -> int:
        return len(self._streams)

    def __getitem__(self, rows: npt.NDArray[Any]) -> "Streams":
        """Some of the rows; their streams go on apart from these here."""
        return Streams(self._streams[rows].copy())

    def bits(self) -> npt.NDArray[np.uint64]:
        """64 random bits for each row."""
        drawn = np.empty(len(self), np.uint64)
        draw_bits(1, len(self), self._streams, drawn)
        return drawn

    def several(self, numbers: npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
        """`numbers[i]` 64-bit draws for row i, concatenated."""
        starts = np.repeat(np.cumsum(numbers) - numbers, numbers)
        number_in_row = np.arange(len(starts), dtype=np.uint64) - starts.astype(np.uint64)
        with np.errstate(over="ignore"):
            return mixed(np.repeat(self.bits(), numbers) + GAMMA * number_in_row)

    def random(self) -> npt.NDArray[np.float64]:
        """A number from 0 up to but not including 1 for each row."""
        return fraction(self.bits())

    def integers(self, bounds: npt.ArrayLike) -> npt.NDArray[np.int64]:
        """A number from 0 to bound - 1 for each row, each (all but) equally likely; bounds up to 2**32."""
        return ((self.bits() >> _HALF) * np.asarray(bounds).astype(np.uint64) >> _HALF).astype(np.int64)


@Kernel
def begin_streams(start, stop, seeds, moves, seats, out):
    for row in range(start, stop):
        out[row] = decision_stream(seeds[row], moves, seats[row])


@Kernel
def draw_bits(start, stop, streams, out):
    for row in range(start, stop):
        out[row] = mixed(streams[row])
        streams[row] += GAMMA
