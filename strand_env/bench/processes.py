"""All cores by one process each, with a batch of its own: as many environments in parallel are often run."""

import time
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Any

from strand_env.bench.engine import Loop, decisions_and_steps


@dataclass(frozen=True)
class ProcessesSpeed:
    """So many processes at once, each playing a batch of this size on one thread."""

    processes: int
    batch: int
    decisions_per_second: float


def measure_processes(processes: int, batch: int, players: int = 4, seconds: float = 2.0) -> ProcessesSpeed:
    """Decisions of all processes together, in about so many seconds that all of them play at once."""
    context = get_context("spawn")
    together = context.Barrier(processes)
    with context.Pool(processes, _meet_at, (together,)) as pool:
        steps = pool.starmap(_steps_per_second, [(batch, players, seconds)] * processes, chunksize=1)
    decisions, steps_per_game = decisions_and_steps(players)
    return ProcessesSpeed(processes, batch, sum(steps) * decisions / steps_per_game)


_together: Any = None


def _meet_at(barrier: Any) -> None:
    global _together
    _together = barrier


def _steps_per_second(batch: int, players: int, seconds: float) -> float:
    loop = Loop(batch, 1, players)
    steps = loop.warm_up(seconds)
    _together.wait()
    start = time.perf_counter()
    loop.play(steps)
    return batch * steps / (time.perf_counter() - start)
