"""Sea or Shore's heuristics as rollout policies."""

from typing import Any

import numpy as np

from strand_env.agents.choosing import sample, softmax_weights
from strand_env.agents.sea_or_shore.appraisal import ROOM_DTYPE, rate
from strand_env.engine.jit import compiled
from strand_env.engine.masks import is_legal, words_for
from strand_env.engine.protocol import OPEN
from strand_env.engine.randomness import decision_stream, fraction, mixed
from strand_env.sea_or_shore import layout
from strand_env.sea_or_shore.actions import NUM_ACTIONS
from strand_env.sea_or_shore.observation import OBSERVATION_DTYPE, observe

_WORDS = words_for(NUM_ACTIONS)


def room_of(weights: np.ndarray, numbers: np.ndarray) -> tuple[Any, ...]:
    """What `choose` needs for a heuristic with these weights."""
    entries, tables, seats = layout.by_name(np.zeros((1, layout.size), np.uint8))
    observations = entries.view(OBSERVATION_DTYPE)
    legal, ratings = np.zeros(NUM_ACTIONS, np.int8), np.zeros(NUM_ACTIONS, np.float32)
    return weights, numbers, observations, tables, seats, np.zeros(1, ROOM_DTYPE), legal, ratings


@compiled
def choose(game, rules, options, players, bits, move, room, actions):
    """As in `RolloutPolicy`. The table and seats in the room are views of the observation by name."""
    weights, numbers, observations, tables, seats, working, legal, ratings = room
    for player in range(players):
        if actions[player] == OPEN:
            observe(game, rules, options, players, player, 1, 0, observations)
            for action in range(NUM_ACTIONS):
                legal[action] = is_legal(game, player, action, _WORDS)
            rate(tables[0], seats[0], legal, numbers, weights[0], working[0], ratings)
            total = softmax_weights(ratings, 0, NUM_ACTIONS, weights[0]["heat"])
            uniform = fraction(mixed(decision_stream(bits, move, player)))
            actions[player] = sample(ratings, 0, NUM_ACTIONS, total, uniform)
