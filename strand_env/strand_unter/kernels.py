"""The loops over a batch of games, or over a part of it: all that Python calls of the compiled rules."""

from functools import partial

import numpy as np

from strand_env.bits import ONE, count, nth
from strand_env.jit import Kernel
from strand_env.randomness import mixed
from strand_env.strand_unter import phases
from strand_env.strand_unter.actions import NUM_ACTIONS, PASS
from strand_env.strand_unter.drawing import redeal
from strand_env.strand_unter.legal import NOTHING
from strand_env.strand_unter.observation import observe
from strand_env.strand_unter.ruleset import MAX_PLAYERS
from strand_env.strand_unter.state import OVER

CHOICE_DTYPE = np.dtype([("actions", np.int8, (MAX_PLAYERS,))])  # what the players of one game have chosen
MASK_WORDS = 8  # a player's mask is written as 8 words: 64 bytes, the 57 actions first

# The eight bits of a byte spread over the eight bytes of a word.
_SPREAD = np.array([sum((byte >> bit & 1) << 8 * bit for bit in range(8)) for byte in range(256)], np.uint64)
_BYTE = np.uint64(0xFF)


@partial(Kernel, least_games=16)
def deal_games(start, stop, indices, seeds, state, rules, players):
    """Deals the games of these numbers from their seeds; without any seeds each from the one that follows its last."""
    for index in range(start, stop):
        game = state[indices[index]]
        seed = seeds[index] if len(seeds) else mixed(~game["seed"])
        phases.deal(game, rules[0], seed, players)


@Kernel
def redeal_games(start, stop, state, seeds):
    for index in range(start, stop):
        redeal(state[index], seeds[index])


@Kernel
def reopen_games(start, stop, state, asked, rules):
    for index in range(start, stop):
        phases.reopen(state[index], rules[0], asked[index])


@Kernel
def check_actions(start, stop, state, actions, chosen, illegal):
    """Notes what the players chose, for `step_games`, and which games have an illegal action among it."""
    players = actions.shape[1]
    for index in range(start, stop):
        game = state[index]
        legal = ONE
        for player in range(MAX_PLAYERS):
            action = actions[index, player] if player < players else PASS
            known = 0 <= action < NUM_ACTIONS
            legal &= game["legal"][player] >> np.uint64(action) if known else NOTHING
            chosen[index]["actions"][player] = action if known else PASS
        illegal[index] = legal == NOTHING and game["phase"] != OVER


@Kernel
def step_games(start, stop, state, chosen, rules):
    for index in range(start, stop):
        if state[index]["phase"] != OVER:
            phases.step(state[index], rules[0], chosen[index]["actions"])


@Kernel
def find_over(start, stop, state, out):
    for index in range(start, stop):
        out[index] = state[index]["phase"] == OVER


@Kernel
def write_masks(start, stop, state, out):
    """Legal actions as bytes of 0 and 1 into out, (games, players, MASK_WORDS)."""
    for index in range(start, stop):
        for player in range(out.shape[1]):
            legal = state[index]["legal"][player]
            for word in range(MASK_WORDS):
                out[index, player, word] = _SPREAD[legal >> np.uint64(8 * word) & _BYTE]


@Kernel
def write_observations(start, stop, state, packed, out, rules, hide_buckets):
    """Observations into out, (games, players) records of OBSERVATION_DTYPE; `packed` is the state as PACKED_DTYPE."""
    players = out.shape[1]
    for index in range(start, stop):
        # A number that is written down lets the compiler unroll the loops over players.
        if players == 4:
            observe(state[index], packed[index], rules[0], 4, hide_buckets, index, out)
        elif players == 3:
            observe(state[index], packed[index], rules[0], 3, hide_buckets, index, out)
        else:
            observe(state[index], packed[index], rules[0], 2, hide_buckets, index, out)


@Kernel
def choose_randomly(start, stop, state, out, seed):
    """A legal action for each player, each equally likely; which one depends on the seed and the game's number."""
    players = out.shape[1]
    first = mixed(seed)
    for index in range(start, stop):
        for player in range(MAX_PLAYERS):
            if player < players:
                legal = state[index]["legal"][player]
                bits = mixed(first + np.uint64(index * players + player))
                out[index, player] = nth(legal, (bits >> np.uint64(32)) * count(legal) >> np.uint64(32))
