"""The default encoding of environments: the observation as plain networks learn from it, and what follows from it.

Counts are scaled so that each step matters; categories are one-hot. What networks learn slowly is precomputed: how many
cards can still beat each card in hand, how likely it wins the trick, what extras would change, which treasures can be
stolen. All of it follows from the rules and the observation: chances count the cards that the observer cannot place,
those that players were seen to take, and the halves that show, as if everybody played any of their cards.
"""

from functools import partial
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from strand_env.engine.features import copied, show_leads
from strand_env.engine.game import Encoding
from strand_env.engine.jit import Kernel, compiled
from strand_env.engine.layout import Layout, Part
from strand_env.sea_or_shore.actions import CARD, EXTRAS, PHASES
from strand_env.sea_or_shore.layout import layout_of
from strand_env.sea_or_shore.ruleset import (
    ACTIONS,
    ALL_EXTRAS,
    HIGHEST,
    HIGHEST_VALUE,
    LOOKED_AT,
    MAX_PLAYERS,
    MOST_ADDED,
    MOST_STACKS,
    MOST_TRICKS,
    NUM_CARDS,
    NUM_COLOURS,
    PLAYER_COUNTS,
    RANKS,
    Ruleset,
)
from strand_env.sea_or_shore.showing import SHOWS_COLOUR, SHOWS_NUMBER

NAME = "features 1"  # the number goes up with any change below

_FEW, _VALUE, _POINTS = np.float32(4), np.float32(5), np.float32(16)  # by which counts, treasures, points are divided
_MOST = 20.0  # bound of what is divided by them
_STEPS = 5  # values of an open treasure and numbers of extras that are told apart
_LAST_TRICKS = 4  # that are told apart
_TOPS = 2  # treasures of a pile that are shown
_OBSERVED = layout_of(Ruleset.default())
_COUNTS = HIGHEST + 2  # what a play may count, and beyond
_TREASURE = NUM_COLOURS + 1

