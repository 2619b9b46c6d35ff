"""What an action leads to by the next turn: the market then, after the others' turns, and the best that it will offer.

Nothing here is known for sure, so it is sampled: towels drawn from the bag, and others who take what is best for them,
by the points and by the values of `solo.py`. The random numbers are the same for all positions and actions.
"""

from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from strand_env.agents.maui.beach import MARGIN, penalties
from strand_env.agents.maui.others import patterns_in
from strand_env.agents.maui.prospects import CELL_OF, NOWHERE, row_value
from strand_env.agents.maui.solo import ENDS, SETTINGS, STEP, TOPS, Solo, solo
from strand_env.agents.maui.standing import in_first_part
from strand_env.agents.maui.tracks import tokens_between
from strand_env.engine.jit import compiled
from strand_env.engine.randomness import GAMMA, fraction, mixed
from strand_env.maui.actions import DOLLARS, SPARE, TURN
from strand_env.maui.ruleset import (
    CELLS,
    COLUMNS,
    CRAB,
    CRAB_VALUES,
    HIGHEST_TOP,
    LOWEST_TOP,
    MARKET_ROWS,
    MAX_PLAYERS,
    MOST_DOLLARS,
    MOST_SPOTS,
    NUM_PATTERNS,
    NUM_TOWELS,
    PATTERN_UMBRELLA,
    PEARL,
    PEARL_POINTS,
    PEARLS,
    PLACES,
    PLACES_PER_ROW,
    SPARE_TOP,
)
from strand_env.maui.seats import towel_at

SAMPLES = 32
OTHERS = MAX_PLAYERS - 1
LATER = 2  # ends of the game that are reckoned with: as soon as can be, or a round later
HEAT = 1.0  # points by which the others' choices differ from what is expected of them
TOKEN_WORTH = np.float32(1.8)  # points of a towel token held
_IMPOSSIBLE = np.float32(-1000)

# The markets that my action may leave: without a towel, with all of them, or without the dollars of a zone.
_ALL_TOWELS = PLACES
_LEFT_BEHIND = PLACES + 1 + MARKET_ROWS


class Chance(NamedTuple):
    """Random numbers."""

    deviations: npt.NDArray[np.float32]  # (samples, others, choices): of the others' ratings, Gumbel-distributed
    draws: npt.NDArray[np.float64]  # (samples, 2): from where on towels are drawn, and how far apart, in the bag


@cache
def solo_and_chance() -> tuple[Solo, Chance]:
    """The tables that `foresee` and `look_ahead` take."""
    choices = PLACES + 1
    with np.errstate(over="ignore"):
        bits = mixed(GAMMA * np.arange(SAMPLES * (OTHERS * choices + 2), dtype=np.uint64))
    uniform = fraction(bits).reshape(SAMPLES, -1)
    gumbel = -np.log(-np.log(np.maximum(uniform[:, : OTHERS * choices], 1e-12)))
    deviations = (HEAT * gumbel).reshape(SAMPLES, OTHERS, choices).astype(np.float32)
    return solo(), Chance(deviations, uniform[:, OTHERS * choices :].copy())


