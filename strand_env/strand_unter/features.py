"""The default encoding of environments: the observation as plain networks learn from it, and what follows from it.

Counts are scaled so that each step matters; categories are one-hot. What networks learn slowly is precomputed: what
cards still need, what the dial's positions and the observer's actions would bring, which castles the sea will leave.
All of it follows from the rules and the observation; with hidden buckets, the others' count as empty.
"""

from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from strand_env.engine.game import Encoding
from strand_env.engine.jit import Kernel, compiled
from strand_env.engine.layout import Layout, Part
from strand_env.strand_unter.actions import (
    FIRST_COMBINATION,
    NUM_DIAL_POSITIONS,
    PAIRS,
    TAKE_ALL_BUT,
    TAKE_CASTLE,
    TAKE_COLOUR,
    TAKE_PAIR,
    TAKE_TWO_AND_ONE,
    TWOS_AND_ONES,
)
from strand_env.strand_unter.layout import IS_FLOODED, IS_READY, MOST_POINTS, ON_HEAP, STANDS_IN, layout_of
from strand_env.strand_unter.legal import (
    THREE_DIFFERENT,
    THREE_SAME,
    TWO_AND_ONE,
    TWO_DIFFERENT,
    TWO_SAME,
    shells_of_colour,
)
from strand_env.strand_unter.phases import last_dry_groove
from strand_env.strand_unter.ruleset import (
    COMBINATIONS,
    MAX_PLAYERS,
    NUM_COLOURS,
    NUM_SHELLS,
    NUM_VALUES,
    PLAYED_GROOVES,
    PLAYER_COUNTS,
    TURN_ROUND,
    Ruleset,
)
from strand_env.strand_unter.seats import is_built
from strand_env.strand_unter.state import COLLECT, LAST_GROOVE, LAST_ROUND, PHASES, TROVE

NAME = "features 1"  # the number goes up with any change below

_FEW, _MANY, _POINTS = np.float32(2), np.float32(4), np.float32(10)  # by which counts and points are divided
_THRESHOLDS = 4  # shells of a colour in the groove that are told apart
_ENDS = 3  # where the sea can be in the last round: 3, 4 or 5
_TAKES = TAKE_CASTLE - TAKE_COLOUR
_OBSERVED = layout_of(Ruleset.default())
_FLOODS = LAST_ROUND - TURN_ROUND - 1  # grooves that the sea takes back until the last round
_FIRST_END = last_dry_groove(0) - _FLOODS

