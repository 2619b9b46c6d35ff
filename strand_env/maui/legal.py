"""Legal actions: sets with one bit per action id in a 64-bit word.

Whether towels match is found out on sets of shown patterns (`state.py`): two towels match where their sets meet.
"""

import numpy as np

from strand_env.engine.bits import ONE
from strand_env.engine.jit import compiled
from strand_env.maui.actions import DOLLARS, PASS, SHIFTS, SPARE, STEP, TAKE, TOKEN
from strand_env.maui.ruleset import (
    CELLS,
    CRAB,
    CRAB_SIDE,
    MARKET_ROWS,
    NUM_PATTERNS,
    PLACES,
    PRICES,
    ROWS,
    TOKEN_KINDS,
    TOWELS,
)
from strand_env.maui.state import NO_COVER

NOTHING = np.uint64(0)
PASS_ONLY = np.uint64(1 << PASS)
ANY_SPARE = np.uint64(((1 << PLACES) - 1) << SPARE)

ROW = (1 << NUM_PATTERNS) - 1  # the patterns of one row
ROW_BITS = np.uint64(ROW)
ON_BEACH = np.uint64(sum(ROW << NUM_PATTERNS * (row + 1) for row in range(1, ROWS + 1)))
TOWEL_BITS = np.array([sum(1 << NUM_PATTERNS * k + p for k, p in enumerate(towel)) for towel in TOWELS], np.uint64)
PATTERN_OF = np.array(TOWELS, np.int8)
_ALL_CELLS = np.uint64(sum(1 << NUM_PATTERNS * cell for cell in range(CELLS)))
NUMBER = -1  # of a towel, the last of its entries in the market


@compiled
def row_shift(row):
    """The place of a row in a set of shown patterns."""
    return np.uint64(NUM_PATTERNS * (row + 1))


@compiled
def towel_shown(number, top):
    """What a towel shows as it lies, with all cells outside the beach covered."""
    return TOWEL_BITS[number] << row_shift(top) & ON_BEACH


@compiled
def crab_rows(game, rules, player, column):
    """The rows of a column, all patterns of each, in which crabs lie."""
    rows = NOTHING
    if game["table"]["crab_side"]:
        for place in range(rules["first_in"][CRAB_SIDE, column], rules["first_in"][CRAB_SIDE, column + 1]):
            spot = rules["by_column"][CRAB_SIDE, place]
            if game["pieces"][player, spot] >= CRAB:
                rows |= ROW_BITS << row_shift(rules["spot_row"][CRAB_SIDE, spot])
    return rows


@compiled
def token_bit(rules, kind):
    """The pattern of a token, in row -1."""
    return ONE << np.uint64(rules["token_pattern"][kind])


@compiled
def turn_options(game, rules, player):
    """Towels that can have a match, and dollars; if there are none, the spare towels.

    A token helps in any cell that can take it: it makes a match wherever the last towel shows its pattern.
    """
    table, seat = game["table"], game["seats"][player]
    last = game["shown"][player, 0] & ~crab_rows(game, rules, player, seat["laid"])
    by_token = NOTHING
    for kind in range(TOKEN_KINDS):
        by_token |= token_bit(rules, kind) * _ALL_CELLS if seat["tokens"][kind] > 0 else NOTHING
    # What the last towel shows in the rows that a new one can cover, from two rows below its top on.
    last = last << np.uint64(2 * NUM_PATTERNS) >> np.uint64(NUM_PATTERNS * seat["top"])
    options = NOTHING
    for place in range(PLACES):
        towel = TOWEL_BITS[table["market"][place, NUMBER]] | by_token
        meets = NOTHING
        for shift in range(SHIFTS):
            met = last & towel << np.uint64(NUM_PATTERNS * shift)
            meets |= np.uint64(met != NOTHING) << np.uint64(shift)
        options |= (meets if PRICES[place] <= seat["dollars"] else NOTHING) << np.uint64(TAKE + SHIFTS * place)
    for zone in range(MARKET_ROWS):
        options |= np.uint64(table["zones"][zone] > 0) << np.uint64(DOLLARS + zone)
    return options if options != NOTHING else ANY_SPARE


@compiled
def umbrella_options(game, rules, player, number):
    """The shells that a pattern umbrella can move."""
    options = NOTHING
    for each in range(2):
        track = rules["umbrella_tracks"][number, each]
        movable = game["seats"][player]["shells"][track] < rules["last"][track]
        options |= np.uint64(movable) << np.uint64(STEP + track)
    return options


@compiled
def token_options(game, rules, player):
    """The tokens that may be laid on the new towel, and to pass if it has a match.

    After each of them there must be a match, or one within reach of the tokens that are left. If nothing is possible,
    which can be only in positions set up by hand, the player passes.
    """
    tokens, fresh = game["seats"][player]["tokens"], game["table"]["fresh"]
    usable = 0
    for kind in range(TOKEN_KINDS):
        usable += tokens[kind] - fresh[kind]
    if usable == 0:
        return PASS_ONLY
    towel = game["beach"][player, game["seats"][player]["laid"] - 1]
    shown, before = game["shown"][player, 0], game["shown"][player, 1]
    free = NOTHING  # the rows of cells that can take a token
    for cell in range(CELLS):
        if towel["cover"][cell] == NO_COVER:
            free |= ROW_BITS << row_shift(towel["top"] + cell)
    options = PASS_ONLY if shown & before != NOTHING else NOTHING
    for kind in range(TOKEN_KINDS):
        if tokens[kind] <= fresh[kind]:
            continue
        # Where further tokens, after one of this kind, would make a match.
        further = NOTHING
        for other in range(TOKEN_KINDS):
            left = tokens[other] - fresh[other] - (other == kind)
            if left > 0:
                further |= before & free & in_every_row(token_bit(rules, other))
        for cell in range(CELLS):
            shift = row_shift(towel["top"] + cell)
            row = ROW_BITS << shift
            takes = free & row != NOTHING and PATTERN_OF[towel["number"], cell] != rules["token_pattern"][kind]
            after = shown & ~row | token_bit(rules, kind) << shift
            if takes and (after & before | further & ~row) != NOTHING:
                options |= ONE << np.uint64(TOKEN + CELLS * kind + cell)
    return options if options != NOTHING else PASS_ONLY


_EVERY_ROW = np.uint64(sum(1 << NUM_PATTERNS * row for row in range(64 // NUM_PATTERNS)))


@compiled
def in_every_row(pattern_bit):
    return pattern_bit * _EVERY_ROW
