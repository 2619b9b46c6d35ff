"""The value of steps on the tracks."""

import numpy as np

from strand_env.engine.jit import compiled
from strand_env.maui.ruleset import CELLS, MOST_ORNAMENTS, NUM_PATTERNS, PATTERN_UMBRELLAS, ROW_VALUES

LOOKS = max(ROW_VALUES)  # squares that a shell's outlook covers: a match in the best row
MOST_STEPS = sum(ROW_VALUES[:CELLS]) + PATTERN_UMBRELLAS + LOOKS  # rated: those of one turn and a match after it


@compiled
def outlook(rules, track, square):
    """The points that the next squares of a track bring."""
    beyond = min(square + LOOKS, rules["last"][track])
    return rules["points"][track, beyond] - rules["points"][track, square]


@compiled
def tokens_between(table, rules, track, start, end):
    """The tokens that a shell receives on its way."""
    number = 0
    for ornament in range(MOST_ORNAMENTS):
        on_way = rules["ornament_track"][ornament] == track and start < rules["ornament_square"][ornament] <= end
        number += on_way and table["supply"][ornament] > 0
    return number


@compiled
def rate_steps(table, own, rules, weights, room):
    """Fills in the value of 0, 1, … steps on each track: their points, tokens received, and the outlook from there."""
    worth = room["worth"]
    token = weights["token"] if room["left"] > 0 else np.float32(0)
    climb = weights["climb"] * room["share"]
    for track in range(NUM_PATTERNS):
        start, last = np.int64(own["shells"][track]), rules["last"][track]
        before = rules["points"][track, start] + climb * outlook(rules, track, start)
        worth[track, 0] = 0
        for steps in range(1, MOST_STEPS + 1):
            end = min(start + steps, last)
            value = rules["points"][track, end] + climb * outlook(rules, track, end) - before
            if token != 0:
                value += token * tokens_between(table, rules, track, start, end)
            worth[track, steps] = value
