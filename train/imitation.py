"""A start from what somebody else does: learned from games that a teacher plays with itself."""

from collections.abc import Iterator

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
    players: list[int],
    encoding: Encoding,
    reward: RewardKind,
    gamma: float,
    potential: Potential | None,
    seed: int,
) -> Iterator[Lesson]:
    """All decisions of some games at a time, without end: what was seen, what was legal, what was done, and the worth.

    The worth is what the player gets in the end, less by gamma for each decision to come; and less by the potential,
    as with shaped rewards.
    """
    number = 0
    while True:
        batch = game.batch(GAMES, players[number % len(players)], seed=int(spread_seeds(seed, np.array([number]))[0]))
        seen: list[npt.NDArray[np.integer]] = []
        legal, done, whose = [], [], []
        while not batch.over.all():
            games, seats = np.nonzero(batch.to_act)
            observations, masks = batch.look_at_rows(games, seats)
            actions = joint_actions(teacher, batch, len(seen))
            batch.step(actions)
            seen.append(observations)
            legal.append(masks)
            done.append(actions[games, seats])
            whose.append((games, seats))
        rewards = batch.rewards(reward)
        games, seats = (np.concatenate(part) for part in zip(*whose, strict=True))
        worth = rewards[games, seats] * gamma ** decisions_to_come(games * batch.num_players + seats)
        all_seen = np.concatenate(seen)
        if potential is not None:
            worth = worth - potential(all_seen)
        yield encoding.encode(all_seen), np.concatenate(legal), np.concatenate(done), worth.astype(np.float32)
        number += 1


def decisions_to_come(players: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """For each decision how many more the same player makes later; in the order in which they are made."""
    order = np.argsort(players, kind="stable")
    last = np.searchsorted(players[order], players[order], side="right")
    to_come = np.empty_like(order)
    to_come[order] = last - 1 - np.arange(len(order))
    return to_come


def imitate(model: MaskablePPO, taught: Iterator[Lesson], decisions: int, seed: int) -> Iterator[int]:
    """Teaches a learner so many decisions: what to do, and what it is worth. Tells how many, now and then."""
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
            seen, legal, done, worth = (torch.from_numpy(part[rows]) for part in lesson)
            values, log_likely, _ = model.policy.evaluate_actions(seen, done, action_masks=legal)
            loss = -log_likely.mean() + torch.nn.functional.mse_loss(values.flatten(), worth)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            learned += BATCH
            for group in optimizer.param_groups:  # to a tenth, on a straight line
                group["lr"] = LEARNING_RATE * max(1 - 0.9 * learned / decisions, 0.1)
