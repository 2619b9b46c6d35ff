"""The results as tables for a terminal, and a progress bar until then."""

import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.box import SIMPLE
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

from strand_env.arena.exploit import Exploitability, exploit
from strand_env.arena.report import count_failures, write_report
from strand_env.arena.results import Results
from strand_env.arena.run import play_arena
from strand_env.arena.statistics import Estimate
from strand_env.arena.workers import WorkerFailed
from strand_env.support.printing import add_row, console, line

MOST_FAILURES = 10  # kinds that are listed


def show_arena(
    agents: Sequence[str],
    deals: int,
    players: int,
    seed: int,
    out: Path | None,
    go_on: str,
    **arguments: Any,
) -> None:
    """Runs the arena with a progress bar and prints the tables; `go_on` is the command that resumes it."""
    told = console(stderr=True)
    done = []
    with resumable(out, go_on), progress_of(deals, told) as show:

        def watch(deals_done: int) -> None:
            done.append((time.perf_counter(), deals_done))
            show(deals_done)

        results, folder = play_arena(agents, deals, players, seed, out=out, watch=watch, **arguments)
    try:
        if folder is not None:
            write_report(results, folder)
    finally:  # even if a file cannot be written
        for table in tables(results):
            console().print(table)
    (began, before), (ended, after) = done[0], done[-1]
    games, seconds = (after - before) * results.plan.games_per_deal, ended - began
    speed = f": {games / seconds:,.{int(games < 10 * seconds)}f} per second" if games else ""
    told.print(f"{games:,} games in {seconds:.1f} s{speed}")
    if out:
        told.print(line(f"saved everything in {out}"), soft_wrap=True)


def show_exploit(agent: str, deals: int, players: int, seed: int, out: Path, go_on: str, **arguments: Any) -> None:
    """Measures an agent's exploitability with a progress bar and prints the table."""
    with resumable(out, go_on), progress_of(deals, console(stderr=True)) as show:
        found = exploit(agent, deals, players, seed, out=out, watch=show, **arguments)
    console().print(_responses(found))
    gain = found.sharpest.win_gain
    interval = f" ({100 * gain.low:+.1f} to {100 * gain.high:+.1f})" if math.isfinite(gain.low) else ""
    sharpest = f"{100 * gain.mean:+.1f} percentage points of the win{interval}, by {found.sharpest.name}"
    console().print(line(f"exploitability, at least: {sharpest}"), soft_wrap=True)
    console(stderr=True).print(line(f"saved everything in {out}"), soft_wrap=True)


@contextmanager
def resumable(out: Path | None, go_on: str) -> Iterator[None]:
    """Tells how to continue a run that is interrupted, or fails."""
    try:
        yield
    except KeyboardInterrupt:
        advice = f"continue with: {go_on}" if out else "with --out it could be continued later"
        console(stderr=True).print(line(f"interrupted; {advice}"), soft_wrap=True)
        raise SystemExit(130) from None
    except WorkerFailed as error:
        advice = line(f"once that is fixed, continue with: {go_on}")
        raise SystemExit(f"strand: {error}" + (f"\n{advice}" if out else "")) from None


@contextmanager
def progress_of(total: int, console: Console, unit: str = "deals") -> Iterator[Callable[[int], None]]:
    """A bar with the estimated time left; call the function with the number of finished deals, or other units."""
    columns = TextColumn("playing"), BarColumn(), MofNCompleteColumn(), TextColumn(unit)
    times = TimeElapsedColumn(), TextColumn("left:"), TimeRemainingColumn()
    quiet = not console.is_terminal
    with Progress(*columns, *times, console=console, transient=True, disable=quiet) as progress:
        task = progress.add_task("", total=total)
        yield lambda done: progress.update(task, completed=done)


def tables(results: Results) -> Iterator[Table]:
    yield _standings(results)
    yield _ranks(results)
    yield _statistics(results)
    if results.plan.mixes:
        yield _matrix("Share of the win of the row, in % of the games with the column", results, results.crossplay)
    if not results.plan.against_last and results.plan.players > 2:
        yield _matrix("How often the row ranks above the column, in %", results, results.ahead)
    if results.forfeits:
        yield _forfeits(results)


