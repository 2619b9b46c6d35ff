"""Final scores and winners."""

import numpy as np

from strand_env.engine.jit import compiled
from strand_env.strand_unter.ruleset import NUM_COLOURS, NUM_VALUES, PLAYED_GROOVES
from strand_env.strand_unter.state import HEAP, LAST_GROOVE, READY

_POINTS_BITS = 6  # the points of one player in one groove are below 64: at most 4 * 8 + 0 + 1 + 2 + 3


@compiled
def is_built(place):
    """Also a castle that was flooded counts as built."""
    return place != HEAP and place != READY


@compiled
def beach_points(place, value):
    """Points of one castle: its groove plus its value while it stands."""
    return place + value if 1 <= place <= LAST_GROOVE else 0


@compiled
def count_built(castles):
    built = 0
    for value in range(NUM_VALUES):
        built += is_built(castles[value])
    return built


@compiled
def unfit_shells(castles, cards, bucket):
    """Shells that find no place on the cards not built yet: on spaces of their colour first, the rest on wild ones."""
    spaces = NUM_VALUES - count_built(castles)
    unfit = 0
    for colour in range(NUM_COLOURS):
        surplus = np.int64(bucket[colour])
        for value in range(NUM_VALUES):
            if not is_built(castles[value]):
                surplus -= cards[value, colour]
        unfit += max(surplus, 0)
    return max(unfit - spaces, 0)


@compiled
def player_score(castles, cards, bucket):
    points = 0
    for value in range(NUM_VALUES):
        points += beach_points(castles[value], value)
    return points - unfit_shells(castles, cards, bucket)


@compiled
def rank_key(points, castles):
    """A number to rank players by: the score, then the points in each groove, the one nearest the sea first."""
    key = np.int64(points)
    for groove in range(PLAYED_GROOVES, 0, -1):
        key <<= _POINTS_BITS
        for value in range(NUM_VALUES):
            if castles[value] == groove:
                key += beach_points(groove, value)
    return key


@compiled
def score(game):
    """Writes the scores and winners of a finished game."""
    best = 0
    for player in range(game["players"]):
        castles = game["castles"][player]
        points = player_score(castles, game["cards"][player], game["buckets"][player])
        game["scores"][player] = points
        key = rank_key(points, castles)
        if player == 0 or key > best:
            best = key
            game["winners"][:] = 0
        if key == best:
            game["winners"][player] = 1
