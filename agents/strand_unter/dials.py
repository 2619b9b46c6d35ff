"""The value of each dial: what it brings if nobody gets in the way, and how likely that is."""

import numpy as np

from strand_env.agents.choosing import NEVER, softmax
from strand_env.agents.strand_unter.shells import MOST, another_castle, best_single, number_of_players, rate_shells
from strand_env.engine.bits import has
from strand_env.engine.jit import compiled
from strand_env.strand_unter.actions import FIRST_COMBINATION, NUM_DIAL_POSITIONS, SET_DIAL
from strand_env.strand_unter.legal import (
    ALL_OF_ONE,
    THREE_DIFFERENT,
    THREE_SAME,
    TWO_AND_ONE,
    TWO_DIFFERENT,
    TWO_SAME,
)
from strand_env.strand_unter.ruleset import MAX_PLAYERS, NUM_COLOURS
from strand_env.strand_unter.state import SPELL

IMPOSSIBLE = np.float32(-1e8)  # values below mark combinations that are unavailable


@compiled
def rate_combinations_there(there, shells, less, combinations):
    """The value of the best way to take each kind of combination, if the groove held `less` fewer of each colour."""
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
def rate_dials_alone(table, seat, weights, end, kinds, singles_only, player, room):
    """Rates each dial as if the others did not exist."""
    there, shells, dials = table["shells"], room["shells"][player], room["dials"][player]
    castle = another_castle(seat, weights, table, end)
    room["castle"][player] = castle
    for colour in range(NUM_COLOURS):
        dials[colour] = castle + (shells[colour, 1] if there[colour] else np.float32(0))
    if singles_only:
        return
    single = max(best_single(there, shells), np.float32(0))
    room["single"][player] = single
    rate_combinations_there(there, shells, 0, room["combinations"])
    for position in range(FIRST_COMBINATION, NUM_DIAL_POSITIONS):
        best = room["combinations"][kinds[position - FIRST_COMBINATION]]
        dials[position] = best if best > IMPOSSIBLE else max(single, castle)  # the value of a trove


@compiled
def rate_all_dials(table, seats, in_play, weights, end, kinds, room):
    """For each player, rates shells and dials, and predicts the dial from that: one of those `in_play`, a set."""
    in_spell = table["phase"][SPELL]  # only players whose combinations collided set a dial, to a single
    last = FIRST_COMBINATION if in_spell else NUM_DIAL_POSITIONS
    for player in range(number_of_players(table)):
        if in_spell and not seats[player]["in_spell"]:
            continue
        rate_shells(table, seats[player], weights, end, in_spell, room["worths"], room["shells"][player])
        rate_dials_alone(table, seats[player], weights, end, kinds, in_spell, player, room)
        if weights["others"] > 0:
            likely = room["likely"][player]
            for position in range(last):
                likely[position] = room["dials"][player, position] if has(in_play, position) else NEVER
            softmax(likely, 0, last, weights["guess"])
            for position in range(last):
                likely[position] *= weights["others"]


@compiled
def reckon_with_others(table, seats, weights, own, room):
    """How likely the others are to set the same dials as a player, whose index in the room is `own`."""
    wanted, alone, here = room["wanted"], room["alone"], room["here"]
    wanted[:] = 0
    wanted[0] = 1
    alone[:] = 1
    here[:] = 0
    if weights["others"] <= 0:
        return
    in_spell, players = table["phase"][SPELL], number_of_players(table)
    for seat in range(1, players):
        if in_spell and not seats[seat]["in_spell"]:
            continue
        likely = room["likely"][own + seat if own + seat < players else own + seat - players]
        for colour in range(NUM_COLOURS):
            wants = likely[colour]
            for number in range(MAX_PLAYERS - 1, 0, -1):
                wanted[number, colour] = wanted[number, colour] * (1 - wants) + wanted[number - 1, colour] * wants
            wanted[0, colour] *= 1 - wants
        if not in_spell:
            for position in range(NUM_DIAL_POSITIONS):
                alone[position] *= 1 - likely[position]
                here[position] += likely[position]


@compiled
def rate_dials(table, seats, weights, kinds, own, room, ratings):
    """Rates each dial for a player, allowing for what the others may set; `own` is the player's index in the room."""
    there, shells, wanted = table["shells"], room["shells"][own], room["wanted"]
    reckon_with_others(table, seats, weights, own, room)
    for colour in range(NUM_COLOURS):
        enough = wanted[0, colour] * (there[colour] >= 1) + wanted[1, colour] * (there[colour] >= 2)
        enough += wanted[2, colour] * (there[colour] >= 3) + wanted[3, colour] * (there[colour] >= 4)
        ratings[SET_DIAL + colour] = enough * shells[colour, 1]
    if table["phase"][SPELL]:
        return

    castle, single = room["castle"][own], room["single"][own]
    spell = castle + weights["spell"] * single
    rate_combinations_there(there, shells, 1, room["combinations"])
    earlier = np.float32(0)  # expected number of others further left on the dial, who collect first
    for position in range(NUM_DIAL_POSITIONS):
        if position < FIRST_COMBINATION:
            ratings[SET_DIAL + position] += castle
        else:
            full, thinned = room["dials"][own, position], room["combinations"][kinds[position - FIRST_COMBINATION]]
            thin = thinned if thinned > IMPOSSIBLE else min(max(single, castle), full)
            crowded = min(weights["crowd"] * earlier, np.float32(1))
            collected = full * (1 - crowded) + thin * crowded
            alone = room["alone"][position]
            ratings[SET_DIAL + position] = alone * collected + (1 - alone) * spell
        earlier += room["here"][position]