FORESIGHT_DTYPE = np.dtype(
    [
        # For the position
        ("setting", np.int64),  # of `solo.py`
        ("long", np.int64),  # 1 if the tracks are extended
        ("more_turns", np.int64),  # of another part
        ("bag", np.int64, (NUM_TOWELS,)),
        ("in_bag", np.int64),
        ("pieces", np.float32, (ENDS + 1, TOPS)),  # what lies in each column, more than on average
        ("ahead", np.float32, (ENDS + 1, TOPS)),  # what these bring from a column and top on
        ("others", np.int64),  # number of others who will have a turn before the next one
        ("laid", np.int64, (OTHERS,)),  # towels on their beaches
        ("follows", np.int64, (OTHERS,)),  # 1 if they play in this round after the player
        # By whether the player lays no towel now
        ("towels", np.float32, (2, OTHERS, NUM_TOWELS, PLACES_PER_ROW)),  # their values for the others, by price
        ("takes", np.float32, (2, OTHERS, MOST_DOLLARS + 1)),  # the value of taking that many dollars
        ("cells", np.int64, (CELLS,)),
        ("gains", np.float32, (CELLS,)),
        ("covers", np.float32, (TOPS,)),
        ("known", np.int64, (_LEFT_BEHIND,)),  # 1 if the markets have been sampled
        ("markets", np.int64, (_LEFT_BEHIND, SAMPLES, PLACES)),
        ("zones", np.int64, (_LEFT_BEHIND, SAMPLES)),  # the most dollars that can be taken
        ("then", np.int64, (_LEFT_BEHIND, SAMPLES)),  # turns left then; 0 if the game is over
        ("theirs", np.float32, (_LEFT_BEHIND,)),  # the others' mean value
        ("counts", np.int64, (OTHERS,)),
        ("market", np.int64, (PLACES,)),
        ("zone", np.int64, (MARKET_ROWS,)),
        # For an action
        ("squares", np.int64, (NUM_PATTERNS,)),
        ("offers", np.float32, (LATER, NUM_TOWELS, PLACES_PER_ROW)),  # by turns left then, more than expected
        # What is found
        ("now", np.float32),  # points at once
        ("tracks", np.float32),  # what slow starts and ends of the tracks take off
        ("later", np.float32),  # points to come by `solo.py`
        ("next", np.float32),  # the same by the next turn's markets
        ("more", np.float32),  # more of it because somebody puts off the end
        ("longer", np.float32),  # probability of that
        ("matched", np.int64),
        ("spread", np.float32),  # its standard deviation
        ("none", np.float32),  # probability that no towel matches
        ("harm", np.float32),  # that the others lose
    ],
    align=True,
)


@compiled
def foresee(table, seats, rules, solo, room):
    """Fills in what is the same for all actions."""
    own = seats[0]
    first_part = in_first_part(table)
    room["setting"] = 1 if table["crab_side"] else (SETTINGS - 1) * first_part
    room["long"] = rules["last"][0] > COLUMNS
    room["more_turns"] = COLUMNS * first_part
    room["in_bag"] = 0
    for towel in range(NUM_TOWELS):
        if table["bag"][towel]:
            room["bag"][room["in_bag"]] = towel
            room["in_bag"] += 1
    find_pieces(table, own, rules, solo, room)
    room["others"] = 0
    for player in range(1, MAX_PLAYERS):
        if seats[player]["present"]:
            other = room["others"]
            room["laid"][other] = seats[player]["laid"]
            room["follows"][other] = is_to_play(table, seats, player)
            for waits in range(2):
                rate_for_other(table, seats, player, waits, rules, solo, room)
            room["others"] += 1
    for left_behind in range(_LEFT_BEHIND):
        room["known"][left_behind] = 0


@compiled
def is_to_play(table, seats, player):
    """Whether a player has still a turn in this round."""
    if player == 0:
        return np.int64(table["phase"][TURN])
    return np.int64(seats[player]["order"] > seats[0]["order"])


@compiled
def rounds_left(table, seats, waits, player, also_waits):
    """Rounds after this one if everybody lays a towel in each turn, but these players may wait for one turn."""
    rounds = np.int64(COLUMNS)
    for each in range(MAX_PLAYERS):
        if seats[each]["present"]:
            to_lay = COLUMNS + 1 - np.int64(seats[each]["laid"]) - is_to_play(table, seats, each)
            rounds = min(rounds, to_lay + waits * (each == 0) + also_waits * (each == player))
    return max(rounds, 0)


@compiled
def worth_of(piece, seat):
    """The points of a piece: for a pearl, the mean over all of its colour that can be collected."""
    if piece >= CRAB:
        return -np.float32(piece - CRAB + CRAB_VALUES[0])
    if piece >= PATTERN_UMBRELLA:
        return STEP
    collected, lying = np.int64(seat["pearls"][piece - PEARL]), 0
    for spot in range(MOST_SPOTS):
        lying += seat["lying"][spot] == piece
    lying = min(lying, PEARLS - collected)
    return np.float32(PEARL_POINTS[collected + lying] - PEARL_POINTS[collected]) / max(lying, 1)


@compiled
def add_cover(row, value, covers):
    """Adds a piece's value for each top that covers its row."""
    for top in range(max(row - CELLS + 1, LOWEST_TOP), min(row, HIGHEST_TOP) + 1):
        covers[top - LOWEST_TOP] += value


