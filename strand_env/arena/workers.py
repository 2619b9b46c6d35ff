"""Plays the pieces of a plan, in this process or in several."""

import os
import signal
import time
import traceback
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing import get_context, resource_tracker
from multiprocessing.connection import Connection, wait
from typing import TYPE_CHECKING

from strand_env.agents import AnyAgent
from strand_env.arena.pieces import Pieces
from strand_env.arena.plan import Plan
from strand_env.arena.play import Played

if TYPE_CHECKING:
    from strand_env.replays.replay import Replay

Piece = tuple[Played, list["Replay"]]


class WorkerFailed(RuntimeError):
    """A process could not play on. What it was asked for is missing, what was done before is not."""


def play_here(plan: Plan, agents: Sequence[AnyAgent], pieces: Pieces) -> Generator[Piece]:
    """One piece after the other, with these agents."""
    while (span := pieces.take()) is not None:
        start = time.perf_counter()
        piece = plan.play(agents, span.start, len(span))
        pieces.learn(len(span), time.perf_counter() - start)
        yield piece


def play_in_processes(plan: Plan, pieces: Pieces, processes: int) -> Generator[Piece]:
    """So many at once, in the order in which they get ready. Every process makes its own agents."""
    context = get_context("spawn")  # a fork would take over threads in whatever state they are
    workers = {}
    playing: dict[Connection, range] = {}
    try:
        for _ in range(min(processes, len(pieces))):
            ours, theirs = context.Pipe()
            workers[ours] = context.Process(target=_work, args=(theirs, plan), daemon=True)
            with _interruptions_held_back():
                workers[ours].start()
            theirs.close()
        for connection in workers:
            _give(connection, pieces, playing)
        while playing:
            ready = wait(list(playing))
            for connection in [connection for connection in playing if connection in ready]:
                span = playing.pop(connection)
                try:
                    answer = connection.recv()
                except (EOFError, ConnectionError):
                    raise WorkerFailed(f"the process that played deals {span.start} to {span[-1]} died") from None
                if isinstance(answer, str):
                    raise WorkerFailed(f"while deals {span.start} to {span[-1]} were played:\n{answer}")
                piece, seconds = answer
                pieces.learn(len(span), seconds)
                _give(connection, pieces, playing)
                yield piece
    finally:
        for worker in workers.values():
            worker.kill()
            worker.join()


@contextmanager
def _interruptions_held_back() -> Iterator[None]:
    """Until the end of it, and for good in processes that are started meanwhile: the first one decides for them."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # which starting a process would do, and let interruptions through again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _give(connection: Connection, pieces: Pieces, playing: dict[Connection, range]) -> None:
    span = pieces.take()
    if span is not None:
        playing[connection] = span
        with suppress(ConnectionError):  # of a process that died: there will be no answer, which is told then
            connection.send(span)


def _work(connection: Connection, plan: Plan) -> None:
    """What another process does, until nobody wants anything of it any more."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # of agents' libraries: the cores have their processes
    try:
        agents = plan.make_agents()
        while True:
            span = connection.recv()
            start = time.perf_counter()
            piece = plan.play(agents, span.start, len(span))
            connection.send((piece, time.perf_counter() - start))
    except (EOFError, ConnectionError):
        pass
    except Exception:
        connection.send(traceback.format_exc())
