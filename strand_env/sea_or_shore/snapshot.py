"""The snapshots of Sea or Shore: section 8 of the rules.

The fields; `consistency.py` refuses those that contradict each other.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from strand_env.engine.checks import entries, fields_of, one_of, shown, whole_number
from strand_env.engine.snapshots import Field, ListField, SetField
from strand_env.sea_or_shore.actions import EXTRAS, OVER
from strand_env.sea_or_shore.ruleset import (
    ACTIONS,
    ALL_EXTRAS,
    COLOUR_SHIFT,
    HIGHEST_VALUE,
    LOOKED_AT,
    MAX_PLAYERS,
    MOST_ADDED,
    MOST_STACKS,
    MOST_TRICKS,
    NO_TREASURE,
    NUM_CARDS,
    NUM_COLOURS,
    ROUNDS,
    VALUE_MASK,
    code_of,
)
from strand_env.sea_or_shore.state import NO_CARD, NO_STACK, NOBODY

HALVES = ("colour", "number")
COVERED = ("card", "extras")  # the phases in which cards lie covered
MOST_POINTS = NUM_COLOURS * 8 * HIGHEST_VALUE + ALL_EXTRAS // 2


@dataclass(frozen=True)
class KnownField(SetField):
    """A row and a column for each player."""

    def shape(self, game: np.void, rules: np.void) -> tuple[int, ...]:
        return int(game["players"]), int(game["players"])


@dataclass(frozen=True)
class StackField(Field):
    """One entry for each stack."""

    def shape(self, game: np.void, rules: np.void) -> tuple[int, ...]:
        return (int(rules["num_stacks"]),)


@dataclass(frozen=True)
class PlaysField(Field):
    """For each player null, or the card, which half of it shows, and the extras beside it."""

    def write(self, game: np.void, rules: np.void) -> Any:
        plays: list[Any] = []
        for player in range(game["players"]):
            seat, card = game["seats"][player], int(game["cards"][player])
            half, extras = int(seat["shows"].argmax()), int(seat["added"])
            plays.append(play_of(card, half, extras) if seat["played"] else None)
        return plays

    def read(self, game: np.void, rules: np.void, given: Any) -> None:
        game["cards"] = NO_CARD
        for player, play in enumerate(self.plays(game, given)):
            if play is not None:
                card, half, extras = play
                seat = game["seats"][player]
                game["cards"][player] = card
                seat["played"], seat["added"] = 1, extras
                seat["shows"][half] = 1

    def plays(self, game: np.void, given: Any) -> list[tuple[int, int, int] | None]:
        players = int(game["players"])
        rows = enumerate(entries(self.name, given, players))
        return [None if each is None else self.play(f"{self.name}[{seat}]", each) for seat, each in rows]

    def play(self, name: str, given: Any) -> tuple[int, int, int]:
        fields_of(name, given, ("card", "shows", "extras"))
        card = given["card"]
        if card is not None:
            whole_number(f"{name}.card", card, 0, NUM_CARDS - 1)
        one_of(f"{name}.shows", given["shows"], HALVES)
        extras = whole_number(f"{name}.extras", given["extras"], 0, MOST_ADDED)
        return NO_CARD if card is None else card, HALVES.index(given["shows"]), extras


@dataclass(frozen=True)
class RevealedField(PlaysField):
    """The same for the trick revealed last; without it, what lies open is taken for it."""

    def write(self, game: np.void, rules: np.void) -> Any:
        revealed = game["revealed"][: int(game["players"])].tolist()
        return [play_of(*play) if play[0] != NO_CARD else None for play in revealed]

    def clear(self, game: np.void) -> None:
        game["revealed"] = (NO_CARD, 0, 0)
        for player in range(game["players"]):
            seat = game["seats"][player]
            if EXTRAS < game["phase"] < OVER and game["cards"][player] != NO_CARD:
                game["revealed"][player] = game["cards"][player], seat["shows"].argmax(), seat["added"]

    def read(self, game: np.void, rules: np.void, given: Any) -> None:
        game["revealed"] = (NO_CARD, 0, 0)
        for player, play in enumerate(self.plays(game, given)):
            if play is not None:
                if play[0] == NO_CARD:
                    raise ValueError(f"{self.name}[{player}].card: expected a card, got None")
                game["revealed"][player] = play


@dataclass(frozen=True)
class TreasuresField(Field):
    """A list of treasures, [colour, value], for each stack or player; if `reverse`d, the record's last comes first."""

    count: str = ""
    count_inside: str = ""
    reverse: bool = False

    def rows(self, game: np.void, rules: np.void) -> int:
        return int(game["players"] if self.per_player else rules["num_stacks"])

    def write(self, game: np.void, rules: np.void) -> Any:
        counts = (game[self.count_inside] if self.count_inside else game)[self.count].tolist()
        rows = [game[self.name][row, : counts[row]].tolist() for row in range(self.rows(game, rules))]
        return [[pair_of(code) for code in (row[::-1] if self.reverse else row)] for row in rows]

    def read(self, game: np.void, rules: np.void, given: Any) -> None:
        array, rows = game[self.name], self.rows(game, rules)
        array[...] = NO_TREASURE
        for row, each in enumerate(entries(self.name, given, rows)):
            codes = treasures_of(f"{self.name}[{row}]", each, array.shape[1])
            (game[self.count_inside] if self.count_inside else game)[self.count][row] = len(codes)
            array[row, : len(codes)] = codes[::-1] if self.reverse else codes


