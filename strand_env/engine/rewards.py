"""Rewards and results of finished games, from scores and winners alone."""

from typing import Any

import numpy as np
import numpy.typing as npt

from strand_env.engine.checks import one_of
from strand_env.engine.jit import Kernel, compiled
from strand_env.engine.protocol import REWARD_KINDS, RewardKind


def rewards_of(
    kind: RewardKind, scores: npt.NDArray[np.integer], winners: npt.NDArray[np.bool_], most_points: int
) -> npt.NDArray[np.float32]:
    """(games, players), as `GameBatch.rewards` explains; 0 where nobody has won yet."""
    one_of("kind", kind, REWARD_KINDS)
    rewards = np.zeros(scores.shape, np.float32)
    write_rewards(1, len(scores), REWARD_KINDS.index(kind), scores, winners, most_points, rewards)
    return rewards


def results_of(
    scores: npt.NDArray[np.integer], winners: npt.NDArray[np.bool_], seats: npt.NDArray[np.int64]
) -> dict[str, npt.NDArray[Any]]:
    """For one player of each game, as in `GameBatch.results`; all 0 where nobody has won yet."""
    games = len(seats)
    win, score, rank = np.zeros(games), np.zeros(games, np.int64), np.zeros(games, np.int64)
    write_results(1, games, scores, winners, seats, win, score, rank)
    return {"win": win, "score": score, "rank": rank}


WIN, SCORE, MARGIN = range(len(REWARD_KINDS))


@Kernel
def write_rewards(start, stop, kind, scores, winners, most_points, out):
    players = scores.shape[1]
    for game in range(start, stop):
        for player in range(players):
            out[game, player] = reward_of(kind, scores[game], winners[game], players, player, most_points)


@compiled
def reward_of(kind, scores, winners, players, player, most_points):
    """One player's reward, from the scores and winners of one game."""
    total = won = 0
    for other in range(players):
        total += scores[other]
        won += winners[other]
    if won == 0:
        return 0.0
    points = scores[player]
    if kind == WIN:
        return winners[player] / won - 1 / players
    if kind == SCORE:
        return np.float64(points)
    return (points - (total - points) / (players - 1)) / most_points


@Kernel
def write_results(start, stop, scores, winners, seats, win, score, rank):
    for game in range(start, stop):
        own = seats[game]
        won = better = 0
        for player in range(scores.shape[1]):
            won += winners[game, player]
            better += scores[game, player] > scores[game, own] or (winners[game, player] and not winners[game, own])
        if won > 0:
            win[game] = winners[game, own] / won
            score[game] = scores[game, own]
            rank[game] = 1 + better
