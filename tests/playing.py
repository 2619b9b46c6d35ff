"""Batches of games in the middle of play, for tests."""

import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from strand_env.strand_unter import Games


def random_play(games: Games, steps: int, seed: int = 0) -> Games:
    """Steps the games with random actions; those that are over are reset."""
    for number in range(steps):
        games.step(games.random_actions(seed * 10_000 + number))
        games.reset(games.over)
    return games


def whole_games(games: Games, seed: int = 0) -> Iterator[Games]:
    """Plays all games to their end with random actions: the games before each step, and in the end."""
    number = 0
    while not games.over.all():
        yield games
        games.step(games.random_actions(seed * 10_000 + number))
        number += 1
    yield games


def mid_game(num_games: int = 32, num_players: int = 4, **arguments: Any) -> Games:
    """Games spread over all rounds and phases."""
    return random_play(Games(num_games, num_players, seed=5, **arguments), 90)


Step = tuple[dict[str, Any], list[int], dict[str, Any]]
Policy = Callable[[random.Random, list[int], dict[str, Any]], int]


def steps_of(games: Any, policies: Sequence[Policy], rng: random.Random) -> Iterator[Step]:
    """A game of a batch of one, by policies chosen at random: snapshots before and after each step, and the actions."""
    chosen = [rng.choice(policies) for _ in range(games.num_players)]
    after = games.snapshot(0)
    while not games.over[0]:
        before = after
        legal = [np.flatnonzero(mask).tolist() for mask in games.legal[0]]
        actions = [policy(rng, options, before) for policy, options in zip(chosen, legal, strict=True)]
        games.step([actions])
        after = games.snapshot(0)
        yield before, actions, after
