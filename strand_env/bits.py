"""Small sets as the bits of a 64-bit word."""

import numpy as np

from strand_env.jit import compiled

ONE = np.uint64(1)
_TWO, _FOUR, _TOP = np.uint64(2), np.uint64(4), np.uint64(56)
_PAIRS, _FOURS, _EIGHTS, _BYTES = (
    np.uint64(pattern * (2**64 - 1) // 0xFF) for pattern in (0b01010101, 0b00110011, 0b00001111, 0b00000001)
)


@compiled
def count(bits):
    """How many members a set has."""
    bits = bits - (bits >> ONE & _PAIRS)  # sums of neighbours, wider and wider: compilers know it as one instruction
    bits = (bits & _FOURS) + (bits >> _TWO & _FOURS)
    return (bits + (bits >> _FOUR) & _EIGHTS) * _BYTES >> _TOP


@compiled
def several(bits):
    """Whether a set has two or more members."""
    return bits & (bits - ONE) != np.uint64(0)


@compiled
def lowest(bits):
    """The lowest member of a set that is not empty."""
    return np.int64(count((bits - ONE) & ~bits))


@compiled
def nth(bits, n):
    """The n-th lowest member of a set, counted from 0."""
    member = np.uint64(0)
    width = np.uint64(32)
    while width:
        below = count(bits >> member & (ONE << width) - ONE)
        if n >= below:
            n -= below
            member += width
        width >>= ONE
    return np.int64(member)
