"""One process per core, each with a batch of its own: as environments are often run in parallel."""

import time
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Any

from strand_env.bench.engine import Loop, decisions_and_steps
from strand_env.bench.timing import BLOCKS
from strand_env.engine.game import Game


@dataclass(frozen=True)
class ProcessesSpeed:
    """Processes at once, each playing a batch of this size on one thread."""

    processes: int
    batch: int
    decisions_per_second: float


def measure_processes(
    game: Game, processes: int, batch: int, players: int, variant: str | None = None, seconds: float = 2.0
) -> ProcessesSpeed:
    """Decisions of all processes together, in the fastest of the blocks that they play at once."""
    context = get_context("spawn")
    together = context.Barrier(processes)
    with context.Pool(processes, _meet_at, (together,)) as pool:
        rates = pool.starmap(_steps_per_second, [(game, batch, players, variant, seconds)] * processes, chunksize=1)
    decisions, steps = decisions_and_steps(game.batch, players, variant)
    fastest = max(sum(of_all) for of_all in zip(*rates, strict=True))
    return ProcessesSpeed(processes, batch, fastest * decisions / steps)


_together: Any = None


def _meet_at(barrier: Any) -> None:
    global _together
    _together = barrier


def _steps_per_second(game: Game, batch: int, players: int, variant: str | None, seconds: float) -> list[float]:
    """In each block; all processes begin a block together."""
    loop = Loop(game, batch, 1, players, variant)
    steps = loop.warm_up(seconds / BLOCKS)
    rates = []
    for _ in range(BLOCKS):
        _together.wait()
        start = time.perf_counter()
        loop.play(steps)
        rates.append(batch * steps / (time.perf_counter() - start))
    return rates
