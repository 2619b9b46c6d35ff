"""Means with confidence intervals, bootstrapped over deals.

Games of one deal are not independent, so whole deals are resampled.
"""

from itertools import permutations
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from strand_env.engine.jit import Kernel
from strand_env.engine.randomness import GAMMA, bounded, mixed, spread_seeds

RESAMPLES = 2000
CONFIDENCE = 0.95

Numbers = npt.NDArray[np.float64]


class Estimate(NamedTuple):
    """A mean with its 95 % interval; the ends are NaN if there is only one deal."""

    mean: float
    low: float
    high: float


def estimate_means(sums: Numbers, counts: Numbers, seed: int) -> list[Estimate]:
    """For each column of (deals, columns), the ratio of total sum to total count, with its interval.

    All columns share the same resampled deals, which follow from the seed, so that they stay paired.
    """
    deals, columns = sums.shape
    totals = np.zeros((RESAMPLES, 2 * columns))
    streams = spread_seeds(seed, np.arange(deals))
    resample_deals(1, RESAMPLES, streams, np.concatenate((sums, counts), axis=1), totals)
    with np.errstate(invalid="ignore", divide="ignore"):  # NaN where nothing was counted
        means = sums.sum(0) / counts.sum(0)
        resampled = totals[:, :columns] / totals[:, columns:]
    tail = (1 - CONFIDENCE) / 2
    lows, highs = np.quantile(resampled, (tail, 1 - tail), axis=0)
    if deals == 1:
        lows[:] = highs[:] = np.nan
    return [Estimate(*map(float, column)) for column in zip(means, lows, highs, strict=True)]


@Kernel
def resample_deals(start, stop, streams, values, totals):
    """Adds up the values of as many deals as there are, drawn with replacement; each row is a draw from all streams."""
    deals = np.uint64(len(values))
    for row in range(start, stop):
        for stream in streams:
            deal = bounded(mixed(stream + GAMMA * np.uint64(row)), deals)
            for column in range(values.shape[1]):
                totals[row, column] += values[deal, column]


def sums_by_agent(values: Numbers, seating: npt.NDArray[np.int64], agents: int) -> tuple[Numbers, Numbers]:
    """(deals, agents) of values (deals, line-ups, players): sums and counts over each agent's seats, NaN left out."""
    present = seating[..., None] == np.arange(agents)
    counted = np.isfinite(values)
    sums = np.einsum("dls,dlsa->da", np.where(counted, values, 0), present)
    return sums, np.einsum("dls,dlsa->da", counted, present, dtype=np.float64)


def sums_by_pair(values: Numbers, seating: npt.NDArray[np.int64], agents: int) -> tuple[Numbers, Numbers]:
    """(deals, agents, agents) of values (deals, line-ups, players, players) of pairs of seats: sums and counts.

    A pair of agents gets all pairs of seats with the first agent in the one and the second in the other.
    """
    deals, _, players = seating.shape
    first_of_deal = np.arange(deals)[:, None] * agents**2
    sums, counts = np.zeros(deals * agents**2), np.zeros(deals * agents**2)
    for one, other in permutations(range(players), 2):
        pair = (first_of_deal + seating[:, :, one] * agents + seating[:, :, other]).reshape(-1)
        sums += np.bincount(pair, values[:, :, one, other].reshape(-1), len(sums))
        counts += np.bincount(pair, minlength=len(counts))
    return sums.reshape(deals, agents, agents), counts.reshape(deals, agents, agents)
