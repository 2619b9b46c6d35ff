"""Features: for each action its chances and what is at stake, and the position as it is.

All of it follows from the observation, but over cards, colours and covers, which networks are slow to combine. Chances
are counted three times: as if the others played any of their cards; as if they played high ones for high stakes; and as
if those still to play added all their extras in half of the cases, too. How much everything matters is left to the
learner. The numbers are those of the default ruleset.
"""

from itertools import chain

import numpy as np
import numpy.typing as npt

from strand_env.agents.sea_or_shore.beliefs import BELIEFS_DTYPE, OTHERS, expect_others, weigh_chances
from strand_env.agents.sea_or_shore.options import find_legal
from strand_env.agents.sea_or_shore.plays import colour_of, top_value
from strand_env.agents.sea_or_shore.position import LEAD, POINTS, show_position
from strand_env.agents.sea_or_shore.position import SIZE as POSITION
from strand_env.agents.sea_or_shore.spoils import ORDER as OLD_PLACES
from strand_env.agents.sea_or_shore.standing import points_of, points_to_come
from strand_env.engine.game import Encoding
from strand_env.engine.jit import Kernel, compiled
from strand_env.sea_or_shore import layout
from strand_env.sea_or_shore.actions import (
    ADD,
    ARRANGE,
    CARD,
    CHOOSE_STACK,
    NUM_ACTIONS,
    PASS,
    PICK,
    SEAT,
    SHOW_NUMBER,
    TAKE,
    TREASURE,
)
from strand_env.sea_or_shore.actions import EXTRAS as EXTRAS_PHASE
from strand_env.sea_or_shore.ruleset import (
    ACTIONS,
    HIGHEST,
    LOOKED_AT,
    MAX_PLAYERS,
    MOST_ADDED,
    MOST_STACKS,
    NUM_CARDS,
    NUM_COLOURS,
    RANKS,
    Ruleset,
)

# The features of an action. Those of chances come for each way in which the others may play.
LEGAL, SHOWS_COLOUR, SHOWS_NUMBER, GIVES, ADDS, NAMES, TAKES, LOOKS, ARRANGES = range(9)
NUMBER, HIGH, COUNT, SPENT, LEFT = range(9, 14)
OWN_HIGHER, OWN_LOWER, OWN_COLOUR, UNSEEN_HIGHER, ALIKE, KNOWN, RICH = range(14, 21)
TREASURE_VALUE, EXPOSED, IN_SIGHT, THREATS, JOINED, TO_COME, TO_ADD = range(21, 28)
COLOUR_HIGHER, COLOUR_LOWER, UNSEEN_LOWER = range(28, 31)
SEAT_LEAD, SEAT_EXTRAS, SEAT_TOP, SEAT_NEXT, SEAT_PLACE, LATE, SOON = range(31, 38)
ACTION = 38
NUMBER_IS = ACTION + len(ACTIONS)  # one-hot
BY_WAY = NUMBER_IS + HIGHEST
WIN, HOPE, RAISED, RAISED_HOPE, EXTRAS, COMPANY, STEAL, RISK, DEED = range(9)
WAY = DEED + len(ACTIONS)

# What is expected of the others, as in `weights.py`: any card; high cards for high stakes; and extras besides
TEMPT = np.array([0, 0.3, 0.2], np.float32)
LEAN = np.array([0, 0.6, 0.8], np.float32)
BOOST = np.array([0, 0, 0.5], np.float32)
WAYS = len(TEMPT)
PER_ACTION = BY_WAY + WAYS * WAY

SIZE = NUM_ACTIONS * PER_ACTION + POSITION
VERSION = 2  # bump with any change below

ACTION_STAKE = np.float32(1)  # what an action is taken for, in points

_NUMBERS = np.array(list(chain(*Ruleset.default().islands)))
_ROOM_DTYPE = np.dtype([("legal", np.int8, (NUM_ACTIONS,)), ("beliefs", BELIEFS_DTYPE, (WAYS,))], align=True)


def encode_chances(observations: npt.NDArray[np.integer]) -> npt.NDArray[np.float32]:
    """(rows, SIZE) from (rows, entries) observations."""
    _, tables, seats = layout.by_name(observations)
    shown = np.zeros((len(observations), SIZE), np.float32)
    write_chances(1, len(shown), tables, seats, _NUMBERS, np.zeros(1, _ROOM_DTYPE), shown)
    return shown


