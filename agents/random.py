"""The random agent."""

from typing import Any

import numpy as np
import numpy.typing as npt

from strand_env.agents.rollouts import RolloutPolicy, random_policy
from strand_env.engine.jit import Kernel
from strand_env.engine.randomness import Streams, bounded


class RandomAgent:
    """Plays a uniformly random legal action."""

    def reset(self) -> None:
        pass

    def act(
        self, observation: npt.NDArray[np.integer], mask: npt.NDArray[np.int8], rng: Streams
    ) -> npt.NDArray[np.int64]:
        actions = np.empty(len(mask), np.int64)
        choose_from_masks(1, len(mask), mask, rng.bits(), actions)
        return actions

    def probabilities(
        self, observation: npt.NDArray[np.integer], mask: npt.NDArray[np.int8]
    ) -> npt.NDArray[np.float64]:
        """(rows, actions): uniform over the legal actions."""
        return mask / mask.sum(1, keepdims=True)

    def rollout_policy(self, batch: Any) -> RolloutPolicy:
        return random_policy(batch.rules)


@Kernel
def choose_from_masks(start, stop, masks, bits, out):
    for row in range(start, stop):
        legal = 0
        for action in range(masks.shape[1]):
            legal += masks[row, action]
        nth = np.int64(bounded(bits[row], np.uint64(legal)))
        action = -1
        while nth >= 0:
            action += 1
            nth -= masks[row, action]
        out[row] = action
