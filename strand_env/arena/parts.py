"""The files of finished pieces: written whole, and checked against the plan when they are read again."""

import json
import os
from dataclasses import asdict, fields
from io import BytesIO
from itertools import pairwise
from typing import Any

import numpy as np

from strand_env.arena.pieces import MOST_GAMES
from strand_env.arena.plan import Plan
from strand_env.arena.play import LONGEST_ERROR, LONGEST_MESSAGE, Forfeit, Played
from strand_env.engine.checks import entries, fields_of, text, whole_number
from strand_env.engine.protocol import Batch
from strand_env.support.reading import Arrays, Form, check_arrays, naming, parse_json, read_arrays

MOST_MOVES = 1_000_000
HIGHEST_STATISTIC = 1e9
FORFEIT_BYTES = 4096  # in JSON, at most
FORFEIT_FIELDS = tuple(field.name for field in fields(Forfeit))


def as_bytes(part: Played) -> bytes:
    """The content of a part's file."""
    forfeits = json.dumps([asdict(forfeit) for forfeit in part.forfeits]).encode()
    arrays: dict[str, Any] = {"first": part.first, "forfeits": np.frombuffer(forfeits, np.uint8), **part.outcomes}
    content = BytesIO()
    np.savez_compressed(content, **arrays)
    return content.getvalue()


def read_part(path: str | os.PathLike[str], plan: Plan) -> Played:
    """The part in a file, if it can be one of this plan; otherwise a `ValueError`."""
    batch = plan.game.batch(1, plan.players)
    one = np.zeros(1, np.int64)
    named = {**batch.results(one, one), **batch.statistics(one, one)}
    seats = max(MOST_GAMES, plan.games_per_deal) * plan.players
    arrays = read_arrays(path, seats * (8 * len(named) + FORFEIT_BYTES))
    with naming(path):
        forfeits = _text(arrays)
        outcome: Form = np.float64, (None, plan.games_per_deal, plan.players)
        check_arrays(arrays, {"first": (np.int64, ()), **dict.fromkeys(named, outcome)}, finite=False)
        deals = len(arrays["win"])
        first = whole_number("first", int(arrays.pop("first")), 0, plan.deals - 1)
        whole_number("deals", deals, 1, plan.deals - first)
        for name, values in arrays.items():
            if len(values) != deals:
                raise ValueError(f"{name}: expected {deals} deals, as of win, got {len(values)}")
        part = Played(first, arrays, _forfeits(forfeits, plan, first, deals))
        _check_outcomes(part, plan, batch)
        return part


def _text(arrays: Arrays) -> bytes:
    """The forfeits as JSON; earlier versions wrote them as an array of text."""
    written = arrays.pop("forfeits", np.empty(0))
    if written.dtype.kind == "U" and written.shape == ():
        return str(written).encode()
    check_arrays({"forfeits": written}, {"forfeits": (np.uint8, (None,))})
    return written.tobytes()


def _forfeits(content: bytes, plan: Plan, first: int, deals: int) -> list[Forfeit]:
    seating = plan.seating(first, deals)
    found = parse_json(content, FORFEIT_BYTES * seating.size)
    forfeits = []
    for each in entries("forfeits", found, 0, seating.size):
        known = fields_of("forfeits", each, FORFEIT_FIELDS)
        deal = whole_number("forfeits: deal", known["deal"], first, first + deals - 1)
        lineup = whole_number("forfeits: lineup", known["lineup"], 0, plan.games_per_deal - 1)
        seat = whole_number("forfeits: seat", known["seat"], 0, plan.players - 1)
        agent = int(seating[deal - first, lineup, seat])
        whole_number("forfeits: agent", known["agent"], agent, agent)
        whole_number("forfeits: moves", known["moves"], 0, MOST_MOVES)
        text("forfeits: error", known["error"], LONGEST_ERROR)
        text("forfeits: message", known["message"], LONGEST_MESSAGE)
        forfeits.append(Forfeit(**known))
    places = [(each.deal, each.lineup, each.seat) for each in forfeits]
    if any(place >= following for place, following in pairwise(places)):
        raise ValueError("forfeits: expected each once, in the order of deals, line-ups and seats")
    return forfeits


def _check_outcomes(part: Played, plan: Plan, batch: Batch) -> None:
    """Refuses numbers that no games result in. Only forfeited ones have no scores."""
    failed = np.zeros(part.outcomes["win"].shape, np.bool_)
    for forfeit in part.forfeits:
        failed[forfeit.deal - part.first, forfeit.lineup, forfeit.seat] = True
    broken = failed.any(2)
    points = np.iinfo(batch.scores.dtype)
    bounds = {"win": (0, 1), "rank": (1, plan.players), "score": (points.min, points.max)}
    for name, values in part.outcomes.items():
        if name not in ("win", "rank"):
            if not np.isnan(values[broken]).all():
                raise ValueError(f"{name}: expected none in forfeited games")
            values = values[~broken]
        least, most = bounds.get(name, (-HIGHEST_STATISTIC, HIGHEST_STATISTIC))
        if not ((values >= least) & (values <= most)).all():  # which NaN is not
            raise ValueError(f"{name}: expected numbers from {least:,} to {most:,}")
    win, rank = part.outcomes["win"], part.outcomes["rank"]
    if (rank != np.floor(rank)).any() or (rank[failed] != plan.players).any():
        raise ValueError("rank: expected whole numbers, and the last rank for those who forfeit")
    winners = rank == 1
    if not np.allclose(win, winners / np.maximum(winners.sum(2, keepdims=True), 1)):
        raise ValueError("win: expected to be split among those of rank 1")
