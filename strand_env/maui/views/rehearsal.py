"""The rules played on from a snapshot, one decision at a time: what an action brings, and what a step did.

A step of a game carries out everything that leaves no choice. Here each of these decisions can be looked at by itself.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from strand_env.engine.jit import Kernel
from strand_env.maui.actions import DOLLARS, PASS, SHIFTS, SPARE, STEP, TOKEN
from strand_env.maui.games import Games
from strand_env.maui.legal import turn_options
from strand_env.maui.phases import carry_out, choices_left, end_turn, move_shells
from strand_env.maui.ruleset import CELLS, PLACES_PER_ROW
from strand_env.maui.views.table import Piece, Snapshot, Table


@dataclass(frozen=True)
class Decision:
    """A decision that was carried out, with the snapshots around it."""

    player: int
    action: int
    before: Snapshot
    after: Snapshot

    def gained(self, field: str) -> Any:
        """How a number of the player changed, or a list of numbers."""
        new, old = self.after[field][self.player], self.before[field][self.player]
        return np.subtract(new, old).tolist()

    @property
    def takes_towel(self) -> bool:
        return self.action < DOLLARS or SPARE <= self.action < STEP

    @property
    def place(self) -> int:
        """The market place of the towel taken."""
        return self.action - SPARE if self.action >= SPARE else self.action // SHIFTS


@dataclass(frozen=True)
class Gain:
    """What an action brings until the end of the turn, or until the player has to decide again.

    Shells move at the end of a turn; `steps` counts with that already, as if no further token were laid.
    """

    steps: Sequence[int]  # squares on each track
    pearls: Sequence[int]  # of each colour
    dollars: int  # negative if they are paid
    penalties: int  # penalty tokens
    crabs: int  # sum of their values
    tokens: Sequence[int]  # of each kind; negative if they are laid
    points: int  # all of it
    umbrellas: Sequence[int]  # pattern umbrellas that the player has to choose a track for
    lacks_match: bool  # whether a token has to make the match, and the player has to choose it
    passed: Sequence[Piece]  # pieces that leave the beach without effect
    towel: Sequence[Any]  # the player's last towel then, as in a snapshot
    matches: Sequence[int]  # its rows that match the towel before it


_CARRY_OUT, _CHOICES_LEFT, _END_TURN, _TURN_OPTIONS = range(4)


@Kernel
def _play(start, stop, games, rules, what, player, action, results):
    """One part of the rules, as `phases.step` puts them together; with PASS, no more tokens, shells move."""
    for row in range(start, stop):
        game = games[row]
        if what == _CARRY_OUT and action == PASS:
            move_shells(game, rules[0], player)
            results[row] = np.uint64(True)
        elif what == _CARRY_OUT:
            results[row] = np.uint64(carry_out(game, rules[0], player, action))
        elif what == _CHOICES_LEFT:
            results[row] = choices_left(game, rules[0], player)
        elif what == _END_TURN:
            results[row] = np.uint64(end_turn(game, rules[0], player))
        else:
            results[row] = turn_options(game, rules[0], player)


class Rehearsal:
    """A game played on from a snapshot. Draws are those of `drawn`, a list for each part, as far as it goes."""

    def __init__(self, table: Table, drawn: Sequence[Sequence[int]] = ()) -> None:
        assert table.asked is not None
        self._table, self._drawn = table, drawn
        self._player = table.asked
        self._turn_is_over = False
        self._options: list[int] = []
        self._set(table)
        self._start = self._games.copy()
        self.legal = _members(self._games[0]["legal"][self._player, 0])

    def _set(self, table: Table) -> None:
        self._games = table.record()
        batch = (self._games, table.rules, (), len(table.players))
        Games.kernels.reopen(1, 1, batch, np.array([self._player]))

    def _play(self, what: int, action: int = PASS) -> int:
        result = np.zeros(1, np.uint64)
        _play(1, 1, self._games, self._table.rules, what, self._player, action, result)
        return int(result[0])

    def _snapshot(self) -> Snapshot:
        table = self._table
        variant, asked = table.snapshot["variant"], table.snapshot["to_act"]
        return Games.snapshots.write(self._games[0], table.rules[0], table.ruleset, variant, asked)

    def _turn(self, action: int) -> Iterator[int]:
        """Plays until the player has a choice again or the turn is over: the actions, each carried out."""
        while True:
            self._turn_is_over = bool(self._play(_CARRY_OUT, action))
            yield action
            if self._turn_is_over:
                return
            self._options = _members(self._play(_CHOICES_LEFT))
            if len(self._options) > 1:
                return
            [action] = self._options

    def step(self, action: int) -> Iterator[Decision]:
        """All decisions until somebody has a choice, or until the part or the game is over."""
        part, before = self._table.snapshot["part"], self._table.snapshot
        while True:
            for each in self._turn(action):
                decision = Decision(self._player, each, before, self._snapshot())
                if decision.takes_towel:
                    decision = self._drawn_as_it_was(decision)
                yield decision
                before = decision.after
            if not self._turn_is_over:
                return
            self._player = self._play(_END_TURN)
            before = self._snapshot()
            if before["phase"] == "over" or before["part"] != part:
                return
            options = _members(self._play(_TURN_OPTIONS))
            if len(options) > 1:
                return
            [action] = options

    def gain(self, action: int) -> Gain:
        """What an action of the player to act brings; afterwards the game is as before."""
        player = self._player
        self._games = self._start.copy()
        for _ in self._turn(action):
            pass
        lacks_match = False
        if not self._turn_is_over:
            lacks_match = self._options[0] >= TOKEN and PASS not in self._options
            self._play(_CARRY_OUT, PASS)
        before, now = self._table, self._table.later(self._snapshot())
        self._games = self._start.copy()
        whole = Decision(player, action, before.snapshot, now.snapshot)
        column = now.laid(player)
        towel = now.snapshot["beach"][player][column]
        passed = [piece for piece in before.lying(player) if whole.takes_towel and piece.column == column]
        return Gain(
            steps=whole.gained("shells"),
            pearls=whole.gained("pearls"),
            dollars=whole.gained("dollars"),
            penalties=whole.gained("penalties"),
            crabs=whole.gained("crab_points"),
            tokens=whole.gained("tokens"),
            points=now.account(player).points - before.account(player).points,
            umbrellas=now.snapshot["pending"],
            lacks_match=lacks_match,
            passed=[piece for piece in passed if action >= SPARE or not 0 <= piece.row - towel[1] < CELLS],
            towel=towel,
            matches=[row for row, _ in now.matches(player, column)] if column else (),
        )

    def _drawn_as_it_was(self, decision: Decision) -> Decision:
        """Puts the towel that came into the market in place of one drawn by chance."""
        after = dict(decision.after)
        part = after["part"] - 1
        number = len(after["drawn"][part]) - 1
        if part >= len(self._drawn) or number >= len(self._drawn[part]):
            return decision
        drawn, instead = self._drawn[part][number], after["drawn"][part][number]
        last = (decision.place // PLACES_PER_ROW + 1) * PLACES_PER_ROW - 1
        after["market"] = [drawn if place == last else towel for place, towel in enumerate(after["market"])]
        after["drawn"] = [*after["drawn"][:part], [*after["drawn"][part][:-1], drawn]]
        after["bag"] = sorted({*after["bag"], instead} - {drawn})
        self._set(self._table.later(after))
        return Decision(decision.player, decision.action, decision.before, after)


def _members(bits: int) -> list[int]:
    """The actions in a mask."""
    return [action for action in range(PASS + 1) if int(bits) >> action & 1]
