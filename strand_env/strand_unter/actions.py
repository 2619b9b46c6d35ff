"""The action space: 57 ids shared by all phases of the game."""

from itertools import combinations, permutations

import numpy as np

from strand_env.engine.checks import whole_number
from strand_env.engine.ruleset import checked_ruleset
from strand_env.strand_unter.ruleset import COLOURS, NUM_COLOURS, NUM_VALUES, Ruleset
from strand_env.strand_unter.ruleset import NUM_DIAL_POSITIONS as NUM_DIAL_POSITIONS

SET_DIAL = 0  # + position
TAKE_COLOUR = 10  # + colour: two, three or all of it, as the combination says; one shell as a trove
TAKE_PAIR = 14  # + index in PAIRS
TAKE_TWO_AND_ONE = 20  # + index in TWOS_AND_ONES
TAKE_ALL_BUT = 32  # + the colour left out
TAKE_CASTLE = 36  # + value
BUILD_CASTLE = 40  # + 4 * value + the colour paid for the wild shell
PASS = 56
NUM_ACTIONS = 57

FIRST_COMBINATION = 4  # to the left of it on the dial: the four single shells
PAIRS = tuple(combinations(range(NUM_COLOURS), 2))
TWOS_AND_ONES = tuple(permutations(range(NUM_COLOURS), 2))  # (two of this, one of that)


def _taken() -> np.ndarray:
    taken = np.zeros((NUM_ACTIONS, NUM_COLOURS), np.int8)
    for index, pair in enumerate(PAIRS):
        taken[TAKE_PAIR + index, pair] = 1
    for index, (two, one) in enumerate(TWOS_AND_ONES):
        taken[TAKE_TWO_AND_ONE + index, [two, one]] = 2, 1
    for colour in range(NUM_COLOURS):
        taken[TAKE_ALL_BUT + colour] = 1
        taken[TAKE_ALL_BUT + colour, colour] = 0
    return taken


TAKEN = _taken()  # (actions, colours): shells taken, where the id alone determines them
TAKEN.setflags(write=False)


_COMBINATION_NAMES = {
    "two_same": "two shells of one colour",
    "two_different": "two shells of different colours",
    "three_same": "three shells of one colour",
    "two_and_one": "two shells of one colour and one of another",
    "three_different": "three shells of different colours",
    "all_of_one": "all shells of one colour",
}


def describe(action: int, ruleset: Ruleset | None = None) -> str:
    """A short sentence about an action; the ruleset gives the order of the dial."""
    whole_number("action", action, 0, NUM_ACTIONS - 1)
    rules = checked_ruleset(ruleset, Ruleset)
    if FIRST_COMBINATION <= action < NUM_DIAL_POSITIONS:
        kind = rules.combinations[action - FIRST_COMBINATION]
        return f"Set the dial to {_COMBINATION_NAMES[kind]}."
    return _SENTENCES[action]


def _sentences() -> dict[int, str]:
    sentences = {PASS: "Pass."}
    for colour, name in enumerate(COLOURS):
        sentences[SET_DIAL + colour] = f"Set the dial to one {name} shell."
        sentences[TAKE_COLOUR + colour] = f"Take {name}: two, three or all of it, or one as a trove."
        sentences[TAKE_ALL_BUT + colour] = f"Take one shell of each colour but {name}."
    for index, (first, second) in enumerate(PAIRS):
        sentences[TAKE_PAIR + index] = f"Take one {COLOURS[first]} and one {COLOURS[second]} shell."
    for index, (two, one) in enumerate(TWOS_AND_ONES):
        sentences[TAKE_TWO_AND_ONE + index] = f"Take two {COLOURS[two]} and one {COLOURS[one]} shell."
    for value in range(NUM_VALUES):
        sentences[TAKE_CASTLE + value] = f"Take castle {value} from the heap."
        for colour, name in enumerate(COLOURS):
            build = BUILD_CASTLE + NUM_COLOURS * value + colour
            sentences[build] = f"Build castle {value}, the wild shell being {name}."
    return sentences


_SENTENCES = _sentences()
