"""Matches of different player counts as one, with the parts of `Match` that vector environments use."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode

from strand_env.adapters.dealing import Options, check_options
from strand_env.adapters.match import Ending, Match
from strand_env.adapters.referee import checked_choices
from strand_env.engine.checks import is_whole, whole_number
from strand_env.engine.protocol import IllegalAction
from strand_env.engine.randomness import seeds_of_single_games

if TYPE_CHECKING:
    from strand_env.replays.replay import Replay


class Matches:
    """Several matches as one. Games are numbered consecutively across parts. Arrays are as in `Match`."""

    observations: npt.NDArray[np.float32]
    legal: npt.NDArray[np.int8]
    rewards: npt.NDArray[np.float32]
    over: npt.NDArray[np.bool_]
    truncated: npt.NDArray[np.bool_]
    seats: npt.NDArray[np.int64]
    endings: list[Ending]

    def __init__(self, parts: Sequence[Match]) -> None:
        self.parts = parts
        self.game, self.batch, self.encoding = parts[0].game, parts[0].batch, parts[0].encoding
        ends = np.cumsum([part.num_games for part in parts]).tolist()
        self.num_games = ends[-1]
        self._rows = [slice(start, end) for start, end in zip([0, *ends], ends, strict=False)]
        self.seats = self._joined("seats")
        self.endings = []

    @property
    def autoreset_mode(self) -> AutoresetMode:
        return self.parts[0].autoreset_mode

    def reset(
        self,
        seeds: npt.ArrayLike | None = None,
        options: Options = None,
        which: npt.NDArray[np.int64] | None = None,
    ) -> None:
        """Deals all games, or only some, as `Match` does. There are no options, as they depend on the players."""
        if unfit := check_options(self.batch, options):
            raise ValueError(f"options: {', '.join(unfit)}: not for games of several numbers of players")
        given: Any = seeds
        if given is not None:
            seeds_of_single_games(given, self.num_games)  # which refuses what are no seeds, before anything is dealt
        if which is not None and len(which) < self.num_games:
            self.check_ready()
        for part, rows in zip(self.parts, self._rows, strict=True):
            games = None if which is None else which[(which >= rows.start) & (which < rows.stop)] - rows.start
            if games is None or len(games):
                part.reset(None if given is None else given[rows], None, games)
        self.join()

    def step(self, actions: npt.ArrayLike) -> None:
        """A decision of each learner; nothing changes if any of them is refused."""
        self.check_ready()
        chosen = checked_choices(actions, self.legal)
        checked = []
        for part, rows in zip(self.parts, self._rows, strict=True):
            try:
                checked.append(part.checked(chosen[rows]))
            except IllegalAction as error:
                raise IllegalAction(f"of those with {part.batch.num_players} players, {error}") from None
        for part, decisions in zip(self.parts, checked, strict=True):
            part.advance(*decisions)
        self.join()

    def action_masks(self) -> npt.NDArray[np.int8]:
        """(games, actions): what the learners may do now."""
        self.check_ready()
        return self.legal.copy()

    def check_ready(self) -> None:
        for part in self.parts:
            part.check_ready()

    def replay(self, index: int) -> "Replay":
        """A game so far, of those that are recorded."""
        if is_whole(index):
            whole_number("index", index, 0, self.num_games - 1)
            for part, rows in zip(self.parts, self._rows, strict=True):
                if index < rows.stop:
                    return part.replay(index - rows.start)
        return self.parts[0].replay(index)

    def join(self) -> None:
        """Takes over how all parts stand."""
        for name in ("observations", "legal", "rewards", "over", "truncated", "seats"):
            setattr(self, name, self._joined(name))
        self.endings = []
        for part, rows in zip(self.parts, self._rows, strict=True):
            for ending in part.endings:
                ending.game += rows.start
                self.endings.append(ending)

    def _joined(self, name: str) -> npt.NDArray[Any]:
        return np.concatenate([getattr(part, name) for part in self.parts])
