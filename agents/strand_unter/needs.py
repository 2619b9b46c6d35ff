"""Features: the observation without its history, and what everybody's cards still need.

The needs follow from the observation, but as products and differences, which networks are slow to learn: a card matters
only while its castle is not built, and only as far as the bucket falls short of it.
"""

import numpy as np
import numpy.typing as npt

from strand_env.engine.game import Encoding
from strand_env.engine.jit import Kernel
from strand_env.strand_unter import layout
from strand_env.strand_unter.layout import SEAT_SIZE, TABLE_SIZE
from strand_env.strand_unter.ruleset import MAX_PLAYERS, NUM_COLOURS, NUM_VALUES
from strand_env.strand_unter.scoring import lacking
from strand_env.strand_unter.seats import is_built, missing, to_build

_STEPS = 4  # counts are scaled to quarters, so that a difference of one is about as visible as a flag
_SHOWN = layout["seat_0.dials_set"].start - TABLE_SIZE  # entries of a seat: all but the history, which came later
_COPIED = TABLE_SIZE + MAX_PLAYERS * _SHOWN
_SCALES = (1 / np.minimum(layout.maximum, _STEPS)).astype(np.float32)
_ENOUGH = 4  # thresholds for the shells of a colour in the groove

_PER_SEAT = NUM_COLOURS + NUM_VALUES * (NUM_COLOURS + 2)
SIZE = _COPIED + MAX_PLAYERS * _PER_SEAT + NUM_COLOURS * (_ENOUGH + 1)
VERSION = 1  # bump with any change below


def encode_needs(observations: npt.NDArray[np.integer]) -> npt.NDArray[np.float32]:
    """(rows, SIZE) from (rows, entries) observations."""
    entries, tables, seats = layout.by_name(observations)
    shown = np.empty((len(observations), SIZE), np.float32)
    write_needs(1, len(shown), entries, tables, seats, _SCALES, shown)
    return shown


def missing_shells(seats: np.ndarray) -> npt.NDArray[np.int64]:
    """(rows,) from (rows,) seats: shells that the castle nearest to completion lacks, the wild one included, or 0."""
    nearest = np.zeros(len(seats), np.int64)
    find_nearest(1, len(seats), seats, nearest)
    return nearest


@Kernel
def find_nearest(start, stop, seats, out):
    for row in range(start, stop):
        found = False
        for value in range(NUM_VALUES):
            if not is_built(seats[row]["castles"][value]):
                shells = missing(seats[row], value)
                out[row] = min(out[row], shells) if found else shells
                found = True


@Kernel
def write_needs(start, stop, entries, tables, seats, scales, out):
    for row in range(start, stop):
        for entry in range(TABLE_SIZE):
            out[row, entry] = entries[row, entry] * scales[entry]
        place = TABLE_SIZE
        for player in range(MAX_PLAYERS):
            first = TABLE_SIZE + player * SEAT_SIZE
            for entry in range(first, first + _SHOWN):
                out[row, place] = entries[row, entry] * scales[entry]
                place += 1
        for player in range(MAX_PLAYERS):
            seat = seats[row, player]
            values = to_build(seat)
            for colour in range(NUM_COLOURS):
                out[row, place] = lacking(values, seat["cards"], seat["bucket"], colour) / _STEPS
                place += 1
            for value in range(NUM_VALUES):
                wanted = values >> value & 1
                for colour in range(NUM_COLOURS):
                    short = np.int64(seat["cards"][value, colour]) - seat["bucket"][colour]
                    out[row, place] = wanted * max(short, 0) / 2
                    place += 1
                shells = missing(seat, value)
                out[row, place] = wanted * shells / _STEPS
                out[row, place + 1] = wanted and shells == 0
                place += 2
        for colour in range(NUM_COLOURS):
            there = np.int64(tables[row]["shells"][colour])
            for number in range(_ENOUGH):
                out[row, place] = there > number
                place += 1
            needed = np.int64(_STEPS * out[row, _COPIED + colour])  # of the own cards
            out[row, place] = min(max(needed, 0), there) / 2
            place += 1


NEEDS = Encoding(f"needs {VERSION}", SIZE, encode_needs)
