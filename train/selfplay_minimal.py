"""Self-play in plain PyTorch, in one file: to be copied and changed.

    python -m strand_env.train.selfplay_minimal --minutes 1

All players of all games are one policy, trained by proximal policy optimisation with the games' outcomes as returns. It
plays the engine itself: `games.turn()` has what everybody sees and may do, `games.advance(actions, turn)` plays
on and fills them again. For long runs with checkpoints and a mix of opponents there is `strand train`.
"""

import argparse
import time
from dataclasses import dataclass, fields

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from strand_env.arena import versus
from strand_env.engine.randomness import Streams
from strand_env.strand_unter import PASS, Games


@dataclass
class Args:
    """Each is an option of the command line."""

    minutes: float = 1.0
    seed: int = 0
    players: int = 4
    games: int = 64  # at once
    steps: int = 128  # of all games in a rollout
    hidden: int = 128
    epochs: int = 3  # over each rollout
    batch: int = 512
    learning_rate: float = 2e-3
    clip: float = 0.2
    entropy: float = 0.01
    deals: int = 200  # of an evaluation, each in every seat
    evaluations: int = 4
    threads: int = 1


class Net(nn.Module):
    """From an observation to the logits of the actions, and to how it will end."""

    maximum: torch.Tensor

    def __init__(self, maximum: np.ndarray, hidden: int, actions: int) -> None:
        super().__init__()
        self.register_buffer("maximum", torch.tensor(maximum, dtype=torch.float32))
        self.body = nn.Sequential(nn.Linear(len(maximum), hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU())
        self.policy = nn.Linear(hidden, actions)
        self.value = nn.Linear(hidden, 1)
        nn.init.zeros_(self.policy.weight)  # anything is equally likely in the beginning
        nn.init.zeros_(self.policy.bias)

    def forward(self, observations: torch.Tensor, masks: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Whole numbers (rows, entries) and masks (rows, actions): the logarithms of what is likely, and values."""
        body = self.body(observations.float() / self.maximum)
        logits = self.policy(body).masked_fill(masks == 0, -1e9)
        return F.log_softmax(logits, dim=1), self.value(body)[:, 0]


class Learned:
    """The policy as an agent, for the arena."""

    def __init__(self, net: Net) -> None:
        self.net = net

    def reset(self) -> None:
        pass

    @torch.no_grad()
    def act(self, observation: np.ndarray, mask: np.ndarray, rng: Streams) -> np.ndarray:
        likely, _ = self.net(torch.from_numpy(observation), torch.from_numpy(mask))
        return choose(likely, torch.from_numpy(rng.random())).numpy()


def choose(log_likely: torch.Tensor, chances: torch.Tensor) -> torch.Tensor:
    """(rows,): an action each, as likely as it is said to be, by a number from 0 to 1 for each row."""
    reached = log_likely.exp().double().cumsum(dim=1)
    return (reached < (chances * reached[:, -1])[:, None]).sum(dim=1)


@dataclass
class Rollout:
    """Decisions, in rows; only of players who had a choice."""

    observations: torch.Tensor
    masks: torch.Tensor
    actions: torch.Tensor
    log_likely: torch.Tensor  # of the action, when it was chosen
    values: torch.Tensor
    returns: torch.Tensor

    def __len__(self) -> int:
        return len(self.actions)


class Player:
    """Plays rollouts, in games that go on from one to the next."""

    def __init__(self, args: Args) -> None:
        self.args = args
        self.games = Games(args.games, args.players, args.seed)
        self.turn = self.games.turn()

    @torch.no_grad()
    def play(self, net: Net) -> Rollout:
        """So many steps of all games with this policy in all seats."""
        args, turn = self.args, self.turn
        rows: list[tuple[torch.Tensor, ...]] = []  # of each step
        deciding: list[np.ndarray] = []  # (games, players) of each step: who had a choice
        rewards: list[np.ndarray] = []  # (games, players) of each step
        over: list[np.ndarray] = []  # (games,) of each step
        for _ in range(args.steps):
            asked = turn.legal.sum(axis=2) > 1
            observations, masks = torch.from_numpy(turn.observations[asked]), torch.from_numpy(turn.legal[asked])
            likely, values = net(observations, masks)
            chosen = choose(likely, torch.rand(len(likely), dtype=torch.float64))
            rows.append((observations, masks, chosen, likely.gather(1, chosen[:, None])[:, 0], values))
            deciding.append(asked)
            actions = np.full(asked.shape, PASS)
            actions[asked] = chosen.numpy()
            self.games.advance(actions, turn)
            # The points more than the others' on average: who wins tells less about each single decision.
            points = turn.scores.astype(np.float32)
            others = (points.sum(axis=1, keepdims=True) - points) / (args.players - 1)
            rewards.append((points - others) / 10 * turn.over[:, None])
            over.append(turn.over.copy())

        # Every decision returns what its game came to; where that is still open, what the policy expects it to.
        everybody = turn.observations.reshape(-1, turn.observations.shape[2])
        _, expected = net(torch.from_numpy(everybody), torch.from_numpy(turn.legal.reshape(len(everybody), -1)))
        outcome = expected.double().numpy().reshape(args.games, args.players)
        returns: list[torch.Tensor] = []
        for asked, reward, ended in zip(deciding[::-1], rewards[::-1], over[::-1], strict=True):
            outcome = np.where(ended[:, None], reward, outcome)
            returns.append(torch.from_numpy(outcome[asked]).float())
        observations, masks, chosen, own, values = (torch.cat(column) for column in zip(*rows, strict=True))
        return Rollout(observations, masks, chosen, own, values, torch.cat(returns[::-1]))


def update(net: Net, optimiser: torch.optim.Optimizer, rollout: Rollout, args: Args) -> None:
    """Makes what came out better than expected likelier, and what came out worse less likely."""
    advantages = rollout.returns - rollout.values
    advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
    for _ in range(args.epochs):
        for rows in torch.randperm(len(rollout)).split(args.batch):
            likely, values = net(rollout.observations[rows], rollout.masks[rows])
            own = likely.gather(1, rollout.actions[rows][:, None])[:, 0]
            ratio = (own - rollout.log_likely[rows]).exp()
            clipped = ratio.clamp(1 - args.clip, 1 + args.clip)
            gain = torch.minimum(ratio * advantages[rows], clipped * advantages[rows]).mean()
            error = F.mse_loss(values, rollout.returns[rows])
            entropy = -(likely.exp() * likely).sum(dim=1).mean()
            loss = -gain + error - args.entropy * entropy
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 0.5)
            optimiser.step()


def evaluate(net: Net, decisions: int, args: Args) -> None:
    win = versus(Learned(net), "random", args.deals, args.players).win
    print(f"{decisions:>10,} decisions: wins {win.mean:.1%} ({win.low:.1%} to {win.high:.1%}) against randoms")


def train(args: Args) -> Net:
    torch.manual_seed(args.seed)
    torch.set_num_threads(args.threads)
    player = Player(args)
    net = Net(player.games.observation_maximum, args.hidden, player.games.num_actions)
    optimiser = torch.optim.Adam(net.parameters(), args.learning_rate)
    evaluate(net, 0, args)
    player.play(net)  # compiles what it needs, so that the time is all for learning
    began, decisions, evaluated = time.monotonic(), 0, 1
    while True:
        spent = (time.monotonic() - began) / (60 * args.minutes)
        if spent >= evaluated / args.evaluations:
            evaluated += 1
            evaluate(net, decisions, args)
        if spent >= 1:
            return net
        for group in optimiser.param_groups:
            group["lr"] = args.learning_rate * (1 - 0.9 * spent)
        rollout = player.play(net)
        update(net, optimiser, rollout, args)
        decisions += len(rollout)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    for field in fields(Args):
        parser.add_argument(f"--{field.name.replace('_', '-')}", type=type(field.default), default=field.default)
    args = Args(**vars(parser.parse_args()))
    if wrong := [name for name, value in vars(args).items() if value <= 0 and name not in ("seed", "entropy")]:
        parser.error(f"expected more than 0 for {', '.join(wrong)}")
    train(args)
