"""The default encoding of environments: the observation as plain networks learn from it, and what follows from it.

Counts are scaled so that each step matters; categories are one-hot. What networks learn slowly is precomputed: what
each way to lay a towel of the market brings at once and could bring in the next turn. All of it follows from the rules
and the observation.
"""

from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from strand_env.engine.features import copied, show_leads
from strand_env.engine.game import Encoding
from strand_env.engine.jit import Kernel, compiled
from strand_env.engine.layout import Layout, Part
from strand_env.maui.actions import NO_SHIFT, PHASES, SHIFTS, TOKEN_PHASE, TURN
from strand_env.maui.layout import AHEAD, layout_of
from strand_env.maui.numbers import numbers_of
from strand_env.maui.ruleset import (
    CELLS,
    COLUMNS,
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
    PEARL_POINTS,
    PEARLS,
    PLACES,
    PLAYER_COUNTS,
    PRICES,
    ROW_VALUES,
    ROWS,
    TOKEN_KINDS,
    TOWELS,
    VARIANTS,
    Ruleset,
)
from strand_env.maui.seats import score_of, towel_at

NAME = "features 1"  # the number goes up with any change below

_FEW, _GAIN, _POINTS = np.float32(3), np.float32(8), np.float32(16)  # by which counts and points are divided
_MOST = 160.0  # bound of points divided by them, with 100 points at the end of each track
_TOPS = HIGHEST_TOP - LOWEST_TOP + 1
_SUPPLIES = 2  # ornament squares that are shown
_LAST_COLUMNS = 6  # that are told apart
_UMBRELLA, _CRAB = PEARL_COLOURS, PEARL_COLOURS + PATTERN_UMBRELLAS  # in the entries of a row ahead
_OBSERVED = layout_of(Ruleset.default())
_PATTERN_AT = np.array(TOWELS, np.int8)

_TABLE = (
    Part("phase", 1, f"one-hot: {', '.join(PHASES)}", (len(PHASES),)),
    Part("players", 1, "one-hot: 2, 3, 4 players", (len(PLAYER_COUNTS),)),
    Part("variant", 1, f"one-hot: {', '.join(VARIANTS)}", (len(VARIANTS),)),
    Part("crab_side", 1, "1 if the crab sides of the beaches are up"),
    Part("last_round", 1, "1 if the part ends with this round"),
    Part("turns_left", 1, "players who have their turn of this round after the one to act, by 3"),
    Part("columns_left", 1, "columns that the player furthest ahead has still to fill, of 12"),
    Part("few_columns", 1, "whether these are at most 1, 2, … 6", (_LAST_COLUMNS,)),
    Part("zones", 2, "dollars in each zone of the market, by 3", (MARKET_ROWS,)),
    Part("supply", 1, "tokens left on the first ornament squares, by 3", (_SUPPLIES,)),
    Part("pending", 2, "for each pattern umbrella: 1 if it is used now, 2 if next", (PATTERN_UMBRELLAS,)),
    Part("fresh", 2, "tokens of each kind that the player to act has received in this turn", (TOKEN_KINDS,)),
    Part(
        "matches",
        1,
        "for each action from 0 to 29: matches that the towel makes, by 3; 0 if it costs too much",
        (PLACES, SHIFTS),
    ),
    Part(
        "gain",
        _MOST,
        "for these: points at once of matches, pearls, umbrellas, crabs and penalties, by 8",
        (PLACES, SHIFTS),
        -_MOST,
    ),
    Part("outlook", _MOST, "for these: points if all its cells were matched in the next turn, by 8", (PLACES, SHIFTS)),
    Part("step", _MOST, "for each track: points of the next square, by 3", (NUM_PATTERNS,)),
    Part(
        "token",
        _MOST,
        "in token, for each kind and cell: points of the match that the token makes there, by 8",
        (TOKEN_KINDS, CELLS),
    ),
    Part(
        "pieces",
        _MOST,
        "for each of the next columns and each top from -1 on: points of the pieces and penalties there, by 3",
        (AHEAD, _TOPS),
        -_MOST,
    ),
)
_SEAT = (
    Part("present", 1, "1 if somebody sits there"),
    Part("to_act", 1, "1 if the player has to decide now"),
    Part("later", 1, "1 if the player comes after the observer in the turn order"),
    Part("points", _MOST, "the score as it stands, by 16", (), -_MOST),
    Part("lead", _MOST, "the observer's score less this one, by 16; for seat 0 less the best other one", (), -_MOST),
    Part("laid", 2, "towels on the beach, of 12"),
    Part("behind", 5, "towels that the observer has laid more, by 3", (), -5),
    Part("dollars_at_least", 1, "whether at least 1, 2, … dollars are held", (MOST_DOLLARS,)),
    Part("tokens", 4, "tokens held of each kind", (TOKEN_KINDS,)),
    Part(
        "pearls_at_least", 1, "for each colour, whether at least 1, 2, 3 pearls are collected", (PEARL_COLOURS, PEARLS)
    ),
    Part("shells", 4, "for each track, the square of the shell, by 8", (NUM_PATTERNS,)),
    Part("to_end", 4, "for each track, squares to the last one, by 8", (NUM_PATTERNS,)),
    Part(
        "to_ornament",
        _MOST,
        "for each track, squares to the next ornament square, by 8; 0 if none is ahead",
        (NUM_PATTERNS,),
    ),
    Part("worth", _MOST, "for each track, points of the next three squares, by 8", (NUM_PATTERNS,)),
    Part(
        "cells", 1, "for each cell of the last towel, one-hot: the pattern that can be matched", (CELLS, NUM_PATTERNS)
    ),
    Part("top", 1, "one-hot: top of the last towel, from row -1 on", (_TOPS,)),
    Part(
        "market",
        _MOST,
        "for each market place, the most points that its towel's matches bring, by 8",
        (PLACES,),
    ),
)
LAYOUT = Layout(_TABLE, _SEAT, MAX_PLAYERS, np.float32)

