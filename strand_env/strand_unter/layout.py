"""The layout of observations: integers in named sections, the observer's own seat first.

An observation is the table (24 entries) and four seats (72 entries each): the observer's, then the others in seating
order; with fewer than four players the last seats are zero.
"""

from functools import cache

from strand_env.engine.layout import Layout, Part
from strand_env.strand_unter.actions import FIRST_COMBINATION, NUM_DIAL_POSITIONS
from strand_env.strand_unter.ruleset import MAX_PLAYERS, NUM_COLOURS, NUM_VALUES, PLAYED_GROOVES, Ruleset
from strand_env.strand_unter.state import LAST_GROOVE, LAST_ROUND, PHASES

TABLE_SIZE = 24
SEAT_SIZE = 72
MOST_POINTS = NUM_VALUES * PLAYED_GROOVES + sum(range(NUM_VALUES))  # all castles in the last groove
ON_HEAP, IS_READY, STANDS_IN, IS_FLOODED = range(4)  # the entries of a castle
OBSERVATION_SIZE = TABLE_SIZE + MAX_PLAYERS * SEAT_SIZE


@cache
def layout_of(ruleset: Ruleset) -> Layout:
    """The sections of an observation under a ruleset."""
    shells = max(ruleset.shells)
    on_card = max(max(card) for cards in ruleset.cards for card in cards)
    fill = max(1, *(max(row) for row in ruleset.fills))
    castle = (1, 1, PLAYED_GROOVES, 1)
    table = (
        Part("phase", (1,) * len(PHASES), f"one-hot: {', '.join(PHASES)}"),
        Part("round", LAST_ROUND, "number of the round"),
        Part("groove", PLAYED_GROOVES, "groove the sandpiper stands in"),
        Part("sea", LAST_GROOVE, "outermost dry groove"),
        Part("high_tide", 1, "1 after the turn of the tide"),
        Part("shells", ruleset.shells, "shells of each colour in the current groove"),
        Part("unseen", ruleset.shells, "shells of each colour in the bag, under the sea, or in a hidden bucket"),
        Part("players", (1, 1, 1), "one-hot: 2, 3, 4 players"),
        Part("next_fill", fill, "shells that the next round's groove is filled with, if the bag holds them"),
    )
    seat = (
        Part("present", 1, "1 if somebody sits there"),
        Part("to_act", 1, "1 if the player has to decide now (with hidden buckets not told of others in build)"),
        Part("in_spell", 1, "1 if the player's combination collided this round"),
        Part("owed", 1, "1 if the player has a consolation trove to come"),
        Part("bucket", shells, "shells of each colour in the bucket (zero if hidden)", (NUM_COLOURS,)),
        Part("cards", on_card, "for each castle value, the coloured shells on its card", (NUM_VALUES, NUM_COLOURS)),
        Part(
            "castles",
            castle * NUM_VALUES,
            "for each castle value: on the heap, ready, the groove it stands in or 0, flooded",
            (NUM_VALUES, len(castle)),
        ),
        Part("dial", 1, "one-hot: position set this round, zero before the reveal", (NUM_DIAL_POSITIONS,)),
        Part("spell_dial", 1, "one-hot: single set in this round's shell-spell", (FIRST_COMBINATION,)),
        Part("built", NUM_VALUES, "castles built, flooded ones included"),
        Part("points", MOST_POINTS, "beach points of the castles that stand"),
        Part(
            "dials_set",
            LAST_ROUND,
            "how often each position was set in this game, this round's included once revealed",
            (NUM_DIAL_POSITIONS,),
        ),
        Part("last_dial", NUM_DIAL_POSITIONS, "position set in the round before, plus 1; 0 if there was none"),
        Part("last_spell_dial", FIRST_COMBINATION, "single set in that round's shell-spell, plus 1; 0 if none"),
        Part(
            "spell_dials_set",
            LAST_ROUND,
            "how often each single was set in shell-spells of this game",
            (FIRST_COMBINATION,),
        ),
    )
    layout = Layout(table, seat, MAX_PLAYERS)
    assert (layout.table_size, layout.seat_size, layout.dtype.itemsize) == (TABLE_SIZE, SEAT_SIZE, 1)
    return layout
