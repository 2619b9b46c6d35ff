"""Legal actions: sets with one bit per action id in a 64-bit word."""

import numpy as np

from strand_env.engine.bits import ONE
from strand_env.engine.jit import compiled
from strand_env.maui.actions import DOLLARS, PASS, SHIFTS, SPARE, STEP, TAKE, TOKEN
from strand_env.maui.ruleset import (
    CELLS,
    CRAB,
    CRAB_SIDE,
    LOWEST_TOP,
    MARKET_ROWS,
    MOST_DOLLARS,
    NO_SPOT,
    PLACES,
    PRICES,
    TOKEN_KINDS,
    TOWELS,
)
from strand_env.maui.state import NO_COVER, NOT_ACTIVE

NOTHING = np.uint64(0)
PASS_ONLY = np.uint64(1 << PASS)
ANY_SPARE = np.uint64(((1 << PLACES) - 1) << SPARE)
NUMBER = -1  # of a towel, the last of its entries in the market

SHOWN = np.array(TOWELS, np.uint8) + 1  # by number and cell: pattern, counted from 1

# Where the last towel shows a pattern: a byte of a word for each pattern, with a bit for each row that a new towel can
# cover, the lowest being two rows below the last towel's top. Shifted by these numbers, the byte of a cell's pattern
# has a bit for each way to lay the towel that brings this cell to a match.
_CELL_SHIFTS = np.array([[8 * shown + cell for cell, shown in enumerate(towel)] for towel in SHOWN.tolist()], np.uint64)
_ANY_SHIFT = np.uint64((1 << SHIFTS) - 1)
_LOWEST = CELLS - 1  # row of the last towel's cell 0
_EACH_BYTE = np.uint64((2**64 - 1) // 0xFF)
# By dollars: all ways to lay the towels that one can pay.
_PAYABLE = np.array(
    [
        sum(((1 << SHIFTS) - 1) << TAKE + SHIFTS * place for place in range(PLACES) if PRICES[place] <= dollars)
        for dollars in range(MOST_DOLLARS + 1)
    ],
    np.uint64,
)


@compiled
def top_of(seat):
    """The top of a player's last towel."""
    return np.int64(seat["top"]) + LOWEST_TOP


@compiled
def turn_options(game, rules, player):
    """Towels that can have a match, and dollars; if there are none, the spare towels."""
    table, seat = game["table"], game["seats"][player]
    last = NOTHING
    for cell in range(CELLS):
        last |= ONE << np.uint64(8 * game["shown"][player, 0, cell] + _LOWEST + cell)
    if table["crab_side"]:
        last &= ~crab_rows(game, rules, player, seat["laid"], top_of(seat))
    # A token makes a match in any cell that can take it, wherever the last towel shows the token's pattern.
    by_token = NOTHING
    for kind in range(TOKEN_KINDS):
        if seat["tokens"][kind] > 0:
            shown = last >> np.uint64(8 * (rules["token_pattern"][kind] + 1))
            by_token |= shown | shown >> np.uint64(1) | shown >> np.uint64(2)
    options = NOTHING
    for place in range(PLACES):
        shifts = _CELL_SHIFTS[table["market"][place, NUMBER]]
        meets = by_token
        for cell in range(CELLS):
            meets |= last >> shifts[cell]
        options |= (meets & _ANY_SHIFT) << np.uint64(TAKE + SHIFTS * place)
    options &= _PAYABLE[seat["dollars"]]
    for zone in range(MARKET_ROWS):
        options |= np.uint64(table["zones"][zone] > 0) << np.uint64(DOLLARS + zone)
    return options if options != NOTHING else ANY_SPARE


@compiled
def crab_rows(game, rules, player, column, top):
    """The rows of a column in which crabs lie, in the bytes of all patterns."""
    rows = NOTHING
    spot = rules["first_spot"][CRAB_SIDE, column]
    while spot != NO_SPOT:
        above = rules["spot_row"][CRAB_SIDE, spot] - top
        if game["pieces"][player, spot] >= CRAB and 0 <= above < CELLS:
            rows |= ONE << np.uint64(_LOWEST + above)
        spot = rules["next_spot"][CRAB_SIDE, spot]
    return rows * _EACH_BYTE


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
def rise_of(game, player):
    """How many rows the last towel's top is nearer to the trees than that of the towel before it."""
    column = np.int64(game["seats"][player]["laid"]) - 1
    return np.int64(game["beach"][player, column]["top"]) - game["beach"][player, column - 1]["top"]


@compiled
def shown_before(game, player, cell):
    """What a cell of the towel before the last one shows, which may be a cell that it does not have."""
    shown = game["shown"][player, 1, min(max(cell, 0), CELLS - 1)]
    return shown if 0 <= cell < CELLS else NOT_ACTIVE


@compiled
def token_options(game, rules, player):
    """The tokens that may be laid on the new towel, and to pass if it has a match.

    After each of them there must be a match, or one within reach of the tokens that are left. If nothing is possible,
    which can be only in positions set up by hand, the player passes.
    """
    tokens, fresh = game["seats"][player]["tokens"], game["table"]["fresh"]
    if tokens[0] == fresh[0] and tokens[1] == fresh[1]:
        return PASS_ONLY
    towel = game["beach"][player, game["seats"][player]["laid"] - 1]
    rise = rise_of(game, player)
    matches = 0  # cells, a bit for each
    for cell in range(CELLS):
        shown = game["shown"][player, 0, cell]
        matches |= (shown != NOT_ACTIVE and shown == shown_before(game, player, cell + rise)) << cell
    options = PASS_ONLY if matches != 0 else NOTHING
    for kind in range(TOKEN_KINDS):
        if tokens[kind] == fresh[kind]:
            continue
        within_reach = token_matches(game, rules, player, rise, kind)
        further = within_reach if tokens[kind] > fresh[kind] + 1 else 0
        if tokens[1 - kind] > fresh[1 - kind]:
            further |= token_matches(game, rules, player, rise, 1 - kind)
        for cell in range(CELLS):
            this, pattern = 1 << cell, rules["token_pattern"][kind] + 1
            takes = towel["cover"][cell] == NO_COVER and SHOWN[towel["number"], cell] != pattern
            after = (matches | further) & ~this | within_reach & this
            if takes and after != 0:
                options |= ONE << np.uint64(TOKEN + CELLS * kind + cell)
    return options if options != NOTHING else PASS_ONLY


@compiled
def token_matches(game, rules, player, rise, kind):
    """The cells of the last towel that can take a token and show its pattern in the towel before, a bit for each."""
    towel = game["beach"][player, game["seats"][player]["laid"] - 1]
    cells = 0
    for cell in range(CELLS):
        meets = shown_before(game, player, cell + rise) == rules["token_pattern"][kind] + 1
        cells |= (meets and towel["cover"][cell] == NO_COVER) << cell
    return cells
