"""From what actions seem worth to a choice: the better an action, the likelier it is."""

import numpy as np

from strand_env.jit import Kernel


@Kernel
def choose_by_worth(start, stop, worths, masks, heat, uniform, out):
    """One legal action for each row, by a number from 0 to 1 for each: likelier by a factor of e for `heat` more."""
    actions = worths.shape[1]
    for row in range(start, stop):
        best = -np.inf
        for action in range(actions):
            if masks[row, action]:
                best = max(best, worths[row, action])
        total = 0.0
        for action in range(actions):
            if masks[row, action]:
                worths[row, action] = np.exp((worths[row, action] - best) / heat)
                total += worths[row, action]
            else:
                worths[row, action] = 0
        left = uniform[row] * total
        for action in range(actions):
            if worths[row, action] > 0:
                out[row] = action
                left -= worths[row, action]
                if left < 0:
                    break
