"""Strand Unter's heuristics as rollout policies."""

from typing import Any

import numpy as np
import numpy.typing as npt

from strand_env.agents.choosing import sample, softmax_weights
from strand_env.agents.strand_unter.appraisal import ROOM_DTYPE, rate
from strand_env.engine.bits import highest, lowest
from strand_env.engine.jit import compiled
from strand_env.engine.protocol import OPEN
from strand_env.engine.randomness import decision_stream, fraction, mixed
from strand_env.strand_unter import layout
from strand_env.strand_unter.actions import NUM_ACTIONS
from strand_env.strand_unter.layout import OBSERVATION_SIZE
from strand_env.strand_unter.observation import HIDE_BUCKETS, OBSERVATION_DTYPE, observe
from strand_env.strand_unter.ruleset import MAX_PLAYERS


def room_of(weights: np.ndarray, kinds: npt.NDArray[np.int64]) -> tuple[Any, ...]:
    """What `choose` needs for a heuristic with these weights and this order of combinations on the dial."""
    entries, tables, seats = layout.by_name(np.zeros((MAX_PLAYERS, OBSERVATION_SIZE), np.int8))
    observations = entries.view(OBSERVATION_DTYPE).reshape(1, MAX_PLAYERS)
    return weights, kinds, observations, tables, seats, np.zeros(1, ROOM_DTYPE), np.zeros(NUM_ACTIONS, np.float32)


@compiled
def choose(game, rules, options, players, bits, move, room, actions):
    """As in `RolloutPolicy`. The tables and seats in the room are views of the observations by name."""
    weights, kinds, observations, tables, seats, working, ratings = room
    observe(game, rules, options, players, 0, players, 0, observations)
    known = -1  # the player for whom all dials were rated
    for player in range(MAX_PLAYERS):
        if actions[player] != OPEN:
            continue
        legal = game["legal"][player, 0]
        turned = player - known if known >= 0 and not options[HIDE_BUCKETS] else -1
        known = player if turned < 0 else known
        low, high = lowest(legal), highest(legal) + 1
        rate(tables[player], seats[player], legal, low, high, turned, weights[0], kinds, working[0], ratings)
        total = softmax_weights(ratings, low, high, weights[0]["heat"])
        uniform = fraction(mixed(decision_stream(bits, move, player)))
        actions[player] = sample(ratings, low, high, total, uniform)
