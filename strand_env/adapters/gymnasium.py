"""Gymnasium environments: one learner, all others played by opponents. Alone, or many in one batch."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from strand_env.adapters.match import Match, Seat, check_whole, checked_seat, seats_of
from strand_env.adapters.opponents import Opponents
from strand_env.adapters.scaling import unit_box
from strand_env.adapters.table import RENDER_FPS, RENDER_MODES, Table
from strand_env.agents import AnyAgent
from strand_env.engine.checks import seed_number
from strand_env.engine.randomness import Streams

if TYPE_CHECKING:
    from strand_env.replays.replay import Replay

Observation = npt.NDArray[np.float32]


class LearnerEnv(gymnasium.Env[Observation, np.int64]):
    """A step is a decision of the learner; what the others decide, and what leaves no choice, is played in between.

    Observations are float32 from 0 to 1. What the learner may do is in `action_masks()` and in the infos, beside its
    seat and where the game stands; the last info has its share of the win, its score and rank. The reward for the game
    comes with the last decision that the learner made in it.
    """

    def __init__(
        self, table: Table, seat: Seat = 0, opponents: str | AnyAgent | Sequence[str | AnyAgent] = "random"
    ) -> None:
        self.table = table
        self.metadata = {"name": table.game.id, "render_modes": list(RENDER_MODES), "render_fps": RENDER_FPS}
        self.render_mode = table.render_mode
        self.observation_space = table.seen_space()
        self.action_space = table.action_space()
        self.opponents = Opponents(opponents, table.num_players, table.batch.ruleset, table.game)
        self.seat = -1  # until the first reset
        self._seat = checked_seat(seat, table.num_players)
        self._whole = True  # no step was broken off

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """A new game, up to the learner's first decision. Options: "snapshot", and what the game takes for dealing."""
        super().reset(seed=seed)
        self.table.reset(seed, options)
        self._whole = False
        self._begin()
        while self.table.over:  # without any decision of the learner: nothing to learn
            if options and options.get("snapshot") is not None:
                message = f"player {self.seat} has nothing to decide any more in the game of the snapshot"
                raise ValueError(f"options: {message}")
            self.table.reset()
            self._begin()
        self._whole = True
        return self._observation(), self._info()

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """A decision of the learner. If an opponent fails in it, the environment has to be reset before it goes on."""
        check_whole(self._whole)
        chosen = self.table.checked_action(self._known_seat(), action)
        # What the table refuses, it refuses whole.
        self._whole = self.table.over or (self.table.illegal == "raise" and not self.table.legal[self.seat, chosen])
        self._move(chosen)
        self._play_on()
        self._whole = True
        return self._observation(), float(self.table.rewards[self.seat]), self.table.over, False, self._info()

    def action_masks(self) -> npt.NDArray[np.int8]:
        return self.table.legal[self._known_seat()].copy()

    def render(self) -> Any:
        return self.table.render()

    def to_svg(self) -> str:
        return self.table.to_svg()

    _repr_html_ = to_svg

    def snapshot(self) -> dict[str, Any]:
        return self.table.snapshot()

    def replay(self) -> "Replay":
        """The game so far, from where it was dealt."""
        return self.table.replay()

    def _known_seat(self) -> int:
        if self.seat < 0:
            raise RuntimeError("no game has been dealt: reset the environment first")
        return self.seat

    def _begin(self) -> None:
        """A game that has just been dealt, up to the learner's first decision."""
        self.seat = int(seats_of(self._seat, self.table.batch.seeds, self.table.num_players)[0])
        self._moves = 0
        self._play_on()

    def _play_on(self) -> None:
        while not self.table.over and self.seat not in self.table.to_act:
            self._move(None)

    def _move(self, action: int | None) -> None:
        """One step of the game, with the learner's action if it has to decide in it."""
        batch = self.table.batch
        actions = self.table.legal.argmax(1)  # anything legal, which is to pass for those who have nothing to decide
        seats = np.array([seat for seat in self.table.to_act if seat != self.seat], np.int64)
        # If the learner's choice ends the game, the others are not asked.
        if len(seats) and (action is None or self.table.legal[self.seat, action]):
            games = np.zeros(len(seats), np.int64)
            rng = Streams.of_decisions(batch.seeds[games], self._moves, seats)
            distances = (seats - self.seat) % self.table.num_players
            actions[seats] = self.opponents.act(batch, games, seats, distances, rng)
        if action is not None:
            actions[self.seat] = action
        self.table.step(actions.tolist())
        self._moves += 1

    def _observation(self) -> Observation:
        return self.table.observations[self.seat].copy()

    def _info(self) -> dict[str, Any]:
        info = {**self.table.info(self.seat), "seat": self.seat}
        return {**info, **self.table.result(self.seat)} if self.table.over else info


class LearnerVectorEnv(VectorEnv[Observation, npt.NDArray[np.int64], npt.NDArray[Any]]):
    """The same as `LearnerEnv`, for many games in one batch.

    A game that ends is dealt anew in the same step (`AutoresetMode.SAME_STEP`): the observation is the first of the new
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
        number = seed_number("seed", seed) if isinstance(seed, (int, np.integer)) else None
        super().reset(seed=number)
        seeds = seed if number is None else range(number, number + self.num_envs)
        self.match.reset(seeds, options)
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
        return self.match.legal.copy()

    def replay(self, index: int) -> "Replay":
        """A game so far, of those that are recorded."""
        return self.match.recorder.replay(index)

    def _infos(self) -> dict[str, Any]:
        everywhere = np.ones(self.num_envs, np.bool_)
        infos = {"action_mask": self.action_masks(), "seat": self.match.seats.copy()}
        return {**infos, **{f"_{name}": everywhere.copy() for name in infos}}
