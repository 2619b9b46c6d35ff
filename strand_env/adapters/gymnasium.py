"""Gymnasium environments: one learner, all others played by opponents. Alone, or many in one batch."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from strand_env.adapters.dealing import snapshot_in
from strand_env.adapters.match import Match
from strand_env.adapters.referee import checked_action
from strand_env.adapters.scaling import unit_box
from strand_env.adapters.showing import OneGame, RenderMode, agent_name
from strand_env.engine.checks import seed_number

if TYPE_CHECKING:
    from strand_env.replays.replay import Replay

Observation = npt.NDArray[np.float32]


class LearnerEnv(OneGame, gymnasium.Env[Observation, np.int64]):
    """A step is a decision of the learner; what the others decide, and what leaves no choice, is played in between.

    Observations are float32 from 0 to 1. What the learner may do is in `action_masks()` and in the infos, beside its
    seat and where the game stands; the last info has its share of the win, its score and rank. The reward for the game
    comes with the last decision that the learner made in it. Pictures show what the learner sees. The match is one of a
    single game, with record=1 and auto_reset=False.
    """

    def __init__(self, match: Match, render_mode: RenderMode | None = None) -> None:
        if match.batch.num_games != 1 or not len(match.recorder) or match.auto_reset:
            raise ValueError("match: expected one of a single game, with record=1 and auto_reset=False")
        super().__init__(match.game, match.recorder, render_mode)
        self.match = match
        self.metadata = self.rendering_metadata()
        self.observation_space = unit_box(match.maximum)
        self.action_space = spaces.Discrete(match.batch.num_actions)

    @property
    def seat(self) -> int:
        """The learner's; -1 until the first reset."""
        return int(self.match.seats[0])

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """A new game, up to the learner's first decision. Options: "snapshot", and what the game takes for dealing."""
        number = None if seed is None else seed_number("seed", seed)
        snapshot = snapshot_in(self.match.batch, number, options)
        if snapshot is None:
            self.match.reset(None if number is None else [number], options)
        else:
            self.match = self.match.resumed([snapshot])
        super().reset(seed=number)
        self._begun(self.match.recorder, self.seat)
        return self._observation(), self._info()

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """A decision of the learner. If an opponent fails in it, the environment has to be reset before it goes on."""
        match = self.match
        match.check_ready()
        before = self._now()
        chosen = checked_action(agent_name(self.seat), action, match.batch.num_actions)
        match.step([chosen])
        offended = any("illegal_action" in ending.info for ending in match.endings)
        self._stepped(before, {self.seat: chosen} if offended else {})
        return self._observation(), float(match.rewards[0]), bool(match.over[0]), False, self._info()

    def action_masks(self) -> npt.NDArray[np.int8]:
        return self.match.action_masks()[0]

    def _observation(self) -> Observation:
        return self.match.observations[0].copy()

    def _info(self) -> dict[str, Any]:
        info = {**self.match.batch.status(0), "action_mask": self.action_masks(), "seat": self.seat}
        for ending in self.match.endings:
            info |= ending.info
        if self.offences:
            info["offenders"] = [agent_name(player) for player in self.offences]
        return info


class LearnerVectorEnv(VectorEnv[Observation, npt.NDArray[np.int64], npt.NDArray[Any]]):
    """The same as `LearnerEnv`, for many games in one batch.

    A step that ends a game deals the next one (`AutoresetMode.SAME_STEP`): the observation is the first of the new
    game; the last of the old one is in `infos["final_obs"]`, and how it ended in `infos["final_info"]`. With a number s
    as seed the games are those of single environments with the seeds s, s + 1, and so on.
    """

    def __init__(self, match: Match) -> None:
        batch = match.batch
        self.match = match
        self.num_envs = batch.num_games
        self.metadata = {"name": match.game.id, "autoreset_mode": AutoresetMode.SAME_STEP}
        self.single_observation_space = unit_box(match.maximum)
        self.single_action_space = spaces.Discrete(batch.num_actions)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)

    def reset(
        self, *, seed: int | Sequence[int] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        several = isinstance(seed, (Sequence, np.ndarray)) and not isinstance(seed, str)
        number = None if seed is None or several else seed_number("seed", seed)
        self.match.reset(seed if number is None else range(number, number + self.num_envs), options)
        super().reset(seed=number)
        return self.match.observations, self._infos()

    def step(
        self, actions: npt.NDArray[np.int64]
    ) -> tuple[Observation, npt.NDArray[np.float64], npt.NDArray[np.bool_], npt.NDArray[np.bool_], dict[str, Any]]:
        self.match.step(actions)
        infos = self._infos()
        for ending in self.match.endings:
            final = {"final_obs": ending.observation, "final_info": ending.info}
            infos = self._add_info(infos, final, ending.game)
        truncations = np.zeros(self.num_envs, np.bool_)
        return self.match.observations, self.match.rewards.astype(np.float64), self.match.over, truncations, infos

    def action_masks(self) -> npt.NDArray[np.int8]:
        """(games, actions): what the learners may do now."""
        return self.match.action_masks()

    def replay(self, index: int) -> "Replay":
        """A game so far, of those that are recorded."""
        return self.match.recorder.replay(index)

    def _infos(self) -> dict[str, Any]:
        everywhere = np.ones(self.num_envs, np.bool_)
        infos = {"action_mask": self.action_masks(), "seat": self.match.seats.copy()}
        return {**infos, **{f"_{name}": everywhere.copy() for name in infos}}
