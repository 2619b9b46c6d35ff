"""Deep Monte Carlo: learns the value of actions from the outcomes of whole games, in all seats that the policy plays.

The policy is the softmax of its own action values. Values are fitted to lambda-returns, which follow later values of
the same player (lambda 0: only the next; lambda 1: only the outcome). Each decision of each such seat is one example,
of the action taken: more examples than PPO gets from the same games, where one seat learns.

It takes the place of PPO's rollouts and updates, so that runs, checkpoints and agents are the same for both.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from torch.nn.functional import mse_loss
from torch.nn.utils import clip_grad_norm_

from strand_env.adapters.shaping import Shaping
from strand_env.agents import AnyAgent, Memory, ask, joint_actions
from strand_env.agents.choosing import NEVER, sample_rows, softmax_rows
from strand_env.agents.network import NetworkAgent
from strand_env.engine.game import Encoding, Game
from strand_env.engine.protocol import Batch, RewardKind
from strand_env.engine.randomness import Streams, spread_seeds
from strand_env.train.cast import Cast

SCALE_GAMES = 256  # whose rewards set the scale of values


class Setup(NamedTuple):
    """What is played, and what is learned from it."""

    game: Game
    settings: Sequence[tuple[int, str | None]]  # player counts and variants
    learner: NetworkAgent  # the current policy, whose logits are values divided by the temperature
    cast: Cast  # for all seats but one of each game; the learner may be in it
    reference: AnyAgent
    reward: RewardKind
    shaping: Shaping | None
    gamma: float
    gae_lambda: float
    temperature: float
    seed: int


class Decided(NamedTuple):
    """Decisions of one move, in different games or seats."""

    games: npt.NDArray[np.int64]
    seats: npt.NDArray[np.int64]
    inputs: npt.NDArray[np.float32]  # of the network: with features per action those of the action taken
    actions: npt.NDArray[np.int64]
    values: npt.NDArray[np.float32]  # of the positions, under the policy
    potentials: npt.NDArray[np.float32]


class Examples(NamedTuple):
    """(rows, inputs), (rows,) and (rows,): what the network is shown, the actions taken, and what they are worth."""

    inputs: npt.NDArray[np.float32]
    actions: npt.NDArray[np.int64]
    returns: npt.NDArray[np.float32]

    def select(self, rows: npt.NDArray[np.int64]) -> "Examples":
        return Examples(self.inputs[rows], self.actions[rows], self.returns[rows])


class DMC(MaskablePPO):
    """Plays `n_envs` whole games for each update and learns from `n_envs` × `n_steps` of their decisions."""

    def __init__(self, *arguments: Any, setup: Setup, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.setup = setup
        self.scale = scale_of(setup)
        self._examples: Examples | None = None

    @property
    def temperature(self) -> float:
        return self.setup.temperature

    def collect_rollouts(self, env: Any, callback: BaseCallback, *_: Any, **__: Any) -> bool:
        callback.on_rollout_start()
        wanted = self.n_envs * self.n_steps
        rollout, settings = self.num_timesteps // wanted, self.setup.settings
        parts = []
        for place, (players, variant) in enumerate(settings):
            share = self.n_envs // len(settings) + (place < self.n_envs % len(settings))
            seed = int(spread_seeds(self.setup.seed, np.array([rollout * len(settings) + place]))[0])
            batch = self.setup.game.batch(share, players, seed, variant=variant)
            parts.append(play(batch, self.setup, self.scale))
            if not callback.on_step():
                return False
        examples = Examples(*(np.concatenate(part) for part in zip(*parts, strict=True)))
        rng = np.random.default_rng((self.setup.seed, rollout))
        rows = rng.permutation(max(len(examples.actions), wanted))[:wanted] % len(examples.actions)
        self._examples = examples.select(rows)
        self.num_timesteps += wanted
        callback.on_rollout_end()
        return True

    def train(self) -> None:
        assert self._examples is not None
        self.policy.set_training_mode(True)
        optimizer = self.policy.optimizer
        self._update_learning_rate(optimizer)
        inputs, actions, returns = (torch.from_numpy(part) for part in self._examples)
        for parameter in self.policy.parameters():  # those of PPO's critic stay as they are
            parameter.grad = torch.zeros_like(parameter)
        losses = []
        for _ in range(self.n_epochs):
            for rows in torch.randperm(len(returns)).split(self.batch_size):
                loss = mse_loss(self._values(inputs[rows], actions[rows]), returns[rows])
                optimizer.zero_grad(set_to_none=False)
                loss.backward()
                clip_grad_norm_(self.policy.parameters(), self.max_grad_norm)
                optimizer.step()
                losses.append(loss.item())
        self._n_updates += self.n_epochs
        self.logger.record("train/value_loss", np.mean(losses))
        self.logger.record("train/explained_variance", 1 - np.mean(losses) / max(float(returns.var()), 1e-9))
        self.logger.record("train/n_updates", self._n_updates, exclude="tensorboard")

    def _values(self, inputs: torch.Tensor, actions: torch.Tensor) -> torch.Tensor:
        """(rows,): the values of actions, in the network's scale."""
        policy: Any = self.policy
        if self.setup.learner.encoding.per_action:
            return policy.mlp_extractor.policy_net(inputs).flatten()
        values = policy.action_net(policy.mlp_extractor.forward_actor(policy.extract_features(inputs)))
        return values.gather(1, actions[:, None]).flatten()