_CARDS = (NUM_CARDS,)
_TABLE = (
    Part("phase", 1, f"one-hot: {', '.join(PHASES)}", (len(PHASES),)),
    Part("players", 1, "one-hot: 3, 4, 5 players", (len(PLAYER_COUNTS),)),
    Part("second_round", 1, "1 in round 2"),
    Part("tricks_left", 1, "tricks of this round after this one, of 12"),
    Part("few_tricks", 1, "whether these are at most 0, 1, 2, 3", (_LAST_TRICKS,)),
    Part("played", 1, "cards on the table, of 5"),
    Part("supply", 1, "extras in the supply, of 22"),
    Part(
        "stake_at_least",
        1,
        "until the reveal, for each colour, whether its open treasure is worth at least 1, 2, … 5",
        (NUM_COLOURS, _STEPS),
    ),
    Part(
        "stake_action",
        1,
        "until the reveal, for each colour without an open treasure, one-hot: the action that it brings",
        (NUM_COLOURS, len(ACTIONS)),
    ),
    Part("joined", 1, "until the reveal, for each colour: 1 if it counts as one with its pair's other", (NUM_COLOURS,)),
    Part("to_come", _MOST, "for each colour, points of the treasures never turned up, by 16", (NUM_COLOURS,)),
    Part(
        "next",
        2,
        "for each stack and each place from the top on, if the observer knows it: colour, one-hot, and value, by 5",
        (MOST_STACKS, LOOKED_AT, _TREASURE),
    ),
    Part("hand", 1, "1 for each card in the observer's hand", _CARDS),
    Part("hand_colours", 4, "cards of each colour in the hand, by 4", (NUM_COLOURS,)),
    Part("unseen", 1, "1 for each card that the observer cannot place", _CARDS),
    Part(
        "beaten_by",
        3,
        "for each card in the hand: higher ones of its colour, neither the observer's own nor out of the round, by 4",
        _CARDS,
    ),
    Part("win", 1, "in card, for each card in the hand: the chance that it wins its colour without extras", _CARDS),
    Part("gain", 2, "for these, the chance times the colour's open treasure, by 5", _CARDS),
    Part("lowest", 1, "for these, the chance that it loses and counts least", _CARDS),
    Part(
        "win_with",
        1,
        "in extras, for each number from 0 to 11: the chance to win with so many, if they are owned",
        (MOST_ADDED + 1,),
    ),
    Part("given", 1, "in give, for the doer: 1 for each card chosen so far", _CARDS),
)
_SEAT = (
    Part("present", 1, "1 if somebody sits there"),
    Part("to_act", 1, "1 if the player has to decide now"),
    Part("order", 1, "one-hot: how far from the leader, clockwise", (MAX_PLAYERS,)),
    Part("later", 1, "1 if the player comes after the observer in this trick"),
    Part("played", 1, "1 if the player has played a card in this trick"),
    Part("shows", 1, "one-hot: which half of that card shows, colour or number", (2,)),
    Part("colour", 1, "its colour, one-hot; zero if it is covered or was picked up", (NUM_COLOURS,)),
    Part("number", 1, "its number, one-hot; zero if it is covered or was picked up", (HIGHEST,)),
    Part("added", 3, "extras beside it, by 4"),
    Part("extras", 6, "extras owned, by 4"),
    Part("extras_at_least", 1, "whether at least 1, 2, … 5 are owned", (_STEPS,)),
    Part("hand_size", 2, "cards in the hand, of 12"),
    Part("points", _MOST, "the score as it stands, by 16"),
    Part("lead", _MOST, "the observer's score less this one, by 16; for seat 0 less the best other one", (), -_MOST),
    Part("top", 2, "the two top treasures of the pile: colour, one-hot, and value, by 5", (_TOPS, _TREASURE)),
    Part("to_steal", 2, "until the reveal, value of the top treasure if its colour is that of an open one, by 5"),
    Part("to_win", 1, "1 if the player still has to take or steal a treasure"),
    Part("to_do", 1, "one-hot: the action that the player still has to complete", (len(ACTIONS),)),
    Part("known", 1, "for each colour, the highest number that the observer knows to be there, of 12", (NUM_COLOURS,)),
    Part("knows", 4, "cards of the observer's that the player knows, by 4"),
    Part("last_shows", 1, "of the trick revealed last, one-hot: half that showed", (2,)),
    Part("last_colour", 1, "the same: colour of the card, one-hot", (NUM_COLOURS,)),
    Part("last_number", 1, "the same: number of the card, of 12"),
    Part("last_added", 3, "the same: extras beside the card, by 4"),
)
LAYOUT = Layout(_TABLE, _SEAT, MAX_PLAYERS, np.float32)

# Chances of the observer's plays, by count and colour: in this order compiled loops take all colours together
_ROOM_DTYPE = np.dtype(
    [
        # One player's: probabilities of playing a colour and counting at least so much
        ("there", np.float64, (NUM_CARDS,)),  # how likely each card is in the hand
        ("at_least", np.float32, (_COUNTS, NUM_COLOURS)),
        ("win", np.float32, (_COUNTS, NUM_COLOURS)),
        ("none_below", np.float32, (_COUNTS, NUM_COLOURS)),
        ("alone", np.float32, (NUM_COLOURS,)),
    ],
    align=True,
)


def encode(observations: npt.NDArray[np.integer], numbers: npt.NDArray[np.int64]) -> npt.NDArray[np.float32]:
    """(rows, LAYOUT.size) from (rows, entries) observations; by the numbers on the cards."""
    return LAYOUT.filled(write_features, _OBSERVED, observations, numbers, np.zeros(1, _ROOM_DTYPE))


def features_of(ruleset: Any) -> Encoding:
    """The encoding under a ruleset."""
    numbers = np.array(list(chain(*ruleset.islands)))
    return Encoding(NAME, LAYOUT.size, partial(encode, numbers=numbers), layout=LAYOUT, of_ruleset=features_of)


FEATURES = features_of(Ruleset.default())


