"""The measurements as tables and as a plot."""

import os
import platform
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from rich.box import SIMPLE
from rich.table import Table

from strand_env import __version__
from strand_env.bench.engine import EngineSpeed
from strand_env.bench.environments import EnvironmentSpeed
from strand_env.bench.literal import LiteralSpeed
from strand_env.bench.peers import PeerResult
from strand_env.bench.processes import ProcessesSpeed
from strand_env.pictures.plots import INK, SAND, SEA, SHELL, picture

REFERENCE_BATCH = 4096
ENVIRONMENTS_BATCH = 1024


def tables(
    game: str,
    engine: Sequence[EngineSpeed],
    processes: ProcessesSpeed,
    environments: Sequence[EnvironmentSpeed],
    literal: LiteralSpeed | None,
    peers: Sequence[PeerResult],
) -> Iterator[Table]:
    """Of a game, by its title. What was not compared with anything has no table for that."""
    yield _speed_table(game, engine, processes)
    yield _time_table(engine)
    yield _parts_table(engine)
    yield _environments_table(environments)
    if literal or peers:
        yield _comparison_table(engine, literal, peers)


def _speed_table(game: str, engine: Sequence[EngineSpeed], processes: ProcessesSpeed) -> Table:
    machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    table = Table(
        title=f"{game}, {engine[0].players} players, random play ({machine})",
        caption="One decision: a player with at least two legal actions chooses.",
        box=SIMPLE,
    )
    for name in ("batch", "threads", "decisions/s", "games/s", "× one thread"):
        table.add_column(name, justify="right")
    one_thread = {speed.batch: speed.decisions_per_second for speed in engine if speed.threads == 1}
    for speed in engine:
        rates = speed.decisions_per_second, speed.games_per_second
        gain = f"{speed.decisions_per_second / one_thread[speed.batch]:.2f}"
        table.add_row(f"{speed.batch:,}", str(speed.threads), *(f"{rate:,.0f}" for rate in rates), gain)
    if processes.processes > 1:
        rate = processes.decisions_per_second
        gain = f"{rate / one_thread[processes.batch]:.2f}"
        table.add_section()
        table.add_row(f"{processes.processes} × {processes.batch:,}", "processes", f"{rate:,.0f}", "", gain)
    return table


def _time_table(engine: Sequence[EngineSpeed]) -> Table:
    table = _narrow_table(
        "Nanoseconds per step of one game",
        "Floor: copying the same observations and masks on one core.\n"
        "choose: random actions, the players' work. environment: all the rest.",
        ("batch", "threads", "choose", "environment", "all", "floor", "all ÷ floor", "environment ÷ floor"),
    )
    for speed in engine:
        times = [speed.choose, speed.environment, speed.total, speed.floor]
        cells = [f"{time:.0f}" for time in times]
        if speed.threads == 1:
            cells += [f"{time / speed.floor:.1f}" for time in (speed.total, speed.environment)]
        table.add_row(str(speed.batch), str(speed.threads), *cells)
    return table


def _parts_table(engine: Sequence[EngineSpeed]) -> Table:
    table = _narrow_table(
        "The environment's work by a call for each part: nanoseconds per step of one game",
        "Masks and observations are those of all players, or of the one who decides where one does at a time.",
        ("batch", "threads", *engine[0].parts),
    )
    for speed in engine:
        table.add_row(str(speed.batch), str(speed.threads), *(f"{time:.0f}" for time in speed.parts.values()))
    return table


def _narrow_table(title: str, caption: str, columns: Sequence[str]) -> Table:
    table = Table(title=title, caption=caption, box=SIMPLE, collapse_padding=True, pad_edge=False)
    for name in columns:
        table.add_column(name, justify="right")
    return table


def _environments_table(environments: Sequence[EnvironmentSpeed]) -> Table:
    table = Table(
        title=f"Environments of {ENVIRONMENTS_BATCH:,} games on one core, opponents playing randomly",
        caption="× bare: how many times as long as the engine alone takes for the same number of decisions.\n"
        "encoding: the part of a step that encodes observations.",
        box=SIMPLE,
    )
    table.add_column("environment")
    for name in ("µs/step", "encoding", "decisions/s", "× bare"):
        table.add_column(name, justify="right")
    for speed in environments:
        rate = f"{speed.decisions_per_second:,.0f}"
        times = f"{speed.microseconds:,.0f}", f"{speed.encoding:,.0f}"
        table.add_row(speed.name, *times, rate, f"{speed.times_bare:.2f}")
    return table


