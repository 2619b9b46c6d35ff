"""Ratings: one number for each agent's strength, from the ranks in all games; and α-rank, which shows cycles."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from strand_env.support.extras import from_extra

MOST_RATED_GAMES = 20_000  # more would take time and change next to nothing
MUTATION = 0.01  # of α-rank: how often the worse of two agents replaces the better one


@dataclass(frozen=True)
class Rating:
    """OpenSkill's rating: the strength, around 25, and its uncertainty."""

    mu: float
    sigma: float


def rate(seating: npt.NDArray[np.int64], ranks: npt.NDArray[np.float64], agents: int) -> list[Rating]:
    """The agents' ratings after these games, updated game by game; both arrays are (games, players).

    Copies of an agent in one game start from its rating, which becomes the mean of theirs. The Bradley–Terry model
    treats equal ranks as ties, which OpenSkill's default does not.
    """
    with from_extra("arena", "a rating"):
        from openskill.models import BradleyTerryFull

    model = BradleyTerryFull(tau=0.0)  # agents do not change while they play
    ratings = [model.rating() for _ in range(agents)]
    for seats, places in zip(seating[:MOST_RATED_GAMES].tolist(), ranks[:MOST_RATED_GAMES].tolist(), strict=True):
        before = [[model.rating(ratings[agent].mu, ratings[agent].sigma)] for agent in seats]
        after = [player for (player,) in model.rate(before, ranks=places)]
        for agent in set(seats):
            own = [player for player, sitting in zip(after, seats, strict=True) if sitting == agent]
            mu, sigma = sum(player.mu for player in own), sum(player.sigma for player in own)
            ratings[agent] = model.rating(mu / len(own), sigma / len(own))
    return [Rating(rating.mu, rating.sigma) for rating in ratings]


def alpha_rank(payoffs: npt.ArrayLike) -> list[float]:
    """OpenSpiel's α-rank of agents: their shares of time in a population that keeps adopting what does better.

    `payoffs[i][j]` is what agent i gets when it meets agent j. The population plays one agent at a time; another one is
    tried, and replaces it if it gets more in their meetings (α is infinite). An agent that beats all others has nearly
    everything, agents that beat each other in a circle share it, and the rest has next to nothing.

        alpha_rank([[0.5, 0.9], [0.1, 0.5]])  # [0.99, 0.01]
    """
    with from_extra("arena,openspiel", "α-rank"):
        from open_spiel.python.egt import alpharank

    table = np.asarray(payoffs, np.float64)
    if table.ndim != 2 or len(table) != table.shape[1] or not np.isfinite(table).all():
        raise ValueError(f"payoffs: expected a square matrix of finite numbers, got one of shape {table.shape}")
    _, _, shares, *_ = alpharank.compute([table], use_inf_alpha=True, inf_alpha_eps=MUTATION)
    return shares.tolist()
