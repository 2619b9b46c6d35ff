"""Players with a plan. All rate actions in the same way, `appraisal.py`; what they care about is what sets them apart."""

from typing import Any

import numpy as np
import numpy.typing as npt
from strand_env.agents.base import Actions, Masks, Observations
from strand_env.agents.choosing import choose_by_worth
from strand_env.agents.strand_unter import appraisal
from strand_env.agents.strand_unter.seen import by_name

from strand_env.randomness import Streams
from strand_env.strand_unter.ruleset import COMBINATIONS, Ruleset

PLAIN: dict[str, Any] = {
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


class Heuristic:
    weights = PLAIN

    def __init__(self, ruleset: Ruleset | None = None) -> None:
        dial = (ruleset or Ruleset.default()).combinations
        self._kinds = np.array([COMBINATIONS.index(kind) for kind in dial])
        self._weights = as_record(self.weights)
        self._room = appraisal.room()

    def reset(self) -> None:
        pass

    def act(self, observation: Observations, mask: Masks, rng: Streams) -> Actions:
        ratings = self.rate(observation, mask)
        actions = np.empty(len(mask), np.int64)
        choose_by_worth(1, len(mask), ratings, mask, self._weights["heat"][0], rng.random(), actions)
        return actions

    def rate(self, observation: Observations, mask: Masks) -> npt.NDArray[np.float32]:
        """(rows, actions): what each legal action is worth, about in points."""
        ratings = np.empty(mask.shape, np.float32)
        seen = by_name(observation)
        appraisal.rate_rows(1, len(mask), *seen, mask, self._weights, self._kinds, *self._room, ratings)
        return ratings


def as_record(weights: dict[str, Any]) -> np.ndarray:
    """The weights as compiled code takes them."""
    record = np.zeros(1, appraisal.WEIGHTS_DTYPE)
    for name, value in weights.items():
        record[name][0] = value
    return record


class Greedy(Heuristic):
    """Collects what its cards need most, as if it were alone, and builds as soon as it can."""


class Dodger(Heuristic):
    """Wants what its cards need, but guesses what everybody else wants, too, and keeps out of their way."""

    weights = PLAIN | {"others": 1.0, "crowd": 0.3}


class Sprinter(Heuristic):
    """Races to end the game: takes the cheapest castles, cares for one card after the other, and builds at once."""

    weights = Dodger.weights | {"pick_value": -1.0, "castle": (3.0, 2.0, 1.0, 0.5), "shell": (1.5, 0.7, 0.4, 0.3)}


class Mason(Heuristic):
    """Builds near the sea: waits at low tide for the last grooves."""

    weights = Dodger.weights | {"wait": (9, 9, 8, 8, 8, 7, 0, 0), "pick_value": 1.0}
