"""Random streams; each game carries its own in its record.

The generator is fixed (SplitMix64, 64 bits), so a seed gives the same game on every machine and every version of NumPy.
The state of a stream is a single 64-bit number.
"""

import hashlib
import secrets
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from strand_env.engine.checks import any_array, is_whole, seed_number, shown
from strand_env.engine.jit import Kernel, compiled

GAMMA = np.uint64(0x9E3779B97F4A7C15)
_FIRST, _SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_SHIFTS = np.uint64(30), np.uint64(27), np.uint64(31)
_HALF, _LOW = np.uint64(32), np.uint64(0xFFFFFFFF)
_DECISIONS = np.uint64(0xDEC15105DEC15105)  # separates the streams of decisions from those of games

Seeds = int | Sequence[int] | npt.NDArray[np.integer]


@compiled
def mixed(x):
    """SplitMix64's output for state x: a bijection of 64-bit numbers that looks random."""
    z = x + GAMMA
    z = (z ^ (z >> _SHIFTS[0])) * _FIRST
    z = (z ^ (z >> _SHIFTS[1])) * _SECOND
    return z ^ (z >> _SHIFTS[2])


@compiled
def next_seed(seed):
    """The seed of the game that follows in the same slot of a batch, after an auto-reset."""
    return mixed(~seed)


@compiled
def fraction(bits):
    """A float in [0, 1) from 64 random bits."""
    return (bits >> np.uint64(11)) * np.float64(2.0**-53)


@compiled
def bounded(bits, bound):
    """An (almost) uniform number from 0 to bound - 1, from 64 random bits; bounds up to 2**32."""
    return (bits >> _HALF) * bound >> _HALF


@compiled
def below(stream, n):
    """A uniform number from 0 to n - 1, and the stream after the draw."""
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
    """The seeds of the games at these indices: derived from an int and the index, or given, one per game."""
    if is_whole(seed):
        with np.errstate(over="ignore"):
            start = mixed(np.array([seed_number("seed", seed)], np.uint64))
            return mixed(start + GAMMA * indices.astype(np.uint64))
    return _checked_seeds(seed, len(indices), f"an int or {len(indices)} seeds, one per game")


def _checked_seeds(seeds: npt.ArrayLike, number: int, expected: str) -> npt.NDArray[np.uint64]:
    given = seeds if isinstance(seeds, np.ndarray) else any_array("seed", seeds, expected, object)
    if given.shape != (number,):
        raise ValueError(f"seed: expected {expected}; got {shown(seeds)}")
    if isinstance(seeds, np.ndarray) and seeds.dtype == np.uint64:
        return seeds.copy()
    return np.array([seed_number(f"seed[{index}]", value) for index, value in enumerate(given)], np.uint64)


def seeds_of_single_games(seeds: npt.ArrayLike, number: int) -> npt.NDArray[np.uint64]:
    """For each given seed, the seed of the only game of a batch made with it."""
    with np.errstate(over="ignore"):
        return mixed(mixed(_checked_seeds(seeds, number, f"{number} seeds, one per game")))


def fresh_seed() -> int:
    """A seed from the operating system's entropy."""
    return secrets.randbits(64)


@compiled
def decision_stream(seed, moves, seat):
    """The random stream of one decision, by the game's seed, the number of moves made, and the seat."""
    return stream_of(decisions_of(seed), moves, seat)


@compiled
def decisions_of(seed):
    """What the streams of all decisions of a game have in common."""
    return mixed(seed ^ _DECISIONS)


@compiled
def stream_of(decisions, moves, seat):
    return mixed(decisions + GAMMA * np.uint64(moves << 8 | seat))


class Streams:
    """Random numbers for many rows at once, each row from its own stream.

    A row's draws do not depend on the other rows, so agents that use them play a game the same way in any batch.
    """

    def __init__(self, streams: npt.NDArray[np.uint64]) -> None:
        self._streams = streams

    @classmethod
    def of_decisions(cls, seeds: npt.NDArray[np.uint64], moves: int, seats: npt.NDArray[np.int64]) -> "Streams":
        """One stream per decision, by the game's seed, the number of moves made, and the player's seat."""
        streams = np.empty(len(seeds), np.uint64)
        begin_streams(1, len(seeds), seeds, moves, seats, streams)
        return cls(streams)

    def __len__(self) -> int:
        return len(self._streams)

    def __getitem__(self, rows: npt.NDArray[Any]) -> "Streams":
        """A subset of the rows, as independent copies of their streams."""
        return Streams(self._streams[rows].copy())

    def sealed(self) -> "Streams":
        """Streams that follow from these and hide them: SplitMix64 can be inverted, back to the seed of a game."""
        digests = [hashlib.blake2b(stream, digest_size=8).digest() for stream in self._streams.astype("<u8")]
        return Streams(np.frombuffer(b"".join(digests), "<u8").astype(np.uint64))

    def bits(self) -> npt.NDArray[np.uint64]:
        """(rows,): 64 random bits each."""
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
        """(rows,): uniform floats in [0, 1)."""
        return fraction(self.bits())

    def integers(self, bounds: npt.ArrayLike) -> npt.NDArray[np.int64]:
        """(rows,): (almost) uniform integers from 0 to bound - 1; bounds up to 2**32."""
        return bounded(self.bits(), np.asarray(bounds).astype(np.uint64)).astype(np.int64)


@Kernel
def begin_streams(start, stop, seeds, moves, seats, out):
    for row in range(start, stop):
        out[row] = decision_stream(seeds[row], moves, seats[row])


@Kernel
def draw_bits(start, stop, streams, out):
    for row in range(start, stop):
        out[row] = mixed(streams[row])
        streams[row] += GAMMA