@Kernel
def write_features(start, stop, tables, seats, numbers, room, entries, records):
    for row in range(start, stop):
        entries[row, :] = 0
        table, shown = tables[row], records[row]
        show_table(table, shown)
        show_hand(table, seats[row, 0], numbers, shown)
        for place in range(MAX_PLAYERS):
            if seats[row, place]["present"]:
                show_seat(table, seats[row, place], seats[row, 0], numbers, shown["seats"][place])
        show_leads(shown["seats"], np.float32(_MOST))
        if seats[row, 0]["to_act"] and (table["phase"][CARD] or table["phase"][EXTRAS]):
            weigh_chances(table, seats[row], numbers, room[0])
            show_chances(table, seats[row, 0], numbers, room[0], shown)


@compiled
def show_treasure(treasure, out):
    """Colour, one-hot, and value."""
    for colour in range(NUM_COLOURS):
        out[colour] = treasure[colour]
    out[NUM_COLOURS] = treasure[NUM_COLOURS] / _VALUE


@compiled
def show_table(table, shown):
    one = np.float32(1)
    copied(table["phase"], one, shown["phase"])
    copied(table["players"], one, shown["players"])
    shown["second_round"] = table["round"] == 2
    shown["tricks_left"] = table["tricks_left"] / np.float32(MOST_TRICKS)
    for number in range(_LAST_TRICKS):
        shown["few_tricks"][number] = table["tricks_left"] <= number
    shown["played"] = table["played"] / np.float32(MAX_PLAYERS)
    shown["supply"] = table["supply"] / np.float32(ALL_EXTRAS)
    copied(table["joined"], one, shown["joined"])
    for colour in range(NUM_COLOURS):
        for number in range(_STEPS):
            shown["stake_at_least"][colour, number] = table["stake_treasure"][colour] > number
        copied(table["stake_action"][colour], one, shown["stake_action"][colour])
        points = 0
        for value in range(HIGHEST_VALUE):
            points += np.int64(table["remaining"][colour, value]) * (value + 1)
        shown["to_come"][colour] = points / _POINTS
    for stack in range(MOST_STACKS):
        for place in range(LOOKED_AT):
            show_treasure(table["next"][stack, place], shown["next"][stack, place])


@compiled
def show_hand(table, own, numbers, shown):
    """The player's cards, and what may still beat them."""
    one = np.float32(1)
    copied(table["hand"], one, shown["hand"])
    copied(table["unseen"], one, shown["unseen"])
    copied(table["given"], one, shown["given"])
    for colour in range(NUM_COLOURS):
        cards = above = same = 0  # of those still in play: with a higher number, with the same one
        for rank in range(RANKS):  # from the highest card down
            card = RANKS * colour + RANKS - 1 - rank
            if rank and numbers[card] < numbers[card + 1]:
                above, same = above + same, 0
            cards += table["hand"][card]
            shown["beaten_by"][card] = table["hand"][card] * above / _FEW
            same += (own["held"][card] | table["aside"][card]) == 0
        shown["hand_colours"][colour] = cards / _FEW


