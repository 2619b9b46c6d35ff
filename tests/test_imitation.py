"""Learning from a teacher before playing."""

from itertools import islice

import numpy as np
import pytest
import torch

from strand_env.agents import agent_of, ask
from strand_env.agents.base import Positions
from strand_env.agents.encoding import encoding_of
from strand_env.agents.search import play_by_asking
from strand_env.engine.protocol import OPEN
from strand_env.engine.randomness import Streams, spread_seeds
from strand_env.strand_unter import GAME as STRAND_UNTER
from strand_env.strand_unter.potential import potential
from strand_env.train.config import Config
from strand_env.train.imitation import (
    RATED_GAMES,
    decisions_to_come,
    imitate,
    learn_values,
    lessons,
    rate_actions,
)
from strand_env.train.learner import PolicyPool, environment_of, model_of, network_of

torch.set_num_threads(1)
LAYOUT = STRAND_UNTER.batch(1).layout
ENCODING, COMPACT = encoding_of(STRAND_UNTER, 4), encoding_of(STRAND_UNTER, 4, "compact")


def test_a_lesson_is_what_the_teacher_does_and_gets() -> None:
    taught = lessons(agent_of("tide"), STRAND_UNTER, [(3, None)], ENCODING, "win", 1.0, None, seed=1)
    seen, legal, done, worth = next(taught)
    assert len(seen) == len(legal) == len(done) == len(worth)
    assert legal[np.arange(len(done)), done].all()
    assert legal.sum(1).min() > 1, "nobody is asked who has no choice"
    shares = np.array([0, 1 / 3, 1 / 2, 1]) - 1 / 3
    assert np.isclose(worth[:, None], shares, atol=1e-6).any(1).all()
    # The first decisions of all: what the teacher says there, asked again.
    games = STRAND_UNTER.batch(512, 3, seed=int(spread_seeds(1, np.array([0]))[0]))
    numbers, seats = np.nonzero(games.to_act)
    rng = Streams.of_decisions(games.seeds[numbers], 0, seats)
    assert (ask(agent_of("tide"), games, numbers, seats, rng) == done[: len(numbers)]).all()
    assert (ENCODING.encode(games.look_at_rows(numbers, seats)[0]) == seen[: len(numbers)]).all()


def test_of_shaped_rewards_what_is_left_is_worth_less_by_the_potential() -> None:
    plain, shaped = (
        next(lessons(agent_of("greedy"), STRAND_UNTER, [(2, None)], COMPACT, "margin", 1.0, shape, seed=2))
        for shape in (None, potential)
    )
    observations = np.rint(plain[0] * LAYOUT.maximum).astype(LAYOUT.dtype)
    assert shaped[3] == pytest.approx(plain[3] - potential(observations), abs=1e-5)


def test_later_rewards_count_less_by_gamma() -> None:
    assert decisions_to_come(np.array([7, 3, 7, 7, 3, 5])).tolist() == [2, 1, 1, 0, 0, 0]
    plain, discounted = (
        next(lessons(agent_of("greedy"), STRAND_UNTER, [(2, None)], ENCODING, "win", gamma, None, seed=2))[3]
        for gamma in (1.0, 0.9)
    )
    assert (np.sign(plain) == np.sign(discounted)).all()
    assert np.abs(discounted).max() == pytest.approx(0.5)
    assert np.abs(discounted).min() < 0.5 * 0.9**10


@pytest.mark.slow
def test_a_learner_becomes_like_its_teacher() -> None:
    config = Config(n_envs=8, n_steps=16, batch_size=64, hidden="64", opponents="random=1", seed=3)
    env = environment_of(config, PolicyPool(config))
    learners = [model_of(config, env) for _ in range(2)]
    for learner in learners:
        taught = lessons(agent_of("greedy"), STRAND_UNTER, [(2, None)], ENCODING, "margin", 1.0, None, seed=4)
        told = list(imitate(learner, taught, 150_000, seed=5))
        assert told[0] == 0
        assert told == sorted(told)
    first, second = (network_of(learner) for learner in learners)
    for one, other in zip(first.layers, second.layers, strict=True):
        assert all((a == b).all() for a, b in zip(one, other, strict=True))
    seen, legal, done, _ = next(taught)
    chosen = np.where(legal == 1, first.logits(seen), -np.inf).argmax(1)
    by_chance = (1 / legal.sum(1)).mean()
    assert (chosen == done).mean() > by_chance + 0.25


def test_actions_are_rated_by_what_the_teacher_makes_of_them() -> None:
    teacher = agent_of("greedy")
    one = next(rate_actions(teacher, STRAND_UNTER, [(2, None)], "margin", rollouts=3, threads=1, seed=6))
    games = STRAND_UNTER.batch(RATED_GAMES, 2, seed=int(spread_seeds(6, np.array([0]))[0]))
    numbers, seats = np.nonzero(games.to_act)
    seen, _ = games.look_at_rows(numbers, seats)
    chosen = np.array([np.flatnonzero((seen == row).all(1))[0] for row in one.observations[:5]])
    numbers, seats = numbers[chosen], seats[chosen]
    rng = Streams.of_decisions(games.seeds[numbers], 0, seats)
    copies, chance = Positions(games, numbers, seats).copies(np.full(5, 3), rng)
    for row in range(5):
        for action in np.flatnonzero(one.masks[row]):
            played = copies.select(np.arange(3 * row, 3 * row + 3))
            first = np.full((3, 2), OPEN)
            first[:, seats[row]] = action
            play_by_asking(played, teacher, chance[3 * row : 3 * row + 3], first)
            expected = played.rewards("margin")[:, seats[row]].mean()
            assert one.values[row, action] == pytest.approx(expected, abs=1e-6)
    assert not one.values[one.masks == 0].any()


def test_ratings_do_not_depend_on_threads() -> None:
    alone = next(rate_actions(agent_of("greedy"), STRAND_UNTER, [(2, None)], "win", rollouts=2, threads=1, seed=7))
    stream = rate_actions(agent_of("greedy"), STRAND_UNTER, [(2, None)], "win", rollouts=2, threads=2, seed=7)
    together = [next(stream), next(stream)]
    for one, parts in zip(alone, zip(*together, strict=True), strict=True):
        assert (one == np.concatenate(parts)).all()


@pytest.mark.slow
def test_a_learner_comes_to_rate_actions_alike() -> None:
    config = Config(n_envs=8, n_steps=16, batch_size=64, hidden="64", opponents="random=1", seed=3, players="2")
    learner = model_of(config, environment_of(config, PolicyPool(config)))
    rated = rate_actions(agent_of("greedy"), STRAND_UNTER, [(2, None)], "margin", rollouts=2, threads=1, seed=8)
    list(learn_values(learner, rated, ENCODING, None, 4000, seed=9))
    observations, masks, values = (np.concatenate(part) for part in zip(*islice(rated, 40), strict=True))
    logits, legal = network_of(learner).logits(ENCODING.encode(observations)), masks == 1
    best = np.where(legal, logits, -np.inf).argmax(1)
    gains = values[np.arange(len(best)), best] - values.sum(1) / legal.sum(1)
    assert gains.mean() > 3 * gains.std() / len(gains) ** 0.5
