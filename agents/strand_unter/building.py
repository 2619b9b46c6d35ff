"""The value of building a castle now: its points if it stands to the end, against waiting."""

import numpy as np

from strand_env.engine.bits import has
from strand_env.engine.jit import compiled
from strand_env.strand_unter.actions import BUILD_CASTLE, PASS
from strand_env.strand_unter.layout import STANDS_IN
from strand_env.strand_unter.phases import last_dry_groove
from strand_env.strand_unter.ruleset import MAX_PLAYERS, NUM_COLOURS, NUM_VALUES
from strand_env.strand_unter.scoring import lacking
from strand_env.strand_unter.seats import to_build
from strand_env.strand_unter.state import LAST_ROUND, TURN_ROUND


@compiled
def flooded_after(table, seats, groove):
    """The round after which the sea floods a groove, if the game lasts that long and no castle is built further out."""
    # The rules move the sea when a round ends; agents must foresee it. tests/test_shared_rules.py compares the two.
    if table["high_tide"]:
        return table["round"] + table["sea"] - groove
    outermost = groove
    for player in range(MAX_PLAYERS):
        for value in range(NUM_VALUES):
            outermost = max(outermost, seats[player]["castles"][value, STANDS_IN])
    return TURN_ROUND + 1 + last_dry_groove(outermost) - groove


@compiled
def rate_builds(table, seats, legal, weights, end, ratings):
    """Rates building now against waiting, and the colours that can pay the wild space."""
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
        if has(legal, action):
            value, wild = (action - BUILD_CASTLE) // NUM_COLOURS, (action - BUILD_CASTLE) % NUM_COLOURS
            ratings[action] = stands * (groove + weights["value"] * value) - wait
            if own["built"] == NUM_VALUES - 1:
                ratings[action] += weights["finish"] * (own["points"] + groove + value - most)
            # The colour that the other cards need least should pay the wild space.
            needed = lacking(to_build(own), own["cards"], own["bucket"], wild)
            ratings[action] -= np.float32(0.1) * max(needed + 1, 0)
