"""Shares the games of a batch between threads. The kernels let go of Python's lock, so the threads run at once."""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np


def in_chunks(
    threads: int, kernel: Callable[..., Any], arrays: Sequence[np.ndarray], shared: Sequence[Any] = ()
) -> list[tuple[int, Any]]:
    """Calls the kernel with slices of the arrays and with what is shared: each slice's start and result."""
    if threads == 1:
        return [(0, kernel(*arrays, *shared))]
    bounds = [len(arrays[0]) * chunk // threads for chunk in range(threads + 1)]
    chunks = [(start, stop) for start, stop in pairwise(bounds) if start < stop]
    if len(chunks) < 2:
        return [(0, kernel(*arrays, *shared))]
    pool = _pool(threads - 1, os.getpid())
    others = [
        (start, pool.submit(kernel, *(array[start:stop] for array in arrays), *shared)) for start, stop in chunks[1:]
    ]
    own = kernel(*(array[: chunks[0][1]] for array in arrays), *shared)
    return [(0, own)] + [(start, future.result()) for start, future in others]


@cache
def _pool(threads: int, process: int) -> ThreadPoolExecutor:
    """One pool per process: threads do not survive a fork."""
    return ThreadPoolExecutor(threads, thread_name_prefix="strand_env")
