"""What each action is worth to a player, in points as far as one can tell: the ideas that heuristics are made of.

- A shell is worth what the castle is that it brings closer; a shell too many costs a point.
- A castle taken from the heap is worth most to who has none ready.
- A dial is worth what it brings if nobody is in the way. What the others want is guessed by rating their dials, too.
- A castle is worth its points if it stands to the end, which the sea and the leader decide; near the land it may pay to
  wait for the sea to withdraw.

How much each idea counts is up to weights, described in `WEIGHTS_DTYPE`. Different weights make different players.
"""

from functools import partial

import numpy as np
from strand_env.agents import choosing
from strand_env.agents.choosing import NEVER, to_chances
from strand_env.agents.strand_unter.seen import IS_READY, ON_HEAP, SEAT_WORDS, STANDS_IN, TABLE_WORDS

from strand_env.jit import Kernel, compiled
from strand_env.strand_unter import legal
from strand_env.strand_unter.actions import (
    BUILD_CASTLE,
    FIRST_COMBINATION,
    NUM_ACTIONS,
    NUM_DIAL_POSITIONS,
    PASS,
    SET_DIAL,
    TAKE_ALL_BUT,
    TAKE_CASTLE,
    TAKE_COLOUR,
    TAKE_PAIR,
    TAKEN,
)
from strand_env.strand_unter.legal import (
    ALL_OF_ONE,
    THREE_DIFFERENT,
    THREE_SAME,
    TWO_AND_ONE,
    TWO_DIFFERENT,
    TWO_SAME,
)
from strand_env.strand_unter.ruleset import (
    COMBINATIONS,
    MAX_PLAYERS,
    MIN_PLAYERS,
    NUM_COLOURS,
    NUM_VALUES,
)
from strand_env.strand_unter.state import BUILD, COLLECT, DIAL, LAST_GROOVE, LAST_ROUND, SPELL, TROVE, TURN_ROUND

WEIGHTS_DTYPE = np.dtype(
    [
        # Shells
        ("shell", np.float32, (NUM_VALUES,)),  # one that the card nearest to completion needs, the next, and so on
        ("wild", np.float32),  # one that can only pay a wild space
        ("unfit", np.float32),  # the cost of one that finds no place
        ("reach", np.float32),  # shells that one hopes to collect in a round: what is out of reach is worth nothing
        # Castles on the heap
        ("castle", np.float32, (NUM_VALUES,)),  # one more, if none, one, two or three are ready
        ("pick_missing", np.float32),  # for each shell that its card lacks
        ("pick_value", np.float32),  # for each point of its value
        # The others
        ("others", np.float32),  # how far they are reckoned with: from 0 to 1
        ("guess", np.float32),  # in points: how far their dials may be from what seems best for them
        ("crowd", np.float32),  # how much one who collects earlier thins out the groove
        ("spell", np.float32),  # the part of the best shell that a shell-spell is worth
        # Building
        ("wait", np.float32, (TURN_ROUND,)),  # in each round at low tide: what it is worth to wait
        ("pace", np.float32),  # rounds that the leader takes for a castle: when the game will end
        ("doubt", np.float32),  # rounds that this may be wrong by
        ("value", np.float32),  # what a point of a castle's value counts, against one of its groove
        ("finish", np.float32),  # for each point that one leads by when building the last castle
        # Choosing
        ("heat", np.float32),  # in points: how far a choice may be from what seems best
    ]
)

POSITIVE, LEAST = ("guess", "doubt", "heat"), 0.0001  # what is divided by

MOST = 12  # shells of a colour that anybody takes at once, as far as it is worth a thought
NOT_READY = 4  # as many shells more a castle on the heap seems to lack
VALUE_BITS, VALUE_MASK, NONE_LEFT = 2, 3, 255  # in the keys that castles are ordered by
IMPOSSIBLE = np.float32(-1e8)  # whatever is worth less cannot be had


