"""The command `strand bench`. It imports what is heavy when it runs."""

import os
from pathlib import Path
from typing import Annotated

import typer

from strand_env.support.extras import from_extra

BATCHES = (1, 64, 1024, 4096, 16384)


def bench(
    seconds: Annotated[float, typer.Option(min=0.001, max=3600, help="For each measurement.")] = 3.0,
    players: Annotated[int, typer.Option(min=2, max=4, help="In each game.")] = 4,
    plot: Annotated[Path, typer.Option(metavar="FILE", help="Where the plot goes.")] = Path("results/speed.png"),
) -> None:
    """Measure the engine's speed: tables and a plot."""
    with from_extra("bench", "the benchmark"):
        import matplotlib  # noqa: F401
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    from strand_env.bench import report
    from strand_env.bench.engine import EngineSpeed, measure_engine
    from strand_env.bench.environments import measure_environments
    from strand_env.bench.literal import LiteralSpeed, measure_literal
    from strand_env.bench.peers import PeerResult, measure_peers
    from strand_env.bench.processes import measure_processes

    plot.parent.mkdir(parents=True, exist_ok=True)  # told before all is measured, if it cannot be
    console = Console()
    engine: list[EngineSpeed] = []
    peers: list[PeerResult] = []
    literal: LiteralSpeed | None = None
    threads = sorted({1, os.cpu_count() or 1})
    columns = TextColumn("measuring {task.description:<28}"), BarColumn(), MofNCompleteColumn()
    with Progress(*columns, TimeElapsedColumn(), TimeRemainingColumn(), console=console, transient=True) as progress:
        task = progress.add_task("", total=len(BATCHES) + 3)
        for batch in BATCHES:
            progress.update(task, description=f"batch {batch:,}")
            engine += measure_engine(batch, threads, players, seconds)
            progress.advance(task)
        engine.sort(key=lambda speed: (speed.threads, speed.batch))
        progress.update(task, description=f"{threads[-1]} processes")
        processes = measure_processes(threads[-1], report.REFERENCE_BATCH, players, seconds)
        progress.advance(task)
        progress.update(task, description="environments")
        environments = measure_environments(report.ENVIRONMENTS_BATCH, players, seconds)
        progress.advance(task)
        progress.update(task, description="the literal implementation")
        literal = measure_literal(players, seconds)
        progress.advance(task)
        progress.update(task, description="other environments")
        for peer in measure_peers(seconds):
            progress.update(task, description=peer.name)
            peers.append(peer)
    for table in report.tables(engine, processes, environments, literal, peers):
        console.print(table)
    report.plot(engine, literal, peers, plot)
    console.print(f"Plot: {plot}")