CHANCES = Encoding(f"chances {VERSION}", SIZE, encode_chances, PER_ACTION)


@Kernel
def write_chances(start, stop, tables, seats, numbers, room, out):
    for row in range(start, stop):
        show_actions(tables[row], seats[row], numbers, room[0], out[row])
        show_position(tables[row], seats[row], numbers, NUM_ACTIONS * PER_ACTION, out[row])


@compiled
def show_actions(table, seats, numbers, room, out):
    legal = room["legal"]
    find_legal(table, seats, legal)
    for way in range(WAYS if table["phase"][CARD] or table["phase"][EXTRAS_PHASE] else 0):
        beliefs = room["beliefs"][way]
        for colour in range(NUM_COLOURS):
            treasure = np.float32(table["stake_treasure"][colour])
            beliefs["stakes"][colour] = treasure if treasure > 0 else ACTION_STAKE
        expect_others(table, seats, numbers, TEMPT[way], LEAN[way], BOOST[way], beliefs)
        weigh_chances(table, seats, beliefs)
    for action in range(NUM_ACTIONS):
        if legal[action]:
            entries = out[PER_ACTION * action : PER_ACTION * (action + 1)]
            entries[LEGAL] = 1
            show_action(table, seats, action, numbers, room["beliefs"], entries)