def room() -> tuple[np.ndarray, ...]:
    """Where `rate_rows` works: for each player the worth of shells and of each dial, and how likely each dial is."""
    return (
        np.zeros((MAX_PLAYERS, NUM_COLOURS, MOST + 1), np.float32),
        np.zeros((MAX_PLAYERS, NUM_DIAL_POSITIONS), np.float32),
        np.zeros((MAX_PLAYERS, NUM_DIAL_POSITIONS), np.float32),
        np.zeros(len(COMBINATIONS), np.float32),
    )


@partial(Kernel, modules=(choosing, legal))
def rate_rows(start, stop, words, tables, seats, masks, weights, kinds, shells, dials, likely, combinations, ratings):
    """What each legal action is worth, into (rows, actions) ratings; the others are never worth a choice.

    `words` are the same observations in words of 64 bits.
    """
    known = -1  # the row that all players' shells and dials were rated in last
    for row in range(start, stop):
        table, around, mask, out = tables[row], seats[row], masks[row], ratings[row]
        for action in range(NUM_ACTIONS):
            out[action] = np.float32(0) if mask[action] else NEVER
        end = expected_end(table, around, weights[0])
        if table["phase"][DIAL] or table["phase"][SPELL]:
            # The players of a game usually come one after the other: what is the same for all is worked out once.
            turned = turned_by(words, known, row, number_of_players(table)) if known >= 0 else -1
            if turned < 0:
                rate_all_dials(table, around, weights[0], end, kinds, shells, combinations, dials, likely)
                known, turned = row, 0
            rate_dials(table, around, weights[0], end, kinds, turned, shells, combinations, dials, likely, out)
            continue
        known = -1
        if table["phase"][COLLECT]:
            rate_shells(table, around[0], weights[0], end, shells[0])
            rate_combinations(table, around[0], mask, kinds, shells[0], out)
        elif table["phase"][BUILD]:
            rate_builds(table, around, mask, weights[0], end, out)
        else:
            rate_castles(around[0], mask, weights[0], out)
            if table["phase"][TROVE]:
                rate_shells(table, around[0], weights[0], end, shells[0])
                rate_trove(table, around[0], mask, weights[0], end, shells[0], out)


@compiled
def number_of_players(table):
    return MIN_PLAYERS + table["players"][1] + 2 * table["players"][2]


@compiled
def turned_by(words, one, other, players):
    """How many seats after the player of one row that of the other sits, if they see the same game; else -1."""
    for word in range(TABLE_WORDS):
        if words[one, word] != words[other, word]:
            return -1
    for turned in range(players):
        same = True
        for seat in range(players):
            there = TABLE_WORDS + SEAT_WORDS * ((seat + turned) % players)
            here = TABLE_WORDS + SEAT_WORDS * seat
            for word in range(SEAT_WORDS):
                same &= words[one, there + word] == words[other, here + word]
            if not same:
                break
        if same:
            return turned
    return -1


# What cards need


@compiled
def is_built(castle):
    return not castle[ON_HEAP] and not castle[IS_READY]


@compiled
def missing(seat, value):
    """Shells that the bucket lacks for a castle, the wild one included."""
    lacking = spare = 0
    for colour in range(NUM_COLOURS):
        over = np.int64(seat["bucket"][colour]) - seat["cards"][value, colour]
        lacking += max(-over, 0)
        spare += max(over, 0)
    return lacking + (spare == 0)


@compiled
def expected_end(table, seats, weights):
    """The round in which the game will probably end: when the leader has built all castles, or after the last one."""
    most = 0
    for player in range(MAX_PLAYERS):
        most = max(most, seats[player]["built"])
    return min(np.float32(LAST_ROUND), table["round"] + weights["pace"] * (NUM_VALUES - most))


@compiled
def castles_by_need(seat):
    """A byte for each castle not built, what lacks least first: shells missing (more if not ready), and the value."""
    ordered = 0
    for value in range(NUM_VALUES):
        castle = seat["castles"][value]
        key = NONE_LEFT
        if not is_built(castle):
            lacking = min(np.int64(missing(seat, value)), MOST) + NOT_READY * np.int64(castle[ON_HEAP])
            key = lacking << VALUE_BITS | value
        # Goes in front of those that are greater.
        smaller = 0
        for rank in range(value):
            smaller += (ordered >> 8 * rank & NONE_LEFT) < key
        below = (1 << 8 * smaller) - 1
        ordered = ordered & below | key << 8 * smaller | (ordered & ~below) << 8
    return ordered


