"""Features of a position that belong to no action: the table, what a player has, the others, in similar steps."""

import numpy as np

from strand_env.agents.maui.beach import AHEAD, MARGIN
from strand_env.agents.maui.others import patterns_in, rate_for
from strand_env.agents.maui.standing import turns_left
from strand_env.engine.jit import compiled
from strand_env.maui.actions import PHASES, TURN
from strand_env.maui.ruleset import (
    CELLS,
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
    TOKEN_KINDS,
    VARIANTS,
)
from strand_env.maui.seats import score_of

POINTS, LEAD, FEW = np.float32(8), np.float32(16), np.float32(3)  # by which gains, leads and counts are divided
TOPS = HIGHEST_TOP - LOWEST_TOP + 1

_SUPPLIES = 2  # ornament squares that are shown
_LAST_TURNS = 6  # that are told apart
_TABLE = len(PHASES) + len(PLAYER_COUNTS) + len(VARIANTS) + 3 + _SUPPLIES + PATTERN_UMBRELLAS + MARKET_ROWS
_OWN = CELLS * NUM_PATTERNS + TOPS + 3 * NUM_PATTERNS + MOST_DOLLARS + TOKEN_KINDS + PEARL_COLOURS * PEARLS
_TIME = 1 + _LAST_TURNS
_OTHER = 6 + PLACES
SIZE = _TABLE + _OWN + _TIME + AHEAD * TOPS + (MAX_PLAYERS - 1) * _OTHER


@compiled
def show_position(table, seats, rules, work, place, out):
    """Writes `SIZE` entries; the columns ahead are those that the working memory holds (`beach.survey`)."""
    place = show_table(table, place, out)
    place = show_own(seats[0], work, place, out)
    place = show_time(table, seats, place, out)
    for index in range(AHEAD):
        for top in range(TOPS):
            out[place] = work["columns"][index]["later"][top + LOWEST_TOP + MARGIN] / FEW
            place += 1
    for player in range(1, MAX_PLAYERS):
        if seats[player]["present"]:
            show_other(table, seats[player], seats[0], rules, work, place, out)
        place += _OTHER


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
    place = copy_entries(own["shells"], POINTS, place + TOPS, out)
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
    out[place + 1] = (score_of(own, rules) - score_of(seat, rules)) / LEAD
    out[place + 2] = (np.int64(own["laid"]) - seat["laid"]) / FEW
    out[place + 3] = seat["dollars"] / FEW
    out[place + 4] = (seat["tokens"][0] + seat["tokens"][1]) / FEW
    out[place + 5] = seat["order"] > own["order"]
    rate_for(seat, table, rules, work, work["values"])
    for option in range(PLACES):
        out[place + 6 + option] = max(work["values"][option], -1) / POINTS
