"""How games begin: dealt from seeds and options, or taken up from snapshots."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from strand_env.engine.checks import shown
from strand_env.engine.protocol import Batch, Snapshot
from strand_env.engine.randomness import seeds_of_single_games

B = TypeVar("B", bound=Batch)

Options = Mapping[str, Any] | None
"""Of a reset: "snapshot", and what the batch takes for dealing. Others, meant for wrappers, change nothing."""


def deal_all(batch: Batch, seeds: npt.ArrayLike | None, options: Options) -> None:
    """Deals all games of a batch, as `deal` does."""
    deal(batch, np.arange(batch.num_games), seeds, options)


def deal(batch: Batch, games: npt.NDArray[np.int64], seeds: npt.ArrayLike | None, options: Options) -> None:
    """Deals these games of a batch, each as an environment of one game would with its seed and these options.

    There is one seed for each game of the batch, dealt or not. Without seeds each game is the one that follows the
    last.
    """
    deal_options = check_options(batch, options)
    dealt = None if seeds is None else seeds_of_single_games(seeds, batch.num_games)[games]
    batch.reset(games, dealt, **deal_options)


def check_options(batch: Batch, options: Options) -> dict[str, Any]:
    """Those of the options that several games are dealt by; others are refused."""
    deal_options, snapshot = _known(batch, options)
    if snapshot is not None:
        raise ValueError("options: a snapshot is for environments of one game")
    return deal_options


def snapshot_in(batch: Batch, seed: int | None, options: Options) -> Snapshot | None:
    """The snapshot that an environment of one game is to go on from, if any."""
    deal_options, snapshot = _known(batch, options)
    if snapshot is not None and (seed is not None or deal_options):
        raise ValueError("options: a snapshot holds all of a game; leave out the seed and other options")
    return snapshot


def taken_up(batch: B, snapshots: Sequence[Snapshot]) -> B:
    """Games from snapshots that can take the place of those of a batch, with the same options."""
    games = type(batch).from_snapshots(snapshots, **batch.chosen_options)
    if games.num_players != batch.num_players:
        raise ValueError(f"snapshot: a game of {games.num_players} players, but here are {batch.num_players}")
    if games.variant != batch.variant:
        raise ValueError(f"snapshot: a game of the variant {games.variant!r}, but here is {batch.variant!r}")
    if games.ruleset != batch.ruleset:
        raise ValueError("snapshot: a game with another ruleset; make an environment with that ruleset for it")
    return games


def _known(batch: Batch, options: Options) -> tuple[dict[str, Any], Snapshot | None]:
    """The options that the batch takes for dealing, and the snapshot."""
    if options is not None and not isinstance(options, Mapping):
        raise ValueError(f"options: expected a dict or None, got {shown(options)}")
    given = {name: value for name, value in (options or {}).items() if value is not None}
    return {name: given[name] for name in batch.deal_options if name in given}, given.get("snapshot")