@compiled
def show_action(table, seats, action, numbers, beliefs, entries):
    own = seats[0]
    if action < ADD:
        card = action % NUM_CARDS
        show_card(table, seats, card // RANKS, numbers[card], numbers, entries)
        entries[KNOWN] = known_by(seats, card)
        if table["phase"][CARD]:
            entries[SHOWS_NUMBER if action >= SHOW_NUMBER else SHOWS_COLOUR] = 1
            show_play(table, seats, card // RANKS, numbers[card], beliefs, entries)
            entries[ALIKE] = alike(table, card, action >= SHOW_NUMBER, numbers)
        else:
            entries[GIVES] = 1
    elif action < SEAT:
        added = action - ADD
        entries[ADDS] = 1
        entries[SPENT], entries[LEFT] = added / POINTS, (np.float32(own["extras"]) - added) / POINTS
        count = min(np.int64(own["number"]) + added, HIGHEST)
        entries[NUMBER] = np.float32(own["number"]) / HIGHEST
        entries[NUMBER_IS + np.int64(own["number"]) - 1] = 1
        show_play(table, seats, colour_of(own), count, beliefs, entries)
    elif action < TAKE:
        entries[NAMES] = 1
        show_seat(table, seats, action - SEAT, numbers, entries)
    elif action == TAKE:
        entries[TAKES] = 1
        for stack in range(MOST_STACKS):
            value = np.float32(table["open"][stack, NUM_COLOURS]) * table["open"][stack, colour_of(own)]
            entries[TREASURE_VALUE] += value / POINTS
    elif action < ARRANGE:
        entries[LOOKS] = 1
        for colour in range(2 * (action - CHOOSE_STACK), 2 * (action - CHOOSE_STACK) + 2):
            entries[RICH] += points_to_come(table, colour) / (4 * POINTS)
            for card in range(RANKS * colour, RANKS * colour + RANKS):
                entries[OWN_COLOUR] += table["hand"][card] / POINTS
    elif action < PASS:
        entries[ARRANGES] = 1
        show_order(table, seats, action - ARRANGE, entries)


@compiled
def show_card(table, seats, colour, number, numbers, entries):
    """A card compared with those in hand, those unseen and those of the same colour."""
    entries[NUMBER] = np.float32(number) / HIGHEST
    entries[NUMBER_IS + number - 1] = 1
    entries[HIGH] = number >= HIGHEST - 2
    entries[RICH] = points_to_come(table, colour) / (2 * POINTS)
    for card in range(NUM_CARDS):
        if table["hand"][card]:
            entries[OWN_HIGHER] += (numbers[card] > number) / POINTS
            entries[OWN_LOWER] += (numbers[card] < number) / POINTS
            if card // RANKS == colour:
                entries[OWN_COLOUR] += 1 / POINTS
                entries[COLOUR_HIGHER] += (numbers[card] > number) / POINTS
                entries[COLOUR_LOWER] += (numbers[card] < number) / POINTS
        elif table["unseen"][card] and card // RANKS == colour:
            entries[UNSEEN_HIGHER] += (numbers[card] > number) / POINTS
            entries[UNSEEN_LOWER] += (numbers[card] < number) / POINTS


@compiled
def known_by(seats, card):
    """The share of the others who know that the player has a card."""
    number, players = np.float32(0), np.float32(0)
    for other in range(1, MAX_PLAYERS):
        number += seats[other]["knows"][card]
        players += seats[other]["present"]
    return number / players


@compiled
def alike(table, card, shows_number, numbers):
    """How many cards of this round show the same half: the more, the less it reveals."""
    number = np.float32(0)
    for other in range(NUM_CARDS):
        same = numbers[other] == numbers[card] if shows_number else other // RANKS == card // RANKS
        number += same and other != card and not table["aside"][other]
    return number / RANKS


@compiled
def show_play(table, seats, colour, count, beliefs, entries):
    """What a play that counts this much may win, and how likely it is to."""
    own = seats[0]
    treasure = np.float32(table["stake_treasure"][colour]) / POINTS
    entries[COUNT] = np.float32(count) / HIGHEST
    entries[TREASURE_VALUE] = treasure
    for action in range(len(ACTIONS)):
        entries[ACTION + action] = table["stake_action"][colour, action]
    if treasure > 0:
        entries[EXPOSED] = top_value(own, colour) / POINTS
    entries[JOINED] = table["joined"][colour]
    for other in range(1, MAX_PLAYERS):
        seat = seats[other]
        entries[IN_SIGHT] += seat["colour"][colour] / np.float32(OTHERS)
        entries[THREATS] += (seat["count"] >= count) / np.float32(OTHERS)
        if seat["present"] and not seat["played"]:
            entries[TO_COME] += 1 / np.float32(OTHERS)
            entries[TO_ADD] = max(entries[TO_ADD], np.float32(seat["extras"]) / POINTS)
    spare = np.int64(0) if own["played"] else min(np.int64(own["extras"]), MOST_ADDED)
    raised = min(count + spare, HIGHEST)
    for way in range(WAYS):
        belief, place = beliefs[way], BY_WAY + WAY * way
        win = belief["win"][colour, count]
        entries[place + WIN], entries[place + HOPE] = win, win * treasure
        more = belief["win"][colour, raised]
        entries[place + RAISED], entries[place + RAISED_HOPE] = more, more * treasure
        entries[place + EXTRAS] = belief["lowest"][colour, count] / POINTS
        entries[place + RISK] = (1 - win) * entries[EXPOSED]
        for action in range(len(ACTIONS)):
            entries[place + DEED + action] = win * table["stake_action"][colour, action]
        for other in range(OTHERS):
            joins = belief["joins"][other, colour]
            entries[place + COMPANY] += joins / OTHERS
            top = top_value(seats[other + 1], colour)
            if treasure > 0 and top > 0:
                stolen = win * joins * (top / POINTS - treasure)
                entries[place + STEAL] = max(entries[place + STEAL], stolen)


@compiled
def show_seat(table, seats, place, numbers, entries):
    """A player who is named: how far ahead, what there is to take."""
    seat = seats[place]
    entries[SEAT_LEAD] = (points_of(seat) - points_of(seats[0])) / LEAD
    entries[SEAT_EXTRAS] = np.float32(seat["extras"]) / POINTS
    entries[SEAT_TOP] = np.float32(seat["pile"][0, NUM_COLOURS]) / POINTS
    entries[SEAT_NEXT] = np.float32(seat["pile"][1, NUM_COLOURS]) / POINTS
    entries[SEAT_PLACE] = np.float32(place) / MAX_PLAYERS
    if table["phase"][PICK]:
        show_card(table, seats, colour_of(seat), np.int64(seat["number"]), numbers, entries)
    elif table["phase"][TREASURE]:
        entries[TREASURE_VALUE] = entries[SEAT_TOP]


@compiled
def show_order(table, seats, order, entries):
    """How much of the three treasures is turned up soon, and how much when the player plays late."""
    stack = 1 if table["stack"][1] else 0
    players = 0
    for seat in seats:
        players += seat["present"]
    for place in range(min(LOOKED_AT, np.int64(table["tricks_left"]))):
        value = np.float32(table["next"][stack, OLD_PLACES[order, place], NUM_COLOURS]) / POINTS
        then = (np.int64(seats[0]["order"]) - 1 - place + 2 * players) % players
        entries[LATE] += value * np.float32(then) / np.float32(players - 1)
        entries[SOON] += value / (place + 1)
