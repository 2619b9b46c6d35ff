"""Replays of some games of a batch."""

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from strand_env.engine.checks import whole_number
from strand_env.engine.game import Game
from strand_env.engine.protocol import Batch

if TYPE_CHECKING:
    from strand_env.replays.replay import Replay  # which knows all games, and is needed only for what is kept


class Recorder:
    """Keeps what is played in the first so many games of a batch."""

    def __init__(self, game: Game, batch: Batch, number: int) -> None:
        number = whole_number("record", number, 0)
        self._game = game
        self._batch = batch
        self._starts: list[dict[str, Any]] = [{}] * min(number, batch.num_games)
        self._played: list[list[list[int]]] = [[] for _ in self._starts]

    def __len__(self) -> int:
        return len(self._starts)

    def begin(self, games: npt.NDArray[np.int64]) -> None:
        """These games have just been dealt."""
        for index in games[games < len(self)].tolist():
            self._starts[index], self._played[index] = self._batch.snapshot(index), []

    def add(self, games: npt.NDArray[np.int64], actions: npt.NDArray[np.int64]) -> None:
        """A step of these games, with these actions of their players."""
        if len(self):
            for row in np.flatnonzero(games < len(self)):
                self._played[games[row]].append(actions[row].tolist())

    def replay(self, index: int) -> "Replay":
        """A game so far."""
        from strand_env.replays.replay import Replay

        if not 0 <= index < len(self):
            raise ValueError(f"index: only the first {len(self)} games are recorded (record=…), got {index!r}")
        scores = self._batch.scores[index].tolist() if self._batch.over[index] else None
        return Replay.of(self._game, self._starts[index], self._played[index], scores)
