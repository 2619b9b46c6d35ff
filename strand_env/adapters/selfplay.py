"""Self-play for MaskablePPO: every decision of every player is a row of one policy, and nobody is asked just to pass.

Players decide unequally often, so a row cannot stay with one of them: it shows another decision each time, of whoever
has waited longest. What Stable-Baselines3 usually takes for granted, that a row's next observation follows from its
last action, does not hold here. `DecisionBuffer` links the decisions of each player instead, and credits the reward of
a game to the last decision that its player made in it, however long ago:

    env = SelfPlayVecEnv(game, batch)
    model = MaskablePPO("MlpPolicy", env, **env.buffer_arguments)
"""

import time
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from sb3_contrib.common.maskable.buffers import MaskableRolloutBuffer

from strand_env.adapters.match import checked_choices, deal_all
from strand_env.adapters.recorder import Recorder
from strand_env.adapters.sb3 import BatchVecEnv, Step
from strand_env.adapters.scaling import scaled
from strand_env.adapters.table import ILLEGAL_REWARD
from strand_env.game import Batch, Game, RewardKind
from strand_env.outcome import results_of


class Rows:
    """Whose decisions the rows are: what an environment tells the buffer beside what goes through the algorithm.

    Players are numbered through all games. Pickled with a learner, it is left empty: the environment stays behind.
    """

    def __init__(self, num_players: int = 0) -> None:
        self.num_players = num_players  # in all games
        self.followed = False  # whether somebody looks after who is who
        self.shown: npt.NDArray[np.int64] = np.empty(0, np.int64)  # whose decisions are shown now
        self.acted: npt.NDArray[np.int64] = np.empty(0, np.int64)  # whose were shown before the last step
        self.ended: npt.NDArray[np.bool_] = np.empty(0, np.bool_)  # which of these rows' games the last step ended
        # Players whose games the last step ended, but who had made their last decision before it.
        self.late: npt.NDArray[np.int64] = np.empty(0, np.int64)
        self.late_rewards: npt.NDArray[np.float32] = np.empty(0, np.float32)

    def __reduce__(self) -> tuple[type["Rows"], tuple[()]]:
        return Rows, ()


