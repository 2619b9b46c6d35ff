"""Observations and masks that are refreshed in place while a batch is played."""

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from strand_env.engine.kernels import TurnArrays

if TYPE_CHECKING:
    from strand_env.engine.batch import GameBatch


class TurnBase:
    """Observations and masks, in arrays that `GameBatch.advance` refreshes in place.

    `over` (games,) says which games ended in the last step and were reset; `scores` and `winners` (games, players) are
    valid for these games only.
    """

    def __init__(self, games: "GameBatch[Any]", seen: int) -> None:
        rules, layout = games.rules, games.layout
        self._num_players, self._num_actions = games.num_players, rules.num_actions
        self._results = np.zeros(games.num_games, rules.result)
        self._masks = np.empty((games.num_games, seen, rules.mask_bytes), np.int8)
        self._observations = np.empty((games.num_games, seen, layout.size), layout.dtype)
        self._record = rules.observation

    @property
    def for_kernels(self) -> TurnArrays:
        """The same arrays in the form that kernels fill."""
        records = self._observations.view(self._record)[:, :, 0]
        return self._results, self._masks.view(np.uint64), records

    @property
    def over(self) -> npt.NDArray[np.bool_]:
        return self._results["over"].view(np.bool_)

    @property
    def scores(self) -> npt.NDArray[np.integer]:
        return self._results["scores"][:, : self._num_players]

    @property
    def winners(self) -> npt.NDArray[np.bool_]:
        return self._results["winners"][:, : self._num_players].view(np.bool_)


class Turn(TurnBase):
    """Everybody's: `observations` (games, players, layout.size) and `legal` (games, players, actions)."""

    def __init__(self, games: "GameBatch[Any]") -> None:
        super().__init__(games, games.num_players)
        self.look(games)
        self.look_at_masks(games)

    def look(self, games: "GameBatch[Any]") -> None:
        """Refreshes the observations."""
        games.observe(self._observations)

    def look_at_masks(self, games: "GameBatch[Any]") -> None:
        """Refreshes the masks."""
        games.write_legal(self._masks)

    @property
    def observations(self) -> npt.NDArray[np.integer]:
        return self._observations

    @property
    def legal(self) -> npt.NDArray[np.int8]:
        return self._masks[:, :, : self._num_actions]


class DecisionTurn(TurnBase):
    """Those of the one player of each game who is asked now: `observations` (games, layout.size), `legal` (games,
    actions), and who it is: `players` (games,). `chosen` holds what others have decided at the same time.
    """

    def __init__(self, games: "GameBatch[Any]") -> None:
        super().__init__(games, 1)
        self.players = np.zeros(games.num_games, np.int64)
        self.chosen = np.full(games.num_games, games.pass_action, games.rules.choice)
        self.look(games)

    def look(self, games: "GameBatch[Any]") -> None:
        """Refreshes the observations, the masks, and who they belong to."""
        _, masks, records = self.for_kernels
        games.kernels.look_at_deciders(games.threads, games.num_games, games.for_kernels, masks, records, self.players)

    @property
    def observations(self) -> npt.NDArray[np.integer]:
        return self._observations[:, 0]

    @property
    def legal(self) -> npt.NDArray[np.int8]:
        return self._masks[:, 0, : self._num_actions]
