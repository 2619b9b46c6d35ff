"""Imitation learning: a head start from games that a teacher plays against itself."""

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt
import torch
from sb3_contrib import MaskablePPO

from strand_env.agents import AnyAgent, joint_actions
from strand_env.engine.game import Encoding, Game, Potential
from strand_env.engine.protocol import RewardKind
from strand_env.engine.randomness import spread_seeds

GAMES = 512  # played at once
BATCH = 1024
LEARNING_RATE = 1e-3

Lesson = tuple[npt.NDArray[np.float32], npt.NDArray[np.int8], npt.NDArray[np.int64], npt.NDArray[np.float32]]


def lessons(
    teacher: AnyAgent,
    game: Game,
    settings: Sequence[tuple[int, str | None]],
    encoding: Encoding,
    reward: RewardKind,
    gamma: float,
    potential: Potential | None,
    seed: int,
) -> Iterator[Lesson]:
    """An endless stream of the teacher's decisions, some games at a time: features, masks, actions and returns.

    `settings` are player counts and variants, played by turns.

    The return is the player's final reward, discounted by gamma for each decision still to come; with shaped rewards
    the potential is subtracted.
    """
    number = 0
    while True:
        players, variant = settings[number % len(settings)]
        batch = game.batch(GAMES, players, int(spread_seeds(seed, np.array([number]))[0]), variant=variant)
        seen: list[npt.NDArray[np.integer]] = []
        legal, chosen, deciding = [], [], []
        while not batch.over.all():
            games, seats = np.nonzero(batch.to_act)
            observations, masks = batch.look_at_rows(games, seats)
            actions = joint_actions(teacher, batch, len(seen))
            batch.step(actions)
            seen.append(observations)
            legal.append(masks)
            chosen.append(actions[games, seats])
            deciding.append((games, seats))
        rewards = batch.rewards(reward)
        games, seats = (np.concatenate(part) for part in zip(*deciding, strict=True))
        returns = rewards[games, seats] * gamma ** decisions_to_come(games * batch.num_players + seats)
        all_seen = np.concatenate(seen)
        if potential is not None:
            returns = returns - potential(all_seen)
        yield encoding.encode(all_seen), np.concatenate(legal), np.concatenate(chosen), returns.astype(np.float32)
        number += 1


def decisions_to_come(players: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """For each decision, in playing order, how many more the same player makes."""
    order = np.argsort(players, kind="stable")
    last = np.searchsorted(players[order], players[order], side="right")
    to_come = np.empty_like(order)
    to_come[order] = last - 1 - np.arange(len(order))
    return to_come


def imitate(model: MaskablePPO, taught: Iterator[Lesson], decisions: int, seed: int) -> Iterator[int]:
    """Fits a learner's policy and value function to this many decisions; yields now and then how many are done."""
    optimizer = torch.optim.Adam(model.policy.parameters(), LEARNING_RATE)
    rng = np.random.default_rng(seed)
    learned = 0
    model.policy.set_training_mode(True)
    while learned < decisions:
        yield learned
        lesson = next(taught)
        order = rng.permutation(len(lesson[0]))
        for start in range(0, len(order) - BATCH + 1, BATCH):
            if learned >= decisions:
                break
            rows = order[start : start + BATCH]
            features, masks, actions, returns = (torch.from_numpy(part[rows]) for part in lesson)
            values, log_prob, _ = model.policy.evaluate_actions(features, actions, action_masks=masks)
            loss = -log_prob.mean() + torch.nn.functional.mse_loss(values.flatten(), returns)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            learned += BATCH
            for group in optimizer.param_groups:  # linear decay to a tenth
                group["lr"] = LEARNING_RATE * max(1 - 0.9 * learned / decisions, 0.1)