@compiled
def free_wilds(seat):
    """Wild spaces on the cards not built that no shell of the bucket will fill."""
    free = 0
    for value in range(NUM_VALUES):
        free += not is_built(seat["castles"][value])
    for colour in range(NUM_COLOURS):
        over = np.int64(seat["bucket"][colour])
        for value in range(NUM_VALUES):
            if not is_built(seat["castles"][value]):
                over -= seat["cards"][value, colour]
        free -= max(over, 0)
    return max(free, 0)


@compiled
def rate_shells(table, seat, weights, end, shells):
    """Fills in what shells of each colour are worth, none to three or all that lie there.

    They go first to the card that is nearest to completion, and to one whose castle is ready before others.
    """
    within_reach = (end - table["round"] + 1) * weights["reach"]
    ordered = castles_by_need(seat)
    wilds = free_wilds(seat)
    for colour in range(NUM_COLOURS):
        shells[colour, 0] = 0
        number = 1
        last = min(max(np.int64(table["shells"][colour]), 3), MOST)
        in_bucket = np.int64(seat["bucket"][colour])
        for rank in range(NUM_VALUES):
            key = ordered >> 8 * rank & NONE_LEFT
            if key == NONE_LEFT:
                break
            spaces = np.int64(seat["cards"][key & VALUE_MASK, colour])
            filled = min(in_bucket, spaces)
            in_bucket -= filled
            hope = within_reach - (key >> VALUE_BITS) + 1
            worth = weights["shell"][rank] * min(max(hope, np.float32(0)), np.float32(1))
            for _ in range(min(spaces - filled, last - number + 1)):
                shells[colour, number] = shells[colour, number - 1] + worth
                number += 1
        for beyond in range(number, last + 1):
            worth = weights["wild"] if beyond - number < wilds else -weights["unfit"]
            shells[colour, beyond] = shells[colour, beyond - 1] + worth


@compiled
def another_castle(seat, weights, table, end):
    """What it is worth to have one more castle ready."""
    on_heap = ready = 0
    for value in range(NUM_VALUES):
        on_heap += seat["castles"][value, ON_HEAP]
        ready += seat["castles"][value, IS_READY]
    in_time = min(max(end - table["round"] - ready, np.float32(0)), np.float32(1))
    return weights["castle"][ready] * in_time if on_heap > 0 else np.float32(0)


# Dials


@compiled
def best_single(there, shells):
    """The best one shell that lies in the groove."""
    best = NEVER
    for colour in range(NUM_COLOURS):
        if there[colour] > 0:
            best = max(best, shells[colour, 1])
    return best


@compiled
def rate_combinations_there(there, shells, less, combinations):
    """The best way to fulfil each kind of combination, if the groove held so many less of each colour."""
    first = second = third = NEVER  # the best single shells
    best_colour = -1
    for kind in range(len(combinations)):
        combinations[kind] = NEVER
    for colour in range(NUM_COLOURS):
        amount = np.int64(there[colour]) - less
        if amount >= 1:
            one = shells[colour, 1]
            if one > first:
                first, second, third = one, first, second
                best_colour = colour
            elif one > second:
                second, third = one, second
            else:
                third = max(third, one)
            combinations[ALL_OF_ONE] = max(combinations[ALL_OF_ONE], shells[colour, min(amount, MOST)])
        if amount >= 2:
            combinations[TWO_SAME] = max(combinations[TWO_SAME], shells[colour, 2])
        if amount >= 3:
            combinations[THREE_SAME] = max(combinations[THREE_SAME], shells[colour, 3])
    for colour in range(NUM_COLOURS):
        if there[colour] - less >= 2:
            another = second if colour == best_colour else first
            combinations[TWO_AND_ONE] = max(combinations[TWO_AND_ONE], shells[colour, 2] + another)
    combinations[TWO_DIFFERENT] = first + second
    combinations[THREE_DIFFERENT] = first + second + third


