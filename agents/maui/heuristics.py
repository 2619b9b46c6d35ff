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
from strand_env.agents.maui import rollouts
from strand_env.agents.maui.appraisal import ROOM_DTYPE, rate_rows
from strand_env.agents.maui.weights import DIVISORS, WEIGHTS_DTYPE
from strand_env.agents.rollouts import RolloutPolicy
from strand_env.agents.weights import Weights, read_weights
from strand_env.maui import Games, layout
from strand_env.maui.numbers import numbers_of
from strand_env.maui.ruleset import Ruleset


class Heuristic(WeightedHeuristic):
    """Rates the actions of Maui by the numbers of a ruleset."""

    dtype: ClassVar[np.dtype] = WEIGHTS_DTYPE
    divisors: ClassVar[tuple[str, ...]] = DIVISORS

    def __init__(self, weights: Weights | None = None, ruleset: Ruleset | None = None) -> None:
        if ruleset is not None and not isinstance(ruleset, Ruleset):
            raise ValueError(f"{type(self).__name__} plays Maui: expected a Ruleset of it, got {ruleset!r:.80}")
        super().__init__(weights)
        self._rulesets = numbers_of(ruleset or Ruleset.default())

    def rate(self, observation: Observations, mask: Masks) -> npt.NDArray[np.float32]:
        """(rows, actions): the value of each legal action, roughly in points; hugely negative if illegal."""
        ratings = np.empty(mask.shape, np.float32)
        _, tables, seats = layout.by_name(observation)
        # A new room each time, since threads may share an agent.
        room = np.zeros(1, ROOM_DTYPE)
        rate_rows(1, len(mask), tables, seats, mask, self._rulesets, self._record, room, ratings)
        return ratings

    def rollout_policy(self, batch: Games) -> RolloutPolicy | None:
        """As in `Compiled`. Subclasses that decide in their own way must be asked instead."""
        if not self.decides_as(Heuristic):
            return None
        return RolloutPolicy(rollouts.choose, rollouts.room_of(self._record, self._rulesets))


class Greedy(Heuristic):
    """Takes the most points now."""

    weights: ClassVar[Weights] = {
        "dollar": (1.0, 1.0, 1.0, 1.0),
        "tempo": 3.0,
        "race": 0.0,
        "token": 0.0,
        "lay": 3.0,
        "climb": 0.0,
        "pearl": 0.0,
        "next": 0.0,
        "chance": (0.0, 0.0, 0.0),
        "others": 0.0,
        "guess": 1.0,
        "sinks": 0.0,
        "soon": (0.0, 0.0),
        "height": (0.0, 0.0, 0.0, 0.0, 0.0),
        "heat": 0.01,
    }


class Scout(Heuristic):
    """Looks two towels ahead: what a towel brings, and what the market and the bag will offer after it."""

    weights: ClassVar[Weights] = Greedy.weights | {
        "token": 3.0,
        "next": 0.8,
        "chance": (0.3, 0.6, 0.9),
        "others": 0.5,
        "sinks": 0.5,
        "heat": 0.1,
    }


class Beachcomber(Heuristic):
    """Collects umbrellas: plans its rows by those to come, and prefers pearls of which more of the colour follow."""

    weights: ClassVar[Weights] = Scout.weights | {"pearl": 1.5, "soon": (0.8, 0.6)}


class Racer(Heuristic):
    """Races to end the game: lays a towel in every turn, so that others have no time to spend what they saved.

    It saves nothing: dollars and tokens are there to be used. The further it is ahead, the less it waits.
    """

    weights: ClassVar[Weights] = Scout.weights | {
        "dollar": (0.2, 0.0, 0.0, 0.0),
        "tempo": 8.0,
        "race": 0.2,
        "lay": 0.5,
    }


class Nalu(Heuristic):
    """The reference agent: all of these ideas, with weights tuned by `train/tune.py`. Nalu is Hawaiian for wave.

    It is frozen, so that results against it stay comparable; a better one gets another name.
    """

    weights: ClassVar[Weights] = read_weights(Path(__file__).with_name("nalu.json"))
