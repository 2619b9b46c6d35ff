"""Heuristic agents.

All of them rate actions by the ideas of `appraisal.py` and prefer the highest rating. They differ in how much each idea
counts: in their weights, which `weights.py` explains.
"""

from itertools import chain
from pathlib import Path
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from strand_env.agents.base import Masks, Observations
from strand_env.agents.heuristic import WeightedHeuristic
from strand_env.agents.rollouts import RolloutPolicy
from strand_env.agents.sea_or_shore import rollouts
from strand_env.agents.sea_or_shore.appraisal import ROOM_DTYPE, rate_rows
from strand_env.agents.sea_or_shore.inference import weigh_games
from strand_env.agents.sea_or_shore.weights import WEIGHTS_DTYPE
from strand_env.agents.weights import Weights, read_weights
from strand_env.sea_or_shore import Games, layout
from strand_env.sea_or_shore.ruleset import Ruleset


class Heuristic(WeightedHeuristic):
    """Rates the actions of Sea or Shore. The ruleset says which number is on which card."""

    dtype: ClassVar[np.dtype] = WEIGHTS_DTYPE

    def __init__(self, weights: Weights | None = None, ruleset: Ruleset | None = None) -> None:
        if ruleset is not None and not isinstance(ruleset, Ruleset):
            raise ValueError(f"{type(self).__name__} plays Sea or Shore: expected a Ruleset of it, got {ruleset!r:.80}")
        super().__init__(weights)
        self._numbers = np.array(list(chain(*(ruleset or Ruleset.default()).islands)))

    def rate(self, observation: Observations, mask: Masks) -> npt.NDArray[np.float32]:
        """(rows, actions): the value of each legal action, roughly in points; hugely negative if illegal."""
        ratings = np.empty(mask.shape, np.float32)
        _, tables, seats = layout.by_name(observation)
        # A new room each time, since threads may share an agent.
        rate_rows(1, len(mask), tables, seats, mask, self._numbers, self._record, np.zeros(1, ROOM_DTYPE), ratings)
        return ratings

    def rollout_policy(self, batch: Games) -> RolloutPolicy | None:
        """As in `Compiled`. Subclasses that decide in their own way must be asked instead."""
        if not self.decides_as(Heuristic):
            return None
        return RolloutPolicy(rollouts.choose, rollouts.room_of(self._record, self._numbers))

    def likelihoods(self, batch: Games, observers: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """As in `Inferring`: of the covered plays."""
        found, plays = np.empty(batch.num_games), batch.clone()
        room = rollouts.room_of(self._record, self._numbers)
        weigh_games(1, batch.num_games, plays.for_kernels, observers, room, found)
        return found


class Counter(Heuristic):
    """Counts the cards that can still beat a play, as if the others played any of theirs."""

    weights: ClassVar[Weights] = {
        "extra": 0.1,
        "action": (0.0, 0.5, 0.5, 0.5),
        "keep": (0.0, 0.2, 0.7, 1.5),
        "rich": 0.0,
        "guard": 0.5,
        "spite": 0.0,
        "leader": 0.0,
        "tempt": 0.0,
        "lean": 0.0,
        "boost": 0.0,
        "veil": 0.0,
        "scare": 0.0,
        "lure": 0.0,
        "late": 0.5,
        "heat": 0.02,
    }


class Bluffer(Heuristic):
    """Shows high numbers to scare others off, hides low ones behind their colour, and counts like `Counter`."""

    weights: ClassVar[Weights] = Counter.weights | {"veil": 0.1, "scare": 0.5, "lure": -0.3}


class Hoarder(Heuristic):
    """Loses on purpose to collect extras, and spends them only on big treasures."""

    weights: ClassVar[Weights] = Counter.weights | {"extra": 0.5, "lure": 0.3}


class Thief(Heuristic):
    """Takes from others what they have, from the one who is ahead above all, and guards what it has stolen."""

    weights: ClassVar[Weights] = Counter.weights | {
        "action": (1.0, 1.0, 0.0, 0.0),
        "guard": 1.0,
        "spite": 0.3,
        "leader": 0.7,
    }


class Reader(Heuristic):
    """Reads what others have covered: they play for what is worth most, with high cards, and use their extras."""

    weights: ClassVar[Weights] = Counter.weights | {"tempt": 0.3, "lean": 0.6, "boost": 0.3}


class Skipper(Heuristic):
    """The reference agent: all of these ideas, with weights tuned by `train/tune.py`.

    It is frozen, so that results against it stay comparable; a better one gets another name.
    """

    weights: ClassVar[Weights] = read_weights(Path(__file__).with_name("skipper.json"))