@compiled
def find_pieces(table, own, rules, solo, room):
    """Fills in what the player's beach holds more than on average, and what that brings from each column and top on."""
    setting, side = room["setting"], np.int64(table["crab_side"])
    pieces, ahead = room["pieces"], room["ahead"]
    first = np.int64(own["laid"])
    for column in range(ENDS + 1):
        for top in range(TOPS):
            pieces[column, top] = -solo.pieces[setting, column, top] if column >= first else np.float32(0)
            ahead[column, top] = 0
    for spot in range(MOST_SPOTS):
        if own["lying"][spot]:
            value = worth_of(np.int64(own["lying"][spot]), own)
            add_cover(rules["spot_row"][side, spot], value, pieces[rules["spot_column"][side, spot]])
    for column in range(COLUMNS, first - 1, -1):
        for top in range(TOPS):
            for next_top in range(TOPS):
                more = pieces[column, next_top] + ahead[column + 1, next_top]
                ahead[column, top] += solo.moves[setting, column, top, next_top] * more


@compiled
def gain_by_steps(table, rules, solo, pattern, square, steps, turns, room):
    """The points of steps on a track, with a token on the way and what they leave to come in this many turns."""
    end = min(square + np.int64(steps), rules["last"][pattern])
    turns += room["more_turns"]
    gain = np.float32(rules["points"][pattern, end] - rules["points"][pattern, square])
    gain += solo.tracks[room["long"], turns, end] - solo.tracks[room["long"], turns, square]
    return gain + TOKEN_WORTH * (turns > 0) * tokens_between(table, rules, pattern, square, end)


@compiled
def rate_for_other(table, seats, player, waits, rules, solo, room):
    """Fills in the values of all towels and of dollars for another player."""
    seat, other, setting = seats[player], room["others"], room["setting"]
    to_play = is_to_play(table, seats, player)
    left = rounds_left(table, seats, waits, player, 0) - 1 + to_play
    # Dollars put off the end if it is near.
    after_dollars = left if left > 0 else rounds_left(table, seats, waits, player, 1) - 1 + to_play
    if after_dollars < 0:
        return  # no turn is left
    left = max(left, 0)
    cells, gains, covers = room["cells"], room["gains"], room["covers"]
    top = np.int64(seat["top"]) + LOWEST_TOP
    column, dollars = np.int64(seat["laid"]), np.int64(seat["dollars"])
    side = np.int64(table["crab_side"])
    patterns_in(seat["last"], top, cells)
    for index in range(TOPS):
        covers[index] = -rules["penalty"] * penalties(index + LOWEST_TOP)
    for spot in range(MOST_SPOTS):
        if seat["lying"][spot] and rules["spot_column"][side, spot] == column:
            row = rules["spot_row"][side, spot]
            add_cover(row, worth_of(np.int64(seat["lying"][spot]), seat), covers)
            if seat["lying"][spot] >= CRAB and 0 <= row - top < CELLS:
                cells[row - top] = -1
    for cell in range(CELLS):
        gains[cell] = 0
        if cells[cell] >= 0:
            square = np.int64(seat["shells"][cells[cell]])
            gains[cell] = gain_by_steps(table, rules, solo, cells[cell], square, row_value(top + cell), left, room)
    left = min(left, COLUMNS - column)
    for towel in range(NUM_TOWELS):
        values = room["towels"][waits, other, towel]
        for price in range(PLACES_PER_ROW):
            values[price] = _IMPOSSIBLE
        for cell in range(CELLS):
            if cells[cell] >= 0 and CELL_OF[towel, cells[cell]] != NOWHERE:
                shift = cell - CELL_OF[towel, cells[cell]]
                gain = covers[top + shift - LOWEST_TOP] + gain_at(towel, shift, cells, gains)
                for price in range(min(PLACES_PER_ROW, dollars + 1)):
                    later = solo.values[setting, left, column + 1, top + shift - LOWEST_TOP, dollars - price]
                    values[price] = max(values[price], gain + later)
    for more in range(MOST_DOLLARS + 1):
        purse = min(dollars + more, MOST_DOLLARS)
        room["takes"][waits, other, more] = solo.values[setting, after_dollars, column, top - LOWEST_TOP, purse]


@compiled
def gain_at(towel, shift, cells, gains):
    """The gain of all matches of a towel at a shift."""
    gain = np.float32(0)
    for cell in range(CELLS):
        if cells[cell] >= 0 and cell - CELL_OF[towel, cells[cell]] == shift:
            gain += gains[cell]
    return gain


