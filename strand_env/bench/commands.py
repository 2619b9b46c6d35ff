"""The command `strand bench`. It imports what is heavy when it runs."""

import os
from pathlib import Path
from typing import Annotated

import typer

from strand_env.registry import DEFAULT, game_of
from strand_env.support.extras import from_extra
from strand_env.support.options import GameName, VariantName
from strand_env.support.printing import console, line

BATCHES = (1, 64, 1024, 4096, 16384)


def bench(
    game: GameName = DEFAULT,
    variant: VariantName = None,
    seconds: Annotated[float, typer.Option(min=0.001, max=3600, help="Seconds for each measurement.")] = 3.0,
    players: Annotated[int | None, typer.Option(help="Players in a game; by default the usual number.")] = None,
    plot: Annotated[Path, typer.Option(metavar="FILE", help="Where to write the plot.")] = Path("results/speed.png"),
) -> None:
    """Measure the speed of a game's engine: tables and a plot."""
    with from_extra("bench", "the benchmark"):
        import matplotlib  # noqa: F401
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
    from strand_env.bench.literal import LiteralSpeed, has_literal, measure_literal
    from strand_env.bench.peers import PeerResult, measure_peers
    from strand_env.bench.processes import measure_processes
    from strand_env.engine.checks import checked_variant, whole_number

    of_game = game_of(game)
    counts = of_game.player_counts
    number = of_game.default_players if players is None else whole_number("players", players, counts[0], counts[-1])
    played = checked_variant(variant, of_game.variants)
    title = f"{of_game.title}, {played}" if played else of_game.title
    plot.parent.mkdir(parents=True, exist_ok=True)  # if it cannot be made, that shows before all is measured
    out = console()
    engine: list[EngineSpeed] = []
    peers: list[PeerResult] = []
    literal: LiteralSpeed | None = None
    threads = sorted({1, os.cpu_count() or 1})
    columns = TextColumn("measuring {task.description:<28}"), BarColumn(), MofNCompleteColumn()
    with Progress(*columns, TimeElapsedColumn(), TimeRemainingColumn(), console=out, transient=True) as progress:
        task = progress.add_task("", total=len(BATCHES) + 2 + has_literal(of_game))
        for batch in BATCHES:
            progress.update(task, description=f"batch {batch:,}")
            engine += measure_engine(of_game, batch, threads, number, played, seconds)
            progress.advance(task)
        engine.sort(key=lambda speed: (speed.threads, speed.batch))
        progress.update(task, description=f"{threads[-1]} processes")
        processes = measure_processes(of_game, threads[-1], report.REFERENCE_BATCH, number, played, seconds)
        progress.advance(task)
        progress.update(task, description="environments")
        environments = measure_environments(of_game, report.ENVIRONMENTS_BATCH, number, played, seconds)
        progress.advance(task)
        if has_literal(of_game):
            progress.update(task, description="the literal implementation")
            literal = measure_literal(number, seconds)
            progress.advance(task)
        progress.update(task, description="other environments")
        for peer in measure_peers(seconds):
            progress.update(task, description=peer.name)
            peers.append(peer)
    for table in report.tables(title, engine, processes, environments, literal, peers):
        out.print(table)
    report.plot(title, engine, literal, peers, plot)
    out.print(line(f"Plot: {plot}"))
