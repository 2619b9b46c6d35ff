"""A head start from games that a teacher plays against itself: what it does, or what each action would have led to."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from sb3_contrib import MaskablePPO

from strand_env.agents import AnyAgent, Memory, joint_actions
from strand_env.agents.base import Positions
from strand_env.agents.random import RandomAgent
from strand_env.agents.search import play_to_end
from strand_env.engine.game import Encoding, Game, Potential
from strand_env.engine.protocol import OPEN, Batch, RewardKind
from strand_env.engine.randomness import Streams, spread_seeds

GAMES, RATED_GAMES = 512, 128  # played at once
BATCH = 1024
LEARNING_RATE = 1e-3

# For decisions whose actions are rated
RATED = 0.15  # share of a game's decisions: those of one game are much alike
RANDOM = 0.15  # share of moves made at random, for positions that the teacher would not get into
EPOCHS, RATED_BATCH = 15, 512
TEMPERATURE = 0.1  # of the policy that is fitted, in standard deviations of the actions' values

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
        memory = Memory(GAMES, players)
        while not batch.over.all():
            games, seats = np.nonzero(batch.to_act)
            observations, masks = batch.look_at_rows(games, seats)
            actions = joint_actions(teacher, batch, len(seen), memory)
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
            misses = torch.nn.functional.mse_loss(values.flatten(), returns)
            loss = -log_prob.mean() + model.vf_coef * misses
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            learned += BATCH
            for group in optimizer.param_groups:  # linear decay to a tenth
                group["lr"] = LEARNING_RATE * max(1 - 0.9 * learned / decisions, 0.1)


class Rated(NamedTuple):
    """Decisions with what each legal action leads to: its mean reward, when the teacher plays on in all seats."""

    observations: npt.NDArray[np.integer]
    masks: npt.NDArray[np.int8]
    values: npt.NDArray[np.float32]  # (rows, actions); 0 if illegal


def rate_actions(
    teacher: AnyAgent,
    game: Game,
    settings: Sequence[tuple[int, str | None]],
    reward: RewardKind,
    rollouts: int,
    threads: int,
    seed: int,
) -> Iterator[Rated]:
    """An endless stream of rated decisions, from games that the teacher plays against itself, with random moves."""
    number = 0
    rng = np.random.default_rng(seed)
    while True:
        players, variant = settings[number % len(settings)]
        batch = game.batch(RATED_GAMES, players, int(spread_seeds(seed, np.array([number]))[0]), variant=variant)
        moves, memory = 0, Memory(RATED_GAMES, players)
        while not batch.over.all():
            games, seats = np.nonzero(batch.to_act)
            kept = np.flatnonzero(rng.random(len(games)) < RATED)
            parts = [part for part in np.array_split(kept, threads) if len(part)]
            with ThreadPoolExecutor(threads) as pool:
                rate = lambda rows: _rated(teacher, batch, games[rows], seats[rows], reward, rollouts, moves)  # noqa: E731, B023
                yield from pool.map(rate, parts)
            actions = joint_actions(teacher, batch, moves, memory)
            at_random = rng.random(batch.num_games) < RANDOM
            actions[at_random] = joint_actions(RandomAgent(), batch, moves)[at_random]
            batch.step(actions)
            moves += 1
        number += 1


def _rated(
    teacher: AnyAgent,
    batch: Batch,
    games: npt.NDArray[np.int64],
    seats: npt.NDArray[np.int64],
    reward: RewardKind,
    rollouts: int,
    moves: int,
) -> Rated:
    """Tries each legal action in the same redealt copies of the game."""
    observations, masks = batch.look_at_rows(games, seats)
    rng = Streams.of_decisions(batch.seeds[games], moves, seats)
    copies, chance = Positions(batch, games, seats).copies(np.full(len(games), rollouts), rng)
    made_in, actions = np.nonzero(np.repeat(masks, rollouts, axis=0))
    rows = made_in // rollouts
    played = copies.select(made_in)
    first = np.full((len(rows), batch.num_players), OPEN)
    first[np.arange(len(rows)), seats[rows]] = actions
    play_to_end(played, teacher, chance[made_in], first)
    values = np.zeros(masks.shape, np.float32)
    np.add.at(values, (rows, actions), played.rewards(reward)[np.arange(len(rows)), seats[rows]] / rollouts)
    return Rated(observations, masks, values)


def learn_values(
    model: MaskablePPO,
    rated: Iterator[Rated],
    encoding: Encoding,
    potential: Potential | None,
    decisions: int,
    seed: int,
) -> Iterator[int]:
    """Fits a learner's policy and value function to this many rated decisions; yields now and then how many are done.

    The logits become the actions' values, less their mean, divided by a temperature.
    """
    if decisions == 0:
        return
    parts: list[Rated] = []
    while sum(len(part.masks) for part in parts) < decisions:
        yield sum(len(part.masks) for part in parts)
        parts.append(next(rated))
    observations, masks, values = (np.concatenate(part) for part in zip(*parts, strict=True))
    legal = masks == 1
    advantages = np.where(legal, values - values.sum(1, keepdims=True) / legal.sum(1, keepdims=True), 0)
    advantages /= max(float(advantages[legal].std()), 1e-9)
    optimizer = torch.optim.Adam(model.policy.parameters(), 2 * LEARNING_RATE)
    rng = np.random.default_rng(seed)
    model.policy.set_training_mode(True)
    batches = max(len(masks) // RATED_BATCH, 1)
    for step in range(EPOCHS * batches):
        if step % batches == 0:
            order = rng.permutation(len(masks))
        rows = order[step % batches :: batches]
        features, allowed, aims, worth = (
            torch.from_numpy(part)
            for part in (encoding.encode(observations[rows]), legal[rows], advantages[rows], values[rows])
        )
        chances: Any = model.policy.get_distribution(features, masks[rows]).distribution
        logits = TEMPERATURE * torch.where(allowed, chances.logits, 0)
        mean = logits.sum(1, keepdim=True) / allowed.sum(1, keepdim=True)
        returns = (chances.probs.detach() * worth).sum(1)
        if potential is not None:
            returns = returns - torch.from_numpy(potential(observations[rows]))
        misses = torch.nn.functional.mse_loss(model.policy.predict_values(features).flatten(), returns)
        loss = torch.where(allowed, logits - mean - aims, 0).square().sum() / allowed.sum() + misses
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        for group in optimizer.param_groups:  # linear decay
            group["lr"] = 2 * LEARNING_RATE * max(1 - (step + 1) / (EPOCHS * batches), 0.01)