@dataclass(frozen=True)
class OpenField(Field):
    """For each stack a treasure, or null."""

    def write(self, game: np.void, rules: np.void) -> Any:
        return [pair_of(code) if code else None for code in game["open"][: int(rules["num_stacks"])].tolist()]

    def read(self, game: np.void, rules: np.void, given: Any) -> None:
        number = int(rules["num_stacks"])
        for stack, each in enumerate(entries(self.name, given, number)):
            game["open"][stack] = NO_TREASURE if each is None else treasure_of(f"{self.name}[{stack}]", each)


@dataclass(frozen=True)
class PeekedField(Field):
    """For each player and stack a list of treasures."""

    def write(self, game: np.void, rules: np.void) -> Any:
        rows = zip(game["peeked"][: int(game["players"])].tolist(), game["num_peeked"].tolist(), strict=False)
        stacks = range(int(rules["num_stacks"]))
        return [[list(map(pair_of, codes[stack][: numbers[stack]])) for stack in stacks] for codes, numbers in rows]

    def read(self, game: np.void, rules: np.void, given: Any) -> None:
        players, stacks = int(game["players"]), int(rules["num_stacks"])
        for player, row in enumerate(entries(self.name, given, players)):
            for stack, each in enumerate(entries(f"{self.name}[{player}]", row, stacks)):
                name = f"{self.name}[{player}][{stack}]"
                codes = treasures_of(name, each, LOOKED_AT)
                if any(after < before for before, after in pairwise(codes)):
                    raise ValueError(f"{name}: expected treasures in ascending order, got {shown(each)}")
                game["num_peeked"][player, stack] = len(codes)
                game["peeked"][player, stack, : len(codes)] = codes


@dataclass(frozen=True)
class PointsField(Field):
    """A list of the players' points for each finished round."""

    def write(self, game: np.void, rules: np.void) -> Any:
        return game["points"][: _finished(game), : int(game["players"])].tolist()

    def read(self, game: np.void, rules: np.void, given: Any) -> None:
        finished, players = _finished(game), int(game["players"])
        for number, row in enumerate(entries(self.name, given, finished)):
            game["points"][number, :players] = self.numbers(f"{self.name}[{number}]", row, (players,))


def _finished(game: np.void) -> int:
    return ROUNDS if game["phase"] == OVER else int(game["table"]["round"]) - 1


def play_of(card: int, half: int, extras: int) -> dict[str, Any]:
    return {"card": None if card == NO_CARD else card, "shows": HALVES[half], "extras": extras}


def pair_of(code: int) -> list[int]:
    """A treasure as [colour, value]."""
    return [code >> COLOUR_SHIFT, code & VALUE_MASK]


def treasure_of(name: str, given: Any) -> int:
    colour, value = entries(name, given, 2)
    whole_number(f"{name}[0]", colour, 0, NUM_COLOURS - 1)
    whole_number(f"{name}[1]", value, 1, HIGHEST_VALUE)
    return code_of(colour, value)


def treasures_of(name: str, given: Any, most: int) -> list[int]:
    return [treasure_of(f"{name}[{place}]", each) for place, each in enumerate(entries(name, given, 0, most))]


LAST_CARD, LAST_SEAT = NUM_CARDS - 1, MAX_PLAYERS - 1

FIELDS = (
    Field("round", 1, ROUNDS, inside="table"),
    Field("trick", 1, MOST_TRICKS, inside="table"),
    Field("leader", 0, LAST_SEAT),
    SetField("hands", 0, LAST_CARD, per_player=True),
    SetField("box", 0, LAST_CARD),
    SetField("aside", 0, LAST_CARD),
    PlaysField("plays"),
    Field("extras", 0, ALL_EXTRAS, per_player=True, inside="seats"),
    Field("supply", 0, ALL_EXTRAS, inside="table"),
    OpenField("open"),
    TreasuresField("stacks", count="num_stacked", reverse=True),
    TreasuresField("under", count="num_under"),
    TreasuresField("treasures", count="pile_size", count_inside="seats", per_player=True),
    PointsField("points", 0, MOST_POINTS),
    ListField("wins", count="num_wins", parts=(Field("player", 0, LAST_SEAT), Field("colour", 0, NUM_COLOURS - 1))),
    ListField("queue", count="num_queue", parts=(Field("player", 0, LAST_SEAT), Field("action", 1, ACTIONS[-1]))),
    Field("target", 0, LAST_SEAT, null=NOBODY),
    Field("stack", 0, MOST_STACKS - 1, null=NO_STACK),
    SetField("taken", 0, LAST_CARD),
    ListField("given", 0, LAST_CARD, count="given_number", count_inside="table"),
    KnownField("known", 0, LAST_CARD),
    SetField("shown", 0, LAST_CARD, per_player=True),
    StackField("looker", 0, LAST_SEAT, null=NOBODY),
    StackField("arranged", 0, LOOKED_AT),
    PeekedField("peeked"),
    RevealedField("revealed", optional=True),
)
