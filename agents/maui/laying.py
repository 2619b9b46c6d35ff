"""The value of a towel where it lies: matches, umbrellas, tokens, and what it leaves possible."""

import numpy as np

from strand_env.agents.choosing import NEVER
from strand_env.agents.maui.prospects import rate_prospects, row_value
from strand_env.engine.jit import compiled
from strand_env.maui.ruleset import CELLS, NUM_PATTERNS, PATTERN_UMBRELLAS, TOKEN_KINDS

CHOICES = (CELLS + 1) ** TOKEN_KINDS  # a cell for a token of each kind, or none
NO_MATCH = np.float32(-100)  # the value of a towel without a match, which has to get one


@compiled
def rate_laid(table, rules, weights, room):
    """The value of a towel with the best use of the tokens: at most one of each kind, where it makes a match."""
    best = NEVER
    cost = weights["lay"] if room["left"] > 0 else np.float32(0)
    for choice in range(CHOICES if room["tokens"] else 1):
        laid = lay_tokens(rules, choice, room)
        if laid >= 0:
            value = rate_as_it_lies(table, rules, weights, room)
            best = max(best, value - cost * laid)
    return best


@compiled
def lay_tokens(rules, choice, room):
    """Fills in what the towel shows after a choice of tokens; returns their number, or -1 if they cannot lie so."""
    showing, before = room["showing"], room["before"]
    free = room["free"]
    laid = 0
    for cell in range(CELLS):
        showing[cell] = room["cells"][cell]
    for kind in range(TOKEN_KINDS):
        cell = choice % (CELLS + 1) - 1
        choice //= CELLS + 1
        if cell >= 0:
            pattern = rules["token_pattern"][kind]
            if not (room["tokens"] >> kind & free >> cell & 1) or before[cell] != pattern or showing[cell] == pattern:
                return -1
            showing[cell] = pattern
            free &= ~(1 << cell)
            laid += 1
    return laid


@compiled
def rate_as_it_lies(table, rules, weights, room):
    """The value of the steps that a towel's matches and umbrellas bring, and of what it leaves possible."""
    worth, steps, showing = room["worth"], room["steps"], room["showing"]
    matched = not room["needs_match"]
    for track in range(NUM_PATTERNS):
        steps[track] = room["moved"][track]
    for cell in range(CELLS):
        if showing[cell] >= 0 and showing[cell] == room["before"][cell]:
            steps[showing[cell]] += row_value(room["top"] + cell)
            matched = True
    if not matched:
        return NO_MATCH
    for number in range(PATTERN_UMBRELLAS):
        if room["umbrellas"] >> number & 1:
            one, other = rules["umbrella_tracks"][number, 0], rules["umbrella_tracks"][number, 1]
            more_by_one = worth[one, steps[one] + 1] - worth[one, steps[one]]
            more_by_other = worth[other, steps[other] + 1] - worth[other, steps[other]]
            steps[one if more_by_one >= more_by_other else other] += 1
    value = room["purse"][min(room["left"], 1), room["dollars"]]
    for track in range(NUM_PATTERNS):
        value += worth[track, steps[track]]
    if room["left"] > 0:
        value += rate_prospects(table, weights, room)
    return value
