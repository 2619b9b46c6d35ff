"""Rollouts: games played to their end by a heuristic, one after the other, while each is in the processor's cache."""

from functools import partial

import numpy as np
import numpy.typing as npt

from strand_env.agents.base import OPEN
from strand_env.agents.choosing import sample, softmax_weights
from strand_env.agents.strand_unter.appraisal import ROOM_DTYPE, rate
from strand_env.engine.bits import has, highest, lowest
from strand_env.engine.jit import Kernel
from strand_env.engine.randomness import decision_stream, fraction, mixed
from strand_env.strand_unter import Games, layout
from strand_env.strand_unter.actions import NUM_ACTIONS, PASS
from strand_env.strand_unter.layout import OBSERVATION_SIZE
from strand_env.strand_unter.legal import PASS_ONLY
from strand_env.strand_unter.observation import HIDE_BUCKETS, OBSERVATION_DTYPE, observe
from strand_env.strand_unter.phases import step
from strand_env.strand_unter.ruleset import MAX_PLAYERS
from strand_env.strand_unter.state import OVER


def finish(
    games: Games,
    chance: npt.NDArray[np.uint64],
    first: npt.NDArray[np.int64],
    weights: np.ndarray,
    kinds: npt.NDArray[np.int64],
) -> bool:
    """`Finishes.finish` for a heuristic with these weights and this order of combinations on the dial."""
    entries, tables, seats = layout.by_name(np.zeros((MAX_PLAYERS, OBSERVATION_SIZE), np.int8))
    seen = entries.view(OBSERVATION_DTYPE).reshape(1, MAX_PLAYERS), tables, seats
    room = np.zeros(1, ROOM_DTYPE), np.zeros(NUM_ACTIONS, np.float32), np.zeros(1, games.rules.choice)
    return not finish_games(1, games.num_games, games.for_kernels, first, chance, weights, kinds, seen, room)


def check_first(start, stop, batch, first):
    """How many of the first actions are illegal."""
    state, _, _, players = batch
    found = 0
    for index in range(start, stop):
        for player in range(players):
            action, legal = first[index, player], state[index]["legal"][player, 0]
            if action != OPEN and legal != PASS_ONLY:
                found += not (0 <= action < NUM_ACTIONS and has(legal, action))
    return found


@partial(Kernel, check=check_first)
def finish_games(start, stop, batch, first, chance, weights, kinds, seen, room):
    """`seen` holds buffers for everybody's observations, and views of them by name: tables and seats."""
    state, rules, options, players = batch
    observations, tables, seats = seen
    working, ratings, chosen = room
    actions = chosen[0]["actions"]
    for index in range(start, stop):
        game = state[index]
        move = 0
        while game["phase"] != OVER:
            observe(game, rules[0], options, players, 0, players, 0, observations)
            known = -1  # the player for whom all dials were rated
            for player in range(MAX_PLAYERS):
                actions[player] = PASS
                legal = game["legal"][player, 0]
                if legal == PASS_ONLY:
                    continue
                if move == 0 and first[index, player] != OPEN:
                    actions[player] = first[index, player]
                    continue
                turned = player - known if known >= 0 and not options[HIDE_BUCKETS] else -1
                known = player if turned < 0 else known
                low, high = lowest(legal), highest(legal) + 1
                rate(tables[player], seats[player], legal, low, high, turned, weights[0], kinds, working[0], ratings)
                total = softmax_weights(ratings, low, high, weights[0]["heat"])
                uniform = fraction(mixed(decision_stream(chance[index], move, player)))
                actions[player] = sample(ratings, low, high, total, uniform)
            step(game, rules[0], actions)
            move += 1
