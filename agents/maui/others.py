"""Which towels of the market the others will leave."""

import numpy as np

from strand_env.agents.choosing import NEVER, softmax
from strand_env.agents.maui.beach import penalties
from strand_env.agents.maui.prospects import gain_of, row_value, shifts_of
from strand_env.engine.jit import compiled
from strand_env.maui.actions import NO_SHIFT
from strand_env.maui.ruleset import CELLS, LOWEST_TOP, MAX_PLAYERS, NUM_PATTERNS, PLACES, PRICES, ROWS
from strand_env.maui.seats import towel_at


@compiled
def patterns_in(rows, top, cells):
    """Fills in the patterns that are shown in three rows, from the top on; -1 where none is."""
    for cell in range(CELLS):
        cells[cell] = -1
        if 1 <= top + cell <= ROWS:
            for pattern in range(NUM_PATTERNS):
                if rows[top + cell - 1, pattern]:
                    cells[cell] = pattern


@compiled
def expect_others(table, seats, rules, weights, room):
    """Fills in the probability that each towel of the market stays until the next turn."""
    stays, values = room["stays"], room["values"]
    for place in range(PLACES):
        stays[place] = 1
    if weights["others"] == 0 or weights["next"] == 0:
        return
    for player in range(1, MAX_PLAYERS):
        if seats[player]["present"]:
            rate_for(seats[player], table, rules, room, values)
            softmax(values, 0, PLACES + 1, weights["guess"])
            for place in range(PLACES):
                stays[place] *= 1 - weights["others"] * values[place]


@compiled
def rate_for(seat, table, rules, room, values):
    """Rates the towels of the market for another player, by points; the last value is that of taking none."""
    cells, gains, shifts = room["active"], room["gains"], room["shifts"]
    top = np.int64(seat["top"]) + LOWEST_TOP
    patterns_in(seat["last"], top, cells)
    for cell in range(CELLS):
        gains[cell] = 0
        if cells[cell] >= 0:
            square = np.int64(seat["shells"][cells[cell]])
            end = min(square + row_value(top + cell), rules["last"][cells[cell]])
            gains[cell] = rules["points"][cells[cell], end] - rules["points"][cells[cell], square]
    for place in range(PLACES):
        values[place] = NEVER
        if PRICES[place] <= seat["dollars"]:
            shifts_of(towel_at(table, place), cells, shifts)
            for cell in range(CELLS):
                if -NO_SHIFT <= shifts[cell] <= NO_SHIFT:
                    cost = PRICES[place] + penalties(top + shifts[cell])
                    values[place] = max(values[place], gain_of(shifts[cell], shifts, gains) - cost)
    values[PLACES] = 0