def _standings(results: Results) -> Table:
    plan, ranks = results.plan, results.alpha_ranks
    table = _table(
        plan.title,
        f"An equal share of the win is {100 / plan.players:.1f} %.\n±: half a 95 % interval, bootstrapped over deals.",
        ("agent", "win %", "score", "rank", "rating", *(["α-rank %"] if ranks else []), "forfeits"),
    )
    for agent in results.best_first:
        standing, rating = results.standings[agent], results.ratings[agent]
        shown = _shown(standing.win, 100), _shown(standing.score), _shown(standing.rank)
        rated = f"{rating.mu:.1f} ±{2 * rating.sigma:.1f}"
        ranked = [f"{100 * ranks[agent]:.1f}"] if ranks else []
        add_row(table, (plan.labels[agent], *shown, rated, *ranked, standing.forfeits))
    return table


def _ranks(results: Results) -> Table:
    ranks = [f"rank {rank}" for rank in range(1, results.plan.players + 1)]
    table = _table("Ranks, in % of the games", "", ("agent", *ranks))
    for agent in results.best_first:
        standing = results.standings[agent]
        add_row(table, (results.plan.labels[agent], *(_shown(share, 100) for share in standing.ranks)))
    return table


def _statistics(results: Results) -> Table:
    table = _table("How they played", "", ("agent", *results.standings[0].statistics))
    for agent in results.best_first:
        standing = results.standings[agent]
        add_row(table, (results.plan.labels[agent], *map(_shown, standing.statistics.values())))
    return table


def _responses(found: Exploitability) -> Table:
    table = _table(
        found.title,
        "One response in one seat, copies of the agent in all others; gain: over the agent itself there.\n"
        "±: half a 95 % interval, bootstrapped over deals.",
        ("response", "win %", "gain", "points", "gain in points", "failures"),
    )
    table.columns[0].justify = "left"
    add_row(table, ("the agent itself", _shown(found.win, 100), "", _shown(found.score), "", ""))
    for each in found.responses:
        shares = _shown(each.win, 100), _shown(each.win_gain, 100)
        add_row(table, (each.name, *shares, _shown(each.score), _shown(each.score_gain), each.failures))
    return table


def _matrix(title: str, results: Results, matrix: list[list[Estimate]]) -> Table:
    labels, order = results.plan.labels, results.best_first
    table = _table(title, "", ("agent", *(labels[agent] for agent in order)))
    for agent in order:
        add_row(table, (labels[agent], *(_shown(matrix[agent][other], 100) for other in order)))
    return table


def _forfeits(results: Results) -> Table:
    failures = count_failures(results)
    left_out = len(failures) - MOST_FAILURES
    first = {(each.agent, each.error, each.message): each for each in reversed(results.forfeits)}
    table = _table(
        f"{len(results.forfeits):,} failures of agents, each a forfeited game",
        f"and {left_out} other kinds of failures" if left_out > 0 else "",
        ("agent", "times", "first in", "error"),
    )
    for failure in list(failures)[:MOST_FAILURES]:
        each = first[failure]
        where = f"deal {each.deal}, line-up {each.lineup}, seat {each.seat}"
        name = results.plan.names[each.agent]
        add_row(table, (name, f"{failures[failure]:,}", where, f"{each.error}: {each.message}"))
    return table


def _table(title: str, caption: str, columns: tuple[str, ...]) -> Table:
    table = Table(title=title, caption=caption or None, box=SIMPLE, collapse_padding=True, pad_edge=False)
    table.title_justify = table.caption_justify = "left"
    for name in columns:
        table.add_column(name, justify="left" if name in ("agent", "error", "first in") else "right", overflow="fold")
    return table


def _shown(estimate: Estimate, scale: float = 1) -> str:
    mean, low, high = (scale * value for value in estimate)
    if not math.isfinite(mean):
        return "–"
    digits = 1 if scale > 1 else 2
    return f"{mean:.{digits}f}" + (f" ±{(high - low) / 2:.{digits}f}" if math.isfinite(low) else "")
