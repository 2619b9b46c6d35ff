"""Environments of one game at a time with several numbers of players: each game's seed decides how many it has."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypeVar

import numpy as np

from strand_env.adapters.dealing import Options
from strand_env.adapters.seats import BEFORE_THE_GAME
from strand_env.engine.checks import is_whole, seed_number, shown, whole_number
from strand_env.engine.protocol import Batch
from strand_env.engine.randomness import Streams

NumPlayers = int | Sequence[int] | None
"""A number of players, or several; None is the game's usual one."""

_HOW_MANY, _NEXT_GAME = np.array([255]), np.array([254])  # in place of seats, which are fewer


class HasBatch(Protocol):
    """A table or a match of one game."""

    batch: Batch


T = TypeVar("T", bound=HasBatch)


def checked_counts(num_players: NumPlayers, usual: int, known: range) -> list[int]:
    """The numbers of players, in the order given."""
    if num_players is None:
        return [usual]
    if not isinstance(num_players, (list, tuple, range)):
        return [whole_number("num_players", num_players, known[0], known[-1])]
    counts = [
        whole_number(f"num_players[{place}]", each, known[0], known[-1]) for place, each in enumerate(num_players)
    ]
    if not counts or len(set(counts)) < len(counts):
        raise ValueError(f"num_players: expected one number or several different ones, got {shown(num_players)}")
    return counts


def check_alike(batches: Sequence[Batch]) -> None:
    """Refuses numbers of players whose observations differ in their entries."""
    for batch in batches[1:]:
        for one, other in (
            (batch.observation_maximum, batches[0].observation_maximum),
            (batch.table_maximum, batches[0].table_maximum),
        ):
            if not np.array_equal(one, other):
                several = f"{batches[0].num_players} and {batch.num_players}"
                raise ValueError(f"num_players: observations of {several} players differ; expected one number")


def next_of(several: Sequence[T], now: T, seed: int | None, options: Options) -> tuple[T, int | None]:
    """Which of several tables the next game is played at, and its seed.

    Without a seed all follows from the game before it. A snapshot has its own number of players.
    """
    if len(several) == 1:
        return now, seed
    snapshot = options.get("snapshot") if isinstance(options, Mapping) else None
    if snapshot is not None:
        return of_snapshot(several, now, snapshot), seed
    if seed is None:
        seed = int(Streams.of_decisions(now.batch.seeds, BEFORE_THE_GAME, _NEXT_GAME).bits()[0])
    number = seed_number("seed", seed)
    drawn = Streams.of_decisions(np.array([number], np.uint64), BEFORE_THE_GAME, _HOW_MANY).integers(len(several))
    return several[int(drawn[0])], number


def of_snapshot(several: Sequence[T], now: T, snapshot: Any) -> T:
    """The table for a snapshot; the present one, which will refuse it, if there is none for that many players."""
    players = snapshot.get("players") if isinstance(snapshot, Mapping) else None
    if not is_whole(players):
        return now
    return next((each for each in several if each.batch.num_players == players), now)
