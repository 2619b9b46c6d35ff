"""Scores, the winner, and the player who begins the second part."""

import numpy as np

from strand_env.engine.jit import compiled
from strand_env.engine.randomness import below
from strand_env.maui.ruleset import NUM_PATTERNS, PEARL_COLOURS, PEARL_POINTS

_BITS = 4  # for each criterion of a tie: numbers below 16


@compiled
def track_points(game, player):
    """The points of the squares that a player's shells stand on."""
    points = np.int64(0)
    for track in range(NUM_PATTERNS):
        points += game["seats"][player]["points"][track]
    return points


@compiled
def first_score(game, player):
    """After part 1 of the combined game: shells and dollars only."""
    return track_points(game, player) + game["seats"][player]["dollars"]


@compiled
def player_score(game, rules, player):
    seat = game["seats"][player]
    points = first_score(game, player)
    for colour in range(PEARL_COLOURS):
        points += PEARL_POINTS[seat["pearls"][colour]]
    return points - rules["penalty"] * np.int64(seat["penalties"]) - seat["crab_points"]


@compiled
def rank_key(game, player, points):
    """A number to rank players by: score, fewer towels, more dollars, later in the turn order. No two are equal."""
    seat = game["seats"][player]
    key = (points << _BITS) - seat["laid"]
    key = (key << _BITS) + seat["dollars"]
    return (key << _BITS) + seat["order"]


@compiled
def score(game, rules):
    """Writes the scores and the winner of a finished game."""
    winner = 0
    best = np.int64(0)
    for player in range(game["players"]):
        points = player_score(game, rules, player)
        game["scores"][player] = points
        key = rank_key(game, player, points)
        if player == 0 or key > best:
            winner, best = player, key
    for player in range(game["players"]):
        game["winners"][player] = player == winner


@compiled
def draw_lowest(game):
    """The player with the lowest first score, drawn at random among equals."""
    lowest = np.int64(0)
    equal = 0
    for player in range(game["players"]):
        points = first_score(game, player)
        if player == 0 or points < lowest:
            lowest, equal = points, 0
        equal += points == lowest
    drawn, game["stream"] = below(game["stream"], equal)
    found = 0
    for player in range(game["players"]):
        if first_score(game, player) == lowest:
            if drawn == 0:
                found = player
            drawn -= 1
    return found
