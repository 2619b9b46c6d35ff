"""Self-play for MaskablePPO: every decision of every player is a row of one policy, and nobody is asked just to pass.

Players decide unequally often, so a row cannot stay with one of them: it shows another decision each time, of whoever
has waited longest. What Stable-Baselines3 usually takes for granted, that a row's next observation follows from its
last action, does not hold here. `DecisionBuffer` links the decisions of each player instead, and credits the reward of
a game to the last decision that its player made in it, however long ago:

    env = SelfPlayVecEnv(game, batch)
    model = MaskablePPO("MlpPolicy", env, **env.buffer_arguments)
"""

import copy
from typing import Any, get_args

import numpy as np
import numpy.typing as npt
import torch
from sb3_contrib.common.maskable.buffers import MaskableRolloutBuffer

from strand_env.adapters.match import checked_choices, deal_all, illegal_action
from strand_env.adapters.recorder import Recorder
from strand_env.adapters.sb3 import BatchVecEnv, Step, last_info
from strand_env.adapters.scaling import scaled
from strand_env.adapters.table import ILLEGAL_REWARD, IllegalHandling
from strand_env.engine.checks import one_of
from strand_env.engine.game import Game
from strand_env.engine.protocol import REWARD_KINDS, Batch, RewardKind

_BEYOND, _ENDED = -1, -2  # in place of where a player decides next


class Rows:
    """Whose decisions the rows are: what an environment tells the buffer beside what goes through the algorithm.

    Players are numbered through all games. Pickled with a learner, it is left empty: the environment stays behind.
    """

    def __init__(self, num_players: int = 0) -> None:
        self.num_players = num_players  # in all games
        self.followed = False  # by a loop of one's own, which looks after who is who
        self.linked = False  # by a buffer
        self.steps = self.collected = 0  # of the environment, and the last one that a buffer has taken
        self.shown: npt.NDArray[np.int64] = np.empty(0, np.int64)  # whose decisions are shown now
        self.acted: npt.NDArray[np.int64] = np.empty(0, np.int64)  # whose were shown before the last step
        self.ended: npt.NDArray[np.bool_] = np.empty(0, np.bool_)  # which of these rows' games the last step ended
        self.rewards: npt.NDArray[np.float32] = np.empty(0, np.float32)  # what these rows got for it
        # Players whose games the last step ended, but who had made their last decision before it.
        self.late: npt.NDArray[np.int64] = np.empty(0, np.int64)
        self.late_rewards: npt.NDArray[np.float32] = np.empty(0, np.float32)

    def __reduce__(self) -> tuple[type["Rows"], tuple[()]]:
        return Rows, ()

    def __deepcopy__(self, memo: dict[int, Any]) -> "Rows":
        """Whole, other than a pickle: a copied environment goes on."""
        copied = Rows(self.num_players)
        copied.__dict__.update(copy.deepcopy(self.__dict__, memo))
        return copied


