"""From what actions seem worth to a choice: the better an action, the likelier it is."""

import numpy as np

from strand_env.jit import Kernel, compiled

NEVER = np.float32(-1e9)  # the worth of what is not legal
FURTHEST = np.float32(-80)  # from the best, in heats: beyond it a chance is as good as none


@compiled
def to_chances(worths, number, heat):
    """Turns what so many actions are worth into chances: likelier by a factor of e for each `heat` more."""
    best = NEVER
    for action in range(number):
        best = max(best, worths[action])
    total = np.float32(0)
    for action in range(number):
        far = (worths[action] - best) / heat
        worths[action] = np.exp(far) if far > FURTHEST else np.float32(0)
        total += worths[action]
    for action in range(number):
        worths[action] /= total


@Kernel
def worths_to_chances(start, stop, worths, heat):
    for row in range(start, stop):
        to_chances(worths[row], worths.shape[1], heat)


@Kernel
def choose_by_chance(start, stop, chances, uniform, out):
    """One action for each row, by a number from 0 to 1 for each."""
    for row in range(start, stop):
        left = uniform[row]
        for action in range(chances.shape[1]):
            if chances[row, action] > 0:
                out[row] = action  # also if rounding leaves a little more than the last one has
                left -= chances[row, action]
                if left < 0:
                    break
