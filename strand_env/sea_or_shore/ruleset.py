"""The material of the game. What had to be reconstructed is data of a `Ruleset`: correct it here, or pass your own."""

from dataclasses import dataclass
from itertools import chain, pairwise
from typing import Any

import numpy as np

from strand_env.engine.checks import shown, whole_number
from strand_env.engine.ruleset import RulesetBase, check_length

MIN_PLAYERS, MAX_PLAYERS = 3, 5
PLAYER_COUNTS = range(MIN_PLAYERS, MAX_PLAYERS + 1)
HAND_SIZES = (12, 12, 9)  # with 3, 4, 5 players: as many tricks has a round
ROUNDS, MOST_TRICKS = 2, 12

COLOURS = ("red", "blue", "green", "purple")
NUM_COLOURS = len(COLOURS)
PAIRS = NUM_COLOURS // 2  # red and blue, green and purple
RANKS = 12  # cards of each colour
NUM_CARDS = NUM_COLOURS * RANKS
HIGHEST = 12  # number of a card, and all that a play counts

ALL_EXTRAS, MOST_ADDED = 22, 11
PER_COLOUR, HIGHEST_VALUE = 8, 9  # treasures
REMOVED = (2, 3, 4)  # one of each colour, with 3 players
MOST_STACKS, MOST_STACKED = 2, 20
MOST_TURNED_UP = MOST_STACKS * MOST_TRICKS  # treasures in a round
LOOKED_AT = 3  # by action 3
ACTIONS = (1, 2, 3, 4)

# Treasures as numbers: 16 * colour + value. They sort like [colour, value], and none is 0.
NO_TREASURE, COLOUR_SHIFT, VALUE_MASK = 0, 4, 15

# A ruleset for one player count, as the compiled rules read it
RULES_DTYPE = np.dtype(
    [
        ("number_set", np.uint64, (HIGHEST + 1,)),  # the cards with each number
        ("number", np.uint8, (NUM_CARDS,)),  # on each card
        ("action", np.uint8, (NUM_COLOURS,)),  # that lies up for each colour
        ("sides", np.uint8, (PAIRS,)),
        ("tricks", np.int8),  # of a round, and the size of a hand
        ("num_stacks", np.int8),
        ("stack_size", np.int8),
        ("stacks", np.uint8, (MOST_STACKS, MOST_STACKED)),  # treasures before shuffling
        ("treasures", np.uint8, (NUM_COLOURS, HIGHEST_VALUE)),  # how many there are of each colour and value
    ],
    align=True,
)

Row = tuple[int, ...]


@dataclass(frozen=True)
class Ruleset(RulesetBase):
    """What is *reconstructed* or chosen, checked on construction. Colours are 0 red, 1 blue, 2 green, 3 purple.

    Ruleset(sides=(0, 1))  # the other side of the action card of green and purple
    """

    islands: tuple[Row, ...] = (tuple(range(1, RANKS + 1)),) * NUM_COLOURS
    """For each colour, the numbers of its 12 island cards, never falling. *Reconstructed.*"""

    treasures: tuple[Row, ...] = ((1, 2, 2, 3, 3, 4, 4, 5),) * NUM_COLOURS
    """For each colour, the values of its 8 treasures. *Reconstructed.*"""

    actions: tuple[tuple[int, int], ...] = ((1, 2), (3, 4))
    """For each pair of colours, the actions on side 0 and side 1 of its card. *Reconstructed.*"""

    sides: tuple[int, int] = (0, 0)
    """For each pair of colours, the side of its action card that lies up."""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_length("islands", self.islands, NUM_COLOURS)
        for colour, numbers in enumerate(self.islands):
            _check_numbers(f"islands[{colour}]", numbers, RANKS, 1, HIGHEST)
            if any(after < before for before, after in pairwise(numbers)):
                raise ValueError(f"ruleset.islands[{colour}]: expected numbers that never fall, got {shown(numbers)}")
        check_length("treasures", self.treasures, NUM_COLOURS)
        for colour, values in enumerate(self.treasures):
            _check_numbers(f"treasures[{colour}]", values, PER_COLOUR, 1, HIGHEST_VALUE)
            if not set(REMOVED) <= set(values):
                raise ValueError(f"ruleset.treasures[{colour}]: expected a 2, a 3 and a 4 among {shown(values)}")
        check_length("actions", self.actions, PAIRS)
        for pair, both in enumerate(self.actions):
            _check_numbers(f"actions[{pair}]", both, 2, ACTIONS[0], ACTIONS[-1])
        if len(set(chain(*self.actions))) < len(ACTIONS):
            raise ValueError(f"ruleset.actions: expected each of 1 to 4 once, got {shown(self.actions)}")
        _check_numbers("sides", self.sides, PAIRS, 0, 1)

    def stacks(self, num_players: int) -> list[list[tuple[int, int]]]:
        """The treasures, (colour, value), of each stack before shuffling."""
        by_colour = []
        for colour, values in enumerate(self.treasures):
            left = list(values)
            for value in REMOVED if num_players == MIN_PLAYERS else ():
                left.remove(value)
            by_colour.append([(colour, value) for value in left])
        stacks = [by_colour[0] + by_colour[1], by_colour[2] + by_colour[3]]
        return [stacks[0] + stacks[1]] if num_players == MIN_PLAYERS else stacks

    def for_kernels(self, num_players: int, variant: str | None) -> np.ndarray:
        """One record with the numbers that the compiled rules read."""
        rules = np.zeros(1, RULES_DTYPE)
        record = rules[0]
        for card, number in enumerate(chain(*self.islands)):
            record["number"][card] = number
            record["number_set"][number] |= np.uint64(1 << card)
        for colour in range(NUM_COLOURS):
            pair = colour // 2
            record["action"][colour] = self.actions[pair][self.sides[pair]]
        record["sides"] = self.sides
        record["tricks"] = HAND_SIZES[num_players - MIN_PLAYERS]
        stacks = self.stacks(num_players)
        record["num_stacks"], record["stack_size"] = len(stacks), len(stacks[0])
        for number, stack in enumerate(stacks):
            for place, (colour, value) in enumerate(stack):
                record["stacks"][number, place] = code_of(colour, value)
                record["treasures"][colour, value - 1] += 1
        return rules


def code_of(colour: int, value: int) -> int:
    """A treasure as a number."""
    return colour << COLOUR_SHIFT | value


def _check_numbers(name: str, value: Any, length: int, least: int, most: int) -> None:
    check_length(name, value, length)
    for index, each in enumerate(value):
        whole_number(f"ruleset.{name}[{index}]", each, least, most)
