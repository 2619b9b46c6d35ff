"""The environment that MaskablePPO trains on: matches of one or several player counts in one VecEnv."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from strand_env.adapters.match import Match
from strand_env.adapters.matches import Matches
from strand_env.adapters.sb3 import LearnerVecEnv
from strand_env.engine.randomness import spread_seeds


class TrainingVecEnv(LearnerVecEnv):
    """The rows are the learners of all matches, concatenated; their games can be saved and resumed."""

    def __init__(self, matches: Sequence[Match], seed: int) -> None:
        super().__init__(matches[0] if len(matches) == 1 else Matches(matches))
        self.matches = matches
        self._seed = seed

    def reset(self) -> npt.NDArray[np.float32]:
        """Deals the games of the environment's seed: the same ones each time."""
        self._reset_arguments()
        self.match.reset(spread_seeds(self._seed, np.arange(self.num_envs)))
        return self.match.observations

    def save(self) -> list[dict[str, Any]]:
        """The state of all games, as plain data for JSON."""
        return [part.save() for part in self.matches]

    def restore(self, saved: Sequence[dict[str, Any]]) -> npt.NDArray[np.float32]:
        """Resumes exactly from a saved state; returns the observations."""
        for part, data in zip(self.matches, saved, strict=True):
            part.restore(data)
        if isinstance(self.match, Matches):
            self.match.join()
        first = self.matches[0]
        self.batch, self.recorder = first.batch, first.recorder
        return self.match.observations
