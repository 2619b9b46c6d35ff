"""What players may do: bit sets over action ids, as many 64-bit words for each player as the game has need of.

A game's record holds them as `legal`, (players, words): action 70 is bit 6 of word 1. Whoever has nothing to decide has
the pass action alone.
"""

import numpy as np

from strand_env.engine.bits import ONE, count, nth
from strand_env.engine.jit import compiled

WORD_BITS = 64
_SHIFT, _REST = 6, 63
_NOTHING, _BYTE = np.uint64(0), np.uint64(0xFF)
_HALF = np.uint64(32)

# The eight bits of a byte spread over the eight bytes of a word.
_SPREAD = np.array([sum((byte >> bit & 1) << 8 * bit for bit in range(8)) for byte in range(256)], np.uint64)


def words_for(num_actions: int) -> int:
    """The number of 64-bit words that a mask takes."""
    return -(-num_actions // WORD_BITS)


# `words` and `pass_action` are constants where these are compiled: with one word, all loops over words vanish.


@compiled
def has_to_act(game, player, words, pass_action):
    """Whether a player may do anything but pass."""
    others = _NOTHING
    for word in range(words):
        mask = game["legal"][player, word]
        if word == pass_action >> _SHIFT:
            mask ^= ONE << np.uint64(pass_action & _REST)
        others |= mask
    return others != _NOTHING


@compiled
def is_legal(game, player, action, words):
    """1 for an action, of those that there are, that a player may do."""
    word = action >> _SHIFT if words > 1 else 0
    bit = action & _REST if words > 1 else action
    return game["legal"][player, word] >> np.uint64(bit) & ONE


@compiled
def allow(game, player, action):
    """Adds an action to those that a player may do."""
    game["legal"][player, action >> _SHIFT] |= ONE << np.uint64(action & _REST)


@compiled
def allow_only(game, player, action):
    """Leaves a player one action, as passing."""
    game["legal"][player, :] = 0
    allow(game, player, action)


@compiled
def count_legal(game, player, words):
    number = _NOTHING
    for word in range(words):
        number += count(game["legal"][player, word])
    return number


@compiled
def nth_legal(game, player, n, words):
    """The n-th lowest of the actions that a player may do, counted from 0."""
    for word in range(words - 1):
        there = count(game["legal"][player, word])
        if n < there:
            return WORD_BITS * word + nth(game["legal"][player, word], n)
        n -= there
    return WORD_BITS * (words - 1) + nth(game["legal"][player, words - 1], n)


@compiled
def pick_legal(game, player, half, words):
    """One of the legal actions by 32 random bits, each (all but) equally likely."""
    return nth_legal(game, player, half * count_legal(game, player, words) >> _HALF, words)


@compiled
def write_mask(game, player, words, index, place, out):
    """The mask as bytes of 0 and 1, eight of them in each word of out[index, place]."""
    for word in range(words):
        mask = game["legal"][player, word]
        for byte in range(8):
            out[index, place, 8 * word + byte] = _SPREAD[mask >> np.uint64(8 * byte) & _BYTE]


@compiled
def write_mask_row(game, player, num_actions, row, out):
    """The mask as bytes of 0 and 1, entry by entry into out[row]."""
    for word in range((num_actions + _REST) >> _SHIFT):
        mask = game["legal"][player, word]  # read before anything is written, which might be the same for the compiler
        first = word << _SHIFT
        last = min(num_actions - first, WORD_BITS)
        for eight in range(last // 8):
            entries = _SPREAD[mask >> np.uint64(8 * eight) & _BYTE]
            for entry in range(8):  # which the compiler writes as one word again
                out[row, first + 8 * eight + entry] = entries >> np.uint64(8 * entry) & _BYTE
        for action in range(last // 8 * 8, last):
            out[row, first + action] = mask >> np.uint64(action) & ONE
