"""Observations as networks like them: float32 from 0 to 1."""

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from strand_env.engine.jit import Kernel


def unit_box(maximum: npt.NDArray[np.float32]) -> spaces.Space[npt.NDArray[np.float32]]:
    """The space of what is scaled by these maxima."""
    return spaces.Box(0.0, 1.0, maximum.shape, np.float32)


def scaled(rows: npt.NDArray[np.integer], maximum: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """A new array, (rows, entries), each entry divided by its maximum."""
    out = np.empty(rows.shape, np.float32)
    scale_rows(1, len(rows), rows, maximum, out)
    return out


@Kernel
def scale_rows(start, stop, rows, maximum, out):
    for row in range(start, stop):
        for entry in range(len(maximum)):
            # Divided, since multiplying by the inverse can come out above 1.
            out[row, entry] = np.float32(rows[row, entry]) / maximum[entry]
