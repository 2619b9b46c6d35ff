"""What a column of the beach holds for each top of a towel: pearls and umbrellas, crabs and penalty tokens."""

import numpy as np

from strand_env.engine.jit import compiled
from strand_env.maui.actions import NO_SHIFT, SHIFTS
from strand_env.maui.ruleset import (
    CELLS,
    CRAB,
    CRAB_VALUES,
    HIGHEST_TOP,
    LOWEST_TOP,
    MOST_SPOTS,
    PATTERN_UMBRELLA,
    PEARL,
    PEARL_COLOURS,
    PEARL_POINTS,
    PEARLS,
    ROWS,
)

MARGIN = NO_SHIFT - LOWEST_TOP  # entries by top start two rows below the lowest, so that every shift has one
AHEAD = 3  # columns to look at
TOPS = MARGIN + HIGHEST_TOP + NO_SHIFT + 1

COLUMN_DTYPE = np.dtype(
    [
        ("crabs", np.int64),  # the rows in which crabs lie, a bit for each
        ("umbrellas", np.int64, (TOPS,)),  # the pattern umbrellas that a towel would cover, a bit for each
        ("now", np.float32, (TOPS,)),  # value of the pearls, crabs and penalty tokens that a towel would get
        ("later", np.float32, (TOPS,)),  # the same with a step for each umbrella
        ("ways", np.float32, (TOPS,)),  # the mean of `later` over the tops within reach of a towel in the column before
    ],
    align=True,
)


@compiled
def penalties(top):
    """Penalty tokens on a towel: its cells outside the beach."""
    return max(1 - top, 0) + max(top + CELLS - 1 - ROWS, 0)


@compiled
def rate_pearls(own, weights, pearls):
    """Fills in the value of one more pearl of each colour: its points, and more for each that is still to come."""
    for colour in range(PEARL_COLOURS):
        collected = min(np.int64(own["pearls"][colour]), PEARLS - 1)
        to_come = -1
        for spot in range(MOST_SPOTS):
            to_come += own["lying"][spot] == PEARL + colour
        pearls[colour] = PEARL_POINTS[collected + 1] - PEARL_POINTS[collected] + weights["pearl"] * max(to_come, 0)


@compiled
def survey(table, own, rules, room):
    """Fills in what the next columns hold."""
    columns = room["columns"]
    for index in range(AHEAD):
        columns[index]["crabs"] = 0
        for entry in range(TOPS):
            columns[index]["umbrellas"][entry] = 0
            columns[index]["now"][entry] = -rules["penalty"] * penalties(entry - MARGIN)
            columns[index]["later"][entry] = columns[index]["now"][entry]
    side = np.int64(table["crab_side"])
    for spot in range(MOST_SPOTS):
        index = rules["spot_column"][side, spot] - np.int64(own["laid"])
        if own["lying"][spot] and 0 <= index < AHEAD:
            add_piece(np.int64(own["lying"][spot]), rules["spot_row"][side, spot], rules, room, columns[index])
    for index in range(AHEAD):
        for entry in range(NO_SHIFT, TOPS - NO_SHIFT):
            total = np.float32(0)
            for near in range(entry - NO_SHIFT, entry + NO_SHIFT + 1):
                total += columns[index]["later"][near]
            columns[index]["ways"][entry] = total / SHIFTS


@compiled
def add_piece(piece, row, rules, room, column):
    """Adds a piece to what a column holds, for each top that would cover it."""
    value, steps, umbrella = np.float32(0), np.float32(0), 0
    if piece >= CRAB:
        column["crabs"] |= 1 << row
        value = -np.float32(piece - CRAB + CRAB_VALUES[0])
    elif piece >= PATTERN_UMBRELLA:
        umbrella = 1 << (piece - PATTERN_UMBRELLA)
        one, other = rules["umbrella_tracks"][piece - PATTERN_UMBRELLA]
        steps = max(room["worth"][one, 1], room["worth"][other, 1])
    else:
        value = room["pearls"][piece - PEARL]
    for entry in range(MARGIN + row - CELLS + 1, MARGIN + row + 1):
        column["umbrellas"][entry] |= umbrella
        column["now"][entry] += value
        column["later"][entry] += value + steps
