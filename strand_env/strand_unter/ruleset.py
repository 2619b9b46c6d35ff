"""What is printed on the game's material, as data: correct it here, or pass a ruleset of your own."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

COLOURS = ("white", "gray", "brown", "black")
COMBINATIONS = ("two_same", "two_different", "three_same", "two_and_one", "three_different", "all_of_one")
NUM_COLOURS = len(COLOURS)
NUM_VALUES = 4  # castles of value 0, 1, 2, 3
CARDS_PER_VALUE = 8
NUM_SHELLS = 80
PLAYED_GROOVES = 8  # grooves 1 to 8 are filled and played in; 9 to 11 are only sand
MIN_PLAYERS, MAX_PLAYERS = 2, 4

# What the kernels see of a ruleset: for one number of players.
RULES_DTYPE = np.dtype(
    [
        ("shells", np.int8, (NUM_COLOURS,)),
        ("cards", np.int8, (NUM_VALUES, CARDS_PER_VALUE, NUM_COLOURS)),
        ("combinations", np.int8, (len(COMBINATIONS),)),  # the kind of each dial position from 4 on
        ("fill", np.int8, (PLAYED_GROOVES,)),
    ]
)

Row = tuple[int, ...]

# Reconstructed: two base patterns for each value, each in its four rotations over the colours.
_CARD_PATTERNS = (
    ((1, 1, 1, 0), (2, 1, 0, 0)),
    ((2, 1, 1, 0), (2, 2, 0, 0)),
    ((3, 1, 1, 0), (2, 2, 1, 0)),
    ((3, 2, 1, 0), (2, 2, 1, 1)),
)
_DEFAULT_CARDS = tuple(
    tuple(
        tuple(pattern[(colour - rotation) % NUM_COLOURS] for colour in range(NUM_COLOURS))
        for pattern in patterns
        for rotation in range(NUM_COLOURS)
    )
    for patterns in _CARD_PATTERNS
)


@dataclass(frozen=True)
class Ruleset:
    """The numbers of the game, checked when they are put together.

    Everything may be replaced. The defaults marked *reconstructed* could not be read from the rulebook's text and are
    a careful guess; whoever owns the box can correct them.
    """

    shells: Row = (20, 20, 20, 20)
    """Shells of each colour: white, gray, brown, black. The total of 80 is documented, the split *reconstructed*."""

    cards: tuple[tuple[Row, ...], ...] = _DEFAULT_CARDS
    """`cards[value][number]`: shells of each colour on the card, besides its one wild shell. Eight cards for each of
    the values 0 to 3. *Reconstructed*, but for the 7 shells (wild included) of value 3 and for more shells at more
    value."""

    combinations: tuple[str, ...] = COMBINATIONS
    """The six combinations in the order of the dial, positions 4 to 9. *Reconstructed*, but for two_different before
    three_different before all_of_one."""

    fills: tuple[Row, ...] = ((5, 6) * 4, (8,) * 8, (9,) * 8)
    """Shells put into grooves 1 to 8: a row each for 2, 3 and 4 players. Documented."""

    def __post_init__(self) -> None:
        for field in fields(self):
            object.__setattr__(self, field.name, _frozen(getattr(self, field.name)))
        _check_counts("shells", self.shells, NUM_COLOURS)
        if sum(self.shells) != NUM_SHELLS:
            raise ValueError(f"ruleset.shells: expected {NUM_SHELLS} shells in all, got {sum(self.shells)}")
        self._check_cards()
        _check_length("combinations", self.combinations, len(COMBINATIONS))
        if sorted(map(str, self.combinations)) != sorted(COMBINATIONS):
            raise ValueError(f"ruleset.combinations: expected each of {COMBINATIONS} once, got {self.combinations}")
        _check_length("fills", self.fills, MAX_PLAYERS - MIN_PLAYERS + 1)
        for players, fill in enumerate(self.fills, MIN_PLAYERS):
            name = f"fills[{players - MIN_PLAYERS}]"
            _check_counts(name, fill, PLAYED_GROOVES)
            if sum(fill) > NUM_SHELLS:
                raise ValueError(f"ruleset.{name}: expected at most {NUM_SHELLS} shells in all, got {sum(fill)}")

    def _check_cards(self) -> None:
        _check_length("cards", self.cards, NUM_VALUES)
        most_so_far = 0
        for value, cards in enumerate(self.cards):
            _check_length(f"cards[{value}]", cards, CARDS_PER_VALUE)
            for number, card in enumerate(cards):
                _check_counts(f"cards[{value}][{number}]", card, NUM_COLOURS)
                if sum(card) <= most_so_far:
                    raise ValueError(
                        f"ruleset.cards[{value}][{number}]: {card} shows {sum(card)} shells; a card of value {value} "
                        f"must show more than {most_so_far}, the most among the cards of less value"
                    )
            most_so_far = max(sum(card) for card in cards)

    @classmethod
    def default(cls) -> "Ruleset":
        """The rules as the project plays them."""
        return cls()

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Ruleset":
        """The ruleset that `to_dict` wrote."""
        names = {field.name for field in fields(cls)}
        if not isinstance(data, Mapping) or set(data) != names:
            got = sorted(map(str, data)) if isinstance(data, Mapping) else repr(data)
            raise ValueError(f"ruleset: expected the keys {sorted(names)}, got {got}")
        return cls(**data)

    def to_dict(self) -> dict[str, Any]:
        """Plain lists, ready for JSON."""
        return {field.name: _thawed(getattr(self, field.name)) for field in fields(self)}

    def for_kernels(self, num_players: int) -> np.ndarray:
        """One record with the numbers that the compiled rules read."""
        rules = np.zeros(1, RULES_DTYPE)
        rules["shells"] = self.shells
        rules["cards"] = self.cards
        rules["combinations"] = [COMBINATIONS.index(kind) for kind in self.combinations]
        rules["fill"] = self.fills[num_players - MIN_PLAYERS]
        return rules


def _frozen(value: Any) -> Any:
    if isinstance(value, (np.ndarray, np.integer)):
        value = value.tolist()
    return tuple(map(_frozen, value)) if isinstance(value, (list, tuple)) else value


def _thawed(value: Any) -> Any:
    return [_thawed(item) for item in value] if isinstance(value, tuple) else value


def _check_length(name: str, value: Any, length: int) -> None:
    if not isinstance(value, tuple) or len(value) != length:
        raise ValueError(f"ruleset.{name}: expected {length} entries, got {value!r}")


def _check_counts(name: str, value: Any, length: int) -> None:
    _check_length(name, value, length)
    for count in value:
        if not isinstance(count, int) or isinstance(count, bool) or not 0 <= count <= NUM_SHELLS:
            raise ValueError(f"ruleset.{name}: expected whole numbers from 0 to {NUM_SHELLS}, got {value!r}")
