"""The numbers printed on the game's components, as data: correct them here, or pass your own ruleset."""

from dataclasses import dataclass, field
from typing import Self

import numpy as np

from strand_env.engine.checks import shown, whole_number
from strand_env.engine.ruleset import ADDED_LATER, RulesetBase, check_choice, check_counts, check_length

COLOURS = ("white", "gray", "brown", "black")
COMBINATIONS = ("two_same", "two_different", "three_same", "two_and_one", "three_different", "all_of_one")
NUM_COLOURS = len(COLOURS)
NUM_VALUES = 4  # castles of value 0, 1, 2, 3
NUM_DIAL_POSITIONS = NUM_COLOURS + len(COMBINATIONS)
CARDS_PER_VALUE = 8
NUM_SHELLS = 80
TURN_ROUND = 8  # after this round the tide turns
LAST_ROUND = 15
PLAYED_GROOVES = 8  # grooves 1 to 8 are filled and played in; 9 to 11 are only sand
MIN_PLAYERS, MAX_PLAYERS = 2, 4
PLAYER_COUNTS = range(MIN_PLAYERS, MAX_PLAYERS + 1)

# A ruleset for one player count, as the compiled rules read it.
RULES_DTYPE = np.dtype(
    [
        ("shells", np.int8, (NUM_COLOURS,)),
        ("cards", np.int8, (NUM_VALUES, CARDS_PER_VALUE, NUM_COLOURS)),
        ("combinations", np.int8, (len(COMBINATIONS),)),  # the kind of each dial position from 4 on
        ("fill", np.int8, (PLAYED_GROOVES,)),
        ("rounds", np.int8),
        ("castles", np.int8, (NUM_VALUES,)),  # 1: in play
        ("dials", np.uint64),  # positions that may be set, a bit each
        ("spell_dials", np.uint64),
        # The same in the form that observations need
        ("shell_word", np.uint64),  # the four counts as the bytes of a word
        ("next_fill", np.int8, (LAST_ROUND + 1,)),  # by round: the fill of the next round
    ],
    align=True,
)

Row = tuple[int, ...]


