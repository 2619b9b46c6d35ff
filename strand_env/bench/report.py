"""The measurements as tables and as a plot."""

import os
import platform
from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.box import SIMPLE
from rich.table import Table

from strand_env import __version__
from strand_env.bench.engine import PARTS, EngineSpeed
from strand_env.bench.literal import LiteralSpeed
from strand_env.bench.peers import PeerResult
from strand_env.bench.processes import ProcessesSpeed

REFERENCE_BATCH = 4096
INK, SEA, SAND, SHELL = "#22313f", "#1f78a4", "#d9a441", "#b9b2a6"


def tables(
    engine: Sequence[EngineSpeed],
    processes: ProcessesSpeed,
    literal: LiteralSpeed | None,
    peers: Sequence[PeerResult],
) -> Iterator[Table]:
    yield _speed_table(engine, processes)
    yield _time_table(engine)
    yield _comparison_table(engine, literal, peers)


def _speed_table(engine: Sequence[EngineSpeed], processes: ProcessesSpeed) -> Table:
    machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    table = Table(
        title=f"Strand Unter, {engine[0].players} players, random play ({machine})",
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
    table = Table(
        title="Nanoseconds per step of one game",
        caption=(
            "Masks and observations are those of all players. Floor: copying the same bytes.\n"
            "÷ floor: all of it, and the environment's part, without choosing random actions."
        ),
        box=SIMPLE,
        collapse_padding=True,
        pad_edge=False,
    )
    for name in ("batch", "threads", *PARTS, "all", "floor", "÷ floor", ""):
        table.add_column(name, justify="right")
    for speed in engine:
        numbers = [*speed.parts.values(), speed.total, speed.floor]
        ratios = [speed.total / speed.floor, speed.environment / speed.floor]
        cells = [f"{number:.0f}" for number in numbers]
        cells += [f"{ratio:.1f}" for ratio in ratios if speed.threads == 1]  # the floor is that of one core
        table.add_row(str(speed.batch), str(speed.threads), *cells)
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


def plot(engine: Sequence[EngineSpeed], literal: LiteralSpeed | None, peers: Sequence[PeerResult], path: Path) -> None:
    """Speed by batch size, what a step's time is spent on, and the comparison."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    plt.rcParams.update({"font.size": 10, "axes.spines.top": False, "axes.spines.right": False, "text.color": INK})
    figure, (by_batch, by_part, by_name) = plt.subplots(1, 3, figsize=(15, 4.6), layout="constrained")
    figure.suptitle(f"strand_env {__version__}: Strand Unter, {engine[0].players} players, random play")

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

    speed = _reference(engine)
    bars = {**speed.parts, "copying floor": speed.floor}
    colours = [SAND if part == "choose" else SHELL if part == "copying floor" else SEA for part in bars]
    shown = by_part.barh(list(bars), list(bars.values()), color=colours)
    by_part.bar_label(shown, fmt="%.0f", padding=3)
    by_part.invert_yaxis()
    by_part.set(xlabel="nanoseconds per step of one game")
    by_part.set_title(f"One core, batch {speed.batch:,}")

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
    by_name.set_title("Compared")

    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f".{path.name}")
    figure.savefig(unfinished, dpi=120, format="png")
    os.replace(unfinished, path)
    plt.close(figure)
