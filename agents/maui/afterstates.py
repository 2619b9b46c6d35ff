"""Features: for each action the position that it leads to, and the position as it is, in steps that can be told apart.

All of it follows from the observation, but over towels, rows, tracks and pieces, which networks are slow to combine. It
counts points, chances and pieces; how much each of them matters is left to the learner. The numbers are those of the
default ruleset.
"""

import numpy as np
import numpy.typing as npt

from strand_env.agents.choosing import NEVER
from strand_env.agents.maui.appraisal import ROOM_DTYPE, imagine, look
from strand_env.agents.maui.beach import MARGIN, penalties
from strand_env.agents.maui.laying import CHOICES, NO_MATCH, lay_tokens, rate_as_it_lies
from strand_env.agents.maui.others import patterns_in, rate_for
from strand_env.agents.maui.position import FEW, POINTS, TOPS, count_up, show_position
from strand_env.agents.maui.position import SIZE as POSITION
from strand_env.agents.maui.prospects import PATTERN_AT, gain_of, row_value, shifts_of
from strand_env.agents.maui.tracks import outlook, tokens_between
from strand_env.agents.maui.weights import WEIGHTS_DTYPE
from strand_env.engine.bits import ONE, has
from strand_env.engine.game import Encoding
from strand_env.engine.jit import Kernel, compiled
from strand_env.maui import layout
from strand_env.maui.actions import (
    DOLLARS,
    NO_SHIFT,
    NUM_ACTIONS,
    PASS,
    SHIFTS,
    SPARE,
    STEP,
    TOKEN,
    TOKEN_PHASE,
    TURN,
    UMBRELLA,
)
from strand_env.maui.numbers import numbers_of
from strand_env.maui.ruleset import (
    CELLS,
    COMBINED,
    CRABS,
    HIGHEST_TOP,
    LOWEST_TOP,
    MARKET_ROWS,
    MAX_PLAYERS,
    NUM_PATTERNS,
    NUM_TOWELS,
    PATTERN_UMBRELLAS,
    PLACES,
    PLACES_PER_ROW,
    PRICES,
    ROWS,
    TOKEN_KINDS,
    Ruleset,
)
from strand_env.maui.seats import towel_at

_KINDS = 6  # of actions
_OFFERS = 3  # of the market in the next turn that are shown
_LEVELS = (2, 4, 6, 8)  # points that a towel from the bag may bring
_DOLLARS = 5  # held that are told apart
_LEFT = 4  # last turns that are told apart
PER_ACTION = (
    1
    + _KINDS
    + 10
    + 1
    + _DOLLARS
    + MARKET_ROWS
    + 1
    + _LEFT
    + TOPS
    + 2
    + 5 * CELLS
    + 3 * _OFFERS
    + 3
    + 2
    + len(_LEVELS)
    + 4
    + MAX_PLAYERS
    - 1
)
SIZE = NUM_ACTIONS * PER_ACTION + POSITION
VERSION = 1  # bump with any change below

_RULESETS = numbers_of(Ruleset.default())
_ROOM_DTYPE = np.dtype(
    [
        ("work", ROOM_DTYPE),
        ("harm", np.float32, (MAX_PLAYERS - 1, PLACES)),  # points that others lose if a towel is gone
        ("offers", np.float32, (_OFFERS, 3)),
    ],
    align=True,
)

# For the use of tokens that is assumed, and for the towels that others are expected to take: by points.
_COUNTED = {"next": 1, "others": 1, "guess": 1.5, "lay": 2, "sinks": 0.5, "chance": (0.1, 0.3, 0.5), "heat": 1}


def _weights() -> np.ndarray:
    weights = np.zeros(1, WEIGHTS_DTYPE)
    for name, value in _COUNTED.items():
        weights[name] = value
    return weights


_WEIGHTS = _weights()


def encode_afterstates(observations: npt.NDArray[np.integer]) -> npt.NDArray[np.float32]:
    """(rows, SIZE) from (rows, entries) observations."""
    _, tables, seats = layout.by_name(observations)
    shown = np.zeros((len(observations), SIZE), np.float32)
    write_afterstates(1, len(shown), tables, seats, _RULESETS, _WEIGHTS, np.zeros(1, _ROOM_DTYPE), shown)
    return shown


