"""Batches of Strand Unter."""

from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from strand_env.engine.batch import GameBatch
from strand_env.engine.randomness import Seeds
from strand_env.strand_unter.actions import describe
from strand_env.strand_unter.layout import MOST_POINTS, layout_of
from strand_env.strand_unter.rules import RULES
from strand_env.strand_unter.ruleset import PLAYER_COUNTS, Ruleset
from strand_env.strand_unter.snapshot import FIELDS, check_snapshot, read_cards
from strand_env.strand_unter.state import FLOODED, HEAP, PHASES, READY


class Games(GameBatch[Ruleset]):
    """A batch of games, stepped together. Each depends only on its own seed and actions.

    `seed` is an int, from which a seed is derived for each game by its index, or an array of one seed per game. With
    `hide_buckets` observations leave out the opponents' buckets. With several `threads`, calls on many games are split
    between them, with the same results.

        games = Games(4096, num_players=4, seed=0)
        turn = games.turn()
        games.advance(games.random_actions(seed=0), turn)
        turn.observations, turn.legal  # (4096, 4, 312) and (4096, 4, 57), int8

    `reset` takes `cards` to deal instead of random ones: (players, castle values, colours) shells, as in a snapshot.
    """

    rules = RULES
    fields = FIELDS
    phases = PHASES
    player_counts = PLAYER_COUNTS
    ruleset_type = Ruleset
    options: ClassVar[dict[str, bool]] = {"hide_buckets": False}
    deal_options = ("cards",)
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
        variant: None = None,
        hide_buckets: bool = False,
        threads: int = 1,
        **options: Any,
    ) -> None:
        game = num_games, num_players, seed, ruleset
        super().__init__(*game, variant=variant, threads=threads, hide_buckets=hide_buckets, **options)

    @property
    def hide_buckets(self) -> bool:
        return self._options["hide_buckets"]

    @hide_buckets.setter
    def hide_buckets(self, hide: bool) -> None:
        self._options = {"hide_buckets": bool(hide)}
        self._prepare()

    @staticmethod
    def most_points(ruleset: Ruleset, variant: str | None = None) -> int:
        """The score with all castles in the groove nearest the sea."""
        return MOST_POINTS

    def fields_to_deal(self, *, cards: Any) -> dict[str, npt.NDArray[Any]]:  # type: ignore[override]
        return {"cards": read_cards(cards, self.ruleset, self.num_players)}

    def redeal(self, seed: Seeds, observer: int | npt.NDArray[np.int64] | None = None) -> None:
        """Redeals what no player can know: the shells of the bag and the covered grooves, and all later draws.

        For search: play on in a redealt copy. This is hidden from all players alike, so `observer` makes no difference;
        but hidden buckets are not redealt, so with `hide_buckets` an observer is refused. What a player might remember
        about the bag is ignored: shells that were seen going into it may end up under the sea.
        """
        if observer is not None and self.hide_buckets:
            raise ValueError("observer: hidden buckets are not dealt again; search in games with open buckets")
        super().redeal(seed, observer)

    def statistics(self, games: npt.ArrayLike, seats: npt.ArrayLike) -> dict[str, npt.NDArray[Any]]:
        """(rows,) each, for players by game and seat: castles built, how many of them were flooded, and rounds."""
        numbers, players = self._players(games, seats)
        castles = self.state["castles"][numbers, players][:, list(self.ruleset.castles)]
        return {
            "castles built": ((castles != HEAP) & (castles != READY)).sum(1),
            "flooded": (castles == FLOODED).sum(1),
            "rounds": self.state["round"][numbers].astype(np.int64),
        }

    def status(self, index: int) -> dict[str, Any]:
        """The phase and round of a game."""
        return {**super().status(index), "round": int(self.state["round"][index])}
