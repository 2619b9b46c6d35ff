"""The layout of observations: integers in named sections, seats from the observer's own on.

An observation is the table, and five seats: the observer's, then the others in seating order; with fewer than five
players the last seats are zero. Sections that everybody sees alike come first, in the table and in each seat; records
of games hold these as they are here. Sections are grouped by eight entries, so that they can be copied as 64-bit words.
"""

from functools import cache

import numpy as np

from strand_env.engine.layout import Layout, Part
from strand_env.sea_or_shore.actions import PHASES
from strand_env.sea_or_shore.ruleset import (
    ACTIONS,
    ALL_EXTRAS,
    HIGHEST,
    HIGHEST_VALUE,
    LOOKED_AT,
    MAX_PLAYERS,
    MOST_ADDED,
    MOST_STACKED,
    MOST_STACKS,
    MOST_TRICKS,
    MOST_TURNED_UP,
    NUM_CARDS,
    NUM_COLOURS,
    PAIRS,
    PER_COLOUR,
    PLAYER_COUNTS,
    RANKS,
    ROUNDS,
    Ruleset,
)

DTYPE = np.uint8
MOST_SEEN = 255  # what an entry can hold
TREASURE = NUM_COLOURS + 1  # entries of a treasure: its colour, one-hot, and its value
TOPS = 4  # treasures of a pile that are seen one by one
WORD = 8  # entries

PUBLIC_TABLE_SIZE, TABLE_SIZE = 96, 416
PUBLIC_SEAT_SIZE, SEAT_SIZE = 56, 200

_ONE_TREASURE = "one-hot: colour; then the value"


