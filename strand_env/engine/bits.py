"""Small sets as the bits of a 64-bit word."""

import numpy as np

from strand_env.engine.jit import compiled

ONE = np.uint64(1)
_TWO, _FOUR, _BYTE, _TOP = np.uint64(2), np.uint64(4), np.uint64(8), np.uint64(56)
# Byte patterns, repeated in each of the eight bytes of a word.
_PAIRS, _FOURS, _EIGHTS, _EACH, _HIGH = (
    np.uint64(pattern * (2**64 - 1) // 0xFF) for pattern in (0b01010101, 0b00110011, 0b00001111, 1, 128)
)
_LOW = np.uint64(0xFF)

# The n-th lowest member of each set of 0 to 7; 0 where there is none.
_NTH_IN_BYTE = np.zeros((256, 8), np.uint8)
for _byte in range(256):
    _members = [member for member in range(8) if _byte >> member & 1]
    _NTH_IN_BYTE[_byte, : len(_members)] = _members


@compiled
def _counts(bits):
    """The population count of each byte, by sums over pairs, fours and eights of bits."""
    bits = bits - (bits >> ONE & _PAIRS)
    bits = (bits & _FOURS) + (bits >> _TWO & _FOURS)
    return bits + (bits >> _FOUR) & _EIGHTS


@compiled
def count(bits):
    """The number of members of a set."""
    return _counts(bits) * _EACH >> _TOP


@compiled
def has(bits, member):
    """Whether a number is a member of a set."""
    return bits >> np.uint64(member) & ONE != np.uint64(0)


@compiled
def several(bits):
    """Whether a set has two or more members."""
    return bits & (bits - ONE) != np.uint64(0)


@compiled
def lowest(bits):
    """The lowest member of a set that is not empty."""
    return np.int64(count((bits - ONE) & ~bits))


@compiled
def highest(bits):
    """The highest member of a set that is not empty."""
    for half in range(6):
        bits |= bits >> (ONE << np.uint64(half))
    return np.int64(count(bits)) - 1


@compiled
def nth(bits, n):
    """The n-th lowest member of a set, counted from 0."""
    up_to = _counts(bits) * _EACH  # in each byte: the members in it and in the bytes below
    passed = (n * _EACH | _HIGH) - up_to & _HIGH  # a bit for each byte below the member's
    first = count(passed) * _BYTE
    n -= up_to << _BYTE >> first & _LOW
    return np.int64(first) + np.int64(_NTH_IN_BYTE[bits >> first & _LOW, n])
