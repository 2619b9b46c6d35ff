"""Rates are measured in short blocks, of which the fastest counts."""

from collections.abc import Iterator
from time import perf_counter

BLOCKS = 40  # short ones: the fastest is the one that the machine's other work disturbed least


def best_rate(amounts: Iterator[int], seconds: float) -> float:
    """The highest rate per second at which an endless iterator yields, measured for about `seconds`."""
    next(amounts)  # compiles and warms up
    best = 0.0
    for _ in range(BLOCKS):
        total = 0
        start = perf_counter()
        while (elapsed := perf_counter() - start) < seconds / BLOCKS:
            total += next(amounts)
        best = max(best, total / elapsed)
    return best