def _comparison_table(
    engine: Sequence[EngineSpeed], literal: LiteralSpeed | None, peers: Sequence[PeerResult]
) -> Table:
    one_core = _reference(engine)
    table = Table(title=f"On one core, against this engine at batch {REFERENCE_BATCH:,}", box=SIMPLE)
    for name in ("environment", "decisions/s", "this engine is", "note"):
        table.add_column(name, justify="left" if name in ("environment", "note") else "right")
    rows = [("this engine", one_core.decisions_per_second, "")]
    if literal:
        note = f"observations and masks, too ({literal.games_per_second:,.0f} games/s)"
        rows.append(("tests/naive.py", literal.decisions_per_second, note))
        rows.append(("tests/naive.py", literal.bare_decisions_per_second, "the rules alone"))
    rows += [(peer.name, peer.decisions_per_second, peer.note) for peer in peers]
    for name, speed, note in rows:
        table.add_row(name, f"{speed:,.0f}", f"{one_core.decisions_per_second / speed:,.1f} ×", note)
    return table


def _reference(engine: Sequence[EngineSpeed]) -> EngineSpeed:
    return next(speed for speed in engine if speed.threads == 1 and speed.batch == REFERENCE_BATCH)


def plot(
    game: str, engine: Sequence[EngineSpeed], literal: LiteralSpeed | None, peers: Sequence[PeerResult], path: Path
) -> None:
    """Speed by batch size, what a step's time is spent on, and the comparison if there is one."""
    panels = 3 if literal or peers else 2
    with picture(path, 5 * panels, 4.6, ncols=panels) as (figure, axes):
        figure.suptitle(f"strand_env {__version__}: {game}, {engine[0].players} players, random play")
        _draw_batches(axes[0], engine)
        _draw_parts(axes[1], _reference(engine))
        if panels == 3:
            _draw_comparison(axes[2], _reference(engine), literal, peers)


def _draw_batches(by_batch: Any, engine: Sequence[EngineSpeed]) -> None:
    for threads, colour, above in zip(sorted({speed.threads for speed in engine}), (SEA, SAND), (-14, 6), strict=False):
        speeds = [speed for speed in engine if speed.threads == threads]
        values = [speed.decisions_per_second / 1e6 for speed in speeds]
        label = f"{threads} thread{'s' if threads > 1 else ''}"
        by_batch.plot([speed.batch for speed in speeds], values, "o-", color=colour, label=label)
        for speed, value in zip(speeds, values, strict=True):
            by_batch.annotate(f"{value:.2g}", (speed.batch, value), (0, above), textcoords="offset points", ha="center")
    batches = sorted({speed.batch for speed in engine})
    by_batch.set(xscale="log", xlabel="games in a batch", ylabel="million decisions per second")
    by_batch.set_xticks(batches, [str(batch) if batch < 1024 else f"{batch // 1024}k" for batch in batches])
    by_batch.minorticks_off()
    by_batch.margins(y=0.12)
    by_batch.set_title("More games at once")
    by_batch.legend(frameon=False)


def _draw_parts(by_part: Any, speed: EngineSpeed) -> None:
    bars = {"choose": speed.choose, "environment": speed.environment, **speed.parts, "copying floor": speed.floor}
    bars = {f"{part} alone" if part in speed.parts else part: time for part, time in bars.items()}
    colours = [{"choose": SAND, "environment": SEA}.get(part, SHELL) for part in bars]
    shown = by_part.barh(list(bars), list(bars.values()), color=colours)
    by_part.bar_label(shown, fmt="%.0f", padding=3)
    by_part.invert_yaxis()
    by_part.set(xlabel="nanoseconds per step of one game")
    by_part.set_title(f"One core, batch {speed.batch:,}")


def _draw_comparison(
    by_name: Any, speed: EngineSpeed, literal: LiteralSpeed | None, peers: Sequence[PeerResult]
) -> None:
    from matplotlib.ticker import EngFormatter

    rates = {"this engine": speed.decisions_per_second, **{peer.name: peer.decisions_per_second for peer in peers}}
    if literal:
        rates["tests/naive.py"] = literal.decisions_per_second
    ordered = sorted(rates.items(), key=lambda rate: -rate[1])
    names, least = [name for name, _ in ordered], ordered[-1][1] / 3
    by_name.hlines(names, least, [rate for _, rate in ordered], color=SHELL, linewidth=1)
    colours = [SEA if name == "this engine" else INK for name in names]
    by_name.scatter([rate for _, rate in ordered], names, color=colours, zorder=2)
    for name, value in ordered:
        by_name.annotate(f"{value:,.0f}", (value, name), (8, 0), textcoords="offset points", va="center")
    by_name.invert_yaxis()
    by_name.set(xscale="log", xlabel="decisions per second on one core", xlim=(least, 30 * ordered[0][1]))
    by_name.xaxis.set_major_formatter(EngFormatter(sep=""))  # 10k, 1M
    by_name.minorticks_off()
    by_name.set_title("Compared")
