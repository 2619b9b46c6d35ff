"""What a towel leaves possible: the next turn, over the market and the bag, and what lies further ahead."""

import numpy as np

from strand_env.agents.choosing import NEVER
from strand_env.agents.maui.beach import MARGIN
from strand_env.agents.maui.weights import DRAWS, HEIGHTS
from strand_env.engine.jit import compiled
from strand_env.maui.actions import NO_SHIFT
from strand_env.maui.ruleset import (
    CELLS,
    NUM_PATTERNS,
    NUM_TOWELS,
    PLACES,
    PLACES_PER_ROW,
    PRICES,
    ROW_VALUES,
    SPARE_TOP,
    TOWELS,
)
from strand_env.maui.seats import towel_at

NOWHERE = 8  # in place of a cell without the pattern: further away than any shift
PATTERN_AT = np.array(TOWELS, np.int8)
CELL_OF = np.array([[towel.index(p) if p in towel else NOWHERE for p in range(NUM_PATTERNS)] for towel in TOWELS])
OFFERS = 8  # that the next turn reckons with: the best ones


@compiled
def row_value(row):
    return np.int64(ROW_VALUES[row - 1])


@compiled
def count_bag(table, often):
    """Fills in the share of the towels in the bag that show each pattern in each cell."""
    often[:] = 0
    number = 0
    for towel in range(NUM_TOWELS):
        if table["bag"][towel]:
            number += 1
            for cell in range(CELLS):
                often[cell, PATTERN_AT[towel, cell]] += 1
    for cell in range(CELLS):
        for pattern in range(NUM_PATTERNS):
            often[cell, pattern] /= max(number, 1)


@compiled
def more_by_match(room, pattern, row):
    """The value of a match in a row, after the steps of this turn."""
    steps = room["steps"][pattern]
    return room["worth"][pattern, steps + row_value(row)] - room["worth"][pattern, steps]


@compiled
def shifts_of(number, cells, shifts):
    """Fills in by how much a towel must be shifted to match another in each of its cells."""
    for cell in range(CELLS):
        shifts[cell] = NOWHERE
        if cells[cell] >= 0:
            shifts[cell] = cell - CELL_OF[number, cells[cell]]


@compiled
def gain_of(shift, shifts, gains):
    """The gain of all matches that a shift makes."""
    gain = np.float32(0)
    for cell in range(CELLS):
        gain += gains[cell] if shifts[cell] == shift else np.float32(0)
    return gain


@compiled
def rate_prospects(table, weights, room):
    """The value of what the towel leaves possible: the next turn and those after it."""
    top, next_column = room["top"], room["columns"][room["next"]]
    active, gains = room["active"], room["gains"]
    for cell in range(CELLS):
        pattern = room["showing"][cell]
        active[cell], gains[cell] = -1, 0
        if pattern >= 0 and not next_column["crabs"] >> (top + cell) & 1:
            active[cell], gains[cell] = pattern, more_by_match(room, pattern, top + cell)
    value = rate_later(weights, 0, room["settled"], next_column, top)
    if weights["next"] != 0:
        for rank in range(OFFERS):
            room["offers"][rank], room["likely"][rank] = 0, 1
        add_market(table, weights, room)
        add_draws(weights, room)
        value += weights["next"] * best_offer(room)
    return value


@compiled
def rate_later(weights, turn, settled, column, top):
    """Beyond the next turn: the height, and what lies in the following column."""
    height = weights["height"][min(abs(top - SPARE_TOP), HEIGHTS - 1)]
    return settled * height + weights["soon"][turn] * column["ways"][top + MARGIN]


@compiled
def add_offer(value, likely, room):
    """Adds what the next turn may offer, with its probability, if it is among the best."""
    offers, probabilities = room["offers"], room["likely"]
    if value <= offers[OFFERS - 1]:
        return
    rank = OFFERS - 1
    while rank > 0 and offers[rank - 1] < value:
        offers[rank], probabilities[rank] = offers[rank - 1], probabilities[rank - 1]
        rank -= 1
    offers[rank], probabilities[rank] = value, likely


@compiled
def best_offer(room):
    """The expected value of the best offer."""
    expected, missing = np.float32(0), np.float32(1)
    for rank in range(OFFERS):
        expected += missing * room["likely"][rank] * room["offers"][rank]
        missing *= 1 - room["likely"][rank]
    return expected + missing * room["offers"][OFFERS - 1]


@compiled
def add_draws(weights, room):
    """Adds the towels that may come from the bag: all ways in which one can match."""
    top, active = room["top"], room["active"]
    next_column, after_next = room["columns"][room["next"]], room["columns"][room["next"] + 1]
    draws = weights["chance"][min(room["dollars"], DRAWS - 1)] * room["players"]
    for cell in range(CELLS):
        if active[cell] >= 0:
            for other in range(CELLS):
                there = top + cell - other
                value = room["gains"][cell] + next_column["later"][there + MARGIN]
                value += rate_later(weights, 1, room["settled"], after_next, there)
                add_offer(value, min(draws * room["often"][other, active[cell]], np.float32(1)), room)


@compiled
def add_market(table, weights, room):
    """Adds the towels of the market, each with the probability that it stays and can be paid."""
    taken, dollars, purse = room["taken"], room["dollars"], room["purse"]
    for place in range(PLACES):
        closes_up = taken >= 0 and place > taken and place // PLACES_PER_ROW == taken // PLACES_PER_ROW
        price = PRICES[place] - closes_up
        if place == taken or price > dollars + 1:
            continue
        value = rate_follower(towel_at(table, place), weights, room)
        likely = room["stays"][place]
        sinks = weights["sinks"] if price > 0 else np.float32(0)
        if price > dollars:
            likely *= sinks
            value -= purse[1, dollars] - purse[1, 0]
        else:
            cheaper = max(price - 1, 0)
            left = (1 - sinks) * purse[1, dollars - price] + sinks * purse[1, dollars - cheaper]
            value -= purse[1, dollars] - left
        add_offer(value, likely, room)


@compiled
def rate_follower(number, weights, room):
    """The value of laying a towel in the next turn, at the best top."""
    top, shifts = room["top"], room["shifts"]
    next_column, after_next = room["columns"][room["next"]], room["columns"][room["next"] + 1]
    shifts_of(number, room["active"], shifts)
    best = NEVER
    for cell in range(CELLS):
        shift = shifts[cell]
        if -NO_SHIFT <= shift <= NO_SHIFT:
            value = gain_of(shift, shifts, room["gains"]) + next_column["later"][top + shift + MARGIN]
            best = max(best, value + rate_later(weights, 1, room["settled"], after_next, top + shift))
    return best
