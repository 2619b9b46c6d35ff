"""Speed of the engine: random legal play, with observations and masks in each step.

They are those of all players, or in games where one player decides at a time, those of that player.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import count
from typing import Any, cast

import numpy as np

from strand_env.bench.timing import BLOCKS
from strand_env.engine.batch import GameBatch
from strand_env.engine.game import Game
from strand_env.engine.protocol import Batch
from strand_env.engine.turns import DecisionTurn, Turn

WARM_UP = 150  # steps


@dataclass(frozen=True)
class EngineSpeed:
    """One batch size on some threads. Times are nanoseconds per step of one game."""

    batch: int
    threads: int
    players: int
    decisions_per_second: float
    games_per_second: float
    choose: float  # random actions: the players' work
    environment: float  # all the rest, by one call of `advance`
    parts: dict[str, float]  # the same by a call for each part
    floor: float  # copying the same observations and masks

    @property
    def total(self) -> float:
        return self.choose + self.environment


def measure_engine(
    game: Game, batch: int, threads: Sequence[int], players: int, variant: str | None = None, seconds: float = 2.0
) -> list[EngineSpeed]:
    """Plays with each number of threads for about `seconds`, by turns."""
    loops = {number: Loop(game, batch, number, players, variant) for number in threads}
    per_block = {number: loop.warm_up(seconds / BLOCKS) for number, loop in loops.items()}
    blocks: dict[int, list[tuple[float, float]]] = {number: [] for number in threads}
    parts: dict[int, list[dict[str, float]]] = {number: [] for number in threads}
    floors = []
    for block in range(BLOCKS):
        for number, loop in loops.items():
            blocks[number].append(loop.play(per_block[number]))
            if block % 3 == 0:
                parts[number].append(loop.play_in_parts(per_block[number]))
        floors.append(loops[threads[0]].copy(per_block[threads[0]]))
    decisions, steps, asked = _counted(game.batch, players, variant)
    if game.dynamics == "sequential":
        steps = asked  # each player who is asked takes one
    speeds = []
    for number in threads:
        choose, environment = min(blocks[number], key=sum)
        steps_per_second = 1e9 / (choose + environment)
        rates = steps_per_second * decisions / steps, steps_per_second / steps
        fastest_parts = min(parts[number], key=lambda times: sum(times.values()))
        speeds.append(EngineSpeed(batch, number, players, *rates, choose, environment, fastest_parts, min(floors)))
    return speeds


class Loop:
    """What is timed: a batch of games played with random actions, observations and masks included."""

    def __init__(self, game: Game, batch: int, threads: int, players: int, variant: str | None = None) -> None:
        kind = cast("type[GameBatch[Any]]", game.batch)
        self.games = kind(batch, players, seed=1, variant=variant, threads=threads)
        self.turn: Turn | DecisionTurn
        if game.dynamics == "sequential":
            self.turn = turn = self.games.decision_turn()
            self.choose: Callable[..., Any] = partial(self.games.random_decisions, turn)
            self.actions = np.empty(batch, np.int64)
        else:
            self.turn, self.choose = self.games.turn(), self.games.random_actions
            self.actions = np.empty((batch, players), np.int64)
        self.numbers = count()

    def warm_up(self, seconds: float) -> int:
        """Spreads the games over all phases; returns the number of steps that take about `seconds`."""
        self.play_in_parts(10)
        start = time.perf_counter()
        self.play(WARM_UP)
        return max(10, round(seconds * WARM_UP / (time.perf_counter() - start)))

    def play(self, steps: int) -> tuple[float, float]:
        """Nanoseconds per step of one game: for choosing actions, and for all the rest."""
        games, clock = self.games, time.perf_counter
        choosing = playing = 0.0
        for _ in range(steps):
            start = clock()
            self.choose(next(self.numbers), self.actions)
            chosen = clock()
            games.advance(self.actions, self.turn)
            choosing += chosen - start
            playing += clock() - chosen
        per_step = 1e9 / steps / games.num_games
        return choosing * per_step, playing * per_step

    def play_in_parts(self, steps: int) -> dict[str, float]:
        """Nanoseconds per step of one game for each part, timed by separate calls."""
        games, turn, clock = self.games, self.turn, time.perf_counter
        if isinstance(turn, Turn):
            looks = {"masks": turn.look_at_masks, "observe": turn.look}
        else:
            looks = {"masks and observe": turn.look}
        totals = np.zeros(2 + len(looks))
        for _ in range(steps):
            actions = games.random_actions(next(self.numbers))
            times = [clock()]
            games.step(actions)
            times.append(clock())
            games.reset(games.over)
            times.append(clock())
            for look in looks.values():
                look(games)
                times.append(clock())
            totals += np.diff(times)
        return dict(zip(("step", "reset", *looks), (totals * 1e9 / steps / games.num_games).tolist(), strict=True))

    def copy(self, steps: int) -> float:
        """Nanoseconds for copying the observations and masks of one game."""
        sources = self.turn.observations, np.ones_like(self.turn.legal, order="C")
        targets = [source.copy() for source in sources]
        start = time.perf_counter()
        for _ in range(steps):
            for source, target in zip(sources, targets, strict=True):
                np.copyto(target, source)
        return (time.perf_counter() - start) * 1e9 / steps / self.games.num_games


def decisions_and_steps(kind: type[Batch], players: int, variant: str | None = None) -> tuple[float, float]:
    """Of a random game, on average; a decision is one between several actions."""
    return _counted(kind, players, variant)[:2]


@cache
def _counted(kind: type[Batch], players: int, variant: str | None, games: int = 20_000) -> tuple[float, float, float]:
    """The same, and how often players are asked. Counted separately: counting would disturb the timing."""
    batch = cast("type[GameBatch[Any]]", kind)(games, players, seed=2, variant=variant)
    decisions = steps = asked = 0
    while not batch.over.all():
        decisions += int((batch.legal.sum(2) > 1).sum())
        steps += int((~batch.over).sum())
        asked += int(batch.to_act.sum())
        batch.step(batch.random_actions(steps))
    return decisions / games, steps / games, asked / games
