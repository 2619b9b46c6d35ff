"""What a player may do: sets of actions, one bit per action id in a 64-bit word."""

import numpy as np

from strand_env.jit import compiled
from strand_env.strand_unter.actions import (
    BUILD_CASTLE,
    FIRST_COMBINATION,
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
from strand_env.strand_unter.ruleset import COMBINATIONS, NUM_COLOURS, NUM_VALUES
from strand_env.strand_unter.state import HEAP, READY

TWO_SAME, TWO_DIFFERENT, THREE_SAME, TWO_AND_ONE, THREE_DIFFERENT, ALL_OF_ONE = range(len(COMBINATIONS))

NOTHING = np.uint64(0)
PASS_ONLY = np.uint64(1 << PASS)
ANY_DIAL = np.uint64(((1 << NUM_DIAL_POSITIONS) - 1) << SET_DIAL)
ANY_SINGLE = np.uint64(((1 << NUM_COLOURS) - 1) << SET_DIAL)


def _combination_ways() -> np.ndarray:
    """Ways to fulfil each kind, by how many shells of each colour lie there: two bits per colour, 3 for 3 or more."""
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
def collided_combinations(dials, players):
    """The combinations that two or more players set: one bit per dial position."""
    once = twice = 0
    for player in range(players):
        position = 1 << max(np.int64(dials[player]), 0)
        twice |= once & position
        once |= position
    return twice >> FIRST_COMBINATION << FIRST_COMBINATION


@compiled
def in_spell(collided, dial):
    """Whether the player with this dial takes part in the shell-spell."""
    return collided >> max(np.int64(dial), 0) & 1


@compiled
def combination_options(kind, shells):
    """The complete ways to take a combination from the shells in the groove."""
    code = 0
    for colour in range(NUM_COLOURS):
        code |= np.int64(min(shells[colour], 3)) << 2 * colour
    return _COMBINATION_WAYS[kind, code]


@compiled
def castle_options(castles):
    """The own castles on the heap."""
    values = 0
    for value in range(NUM_VALUES):
        values |= (castles[value] == HEAP) << value
    return np.uint64(values << TAKE_CASTLE)


@compiled
def trove_options(shells, castles):
    """One shell lying in the groove, or an own castle."""
    colours = 0
    for colour in range(NUM_COLOURS):
        colours |= (shells[colour] > 0) << colour
    return np.uint64(colours << TAKE_COLOUR) | castle_options(castles)


@compiled
def build_options(castles, cards, bucket):
    """Each ready castle whose card the bucket can pay, with each colour that is left over for the wild shell."""
    options = 0
    for value in range(NUM_VALUES):
        if castles[value] == READY:
            payable = True
            spare = 0
            for colour in range(NUM_COLOURS):
                left = bucket[colour] - cards[value, colour]
                payable &= left >= 0
                spare |= (left > 0) << colour
            if payable:
                options |= spare << (BUILD_CASTLE + NUM_COLOURS * value)
    return np.uint64(options)


@compiled
def several(options):
    """Whether there is a choice: at least two actions."""
    return options & (options - np.uint64(1)) != NOTHING


@compiled
def only_action(options):
    """The id of the single action of a set."""
    action = 0
    while options >> np.uint64(action) != np.uint64(1):
        action += 1
    return action
