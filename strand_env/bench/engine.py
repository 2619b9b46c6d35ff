"""How fast the engine is: random legal play, observations and masks of all players produced each step."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache

import numpy as np

from strand_env.strand_unter import Games

PARTS = ("choose", "step", "reset", "masks", "observe")
WARM_UP = 150  # steps until the games of a batch are spread over all rounds and phases
BLOCKS = 9  # the median of so many is reported: a neighbour on the machine disturbs some


@dataclass(frozen=True)
class EngineSpeed:
    """One batch size on some threads. Times are nanoseconds per step of one game."""

    batch: int
    threads: int
    players: int
    decisions_per_second: float
    games_per_second: float
    parts: dict[str, float]
    floor: float  # copying the same observations and masks

    @property
    def total(self) -> float:
        return sum(self.parts.values())

    @property
    def environment(self) -> float:
        """All but the choice of random actions, which is the players' work."""
        return self.total - self.parts["choose"]


@contextmanager
def timed(times: dict[str, float], part: str) -> Iterator[None]:
    start = time.perf_counter()
    yield
    times[part] += time.perf_counter() - start


def measure_engine(batch: int, threads: int, players: int = 4, seconds: float = 2.0) -> EngineSpeed:
    """Plays for about so many seconds."""
    games = Games(batch, players, seed=1, threads=threads)
    observations = np.empty((batch, players, games.layout.size), np.int8)
    masks = np.empty((batch, players, 64), np.int8)
    numbers = iter(range(10**9))

    def play(times: dict[str, float]) -> None:
        with timed(times, "choose"):
            actions = games.random_actions(next(numbers))
        with timed(times, "step"):
            games.step(actions)
        with timed(times, "reset"):
            games.reset(games.over)
        with timed(times, "masks"):
            games.write_legal(masks)
        with timed(times, "observe"):
            games.observe(observations)

    start = time.perf_counter()
    for _ in range(WARM_UP):
        play(dict.fromkeys(PARTS, 0.0))
    per_block = max(10, round(seconds / BLOCKS * WARM_UP / (time.perf_counter() - start)))
    blocks = []
    for _ in range(BLOCKS):
        times = dict.fromkeys(PARTS, 0.0)
        for _ in range(per_block):
            play(times)
        blocks.append((times, _copying(observations, np.ones_like(masks[:, :, : games.num_actions]), per_block)))

    scale = 1e9 / per_block / batch
    parts = {part: float(np.median([times[part] for times, _ in blocks])) * scale for part in PARTS}
    floor = float(np.median([floor for _, floor in blocks])) * scale
    steps_per_second = 1e9 / sum(parts.values())
    decisions, steps = decisions_and_steps(players)
    return EngineSpeed(
        batch, threads, players, steps_per_second * decisions / steps, steps_per_second / steps, parts, floor
    )


@cache
def decisions_and_steps(players: int, games: int = 20_000) -> tuple[float, float]:
    """Of a random game, on average. Counted apart: looking on would disturb what is timed."""
    batch = Games(games, players, seed=2)
    decisions = steps = 0
    while not batch.over.all():
        decisions += int(batch.to_act.sum())
        steps += int((~batch.over).sum())
        batch.step(batch.random_actions(steps))
    return decisions / games, steps / games


def _copying(observations: np.ndarray, masks: np.ndarray, times: int) -> float:
    """Seconds for copying both so many times."""
    sources = observations, masks
    targets = [np.empty_like(source) for source in sources]
    for source, target in zip(sources, targets, strict=True):
        np.copyto(target, source)
    start = time.perf_counter()
    for _ in range(times):
        for source, target in zip(sources, targets, strict=True):
            np.copyto(target, source)
    return time.perf_counter() - start
