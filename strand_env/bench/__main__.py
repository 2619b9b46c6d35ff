"""`python -m strand_env.bench`: a table and a plot of the speed."""

import argparse
import os
from pathlib import Path

try:
    import matplotlib  # noqa: F401
    from rich.console import Console
except ImportError as missing:
    raise SystemExit(f"{missing}: the benchmark needs pip install 'strand-env[bench]'") from None
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from strand_env.bench.engine import EngineSpeed, measure_engine
from strand_env.bench.literal import LiteralSpeed, measure_literal
from strand_env.bench.peers import PeerResult, measure_peers
from strand_env.bench.processes import measure_processes
from strand_env.bench.report import REFERENCE_BATCH, plot, tables

BATCHES = (1, 64, 1024, 4096, 16384)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m strand_env.bench", description=__doc__)
    parser.add_argument("--seconds", type=float, default=3.0, help="for each measurement (default: %(default)s)")
    parser.add_argument("--players", type=int, choices=(2, 3, 4), default=4)
    parser.add_argument("--plot", type=Path, default=Path("results/speed.png"), help="default: %(default)s")
    arguments = parser.parse_args()

    console = Console()
    engine: list[EngineSpeed] = []
    peers: list[PeerResult] = []
    literal: LiteralSpeed | None = None
    threads = sorted({1, os.cpu_count() or 1})
    columns = TextColumn("measuring {task.description:<28}"), BarColumn(), MofNCompleteColumn()
    with Progress(*columns, TimeElapsedColumn(), TimeRemainingColumn(), console=console, transient=True) as progress:
        task = progress.add_task("", total=len(BATCHES) + 2)
        for batch in BATCHES:
            progress.update(task, description=f"batch {batch:,}")
            engine += measure_engine(batch, threads, arguments.players, arguments.seconds)
            progress.advance(task)
        engine.sort(key=lambda speed: (speed.threads, speed.batch))
        progress.update(task, description=f"{threads[-1]} processes")
        processes = measure_processes(threads[-1], REFERENCE_BATCH, arguments.players, arguments.seconds)
        progress.advance(task)
        progress.update(task, description="the literal implementation")
        literal = measure_literal(arguments.players, arguments.seconds)
        progress.advance(task)
        progress.update(task, description="other environments")
        for peer in measure_peers(arguments.seconds):
            progress.update(task, description=peer.name)
            peers.append(peer)
    for table in tables(engine, processes, literal, peers):
        console.print(table)
    plot(engine, literal, peers, arguments.plot)
    console.print(f"Plot: {arguments.plot}")


if __name__ == "__main__":
    main()
