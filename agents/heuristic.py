"""What the heuristics of all games share: weighted ideas rate the actions, and the best are likeliest."""

from collections.abc import Collection
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from strand_env.agents.base import Actions, Masks, Observations
from strand_env.agents.choosing import sample_rows, softmax_rows
from strand_env.agents.weights import Weights, as_record
from strand_env.engine.randomness import Streams


class WeightedHeuristic:
    """Rates all legal actions and samples one by softmax, with the weight `heat` as the temperature.

    A game's heuristics inherit from it. They say which weights there are, and how actions are rated.
    """

    weights: ClassVar[Weights] = {}
    dtype: ClassVar[np.dtype]  # of the weights, as a record for compiled code
    divisors: ClassVar[Collection[str]] = ("heat",)

    def __init__(self, weights: Weights | None = None) -> None:
        self.own_weights = self.weights if weights is None else weights
        self._record = as_record(self.own_weights, self.dtype, self.divisors)

    def reset(self) -> None:
        pass

    def act(self, observation: Observations, mask: Masks, rng: Streams) -> Actions:
        actions = np.empty(len(mask), np.int64)
        likely = self.probabilities(observation, mask)
        sample_rows(1, len(mask), likely, rng.random(), actions)
        return actions

    def probabilities(self, observation: Observations, mask: Masks) -> npt.NDArray[np.float32]:
        """(rows, actions): the softmax of the ratings, with `heat` as the temperature."""
        likely = self.rate(observation, mask)
        softmax_rows(1, len(mask), likely, self._record["heat"][0])
        return likely

    def rate(self, observation: Observations, mask: Masks) -> npt.NDArray[np.float32]:
        """(rows, actions): the value of each legal action, roughly in points; hugely negative if illegal."""
        raise NotImplementedError

    def decides_as(self, kind: type) -> bool:
        """Whether it decides as another class does, so that compiled code for that one serves this one, too."""
        return all(getattr(type(self), name) is getattr(kind, name) for name in ("act", "probabilities", "rate"))
