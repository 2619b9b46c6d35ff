"""Masks of legal actions: bit sets over action ids, in as many 64-bit words per player as the game needs.

A game's record holds them as `legal`, (players, words): action 70 is bit 6 of word 1. A player with nothing to decide
has the pass action alone.
"""

import numpy as np

from strand_env.engine.bits import ONE, count, nth
from strand_env.engine.jit import compiled

WORD_BITS = 64
_SHIFT, _REST = 6, 63
_NOTHING, _BYTE = np.uint64(0), np.uint64(0xFF)
_HALF = np.uint64(32)

# The eight bits of a byte spread over the eight bytes of a word.
SPREAD = np.array([sum((byte >> bit & 1) << 8 * bit for bit in range(8)) for byte in range(256)], np.uint64)


def words_for(num_actions: int) -> int:
    """The number of 64-bit words in a mask."""
    return -(-num_actions // WORD_BITS)


# `words` and `pass_action` are compile-time constants: with one word, all loops over words vanish.


@compiled
def has_to_act(game, player, words, pass_action):
    """Whether a player has any legal action but to pass."""
    others = _NOTHING
    for word in range(words):
        mask = game["legal"][player, word]
        if word == pass_action >> _SHIFT:
            mask ^= ONE << np.uint64(pass_action & _REST)
        others |= mask
    return others != _NOTHING


@compiled
def is_legal(game, player, action, words):
    """1 if an action, which must exist, is legal for a player."""
    word = action >> _SHIFT if words > 1 else 0
    bit = action & _REST if words > 1 else action
    return game["legal"][player, word] >> np.uint64(bit) & ONE


@compiled
def allow(game, player, action):
    """Makes an action legal for a player."""
    game["legal"][player, action >> _SHIFT] |= ONE << np.uint64(action & _REST)


@compiled
def allow_only(game, player, action):
    """Makes an action, such as the pass action, the only legal one."""
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
    """The n-th lowest of a player's legal actions, counted from 0."""
    for word in range(words - 1):
        there = count(game["legal"][player, word])
        if n < there:
            return WORD_BITS * word + nth(game["legal"][player, word], n)
        n -= there
    return WORD_BITS * (words - 1) + nth(game["legal"][player, words - 1], n)


@compiled
def pick_legal(game, player, half, words):
    """A legal action by 32 random bits, (almost) uniformly."""
    return nth_legal(game, player, half * count_legal(game, player, words) >> _HALF, words)


@compiled
def write_mask(game, player, words, index, place, out):
    """Writes the mask as bytes of 0 and 1, eight per word of out[index, place]."""
    for word in range(words):
        mask = game["legal"][player, word]
        for byte in range(8):
            out[index, place, 8 * word + byte] = SPREAD[mask >> np.uint64(8 * byte) & _BYTE]


@compiled
def write_mask_row(game, player, num_actions, row, out):
    """Writes the mask as bytes of 0 and 1 into out[row], entry by entry."""
    for word in range((num_actions + _REST) >> _SHIFT):
        mask = game["legal"][player, word]  # read before writing: the compiler cannot rule out aliasing
        first = word << _SHIFT
        last = min(num_actions - first, WORD_BITS)
        for eight in range(last // 8):
            entries = SPREAD[mask >> np.uint64(8 * eight) & _BYTE]
            for entry in range(8):  # the compiler merges these into one word
                out[row, first + 8 * eight + entry] = entries >> np.uint64(8 * entry) & _BYTE
        for action in range(last // 8 * 8, last):
            out[row, first + action] = mask >> np.uint64(action) & ONE
