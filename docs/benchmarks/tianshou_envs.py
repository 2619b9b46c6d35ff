"""Environments for Tianshou, which reads the legal actions of an observation from its entry "mask"."""

from typing import Any

import gymnasium as gym
from gymnasium import spaces
from running import Task
from tianshou.env import DummyVectorEnv

import strand_env  # noqa: F401  # registers the environments


class MaskInObservation(gym.Wrapper):
    """Observations as Tianshou takes them apart: {"obs": …, "mask": …}."""

    def __init__(self, env: gym.Env) -> None:
        super().__init__(env)
        mask = spaces.MultiBinary(int(env.action_space.n))
        self.observation_space = spaces.Dict({"obs": env.observation_space, "mask": mask})

    def reset(self, **arguments: Any) -> tuple[Any, dict[str, Any]]:
        observation, info = self.env.reset(**arguments)
        return {"obs": observation, "mask": info["action_mask"]}, info

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        observation, *outcome, info = self.env.step(action)
        return {"obs": observation, "mask": info["action_mask"]}, *outcome, info


def environments(task: Task, number: int) -> DummyVectorEnv:
    def make() -> gym.Env:
        return MaskInObservation(gym.make(task.gym_id, **task.learner, disable_env_checker=True))

    envs = DummyVectorEnv([make] * number)
    envs.seed(task.seed)
    return envs
