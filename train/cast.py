"""Opponents drawn from a weighted mix, for each seat of each game."""

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from strand_env.adapters.opponents import Opponents
from strand_env.agents import AnyAgent
from strand_env.engine.protocol import Batch
from strand_env.engine.randomness import Streams

CASTING, ALIKE = -2, -3  # in place of move numbers: streams apart from decisions and from the learners' seating


class Cast(Opponents):
    """A mix of agents, with weights that add up to 1. A seat's agent follows from the game's seed and plays to its end.

    In a share of the games, `alike`, the same agent plays all seats.
    """

    def __init__(self, weights: Mapping[str, float], agents: Mapping[str, AnyAgent], alike: float = 0.0) -> None:
        self.agents = [agents[name] for name in weights]
        self._alike = alike
        self._bounds = np.cumsum(list(weights.values()))[:-1]
        for agent in self.agents:
            agent.reset()

    def agent_indices(
        self,
        batch: Batch,
        games: npt.NDArray[np.int64],
        seats: npt.NDArray[np.int64],
        distances: npt.NDArray[np.int64],
    ) -> npt.NDArray[np.int64]:
        seeds = batch.seeds[games]
        alike = Streams.of_decisions(seeds, ALIKE, np.zeros_like(seats)).random() < self._alike
        drawn = Streams.of_decisions(seeds, CASTING, np.where(alike, 0, seats)).random()
        return np.searchsorted(self._bounds, drawn, side="right")
