"""What RLlib needs besides its own `ParallelPettingZooEnv`. RLlib itself is not imported."""

from typing import Any

from gymnasium import spaces
from pettingzoo.utils.wrappers import BaseParallelWrapper

from strand_env.adapters.pettingzoo import GameParallelEnv, check_masks_in_observations
from strand_env.adapters.table import Observation


class ForActionMasking(BaseParallelWrapper[str, Observation, int]):
    """The same environment with "observation" named "observations", as RLlib's action-masking module reads it."""

    def __init__(self, env: GameParallelEnv) -> None:
        check_masks_in_observations(env)
        super().__init__(env)
        self._observation_spaces = {
            agent: spaces.Dict(_renamed(env.table.observation_space())) for agent in env.possible_agents
        }

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return self._observation_spaces[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, dict[str, Any]]]:
        observations, infos = super().reset(seed, options)
        return {agent: _renamed(seen) for agent, seen in observations.items()}, infos

    def step(
        self, actions: dict[str, int]
    ) -> tuple[dict[str, Observation], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]:
        observations, rewards, terminations, truncations, infos = super().step(actions)
        renamed: dict[str, Observation] = {agent: _renamed(seen) for agent, seen in observations.items()}
        return renamed, rewards, terminations, truncations, infos


def _renamed(entries: Any) -> dict[str, Any]:
    return {"observations": entries["observation"], "action_mask": entries["action_mask"]}
