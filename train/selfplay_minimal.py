"""Self-play PPO in plain PyTorch, in one file to copy and change.

    python -m strand_env.train.selfplay_minimal --minutes 1 --game strand_unter

One policy plays all seats of all games; the returns are the games' outcomes. It drives the engine directly:
`games.turn()` holds everybody's observations and masks, `games.advance(actions, turn)` steps the games, resets finished
ones and refreshes both. Networks are shown what the environments show by default. For long runs with checkpoints and a
mix of opponents there is `strand train`.
"""

import argparse
import time
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from strand_env.agents.encoding import shown_in_environments
from strand_env.arena import versus
from strand_env.engine.game import Encoding
from strand_env.engine.randomness import Streams
from strand_env.engine.rewards import rewards_of
from strand_env.registry import DEFAULT, game_of


@dataclass
class Args:
    """The options of the command line, by CleanRL's names where it has one."""

    game: str = DEFAULT
    minutes: float = 1.0
    seed: int = 0
    players: int = 0  # 0: the game's usual number
    num_envs: int = 64  # games played at once
    num_steps: int = 128  # of each game per rollout
    hidden: int = 128
    update_epochs: int = 3
    minibatch_size: int = 512
    learning_rate: float = 2e-3  # decays linearly to a tenth
    clip_coef: float = 0.2
    ent_coef: float = 0.01
    max_grad_norm: float = 0.5
    deals: int = 200  # per evaluation, each played in every seat
    evaluations: int = 4
    threads: int = 1