def groove_of(round_: int) -> int:
    """The sandpiper's groove in a round: it follows the sea out and back."""
    return TURN_ROUND - abs(TURN_ROUND - round_)


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
class Ruleset(RulesetBase):
    """The numbers of the game, checked on construction.

    Everything may be replaced. The defaults marked *reconstructed* are not in the rulebook's text and are a careful
    guess; owners of the box can correct them.
    """

    shells: Row = (20, 20, 20, 20)
    """Shells of each colour: white, gray, brown, black; at most 80 in all. The total of 80 is documented, the split
    *reconstructed*."""

    cards: tuple[tuple[Row, ...], ...] = _DEFAULT_CARDS
    """`cards[value][number]`: shells of each colour on the card, besides its one wild shell. Eight cards for each of
    the values 0 to 3. *Reconstructed*, except that value 3 has 7 shells (wild included) and that higher values have
    more."""

    combinations: tuple[str, ...] = COMBINATIONS
    """The six combinations in the order of the dial, positions 4 to 9. *Reconstructed*, except that two_different comes
    before three_different, and that before all_of_one."""

    fills: tuple[Row, ...] = ((5, 6) * 4, (8,) * 8, (9,) * 8)
    """Shells that fill grooves 1 to 8: one row each for 2, 3 and 4 players. Documented."""

    # For small games

    rounds: int = field(default=LAST_ROUND, metadata=ADDED_LATER)
    """How many rounds are played, 1 to 15."""

    dial: Row = field(default=tuple(range(NUM_DIAL_POSITIONS)), metadata=ADDED_LATER)
    """The dial positions that may be set, at least two of them singles; shell-spells are played with those singles."""

    castles: Row = field(default=tuple(range(NUM_VALUES)), metadata=ADDED_LATER)
    """The values of the castles in play, at least one; the others count as flooded from the start."""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_counts("shells", self.shells, NUM_COLOURS, NUM_SHELLS)
        if sum(self.shells) > NUM_SHELLS:
            raise ValueError(f"ruleset.shells: expected at most {NUM_SHELLS} shells in all, got {sum(self.shells)}")
        self._check_cards()
        check_length("combinations", self.combinations, len(COMBINATIONS))
        if sorted(map(str, self.combinations)) != sorted(COMBINATIONS):
            raise ValueError(f"ruleset.combinations: expected each of {COMBINATIONS} once, got {self.combinations}")
        check_length("fills", self.fills, MAX_PLAYERS - MIN_PLAYERS + 1)
        for players, fill in enumerate(self.fills, MIN_PLAYERS):
            name = f"fills[{players - MIN_PLAYERS}]"
            check_counts(name, fill, PLAYED_GROOVES, NUM_SHELLS)
            if sum(fill) > NUM_SHELLS:
                raise ValueError(f"ruleset.{name}: expected at most {NUM_SHELLS} shells in all, got {sum(fill)}")
        whole_number("ruleset.rounds", self.rounds, 1, LAST_ROUND)
        check_choice("dial", self.dial, NUM_DIAL_POSITIONS - 1, 2)
        if sum(position < NUM_COLOURS for position in self.dial) < 2:
            raise ValueError(f"ruleset.dial: expected at least two of the singles 0 to 3, got {shown(self.dial)}")
        check_choice("castles", self.castles, NUM_VALUES - 1, 1)

    @classmethod
    def small(cls) -> Self:
        """A small game for two players that can be solved: two colours, four dial positions, two castles, three rounds.

        Cards are the same for both, and all shells are dealt into the first three grooves.
        """
        cards = (((1, 0, 0, 0),) * 8, ((1, 1, 0, 0),) * 8, ((2, 1, 0, 0),) * 8, ((2, 2, 0, 0),) * 8)
        return cls(
            shells=(5, 5, 0, 0),
            cards=cards,
            fills=((4, 3, 3, 0, 0, 0, 0, 0),) * 3,
            rounds=3,
            dial=(0, 1, 5, 9),
            castles=(0, 1),
        )

    def _check_cards(self) -> None:
        check_length("cards", self.cards, NUM_VALUES)
        most_so_far = 0
        for value, cards in enumerate(self.cards):
            check_length(f"cards[{value}]", cards, CARDS_PER_VALUE)
            for number, card in enumerate(cards):
                check_counts(f"cards[{value}][{number}]", card, NUM_COLOURS, NUM_SHELLS)
                if sum(card) <= most_so_far:
                    raise ValueError(
                        f"ruleset.cards[{value}][{number}]: {card} shows {sum(card)} shells; a card of value {value} "
                        f"must show more than {most_so_far}, the most among the cards of less value"
                    )
            most_so_far = max(sum(card) for card in cards)

    def for_kernels(self, num_players: int, variant: None = None) -> np.ndarray:
        """One record with the numbers that the compiled rules read."""
        rules = np.zeros(1, RULES_DTYPE)
        rules["shells"] = self.shells
        rules["cards"] = self.cards
        rules["combinations"] = [COMBINATIONS.index(kind) for kind in self.combinations]
        fill = rules["fill"] = self.fills[num_players - MIN_PLAYERS]
        rules["rounds"] = self.rounds
        rules["castles"][0, list(self.castles)] = 1
        rules["dials"] = sum(1 << position for position in self.dial)
        rules["spell_dials"] = sum(1 << position for position in self.dial if position < NUM_COLOURS)
        rules["shell_word"] = sum(count << 8 * colour for colour, count in enumerate(self.shells))
        for round_ in range(1, LAST_ROUND):
            rules["next_fill"][0, round_] = fill[groove_of(round_ + 1) - 1]
        return rules