class SelfPlayVecEnv(BatchVecEnv):
    """As many rows as games, each a decision of any player of any game that is waiting for it.

    There are always enough: no game goes on before all its players who have to have decided, so each has one waiting.
    The info of a row whose decision ended its game has the "terminal_observation" and how it ended for this player:
    "win" (the share of it), "score", "rank" and "episode". Winners decide last more often than others, so that averages
    of these infos lie a little high. An illegal action ends the game for -1, for 0 to the others, or with
    `illegal="raise"` it is an error, and nothing changes. Wrappers that add up or scale rewards (VecMonitor,
    VecNormalize) take a row for one player, and are wrong here.
    """

    def __init__(
        self,
        game: Game,
        batch: Batch,
        reward: RewardKind = "win",
        illegal: IllegalHandling = "terminate",
        record: int = 0,
    ) -> None:
        one_of("reward", reward, REWARD_KINDS)
        one_of("illegal", illegal, get_args(IllegalHandling))
        maximum = batch.observation_maximum.astype(np.float32)
        super().__init__(game, batch, Recorder(game, batch, record), maximum)
        self.reward = reward
        self.illegal = illegal
        self.rows = Rows(batch.num_games * batch.num_players)
        self._maximum = maximum
        self._all = np.arange(batch.num_games)
        self._masks = np.empty((0, batch.num_actions), np.int8)  # none before the first reset

    @property
    def buffer_arguments(self) -> dict[str, Any]:
        """What MaskablePPO has to be given besides this environment."""
        return {"rollout_buffer_class": DecisionBuffer, "rollout_buffer_kwargs": {"rows": self.rows}}

    def reset(self) -> npt.NDArray[np.float32]:
        deal_all(self.batch, *self._reset_arguments())
        self.recorder.begin(self._all)
        self.rows.collected = self.rows.steps
        self._chosen = np.full((self.num_envs, self.batch.num_players), self.batch.pass_action)
        self._decisions = np.zeros_like(self._chosen)
        self._missing = np.zeros(self.num_envs, np.int64)  # decisions until a game goes on
        self._waiting = np.empty(0, np.int64)
        self._ask(self._all)
        return self._show()

    def step_async(self, actions: np.ndarray) -> None:
        rows = self.rows
        if not rows.followed and not (rows.linked and rows.collected == rows.steps):
            raise RuntimeError(
                "rows change hands here, which only DecisionBuffer follows: make the learner by "
                "MaskablePPO(policy, env, **env.buffer_arguments), and evaluate with another environment; a loop of "
                "your own, which looks at env.rows, says so by env.rows.followed = True"
            )
        super().step_async(actions)

    def step_wait(self) -> Step:
        rows = self.rows
        if not len(rows.shown):
            raise RuntimeError("no game has been dealt: reset the environment first")
        games, seats = np.divmod(rows.shown, self.batch.num_players)
        chosen = checked_choices(self._actions, self._masks)
        offended = self._masks[self._all, chosen] == 0
        if self.illegal == "raise" and offended.any():
            row = int(offended.argmax())
            raise illegal_action(games[row], seats[row], chosen[row], self._masks[row])
        broken = np.zeros(self.num_envs, np.bool_)
        broken[games[offended]] = True
        self._choose(games, seats, chosen)
        over = self._play(broken) | broken
        rewards = self._rewards(over & ~broken)
        rewards[games[offended], seats[offended]] = ILLEGAL_REWARD

        rows.steps += 1
        rows.acted, rows.ended, rows.rewards = rows.shown, over[games], rewards[games, seats]
        late = np.repeat(over, self.batch.num_players)
        late[rows.acted] = False
        rows.late = np.flatnonzero(late)
        rows.late_rewards = rewards.reshape(-1)[rows.late]
        infos = self._infos(games, seats)
        for row in np.flatnonzero(offended).tolist():
            infos[row]["illegal_action"] = int(chosen[row])

        self._deal_anew(over)
        # In the order in which they had their turn: always by number, some games would get on faster than others.
        in_turn = games[np.sort(np.unique(games, return_index=True)[1])]
        self._ask(in_turn[(self._missing[in_turn] == 0) | over[in_turn]])
        return self._show(), rows.rewards.copy(), rows.ended, infos

    def _choose(
        self, games: npt.NDArray[np.int64], seats: npt.NDArray[np.int64], chosen: npt.NDArray[np.int64]
    ) -> None:
        """Decisions that are made, but not played before all of their game are."""
        self._decisions[games, seats] += 1
        self._chosen[games, seats] = chosen
        self._missing -= np.bincount(games, minlength=self.num_envs)

    def _play(self, broken: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
        """Steps the games in which all have decided; which are over."""
        going = np.flatnonzero((self._missing == 0) & ~broken)
        actions = self._chosen[going]
        self.batch.step(actions, going)
        self.recorder.add(going, actions)
        return self.batch.over

    def _rewards(self, over: npt.NDArray[np.bool_]) -> npt.NDArray[np.float32]:
        """(games, players): of those that are over."""
        rewards = np.zeros(self._chosen.shape, np.float32)
        ended = np.flatnonzero(over)
        rewards[ended] = self.batch.rewards(self.reward, ended)
        return rewards

    def _deal_anew(self, over: npt.NDArray[np.bool_]) -> None:
        ended = np.flatnonzero(over)
        self._waiting = self._waiting[~over[self._waiting // self.batch.num_players]]
        self._decisions[ended] = 0
        self.batch.reset(ended)
        self.recorder.begin(ended)

    def action_masks(self) -> npt.NDArray[np.int8]:
        return self._masks.copy()

    def _ask(self, games: npt.NDArray[np.int64]) -> None:
        """Whoever has to decide in these games waits for it."""
        to_act = self.batch.to_act[games]
        self._chosen[games] = self.batch.pass_action
        self._missing[games] = to_act.sum(1)
        places, seats = np.nonzero(to_act)
        self._waiting = np.concatenate([self._waiting, games[places] * self.batch.num_players + seats])

    def _show(self) -> npt.NDArray[np.float32]:
        """The decisions that have waited longest."""
        self.rows.shown, self._waiting = self._waiting[: self.num_envs], self._waiting[self.num_envs :]
        games, seats = np.divmod(self.rows.shown, self.batch.num_players)
        observations, self._masks = self.batch.look_at_rows(games, seats)
        return scaled(observations, self._maximum)

    def _infos(self, games: npt.NDArray[np.int64], seats: npt.NDArray[np.int64]) -> list[dict[str, Any]]:
        """For rows whose games have ended, how they did for those whose decisions they were."""
        infos: list[dict[str, Any]] = [{} for _ in games]
        ended = np.flatnonzero(self.rows.ended)
        games, seats = games[ended], seats[ended]
        results = self.batch.results(games, seats)
        observations, _ = self.batch.look_at_rows(games, seats)
        lengths, seconds = self._decisions[games, seats], self._seconds()
        for place, observation in enumerate(scaled(observations, self._maximum)):
            row, game = ended[place], int(games[place])
            more = {name: values[place].item() for name, values in results.items()}
            if game < len(self.recorder):
                more["replay"] = self.recorder.replay(game)
            infos[row] = last_info(observation, float(self.rows.rewards[row]), int(lengths[place]), seconds, more)
        return infos


class DecisionBuffer(MaskableRolloutBuffer):
    """A rollout of decisions whose successors lie anywhere in it, not in the same row.

    Advantages (GAE) go along the decisions of each player. Where the next one is beyond the rollout, the value that the
    policy gives it stands in if it is shown already; otherwise the decision counts as come out as expected (advantage
    0). A game that ends after the rollout with the last decision of a player inside it is credited to none.
    """

    def __init__(self, *arguments: Any, rows: Rows, **named: Any) -> None:
        self._rows = rows
        rows.linked = True
        super().__init__(*arguments, **named)

    def reset(self) -> None:
        super().reset()
        size = self.buffer_size * self.n_envs
        self._next = np.full(size, _BEYOND)  # where the same player decides next, or how that is not known
        self._last = np.full(self._rows.num_players, _BEYOND)  # of each player, where it decided last
        self._rows.collected = self._rows.steps  # a step that was broken off by a callback is not missed

    def add(self, *arguments: Any, **named: Any) -> None:
        rows = self._rows
        if len(rows.acted) != self.n_envs or rows.steps != rows.collected + 1:
            raise RuntimeError(
                "the rows are not those of the learner's environment: make the learner by MaskablePPO(policy, env, "
                "**env.buffer_arguments), and load it by MaskablePPO.load(path, env, **env.buffer_arguments), as they "
                "are not saved with it"
            )
        rows.collected = rows.steps
        places = self.pos * self.n_envs + np.arange(self.n_envs)
        super().add(*arguments, **named)
        if not np.array_equal(self.rewards[places[0] // self.n_envs], rows.rewards):
            raise RuntimeError(
                "the rewards were changed on their way to the learner (as VecNormalize does), but those that come late "
                "are not: leave them as they are"
            )
        before = self._last[rows.acted]
        linked = before >= 0
        self._next[before[linked]] = places[linked]
        self._next[places[rows.ended]] = _ENDED
        self._last[rows.acted] = np.where(rows.ended, _BEYOND, places)

        before = self._last[rows.late]
        linked = before >= 0
        self._next[before[linked]] = _ENDED
        self.rewards.reshape(-1)[before[linked]] += rows.late_rewards[linked]
        self._last[rows.late] = _BEYOND

    def compute_returns_and_advantage(self, last_values: torch.Tensor, dones: np.ndarray) -> None:
        values, rewards = self.values.reshape(-1), self.rewards.reshape(-1)
        advantages = np.zeros_like(values)
        # The value of what follows beyond the rollout, where it is shown already.
        beyond, shown = np.zeros_like(values), np.zeros(len(values), np.bool_)
        last = self._last[self._rows.shown]
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