# What the next towel of a player would match, by pattern and row, with space for cells beside the beach
_FIRST_ROW = LOWEST_TOP - NO_SHIFT
_MATCHED = (NUM_PATTERNS, HIGHEST_TOP + SHIFTS - 1 - NO_SHIFT + CELLS - _FIRST_ROW)
_ROOM_DTYPE = np.dtype([("points", np.int32, _MATCHED), ("matches", np.int8, _MATCHED)], align=True)


def encode(observations: npt.NDArray[np.integer], rulesets: np.ndarray) -> npt.NDArray[np.float32]:
    """(rows, LAYOUT.size) from (rows, entries) observations; by the numbers of a ruleset for each variant."""
    return LAYOUT.filled(write_features, _OBSERVED, observations, rulesets, np.zeros(1, _ROOM_DTYPE))


def features_of(ruleset: Any) -> Encoding:
    """The encoding under a ruleset."""
    numbers = numbers_of(ruleset)
    return Encoding(NAME, LAYOUT.size, partial(encode, rulesets=numbers), layout=LAYOUT, of_ruleset=features_of)


FEATURES = features_of(Ruleset.default())


@Kernel
def write_features(start, stop, tables, seats, rulesets, room, entries, records):
    for row in range(start, stop):
        entries[row, :] = 0
        table, shown = tables[row], records[row]
        rules = rulesets[table["variant"][CRABS] * CRABS + table["variant"][COMBINED] * COMBINED]
        show_table(table, shown)
        show_ahead(seats[row, 0], rules, shown["pieces"])
        for place in range(MAX_PLAYERS):
            player = MAX_PLAYERS - 1 - place  # the observer last, whose matches are shown in full
            if seats[row, player]["present"]:
                show_seat(seats[row, player], seats[row, 0], rules, shown["seats"][player])
                find_matches(seats[row, player], rules, room[0])
                show_market(table, seats[row, player], room[0], shown["seats"][player]["market"])
        if table["phase"][TURN]:
            show_placements(table, seats[row, 0], rules, room[0], shown)
        else:
            show_rest(table, seats[row, 0], rules, shown)
        show_leads(shown["seats"], np.float32(_MOST))


@compiled
def show_table(table, shown):
    one = np.float32(1)
    copied(table["phase"], one, shown["phase"])
    copied(table["players"], one, shown["players"])
    copied(table["variant"], one, shown["variant"])
    shown["crab_side"], shown["last_round"] = table["crab_side"], table["last_round"]
    shown["turns_left"] = table["turns_left"] / _FEW
    shown["columns_left"] = table["columns_left"] / np.float32(COLUMNS)
    for number in range(_LAST_COLUMNS):
        shown["few_columns"][number] = table["columns_left"] <= number + 1
    copied(table["zones"], _FEW, shown["zones"])
    copied(table["supply"], _FEW, shown["supply"])
    copied(table["pending"], one, shown["pending"])
    copied(table["fresh"], one, shown["fresh"])


@compiled
def pearl_points(own, colour):
    """Points of one more pearl."""
    collected = min(np.int64(own["pearls"][colour]), PEARLS - 1)
    return PEARL_POINTS[collected + 1] - PEARL_POINTS[collected]


@compiled
def step_points(own, rules, track, steps):
    """Points of some steps on a track."""
    square = np.int64(own["shells"][track])
    return rules["points"][track, min(square + steps, rules["last"][track])] - rules["points"][track, square]


@compiled
def show_ahead(own, rules, pieces):
    """By column and top: what a towel would get of pearls, umbrellas, crabs and penalty tokens."""
    for column in range(AHEAD):
        first = row_points(own, rules, column, LOWEST_TOP)
        second = row_points(own, rules, column, LOWEST_TOP + 1)
        for top in range(_TOPS):
            third = row_points(own, rules, column, LOWEST_TOP + top + 2)
            pieces[column, top] = (first + second + third) / _FEW
            first, second = second, third


@compiled
def row_points(own, rules, column, row):
    """Points of a cell in a row of one of the next columns, besides matches."""
    if row < 1 or row > ROWS:
        return -rules["penalty"]
    there = own["ahead"][column, row - 1]
    points = -np.int64(there[_CRAB])
    for colour in range(PEARL_COLOURS):
        if there[colour]:
            points += pearl_points(own, colour)
    for number in range(PATTERN_UMBRELLAS):
        if there[_UMBRELLA + number]:
            tracks = rules["umbrella_tracks"][number]
            points += max(step_points(own, rules, tracks[0], 1), step_points(own, rules, tracks[1], 1))
    return points