_TABLE = (
    Part("phase", 1, f"one-hot: {', '.join(PHASES)}", (len(PHASES),)),
    Part("round", 1, "one-hot: the round", (LAST_ROUND,)),
    Part("rounds_left", 1, "rounds to come, of 15"),
    Part("players", 1, "one-hot: 2, 3, 4 players", (len(PLAYER_COUNTS),)),
    Part("groove", 1, "the sandpiper's groove, of 8"),
    Part("sea", 1, "outermost dry groove, of 11"),
    Part("high_tide", 1, "1 after the turn of the tide"),
    Part(
        "end", 1, "one-hot: 3, 4, 5, the outermost dry groove of round 15; before the turn as castles stand", (_ENDS,)
    ),
    Part(
        "shells_at_least",
        1,
        "for each colour, whether at least 1, 2, 3, 4 shells of it lie in the groove",
        (NUM_COLOURS, _THRESHOLDS),
    ),
    Part("shells", NUM_SHELLS / 4, "shells of each colour in the groove, by 4", (NUM_COLOURS,)),
    Part("unseen", NUM_SHELLS / 10, "shells of each colour out of sight, by 10", (NUM_COLOURS,)),
    Part("next_fill", NUM_SHELLS / 10, "shells that fill the next round's groove, by 10"),
    Part("possible", 1, "for each dial position, whether the groove holds it", (NUM_DIAL_POSITIONS,)),
    Part(
        "take",
        NUM_SHELLS / 2,
        "for each action from 10 to 35 in collect and trove: shells it brings that the own cards need, by 2",
        (_TAKES,),
    ),
    Part(
        "build", 1.1, "for each castle value: points of building it here, by 10; 0 if it cannot be paid", (NUM_VALUES,)
    ),
)
_SEAT = (
    Part("present", 1, "1 if somebody sits there"),
    Part("to_act", 1, "1 if the player has to decide now"),
    Part("in_spell", 1, "1 if the player's combination collided this round"),
    Part("owed", 1, "1 if the player has a consolation trove to come"),
    Part("bucket", NUM_SHELLS / 4, "shells of each colour in the bucket, by 4", (NUM_COLOURS,)),
    Part(
        "lacking",
        NUM_SHELLS / 4,
        "shells of each colour that the cards not built still need in all, by 4; below 0 if more are there",
        (NUM_COLOURS,),
        -NUM_SHELLS / 4,
    ),
    Part(
        "short",
        NUM_SHELLS / 2,
        "for each card not built, shells of each colour that the bucket is short of, by 2",
        (NUM_VALUES, NUM_COLOURS),
    ),
    Part(
        "missing", NUM_SHELLS / 4, "for each card not built, shells missing in all, wild included, by 4", (NUM_VALUES,)
    ),
    Part("payable", 1, "for each card not built, whether the bucket can pay it", (NUM_VALUES,)),
    Part("on_heap", 1, "for each castle value, whether it is on the heap", (NUM_VALUES,)),
    Part("ready", 1, "for each castle value, whether it is ready", (NUM_VALUES,)),
    Part("stands_in", 1, "for each castle value, the groove it stands in, of 8, or 0", (NUM_VALUES,)),
    Part("stays", 1, "for each castle value, whether it stands where the sea will not come", (NUM_VALUES,)),
    Part("flooded", 1, "for each castle value, whether it was flooded", (NUM_VALUES,)),
    Part("built_at_least", 1, "whether at least 1, 2, 3 castles are built, flooded ones included", (NUM_VALUES - 1,)),
    Part("points", MOST_POINTS / 10, "beach points of the castles that stand, by 10"),
    Part("points_to_stay", MOST_POINTS / 10, "those of them that the sea will leave, by 10"),
    Part("unfit", NUM_SHELLS / 4, "shells that find no space on the cards not built, by 4"),
    Part(
        "lead",
        MOST_POINTS + NUM_SHELLS,
        "the observer's score if the game ended now less this one, by 10; for seat 0 less the best other one",
        (),
        -MOST_POINTS - NUM_SHELLS,
    ),
    Part("dial", 1, "one-hot: position set this round, zero before the reveal", (NUM_DIAL_POSITIONS,)),
    Part("spell_dial", 1, "one-hot: single set in this round's shell-spell", (FIRST_COMBINATION,)),
    Part(
        "brings",
        NUM_SHELLS / 2,
        "for each dial position, needed shells it brings if set alone, by 2",
        (NUM_DIAL_POSITIONS,),
    ),
    Part("dials_set", 1, "the share of each position among those set in this game", (NUM_DIAL_POSITIONS,)),
    Part("last_dial", 1, "one-hot: position set in the round before", (NUM_DIAL_POSITIONS,)),
    Part("spell_dials_set", 1, "the share of each single among those set in shell-spells", (FIRST_COMBINATION,)),
    Part("last_spell_dial", 1, "one-hot: single set in the shell-spell of the round before", (FIRST_COMBINATION,)),
)
LAYOUT = Layout(_TABLE, _SEAT, MAX_PLAYERS, np.float32)

_TIMES = np.arange(LAST_ROUND + 1)
_SHARES = (_TIMES / np.maximum(_TIMES, 1)[:, np.newaxis]).astype(np.float32)  # by total and number; dividing is slower
_PAIRS, _TWOS_AND_ONES = np.array(PAIRS), np.array(TWOS_AND_ONES)


def encode(observations: npt.NDArray[np.integer], combinations: npt.NDArray[np.int8]) -> npt.NDArray[np.float32]:
    """(rows, LAYOUT.size) from (rows, entries) observations; by the kinds of combinations in the dial's order."""
    return LAYOUT.filled(write_features, _OBSERVED, observations, combinations)


def features_of(ruleset: Any) -> Encoding:
    """The encoding under a ruleset, which orders the dial."""
    kinds = np.array([COMBINATIONS.index(kind) for kind in ruleset.combinations], np.int8)
    return Encoding(NAME, LAYOUT.size, partial(encode, combinations=kinds), layout=LAYOUT, of_ruleset=features_of)


FEATURES = features_of(Ruleset.default())


@Kernel
def write_features(start, stop, tables, seats, combinations, entries, records):
    for row in range(start, stop):
        entries[row, :] = 0
        table, shown = tables[row], records[row]
        end = end_of_sea(table, seats[row])
        show_table(table, end, combinations, shown)
        for player in range(MAX_PLAYERS):
            if seats[row, player]["present"]:
                show_seat(table, seats[row, player], end, combinations, shown["seats"][player])
        show_leads(shown["seats"])
        show_own_actions(table, seats[row, 0], combinations, shown)


