"""Batches of Maui."""

from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from strand_env.engine.batch import GameBatch
from strand_env.engine.randomness import Seeds
from strand_env.maui.actions import PHASES, describe
from strand_env.maui.layout import layout_of
from strand_env.maui.rules import RULES
from strand_env.maui.ruleset import (
    MOST_DOLLARS,
    PEARL_COLOURS,
    PEARL_POINTS,
    PLAYER_COUNTS,
    VARIANTS,
    Ruleset,
)
from strand_env.maui.snapshot import FIELDS, check_snapshot


class Games(GameBatch[Ruleset]):
    """A batch of games, stepped together. Each depends only on its own seed and actions.

    `seed` is an int, from which a seed is derived for each game by its index, or an array of one seed per game.
    `variant` is "base", "crabs" or "combined". With several `threads`, calls on many games are split between them, with
    the same results.

        games = Games(4096, num_players=4, seed=0, variant="crabs")
        turn = games.turn()
        games.advance(games.random_actions(seed=0), turn)
        turn.observations, turn.legal  # (4096, 4, 960) and (4096, 4, 50), int8
    """

    rules = RULES
    fields = FIELDS
    phases = PHASES
    player_counts = PLAYER_COUNTS
    ruleset_type = Ruleset
    variants: ClassVar[tuple[str, ...]] = VARIANTS
    derived = ("shown", "table", "seats")
    layout_of = staticmethod(layout_of)
    describe = staticmethod(describe)
    check_snapshot = staticmethod(check_snapshot)

    def __init__(
        self,
        num_games: int,
        num_players: int = 4,
        seed: Seeds = 0,
        ruleset: Ruleset | None = None,
        *,
        variant: str | None = "base",
        threads: int = 1,
        **options: Any,
    ) -> None:
        super().__init__(num_games, num_players, seed, ruleset, variant=variant, threads=threads, **options)

    @staticmethod
    def most_points(ruleset: Ruleset, variant: str | None) -> int:
        """The score with all shells on the best square, all pearls and all dollars."""
        pearls = 0 if variant == "crabs" else PEARL_COLOURS * PEARL_POINTS[-1]
        return sum(max(row) for row in ruleset.squares(variant)) + pearls + MOST_DOLLARS

    def statistics(self, games: npt.ArrayLike, seats: npt.ArrayLike) -> dict[str, npt.NDArray[Any]]:
        """(rows,) each, for players by game and seat: points of the tracks and pearls, what was lost, towels, rounds.

        In the combined game towels and rounds are those of the second part.
        """
        numbers, players = self._players(games, seats)
        seat = self.state["seats"][numbers, players]
        return {
            "track points": seat["points"].sum(1, np.int64),
            "pearl points": np.array(PEARL_POINTS)[seat["pearls"]].sum(1),
            "penalties": seat["penalties"].astype(np.int64),
            "crab points": seat["crab_points"].astype(np.int64),
            "towels": seat["laid"].astype(np.int64) - 1,
            "rounds": self.state["table"]["round"][numbers].astype(np.int64),
        }

    def status(self, index: int) -> dict[str, Any]:
        """The phase, part and round of a game."""
        table = self.state["table"][self._index(index)]
        return {**super().status(index), "part": int(table["part"]), "round": int(table["round"])}
