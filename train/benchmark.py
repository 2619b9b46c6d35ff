"""The share of training time spent in the environment: MaskablePPO is timed on it and on one that costs nothing."""

import time
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from threadpoolctl import threadpool_limits

from strand_env.adapters.sb3 import BatchVecEnv, Step
from strand_env.support.printing import console, line
from strand_env.train.config import Config
from strand_env.train.environment import TrainingVecEnv
from strand_env.train.learner import PolicyPool, environment_of, model_of, network_of, opponents_of

ROUNDS = 7


class NothingVecEnv(BatchVecEnv):
    """Repeats the first observations of another environment forever."""

    def __init__(self, env: TrainingVecEnv) -> None:
        match = env.matches[0]
        super().__init__(match.game, match.batch, match.recorder, match.encoding, env.num_envs)
        self.observation_space = env.observation_space
        self._observations = env.reset().copy()
        self._masks = env.action_masks().copy()
        rows = env.num_envs
        self._step: Step = self._observations, np.zeros(rows, np.float32), np.zeros(rows, np.bool_), [{}] * rows

    def reset(self) -> npt.NDArray[np.float32]:
        self._reset_arguments()
        return self._observations

    def step_wait(self) -> Step:
        return self._step

    def action_masks(self) -> npt.NDArray[np.int8]:
        return self._masks


class _Begin(BaseCallback):
    """Prepares self-play at the start of each rollout, as a run does."""

    def __init__(self, policies: PolicyPool) -> None:
        super().__init__()
        self._policies = policies

    def _on_rollout_start(self) -> None:
        network = network_of(self.model)  # type: ignore[arg-type]
        self._policies.keep(network)
        self._policies.begin(network, 0)

    def _on_step(self) -> bool:
        return True


@dataclass(frozen=True)
class Speeds:
    """Timesteps per second of each round; the two were measured alternately."""

    training: list[float]
    nothing: list[float]

    @property
    def share(self) -> float:
        """Share of the speed without an environment: the median over rounds, as load slows both halves of a round."""
        return median(own / most for own, most in zip(self.training, self.nothing, strict=True))


def measure(config: Config, rounds: int = ROUNDS) -> Speeds:
    """Times one rollout and its update per round, on both environments."""
    torch.set_num_threads(config.threads)
    rollout = config.n_envs * config.n_steps
    with threadpool_limits(config.threads, "blas"):
        policies = PolicyPool(config)
        env = environment_of(config, policies)
        models = {
            "training": (model_of(config, env), _Begin(policies)),
            "nothing": (model_of(config, NothingVecEnv(environment_of(config, policies))), None),
        }
        for model, callback in models.values():
            model.learn(rollout, callback)  # warm-up: compiles everything
        speeds: dict[str, list[float]] = {name: [] for name in models}
        for _ in range(rounds):
            for name, (model, callback) in models.items():
                speeds[name].append(rollout / _seconds(model, rollout, callback))
    return Speeds(**speeds)


def _seconds(model: MaskablePPO, timesteps: int, callback: Any) -> float:
    began = time.perf_counter()
    model.learn(timesteps, callback, reset_num_timesteps=False)
    return time.perf_counter() - began


def report(config: Config) -> None:
    """Measures and prints the speeds."""
    if config.algorithm != "ppo":
        raise ValueError(f"--benchmark measures ppo; got --algorithm {config.algorithm}")
    speeds = measure(config)
    out = console()
    for meaning, each in (
        ("training", speeds.training),
        ("MaskablePPO on an environment that costs nothing", speeds.nothing),
    ):
        out.print(f"{median(each):>9,.0f} timesteps per second: {meaning} ({min(each):,.0f} to {max(each):,.0f})")
    mix = ", ".join(f"{name} {weight:.0%}" for name, weight in opponents_of(config).items())
    out.print(line(f"{speeds.share:>9.1%} of it (median of {len(speeds.training)} alternating rounds; {mix})"))
