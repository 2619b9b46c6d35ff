"""Features of a position that belong to no action: the trick, the hand, the players, in similar steps."""

import numpy as np

from strand_env.agents.sea_or_shore.standing import points_of, points_to_come
from strand_env.engine.jit import compiled
from strand_env.sea_or_shore.actions import PHASES
from strand_env.sea_or_shore.ruleset import (
    ACTIONS,
    ALL_EXTRAS,
    HIGHEST,
    MAX_PLAYERS,
    MOST_TRICKS,
    NUM_COLOURS,
    PLAYER_COUNTS,
    RANKS,
)
from strand_env.sea_or_shore.showing import SHOWS_COLOUR

POINTS, LEAD = np.float32(5), np.float32(16)  # by which values and leads are divided

_LAST_TRICKS = 4  # that are told apart
_FEW_EXTRAS = 6  # that are told apart
_COUNTS = len(PLAYER_COUNTS)
_TABLE = len(PHASES) + _COUNTS + 3 + _LAST_TRICKS + 1
_COLOUR = 2 + len(ACTIONS) + 4  # of each colour
_OWN = MAX_PLAYERS + 1 + _FEW_EXTRAS
_OTHER = 9 + NUM_COLOURS
SIZE = _TABLE + NUM_COLOURS * _COLOUR + _OWN + (MAX_PLAYERS - 1) * _OTHER


@compiled
def show_position(table, seats, numbers, place, out):
    """Writes `SIZE` entries."""
    place = show_table(table, place, out)
    for colour in range(NUM_COLOURS):
        place = show_colour(table, colour, numbers, place, out)
    own = seats[0]
    out[place + np.int64(own["order"])] = 1
    place += MAX_PLAYERS
    out[place] = np.float32(own["extras"]) / POINTS
    for number in range(_FEW_EXTRAS):
        out[place + 1 + number] = own["extras"] > number
    place += 1 + _FEW_EXTRAS
    for other in range(1, MAX_PLAYERS):
        if seats[other]["present"]:
            show_other(seats[other], own, place, out)
        place += _OTHER


@compiled
def show_table(table, place, out):
    for phase in range(len(PHASES)):
        out[place + phase] = table["phase"][phase]
    place += len(PHASES)
    for number in range(_COUNTS):
        out[place + number] = table["players"][number]
    place += _COUNTS
    out[place] = table["round"] == 1
    out[place + 1] = np.float32(table["tricks_left"]) / MOST_TRICKS
    out[place + 2] = np.float32(table["supply"]) / ALL_EXTRAS
    place += 3
    for number in range(_LAST_TRICKS):
        out[place + number] = table["tricks_left"] > number
    place += _LAST_TRICKS
    out[place] = np.float32(table["played"]) / MAX_PLAYERS
    return place + 1


@compiled
def show_colour(table, colour, numbers, place, out):
    """What a colour brings now and later; own cards of it and those unseen."""
    out[place] = np.float32(table["stake_treasure"][colour]) / POINTS
    out[place + 1] = points_to_come(table, colour) / (4 * POINTS)
    place += 2
    for action in range(len(ACTIONS)):
        out[place + action] = table["stake_action"][colour, action]
    place += len(ACTIONS)
    for card in range(RANKS * colour, RANKS * colour + RANKS):
        number = np.float32(numbers[card]) / HIGHEST
        if table["hand"][card]:
            out[place] += 1 / POINTS
            out[place + 1] = number  # the highest
            out[place + 2] += number / POINTS
        elif table["unseen"][card]:
            out[place + 3] = number
    return place + 4


@compiled
def show_other(seat, own, place, out):
    """Another player: the lead over them, what they own, and what shows of their card."""
    out[place] = 1
    out[place + 1] = (points_of(own) - points_of(seat)) / LEAD
    out[place + 2] = np.float32(seat["extras"]) / POINTS
    out[place + 3] = seat["order"] > own["order"]
    out[place + 4] = seat["played"]
    out[place + 5] = seat["shows"][SHOWS_COLOUR]
    out[place + 6] = np.float32(seat["number"]) / HIGHEST
    out[place + 7] = np.float32(seat["added"]) / POINTS
    out[place + 8] = np.float32(seat["pile"][0, NUM_COLOURS]) / POINTS
    for colour in range(NUM_COLOURS):
        out[place + 9 + colour] = seat["colour"][colour]
