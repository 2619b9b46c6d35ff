"""Which rows are equal: searches ask about many copies of few positions, and networks need to see each of them once."""

from typing import Any

import numpy as np
import numpy.typing as npt

from strand_env.engine.jit import Kernel
from strand_env.engine.randomness import mixed

_EMPTY = -1


def distinct(rows: npt.NDArray[Any]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The numbers of the first of all equal rows, ascending, and for each row which of these it equals."""
    words = np.ascontiguousarray(rows)
    words = words.view(np.uint64 if words.shape[1] * words.itemsize % 8 == 0 else np.uint8)
    table = np.full(2 << (2 * len(words)).bit_length(), _EMPTY)
    first, like, found = np.empty(len(words), np.int64), np.empty(len(words), np.int64), np.zeros(1, np.int64)
    find_distinct(1, len(words), words, table, first, like, found)
    return first[: found[0]], like


@Kernel
def find_distinct(start, stop, words, table, first, like, found):
    """The table is a hash table of numbers in `first`; its size is a power of 2."""
    for row in range(start, stop):
        code = np.uint64(0)
        for word in range(words.shape[1]):
            code = mixed(code ^ np.uint64(words[row, word]))
        place = np.int64(code & np.uint64(len(table) - 1))
        while True:
            number = table[place]
            if number == _EMPTY:
                table[place] = like[row] = found[0]
                first[found[0]] = row
                found[0] += 1
                break
            same = True
            for word in range(words.shape[1]):
                same &= words[first[number], word] == words[row, word]
            if same:
                like[row] = number
                break
            place = (place + 1) & (len(table) - 1)
