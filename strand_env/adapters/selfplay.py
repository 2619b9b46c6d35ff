"""Self-play for MaskablePPO: every decision of every player is a row of one policy, and nobody is asked just to pass.

Players decide unequally often, so a row cannot stay with one of them: it shows another decision each time, that of the
player who has waited longest. Stable-Baselines3 takes for granted that a row's next observation follows from its last
action, which does not hold here. `DecisionBuffer` links the decisions of each player instead, and credits the reward of
a game to the last decision that its player made in it, however long ago:

    env = SelfPlayVecEnv(game, batch)
    model = MaskablePPO("MlpPolicy", env, **env.buffer_arguments)

A training loop of your own does the same: `env.shown` says whose decision each row is, and `env.collect()`, called
after each step, who is paid for it.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from sb3_contrib.common.maskable.buffers import MaskableRolloutBuffer

from strand_env.adapters.dealing import deal_all
from strand_env.adapters.recorder import Recorder
from strand_env.adapters.referee import IllegalHandling, Referee, checked_choices
from strand_env.adapters.sb3 import BatchVecEnv, Step, last_info
from strand_env.adapters.scaling import encoding_in
from strand_env.adapters.shaping import Shaping
from strand_env.engine.game import Game
from strand_env.engine.protocol import Batch, RewardKind

_BEYOND, _ENDED = -1, -2  # in place of where a player decides next


@dataclass(frozen=True)
class Payment:
    """What a step meant for the players, who are numbered across all games: game * players + seat."""

    acted: npt.NDArray[np.int64]  # (rows,): whose decisions were shown before it
    ended: npt.NDArray[np.bool_]  # (rows,): whether it ended their games
    rewards: npt.NDArray[np.float32]  # (rows,): what they got
    # The other players of games that it ended: they had made their last decision before.
    late: npt.NDArray[np.int64]
    late_rewards: npt.NDArray[np.float32]
    # Those who decide again, shown after it: what shaping pays them for their last decision; 0 for their first one.
    again: npt.NDArray[np.int64]
    again_rewards: npt.NDArray[np.float32]


class SelfPlayVecEnv(BatchVecEnv):
    """One row per game; each row is a pending decision, of any player in any game.

    There are always enough, since every unfinished game has a decision pending. The info of a row whose decision ended
    its game has the "terminal_observation" and how it ended for this player: "win" (the share of it), "score", "rank"
    and "episode". Winners make the last decision more often than others, so averages over these infos are slightly
    high. An illegal action ends the game, -1 for the offender and 0 for the others; with `illegal="raise"` it is an
    error, and nothing changes. Wrappers that sum or scale rewards (VecMonitor, VecNormalize) assume one player per row
    and are wrong here. Shaping pays a decision when its player is shown the next one, or when the game ends.
    """

    def __init__(
        self,
        game: Game,
        batch: Batch,
        reward: RewardKind = "win",
        illegal: IllegalHandling = "terminate",
        record: int = 0,
        encoding: str | None = None,
        shaping: Shaping | None = None,
    ) -> None:
        super().__init__(game, batch, Recorder(game, batch, record), encoding_in(game, batch, encoding))
        self.referee = Referee(reward, illegal)
        self.shaping = shaping
        self._potentials = np.zeros((batch.num_games, batch.num_players), np.float32)  # at each player's last decision
        self.shown: npt.NDArray[np.int64] = np.empty(0, np.int64)  # whose decisions the rows are; none until a reset
        self._payment: Payment | None = None
        self._all = np.arange(batch.num_games)
        self._masks = np.empty((0, batch.num_actions), np.int8)

    @property
    def buffer_arguments(self) -> dict[str, Any]:
        """Further arguments that MaskablePPO needs with this environment."""
        return {"rollout_buffer_class": DecisionBuffer, "rollout_buffer_kwargs": {"source": Source(self)}}

    def collect(self) -> Payment | None:
        """What the last step paid the players; None if already collected. Must be called before the next step."""
        payment, self._payment = self._payment, None
        return payment

    def reset(self) -> npt.NDArray[np.float32]:
        deal_all(self.batch, *self._reset_arguments())
        self.recorder.begin(self._all)
        self._payment = None
        self._potentials[:] = 0
        self._chosen = np.full((self.num_envs, self.batch.num_players), self.batch.pass_action)
        self._decisions = np.zeros_like(self._chosen)
        self._missing = np.zeros(self.num_envs, np.int64)  # decisions until a game goes on
        self._waiting = np.empty(0, np.int64)
        self._ask(self._all)
        observations, _ = self._show()
        return observations

    def step_async(self, actions: np.ndarray) -> None:
        if self._payment is not None:
            raise RuntimeError(
                "the last step's rewards were not collected: create the model with MaskablePPO(policy, env, "
                "**env.buffer_arguments) and evaluate it in another environment, or call env.collect() after each step"
            )
        super().step_async(actions)

    def step_wait(self) -> Step:
        if not len(self.shown):
            raise RuntimeError("no game has been dealt: reset the environment first")
        acted = self.shown
        games, seats = np.divmod(acted, self.batch.num_players)
        chosen = checked_choices(self._actions, self._masks)
        offended = self.referee.offended(self.batch, games, seats, chosen, self._masks)
        broken = np.zeros(self.num_envs, np.bool_)
        broken[games[offended]] = True
        self._choose(games, seats, chosen)
        over = self._play(broken) | broken
        rewards = np.zeros(self._chosen.shape, np.float32)
        ended = np.flatnonzero(over)
        rewards[ended] = self.referee.rewards(self.batch, ended, games[offended], seats[offended])
        infos = self._infos(games, seats, np.flatnonzero(over[games]), rewards)
        if self.shaping is not None:
            rewards[ended] += self.shaping.rewards(self._potentials[ended], np.zeros_like(rewards[ended]))
        others = np.repeat(over, self.batch.num_players)
        others[acted] = False
        late = np.flatnonzero(others)
        paid = acted, over[games], rewards[games, seats], late, rewards.reshape(-1)[late]
        for row in np.flatnonzero(offended).tolist():
            infos[row]["illegal_action"] = int(chosen[row])

        self._deal_again(ended, over)
        # In the order in which they were shown: ordered by number, some games would advance faster than others.
        first = np.empty(self.num_envs, np.int64)  # row of each game
        first[games[::-1]] = self._all[::-1]
        in_turn = games[first[games] == self._all]
        self._ask(in_turn[(self._missing[in_turn] == 0) | over[in_turn]])
        observations, again_rewards = self._show()
        self._payment = payment = Payment(*paid, self.shown, again_rewards)
        return observations, payment.rewards.copy(), payment.ended.copy(), infos

    def _choose(
        self, games: npt.NDArray[np.int64], seats: npt.NDArray[np.int64], chosen: npt.NDArray[np.int64]
    ) -> None:
        """Notes decisions; a game is stepped once all of its are made."""
        self._decisions[games, seats] += 1
        self._chosen[games, seats] = chosen
        self._missing -= np.bincount(games, minlength=self.num_envs)

    def _play(self, broken: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
        """Steps the games in which everyone has decided; returns which games are over."""
        going = np.flatnonzero((self._missing == 0) & ~broken)
        actions = self._chosen[going]
        self.batch.step(actions, going)
        self.recorder.add(going, actions)
        return self.batch.over

    def _deal_again(self, ended: npt.NDArray[np.int64], over: npt.NDArray[np.bool_]) -> None:
        self._waiting = self._waiting[~over[self._waiting // self.batch.num_players]]
        self._decisions[ended] = 0
        self._potentials[ended] = 0
        self.batch.reset(ended)
        self.recorder.begin(ended)

    def action_masks(self) -> npt.NDArray[np.int8]:
        return self._masks.copy()

    def _ask(self, games: npt.NDArray[np.int64]) -> None:
        """Queues the pending decisions of these games."""
        to_act = self.batch.to_act[games]
        self._chosen[games] = self.batch.pass_action
        self._missing[games] = to_act.sum(1)
        places, seats = np.nonzero(to_act)
        self._waiting = np.concatenate([self._waiting, games[places] * self.batch.num_players + seats])

    def _show(self) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """The decisions that have waited longest, and what shaping pays their players for the ones before."""
        self.shown, self._waiting = self._waiting[: self.num_envs], self._waiting[self.num_envs :]
        games, seats = np.divmod(self.shown, self.batch.num_players)
        observations, self._masks = self.batch.look_at_rows(games, seats)
        earned = np.zeros(len(games), np.float32)
        if self.shaping is not None:
            potentials = self.shaping.potentials(observations)
            before = self.shaping.rewards(self._potentials[games, seats], potentials)
            earned = np.where(self._decisions[games, seats] > 0, before, earned)
            self._potentials[games, seats] = potentials
        return self.encoding.encode(observations), earned

    def _infos(
        self,
        games: npt.NDArray[np.int64],
        seats: npt.NDArray[np.int64],
        ended: npt.NDArray[np.int64],
        rewards: npt.NDArray[np.float32],
    ) -> list[dict[str, Any]]:
        """For the rows whose games have ended, how they ended for the players who decided there."""
        infos: list[dict[str, Any]] = [{} for _ in games]
        games, seats = games[ended], seats[ended]
        results = self.batch.results(games, seats)
        observations, _ = self.batch.look_at_rows(games, seats)
        lengths, seconds = self._decisions[games, seats], self._seconds()
        for place, observation in enumerate(self.encoding.encode(observations)):
            row, game = ended[place], int(games[place])
            more = {name: values[place].item() for name, values in results.items()}
            if game < len(self.recorder):
                more["replay"] = self.recorder.replay(game)
            infos[row] = last_info(observation, float(rewards[game, seats[place]]), int(lengths[place]), seconds, more)
        return infos


class Source:
    """The environment of a learner, as its buffer knows it. A learner that is saved leaves the environment behind."""

    def __init__(self, env: SelfPlayVecEnv | None = None) -> None:
        self.env = env

    def __reduce__(self) -> tuple[type["Source"], tuple[()]]:
        return Source, ()


class DecisionBuffer(MaskableRolloutBuffer):
    """A rollout of decisions whose successors lie anywhere in it, not in the same row.

    Advantages (GAE) follow the decisions of each player. If the next one lies beyond the rollout, the policy's value of
    it is used where it is already shown; otherwise its TD error is taken as 0. When a game ends after the rollout that
    holds a player's last decision, that player's reward is credited to no decision.
    """

    def __init__(self, *arguments: Any, source: Source, **named: Any) -> None:
        self._env = source.env
        super().__init__(*arguments, **named)

    def reset(self) -> None:
        super().reset()
        size = self.buffer_size * self.n_envs
        self._next = np.full(size, _BEYOND)  # where the same player decides next, or how that is not known
        if self._env is not None:
            batch = self._env.batch
            self._last = np.full(batch.num_games * batch.num_players, _BEYOND)  # where each player decided last
            self._env.collect()  # what a callback may have left when it stopped the learner

    def add(self, *arguments: Any, **named: Any) -> None:
        payment = None if self._env is None else self._env.collect()
        if payment is None:
            raise RuntimeError(
                "the rows are not those of the learner's environment: create the model with MaskablePPO(policy, env, "
                "**env.buffer_arguments), and load it with MaskablePPO.load(path, env, **env.buffer_arguments), since "
                "the buffer arguments are not saved"
            )
        row = self.pos
        super().add(*arguments, **named)
        if not np.array_equal(self.rewards[row], payment.rewards):
            raise RuntimeError(
                "the rewards were changed on their way to the learner (as VecNormalize does), but late rewards are "
                "not: leave them unchanged"
            )
        places = row * self.n_envs + np.arange(self.n_envs)
        before = self._last[payment.acted]
        linked = before >= 0
        self._next[before[linked]] = places[linked]
        self._next[places[payment.ended]] = _ENDED
        self._last[payment.acted] = np.where(payment.ended, _BEYOND, places)

        before = self._last[payment.late]
        linked = before >= 0
        self._next[before[linked]] = _ENDED
        self.rewards.reshape(-1)[before[linked]] += payment.late_rewards[linked]
        self._last[payment.late] = _BEYOND

        before = self._last[payment.again]
        linked = before >= 0
        self.rewards.reshape(-1)[before[linked]] += payment.again_rewards[linked]

    def compute_returns_and_advantage(self, last_values: torch.Tensor, dones: np.ndarray) -> None:
        values, rewards = self.values.reshape(-1), self.rewards.reshape(-1)
        advantages = np.zeros_like(values)
        # The value of what follows beyond the rollout, where it is shown already.
        beyond, shown = np.zeros_like(values), np.zeros(len(values), np.bool_)
        assert self._env is not None  # or nothing could have been added
        last = self._last[self._env.shown]
        beyond[last[last >= 0]] = last_values.cpu().numpy().reshape(-1)[last >= 0]
        shown[last[last >= 0]] = True
        for step in reversed(range(self.buffer_size)):
            here = slice(step * self.n_envs, (step + 1) * self.n_envs)
            after = self._next[here]
            linked, ended = after >= 0, after == _ENDED
            next_values = np.where(linked, values[after], np.where(ended, 0.0, beyond[here]))
            delta = rewards[here] + self.gamma * next_values - values[here]
            carried = np.where(linked, advantages[after], 0.0)
            known = linked | ended | shown[here]
            advantages[here] = np.where(known, delta, 0.0) + self.gamma * self.gae_lambda * carried
        self.advantages = advantages.reshape(self.values.shape)
        self.returns = self.advantages + self.values
