"""Maui's heuristics as rollout policies."""

from typing import Any

import numpy as np

from strand_env.agents.choosing import sample, softmax_weights
from strand_env.agents.maui.appraisal import ROOM_DTYPE, rate
from strand_env.engine.bits import highest, lowest
from strand_env.engine.jit import compiled
from strand_env.engine.protocol import OPEN
from strand_env.engine.randomness import decision_stream, fraction, mixed
from strand_env.maui import layout
from strand_env.maui.actions import NUM_ACTIONS
from strand_env.maui.observation import OBSERVATION_DTYPE, observe


def room_of(weights: np.ndarray, rulesets: np.ndarray) -> tuple[Any, ...]:
    """What `choose` needs for a heuristic with these weights."""
    entries, tables, seats = layout.by_name(np.zeros((1, layout.size), np.int8))
    observations = entries.view(OBSERVATION_DTYPE)
    return weights, rulesets, observations, tables, seats, np.zeros(1, ROOM_DTYPE), np.zeros(NUM_ACTIONS, np.float32)


@compiled
def choose(game, rules, options, players, bits, move, room, actions):
    """As in `RolloutPolicy`. The table and seats in the room are views of the observation by name."""
    weights, rulesets, observations, tables, seats, working, ratings = room
    for player in range(players):
        if actions[player] == OPEN:
            observe(game, rules, options, players, player, 1, 0, observations)
            legal = game["legal"][player, 0]
            low, high = lowest(legal), highest(legal) + 1
            rate(tables[0], seats[0], legal, low, high, rulesets, weights[0], working[0], ratings)
            total = softmax_weights(ratings, low, high, weights[0]["heat"])
            uniform = fraction(mixed(decision_stream(bits, move, player)))
            actions[player] = sample(ratings, low, high, total, uniform)
