"""The loops over a batch of games: all that Python calls of the compiled rules."""

import numpy as np

from strand_env.jit import compiled, kernel
from strand_env.randomness import mixed
from strand_env.strand_unter import observation, phases
from strand_env.strand_unter.actions import NUM_ACTIONS
from strand_env.strand_unter.state import OVER

MASK_WORDS = 8  # a player's mask is written as 8 words: 64 bytes, the 57 actions first

# The eight bits of a byte spread over the eight bytes of a word.
_SPREAD = np.array([sum((byte >> bit & 1) << 8 * bit for bit in range(8)) for byte in range(256)], np.uint64)
_BYTE = np.uint64(0xFF)
_ONE = np.uint64(1)


@kernel
def deal_games(indices, seeds, state, rules, players):
    for index in range(len(indices)):
        phases.deal(state[indices[index]], rules[0], seeds[index], players)


@kernel
def redeal_games(state, seeds):
    for index in range(len(state)):
        phases.redeal(state[index], seeds[index])


@kernel
def reopen_games(state, asked, rules):
    for index in range(len(state)):
        phases.reopen(state[index], rules[0], asked[index])


@kernel
def first_illegal(state, actions):
    """Index of the first action that is not legal, counted through games and players, or -1."""
    players = actions.shape[1]
    for index in range(len(state)):
        if state[index]["phase"] != OVER:
            for player in range(players):
                action = actions[index, player]
                if not (0 <= action < NUM_ACTIONS and state[index]["legal"][player] >> np.uint64(action) & _ONE):
                    return index * players + player
    return -1


@kernel
def step_games(state, actions, rules):
    for index in range(len(state)):
        if state[index]["phase"] != OVER:
            phases.step(state[index], rules[0], actions[index])


@kernel
def write_masks(state, out):
    """Legal actions as bytes of 0 and 1 into out, (games, players, MASK_WORDS)."""
    for index in range(len(state)):
        for player in range(out.shape[1]):
            legal = state[index]["legal"][player]
            for word in range(MASK_WORDS):
                out[index, player, word] = _SPREAD[legal >> np.uint64(8 * word) & _BYTE]


@kernel
def write_observations(state, halves, out, rules, hide_buckets):
    for index in range(len(state)):
        observation.observe(state[index], halves[index], rules[0], hide_buckets, out[index])


@kernel
def choose_randomly(state, numbers, out, seed):
    """A legal action for each player, each equally likely; which one depends on the seed and the game's number."""
    for index in range(len(state)):
        for player in range(out.shape[1]):
            legal = state[index]["legal"][player]
            bits = mixed(seed + np.uint64(numbers[index] * out.shape[1] + player))
            out[index, player] = nth_action(legal, (bits >> np.uint64(32)) * count(legal) >> np.uint64(32))


_PAIRS, _FOURS, _EIGHTS = (np.uint64(mask) for mask in (0x5555555555555555, 0x3333333333333333, 0x0F0F0F0F0F0F0F0F))
_BYTES = np.uint64(0x0101010101010101)


@compiled
def count(options):
    """How many actions a set has."""
    options = options - (options >> _ONE & _PAIRS)
    options = (options & _FOURS) + (options >> np.uint64(2) & _FOURS)
    options = options + (options >> np.uint64(4)) & _EIGHTS
    return options * _BYTES >> np.uint64(56)


@compiled
def nth_action(options, n):
    """The id of the n-th action of a set, counted from 0."""
    action = np.uint64(0)
    width = np.uint64(32)
    while width:
        lower = count(options >> action & (_ONE << width) - _ONE)
        if n >= lower:
            n -= lower
            action += width
        width >>= _ONE
    return np.int64(action)
