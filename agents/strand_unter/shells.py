"""What a player's cards need, and so the value of shells and of another castle."""

import numpy as np

from strand_env.agents.choosing import NEVER
from strand_env.engine.jit import compiled
from strand_env.strand_unter.layout import IS_READY, ON_HEAP
from strand_env.strand_unter.ruleset import MAX_PLAYERS, MIN_PLAYERS, NUM_COLOURS, NUM_VALUES
from strand_env.strand_unter.scoring import lacking
from strand_env.strand_unter.seats import is_built, missing, to_build
from strand_env.strand_unter.state import LAST_ROUND

MOST = 12  # shells of a colour taken at once; more are rated like this many
NOT_READY = 4  # extra shells that a castle on the heap counts as lacking
VALUE_BITS, VALUE_MASK, NONE_LEFT = 2, 3, 255  # in the sort keys of castles


@compiled
def number_of_players(table):
    return MIN_PLAYERS + table["players"][1] + 2 * table["players"][2]


@compiled
def expected_end(table, seats, weights):
    """The round in which the game will probably end: when the leader has built all castles, or the last one."""
    most = 0
    for player in range(MAX_PLAYERS):
        most = max(most, seats[player]["built"])
    return min(np.float32(LAST_ROUND), table["round"] + weights["pace"] * (NUM_VALUES - most))


@compiled
def castles_by_need(seat):
    """The castles not built, the one lacking least first; a byte each: missing shells (more if not ready) and value."""
    ordered = 0
    for value in range(NUM_VALUES):
        castle = seat["castles"][value]
        key = NONE_LEFT
        if not is_built(castle):
            lacking = min(np.int64(missing(seat, value)), MOST) + NOT_READY * np.int64(castle[ON_HEAP])
            key = lacking << VALUE_BITS | value
        # Insert it before the greater ones.
        smaller = 0
        for rank in range(value):
            smaller += (ordered >> 8 * rank & NONE_LEFT) < key
        below = (1 << 8 * smaller) - 1
        ordered = ordered & below | key << 8 * smaller | (ordered & ~below) << 8
    return ordered


@compiled
def free_wilds(seat):
    """Wild spaces on the cards not built that no surplus shell of the bucket fills."""
    values = to_build(seat)
    free = NUM_VALUES - np.int64(seat["built"])
    for colour in range(NUM_COLOURS):
        free -= max(-lacking(values, seat["cards"], seat["bucket"], colour), 0)
    return max(free, 0)


@compiled
def rate_shells(table, seat, weights, end, only_one, worths, shells):
    """Fills in the value of 1, 2, … shells of each colour: only 1, or up to 3 or as many as lie there.

    They go first to the card nearest to completion, with ready castles before others.
    """
    within_reach = (end - table["round"] + 1) * weights["reach"]
    ordered = castles_by_need(seat)
    for rank in range(NUM_VALUES):
        hope = within_reach - ((ordered >> 8 * rank & NONE_LEFT) >> VALUE_BITS) + 1
        worths[rank] = weights["shell"][rank] * min(max(hope, np.float32(0)), np.float32(1))
    wilds = free_wilds(seat)
    for colour in range(NUM_COLOURS):
        lacking = -np.int64(seat["bucket"][colour])
        needed = 0  # a byte for each card: shells needed by it and those before it
        for rank in range(NUM_VALUES):
            key = ordered >> 8 * rank & NONE_LEFT
            lacking += seat["cards"][key & VALUE_MASK, colour] if key != NONE_LEFT else 0
            needed |= max(lacking, 0) << 8 * rank
        total = np.float32(0)
        shells[colour, 0] = total
        last = 1 if only_one else min(max(np.int64(table["shells"][colour]), 3), MOST)
        for number in range(1, last + 1):
            rank = 0  # of the card that this shell goes to
            for before in range(NUM_VALUES):
                rank += (needed >> 8 * before & 255) < number
            worth = np.float64(weights["wild"] if number - max(lacking, 0) <= wilds else -weights["unfit"])
            total = np.float32(total + (worths[rank] if rank < NUM_VALUES else worth))
            shells[colour, number] = total


@compiled
def another_castle(seat, weights, table, end):
    """The value of one more castle ready."""
    on_heap = ready = 0
    for value in range(NUM_VALUES):
        on_heap += seat["castles"][value, ON_HEAP]
        ready += seat["castles"][value, IS_READY]
    in_time = min(max(end - table["round"] - ready, np.float32(0)), np.float32(1))
    return weights["castle"][ready] * in_time if on_heap > 0 else np.float32(0)


@compiled
def best_single(there, shells):
    """The value of the best single shell in the groove."""
    best = NEVER
    for colour in range(NUM_COLOURS):
        if there[colour] > 0:
            best = max(best, shells[colour, 1])
    return best
