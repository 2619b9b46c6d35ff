"""The weights of heuristics: how much each idea counts. Different weights make different agents."""

import numpy as np

from strand_env.strand_unter.ruleset import NUM_VALUES
from strand_env.strand_unter.state import TURN_ROUND

WEIGHTS_DTYPE = np.dtype(
    [
        # Shells
        ("shell", np.float32, (NUM_VALUES,)),  # one needed by the card nearest to completion, the next, and so on
        ("wild", np.float32),  # one that only fits on a wild space
        ("unfit", np.float32),  # the cost of an unfit one
        ("reach", np.float32),  # shells a player hopes to collect per round; cards out of reach are worth nothing
        # Castles on the heap
        ("castle", np.float32, (NUM_VALUES,)),  # one more ready, if none, one, two or three are
        ("pick_missing", np.float32),  # penalty per shell that its card lacks
        ("pick_value", np.float32),  # bonus per point of its value
        # Other players
        ("others", np.float32),  # how far to allow for them, from 0 to 1
        ("guess", np.float32),  # softmax temperature of their predicted dials, in points
        ("crowd", np.float32),  # how much a player who collects earlier thins out the groove
        ("spell", np.float32),  # the share of the best shell that a shell-spell is worth
        # Building
        ("wait", np.float32, (TURN_ROUND,)),  # value of waiting, in each round at low tide
        ("pace", np.float32),  # rounds the leader needs per castle, to estimate the end of the game
        ("doubt", np.float32),  # uncertainty of that estimate, in rounds
        ("value", np.float32),  # weight of a point of a castle's value, relative to one of its groove
        ("finish", np.float32),  # bonus per point of lead when building the last castle
        # Choosing
        ("heat", np.float32),  # softmax temperature, in points
    ]
)

DIVISORS = ("guess", "doubt", "heat")
