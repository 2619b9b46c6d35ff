"""The results as files: JSON with everything, CSV for spreadsheets, a picture."""

import csv
import io
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from strand_env.arena.folder import as_json, describe, replay_name
from strand_env.arena.picture import draw
from strand_env.arena.plan import Plan
from strand_env.arena.play import Forfeit
from strand_env.arena.results import Results, Standing
from strand_env.arena.statistics import Estimate
from strand_env.engine.checks import printable
from strand_env.support.files import write_whole

DIGITS = 6
LONGEST_CELL = 1000  # characters


def write_report(results: Results, folder: Path) -> None:
    """results.json, standings.csv, crossplay.csv, forfeits.csv and arena.png."""
    names = results.plan.names
    write_whole(folder / "results.json", as_json(as_data(results)))
    columns = [_flat(standing) for standing in results.standings]
    ratings = [{"rating": _number(rating.mu), "rating sigma": _number(rating.sigma)} for rating in results.ratings]
    rows = [{**column, **rating} for column, rating in zip(columns, ratings, strict=True)]
    write_whole(folder / "standings.csv", _as_csv(list(rows[0]), (row.values() for row in rows)))
    pairs = [
        [name, other, *map(_number, (*results.crossplay[one][two], *results.ahead[one][two]))]
        for one, name in enumerate(names)
        for two, other in enumerate(names)
    ]
    ends = [f"{measure} {end}" for measure in ("win", "ahead") for end in Estimate._fields]
    write_whole(folder / "crossplay.csv", _as_csv(["agent", "with", *ends], pairs))
    forfeits = [{**asdict(forfeit), "agent": names[forfeit.agent]}.values() for forfeit in results.forfeits]
    write_whole(folder / "forfeits.csv", _as_csv([field.name for field in fields(Forfeit)], forfeits))
    draw(results, folder / "arena.png")


def as_data(results: Results) -> dict[str, Any]:
    """All results as plain data."""
    plan = results.plan
    standings = [
        {
            "agent": standing.agent,
            **{name: _as_dict(value) for name, value in _estimates(standing).items()},
            "rating": {"mu": _number(rating.mu), "sigma": _number(rating.sigma)},
            "seats": standing.seats,
            "forfeits": standing.forfeits,
        }
        for standing, rating in zip(results.standings, results.ratings, strict=True)
    ]
    recorded = min(plan.record, plan.games)
    seating = plan.seating(0, -(-recorded // plan.games_per_deal)).reshape(-1, plan.players)
    replays = [
        {"file": replay_name(plan, number), "seats": [plan.names[agent] for agent in seating[number]]}
        for number in range(recorded)
    ]
    forfeits = [
        {"agent": plan.names[agent], "error": error, "message": message, "games": games}
        for (agent, error, message), games in count_failures(results).items()
    ]
    return {
        "run": describe(plan),
        "games": plan.games,
        "standings": standings,
        "crossplay": _matrix(plan, results.crossplay),
        "ahead": _matrix(plan, results.ahead),
        "forfeits": forfeits,
        "replays": replays,
    }


def count_failures(results: Results) -> dict[tuple[int, str, str], int]:
    """Forfeited games by agent number, error and message; the most frequent first."""
    return dict(Counter((each.agent, each.error, each.message) for each in results.forfeits).most_common())


def _estimates(standing: Standing) -> dict[str, Estimate]:
    ranks = {f"rank {rank}": share for rank, share in enumerate(standing.ranks, 1)}
    return {"win": standing.win, "score": standing.score, "rank": standing.rank, **ranks, **standing.statistics}


def _matrix(plan: Plan, matrix: list[list[Estimate]]) -> dict[str, dict[str, dict[str, float | None]]]:
    rows = zip(plan.names, matrix, strict=True)
    return {name: dict(zip(plan.names, map(_as_dict, row), strict=True)) for name, row in rows}


def _flat(standing: Standing) -> dict[str, Any]:
    """For one line of a table."""
    flat: dict[str, Any] = {"agent": standing.agent, "seats": standing.seats, "forfeits": standing.forfeits}
    for name, estimate in _estimates(standing).items():
        flat |= {f"{name} {end}": value for end, value in _as_dict(estimate).items()}
    return flat


def _as_dict(estimate: Estimate) -> dict[str, float | None]:
    return {end: _number(value) for end, value in estimate._asdict().items()}


def _number(value: float) -> float | None:
    return round(value, DIGITS) if math.isfinite(value) else None


def _as_csv(header: Sequence[str], rows: Iterable[Iterable[Any]]) -> bytes:
    content = io.StringIO()
    writer = csv.writer(content, lineterminator="\n")
    writer.writerow(header)
    writer.writerows([_cell(value) for value in row] for row in rows)
    return content.getvalue().encode()


def _cell(value: Any) -> Any:
    """Spreadsheets take what begins with one of these signs for a formula, and carry it out."""
    if not isinstance(value, str):
        return value
    words = printable(value, LONGEST_CELL)
    return f"'{words}" if words.startswith(("=", "+", "-", "@")) else words
