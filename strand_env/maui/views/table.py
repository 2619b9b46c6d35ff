"""What lies on the table, read from a snapshot with the help of its ruleset."""

from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from strand_env.engine.checks import one_of, whole_number
from strand_env.engine.snapshots import Field
from strand_env.maui.actions import PHASES
from strand_env.maui.ruleset import (
    CELLS,
    COLUMNS,
    CRAB_SIDE,
    NUM_PATTERNS,
    PEARL_POINTS,
    PLAYER_COUNTS,
    TOWELS,
    UMBRELLA_SIDE,
    VARIANTS,
    Ruleset,
)
from strand_env.maui.snapshot import FIELDS
from strand_env.maui.state import GAME_DTYPE
from strand_env.pictures.words import check_keys, check_to_act, check_winners

Snapshot = Mapping[str, Any]
Cover = str | int | None


class Cell(NamedTuple):
    """A cell of a laid towel."""

    row: int
    printed: int
    cover: Cover
    shows: int | None  # its pattern for matches; None if it is not active


class Piece(NamedTuple):
    """An umbrella or a crab that lies on a beach."""

    name: str
    column: int
    row: int

    @property
    def kind(self) -> str:
        return self.name[:-1]

    @property
    def number(self) -> int:
        """The colour of a pearl, the number of a pattern umbrella, the value of a crab."""
        return int(self.name[-1])


@dataclass(frozen=True)
class Account:
    """How a player's score adds up."""

    tracks: Sequence[int]  # points on each
    pearls: Sequence[int]  # points for each colour
    dollars: int
    penalties: int  # points lost
    crabs: int  # points lost

    @property
    def points(self) -> int:
        return sum(self.tracks) + sum(self.pearls) + self.dollars - self.penalties - self.crabs

    @property
    def first_score(self) -> int:
        """After part 1 of the combined game."""
        return sum(self.tracks) + self.dollars


_RESULT = (
    Field("scores", -(2**15), 2**15 - 1, per_player=True),
    Field("winners", per_player=True, truth=True),
)
_NEEDED = ("players", "variant", "phase", "to_act", "ruleset", *(each.name for each in (*FIELDS, *_RESULT)))


class Table:
    """A snapshot and its ruleset.

    Refuses what the views cannot show. Positions that no game can reach are fine.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        players = check_keys(snapshot, _NEEDED, PLAYER_COUNTS, PHASES)
        one_of("snapshot: variant", snapshot["variant"], VARIANTS)
        self.snapshot = snapshot
        self.players = range(players)
        self.ruleset = Ruleset.from_dict(snapshot["ruleset"])
        self.squares = self.ruleset.squares(snapshot["variant"])  # of each track, square 0 first
        self.rules = self.ruleset.for_kernels(players, snapshot["variant"])  # as the compiled rules read them
        try:
            self.record()
            self._check()
        except ValueError as error:
            raise ValueError(f"snapshot: {error}") from None
        check_to_act(snapshot["to_act"], players, snapshot["phase"] == "over")
        check_winners(snapshot)

    def later(self, snapshot: Snapshot) -> "Table":
        """The table with another snapshot of the same game, known to be sound."""
        table = copy(self)
        table.snapshot = snapshot
        return table

    def record(self) -> np.ndarray:
        """The game as the record that the rules work on, in a batch of one; without what follows from other fields."""
        games = np.zeros(1, GAME_DTYPE)
        game = games[0]
        game["players"] = len(self.players)
        game["phase"] = PHASES.index(self.snapshot["phase"])
        for field in FIELDS:
            field.read(game, self.rules[0], self.snapshot[field.name])
        return games

    def _check(self) -> None:
        """What a record of the ruleset has room for, but its variant has not."""
        whole_number("part", self.snapshot["part"], 1, int(self.rules[0]["parts"]))
        whole_number("first", self.snapshot["first"], 0, self.players[-1])
        for player, row in enumerate(self.snapshot["shells"]):
            for track, square in enumerate(row):
                whole_number(f"shells[{player}][{track}]", square, 0, len(self.squares[track]) - 1)
        for field in _RESULT:
            if self.snapshot[field.name] is not None or self.snapshot["phase"] == "over":
                field.numbers(field.name, self.snapshot[field.name], (len(self.players),))

    @property
    def asked(self) -> int | None:
        """The player who has to decide."""
        return self.snapshot["to_act"][0] if self.snapshot["to_act"] else None

    @property
    def crab_side(self) -> bool:
        """Whether the beaches show their crab side."""
        return self.snapshot["variant"] == "crabs" or self.snapshot["part"] == 2

    def lying(self, player: int) -> Iterator[Piece]:
        """The pieces that still lie on a beach."""
        spots = self.ruleset.spots(CRAB_SIDE if self.crab_side else UMBRELLA_SIDE)
        dealt = zip(self.snapshot["pieces"][player], spots, self.snapshot["lying"][player], strict=True)
        for name, (column, row), lies in dealt:
            if lies:
                yield Piece(name, column, row)

    def cells(self, towel: Sequence[Any]) -> list[Cell]:
        """The cells of a laid towel."""
        number, top, cover = towel
        return [
            Cell(top + k, TOWELS[number][k], cover[k], self._shows(TOWELS[number][k], cover[k])) for k in range(CELLS)
        ]

    def _shows(self, printed: int, cover: Cover) -> int | None:
        if cover is None:
            return printed
        return self.token_pattern(cover) if isinstance(cover, str) and cover.startswith("token") else None

    def token_pattern(self, cover: str) -> int:
        return self.ruleset.token_patterns[int(cover[-1])]

    def matches(self, player: int, column: int) -> list[tuple[int, int]]:
        """Row and pattern of each match of the towel in a column with the one before it."""
        before, towel = (self.cells(self.snapshot["beach"][player][each]) for each in (column - 1, column))
        shown = {cell.row: cell.shows for cell in before}
        return [
            (cell.row, cell.shows) for cell in towel if cell.shows is not None and shown.get(cell.row) == cell.shows
        ]

    def laid(self, player: int) -> int:
        """The number of towels laid, without the start towel."""
        return len(self.snapshot["beach"][player]) - 1

    def next_column(self, player: int) -> int | None:
        """The column of a player's next towel; None if the beach is full."""
        column = len(self.snapshot["beach"][player])
        return column if column <= COLUMNS else None

    def account(self, player: int) -> Account:
        snapshot = self.snapshot
        return Account(
            tracks=[self.squares[track][snapshot["shells"][player][track]] for track in range(NUM_PATTERNS)],
            pearls=[PEARL_POINTS[count] for count in snapshot["pearls"][player]],
            dollars=snapshot["dollars"][player],
            penalties=self.ruleset.penalty * snapshot["penalties"][player],
            crabs=snapshot["crab_points"][player],
        )
