"""How a player stands: turns left, points, the value of dollars."""

import numpy as np

from strand_env.agents.maui.weights import DOLLARS
from strand_env.engine.jit import compiled
from strand_env.maui.ruleset import (
    COLUMNS,
    COMBINED,
    MAX_PLAYERS,
    MOST_DOLLARS,
)
from strand_env.maui.seats import score_of

ALL_LAID = COLUMNS + 1  # with the start towel


@compiled
def turns_left(seats, laid):
    """The turns after this one, if everybody lays a towel in each turn from now on and the player has laid `laid`."""
    left = ALL_LAID - laid
    for player in range(1, MAX_PLAYERS):
        if seats[player]["present"]:
            still_to_play = seats[player]["order"] > seats[0]["order"]  # in this round
            left = min(left, ALL_LAID - seats[player]["laid"] - still_to_play)
    return max(left, 0)


@compiled
def in_first_part(table):
    """Whether another part follows."""
    return table["variant"][COMBINED] and table["part"] == 1


@compiled
def rate_dollars(table, weights, settled, purse):
    """Fills in the value of 0, 1, … dollars, by whether turns are left: their points, and what they can buy."""
    points = np.float32(0 if in_first_part(table) else 1)
    for dollars in range(1, MOST_DOLLARS + 1):
        purse[0, dollars] = points * dollars
        purse[1, dollars] = purse[1, dollars - 1] + points + settled * weights["dollar"][min(dollars, DOLLARS) - 1]


@compiled
def lead_of(seats, rules):
    """A player's points less those of the best other player."""
    best = np.int64(-1000)
    for player in range(1, MAX_PLAYERS):
        if seats[player]["present"]:
            best = max(best, score_of(seats[player], rules))
    return score_of(seats[0], rules) - best
