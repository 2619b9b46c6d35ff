"""From what actions seem worth to a choice: the better an action, the likelier it is."""

import numpy as np

from strand_env.jit import Kernel

NEVER = np.float32(-1e9)  # the worth of what is not legal


@Kernel
def worth_to_chance(start, stop, worths, heat):
    """Turns the worth of each row's actions into chances: likelier by a factor of e for each `heat` more."""
    actions = worths.shape[1]
    for row in range(start, stop):
        best = NEVER
        for action in range(actions):
            best = max(best, worths[row, action])
        total = np.float32(0)
        for action in range(actions):
            far = (worths[row, action] - best) / heat
            worths[row, action] = np.exp(far) if far > -80 else np.float32(0)
            total += worths[row, action]
        for action in range(actions):
            worths[row, action] /= total


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
