"""The environment that MaskablePPO trains on: matches of one or several player counts in one VecEnv."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from strand_env.adapters.match import Match
from strand_env.adapters.sb3 import BatchVecEnv, Step, last_info
from strand_env.engine.game import Encoding, Potential
from strand_env.engine.randomness import spread_seeds


class TrainingVecEnv(BatchVecEnv):
    """The rows are the learners of all matches, concatenated.

    With a potential, rewards are shaped: each decision also earns gamma × the next potential − the last, the potential
    of a finished game being 0. Discounted and summed over a game that is minus its first potential, whatever the
    learner does, so the optimal policy stays the same (Ng, Harada and Russell, 1999).
    """

    def __init__(
        self,
        matches: Sequence[Match],
        encoding: Encoding,
        seed: int,
        potential: Potential | None = None,
        gamma: float = 1.0,
    ) -> None:
        first = matches[0]
        rows = sum(match.batch.num_games for match in matches)
        super().__init__(first.game, first.batch, first.recorder, first.encoding, rows)
        self.encoding = encoding
        self.observation_space = spaces.Box(-np.inf, np.inf, (self.encoding.size,), np.float32)
        self.matches = matches
        self._seed = seed
        self._gamma = gamma
        self.potential_of = potential
        self._potentials: npt.NDArray[np.floating] = np.zeros(rows)
        ends = np.cumsum([match.batch.num_games for match in matches]).tolist()
        self._slices = [slice(start, end) for start, end in zip([0, *ends], ends, strict=False)]

    def reset(self) -> npt.NDArray[np.float32]:
        """Deals the games of the environment's seed: the same ones each time."""
        self._reset_arguments()
        seeds = spread_seeds(self._seed, np.arange(self.num_envs))
        for match, rows in zip(self.matches, self._slices, strict=True):
            match.reset(seeds[rows])
        return self._look()

    def save(self) -> list[dict[str, Any]]:
        """The state of all games, as plain data for JSON."""
        return [match.save() for match in self.matches]

    def restore(self, saved: Sequence[dict[str, Any]]) -> npt.NDArray[np.float32]:
        """Resumes exactly from a saved state; returns the observations."""
        for match, data in zip(self.matches, saved, strict=True):
            match.restore(data)
        self.batch, self.recorder = self.matches[0].batch, self.matches[0].recorder
        return self._look()

    def step_wait(self) -> Step:
        for match, rows in zip(self.matches, self._slices, strict=True):
            match.step(self._actions[rows])
        rewards = self._joined([match.rewards for match in self.matches])
        over = self._joined([match.over for match in self.matches])
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        seconds = self._seconds()
        for match, rows in zip(self.matches, self._slices, strict=True):
            if not match.endings:
                continue
            last = self.encoding.encode(np.stack([end.seen for end in match.endings]))
            for end, shown in zip(match.endings, last, strict=True):
                infos[rows.start + end.game] = last_info(shown, end.reward, end.decisions, seconds, end.info)
        before = self._potentials
        observations = self._look()
        if self.potential_of is not None:
            rewards = (rewards + self._gamma * np.where(over, 0, self._potentials) - before).astype(np.float32)
        return observations, rewards, over, infos

    def action_masks(self) -> npt.NDArray[np.int8]:
        return self._joined([match.legal for match in self.matches])

    def _look(self) -> npt.NDArray[np.float32]:
        seen = self._joined([match.seen for match in self.matches])
        if self.potential_of is not None:
            self._potentials = self.potential_of(seen)
        return self.encoding.encode(seen)

    @staticmethod
    def _joined(parts: list[npt.NDArray[Any]]) -> npt.NDArray[Any]:
        return parts[0] if len(parts) == 1 else np.concatenate(parts)
