"""Batches of games in the middle of play, for tests."""

from collections.abc import Iterator
from typing import Any

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
