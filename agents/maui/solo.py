"""Maui reduced to one player's beach, where it can be solved: what turns, rows, columns and dollars are worth.

In this model every turn offers six random towels, a step on a track is worth two points, tracks have no end, and the
spots of the beach hold average pieces. What remains of a position is the number of turns left, the next column, the
last towel's top, and the dollars held. Backward induction gives the expected points from there (`values`), and where
the next towels will lie (`moves`). `tracks` corrects it for tracks that start slowly and end.
"""

from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from strand_env.agents.choosing import NEVER
from strand_env.agents.maui.beach import penalties
from strand_env.agents.maui.prospects import CELL_OF, NOWHERE, row_value
from strand_env.engine.jit import Kernel, compiled
from strand_env.engine.randomness import below, mixed
from strand_env.maui.ruleset import (
    CELLS,
    COLUMNS,
    CRAB_SIDE,
    HIGHEST_TOP,
    LOWEST_TOP,
    MOST_DOLLARS,
    MOST_SQUARES,
    NUM_TOWELS,
    PLACES,
    PRICES,
    ROWS,
    SPARE_TOP,
    UMBRELLA_SIDE,
    Ruleset,
)

TOPS = HIGHEST_TOP - LOWEST_TOP + 1
TURNS = COLUMNS + 1  # numbers of turns left, with none
PURSE = MOST_DOLLARS + 1  # numbers of dollars, with none
ENDS = COLUMNS + 3  # columns, with those beyond the last

# What is played for: the umbrella side, the crab side, or the umbrella side with another part to follow
SETTINGS = 3

MARKETS = 400  # over which expected values are taken
STEP = np.float32(2)  # points of a step on a track
PIECE = np.float32(2.5)  # of an umbrella, pearl or pattern
CRAB_COST = np.float32(3)
ZONES = np.array([0, 1, 1, 1, 1, 2, 2, 2, 3, 3])  # dollars to be taken in a turn, one of these

# Probability that a shell makes 0, 1, 2, 3 steps in a turn
STEPS_PER_TURN = (0.72, 0.08, 0.08, 0.12)
MOST_TURNS = 2 * COLUMNS + 1  # of both parts, with none


class Solo(NamedTuple):
    """The tables, as compiled code takes them."""

    values: npt.NDArray[np.float32]  # (settings, turns, columns, tops, dollars): points to come
    moves: npt.NDArray[np.float32]  # (settings, columns, tops, tops): probability of the next towel's top
    pieces: npt.NDArray[np.float32]  # (settings, columns, tops): what a towel covers on average
    tracks: npt.NDArray[np.float32]  # (2, turns, squares): points to come less those of so many endless steps


@cache
def solo() -> Solo:
    """The tables for the default ruleset; those of `tracks` for short and extended ones."""
    ruleset = Ruleset.default()
    pieces, crabs = np.zeros((SETTINGS, ENDS + 1, TOPS), np.float32), np.zeros((SETTINGS, ENDS + 1), np.int64)
    for setting, side in enumerate((UMBRELLA_SIDE, CRAB_SIDE, UMBRELLA_SIDE)):
        for column, row in ruleset.spots(side):
            crab = side == CRAB_SIDE and (column, row) in ruleset.crab_spots
            if crab:
                crabs[setting, column] = row
            for top in range(max(row - CELLS + 1, LOWEST_TOP), min(row, HIGHEST_TOP) + 1):
                pieces[setting, column, top - LOWEST_TOP] += -CRAB_COST if crab else PIECE
    values = np.zeros((SETTINGS, TURNS, ENDS, TOPS, PURSE), np.float32)
    moves = np.zeros((SETTINGS, ENDS, TOPS, TOPS), np.float32)
    solve(1, SETTINGS, pieces, crabs, values, moves)
    return Solo(values, moves, pieces, _tracks(ruleset))


