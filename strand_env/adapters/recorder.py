"""Replays of some games of a batch."""

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from strand_env.engine.checks import is_whole, shown, whole_number
from strand_env.engine.game import Game
from strand_env.engine.protocol import Batch, Snapshot

if TYPE_CHECKING:
    from strand_env.replays.replay import Replay  # which knows all games, and is needed only for what is kept


class Recorder:
    """Keeps how the first `number` games of a batch began, `starts`, and all actions since, `played`."""

    def __init__(self, game: Game, batch: Batch, number: int) -> None:
        number = min(whole_number("record", number, 0), batch.num_games)
        self.batch = batch
        self._game = game
        self.starts: list[Snapshot] = [{}] * number
        self.played: list[list[list[int]]] = [[]] * number
        self.begin(np.arange(number))

    def __len__(self) -> int:
        return len(self.starts)

    def begin(self, games: npt.NDArray[np.int64]) -> None:
        """These games, in the order of their numbers, have just been dealt."""
        for game in games[: len(self)].tolist():
            if game < len(self):
                self.starts[game], self.played[game] = self.batch.snapshot(game), []

    def add(self, games: npt.NDArray[np.int64], actions: npt.NDArray[np.int64]) -> None:
        """A step of these games, in the order of their numbers, with these actions of their players."""
        if len(self):
            for game, row in zip(games[: len(self)].tolist(), actions[: len(self)].tolist(), strict=True):
                if game < len(self):
                    self.played[game].append(row)

    def replay(self, index: int) -> "Replay":
        """A game so far."""
        from strand_env.replays.replay import Replay

        if not (is_whole(index) and 0 <= index < len(self)):
            raise ValueError(f"index: only the first {len(self)} games are recorded (record=…), got {shown(index)}")
        scores = self.batch.scores[index].tolist() if self.batch.over[index] else None
        return Replay.of(self._game, self.starts[index], self.played[index], scores)