@compiled
def end_of_sea(table, seats):
    """The outermost groove that will be dry in the last round; before the turn, if no more castles are built."""
    if table["high_tide"]:
        return np.int64(table["sea"]) - (LAST_ROUND - table["round"])
    outermost = 0
    for player in range(MAX_PLAYERS):
        for value in range(NUM_VALUES):
            outermost = max(outermost, seats[player]["castles"][value, STANDS_IN])
    return last_dry_groove(outermost) - _FLOODS


@compiled
def show_table(table, end, combinations, shown):
    for phase in range(len(PHASES)):
        shown["phase"][phase] = table["phase"][phase]
    shown["round"][table["round"] - 1] = 1
    shown["rounds_left"] = (LAST_ROUND - table["round"]) / np.float32(LAST_ROUND)
    for number in range(len(table["players"])):
        shown["players"][number] = table["players"][number]
    shown["groove"] = table["groove"] / np.float32(PLAYED_GROOVES)
    shown["sea"] = table["sea"] / np.float32(LAST_GROOVE)
    shown["high_tide"] = table["high_tide"]
    shown["end"][min(max(end - _FIRST_END, 0), _ENDS - 1)] = 1
    for colour in range(NUM_COLOURS):
        there = table["shells"][colour]
        for number in range(_THRESHOLDS):
            shown["shells_at_least"][colour, number] = there > number
        shown["shells"][colour] = there / _MANY
        shown["unseen"][colour] = table["unseen"][colour] / _POINTS
        shown["possible"][colour] = there > 0
    shown["next_fill"] = table["next_fill"] / _POINTS
    kinds, most = 0, 0  # colours that lie there, and the most shells of one
    for colour in range(NUM_COLOURS):
        kinds += table["shells"][colour] > 0
        most = max(most, table["shells"][colour])
    for place in range(len(combinations)):
        shown["possible"][FIRST_COMBINATION + place] = is_possible(combinations[place], kinds, most)


@compiled
def is_possible(kind, kinds, most):
    """Whether a combination can be taken, by the number of colours there and of shells of the most frequent one."""
    if kind in (TWO_DIFFERENT, THREE_DIFFERENT):
        return kinds >= (2 if kind == TWO_DIFFERENT else 3)
    if kind == TWO_AND_ONE:
        return kinds >= 2 and most >= 2
    return most >= (2 if kind == TWO_SAME else 3 if kind == THREE_SAME else 1)


@compiled
def show_seat(table, seat, end, combinations, shown):
    shown["present"] = 1
    shown["to_act"] = seat["to_act"]
    shown["in_spell"] = seat["in_spell"]
    shown["owed"] = seat["owed"]
    show_needs(seat, shown)
    show_castles(seat, end, shown)
    show_gains(table, combinations, shown)
    show_dials(seat, shown)


@compiled
def show_needs(seat, shown):
    for colour in range(NUM_COLOURS):
        shown["bucket"][colour] = seat["bucket"][colour] / _MANY
        shown["lacking"][colour] = -shown["bucket"][colour]
    for value in range(NUM_VALUES):
        if not is_built(seat["castles"][value]):
            shells = spare = np.int64(0)
            for colour in range(NUM_COLOURS):
                card = np.int64(seat["cards"][value, colour])
                over = seat["bucket"][colour] - card
                short = max(-over, 0)
                shells += short
                spare += max(over, 0)
                shown["short"][value, colour] = short / _FEW
                shown["lacking"][colour] += card / _MANY
            shells += spare == 0  # for the wild space
            shown["missing"][value] = shells / _MANY
            shown["payable"][value] = shells == 0
    unfit = (seat["built"] - NUM_VALUES) / _MANY  # a wild space on each card
    for colour in range(NUM_COLOURS):
        unfit += max(-shown["lacking"][colour], np.float32(0))
    shown["unfit"] = max(unfit, 0)


@compiled
def show_castles(seat, end, shown):
    to_stay = 0
    for value in range(NUM_VALUES):
        castle = seat["castles"][value]
        shown["on_heap"][value] = castle[ON_HEAP]
        shown["ready"][value] = castle[IS_READY]
        shown["stands_in"][value] = castle[STANDS_IN] / np.float32(PLAYED_GROOVES)
        shown["flooded"][value] = castle[IS_FLOODED]
        if 0 < castle[STANDS_IN] <= end:
            shown["stays"][value] = 1
            to_stay += castle[STANDS_IN] + value
    for number in range(NUM_VALUES - 1):
        shown["built_at_least"][number] = seat["built"] > number
    shown["points"] = seat["points"] / _POINTS
    shown["points_to_stay"] = to_stay / _POINTS


@compiled
def needed_of(shown, colour):
    """Shells of a colour that the cards of a seat still need."""
    return max(np.int64(shown["lacking"][colour] * _MANY), 0)


