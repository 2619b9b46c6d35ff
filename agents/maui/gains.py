"""Features: what each action brings, now and next, and the position in steps that can be told apart.

The gains follow from the observation, but over towels, rows, tracks and pieces, which networks are slow to combine.
They are those of `appraisal.py`, one idea at a time and without weights: how much each counts is left to the learner.
The numbers are those of the default ruleset.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from strand_env.agents.maui.appraisal import ROOM_DTYPE, rate
from strand_env.agents.maui.beach import AHEAD, MARGIN
from strand_env.agents.maui.laying import NO_MATCH
from strand_env.agents.maui.numbers import numbers_of
from strand_env.agents.maui.others import patterns_in, rate_for
from strand_env.agents.maui.prospects import PATTERN_AT
from strand_env.agents.maui.standing import points_of, turns_left
from strand_env.agents.maui.weights import DIVISORS, WEIGHTS_DTYPE
from strand_env.engine.bits import ONE
from strand_env.engine.game import Encoding
from strand_env.engine.jit import Kernel, compiled
from strand_env.maui import layout
from strand_env.maui.actions import (
    DOLLARS,
    NUM_ACTIONS,
    PASS,
    PHASES,
    SHIFTS,
    SPARE,
    STEP,
    TOKEN,
    TOKEN_PHASE,
    TURN,
    UMBRELLA,
)
from strand_env.maui.ruleset import (
    CELLS,
    COMBINED,
    CRABS,
    HIGHEST_TOP,
    LOWEST_TOP,
    MARKET_ROWS,
    MAX_PLAYERS,
    MOST_DOLLARS,
    NUM_PATTERNS,
    PATTERN_UMBRELLAS,
    PEARL_COLOURS,
    PEARLS,
    PLACES,
    PLAYER_COUNTS,
    PRICES,
    TOKEN_KINDS,
    VARIANTS,
    Ruleset,
)

# Each idea with the weights that let it count alone. The first is the points that an action brings at once, which the
# ratings by all others include.
IDEAS: tuple[dict[str, Any], ...] = (
    {},
    {"next": 1},  # the best towel in the next turn, if the market stayed as it is
    {"climb": 1},  # the points of the next steps on the tracks
    {"soon": (1, 0)},  # the pieces in the column after it
    {"token": 2, "lay": 2},  # tokens received less those laid
)
NUM_IDEAS = len(IDEAS)
POINTS, LEAD, FEW = np.float32(8), np.float32(16), np.float32(3)  # by which gains, leads and counts are divided

_TOPS = HIGHEST_TOP - LOWEST_TOP + 1
_SUPPLIES = 2  # ornament squares that are shown
_LAST_TURNS = 6  # that are told apart
ACTIONS = (*range(SPARE), *range(STEP, NUM_ACTIONS))  # those that are shown: all but the spare towels
_TABLE = len(PHASES) + len(PLAYER_COUNTS) + len(VARIANTS) + 3 + _SUPPLIES + PATTERN_UMBRELLAS + MARKET_ROWS
_OWN = CELLS * NUM_PATTERNS + _TOPS + 3 * NUM_PATTERNS + MOST_DOLLARS + TOKEN_KINDS + PEARL_COLOURS * PEARLS
_TIME = 1 + _LAST_TURNS
_OTHER = 6 + PLACES
SIZE = len(ACTIONS) * NUM_IDEAS + _TABLE + _OWN + _TIME + AHEAD * _TOPS + (MAX_PLAYERS - 1) * _OTHER
VERSION = 1  # bump with any change below

RULESETS = numbers_of(Ruleset.default())
_ROOM_DTYPE = np.dtype([("work", ROOM_DTYPE), ("ratings", np.float32, (NUM_IDEAS, NUM_ACTIONS))], align=True)


def _weights() -> np.ndarray:
    weights = np.zeros(NUM_IDEAS, WEIGHTS_DTYPE)
    for name in DIVISORS:
        weights[name] = 1
    for record, idea in zip(weights, IDEAS, strict=True):
        for name, value in idea.items():
            record[name] = value
    return weights


_WEIGHTS = _weights()


def encode_gains(observations: npt.NDArray[np.integer]) -> npt.NDArray[np.float32]:
    """(rows, SIZE) from (rows, entries) observations."""
    _, tables, seats = layout.by_name(observations)
    shown = np.zeros((len(observations), SIZE), np.float32)
    write_gains(1, len(shown), tables, seats, RULESETS, _WEIGHTS, np.zeros(1, _ROOM_DTYPE), shown)
    return shown


@Kernel
def write_gains(start, stop, tables, seats, rulesets, weights, room, out):
    for row in range(start, stop):
        table, own, work = tables[row], seats[row, 0], room[0]["work"]
        rules = rulesets[table["variant"][CRABS] * CRABS + table["variant"][COMBINED] * COMBINED]
        place = show_actions(table, seats[row], rulesets, rules, weights, work, room[0]["ratings"], out[row])
        place = show_table(table, place, out[row])
        place = show_own(own, work, place, out[row])
        place = show_time(table, seats[row], place, out[row])
        for index in range(AHEAD):
            for top in range(_TOPS):
                out[row, place] = work["columns"][index]["later"][top + LOWEST_TOP + MARGIN] / FEW
                place += 1
        for player in range(1, MAX_PLAYERS):
            if seats[row, player]["present"]:
                show_other(table, seats[row, player], own, rules, work, place, out[row])
            place += _OTHER


@compiled
def show_actions(table, seats, rulesets, rules, weights, work, ratings, out):
    """The points that each action brings, and what each further idea adds; 0 if it is illegal."""
    found = find_candidates(table, seats[0], rules, work)
    for idea in range(NUM_IDEAS):
        rate(table, seats, found, 0, NUM_ACTIONS, rulesets, weights[idea], work, ratings[idea])
    place = 0
    for action in ACTIONS:
        if ratings[0, action] > NO_MATCH / 2:
            out[place] = ratings[0, action] / POINTS
            for idea in range(1, NUM_IDEAS):
                out[place + idea] = (ratings[idea, action] - ratings[0, action]) / POINTS
        place += NUM_IDEAS
    return place


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
def copy_entries(entries, scale, place, out):
    """Copies some entries of an observation; returns the place after them."""
    for index in range(len(entries)):
        out[place + index] = entries[index] / scale
    return place + len(entries)


@compiled
def count_up(number, most, place, out):
    """Shows a number as so many ones; returns the place after them."""
    for each in range(most):
        out[place + each] = number > each
    return place + most


@compiled
def show_table(table, place, out):
    one = np.float32(1)
    place = copy_entries(table["phase"], one, place, out)
    place = copy_entries(table["players"], one, place, out)
    place = copy_entries(table["variant"], one, place, out)
    out[place], out[place + 1], out[place + 2] = table["crab_side"], table["last_round"], table["turns_left"] / FEW
    place = copy_entries(table["supply"][:_SUPPLIES], FEW, place + 3, out)
    place = copy_entries(table["pending"], one, place, out)
    return copy_entries(table["zones"], FEW, place, out)


@compiled
def show_own(own, work, place, out):
    top = np.int64(own["top"])
    patterns_in(own["last"], top + LOWEST_TOP, work["cells"])
    for cell in range(CELLS):
        if work["cells"][cell] >= 0:
            out[place + NUM_PATTERNS * cell + work["cells"][cell]] = 1
    place += CELLS * NUM_PATTERNS
    out[place + top] = 1
    place = copy_entries(own["shells"], POINTS, place + _TOPS, out)
    place = copy_entries(own["to_end"], POINTS, place, out)
    place = copy_entries(own["to_ornament"], FEW, place, out)
    place = count_up(own["dollars"], MOST_DOLLARS, place, out)
    place = copy_entries(own["tokens"], np.float32(1), place, out)
    for colour in range(PEARL_COLOURS):
        place = count_up(own["pearls"][colour], PEARLS, place, out)
    return place


@compiled
def show_time(table, seats, place, out):
    left = turns_left(seats, seats[0]["laid"] + table["phase"][TURN])
    out[place] = left / POINTS
    return count_up(left, _LAST_TURNS, place + 1, out)


@compiled
def show_other(table, seat, own, rules, work, place, out):
    """Another player: the lead over them, what they hold, and the points that the market's towels bring them."""
    out[place] = 1
    out[place + 1] = (points_of(own, rules) - points_of(seat, rules)) / LEAD
    out[place + 2] = (np.int64(own["laid"]) - seat["laid"]) / FEW
    out[place + 3] = seat["dollars"] / FEW
    out[place + 4] = (seat["tokens"][0] + seat["tokens"][1]) / FEW
    out[place + 5] = seat["order"] > own["order"]
    rate_for(seat, table, rules, work, work["values"])
    for option in range(PLACES):
        out[place + 6 + option] = max(work["values"][option], -1) / POINTS


GAINS = Encoding(f"gains {VERSION}", SIZE, encode_gains)
