"""Final scores and winners."""

import numpy as np

from strand_env.engine.jit import compiled
from strand_env.strand_unter.ruleset import NUM_COLOURS, NUM_VALUES, PLAYED_GROOVES
from strand_env.strand_unter.state import HEAP, LAST_GROOVE, READY

_POINTS_BITS = 6  # the points of one player in one groove are below 64: at most 4 * 8 + 0 + 1 + 2 + 3


@compiled
def is_built(place):
    """A castle that was flooded still counts as built."""
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
def castles_to_build(castles):
    """The values of the castles not built yet, one bit each."""
    values = 0
    for value in range(NUM_VALUES):
        values |= (not is_built(castles[value])) << value
    return values


@compiled
def lacking(values, cards, bucket, colour):
    """Shells of a colour that the cards of these values still need; below 0, as many as find no space of it there."""
    shells = -np.int64(bucket[colour])
    for value in range(NUM_VALUES):
        if values >> value & 1:
            shells += cards[value, colour]
    return shells


@compiled
def unfit_shells(castles, cards, bucket):
    """Shells that find no place on the cards not built yet: on spaces of their colour first, the rest on wild ones."""
    values = castles_to_build(castles)
    unfit = count_built(castles) - NUM_VALUES  # a wild space on each card
    for colour in range(NUM_COLOURS):
        unfit += max(-lacking(values, cards, bucket, colour), 0)
    return max(unfit, 0)


@compiled
def player_score(castles, cards, bucket):
    points = 0
    for value in range(NUM_VALUES):
        points += beach_points(castles[value], value)
    return points - unfit_shells(castles, cards, bucket)


@compiled
def points_in(groove, castles):
    """Points of a player's castles in one groove."""
    points = 0
    for value in range(NUM_VALUES):
        if castles[value] == groove:
            points += beach_points(castles[value], value)
    return points


@compiled
def rank_key(points, castles):
    """A number to rank players by: the score, then the points in each groove, the one nearest the sea first."""
    key = np.int64(points)
    for groove in range(PLAYED_GROOVES, 0, -1):
        key = (key << _POINTS_BITS) + points_in(groove, castles)
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
            for other in range(player):
                game["winners"][other] = 0
        if key == best:
            game["winners"][player] = 1