@compiled
def consolation(table, seat, weights, end, shells):
    """What a trove is worth: the best shell or a castle."""
    best = max(best_single(table["shells"], shells), np.float32(0))
    return max(best, another_castle(seat, weights, table, end))


@compiled
def rate_dials_alone(table, seat, weights, end, kinds, shells, combinations, dials):
    """What each dial is worth to a player who need not mind the others."""
    castle = another_castle(seat, weights, table, end)
    for colour in range(NUM_COLOURS):
        dials[colour] = castle + (shells[colour, 1] if table["shells"][colour] else np.float32(0))
    trove = consolation(table, seat, weights, end, shells)
    rate_combinations_there(table["shells"], shells, 0, combinations)
    for position in range(FIRST_COMBINATION, NUM_DIAL_POSITIONS):
        best = combinations[kinds[position - FIRST_COMBINATION]]
        dials[position] = best if best > IMPOSSIBLE else trove


@compiled
def rate_all_dials(table, seats, weights, end, kinds, shells, combinations, dials, likely):
    """For each player what shells and dials are worth, and how likely each dial is therefore."""
    last = NUM_DIAL_POSITIONS if table["phase"][DIAL] else FIRST_COMBINATION
    for player in range(number_of_players(table)):
        rate_shells(table, seats[player], weights, end, shells[player])
        rate_dials_alone(table, seats[player], weights, end, kinds, shells[player], combinations, dials[player])
        if weights["others"] > 0:
            for position in range(last):
                likely[player, position] = dials[player, position]
            to_chances(likely[player], last, weights["guess"])


@compiled
def rate_dials(table, seats, weights, end, kinds, own, shells, combinations, dials, likely, ratings):
    """What each dial is worth to a player, reckoning with what the others may set; `own` is its number here."""
    there, others, players = table["shells"], weights["others"], number_of_players(table)
    in_spell = table["phase"][SPELL]  # where only those whose combinations collided set a dial
    for colour in range(NUM_COLOURS):
        enough = np.float32(there[colour] > 0)
        if others > 0:
            # How likely it is that none, one, two or three others want the colour, too, and that it suffices for all
            none, one, two, three = np.float32(1), np.float32(0), np.float32(0), np.float32(0)
            for player in range(1, players):
                if seats[player]["in_spell"] or not in_spell:
                    wants = others * likely[(own + player) % players, colour]
                    three = three * (1 - wants) + two * wants
                    two = two * (1 - wants) + one * wants
                    one = one * (1 - wants) + none * wants
                    none = none * (1 - wants)
            shells_there = there[colour]
            enough = none * (shells_there >= 1) + one * (shells_there >= 2)
            enough += two * (shells_there >= 3) + three * (shells_there >= 4)
        ratings[SET_DIAL + colour] = enough * shells[own, colour, 1]
    if in_spell:
        return

    castle = another_castle(seats[0], weights, table, end)
    trove = consolation(table, seats[0], weights, end, shells[own])
    spell = castle + weights["spell"] * max(best_single(there, shells[own]), np.float32(0))
    rate_combinations_there(there, shells[own], 1, combinations)
    earlier = np.float32(0)  # how many others collect further left on the dial
    for position in range(NUM_DIAL_POSITIONS):
        alone = np.float32(1)
        here = np.float32(0)
        if others > 0:
            for player in range(1, players):
                sets_it = others * likely[(own + player) % players, position]
                alone *= 1 - sets_it
                here += sets_it
        if position < FIRST_COMBINATION:
            ratings[SET_DIAL + position] += castle
        else:
            full, thinned = dials[own, position], combinations[kinds[position - FIRST_COMBINATION]]
            thin = thinned if thinned > IMPOSSIBLE else min(trove, full)
            crowded = min(weights["crowd"] * earlier, np.float32(1))
            collected = full * (1 - crowded) + thin * crowded
            ratings[SET_DIAL + position] = alone * collected + (1 - alone) * spell
        earlier += here