@Kernel
def write_afterstates(start, stop, tables, seats, rulesets, weights, room, out):
    for row in range(start, stop):
        table = tables[row]
        rules = rulesets[table["variant"][CRABS] * CRABS + table["variant"][COMBINED] * COMBINED]
        show_actions(table, seats[row], rules, weights[0], room[0], out[row])
        show_position(table, seats[row], rules, room[0]["work"], NUM_ACTIONS * PER_ACTION, out[row])


@compiled
def show_actions(table, seats, rules, weights, room, out):
    """The position after each action; all 0 if it is illegal."""
    work = room["work"]
    look(table, seats, rules, weights, work)
    expect_harm(table, seats, rules, room)
    found = find_candidates(table, seats[0], rules, work)
    options = 0
    for action in range(NUM_ACTIONS):
        if has(found, action):
            options += show_action(table, seats, rules, action, weights, room, out)
    if options == 0 and table["phase"][TURN]:
        for action in range(SPARE, STEP):
            show_action(table, seats, rules, action, weights, room, out)


@compiled
def find_candidates(table, own, rules, work):
    """The actions that are legal or would be with a match, a bit for each; no spare towels."""
    found = np.uint64(0)
    if table["phase"][TURN]:
        for action in range(DOLLARS):
            found |= np.uint64(PRICES[action // SHIFTS] <= own["dollars"]) << np.uint64(action)
        for zone in range(MARKET_ROWS):
            found |= np.uint64(table["zones"][zone] > 0) << np.uint64(DOLLARS + zone)
    elif table["phase"][UMBRELLA]:
        for number in range(PATTERN_UMBRELLAS):
            if table["pending"][number] == 1:
                for track in rules["umbrella_tracks"][number]:
                    found |= np.uint64(own["to_end"][track] > 0) << np.uint64(STEP + track)
    elif table["phase"][TOKEN_PHASE]:
        found |= ONE << np.uint64(PASS)
        cells = work["cells"]
        patterns_in(own["last"], np.int64(own["top"]) + LOWEST_TOP, cells)
        for kind in range(TOKEN_KINDS):
            for cell in range(CELLS):
                printed = np.int64(PATTERN_AT[own["number"], cell])
                takes = cells[cell] == printed and printed != rules["token_pattern"][kind]
                if takes and own["tokens"][kind] > table["fresh"][kind]:
                    found |= ONE << np.uint64(TOKEN + CELLS * kind + cell)
    return found


@compiled
def expect_harm(table, seats, rules, room):
    """Fills in what the others would lose if a towel of the market were gone, each by the points at once."""
    work, harm = room["work"], room["harm"]
    for player in range(1, MAX_PLAYERS):
        for place in range(PLACES):
            harm[player - 1, place] = 0
        if seats[player]["present"]:
            values = work["values"]
            rate_for(seats[player], table, rules, work, values)
            best, second, at = np.float32(0), np.float32(0), -1
            for place in range(PLACES):
                if values[place] > best:
                    best, second, at = values[place], best, place
                elif values[place] > second:
                    second = values[place]
            if at >= 0:
                harm[player - 1, at] = best - second


@compiled
def show_action(table, seats, rules, action, weights, room, out):
    """Returns whether the action is legal."""
    work, own = room["work"], seats[0]
    at_once = imagine(table, seats, rules, action, weights, work)
    best, chosen = NEVER, 0
    for choice in range(CHOICES if work["tokens"] else 1):
        laid = lay_tokens(rules, choice, work)
        if laid >= 0:
            value = rate_as_it_lies(table, rules, weights, work) - weights["lay"] * laid
            if value > best:
                best, chosen = value, choice
    if best < NO_MATCH / 2:
        return 0
    laid = lay_tokens(rules, chosen, work)
    rate_as_it_lies(table, rules, weights, work)
    place = action * PER_ACTION
    out[place] = 1
    place = show_kind(action, place + 1, out)
    place = show_gains(table, own, rules, action, at_once, laid, work, place, out)
    place = show_purse(table, own, action, work, place, out)
    place = show_place(table, own, rules, work, place, out)
    if work["left"] > 0:
        show_market(table, room, place, out)
        show_bag(table, work, place + 3 * _OFFERS + 3, out)
        show_pieces(work, place + 3 * _OFFERS + 5 + len(_LEVELS), out)
    place += 3 * _OFFERS + 5 + len(_LEVELS) + 4
    for player in range(MAX_PLAYERS - 1):
        if work["taken"] >= 0:
            out[place + player] = room["harm"][player, work["taken"]] / POINTS
    return 1


@compiled
def show_kind(action, place, out):
    kind = 0
    for first in (DOLLARS, SPARE, STEP, TOKEN, PASS):
        kind += action >= first
    out[place + kind] = 1
    return place + _KINDS


@compiled
def show_gains(table, own, rules, action, at_once, laid, work, place, out):
    """What the action brings at once."""
    points, climb, tokens, matches, steps = np.int64(0), np.int64(0), 0, 0, 0
    for track in range(NUM_PATTERNS):
        start = np.int64(own["shells"][track])
        end = min(start + work["steps"][track], rules["last"][track])
        steps += work["steps"][track]
        points += rules["points"][track, end] - rules["points"][track, start]
        climb += outlook(rules, track, end) - outlook(rules, track, start)
        tokens += tokens_between(table, rules, track, start, end)
    for cell in range(CELLS):
        matches += work["showing"][cell] >= 0 and work["showing"][cell] == work["before"][cell]
    spent = np.int64(work["dollars"]) - own["dollars"]
    purse = work["purse"][0]  # in points, of which dollars bring none if another part follows
    out[place] = (points + at_once + purse[work["dollars"]] - purse[own["dollars"]]) / POINTS
    out[place + 1] = points / POINTS
    out[place + 2] = climb / POINTS
    out[place + 3] = at_once / POINTS
    out[place + 4] = tokens
    out[place + 5] = laid
    out[place + 6] = matches / FEW
    out[place + 7] = steps / POINTS
    out[place + 8] = penalties(work["top"]) if work["next"] else 0
    out[place + 9] = spent / FEW
    return place + 10


@compiled
def show_purse(table, own, action, work, place, out):
    """Dollars and turns after the action."""
    out[place] = work["dollars"] / FEW
    place = count_up(work["dollars"], _DOLLARS, place + 1, out)
    for row in range(MARKET_ROWS):
        dollars = np.int64(table["zones"][row])
        if work["taken"] >= 0 and work["taken"] // PLACES_PER_ROW == row:
            dollars += np.int64(own["dollars"]) - work["dollars"]
        elif action == DOLLARS + row:
            dollars = np.int64(0)
        out[place + row] = dollars / FEW
    place += MARKET_ROWS
    out[place] = work["left"] / POINTS
    return count_up(work["left"], _LEFT, place + 1, out)


@compiled
def show_place(table, own, rules, work, place, out):
    """Where the last towel lies then, and what its cells may bring."""
    top = work["top"]
    out[place + top - LOWEST_TOP] = 1
    place += TOPS
    total, best = np.float32(0), np.float32(0)
    for cell in range(CELLS):
        at = place + 2 + 5 * cell
        pattern = work["active"][cell]
        if work["left"] > 0 and pattern >= 0:
            gain = work["gains"][cell]
            total += gain
            best = max(best, gain)
            out[at] = 1
            out[at + 1] = gain / POINTS
            out[at + 2] = row_value(top + cell) / FEW
            for other in range(CELLS):
                out[at + 3] += work["often"][other, pattern]
            start = min(np.int64(own["shells"][pattern]) + work["steps"][pattern], rules["last"][pattern])
            end = min(start + row_value(top + cell), rules["last"][pattern])
            out[at + 4] = tokens_between(table, rules, pattern, start, end)
    out[place], out[place + 1] = total / POINTS, best / POINTS
    return place + 2 + 5 * CELLS


@compiled
def show_market(table, room, place, out):
    """The best towels that the market offers then: points less the price, how likely they stay, what follows."""
    work, offers = room["work"], room["offers"]
    for rank in range(_OFFERS):
        offers[rank, 0], offers[rank, 1], offers[rank, 2] = 0, 0, 0
    taken, dollars = work["taken"], work["dollars"]
    short = np.float32(0)
    expected = np.float32(0)
    options = 0
    for market in range(PLACES):
        closes_up = taken >= 0 and market > taken and market // PLACES_PER_ROW == taken // PLACES_PER_ROW
        price = PRICES[market] - closes_up
        if market == taken:
            continue
        value, height = rate_follower(towel_at(table, market), work)
        if value < NO_MATCH / 2:
            continue
        if price > dollars:
            if price == dollars + 1:
                short = max(short, value - price)
            continue
        options += 1
        value -= price
        rank = _OFFERS
        while rank > 0 and offers[rank - 1, 0] < value:
            rank -= 1
        if rank < _OFFERS:
            for later in range(_OFFERS - 1, rank, -1):
                for each in range(3):
                    offers[later, each] = offers[later - 1, each]
            offers[rank, 0], offers[rank, 1], offers[rank, 2] = value, work["stays"][market], height
    missing = np.float32(1)
    for rank in range(_OFFERS):
        expected += missing * offers[rank, 1] * offers[rank, 0]
        missing *= 1 - offers[rank, 1]
        out[place + 3 * rank] = offers[rank, 0] / POINTS
        out[place + 3 * rank + 1] = offers[rank, 1]
        out[place + 3 * rank + 2] = offers[rank, 2] / POINTS
    place += 3 * _OFFERS
    out[place], out[place + 1], out[place + 2] = expected / POINTS, short / POINTS, options / FEW


@compiled
def rate_follower(number, work):
    """The points of laying a towel in the next turn, at the best top, and the values of the rows there."""
    top, shifts = work["top"], work["shifts"]
    column = work["columns"][work["next"]]
    shifts_of(number, work["active"], shifts)
    best, height = NO_MATCH, np.float32(0)
    for cell in range(CELLS):
        shift = shifts[cell]
        if -NO_SHIFT <= shift <= NO_SHIFT:
            value = gain_of(shift, shifts, work["gains"]) + column["later"][top + shift + MARGIN]
            if value > best:
                best, height = value, np.float32(0)
                for row in range(top + shift, top + shift + CELLS):
                    if 1 <= row <= ROWS:
                        height += row_value(row)
    return best, height


@compiled
def show_bag(table, work, place, out):
    """What a towel from the bag would bring."""
    number, total, none = 0, np.float32(0), 0
    for towel in range(NUM_TOWELS):
        if table["bag"][towel]:
            number += 1
            value, _ = rate_follower(towel, work)
            if value > NO_MATCH / 2:
                total += max(value, np.float32(0))
                for level in range(len(_LEVELS)):
                    out[place + 2 + level] += value >= _LEVELS[level]
            else:
                none += 1
    share = np.float32(1) / max(number, 1)
    out[place] = total * share / POINTS
    out[place + 1] = none * share
    for level in range(len(_LEVELS)):
        out[place + 2 + level] *= share


@compiled
def show_pieces(work, place, out):
    """What lies in the next two columns within reach."""
    for index in range(2):
        column = work["columns"][work["next"] + index]
        reach = NO_SHIFT * (index + 1)
        best = np.float32(-8)
        for top in range(max(work["top"] - reach, LOWEST_TOP), min(work["top"] + reach, HIGHEST_TOP) + 1):
            best = max(best, column["later"][top + MARGIN])
        out[place + 2 * index] = best / FEW
        out[place + 2 * index + 1] = column["ways"][work["top"] + MARGIN] / FEW


AFTERSTATES = Encoding(f"afterstates {VERSION}", SIZE, encode_afterstates, PER_ACTION)