def scale_of(setup: Setup) -> float:
    """The standard deviation of the rewards when the reference plays against itself: the unit of values."""
    rewards = []
    for players, variant in setup.settings:
        batch = setup.game.batch(SCALE_GAMES, players, setup.seed, variant=variant)
        moves = 0
        while not batch.over.all():
            batch.step(joint_actions(setup.reference, batch, moves))
            moves += 1
        rewards.append(batch.rewards(setup.reward).flatten())
    return max(float(np.concatenate(rewards).std()), 1e-6)


def play(batch: Batch, setup: Setup, scale: float) -> Examples:
    """Plays all games of a batch to their end; returns what the learner decided and what came of it."""
    learner = setup.learner
    games, seats = np.indices((batch.num_games, batch.num_players)).reshape(2, -1)
    agents = setup.cast.agent_indices(batch, games, seats, seats).reshape(batch.num_games, -1)
    places = np.arange(batch.num_games)
    agents[places, places % batch.num_players] = -1  # a learner in each game
    for number, agent in enumerate(setup.cast.agents):
        if agent is learner:
            agents[agents == number] = -1
    decided: list[Decided] = []
    moves, memory = 0, Memory(batch.num_games, batch.num_players)
    while not batch.over.all():
        games, seats = np.nonzero(batch.to_act)
        rng, asked = Streams.of_decisions(batch.seeds[games], moves, seats), agents[games, seats]
        actions = np.full(agents.shape, batch.pass_action, np.int64)
        for number in np.unique(asked):
            rows = np.flatnonzero(asked == number)
            at = games[rows], seats[rows]
            if number >= 0:
                actions[at] = ask(setup.cast.agents[number], batch, *at, rng[rows], memory)
            else:
                decided.append(decide(batch, *at, rng[rows], setup, scale))
                actions[at] = decided[-1].actions
        batch.step(actions)
        moves += 1
    returns = np.concatenate(list(returns_of(decided, batch.rewards(setup.reward) / scale, setup)))
    order = decided[::-1]
    inputs, actions = (np.concatenate([getattr(each, name) for each in order]) for name in ("inputs", "actions"))
    return Examples(inputs, actions, returns)


def decide(
    batch: Batch,
    games: npt.NDArray[np.int64],
    seats: npt.NDArray[np.int64],
    rng: Streams,
    setup: Setup,
    scale: float,
) -> Decided:
    """Samples actions from the policy."""
    encoding = setup.learner.encoding
    observations, masks = batch.look_at_rows(games, seats)
    features = encoding.encode(observations)
    logits = np.where(masks == 1, setup.learner.network.logits(features), NEVER)
    chances, actions = logits.copy(), np.empty(len(games), np.int64)
    softmax_rows(1, len(games), chances, np.float32(1))  # in place
    sample_rows(1, len(games), chances, rng.random(), actions)
    values = setup.temperature * (chances * np.where(masks == 1, logits, 0)).sum(axis=1)
    potentials = np.zeros(len(games), np.float32)
    if setup.shaping is not None:
        potentials = setup.shaping.potentials(observations) / np.float32(scale)
    return Decided(games, seats, inputs_for(features, actions, encoding, masks.shape[1]), actions, values, potentials)


def inputs_for(
    features: npt.NDArray[np.float32], actions: npt.NDArray[np.int64], encoding: Encoding, num_actions: int
) -> npt.NDArray[np.float32]:
    """(rows, inputs): what the network is shown of these actions."""
    if not encoding.per_action:
        return features
    block = num_actions * encoding.per_action
    each = features[:, :block].reshape(len(features), num_actions, encoding.per_action)
    return np.concatenate([each[np.arange(len(actions)), actions], features[:, block:]], axis=1)


def returns_of(
    decided: Sequence[Decided], rewards: npt.NDArray[np.float32], setup: Setup
) -> Iterator[npt.NDArray[np.float32]]:
    """The lambda-return of each decision, of the last move first. With shaping, it leaves out the potential."""
    # By game and seat, of the decision that follows: the outcome, after the last one.
    returns, values = rewards.astype(np.float64), rewards.astype(np.float64)
    potentials, discounts = np.zeros_like(returns), np.ones_like(returns)
    for each in reversed(decided):
        at = each.games, each.seats
        mixed = setup.gae_lambda * returns[at] + (1 - setup.gae_lambda) * values[at]
        found = discounts[at] * (potentials[at] + mixed) - each.potentials
        returns[at], values[at], potentials[at], discounts[at] = found, each.values, each.potentials, setup.gamma
        yield found.astype(np.float32)
