"""Kills and full disks: training and the arena are stopped at random times, and go on to the same result.

`cases(folder)` yields what to try, as `hostile_files.cases` does: `run` returns if nothing was lost, and raises
otherwise.
"""

import errno
import multiprocessing
import os
import random
import resource
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

from arena_agents import Failing
from hostile_files import TINY, Case
from safetensors.numpy import load_file

from strand_env.arena import run_arena
from strand_env.registry import DEFAULT, game_of
from strand_env.support.files import UNFINISHED
from strand_env.train.config import Config
from strand_env.train.run import CHECKPOINT, Run, begin

FULL = 7  # the exit code of a process whose disk was full
CONFIG = {**TINY, "total_timesteps": 384, "evaluate_every": 128}

# A server that has imported everything, so that the processes are under way at once.
FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(
    [
        *("strand_env.train.run", "strand_env.arena.report", "strand_env.agents.strand_unter"),
        *("torch.utils.tensorboard", "__main__"),
    ]
)

Work = Callable[[Path], None]


def cases(folder: Path, kills: int, faults: int, games: Sequence[str] = (DEFAULT,), seed: int = 0) -> Iterator[Case]:
    """So many kills, and so many faults of the disk, of training and of the arena each, in each game."""
    rng = random.Random(seed)
    for game, (what, do, result) in product(games, (("training", _train, _trained), ("the arena", _arena, _measured))):
        name, work = f"{what}, {game}", partial(do, game)
        if kills:
            _timed(work, folder / f"first {name}")  # which starts the server and compiles
        seconds = _timed(work, folder / f"whole {name}")
        expected = result(folder / f"whole {name}")
        for _ in range(kills):
            delay = rng.uniform(0, seconds)
            kill = partial(_kill, work, delay)
            yield Case(
                "kill -9", f"{name}, {delay:.2f} s", partial(_survives, kill, work, result, expected, folder), True
            )
        for number in range(faults):
            limit = rng.choice((0, 100, 1000, 5000, 20_000))
            fault = (_no_space, number) if number % 2 else (_small_files, limit)
            told = f"write {number} of" if number % 2 else f"files of {limit} bytes in"
            full = partial(_fill, work, *fault)
            yield Case("full disk", f"{told} {name}", partial(_survives, full, work, result, expected, folder), True)


def _survives(fault: Work, work: Work, result: Callable[[Path], Any], expected: Any, folder: Path) -> None:
    place = folder / "tried"
    try:
        for _ in range(2):  # one after the other
            fault(place)
        assert _timed(work, place) > 0
        assert result(place) == expected, "it ended in another result"
        assert not [*place.rglob(f"*{UNFINISHED}")], "something unfinished was left behind"
    finally:
        shutil.rmtree(place, ignore_errors=True)


# What is done


def _train(game: str, folder: Path) -> None:
    if not (folder / "config.json").exists():
        begin(folder, Config(**CONFIG, game=game, players=str(game_of(game).player_counts[0])))
    Run(folder).learn()


def _trained(folder: Path) -> Any:
    """All that learning goes on from, and the agent."""
    kept = load_file(folder / CHECKPOINT)
    weights = {name: tensor.tobytes() for name, tensor in kept.items() if name != "data"}
    return weights, (folder / "agent" / "agent.safetensors").read_bytes()


def _arena(game: str, folder: Path) -> None:
    agents = ["random", Failing(), game_of(game).agents.reference]
    run_arena(agents, 60, game_of(game).player_counts[0], game=game, out=folder, resume=True, record=3)


def _measured(folder: Path) -> Any:
    """All files, but for the parts, which may be cut anywhere."""
    found = {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    return {name: content for name, content in found.items() if not name.startswith("parts/")}


# In other processes


def _process(work: Callable[..., None], *arguments: Any) -> Any:
    process = FORKS.Process(target=work, args=arguments)
    process.start()
    return process


def _timed(work: Work, folder: Path) -> float:
    """The seconds that a process takes, which must not fail."""
    began = time.monotonic()
    process = _process(work, folder)
    process.join(120)
    assert process.exitcode == 0, f"it ended with {process.exitcode}"
    return time.monotonic() - began


def _kill(work: Work, delay: float, folder: Path) -> None:
    process = _process(work, folder)
    process.join(delay)
    process.kill()
    process.join(30)


def _fill(work: Work, prepare: Callable[[int], None], number: int, folder: Path) -> None:
    process = _process(_with_a_full_disk, work, prepare, number, folder)
    process.join(120)
    assert process.exitcode in (0, FULL), f"on a full disk it ended with {process.exitcode}"


def _with_a_full_disk(work: Work, prepare: Callable[[int], None], number: int, folder: Path) -> None:
    prepare(number)
    try:
        work(folder)
    except OSError as error:
        os._exit(FULL if error.errno in (errno.ENOSPC, errno.EFBIG) else 1)


def _no_space(number: int) -> None:
    """There is no room left from this write on."""
    written = []
    fsync = os.fsync

    def failing(descriptor: int) -> None:
        written.append(descriptor)
        if len(written) > number:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        fsync(descriptor)

    os.fsync = failing  # type: ignore[assignment]


def _small_files(limit: int) -> None:
    """No file may become larger than that."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
