"""Gymnasium environments: one learner, all others played by opponents. Alone, or many in one batch."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from strand_env.adapters.counts import next_of
from strand_env.adapters.dealing import snapshot_in
from strand_env.adapters.describing import Describing
from strand_env.adapters.match import Match
from strand_env.adapters.matches import Matches
from strand_env.adapters.referee import checked_action
from strand_env.adapters.scaling import box_of
from strand_env.adapters.showing import OneGame, RenderMode, agent_name
from strand_env.engine.checks import seed_number, shown, whole_number

if TYPE_CHECKING:
    from strand_env.replays.replay import Replay

Observation = npt.NDArray[np.float32]


class LearnerEnv(OneGame, Describing, gymnasium.Env[Observation, np.int64]):
    """A step is a decision of the learner; what the others decide, and what leaves no choice, is played in between.

    Observations are float32. What the learner may do is in `action_masks()` and in the infos, with its
    seat and where the game stands; the last info has its share of the win, its score and rank. The reward for the game
    comes with the last decision that the learner made in it. Pictures show what the learner sees. The match is one of a
    single game, with record=1 and no automatic resets.

    With several matches, of different numbers of players, each game's seed decides in which it is played.
    """

    def __init__(self, *matches: Match, render_mode: RenderMode | None = None) -> None:
        match = matches[0]
        if match.batch.num_games != 1 or not len(match.recorder) or match.autoreset_mode is not AutoresetMode.DISABLED:
            raise ValueError("match: expected one of a single game, with record=1 and AutoresetMode.DISABLED")
        super().__init__(match.game, match.recorder, render_mode)
        self.match = match
        self._matches = matches
        self.metadata = self.rendering_metadata()
        self.observation_space = box_of(match.encoding)
        self.action_space = spaces.Discrete(match.batch.num_actions)

    def _source(self) -> Match:
        return self.match

    def legal_actions(self) -> dict[int, str]:
        """What the learner may do now, each action with a short sentence."""
        return self._in_words(self.action_masks())

    @property
    def seat(self) -> int:
        """The learner's; -1 until the first reset."""
        return int(self.match.seats[0])

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """A new game, up to the learner's first decision. Options: "snapshot", and what the game takes for dealing."""
        number = None if seed is None else seed_number("seed", seed)
        match, number = next_of(self._matches, self.match, number, options)
        snapshot = snapshot_in(match.batch, number, options)
        if snapshot is None:
            match.reset(None if number is None else [number], options)
            self.match = match
        else:
            self.match = match.resumed([snapshot])
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


class LearnerVectorEnv(Describing, VectorEnv[Observation, npt.NDArray[np.int64], npt.NDArray[Any]]):
    """The same as `LearnerEnv`, for many games in one batch.

    Finished games are dealt again as the match's `autoreset_mode` says. By `SAME_STEP` the observation is the first of
    the new game; the last of the old one is in `infos["final_obs"]`, and how it ended in `infos["final_info"]`. By the
    others the observation is the last of the old game, and how it ended is in the infos; the step that follows ignores
    the action and gives the first observation of the new game (`NEXT_STEP`), or the game has to be reset
    (`DISABLED`): `reset(options={"reset_mask": mask})` deals those that are True there and leaves the others as they
    are. With a number s as seed the games are those of single environments with the seeds s, s + 1, and so on.
    """

    def __init__(self, match: Match | Matches) -> None:
        self.match = match
        self.num_envs = match.num_games
        self.metadata = {"name": match.game.id, "autoreset_mode": match.autoreset_mode}
        self.single_observation_space = box_of(match.encoding)
        self.single_action_space = spaces.Discrete(match.batch.num_actions)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)

    def reset(
        self, *, seed: int | Sequence[int] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        several = isinstance(seed, (Sequence, np.ndarray)) and not isinstance(seed, str)
        number = None if seed is None or several else seed_number("seed", seed)
        seeds = seed if number is None else range(number, number + self.num_envs)
        self.match.reset(seeds, options, self._to_reset(options))
        super().reset(seed=number)
        return self.match.observations, self._infos()

    def step(
        self, actions: npt.NDArray[np.int64]
    ) -> tuple[Observation, npt.NDArray[np.float64], npt.NDArray[np.bool_], npt.NDArray[np.bool_], dict[str, Any]]:
        self.match.step(actions)
        infos = self._infos()
        same_step = self.match.autoreset_mode is AutoresetMode.SAME_STEP
        for ending in self.match.endings:
            final = {"final_obs": ending.observation, "final_info": ending.info} if same_step else ending.info
            infos = self._add_info(infos, final, ending.game)
        match = self.match
        return match.observations, match.rewards.astype(np.float64), match.over, match.truncated, infos

    def _source(self) -> Match | Matches:
        return self.match

    def legal_actions(self, index: int) -> dict[int, str]:
        """What the learner of a game may do now, each action with a short sentence."""
        return self._in_words(self.action_masks()[whole_number("index", index, 0, self.num_envs - 1)])

    def action_masks(self) -> npt.NDArray[np.int8]:
        """(games, actions): what the learners may do now."""
        return self.match.action_masks()

    def replay(self, index: int) -> "Replay":
        """A game so far, of those that are recorded."""
        return self.match.replay(index)

    def _to_reset(self, options: dict[str, Any] | None) -> npt.NDArray[np.int64]:
        """The games of the option "reset_mask"; all, if there is none."""
        mask = options.get("reset_mask") if isinstance(options, dict) else None
        if mask is None:
            return np.arange(self.num_envs)
        given = np.asarray(mask) if isinstance(mask, (np.ndarray, list, tuple)) else None
        if given is None or given.dtype != np.bool_ or given.shape != (self.num_envs,) or not given.any():
            expected = f"one bool for each of {self.num_envs} games, at least one of them True"
            raise ValueError(f"reset_mask: expected {expected}; got {shown(mask)}")
        return np.flatnonzero(given)

    def _infos(self) -> dict[str, Any]:
        everywhere = np.ones(self.num_envs, np.bool_)
        infos = {"action_mask": self.action_masks(), "seat": self.match.seats.copy()}
        return {**infos, **{f"_{name}": everywhere.copy() for name in infos}}