def _tracks(ruleset: Ruleset) -> npt.NDArray[np.float32]:
    tables = np.zeros((2, MOST_TURNS, MOST_SQUARES + 1), np.float32)
    for table, variant in zip(tables, ("base", "combined"), strict=True):
        points = np.array(ruleset.squares(variant)[0], np.float64)
        last = len(points) - 1
        chances = np.ones(1)
        for turns in range(MOST_TURNS):
            steps = np.arange(len(chances))
            for square in range(last + 1):
                to_come = points[np.minimum(square + steps, last)] - points[square] - STEP * steps
                table[turns, square] = chances @ to_come
            chances = np.convolve(chances, STEPS_PER_TURN)
    return tables


@Kernel
def solve(start, stop, pieces, crabs, values, moves):
    """Backward induction for each setting."""
    markets, zones = np.zeros((MARKETS, PLACES), np.int64), np.zeros(MARKETS, np.int64)
    draw_markets(markets, zones)
    best, best_top = np.zeros((NUM_TOWELS, PURSE), np.float32), np.zeros((NUM_TOWELS, PURSE), np.int64)
    for setting in range(start, stop):
        for column in range(ENDS):
            for top in range(TOPS):
                for dollars in range(PURSE):
                    values[setting, 0, column, top, dollars] = dollars * (setting < SETTINGS - 1)
        for turns in range(1, TURNS):
            for column in range(1, TURNS + 1 - turns):
                for top in range(TOPS):
                    later = values[setting, turns - 1]
                    rate_towels(column, top, pieces[setting], crabs[setting], later, best, best_top)
                    # No turn has been lost, and there is a dollar: so towels usually lie.
                    usual = moves[setting, column, top] if turns == TURNS - column else best[0, :0]
                    for dollars in range(PURSE):
                        values[setting, turns, column, top, dollars] = expect_turn(
                            column, top, dollars, markets, zones, best, best_top, later, usual
                        )


@compiled
def draw_markets(markets, zones):
    stream = mixed(np.uint64(0))
    for number in range(MARKETS):
        for place in range(PLACES):
            markets[number, place], stream = below(stream, NUM_TOWELS)
        drawn, stream = below(stream, len(ZONES))
        zones[number] = ZONES[drawn]


@compiled
def is_active(column, row, crabs):
    """Whether a cell of the last towel can be matched in a column."""
    return 1 <= row <= ROWS and row != crabs[column] and row != crabs[column - 1]


@compiled
def rate_towels(column, top, pieces, crabs, later, best, best_top):
    """Fills in the best value and top of each towel after one that shows patterns 0, 1, 2, by the dollars left."""
    first = top + LOWEST_TOP
    for towel in range(NUM_TOWELS):
        for dollars in range(PURSE):
            best[towel, dollars] = NEVER
        for cell in range(CELLS):
            next_top = top + cell - CELL_OF[towel, cell]
            matches = CELL_OF[towel, cell] != NOWHERE and is_active(column, first + cell, crabs)
            if not matches or not 0 <= next_top < TOPS:
                continue
            gain = pieces[column, next_top] - penalties(next_top + LOWEST_TOP)
            for each in range(CELLS):
                if top + each - CELL_OF[towel, each] == next_top and is_active(column, first + each, crabs):
                    gain += STEP * row_value(first + each)
            for dollars in range(PURSE):
                value = gain + later[column + 1, next_top, dollars]
                if value > best[towel, dollars]:
                    best[towel, dollars], best_top[towel, dollars] = value, next_top


@compiled
def expect_turn(column, top, dollars, markets, zones, best, best_top, later, usual):
    """The expected value of the best choice, over all markets; fills in where towels usually lie."""
    total, laid = np.float32(0), 0
    for number in range(MARKETS):
        value, at = NEVER, SPARE_TOP - LOWEST_TOP
        for place in range(PLACES):
            towel, left = markets[number, place], dollars - PRICES[place]
            if left >= 0 and best[towel, left] > value:
                value, at = best[towel, left], best_top[towel, left]
        if zones[number] > 0:
            richer = later[column, top, min(dollars + zones[number], MOST_DOLLARS)]
            if richer > value:
                value, at = richer, -1
        if value == NEVER:
            value = later[column + 1, at, dollars]
        total += value
        if at >= 0 and dollars == 1 and len(usual) > 0:
            laid += 1
            usual[at] += 1
    for next_top in range(len(usual) if laid > 0 else 0):
        usual[next_top] /= laid
    return total / MARKETS
