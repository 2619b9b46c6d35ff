"""What the end of a game is worth to its players, told from points and winners alone."""

import numpy as np
import numpy.typing as npt

from strand_env.game import REWARD_KINDS, RewardKind


def rewards_of(
    kind: RewardKind, scores: npt.NDArray[np.integer], winners: npt.NDArray[np.bool_], most_points: int
) -> npt.NDArray[np.float32]:
    """(games, players); 0 where nobody has won yet."""
    players = scores.shape[-1]
    over = winners.any(-1, keepdims=True)
    if kind == "win":
        shares = winners / np.maximum(winners.sum(-1, keepdims=True), 1)
        return np.where(over, shares - 1 / players, 0.0).astype(np.float32)
    if kind == "score":
        return scores.astype(np.float32)
    if kind == "margin":
        points = scores.astype(np.float32)
        others = (points.sum(-1, keepdims=True) - points) / (players - 1)
        return (points - others) / np.float32(most_points)
    raise ValueError(f"reward: expected one of {', '.join(REWARD_KINDS)}, got {kind!r}")


def ranks_of(scores: npt.NDArray[np.integer], winners: npt.NDArray[np.bool_]) -> npt.NDArray[np.int8]:
    """(games, players): 1 for the winners, then by points, equal for equal ones; 0 where nobody has won yet."""
    better = 2 * scores.astype(np.int64) + winners
    ranks = 1 + (better[..., None, :] > better[..., :, None]).sum(-1)
    return (ranks * winners.any(-1, keepdims=True)).astype(np.int8)


def results_of(
    scores: npt.NDArray[np.integer], winners: npt.NDArray[np.bool_], seats: npt.NDArray[np.int64]
) -> dict[str, npt.NDArray[np.integer | np.floating]]:
    """For one player of each game: "win", its share of the win; "score"; "rank", 0 where nobody has won."""
    own = np.arange(len(seats)), seats
    return {
        "win": winners[own] / np.maximum(winners.sum(1), 1),
        "score": scores[own],
        "rank": ranks_of(scores, winners)[own],
    }
