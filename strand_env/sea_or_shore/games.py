"""Batches of Sea or Shore."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from strand_env.engine.batch import GameBatch
from strand_env.engine.protocol import Observer, Snapshot
from strand_env.engine.randomness import Seeds
from strand_env.sea_or_shore.actions import PHASES, describe
from strand_env.sea_or_shore.consistency import check_snapshot
from strand_env.sea_or_shore.layout import layout_of, most_points_of_a_round, table_layout_of
from strand_env.sea_or_shore.ranges import check_fields
from strand_env.sea_or_shore.rules import RULES
from strand_env.sea_or_shore.ruleset import PLAYER_COUNTS, ROUNDS, Ruleset
from strand_env.sea_or_shore.seeing import actions_seen_by, seen_by
from strand_env.sea_or_shore.snapshot import FIELDS


class Games(GameBatch[Ruleset]):
    """A batch of games, stepped together. Each depends only on its own seed and actions.

    `seed` is an int, from which a seed is derived for each game by its index, or an array of one seed per game. With
    several `threads`, calls on many games are split between them, with the same results. Hands are private, and so are
    observations and masks: those of a player must not be passed to another.

        games = Games(4096, num_players=4, seed=0, ruleset=Ruleset(sides=(0, 1)))
        turn = games.decision_turn()
        games.advance(games.random_decisions(turn, seed=0), turn)
        turn.observations, turn.legal  # (4096, 1416) and (4096, 123), uint8 and int8
    """

    rules = RULES
    fields = FIELDS
    phases = PHASES
    player_counts = PLAYER_COUNTS
    ruleset_type = Ruleset
    derived = ("table", "seats", "turn")
    layout_of = staticmethod(layout_of)
    table_layout_of = staticmethod(table_layout_of)
    describe = staticmethod(describe)
    check_snapshot = staticmethod(check_snapshot)

    def __init__(
        self,
        num_games: int,
        num_players: int = 4,
        seed: Seeds = 0,
        ruleset: Ruleset | None = None,
        *,
        variant: str | None = None,
        threads: int = 1,
        **options: Any,
    ) -> None:
        super().__init__(num_games, num_players, seed, ruleset, variant=variant, threads=threads, **options)

    @staticmethod
    def most_points(ruleset: Ruleset, variant: str | None) -> int:
        """The score with all treasures and all extras in both rounds: more than can be had."""
        return ROUNDS * most_points_of_a_round(ruleset)

    @classmethod
    def as_seen(cls, snapshot: Snapshot, observer: Observer) -> Snapshot:
        """A snapshot with null in place of what an observer may not see.

        It has a key more, `remaining`: for each stack the treasures that were never turned up, sorted. Of covered cards
        `face` is what shows.
        """
        seen = super().as_seen(snapshot, observer)
        check_fields(seen, seen["players"])
        return seen_by(seen, observer)

    @classmethod
    def actions_as_seen(cls, before: Snapshot, actions: Sequence[int], observer: Observer) -> list[int | None]:
        """The players' actions, with None in place of those that an observer may not know."""
        return actions_seen_by(before, super().actions_as_seen(before, actions, observer), observer)

    def statistics(self, games: npt.ArrayLike, seats: npt.ArrayLike) -> dict[str, npt.NDArray[Any]]:
        """(rows,) each, for players by game and seat: points of each round; treasures and extras at the end."""
        numbers, players = self._players(games, seats)
        seat, points = self.state["seats"][numbers, players], self.state["points"][numbers, :, players]
        return {
            "points of round 1": points[:, 0].astype(np.int64),
            "points of round 2": points[:, 1].astype(np.int64),
            "treasures": seat["pile_size"].astype(np.int64),
            "extras": seat["extras"].astype(np.int64),
        }

    def status(self, index: int) -> dict[str, Any]:
        """The phase, round and trick of a game."""
        table = self.state["table"][self._index(index)]
        return {**super().status(index), "round": int(table["round"]), "trick": int(table["trick"])}
