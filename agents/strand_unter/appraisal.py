"""What each action is worth to a player, in points as far as one can tell: the ideas that heuristics are made of.

- A shell is worth what the castle is that it brings closer; a shell too many costs a point.
- A castle taken from the heap is worth most to who has none ready.
- A dial is worth what it brings if nobody is in the way. What the others want is guessed by rating their dials, too.
- A castle is worth its points if it stands to the end, which the sea and the leader decide; near the land it may pay to
  wait for the sea to withdraw.

How much each idea counts is up to weights, described in `WEIGHTS_DTYPE`. Different weights make different players.
"""

import numpy as np
from strand_env.agents.choosing import NEVER
from strand_env.agents.strand_unter.seen import IS_READY, ON_HEAP

from strand_env.jit import Kernel, compiled
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
from strand_env.strand_unter.ruleset import COMBINATIONS, MAX_PLAYERS, NUM_COLOURS, NUM_VALUES, PLAYED_GROOVES
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

MOST = 12  # shells of a colour that anybody takes at once, as far as it is worth a thought
NOT_READY = 4  # as many shells more a castle on the heap seems to lack
VALUE_BITS, VALUE_MASK, NONE_LEFT = 2, 3, 255  # in the keys that castles are ordered by
_IMPOSSIBLE = np.float32(-1e8)  # whatever is worth less cannot be had


def room() -> tuple[np.ndarray, ...]:
    """Where `rate_rows` works: for each seat the worth of so many shells of a colour, of combinations, of each dial."""
    return (
        np.zeros((MAX_PLAYERS, NUM_COLOURS, MOST + 1), np.float32),
        np.zeros(len(COMBINATIONS), np.float32),
        np.zeros((MAX_PLAYERS, NUM_DIAL_POSITIONS), np.float32),
    )


@Kernel
def rate_rows(start, stop, tables, seats, masks, weights, kinds, shells, combinations, dials, ratings):
    """What each legal action is worth, into (rows, actions) ratings; the others are never worth a choice."""
    for row in range(start, stop):
        for action in range(NUM_ACTIONS):
            ratings[row, action] = np.float32(0) if masks[row, action] else NEVER
        rate(tables[row], seats[row], masks[row], weights[0], kinds, shells, combinations, dials, ratings[row])


@compiled
def rate(table, seats, mask, weights, kinds, shells, combinations, dials, ratings):
    own = seats[0]
    end = expected_end(table, seats, weights)
    if table["phase"][DIAL] or table["phase"][SPELL]:
        for player in range(MAX_PLAYERS):
            if seats[player]["present"] and (player == 0 or weights["others"] > 0):
                rate_shells(table, seats[player], weights, end, shells[player])
                rate_dials_alone(table, seats[player], weights, end, kinds, shells[player], combinations, dials[player])
        if table["phase"][DIAL]:
            rate_dials(table, seats, weights, end, kinds, shells[0], combinations, dials, ratings)
        else:
            rate_spell(table, seats, weights, shells[0], dials, ratings)
        return
    rate_shells(table, own, weights, end, shells[0])
    if table["phase"][COLLECT]:
        rate_combinations(table, own, mask, kinds, shells[0], ratings)
    elif table["phase"][BUILD]:
        rate_builds(table, seats, mask, weights, end, shells[0], ratings)
    else:
        rate_castles(own, mask, weights, ratings)
        if table["phase"][TROVE]:
            rate_trove(table, own, mask, weights, end, shells[0], ratings)


# What cards need


@compiled
def is_built(castle):
    return not castle[ON_HEAP] and not castle[IS_READY]


@compiled
def missing(seat, value):
    """Shells that the bucket lacks for a castle, the wild one included."""
    lacking = 0
    spare = 0
    for colour in range(NUM_COLOURS):
        over = seat["bucket"][colour] - seat["cards"][value, colour]
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
            key = (min(missing(seat, value), MOST) + NOT_READY * castle[ON_HEAP]) << VALUE_BITS | value
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
def best_single(there, shells, less):
    """The best one shell that the groove would hold if it held so many less of each colour."""
    best = NEVER
    for colour in range(NUM_COLOURS):
        if there[colour] > less:
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
    best = max(best_single(table["shells"], shells, 0), np.float32(0))
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
        dials[position] = best if best > _IMPOSSIBLE else trove


