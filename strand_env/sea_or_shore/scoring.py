"""Points of a round, scores, and the winner."""

import numpy as np

from strand_env.engine.jit import compiled
from strand_env.sea_or_shore.ruleset import ROUNDS


@compiled
def points_of(game, player):
    """A player's points of the round that ends."""
    seat = game["seats"][player]
    return np.int64(seat["worth"]) + seat["extras"] // 2


@compiled
def score(game):
    """Writes the scores and the winner of a finished game: of equals, the nearest to the leader."""
    winner, best = 0, np.int64(-1)
    for away in range(game["players"]):
        player = (game["leader"] + away) % game["players"]
        points = np.int64(0)
        for finished in range(ROUNDS):
            points += game["points"][finished, player]
        game["scores"][player] = points
        if points > best:
            winner, best = player, points
    for player in range(game["players"]):
        game["winners"][player] = player == winner
