"""Strangers: frozen opponents to judge agents by, which no agent has met. Nothing that learns may import this.

Half of them are the reference with weights perturbed at random. The others choose in ways that no other agent has: some
from the ratings of any game's heuristics, here, and those that a game adds (`GameAgents.strangers_module`).
"""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module

import numpy as np

from strand_env.agents.asking import AnyAgent
from strand_env.agents.base import Actions, Masks, Observations
from strand_env.agents.choosing import NEVER
from strand_env.agents.heuristic import WeightedHeuristic
from strand_env.agents.naming import agent_of
from strand_env.agents.weights import Weights
from strand_env.engine.game import Game
from strand_env.engine.randomness import Streams

PERTURBED = 8
SPREAD = 0.5  # standard deviation of the logarithm of a weight
BEST, WITHIN = 3, 1.0  # actions that a juggler draws from, and how many points they may be worse than the best


def has_strangers(game: Game) -> bool:
    """Whether the reference rates actions by weights, which can be perturbed."""
    return isinstance(agent_of(game.agents.reference, game=game), WeightedHeuristic)


def strangers_of(game: Game, drawn: int = 0) -> dict[str, AnyAgent]:
    """The strangers of a game by name; `drawn` is the seed of the perturbed weights."""
    heuristics = [agent_of(name, game=game) for name in game.agents.heuristics]
    reference = agent_of(game.agents.reference, game=game)
    if not isinstance(reference, WeightedHeuristic):
        raise ValueError(f"{game.title} has no strangers: its reference, {game.agents.reference}, has no weights")
    rated = [each for each in heuristics if isinstance(each, WeightedHeuristic)]
    found: dict[str, AnyAgent] = {}
    for number in range(PERTURBED):
        rng = np.random.default_rng([drawn, number])
        found[f"perturbed {number + 1}"] = type(reference)(perturbed(reference.own_weights, rng))
    found |= {"juggler": Juggler(reference), "committee": Committee(rated), "moody": Moody(rated)}
    if game.agents.strangers_module:
        added: Mapping[str, Callable[[], AnyAgent]] = import_module(game.agents.strangers_module).STRANGERS
        found |= {name: make() for name, make in added.items()}
    return found


def perturbed(weights: Weights, rng: np.random.Generator) -> Weights:
    """The weights, each multiplied by a random factor; signs stay."""
    return {name: np.asarray(value) * rng.lognormal(0, SPREAD, np.shape(value)) for name, value in weights.items()}


class Juggler:
    """Plays any of its three best actions that are good enough, all equally likely."""

    def __init__(self, heuristic: WeightedHeuristic) -> None:
        self.heuristic = heuristic

    def reset(self) -> None:
        pass

    def act(self, observation: Observations, mask: Masks, rng: Streams) -> Actions:
        ratings = self.heuristic.rate(observation, mask)
        best = np.argsort(-ratings, axis=1, kind="stable")[:, :BEST]
        rated = np.take_along_axis(ratings, best, axis=1)
        good = (rated >= rated[:, :1] - WITHIN).sum(1)
        return best[np.arange(len(mask)), rng.integers(good)]


class Committee:
    """Does what all heuristics of the game like best together, each rating being one of equal voices."""

    def __init__(self, members: Sequence[WeightedHeuristic]) -> None:
        self.members = members

    def reset(self) -> None:
        pass

    def act(self, observation: Observations, mask: Masks, rng: Streams) -> Actions:
        legal = mask == 1
        votes = np.zeros(mask.shape)
        for member in self.members:
            ratings = np.where(legal, member.rate(observation, mask), 0).astype(np.float64)
            ratings -= (ratings.sum(1) / legal.sum(1))[:, np.newaxis]
            spread = np.sqrt(np.where(legal, ratings**2, 0).sum(1) / legal.sum(1))
            votes += ratings / np.maximum(spread, 1e-6)[:, np.newaxis]
        return np.where(legal, votes, NEVER).argmax(1)


class Moody:
    """Plays each decision like another of the game's heuristics, drawn at random."""

    def __init__(self, moods: Sequence[WeightedHeuristic]) -> None:
        self.moods = moods

    def reset(self) -> None:
        pass

    def act(self, observation: Observations, mask: Masks, rng: Streams) -> Actions:
        drawn = rng.integers(np.full(len(mask), len(self.moods)))
        actions = np.empty(len(mask), np.int64)
        for number, mood in enumerate(self.moods):
            rows = np.flatnonzero(drawn == number)
            if len(rows):
                actions[rows] = mood.act(observation[rows], mask[rows], rng[rows])
        return actions