@compiled
def take_from(place, draw, stride, room):
    """A towel leaves the market, which is filled up from the bag; returns where to draw the next one."""
    market = room["market"]
    last = place - place % PLACES_PER_ROW + PLACES_PER_ROW - 1
    for each in range(place, last):
        market[each] = market[each + 1]
    market[last] = room["bag"][draw]
    return (draw + stride) % room["in_bag"]


@compiled
def sample_markets(table, chance, left_behind, taken, paid, laid, room):
    """Samples the markets of the next turn, after the others' turns; the player has laid that many towels."""
    if room["known"][left_behind]:
        return
    room["known"][left_behind] = 1
    market, zone, counts = room["market"], room["zone"], room["counts"]
    waits = 1 if left_behind > _ALL_TOWELS else 0
    theirs = np.float32(0)
    for number in range(SAMPLES):
        for place in range(PLACES):
            market[place] = towel_at(table, place)
        for row in range(MARKET_ROWS):
            zone[row] = 0 if left_behind == _ALL_TOWELS + 1 + row else np.int64(table["zones"][row])
        draw = np.int64(chance.draws[number, 0] * room["in_bag"])
        stride = 1 + np.int64(chance.draws[number, 1] * (room["in_bag"] // (OTHERS + 2)))
        if taken >= 0:
            draw = take_from(taken, draw, stride, room)
            zone[taken // PLACES_PER_ROW] += paid
        over = laid > COLUMNS
        for other in range(room["others"]):
            counts[other] = room["laid"][other]
            over |= counts[other] > COLUMNS
        for other in range(room["others"]):
            if over and not room["follows"][other]:
                continue
            best, chosen, value = _IMPOSSIBLE, -1, np.float32(0)
            for place in range(PLACES):
                rating = room["towels"][waits, other, market[place], place % PLACES_PER_ROW]
                if rating > _IMPOSSIBLE and rating + chance.deviations[number, other, place] > best:
                    best, chosen, value = rating + chance.deviations[number, other, place], place, rating
            richer = 0 if zone[0] >= zone[1] else 1
            if zone[richer] > 0:
                rating = room["takes"][waits, other, zone[richer]]
                if rating + chance.deviations[number, other, PLACES] > best:
                    chosen, value = PLACES, rating
            theirs += value
            if chosen == PLACES:
                zone[richer] = 0
            elif chosen >= 0:
                draw = take_from(chosen, draw, stride, room)
                zone[chosen // PLACES_PER_ROW] += chosen % PLACES_PER_ROW
                counts[other] += 1
                over |= room["follows"][other] and counts[other] > COLUMNS
        for place in range(PLACES):
            room["markets"][left_behind, number, place] = market[place]
        room["zones"][left_behind, number] = max(zone[0], zone[1])
        turns = COLUMNS + 1 - laid
        for other in range(room["others"]):
            turns = min(turns, COLUMNS + 2 - counts[other] - room["follows"][other])
        room["then"][left_behind, number] = 0 if over else turns
    room["theirs"][left_behind] = theirs / (SAMPLES * max(room["others"], 1))


@compiled
def track_sum(solo, turns, room):
    """What slow starts and ends of the tracks take off in this many turns."""
    total = np.float32(0)
    for pattern in range(NUM_PATTERNS):
        total += solo.tracks[room["long"], turns + room["more_turns"], room["squares"][pattern]]
    return total


@compiled
def look_ahead(table, own, rules, solo, chance, action, at_once, laid, work, room):
    """Fills in what an action brings now and leads to; `work` has the position after it (`appraisal.imagine`)."""
    setting, left, dollars, taken = room["setting"], work["left"], work["dollars"], work["taken"]
    top, column = work["top"] - LOWEST_TOP, np.int64(own["laid"]) + work["next"]
    room["now"] = at_once - TOKEN_WORTH * laid * (left > 0)
    for pattern in range(NUM_PATTERNS):
        start = np.int64(own["shells"][pattern])
        end = min(start + work["steps"][pattern], rules["last"][pattern])
        room["squares"][pattern] = end
        room["now"] += rules["points"][pattern, end] - rules["points"][pattern, start]
        room["now"] += TOKEN_WORTH * (left > 0) * tokens_between(table, rules, pattern, start, end)
    room["tracks"] = track_sum(solo, left, room)
    room["later"] = solo.values[setting, left, column, top, dollars] + room["tracks"]
    room["later"] += room["ahead"][column, top] * (left > 0)
    left_behind = taken if taken >= 0 else _ALL_TOWELS
    if DOLLARS <= action < SPARE:
        left_behind = _ALL_TOWELS + 1 + action - DOLLARS
    paid = np.int64(own["dollars"]) - dollars if taken >= 0 else 0
    sample_markets(table, chance, left_behind, taken, paid, column, room)
    room["harm"] = -room["theirs"][left_behind]
    rate_offers(table, rules, solo, column, work, room)
    end = solo.values[setting, 0, column, top, dollars] + track_sum(solo, 0, room)
    soon, late, squares, none, longer = np.float32(0), np.float32(0), np.float32(0), 0, 0
    for number in range(SAMPLES):
        value = end
        if left > 0:
            value = best_offer(solo, left_behind, number, 0, column, work, room)
            none += room["matched"] == 0
        soon += value
        squares += value * value
        if room["then"][left_behind, number] > left:
            longer += 1
            late += best_offer(solo, left_behind, number, 1, column, work, room) - value
    room["next"] = soon / SAMPLES
    room["more"] = late / SAMPLES
    room["spread"] = np.sqrt(max(squares / SAMPLES - room["next"] * room["next"], np.float32(0)))
    room["none"] = np.float32(none) / SAMPLES
    room["longer"] = np.float32(longer) / SAMPLES


@compiled
def best_offer(solo, left_behind, number, later, column, work, room):
    """The value of the best choice in a sample of the next turn; returns whether a towel matches."""
    setting, dollars, top = room["setting"], work["dollars"], work["top"] - LOWEST_TOP
    turns = work["left"] + later - 1  # after it
    best = _IMPOSSIBLE
    for place in range(PLACES):
        price = place % PLACES_PER_ROW
        if price <= dollars:
            best = max(best, room["offers"][later, room["markets"][left_behind, number, place], price])
    room["matched"] = best > _IMPOSSIBLE
    zone = room["zones"][left_behind, number]
    if zone > 0:
        more = solo.values[setting, turns, column, top, min(dollars + zone, MOST_DOLLARS)]
        best = max(best, more + room["ahead"][column, top])
    elif best == _IMPOSSIBLE:
        at = SPARE_TOP - LOWEST_TOP
        best = solo.values[setting, turns, column + 1, at, dollars] + room["ahead"][column + 1, at]
    return best + track_sum(solo, turns, room)


@compiled
def rate_offers(table, rules, solo, column, work, room):
    """Fills in the value of each towel in the next turn, by its price: at the best top, with what is to come later."""
    setting, dollars, top = room["setting"], work["dollars"], work["top"]
    cells, gains = room["cells"], room["gains"]
    beach, crabs = work["columns"][work["next"]]["later"], work["columns"][work["next"]]["crabs"]
    for cell in range(CELLS):
        cells[cell] = work["showing"][cell]
        if cells[cell] >= 0 and crabs >> (top + cell) & 1:
            cells[cell] = -1
    for later in range(LATER):
        left = min(work["left"] + later, COLUMNS + 1 - column) - 1
        if left < 0:
            continue
        for cell in range(CELLS):
            gains[cell] = 0
            if cells[cell] >= 0:
                square = room["squares"][cells[cell]]
                gains[cell] = gain_by_steps(table, rules, solo, cells[cell], square, row_value(top + cell), left, room)
        for towel in range(NUM_TOWELS):
            offers = room["offers"][later, towel]
            for price in range(PLACES_PER_ROW):
                offers[price] = _IMPOSSIBLE
            for cell in range(CELLS):
                if cells[cell] < 0 or CELL_OF[towel, cells[cell]] == NOWHERE:
                    continue
                shift = cell - CELL_OF[towel, cells[cell]]
                there = top + shift - LOWEST_TOP
                gain = gain_at(towel, shift, cells, gains) + beach[top + shift + MARGIN]
                gain += room["ahead"][column + 1, there]
                for price in range(min(PLACES_PER_ROW, dollars + 1)):
                    to_come = solo.values[setting, left, column + 1, there, dollars - price]
                    offers[price] = max(offers[price], gain + to_come)
