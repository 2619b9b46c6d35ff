"""Features: what the reference agent thinks of each action. The learner decides where it knows better."""

import numpy as np
import numpy.typing as npt

from strand_env.agents.maui.appraisal import ROOM_DTYPE, rate
from strand_env.agents.maui.gains import ACTIONS, GAINS, RULESETS, find_candidates
from strand_env.agents.maui.heuristics import Nalu
from strand_env.agents.maui.laying import NO_MATCH
from strand_env.agents.maui.weights import DIVISORS, WEIGHTS_DTYPE
from strand_env.agents.weights import as_record
from strand_env.engine.game import Encoding
from strand_env.engine.jit import Kernel
from strand_env.maui import layout
from strand_env.maui.actions import NUM_ACTIONS
from strand_env.maui.ruleset import COMBINED, CRABS

SIZE = 2 * len(ACTIONS)
VERSION = 1  # bump with any change below, and with the weights of `nalu`

_NALU = as_record(Nalu.weights, WEIGHTS_DTYPE, DIVISORS)
_NEAR, _FAR = np.float32(1), np.float32(8)  # points: actions that much worse than the best count as worthless


def encode_ratings(observations: npt.NDArray[np.integer]) -> npt.NDArray[np.float32]:
    """(rows, SIZE) from (rows, entries) observations: for each action, how near its rating is to the best, twice.

    Once all good actions can be told apart, once those that are nearly as good as the best.
    """
    _, tables, seats = layout.by_name(observations)
    shown = np.zeros((len(observations), SIZE), np.float32)
    room, ratings = np.zeros(1, ROOM_DTYPE), np.zeros(NUM_ACTIONS, np.float32)
    write_ratings(1, len(shown), tables, seats, RULESETS, _NALU, room, ratings, shown)
    return shown


@Kernel
def write_ratings(start, stop, tables, seats, rulesets, weights, room, ratings, out):
    for row in range(start, stop):
        table = tables[row]
        rules = rulesets[table["variant"][CRABS] * CRABS + table["variant"][COMBINED] * COMBINED]
        found = find_candidates(table, seats[row, 0], rules, room[0])
        rate(table, seats[row], found, 0, NUM_ACTIONS, rulesets, weights[0], room[0], ratings)
        best = ratings.max()
        place = 0
        for action in ACTIONS:
            if ratings[action] > NO_MATCH / 2:
                out[row, place] = max(1 + (ratings[action] - best) / _FAR, 0)
                out[row, place + 1] = max(1 + (ratings[action] - best) / _NEAR, 0)
            place += 2


def _encode_gains_and_ratings(observations: npt.NDArray[np.integer]) -> npt.NDArray[np.float32]:
    return np.concatenate([GAINS.encode(observations), encode_ratings(observations)], axis=1)


GAINS_AND_RATINGS = Encoding(f"{GAINS.name}, ratings {VERSION}", GAINS.size + SIZE, _encode_gains_and_ratings)