@compiled
def show_seat(table, seat, own, numbers, shown):
    one = np.float32(1)
    shown["present"], shown["to_act"] = 1, seat["to_act"]
    shown["order"][np.int64(seat["order"])] = 1
    shown["later"] = seat["order"] > own["order"]
    shown["played"] = seat["played"]
    copied(seat["shows"], one, shown["shows"])
    copied(seat["colour"], one, shown["colour"])
    if seat["number"] > 0:
        shown["number"][np.int64(seat["number"]) - 1] = 1
    shown["added"], shown["extras"] = seat["added"] / _FEW, seat["extras"] / _FEW
    for number in range(_STEPS):
        shown["extras_at_least"][number] = seat["extras"] > number
    shown["hand_size"] = seat["hand_size"] / np.float32(MOST_TRICKS)
    shown["points"] = (np.int64(seat["points"]) + seat["worth"] + seat["extras"] // 2) / _POINTS
    for top in range(_TOPS):
        show_treasure(seat["pile"][top], shown["top"][top])
    for colour in range(NUM_COLOURS):
        if table["stake_treasure"][colour] and seat["pile"][0, colour]:
            shown["to_steal"] = seat["pile"][0, NUM_COLOURS] / _VALUE
    shown["to_win"] = seat["to_win"]
    copied(seat["to_do"], one, shown["to_do"])
    knows = 0
    for card in range(NUM_CARDS):
        knows += seat["knows"][card]
        if seat["held"][card]:
            shown["known"][card // RANKS] = numbers[card] / np.float32(HIGHEST)
    shown["knows"] = knows / _FEW
    copied(seat["last_shows"], one, shown["last_shows"])
    copied(seat["last_colour"], one, shown["last_colour"])
    shown["last_number"] = seat["last_number"] / np.float32(HIGHEST)
    shown["last_added"] = seat["last_added"] / _FEW


@compiled
def weigh_chances(table, seats, numbers, room):
    """Fills in how likely the observer wins, or loses as the lowest, by colour and count."""
    win, none_below, alone = room["win"], room["none_below"], room["alone"]
    win[:], none_below[:], alone[:] = 1, 1, 1
    unseen = max(np.float32(table["unseen_number"]), np.float32(1))
    for place in range(1, MAX_PLAYERS):
        if seats[place]["present"]:
            at_least = room["at_least"]
            expect_play(table, seats[place], numbers, unseen, room)
            wins_ties = 1 if seats[place]["order"] < seats[0]["order"] else 0
            for colour in range(NUM_COLOURS):
                alone[colour] *= 1 - at_least[0, colour]
            for count in range(1, HIGHEST + 1):
                for colour in range(NUM_COLOURS):
                    above = at_least[count + 1 - wins_ties, colour]
                    win[count, colour] *= 1 - above
                    none_below[count, colour] *= 1 - at_least[0, colour] + above


@compiled
def expect_play(table, seat, numbers, unseen, room):
    """Fills in what another player plays or has played, any fitting card being as likely as it is there."""
    at_least, there = room["at_least"], room["there"]
    at_least[:] = 0
    placed = 0
    for card in range(NUM_CARDS):
        placed += seat["held"][card]
    share = max((np.float32(seat["hand_size"]) + seat["played"] - placed) / unseen, np.float32(0))
    added, total = np.int64(seat["added"]), np.float32(0)
    for card in range(NUM_CARDS):
        there[card] = np.float32(seat["held"][card]) + table["unseen"][card] * share
    for colour in range(NUM_COLOURS):
        if not seat["shows"][SHOWS_COLOUR] or seat["colour"][colour]:
            for card in range(RANKS * colour, RANKS * colour + RANKS):
                if not seat["shows"][SHOWS_NUMBER] or seat["number"] == numbers[card]:
                    at_least[min(numbers[card] + added, HIGHEST), colour] += there[card]
                    total += there[card]
    scale = 1 / max(total, np.float32(1e-6))
    for count in range(_COUNTS - 1, 0, -1):
        for colour in range(NUM_COLOURS):
            at_least[count - 1, colour] += at_least[count, colour]
    for count in range(_COUNTS):
        for colour in range(NUM_COLOURS):
            at_least[count, colour] = min(at_least[count, colour] * scale, np.float32(1))
    for colour in range(0, NUM_COLOURS, 2):
        if table["joined"][colour]:  # whoever plays one of the two plays both
            for count in range(_COUNTS):
                either = min(at_least[count, colour] + at_least[count, colour + 1], np.float32(1))
                at_least[count, colour] = at_least[count, colour + 1] = either


@compiled
def show_chances(table, own, numbers, room, shown):
    if table["phase"][CARD]:
        for card in range(NUM_CARDS):
            if table["hand"][card]:
                colour, number = card // RANKS, numbers[card]
                win = room["win"][number, colour]
                shown["win"][card] = win
                shown["gain"][card] = win * table["stake_treasure"][colour] / _VALUE
                lowest = room["none_below"][number, colour] - room["alone"][colour]
                shown["lowest"][card] = min(max(lowest, np.float32(0)), np.float32(1))
    else:
        colour = 0
        for other in range(1, NUM_COLOURS):
            colour += other * own["colour"][other]
        for added in range(min(np.int64(own["extras"]), MOST_ADDED) + 1):
            shown["win_with"][added] = room["win"][min(np.int64(own["number"]) + added, HIGHEST), colour]