class Agent(nn.Module):
    """Actor and critic with a shared body."""

    def __init__(self, features: int, hidden: int, actions: int) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(features, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU())
        self.actor = nn.Linear(hidden, actions)
        self.critic = nn.Linear(hidden, 1)
        nn.init.zeros_(self.actor.weight)  # a uniform policy to start with
        nn.init.zeros_(self.actor.bias)

    def forward(self, obs: torch.Tensor, masks: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Log-probabilities (rows, actions) and values (rows,) of encoded observations (rows, features)."""
        hidden = self.body(obs)
        logits = self.actor(hidden).masked_fill(masks == 0, -1e9)
        return F.log_softmax(logits, dim=1), self.critic(hidden)[:, 0]


class ArenaAgent:
    """The policy as the arena plays it."""

    def __init__(self, agent: Agent, encoding: Encoding) -> None:
        self.agent, self.encoding = agent, encoding

    def reset(self) -> None:
        pass

    @torch.no_grad()
    def act(self, observation: np.ndarray, mask: np.ndarray, rng: Streams) -> np.ndarray:
        logprobs, _ = self.agent(torch.from_numpy(self.encoding.encode(observation)), torch.from_numpy(mask))
        return sample(logprobs, torch.from_numpy(rng.random())).numpy()


def sample(logprobs: torch.Tensor, uniform: torch.Tensor) -> torch.Tensor:
    """(rows,): one action per row, given its log-probabilities and a uniform number from 0 to 1."""
    cumulative = logprobs.exp().double().cumsum(dim=1)
    return (cumulative < (uniform * cumulative[:, -1])[:, None]).sum(dim=1)


@dataclass
class Rollout:
    """One row per decision of a player who had a choice."""

    obs: torch.Tensor
    masks: torch.Tensor
    actions: torch.Tensor
    logprobs: torch.Tensor  # of the actions, under the policy that chose them
    values: torch.Tensor
    returns: torch.Tensor

    def __len__(self) -> int:
        return len(self.actions)


class Collector:
    """Collects rollouts; games continue from one rollout to the next."""

    def __init__(self, args: Args) -> None:
        self.args, game = args, game_of(args.game)
        kind: Any = game.batch
        self.games = kind(args.num_envs, args.players or game.default_players, args.seed)
        self.encoding = shown_in_environments(game, self.games.num_players)
        self.turn = self.games.turn()

    @torch.no_grad()
    def collect(self, agent: Agent) -> Rollout:
        """Plays `num_steps` steps of all games with this policy in all seats."""
        games, turn, encode = self.games, self.turn, self.encoding.encode
        most_points = games.most_points(games.ruleset, games.variant)
        rows: list[tuple[torch.Tensor, ...]] = []  # of each step
        deciding: list[np.ndarray] = []  # (games, players) of each step: who had a choice
        rewards: list[np.ndarray] = []  # (games, players) of each step
        dones: list[np.ndarray] = []  # (games,) of each step
        for _ in range(self.args.num_steps):
            decides = turn.legal.sum(axis=2) > 1
            obs, masks = torch.from_numpy(encode(turn.observations[decides])), torch.from_numpy(turn.legal[decides])
            logprobs, values = agent(obs, masks)
            actions = sample(logprobs, torch.rand(len(logprobs), dtype=torch.float64))
            rows.append((obs, masks, actions, logprobs.gather(1, actions[:, None])[:, 0], values))
            deciding.append(decides)
            joint_actions = turn.legal.argmax(axis=2)  # without a choice, the only legal action
            joint_actions[decides] = actions.numpy()
            games.advance(joint_actions, turn)
            # The margin over the mean of the others, about 1: the win alone says less about each single decision.
            margin = 4 * rewards_of("margin", turn.scores, turn.winners, most_points)
            rewards.append(margin * turn.over[:, None])
            dones.append(turn.over.copy())

        # The return of a decision is its game's outcome, bootstrapped by the critic if the game is not over yet.
        next_obs = encode(turn.observations.reshape(-1, turn.observations.shape[2]))
        _, next_values = agent(torch.from_numpy(next_obs), torch.from_numpy(turn.legal.reshape(len(next_obs), -1)))
        outcome = next_values.double().numpy().reshape(games.num_games, games.num_players)
        returns: list[torch.Tensor] = []
        for decides, reward, done in zip(deciding[::-1], rewards[::-1], dones[::-1], strict=True):
            outcome = np.where(done[:, None], reward, outcome)
            returns.append(torch.from_numpy(outcome[decides]).float())
        obs, masks, actions, logprobs, values = (torch.cat(column) for column in zip(*rows, strict=True))
        return Rollout(obs, masks, actions, logprobs, values, torch.cat(returns[::-1]))


def update(agent: Agent, optimizer: torch.optim.Optimizer, rollout: Rollout, args: Args) -> None:
    """A few epochs of clipped policy and value updates on a rollout."""
    advantages = rollout.returns - rollout.values
    advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
    for _ in range(args.update_epochs):
        for mb_inds in torch.randperm(len(rollout)).split(args.minibatch_size):
            logprobs, newvalue = agent(rollout.obs[mb_inds], rollout.masks[mb_inds])
            newlogprob = logprobs.gather(1, rollout.actions[mb_inds][:, None])[:, 0]
            ratio = (newlogprob - rollout.logprobs[mb_inds]).exp()
            clipped = ratio.clamp(1 - args.clip_coef, 1 + args.clip_coef)
            pg_loss = -torch.minimum(ratio * advantages[mb_inds], clipped * advantages[mb_inds]).mean()
            v_loss = F.mse_loss(newvalue, rollout.returns[mb_inds])
            entropy = -(logprobs.exp() * logprobs).sum(dim=1).mean()
            loss = pg_loss + v_loss - args.ent_coef * entropy
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.parameters(), args.max_grad_norm)
            optimizer.step()


def evaluate(agent: Agent, collector: Collector, decisions: int) -> None:
    args, players = collector.args, collector.games.num_players
    win = versus(ArenaAgent(agent, collector.encoding), "random", args.deals, players, game=args.game).win
    print(f"{decisions:>10,} decisions: wins {win.mean:.1%} ({win.low:.1%} to {win.high:.1%}) against random")


def train(args: Args) -> Agent:
    torch.manual_seed(args.seed)
    torch.set_num_threads(args.threads)
    collector = Collector(args)
    agent = Agent(collector.encoding.size, args.hidden, collector.games.num_actions)
    optimizer = torch.optim.Adam(agent.parameters(), args.learning_rate)
    evaluate(agent, collector, 0)
    collector.collect(agent)  # warm-up: compiles everything, so that all the time goes to learning
    start, decisions, evaluated = time.monotonic(), 0, 1
    while True:
        spent = (time.monotonic() - start) / (60 * args.minutes)
        if spent >= evaluated / args.evaluations:
            evaluated += 1
            evaluate(agent, collector, decisions)
        if spent >= 1:
            return agent
        for group in optimizer.param_groups:
            group["lr"] = args.learning_rate * (1 - 0.9 * spent)
        rollout = collector.collect(agent)
        update(agent, optimizer, rollout, args)
        decisions += len(rollout)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    for field in fields(Args):
        parser.add_argument(f"--{field.name.replace('_', '-')}", type=type(field.default), default=field.default)
    args = Args(**vars(parser.parse_args()))
    free = ("game", "seed", "players", "ent_coef")
    if wrong := [name for name, value in vars(args).items() if name not in free and value <= 0]:
        parser.error(f"expected more than 0 for {', '.join(wrong)}")
    train(args)
