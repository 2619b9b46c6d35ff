"""Stable-Baselines3's vector environments over one batch, for MaskablePPO and others that take masks.

`LearnerVecEnv` has one learner in each game, all others being played by opponents. In `SelfPlayVecEnv` all players of
all games learn, as one policy.
"""

import time
from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices

from strand_env.adapters.dealing import check_options
from strand_env.adapters.describing import Describing
from strand_env.adapters.match import Match
from strand_env.adapters.matches import Matches
from strand_env.adapters.recorder import Recorder
from strand_env.adapters.scaling import box_of
from strand_env.engine.checks import is_whole, printable, seed_number, shown, whole_number, whole_numbers
from strand_env.engine.game import Encoding, Game
from strand_env.engine.protocol import Batch

if TYPE_CHECKING:
    from strand_env.replays.replay import Replay

Step = tuple[npt.NDArray[np.float32], npt.NDArray[np.float32], npt.NDArray[np.bool_], list[dict[str, Any]]]


class BatchVecEnv(Describing, VecEnv):
    """What both kinds share: an environment is a row of arrays, not an object of its own."""

    def __init__(
        self,
        game: Game,
        batch: Batch,
        recorder: Recorder,
        encoding: Encoding,
        num_envs: int | None = None,
    ) -> None:
        self.render_mode = None
        self.game = game
        self.batch = batch
        self.recorder = recorder
        self.encoding = encoding
        self._started = time.time()
        super().__init__(num_envs or batch.num_games, box_of(encoding), spaces.Discrete(batch.num_actions))

    def _source(self) -> "BatchVecEnv":
        return self

    def legal_actions(self, index: int) -> dict[int, str]:
        """What may be done in a row now, each action with a short sentence."""
        return self._in_words(self.action_masks()[whole_number("index", index, 0, self.num_envs - 1)])

    @abstractmethod
    def action_masks(self) -> npt.NDArray[np.int8]:
        """(rows, actions): what is legal now."""

    def step_async(self, actions: np.ndarray) -> None:
        self._actions = actions

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        if seed is not None:
            seed = seed_number("seed", seed)
            seed_number("seed of the last row", seed + self.num_envs - 1)  # each has the next one
        return super().seed(seed)

    def set_options(self, options: Any = None) -> None:
        if options is not None and not isinstance(options, dict):
            raise ValueError(f"options: the games are dealt together; expected one dict for all, got {shown(options)}")
        check_options(self.batch, options)
        super().set_options(options)

    def replay(self, index: int) -> "Replay":
        """A game so far, of those that are recorded."""
        return self.recorder.replay(index)

    def close(self) -> None:
        pass

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """The attribute of the whole, for each row."""
        if not isinstance(attr_name, str):
            raise ValueError(f"attr_name: expected the name of an attribute, got {shown(attr_name)}")
        return [getattr(self, attr_name)] * len(self._rows_of(indices))

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        if indices is not None:
            raise ValueError("indices: the games share their attributes; set them for all")
        setattr(self, attr_name, value)

    def env_method(
        self, method_name: str, *method_args: Any, indices: VecEnvIndices = None, **method_kwargs: Any
    ) -> Any:
        """`action_masks` alone, as one array for all these rows: nothing else is done row by row."""
        if not isinstance(method_name, str):
            raise ValueError(f"method_name: expected the name of a method, got {shown(method_name)}")
        if method_name != "action_masks":
            raise AttributeError(f"{printable(method_name)}: rows have no method of their own but action_masks")
        masks = self.action_masks()
        return masks if indices is None else masks[list(self._rows_of(indices))]

    def env_is_wrapped(self, wrapper_class: type[gymnasium.Wrapper], indices: VecEnvIndices = None) -> list[bool]:
        return [False] * len(self._rows_of(indices))

    def _rows_of(self, indices: VecEnvIndices) -> Sequence[int]:
        if indices is None:
            return range(self.num_envs)
        given: Any = [indices] if is_whole(indices) else indices
        rows = whole_numbers("indices", given)
        if not ((-self.num_envs <= rows) & (rows < self.num_envs)).all():
            raise ValueError(f"indices: expected rows from 0 to {self.num_envs - 1}, got {shown(indices)}")
        return rows.tolist()

    def _reset_arguments(self) -> tuple[list[int] | None, dict[str, Any]]:
        """The seeds and options that were set since the last reset."""
        seeds = [seed for seed in self._seeds if seed is not None]
        options = self._options[0]
        self._reset_seeds()
        self._reset_options()
        return seeds or None, options

    def _seconds(self) -> float:
        """Since the environment was made."""
        return round(time.time() - self._started, 6)


def last_info(
    observation: npt.NDArray[np.float32], reward: float, decisions: int, seconds: float, more: dict[str, Any]
) -> dict[str, Any]:
    """The info of a row whose game has ended."""
    return {
        "terminal_observation": observation,
        "TimeLimit.truncated": False,
        "episode": {"r": reward, "l": decisions, "t": seconds},
        **more,
    }


class LearnerVecEnv(BatchVecEnv):
    """One learner in each game of a match.

    `seed(s)` before `reset()` deals the games of single environments with the seeds s, s + 1, and so on. A step that
    ends a game deals the next one, as usual here; the row's info has the "terminal_observation", the learner's share of
    the win ("win"), its "score" and "rank", and the "episode" that Stable-Baselines3 takes its statistics from.
    """

    def __init__(self, match: Match | Matches) -> None:
        super().__init__(match.game, match.batch, match.parts[0].recorder, match.encoding, match.num_games)
        self.match = match

    def replay(self, index: int) -> "Replay":
        """A game so far, of those that are recorded."""
        return self.match.replay(index)

    def reset(self) -> npt.NDArray[np.float32]:
        self.match.reset(*self._reset_arguments())
        return self.match.observations

    def step_wait(self) -> Step:
        match = self.match
        match.step(self._actions)
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        seconds = self._seconds()
        for end in match.endings:
            infos[end.game] = last_info(end.observation, end.reward, end.decisions, seconds, end.info)
        return match.observations, match.rewards, match.over, infos

    def action_masks(self) -> npt.NDArray[np.int8]:
        return self.match.action_masks()