@compiled
def find_matches(seat, rules, room):
    """Fills in where cells of the next towel would be matched, and the points that this brings."""
    room["points"][:], room["matches"][:] = 0, 0
    for row in range(1, ROWS + 1):
        if seat["ahead"][0, row - 1, _CRAB] == 0:
            for pattern in range(NUM_PATTERNS):
                if seat["last"][row - 1, pattern]:
                    points = step_points(seat, rules, pattern, np.int64(ROW_VALUES[row - 1]))
                    room["points"][pattern, row - _FIRST_ROW] = points
                    room["matches"][pattern, row - _FIRST_ROW] = 1


@compiled
def over_cells(entries, towel, first):
    """Of entries by pattern and row, the sum over a towel's cells from a place of the rows on."""
    total = np.int64(0)
    for cell in range(CELLS):
        total += entries[_PATTERN_AT[towel, cell], first + cell]
    return total


@compiled
def outlook_of(seat, rules, room, towel, first):
    """Points if all cells of a towel there were matched by the next one, after the steps of its own matches."""
    points = np.int64(0)
    for cell in range(CELLS):
        row, pattern = first + cell + _FIRST_ROW, _PATTERN_AT[towel, cell]
        if 1 <= row <= ROWS:
            value = np.int64(ROW_VALUES[row - 1])
            before = value if room["matches"][pattern, first + cell] else 0
            points += step_points(seat, rules, pattern, before + value) - step_points(seat, rules, pattern, before)
    return points


@compiled
def show_placements(table, own, rules, room, shown):
    """What each way to lay a towel that can be paid brings."""
    for place in range(PLACES):
        if PRICES[place] <= own["dollars"]:
            towel = towel_at(table, place)
            for shift in range(SHIFTS):
                first = np.int64(own["top"]) + shift  # of the rows: the tops begin NO_SHIFT behind them
                matches = over_cells(room["matches"], towel, first)
                if matches:
                    points = over_cells(room["points"], towel, first)
                    there = shown["pieces"][0, first - NO_SHIFT] * (_FEW / _GAIN)
                    shown["matches"][place, shift] = matches / _FEW
                    shown["gain"][place, shift] = points / _GAIN + there
                    shown["outlook"][place, shift] = outlook_of(own, rules, room, towel, first) / _GAIN


@compiled
def show_market(table, seat, room, best):
    """The most points that each towel of the market brings to a player by matches."""
    for place in range(PLACES):
        if PRICES[place] <= seat["dollars"]:
            towel = towel_at(table, place)
            most = np.int64(0)
            for shift in range(SHIFTS):
                most = max(most, over_cells(room["points"], towel, np.int64(seat["top"]) + shift))
            best[place] = most / _GAIN


@compiled
def show_rest(table, own, rules, shown):
    """In umbrella and token: points of single steps, and of matches by tokens."""
    for track in range(NUM_PATTERNS):
        shown["step"][track] = step_points(own, rules, track, 1) / _FEW
    if table["phase"][TOKEN_PHASE]:
        for cell in range(CELLS):
            row = np.int64(own["top"]) + LOWEST_TOP + cell
            for kind in range(TOKEN_KINDS):
                pattern = rules["token_pattern"][kind]
                if 1 <= row <= ROWS and table["before"][row - 1, pattern]:
                    shown["token"][kind, cell] = step_points(own, rules, pattern, np.int64(ROW_VALUES[row - 1])) / _GAIN


@compiled
def show_seat(seat, own, rules, shown):
    shown["present"], shown["to_act"] = 1, seat["to_act"]
    shown["later"] = seat["order"] > own["order"]
    shown["points"] = score_of(seat, rules) / _POINTS
    shown["laid"] = seat["laid"] / np.float32(COLUMNS)
    shown["behind"] = (np.int64(own["laid"]) - seat["laid"]) / _FEW
    for number in range(MOST_DOLLARS):
        shown["dollars_at_least"][number] = seat["dollars"] > number
    copied(seat["tokens"], np.float32(1), shown["tokens"])
    for colour in range(PEARL_COLOURS):
        for number in range(PEARLS):
            shown["pearls_at_least"][colour, number] = seat["pearls"][colour] > number
    copied(seat["shells"], _GAIN, shown["shells"])
    copied(seat["to_end"], _GAIN, shown["to_end"])
    copied(seat["to_ornament"], _GAIN, shown["to_ornament"])
    for track in range(NUM_PATTERNS):
        shown["worth"][track] = step_points(seat, rules, track, 3) / _GAIN
    top = np.int64(seat["top"])
    shown["top"][top] = 1
    for cell in range(CELLS):
        row = top + LOWEST_TOP + cell
        if 1 <= row <= ROWS:
            for pattern in range(NUM_PATTERNS):
                shown["cells"][cell, pattern] = seat["last"][row - 1, pattern]
