"""Observations of Strand Unter by name: a record for the table and one for each seat, over the same bytes.

Compiled code reads them as `table["shells"][colour]` and `seats[0]["bucket"][colour]`, the own seat being the first.
"""

import numpy as np
import numpy.typing as npt

from strand_env.strand_unter import layout
from strand_env.strand_unter.layout import OBSERVATION_SIZE, SEAT_SIZE, TABLE_SIZE
from strand_env.strand_unter.ruleset import MAX_PLAYERS, NUM_COLOURS, NUM_VALUES

_SHAPES = {"cards": (NUM_VALUES, NUM_COLOURS), "castles": (NUM_VALUES, 4)}  # the others are plain rows
ON_HEAP, IS_READY, STANDS_IN, IS_FLOODED = range(4)  # the entries of a castle


def _record(first: int, size: int) -> np.dtype:
    """The sections of the layout within these entries, as fields."""
    fields = {}
    for section in layout:
        if first <= section.start < first + size:
            name, length = section.name.rpartition(".")[2], len(section.maximum)
            kind = np.dtype((np.int8, _SHAPES.get(name, (length,)))) if length > 1 else np.dtype(np.int8)
            fields[name] = kind, section.start - first
    names, (kinds, offsets) = list(fields), zip(*fields.values(), strict=True)
    return np.dtype({"names": names, "formats": list(kinds), "offsets": list(offsets), "itemsize": size})


TABLE_DTYPE = _record(0, TABLE_SIZE)
SEAT_DTYPE = _record(TABLE_SIZE, SEAT_SIZE)


def by_name(observations: npt.NDArray[np.integer]) -> tuple[np.ndarray, np.ndarray]:
    """(rows,) tables and (rows, MAX_PLAYERS) seats of (rows, entries) observations."""
    if observations.ndim != 2 or observations.shape[1] != OBSERVATION_SIZE:
        raise ValueError(f"observation: expected shape (rows, {OBSERVATION_SIZE}), got {observations.shape}")
    entries = np.ascontiguousarray(observations, np.int8)
    rows = len(entries)
    tables = np.ndarray(rows, TABLE_DTYPE, entries, 0, (OBSERVATION_SIZE,))
    seats = np.ndarray((rows, MAX_PLAYERS), SEAT_DTYPE, entries, TABLE_SIZE, (OBSERVATION_SIZE, SEAT_SIZE))
    return tables, seats