def _treasures(highest: int, *shape: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Maxima and shape of a section of treasures."""
    number = int(np.prod(shape))
    return ((1,) * NUM_COLOURS + (highest,)) * number, (*shape, TREASURE)


def most_points_of_a_round(ruleset: Ruleset) -> int:
    """With all treasures and all extras."""
    return sum(map(sum, ruleset.treasures)) + ALL_EXTRAS // 2


def public_table(ruleset: Ruleset) -> tuple[Part, ...]:
    """What everybody sees alike of the table."""
    highest = max(map(max, ruleset.treasures))
    opened, opened_shape = _treasures(highest, MOST_STACKS)
    return (
        Part("phase", (1,) * len(PHASES), f"one-hot: {', '.join(PHASES)}"),
        Part("players", (1,) * len(PLAYER_COUNTS), "one-hot: 3, 4, 5 players"),
        Part("round", ROUNDS, "number of the round"),
        Part("trick", MOST_TRICKS, "number of the trick in this round"),
        Part("tricks_left", MOST_TRICKS, "tricks of this round after this one"),
        Part("supply", ALL_EXTRAS, "extras in the supply"),
        Part("open", opened, f"for each stack its open treasure, {_ONE_TREASURE}; zero if there is none", opened_shape),
        Part(
            "stake_treasure", highest, "until the reveal, for each colour: value of its open treasure", (NUM_COLOURS,)
        ),
        Part(
            "stake_action",
            1,
            "until the reveal, for each colour without an open treasure, one-hot: the action that it brings",
            (NUM_COLOURS, len(ACTIONS)),
        ),
        Part(
            "joined",
            1,
            "until the reveal, for each colour: 1 if it counts as one with its pair's other",
            (NUM_COLOURS,),
        ),
        Part(
            "remaining",
            PER_COLOUR,
            "for each colour: how many treasures of each value from 1 to 9 lie in its stack and were never turned up",
            (NUM_COLOURS, HIGHEST_VALUE),
        ),
        Part("stack", (1,) * MOST_STACKS, "in phase order, one-hot: the stack that is looked at"),
        Part("taken_number", 2, "in phase give: cards drawn"),
        Part("given_number", 2, "in phase give: cards chosen so far"),
        Part("played", MAX_PLAYERS, "cards on the table"),
        Part("last_trick", 1, "1 in the last trick of the round"),
        Part("sides", 1, "for each pair of colours: the side of its action card that lies up", (PAIRS,)),
    )


def public_seat(ruleset: Ruleset) -> tuple[Part, ...]:
    """What everybody sees alike of a seat; of a covered card the owner sees more."""
    highest = max(map(max, ruleset.treasures))
    pile, pile_shape = _treasures(highest, TOPS)
    worth = min(sum(sorted(sum(ruleset.treasures, ()))[-MOST_TURNED_UP:]), MOST_SEEN)
    return (
        Part("present", 1, "1 if somebody sits there"),
        Part("to_act", 1, "1 if the player has to decide now"),
        Part("leader", 1, "1 for the leader of this trick"),
        Part("order", MAX_PLAYERS - 1, "how far from the leader, clockwise"),
        Part("played", 1, "1 if the player has played a card in this trick"),
        Part("shows", (1, 1), "one-hot: which half of that card shows, colour or number"),
        Part("colour", (1,) * NUM_COLOURS, "its colour, one-hot; zero if it is covered or was picked up"),
        Part("number", HIGHEST, "its number; zero if it is covered or was picked up"),
        Part("added", MOST_ADDED, "extras beside it"),
        Part("count", HIGHEST, "number and extras together, at most 12; zero if the number is"),
        Part("hand_size", MOST_TRICKS + 2, "cards in the hand"),
        Part("extras", ALL_EXTRAS, "extras owned"),
        Part("pile_size", MOST_TURNED_UP, "treasures in the pile"),
        Part("worth", worth, "value of the pile"),
        Part("pile", pile, f"the {TOPS} top treasures, from the top on: {_ONE_TREASURE}", pile_shape),
        Part("points", min(most_points_of_a_round(ruleset), MOST_SEEN), "points of round 1, in round 2"),
        Part("target", 1, "in phase give: 1 for the player whose cards were drawn"),
        Part("to_win", 1, "1 if the player still has to take or steal a treasure"),
        Part("to_do", (1,) * len(ACTIONS), "one-hot: the action that the player still has to complete"),
        Part("last_shows", (1, 1), "of the trick revealed last, one-hot: half that showed"),
        Part("last_colour", (1,) * NUM_COLOURS, "the same: colour of the card, one-hot"),
        Part("last_number", HIGHEST, "the same: number of the card"),
        Part("last_added", MOST_ADDED, "the same: extras beside the card"),
        Part("looker", (1,) * MOST_STACKS, "for each stack: 1 if the player carried out action 3 on it last"),
        Part("shown_number", MOST_TRICKS + 2, "cards that all know to be with the player"),
    )


@cache
def layout_of(ruleset: Ruleset) -> Layout:
    """The sections of an observation under a ruleset."""
    highest = max(map(max, ruleset.treasures))
    looked, looked_shape = _treasures(highest, MOST_STACKS, LOOKED_AT)
    cards = (NUM_CARDS,)
    table = (
        *public_table(ruleset),
        Part("arranged", LOOKED_AT, "for each stack: cards on top that the last looker knows", (MOST_STACKS,)),
        Part("box", RANKS, "cards in the box"),
        Part("unseen_number", NUM_CARDS, "cards that the observer cannot place"),
        Part(
            "next",
            looked,
            f"for each stack, if the observer looked at it last: the `arranged` ones, from the top on, {_ONE_TREASURE}",
            looked_shape,
        ),
        Part(
            "among_next",
            looked,
            f"for each stack: those that the observer knows to be among the `arranged` ones, {_ONE_TREASURE}",
            looked_shape,
        ),
        Part("seen_colours", RANKS, "for each colour: cards of it that the observer can place", (NUM_COLOURS,)),
        Part("seen_ranks", NUM_COLOURS, "the same for each rank in a colour, by default the number", (RANKS,)),
        Part("hand", 1, "1 for each card in the observer's hand", cards),
        Part("unseen", 1, "1 for each card that the observer cannot place: with other players, or in the box", cards),
        Part("aside", 1, "1 for each card out of this round", cards),
        Part("taken", 1, "in phase give, for doer and target: 1 for each card drawn", cards),
        Part("given", 1, "in phase give, for the doer: 1 for each card chosen so far", cards),
    )
    seat = (
        *public_seat(ruleset),
        Part("held", 1, "1 for each card that the observer knows to be in the player's hand or under the cover", cards),
        Part("knows", 1, "1 for each card that the player knows to be with the observer", cards),
        Part("shown", 1, "1 for each card that all know to be with the player", cards),
    )
    layout = Layout(table, seat, MAX_PLAYERS, DTYPE)
    assert (layout.table_size, layout.seat_size) == (TABLE_SIZE, SEAT_SIZE)
    return layout


@cache
def table_layout_of(ruleset: Ruleset) -> Layout:
    """The sections of what a centralised critic sees: everything, in seating order."""
    highest = max(map(max, ruleset.treasures))
    stacks, stacks_shape = _treasures(highest, MOST_STACKS, MOST_STACKED)
    under, under_shape = _treasures(highest, MOST_STACKS, MOST_TRICKS)
    peeked, peeked_shape = _treasures(highest, MOST_STACKS, LOOKED_AT)
    pile, pile_shape = _treasures(highest, MOST_TURNED_UP)
    cards = (NUM_CARDS,)
    table = (
        *public_table(ruleset),
        Part("arranged", LOOKED_AT, "for each stack: cards on top that the last looker knows", (MOST_STACKS,)),
        Part("stacks", stacks, f"for each stack, from the top on: {_ONE_TREASURE}", stacks_shape),
        Part("under", under, f"for each stack, put under it, the first one first: {_ONE_TREASURE}", under_shape),
        Part("box", 1, "1 for each card in the box", cards),
        Part("aside", 1, "1 for each card out of this round", cards),
        Part("taken", 1, "in phase give: 1 for each card drawn", cards),
        Part("given", 1, "in phase give: 1 for each card chosen so far", cards),
    )
    seat = (
        *public_seat(ruleset),
        Part("hand", 1, "1 for each card in the hand", cards),
        Part("shown", 1, "1 for each card that all know to be with the player", cards),
        Part("known", 1, "for each seat: 1 for each card that the player knows to be there", (MAX_PLAYERS, NUM_CARDS)),
        Part("peeked", peeked, f"for each stack, seen to be among the `arranged` ones: {_ONE_TREASURE}", peeked_shape),
        Part("treasures", pile, f"the whole pile, from the top on: {_ONE_TREASURE}", pile_shape),
    )
    return Layout(table, seat, MAX_PLAYERS, DTYPE)
