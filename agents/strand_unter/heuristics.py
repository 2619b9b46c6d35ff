"""Heuristic agents.

All of them rate actions by the ideas of `appraisal.py` and prefer the highest rating. They differ in how much each idea
counts: in their weights, which `weights.py` explains.
"""

from pathlib import Path
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from strand_env.agents.base import Masks, Observations
from strand_env.agents.heuristic import WeightedHeuristic
from strand_env.agents.rollouts import RolloutPolicy
from strand_env.agents.strand_unter import rollouts
from strand_env.agents.strand_unter.appraisal import ROOM_DTYPE, rate_rows
from strand_env.agents.strand_unter.weights import DIVISORS, WEIGHTS_DTYPE
from strand_env.agents.weights import Weights, read_weights
from strand_env.strand_unter import Games, layout
from strand_env.strand_unter.ruleset import COMBINATIONS, Ruleset


class Heuristic(WeightedHeuristic):
    """Rates the actions of Strand Unter. The ruleset says which combination is where on the dial."""

    dtype: ClassVar[np.dtype] = WEIGHTS_DTYPE
    divisors: ClassVar[tuple[str, ...]] = DIVISORS

    def __init__(self, weights: Weights | None = None, ruleset: Ruleset | None = None) -> None:
        if ruleset is not None and not isinstance(ruleset, Ruleset):
            raise ValueError(f"{type(self).__name__} plays Strand Unter: expected a Ruleset of it, got {ruleset!r:.80}")
        super().__init__(weights)
        dial = (ruleset or Ruleset.default()).combinations
        self._kinds = np.array([COMBINATIONS.index(kind) for kind in dial])

    def rate(self, observation: Observations, mask: Masks) -> npt.NDArray[np.float32]:
        """(rows, actions): the value of each legal action, roughly in points; hugely negative if illegal."""
        ratings = np.empty(mask.shape, np.float32)
        entries, tables, seats = layout.by_name(observation)
        seen = entries.view(np.uint64), tables, seats
        # A new room each time, since threads may share an agent.
        rate_rows(1, len(mask), *seen, mask, self._record, self._kinds, np.zeros(1, ROOM_DTYPE), ratings)
        return ratings

    def rollout_policy(self, batch: Games) -> RolloutPolicy | None:
        """As in `Compiled`. Subclasses that decide in their own way must be asked instead."""
        if not self.decides_as(Heuristic):
            return None
        return RolloutPolicy(rollouts.choose, rollouts.room_of(self._record, self._kinds))


class Greedy(Heuristic):
    """Collects what its cards need most, ignoring the others, and builds as soon as it can."""

    weights: ClassVar[Weights] = {
        "shell": (1.2, 1.0, 0.8, 0.6),
        "wild": 0.7,
        "unfit": 1.0,
        "reach": 2.5,
        "castle": (2.0, 1.2, 0.8, 0.5),
        "pick_missing": 1.0,
        "pick_value": 0.5,
        "others": 0.0,
        "guess": 0.5,
        "crowd": 0.0,
        "spell": 0.5,
        "wait": (0.0,) * 8,
        "pace": 4.0,
        "doubt": 1.0,
        "value": 1.0,
        "finish": 0.0,
        "heat": 0.05,
    }


class Dodger(Heuristic):
    """Collects what its cards need, but avoids what it expects the others to set, judging by their needs."""

    weights: ClassVar[Weights] = Greedy.weights | {"others": 0.6, "guess": 0.6, "crowd": 0.8, "heat": 0.1}


class Sprinter(Heuristic):
    """Races to end the game: takes the castles that lack least, builds at once, and prefers shells to castles."""

    weights: ClassVar[Weights] = Greedy.weights | {
        "shell": (1.6, 1.0, 0.7, 0.5),
        "castle": (1.6, 0.6, 0.2, 0.0),
        "pick_missing": 2.0,
        "pick_value": 0.0,
        "others": 0.3,
        "finish": 1.0,
        "heat": 0.1,
    }


class Mason(Heuristic):
    """Builds near the sea: saves up at low tide for the last grooves, and reckons with what the tide will spare."""

    weights: ClassVar[Weights] = Greedy.weights | {
        "castle": (1.5, 1.5, 1.5, 1.5),
        "pick_value": 1.0,
        "others": 0.3,
        "heat": 0.1,
        "wait": (9.0, 9.0, 9.0, 9.0, 7.0, 2.0, 0.0, 0.0),
        "doubt": 0.5,
        "value": 1.5,
    }


class Tide(Heuristic):
    """The reference agent: all of these ideas, with weights tuned by `train/tune.py`.

    It is frozen, so that results against it stay comparable; a better one gets another name.
    """

    weights: ClassVar[Weights] = read_weights(Path(__file__).with_name("tide.json"))