# Taking shells and castles


@compiled
def rate_combinations(table, own, mask, kinds, shells, ratings):
    """The ways to fulfil the combination that is set."""
    kind = 0
    for position in range(FIRST_COMBINATION, NUM_DIAL_POSITIONS):
        if own["dial"][position]:
            kind = kinds[position - FIRST_COMBINATION]
    for action in range(TAKE_COLOUR, TAKE_ALL_BUT + NUM_COLOURS):
        if mask[action]:
            if action < TAKE_PAIR:
                colour = action - TAKE_COLOUR
                all_there = min(np.int64(table["shells"][colour]), MOST)
                ratings[action] = shells[colour, 2 if kind == TWO_SAME else 3 if kind == THREE_SAME else all_there]
            else:
                for colour in range(NUM_COLOURS):
                    ratings[action] += shells[colour, TAKEN[action, colour]]


@compiled
def rate_castles(own, mask, weights, ratings):
    """The castles on the heap: one that lacks little, or one of high value."""
    for value in range(NUM_VALUES):
        if mask[TAKE_CASTLE + value]:
            worth = weights["pick_value"] * value - weights["pick_missing"] * missing(own, value)
            ratings[TAKE_CASTLE + value] = worth


@compiled
def rate_trove(table, own, mask, weights, end, shells, ratings):
    """A shell, or a castle: the best one, and the others less by as much as they are worse."""
    best = NEVER
    for action in range(TAKE_CASTLE, TAKE_CASTLE + NUM_VALUES):
        if mask[action]:
            best = max(best, ratings[action])
    castle = another_castle(own, weights, table, end)
    for action in range(TAKE_CASTLE, TAKE_CASTLE + NUM_VALUES):
        if mask[action]:
            ratings[action] += castle - best
    for colour in range(NUM_COLOURS):
        if mask[TAKE_COLOUR + colour]:
            ratings[TAKE_COLOUR + colour] = shells[colour, 1]


# Building


@compiled
def flooded_after(table, seats, groove):
    """The round after which the sea takes a groove, if the game goes on so long."""
    if table["high_tide"]:
        return table["round"] + table["sea"] - groove
    outermost = groove
    for player in range(MAX_PLAYERS):
        for value in range(NUM_VALUES):
            outermost = max(outermost, seats[player]["castles"][value, STANDS_IN])
    return TURN_ROUND + 1 + max(outermost + 3, LAST_GROOVE - 2) - groove


@compiled
def rate_builds(table, seats, mask, weights, end, ratings):
    """Building now, against waiting; and which colour to pay the wild space with."""
    own = seats[0]
    groove = table["groove"]
    flooded = flooded_after(table, seats, groove)
    stands = np.float32(1)
    if flooded < LAST_ROUND:
        stands = 1 / (1 + np.exp((end - flooded) / weights["doubt"]))
    wait = weights["wait"][table["round"] - 1] if table["round"] <= TURN_ROUND else np.float32(0)
    most = np.int64(-100)
    for player in range(1, MAX_PLAYERS):
        if seats[player]["present"]:
            most = max(most, seats[player]["points"])
    for action in range(BUILD_CASTLE, PASS):
        if mask[action]:
            value, wild = (action - BUILD_CASTLE) // NUM_COLOURS, (action - BUILD_CASTLE) % NUM_COLOURS
            ratings[action] = stands * (groove + weights["value"] * value) - wait
            if own["built"] == NUM_VALUES - 1:
                ratings[action] += weights["finish"] * (own["points"] + groove + value - most)
            # Of what is left, the colour that other cards need least pays for the wild space.
            left = np.int64(own["bucket"][wild]) - own["cards"][value, wild]
            needed = np.int64(0)
            for other in range(NUM_VALUES):
                if other != value and not is_built(own["castles"][other]):
                    needed += own["cards"][other, wild]
            ratings[action] -= np.float32(0.1) * max(needed - left + 1, 0)