class SelfPlayVecEnv(BatchVecEnv):
    """As many rows as games, each a decision of any player of any game that is waiting for it.

    There are always enough: no game goes on before all its players who have to have decided, so each has one waiting.
    The info of a row whose decision ended its game has the "terminal_observation" and how it ended for this player:
    "win" (the share of it), "score", "rank" and "episode". An illegal action ends the game for -1, for 0 to the others.
    Winners decide last more often than others, so that averages of these infos lie a little high.
    """

    def __init__(self, game: Game, batch: Batch, reward: RewardKind = "win", record: int = 0) -> None:
        batch.rewards(reward)  # refuses an unknown kind at once
        maximum = batch.observation_maximum.astype(np.float32)
        super().__init__(batch.num_games, len(maximum), batch.num_actions)
        self.game = game
        self.batch = batch
        self.reward = reward
        self.recorder = Recorder(game, batch, record)
        self.rows = Rows(batch.num_games * batch.num_players)
        self._maximum = maximum
        self._all = np.arange(batch.num_games)
        self._started = time.time()

    @property
    def buffer_arguments(self) -> dict[str, Any]:
        """What MaskablePPO has to be given besides this environment."""
        return {"rollout_buffer_class": DecisionBuffer, "rollout_buffer_kwargs": {"rows": self.rows}}

    def reset(self) -> npt.NDArray[np.float32]:
        options = self._options[0]
        deal_all(self.batch, self._taken_seeds(), options)
        self.recorder.begin(self._all)
        self._decisions = np.zeros(self.rows.num_players, np.int64)
        self._chosen = np.full((self.num_envs, self.batch.num_players), self.batch.pass_action)
        self._missing = np.zeros(self.num_envs, np.int64)  # decisions until a game goes on
        self._waiting = np.empty(0, np.int64)
        self._ask(self._all)
        return self._show()

    def step_async(self, actions: np.ndarray) -> None:
        if not self.rows.followed:
            raise RuntimeError(
                "rows change hands here, which only DecisionBuffer follows: make the learner by "
                "MaskablePPO(policy, env, **env.buffer_arguments); a training loop of your own looks at env.rows, and "
                "says so by env.rows.followed = True"
            )
        super().step_async(actions)

    def step_wait(self) -> Step:
        rows, batch = self.rows, self.batch
        acted = rows.shown
        games, seats = np.divmod(acted, batch.num_players)
        chosen = checked_choices(self._actions, self._masks)
        offended = self._masks[self._all, chosen] == 0
        self._decisions[acted] += 1
        self._chosen[games, seats] = chosen
        self._missing -= np.bincount(games, minlength=self.num_envs)
        broken = np.zeros(self.num_envs, np.bool_)
        broken[games[offended]] = True
        going = np.flatnonzero((self._missing == 0) & ~broken)
        batch.step(self._chosen[going], going)
        self.recorder.add(going, self._chosen[going])
        over = batch.over | broken

        rewards = np.zeros((self.num_envs, batch.num_players), np.float32)
        ended = np.flatnonzero(over)
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        row_ended = over[games]
        rows.acted, rows.ended = acted, row_ended
        if len(ended):
            rewards[ended] = batch.rewards(self.reward, ended)
            rewards[broken] = 0.0
            rewards[games[offended], seats[offended]] = ILLEGAL_REWARD
            self._tell_ends(np.flatnonzero(row_ended), games, seats, rewards, infos)
            for row in np.flatnonzero(offended):
                infos[row]["illegal_action"] = int(chosen[row])
        late = np.repeat(over, batch.num_players)
        late[acted] = False
        rows.late = np.flatnonzero(late)
        rows.late_rewards = rewards.reshape(-1)[rows.late]

        if len(ended):
            self._waiting = self._waiting[~over[self._waiting // batch.num_players]]
            self._decisions.reshape(self.num_envs, -1)[ended] = 0
            batch.reset(ended)
            self.recorder.begin(ended)
        # In the order in which they had their turn: always by number, some games would get on faster than others.
        in_turn = games[np.sort(np.unique(games, return_index=True)[1])]
        changed = in_turn[(self._missing == 0)[in_turn] | over[in_turn]]
        self._chosen[changed] = batch.pass_action
        self._ask(changed)
        return self._show(), rewards[games, seats], row_ended, infos

    def action_masks(self) -> npt.NDArray[np.int8]:
        return self._masks.copy()

    def _ask(self, games: npt.NDArray[np.int64]) -> None:
        """Whoever has to decide in these games waits for it."""
        to_act = self.batch.to_act[games]
        self._missing[games] = to_act.sum(1)
        places, seats = np.nonzero(to_act)
        self._waiting = np.concatenate([self._waiting, games[places] * self.batch.num_players + seats])

    def _show(self) -> npt.NDArray[np.float32]:
        """The decisions that have waited longest."""
        self.rows.shown, self._waiting = self._waiting[: self.num_envs], self._waiting[self.num_envs :]
        games, seats = np.divmod(self.rows.shown, self.batch.num_players)
        observations, self._masks = self.batch.look_at_rows(games, seats)
        return scaled(observations, self._maximum)

    def _tell_ends(
        self,
        rows: npt.NDArray[np.int64],
        games: npt.NDArray[np.int64],
        seats: npt.NDArray[np.int64],
        rewards: npt.NDArray[np.float32],
        infos: list[dict[str, Any]],
    ) -> None:
        """Into the infos of these rows, how the games have ended for those whose decisions they were."""
        games, seats = games[rows], seats[rows]
        results = results_of(self.batch.scores[games], self.batch.winners[games], seats)
        observations, _ = self.batch.look_at_rows(games, seats)
        lengths = self._decisions[games * self.batch.num_players + seats]
        elapsed = round(time.time() - self._started, 6)
        for place, observation in enumerate(scaled(observations, self._maximum)):
            reward, length = float(rewards[games[place], seats[place]]), int(lengths[place])
            infos[rows[place]] = {
                "terminal_observation": observation,
                "TimeLimit.truncated": False,
                "episode": {"r": reward, "l": length, "t": elapsed},
                **{name: values[place].item() for name, values in results.items()},
            }
            if games[place] < len(self.recorder):
                infos[rows[place]]["replay"] = self.recorder.replay(int(games[place]))


class DecisionBuffer(MaskableRolloutBuffer):
    """A rollout of decisions whose successors lie anywhere in it, not in the same row.

    Advantages (GAE) go along the decisions of each player. Where the next one is beyond the rollout, the value that the
    policy gives it stands in if it is shown already; otherwise the decision counts as come out as expected (advantage
    0). A game that ends after the rollout with the last decision of a player inside it is credited to none.
    """

    def __init__(self, *arguments: Any, rows: Rows, **named: Any) -> None:
        self._rows = rows
        rows.followed = True
        super().__init__(*arguments, **named)

    def reset(self) -> None:
        super().reset()
        size = self.buffer_size * self.n_envs
        self._next = np.full(size, _BEYOND)  # where the same player decides next, or how that is not known
        self._last = np.full(self._rows.num_players, _BEYOND)  # of each player, where it decided last

    def add(self, *arguments: Any, **named: Any) -> None:
        rows = self._rows
        if len(rows.acted) != self.n_envs:
            raise RuntimeError(
                "the rows are not those of the learner's environment, which are not saved with it: load it by "
                "MaskablePPO.load(path, env, **env.buffer_arguments)"
            )
        places = self.pos * self.n_envs + np.arange(self.n_envs)
        super().add(*arguments, **named)
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
        # The value of what follows beyond the rollout: known where it is shown already.
        beyond = np.full(len(values), np.nan, np.float32)
        last = self._last[self._rows.shown]
        beyond[last[last >= 0]] = last_values.cpu().numpy().reshape(-1)[last >= 0]
        for step in reversed(range(self.buffer_size)):
            here = slice(step * self.n_envs, (step + 1) * self.n_envs)
            after = self._next[here]
            linked, ended = after >= 0, after == _ENDED
            next_values = np.where(linked, values[after], np.where(ended, 0.0, beyond[here]))
            delta = rewards[here] + self.gamma * next_values - values[here]
            carried = np.where(linked, advantages[after], 0.0)
            advantages[here] = np.nan_to_num(delta) + self.gamma * self.gae_lambda * carried
        self.advantages = advantages.reshape(self.values.shape)
        self.returns = self.advantages + self.values


_BEYOND, _ENDED = -1, -2
