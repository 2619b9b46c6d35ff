"""Softmax over the values of actions, and sampling from it."""

import numpy as np

from strand_env.engine.jit import Kernel, compiled

NEVER = np.float32(-1e9)  # the value of an illegal action
_NEGLIGIBLE = np.float32(-80)  # exp of anything below counts as 0


@compiled
def softmax_weights(values, first, last, temperature):
    """Replaces the values of the actions in range(first, last) by unnormalised softmax weights; returns their sum."""
    best = NEVER
    for action in range(first, last):
        if values[action] > best:
            best = values[action]
    total = np.float32(0)
    for action in range(first, last):
        weight = np.float32(0)
        if values[action] > NEVER:  # most actions are illegal: skipping them is faster than computing with them
            logit = (values[action] - best) / temperature
            weight = np.exp(logit) if logit > _NEGLIGIBLE else weight
            total += weight
        values[action] = weight
    return total


@compiled
def softmax(values, first, last, temperature):
    """Replaces the values by probabilities, which add up to 1."""
    total = softmax_weights(values, first, last, temperature)
    for action in range(first, last):
        values[action] /= total


@compiled
def sample(weights, first, last, total, uniform):
    """Samples an action in range(first, last) by weights with this total, given a uniform number from 0 to 1."""
    chosen = first
    for action in range(first, last):
        if weights[action] > 0:
            chosen = action  # stays the last one if rounding leaves a remainder of `uniform`
            uniform -= weights[action] / total
            if uniform < 0:
                break
    return chosen


@Kernel
def softmax_rows(start, stop, values, temperature):
    for row in range(start, stop):
        softmax(values[row], 0, values.shape[1], temperature)


@Kernel
def sample_rows(start, stop, probabilities, uniform, out):
    """One action per row, given a uniform number from 0 to 1 for each."""
    for row in range(start, stop):
        out[row] = sample(probabilities[row], 0, probabilities.shape[1], np.float32(1), uniform[row])
