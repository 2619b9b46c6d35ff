"""From what actions seem worth to a choice: the better an action, the likelier it is."""

import numpy as np

from strand_env.engine.jit import Kernel, compiled

NEVER = np.float32(-1e9)  # the worth of what is not legal
FURTHEST = np.float32(-80)  # from the best, in heats: beyond it a chance is as good as none


@compiled
def to_likelihoods(worths, first, last, heat):
    """Turns what the actions from the first to before the last are worth into how likely they are; returns their sum.

    One is likelier by a factor of e for each `heat` that it is worth more.
    """
    best = NEVER
    for action in range(first, last):
        best = max(best, worths[action])
    total = np.float32(0)
    for action in range(first, last):
        far = (worths[action] - best) / heat
        worths[action] = np.exp(far) if far > FURTHEST else np.float32(0)
        total += worths[action]
    return total


@compiled
def to_chances(worths, first, last, heat):
    """The same, so that they add up to 1."""
    total = to_likelihoods(worths, first, last, heat)
    for action in range(first, last):
        worths[action] /= total


@compiled
def choose(likely, first, last, total, uniform):
    """One of these actions, by a number from 0 to 1; `total` is how likely all are together."""
    chosen = first
    for action in range(first, last):
        if likely[action] > 0:
            chosen = action  # also if rounding leaves a little more than the last one has
            uniform -= likely[action] / total
            if uniform < 0:
                break
    return chosen


@Kernel
def worths_to_chances(start, stop, worths, heat):
    for row in range(start, stop):
        to_chances(worths[row], 0, worths.shape[1], heat)


@Kernel
def choose_by_chance(start, stop, chances, uniform, out):
    """One action for each row, by a number from 0 to 1 for each."""
    for row in range(start, stop):
        out[row] = choose(chances[row], 0, chances.shape[1], np.float32(1), uniform[row])
