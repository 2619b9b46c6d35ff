"""Plays the pieces of a plan, in this process, in several, or on a cluster."""

import multiprocessing
import os
import signal
import threading
import time
import traceback
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import replace
from functools import cache, partial
from multiprocessing import resource_tracker
from typing import TYPE_CHECKING, Protocol

from strand_env.agents import AnyAgent
from strand_env.agents.parcels import Parcel, pack, unpack
from strand_env.arena.pieces import Pieces
from strand_env.arena.plan import Plan
from strand_env.arena.play import Played
from strand_env.engine.checks import printable
from strand_env.support.cluster import MismatchedNode, RayExecutor, connected

if TYPE_CHECKING:
    from strand_env.replays.replay import Replay

LONGEST_TRACE, LONGEST_MISMATCH = 60, 1000  # lines, characters

Piece = tuple[Played, list["Replay"]]


class WorkerFailed(RuntimeError):
    """A process could not play on. Its deals are missing; those finished before are not."""


def play_here(plan: Plan, agents: Sequence[AnyAgent], pieces: Pieces) -> Generator[Piece]:
    """One piece after the other, with these agents."""
    while (span := pieces.take()) is not None:
        piece, seconds = _timed(plan, agents, span)
        pieces.learn(len(span), seconds)
        yield piece


class Executor(Protocol):
    """Plays pieces elsewhere: in processes of this machine, or on the nodes of a cluster."""

    @property
    def workers(self) -> int:
        """How many pieces are played at once."""

    def submit(self, span: range, /) -> Future[tuple[Piece, float]]:
        """Begins to play these deals; the future has them, and the seconds that they took."""

    def shutdown(self) -> None:
        """Stops what still plays."""


def play_in_processes(plan: Plan, pieces: Pieces, processes: int) -> Generator[Piece]:
    """Several pieces at once, yielded as they are finished. Every process makes its own agents."""
    return _play_elsewhere(_Processes(plan, min(processes, len(pieces)) or 1), pieces)


def play_on_cluster(plan: Plan, pieces: Pieces, address: str, processes: int) -> Generator[Piece]:
    """The same on all nodes of a cluster, or in processes that Ray starts on this machine."""
    if not len(pieces):
        return
    parcel = pack(map(str, plan.agents), plan.game)
    with connected(address, processes):
        yield from _play_elsewhere(RayExecutor(partial(_player, plan, parcel)), pieces)


def _play_elsewhere(executor: Executor, pieces: Pieces) -> Generator[Piece]:
    playing: dict[Future[tuple[Piece, float]], range] = {}

    def give() -> None:
        pieces.processes = executor.workers
        while len(playing) < pieces.processes and (span := pieces.take()) is not None:
            playing[executor.submit(span)] = span

    try:
        give()
        while playing:
            done, _ = wait(playing, return_when=FIRST_COMPLETED)
            for future in [future for future in playing if future in done]:
                piece, seconds = _result(future, playing[future])
                pieces.learn(len(playing.pop(future)), seconds)
                give()
                yield piece
    except BrokenExecutor:
        deals = ", ".join(map(_shown, playing.values()))
        raise WorkerFailed(f"a process died while deals {deals} were played") from None
    finally:
        executor.shutdown()


def _result(future: Future[tuple[Piece, float]], span: range) -> tuple[Piece, float]:
    try:
        return future.result()
    except BrokenExecutor:
        raise
    except MismatchedNode as error:
        raise WorkerFailed(printable(error, LONGEST_MISMATCH)) from None
    except Exception as error:
        told = "".join(traceback.format_exception(error)).splitlines()
        # Indented, so that no line break in a message can pass for a line of ours.
        trace = "\n".join(f"  {printable(each)}" for each in told[-LONGEST_TRACE:])
        raise WorkerFailed(f"while deals {_shown(span)} were played:\n{trace}") from None


def _shown(span: range) -> str:
    return f"{span.start} to {span[-1]}"


class _Processes:
    """Processes of this machine."""

    def __init__(self, plan: Plan, workers: int) -> None:
        spawn = multiprocessing.get_context("spawn")  # a fork would copy threads in whatever state they are
        self.workers = workers
        self._pool = ProcessPoolExecutor(workers, spawn, initializer=_begin, initargs=(plan,))

    def submit(self, span: range) -> Future[tuple[Piece, float]]:
        with _interruptions_held_back():  # since this may start a process
            return self._pool.submit(_play, span)

    def shutdown(self) -> None:
        for process in list((self._pool._processes or {}).values()):  # as `kill_workers` does from Python 3.14 on
            process.kill()
        self._pool.shutdown()


@contextmanager
def _interruptions_held_back() -> Iterator[None]:
    """Blocks Ctrl-C meanwhile, and for good in processes started meanwhile: this process alone handles it."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # starting a process would do so, and unblock Ctrl-C again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


# In the other processes

_plan: Plan


def _begin(plan: Plan) -> None:
    global _plan
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # of agents' libraries: each core has its process
    _plan = plan


def _end_with_parent() -> None:
    """A process of the pool whose parent was killed would wait for work forever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


@cache
def _agents() -> Sequence[AnyAgent]:
    """Made with the first piece: an error in the initializer would break the pool without naming it."""
    return _plan.make_agents()


def _play(span: range) -> tuple[Piece, float]:
    return _timed(_plan, _agents(), span)


def _player(plan: Plan, parcel: Parcel) -> Callable[[range], tuple[Piece, float]]:
    """Plays pieces of a plan that comes from another machine, and its agents with it."""
    here = replace(plan, agents=unpack(parcel))
    return partial(_timed, here, here.make_agents())


def _timed(plan: Plan, agents: Sequence[AnyAgent], span: range) -> tuple[Piece, float]:
    start = time.perf_counter()
    piece = plan.play(agents, span.start, len(span))
    return piece, time.perf_counter() - start
