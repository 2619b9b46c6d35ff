"""Legal actions: sets with one bit per action id in a 64-bit word."""

import numpy as np

from strand_env.engine.bits import ONE
from strand_env.engine.jit import compiled
from strand_env.strand_unter.actions import (
    BUILD_CASTLE,
    NUM_DIAL_POSITIONS,
    PAIRS,
    PASS,
    SET_DIAL,
    TAKE_ALL_BUT,
    TAKE_CASTLE,
    TAKE_COLOUR,
    TAKE_PAIR,
    TAKE_TWO_AND_ONE,
    TWOS_AND_ONES,
)
from strand_env.strand_unter.ruleset import COMBINATIONS, MAX_PLAYERS, NUM_COLOURS, NUM_VALUES
from strand_env.strand_unter.state import HEAP, READY

TWO_SAME, TWO_DIFFERENT, THREE_SAME, TWO_AND_ONE, THREE_DIFFERENT, ALL_OF_ONE = range(len(COMBINATIONS))

NOTHING = np.uint64(0)
_LAST = 63  # the bit of unset dials, which is no combination
PASS_ONLY = np.uint64(1 << PASS)
ANY_DIAL = np.uint64(((1 << NUM_DIAL_POSITIONS) - 1) << SET_DIAL)
ANY_SINGLE = np.uint64(((1 << NUM_COLOURS) - 1) << SET_DIAL)
ANY_COMBINATION = ANY_DIAL & ~ANY_SINGLE


def _combination_ways() -> np.ndarray:
    """Ways to take each kind, by the shells in the groove: two bits per colour, where 3 means 3 or more."""
    ways = np.zeros((len(COMBINATIONS), 4**NUM_COLOURS), np.uint64)
    for code in range(4**NUM_COLOURS):
        there = [code >> 2 * colour & 3 for colour in range(NUM_COLOURS)]
        actions: dict[int, list[int]] = {
            TWO_SAME: [TAKE_COLOUR + colour for colour, shells in enumerate(there) if shells >= 2],
            TWO_DIFFERENT: [TAKE_PAIR + i for i, (a, b) in enumerate(PAIRS) if there[a] and there[b]],
            THREE_SAME: [TAKE_COLOUR + colour for colour, shells in enumerate(there) if shells >= 3],
            TWO_AND_ONE: [
                TAKE_TWO_AND_ONE + i for i, (two, one) in enumerate(TWOS_AND_ONES) if there[two] >= 2 and there[one]
            ],
            THREE_DIFFERENT: [
                TAKE_ALL_BUT + left_out
                for left_out in range(NUM_COLOURS)
                if all(shells for colour, shells in enumerate(there) if colour != left_out)
            ],
            ALL_OF_ONE: [TAKE_COLOUR + colour for colour, shells in enumerate(there) if shells],
        }
        for kind, ids in actions.items():
            ways[kind, code] = sum(1 << action for action in ids)
    return ways


_COMBINATION_WAYS = _combination_ways()


@compiled
def set_combinations(dials):
    """The combinations set by exactly one player, and those set by several: one bit per dial position."""
    once = twice = NOTHING
    for player in range(MAX_PLAYERS):
        position = ONE << np.uint64(dials[player] & _LAST)
        twice |= once & position
        once |= position
    return once & ~twice & ANY_COMBINATION, twice & ANY_COMBINATION


@compiled
def in_spell(collided, dial):
    """Whether a player with this dial takes part in the shell-spell."""
    return collided >> np.uint64(dial & _LAST) & ONE


@compiled
def combination_options(kind, shells):
    """The complete ways to take a combination from the shells in the groove."""
    code = 0
    for colour in range(NUM_COLOURS):
        code |= np.int64(min(shells[colour], 3)) << 2 * colour
    return _COMBINATION_WAYS[kind, code]


@compiled
def shells_of_colour(kind, there):
    """Shells that `TAKE_COLOUR` takes for a combination, of those of the colour that lie there."""
    return 2 if kind == TWO_SAME else 3 if kind == THREE_SAME else there


@compiled
def castle_options(castles):
    """The player's castles on the heap."""
    values = 0
    for value in range(NUM_VALUES):
        values |= (castles[value] == HEAP) << value
    return np.uint64(values << TAKE_CASTLE)


@compiled
def trove_options(shells, castles):
    """One shell from the groove, or one of the player's castles from the heap."""
    colours = 0
    for colour in range(NUM_COLOURS):
        colours |= (shells[colour] > 0) << colour
    return np.uint64(colours << TAKE_COLOUR) | castle_options(castles)


@compiled
def build_options(castles, cards, bucket):
    """Each ready castle whose card the bucket can pay, with each colour that is left over for the wild shell."""
    options = NOTHING
    for value in range(NUM_VALUES):
        colours = wild_colours(cards[value], bucket)
        options |= (colours if castles[value] == READY else NOTHING) << np.uint64(BUILD_CASTLE + NUM_COLOURS * value)
    return options


@compiled
def wild_colours(card, bucket):
    """The colours that can pay the wild shell of a card, one bit each; none if the bucket cannot pay the rest of it."""
    # Four colours at a time: in each byte of `left`, 128 and what the bucket has more than the card.
    left = (in_one_word(bucket) | _HIGH) - in_one_word(card)
    spare = left & (left & _REST) + _REST & _HIGH
    colours = (spare >> np.uint64(7)) * _GATHER >> np.uint64(24) & np.uint64(15)
    return colours if left & _HIGH == _HIGH else NOTHING


_HIGH, _REST = np.uint64(0x80808080), np.uint64(0x7F7F7F7F)  # the highest bit of each byte, and the others
_GATHER = np.uint64(1 << 24 | 1 << 17 | 1 << 10 | 1 << 3)  # gathers the lowest bits of four bytes


@compiled
def in_one_word(counts):
    """Packs the counts of the four colours into the bytes of a word."""
    word = NOTHING
    for colour in range(NUM_COLOURS):
        word |= np.uint64(np.uint8(counts[colour])) << np.uint64(8 * colour)
    return word