@compiled
def guess_dials(dials, first, last, heat):
    """Turns the worth of a player's dials, from the first to before the last, into how likely they are."""
    best = dials[first]
    for position in range(first + 1, last):
        best = max(best, dials[position])
    total = np.float32(0)
    for position in range(first, last):
        dials[position] = np.exp((dials[position] - best) / heat)
        total += dials[position]
    for position in range(first, last):
        dials[position] /= total


@compiled
def chance_of_enough(seats, dials, others, colour, shells, only_in_spell):
    """How likely it is that a colour suffices for all who set it, the player included."""
    # How likely it is that none, one, two or three others set it, too
    none, one, two, three = np.float32(1), np.float32(0), np.float32(0), np.float32(0)
    for player in range(1, MAX_PLAYERS):
        if seats[player]["present"] and (seats[player]["in_spell"] or not only_in_spell):
            likely = dials[player, colour] * others
            three = three * (1 - likely) + two * likely
            two = two * (1 - likely) + one * likely
            one = one * (1 - likely) + none * likely
            none = none * (1 - likely)
    enough = none if shells >= 1 else np.float32(0)
    enough += one if shells >= 2 else np.float32(0)
    enough += two if shells >= 3 else np.float32(0)
    return enough + (three if shells >= 4 else np.float32(0))


@compiled
def rate_dials(table, seats, weights, end, kinds, shells, thinned, dials, ratings):
    """What each dial is worth, reckoning with what the others may set."""
    there, others = table["shells"], weights["others"]
    if others > 0:
        for player in range(1, MAX_PLAYERS):
            if seats[player]["present"]:
                guess_dials(dials[player], 0, NUM_DIAL_POSITIONS, weights["guess"])
    castle = another_castle(seats[0], weights, table, end)
    trove = consolation(table, seats[0], weights, end, shells)
    spell = castle + weights["spell"] * max(best_single(there, shells, 0), np.float32(0))
    rate_combinations_there(there, shells, 1, thinned)
    earlier = np.float32(0)  # how many others collect further left on the dial
    for position in range(NUM_DIAL_POSITIONS):
        alone = np.float32(1)
        here = np.float32(0)
        if others > 0:
            for player in range(1, MAX_PLAYERS):
                if seats[player]["present"]:
                    alone *= 1 - others * dials[player, position]
                    here += others * dials[player, position]
        if position < FIRST_COMBINATION:
            enough = np.float32(there[position] > 0)
            if others > 0:
                enough = chance_of_enough(seats, dials, others, position, there[position], False)
            ratings[SET_DIAL + position] = castle + enough * shells[position, 1]
        else:
            kind = kinds[position - FIRST_COMBINATION]
            full = dials[0, position]
            thin = thinned[kind] if thinned[kind] > _IMPOSSIBLE else min(trove, full)
            crowded = min(weights["crowd"] * earlier, np.float32(1))
            collected = full * (1 - crowded) + thin * crowded
            ratings[SET_DIAL + position] = alone * collected + (1 - alone) * spell
        earlier += here


@compiled
def rate_spell(table, seats, weights, shells, dials, ratings):
    """In a shell-spell only those whose combinations collided set a dial."""
    others = weights["others"]
    if others > 0:
        for player in range(1, MAX_PLAYERS):
            if seats[player]["in_spell"]:
                guess_dials(dials[player], 0, FIRST_COMBINATION, weights["guess"])
    for colour in range(NUM_COLOURS):
        enough = np.float32(table["shells"][colour] > 0)
        if others > 0:
            enough = chance_of_enough(seats, dials, others, colour, table["shells"][colour], True)
        ratings[SET_DIAL + colour] = enough * shells[colour, 1]


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
            outermost = max(outermost, seats[player]["castles"][value, 2])
    withdraws_to = max(outermost + 3, LAST_GROOVE - 2) if outermost >= PLAYED_GROOVES - 1 else LAST_GROOVE - 2
    return TURN_ROUND + 1 + withdraws_to - groove


@compiled
def rate_builds(table, seats, mask, weights, end, shells, ratings):
    """Building now, against waiting; and which colour to pay the wild space with."""
    own = seats[0]
    groove = table["groove"]
    margin = (flooded_after(table, seats, groove) - end) / max(weights["doubt"], np.float32(0.1))
    stands = 1 / (1 + np.exp(-margin)) if flooded_after(table, seats, groove) < LAST_ROUND else np.float32(1)
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
