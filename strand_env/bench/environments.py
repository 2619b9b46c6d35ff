"""Speed of the environments built on the engine, against the bare engine for the same number of decisions.

In environments with one learner the opponents play randomly. Choosing actions counts, on both sides, for opponents
alone: for learners it is not the environment's work.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt

from strand_env.adapters.environments import Environments
from strand_env.adapters.scaling import encoding_in
from strand_env.agents import RandomAgent
from strand_env.agents.encoding import COMPACT
from strand_env.bench.engine import Loop, decisions_and_steps
from strand_env.bench.timing import BLOCKS
from strand_env.engine.game import Encoding, Game
from strand_env.engine.randomness import Streams

Masks = npt.NDArray[np.int8]
Actions = npt.NDArray[np.int64]


@dataclass(frozen=True)
class EnvironmentSpeed:
    """One kind of environment over a batch of games, on one core."""

    name: str
    microseconds: float  # per step of the environment
    decisions_per_second: float
    times_bare: float  # the engine's time for the same number of decisions
    encoding: float  # microseconds of a step in which observations are encoded


def measure_environments(
    game: Game, games: int, players: int, variant: str | None = None, seconds: float = 2.0
) -> list[EnvironmentSpeed]:
    """Each kind that is installed, in the compact and the default encoding, by turns with the bare engine."""
    made = Environments(game)
    # A step is a decision of each learner, and on average as many of each opponent; in self-play one of each row.
    kinds: list[tuple[str, int, int, Callable[..., Stepper]]] = [("Gymnasium vector", players, players - 1, _gymnasium)]
    if find_spec("sb3_contrib"):
        kinds.append(("SB3 VecEnv, one learner", players, players - 1, _stable_baselines))
        kinds.append(("SB3 VecEnv, self-play", 1, 0, _self_play))
    loop = Loop(game, games, 1, players, variant)
    encodings = [encoding_in(game, loop.games, name) for name in dict.fromkeys((COMPACT, _default_name(game)))]
    bare_steps = loop.warm_up(seconds / BLOCKS)
    decisions, steps = decisions_and_steps(game.batch, players, variant)
    speeds = []
    for (name, deciding, opponents, make), encoding in product(kinds, encodings):
        stepper = make(made, games, {"num_players": players, "variant": variant, "encoding": encoding.name})
        stepper.play(100)
        own_steps = max(10, round(seconds / BLOCKS / stepper.play(20)))
        own, bare, encoded = [], [], []
        for _ in range(BLOCKS):
            own.append(stepper.play(own_steps))
            encoded.append(_time_of(encoding, loop))
            choose, environment = loop.play(bare_steps)
            bare.append((choose * opponents / deciding + environment) * 1e-9 * steps / decisions)
        fastest, decided = min(own), games * deciding
        rates = decided / fastest, fastest / (decided * min(bare))
        speeds.append(EnvironmentSpeed(f"{name}, {encoding.name}", fastest * 1e6, *rates, min(encoded) * 1e6))
    return speeds


def _default_name(game: Game) -> str:
    return game.encodings[0].name if game.encodings else COMPACT


def _time_of(encoding: Encoding, loop: Loop) -> float:
    """Seconds for encoding one observation of each game."""
    seen = loop.games.observe()[:, 0]
    start = time.perf_counter()
    encoding.encode(seen)
    return time.perf_counter() - start


class Stepper:
    """Steps an environment with random actions; only its own work is timed."""

    def __init__(self, masks: Callable[[], Masks], step: Callable[[Actions], object]) -> None:
        self._masks = masks
        self._step = step
        self._agent = RandomAgent()
        self._rng = Streams(np.arange(len(masks()), dtype=np.uint64))
        self._nothing = np.empty((0, 0), np.int8)

    def play(self, steps: int) -> float:
        """Seconds per step."""
        total = 0.0
        for _ in range(steps):
            actions = self._agent.act(self._nothing, self._masks(), self._rng)
            start = time.perf_counter()
            self._step(actions)
            total += time.perf_counter() - start
        return total / steps


def _gymnasium(made: Environments, games: int, options: dict[str, Any]) -> Stepper:
    env = made.learner_vector_env(games, **options)
    env.reset(seed=1)
    return Stepper(env.action_masks, env.step)


def _stable_baselines(made: Environments, games: int, options: dict[str, Any]) -> Stepper:
    env = made.learner_vec_env(games, **options)
    env.seed(1)
    env.reset()
    return Stepper(env.action_masks, env.step)


def _self_play(made: Environments, games: int, options: dict[str, Any]) -> Stepper:
    env = made.self_play_vec_env(games, **options)
    env.seed(1)
    env.reset()
    return Stepper(env.action_masks, lambda actions: (env.step(actions), env.collect()))