@compiled
def show_gains(table, combinations, shown):
    """What each position would bring of what the cards need; wild spaces are not counted."""
    kinds = ones = two_same = three_same = all_of_one = 0
    for colour in range(NUM_COLOURS):
        there, needed = np.int64(table["shells"][colour]), needed_of(shown, colour)
        one = min(there, needed, 1)
        shown["brings"][colour] = one / _FEW
        kinds += there > 0
        ones += one
        two_same = max(two_same, min(needed, 2) * (there >= 2))
        three_same = max(three_same, min(needed, 3) * (there >= 3))
        all_of_one = max(all_of_one, min(needed, there))
    two_and_one = 0
    for colour in range(NUM_COLOURS):
        if table["shells"][colour] >= 2 and kinds >= 2:
            needed = needed_of(shown, colour)
            two_and_one = max(two_and_one, min(needed, 2) + (ones > (needed > 0)))
    two_different, three_different = min(ones, 2) * (kinds >= 2), min(ones, 3) * (kinds >= 3)
    by_kind = (two_same, two_different, three_same, two_and_one, three_different, all_of_one)
    for place in range(len(combinations)):
        shown["brings"][FIRST_COMBINATION + place] = by_kind[combinations[place]] / _FEW


@compiled
def show_dials(seat, shown):
    times = spells = 0
    for position in range(NUM_DIAL_POSITIONS):
        shown["dial"][position] = seat["dial"][position]
        times += seat["dials_set"][position]
    for single in range(FIRST_COMBINATION):
        shown["spell_dial"][single] = seat["spell_dial"][single]
        spells += seat["spell_dials_set"][single]
    for position in range(NUM_DIAL_POSITIONS):
        shown["dials_set"][position] = _SHARES[times, seat["dials_set"][position]]
    for single in range(FIRST_COMBINATION):
        shown["spell_dials_set"][single] = _SHARES[spells, seat["spell_dials_set"][single]]
    if seat["last_dial"]:
        shown["last_dial"][seat["last_dial"] - 1] = 1
    if seat["last_spell_dial"]:
        shown["last_spell_dial"][seat["last_spell_dial"] - 1] = 1


@compiled
def score_now(shown):
    """By 10, as points are."""
    return shown["points"] - shown["unfit"] * (_MANY / _POINTS)


@compiled
def show_leads(seats):
    own = score_now(seats[0])
    least = np.float32(MOST_POINTS)
    for player in range(1, MAX_PLAYERS):
        if seats[player]["present"]:
            seats[player]["lead"] = own - score_now(seats[player])
            least = min(least, seats[player]["lead"])
    seats[0]["lead"] = least


@compiled
def show_own_actions(table, seat, combinations, shown):
    own = shown["seats"][0]
    for value in range(NUM_VALUES):
        if seat["castles"][value, IS_READY] and own["payable"][value]:
            shown["build"][value] = (table["groove"] + value) / _POINTS
    if seat["to_act"] and (table["phase"][COLLECT] or table["phase"][TROVE]):
        kind = TROVE_SHELL
        for place in range(len(combinations)):
            if table["phase"][COLLECT] and seat["dial"][FIRST_COMBINATION + place]:
                kind = combinations[place]
        show_takes(table, own, kind, shown["take"])


TROVE_SHELL = -1  # in place of a kind of combination


@compiled
def show_takes(table, own, kind, take):
    """For each way to take a combination, or a trove, the shells that it brings to the player's cards."""
    there = table["shells"]
    if kind == TWO_DIFFERENT:
        for index in range(len(_PAIRS)):
            first, second = _PAIRS[index]
            if there[first] and there[second]:
                take[TAKE_PAIR - TAKE_COLOUR + index] = own["brings"][first] + own["brings"][second]
    elif kind == TWO_AND_ONE:
        for index in range(len(_TWOS_AND_ONES)):
            two, one = _TWOS_AND_ONES[index]
            if there[two] >= 2 and there[one]:
                gain = min(needed_of(own, two), 2) / _FEW + own["brings"][one]
                take[TAKE_TWO_AND_ONE - TAKE_COLOUR + index] = gain
    elif kind == THREE_DIFFERENT:
        total = own["brings"][0] + own["brings"][1] + own["brings"][2] + own["brings"][3]
        for left_out in range(NUM_COLOURS):
            take[TAKE_ALL_BUT - TAKE_COLOUR + left_out] = total - own["brings"][left_out]
    else:
        for colour in range(NUM_COLOURS):
            amount = 1 if kind == TROVE_SHELL else shells_of_colour(kind, np.int64(there[colour]))
            if there[colour] >= amount:
                take[colour] = min(needed_of(own, colour), amount) / _FEW
