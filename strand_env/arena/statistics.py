"""What the games tell about the agents, and how surely: intervals bootstrapped over deals.

Games of one deal are not independent, so deals are drawn again, each with all of its games.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from strand_env.randomness import Streams, spread_seeds

RESAMPLES = 2000
CONFIDENCE = 0.95
_BLOCK = 4_000_000  # numbers at a time

Numbers = npt.NDArray[np.float64]


class Estimate(NamedTuple):
    """A mean with its 95 % interval, which is not a number if the deals are too few to tell."""

    mean: float
    low: float
    high: float


def estimate_means(sums: Numbers, counts: Numbers, seed: int) -> list[Estimate]:
    """For each column of (deals, columns) the mean of what was summed and counted in each deal.

    The same deals are drawn for all columns, so that these stay paired. The seed decides which.
    """
    deals = len(sums)
    streams = Streams(spread_seeds(seed, np.arange(deals)))
    at_once = max(1, _BLOCK // deals)
    with np.errstate(invalid="ignore", divide="ignore"):  # where nothing was counted there is no mean
        means = sums.sum(0) / counts.sum(0)
        resampled = []
        for start in range(0, RESAMPLES, at_once):
            draws = range(min(at_once, RESAMPLES - start))
            times = np.array([np.bincount(streams.integers(deals), minlength=deals) for _ in draws], np.float64)
            resampled.append((times @ sums) / (times @ counts))
    tail = (1 - CONFIDENCE) / 2
    lows, highs = np.quantile(np.concatenate(resampled), (tail, 1 - tail), axis=0)
    if deals == 1:
        lows[:] = highs[:] = np.nan
    return [Estimate(*map(float, column)) for column in zip(means, lows, highs, strict=True)]


def sums_by_agent(values: Numbers, seating: npt.NDArray[np.int64], agents: int) -> tuple[Numbers, Numbers]:
    """(deals, agents) of values (deals, line-ups, players): their sum over an agent's seats, and how many these are.

    What is not a number does not count.
    """
    present = seating[..., None] == np.arange(agents)
    counted = np.isfinite(values)
    sums = np.einsum("dls,dlsa->da", np.where(counted, values, 0), present)
    return sums, np.einsum("dls,dlsa->da", counted, present, dtype=np.float64)


def sums_by_pair(values: Numbers, seating: npt.NDArray[np.int64], agents: int) -> tuple[Numbers, Numbers]:
    """(deals, agents, agents): the same for seats of the first agent with the second in another seat of the game.

    If that has several other seats in the game, each counts.
    """
    present = seating[..., None] == np.arange(agents)
    won = np.einsum("dls,dlsa->dla", values, present)
    seats = present.sum(2, dtype=np.float64)
    sums, counts = (np.einsum("dla,dlb->dab", first, seats) for first in (won, seats))
    itself = np.arange(agents)  # nobody is its own neighbour
    sums[:, itself, itself] -= won.sum(1)
    counts[:, itself, itself] -= seats.sum(1)
    return sums, counts
