"""What TorchRL needs besides its own `PettingZooWrapper`. TorchRL itself is not imported."""

from typing import Any

from pettingzoo.utils.wrappers import BaseParallelWrapper

from strand_env.adapters.pettingzoo import GameParallelEnv, check_masks_in_observations
from strand_env.adapters.table import Observation


class ForTorchRL(BaseParallelWrapper[str, Observation, int]):
    """The same environment without infos: TorchRL would turn them into tensors, which strings cannot be.

    It finds the mask in the observations.
    """

    def __init__(self, env: GameParallelEnv) -> None:
        check_masks_in_observations(env)
        super().__init__(env)

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, dict[str, Any]]]:
        observations, infos = super().reset(seed, options)
        return observations, {agent: {} for agent in infos}

    def step(
        self, actions: dict[str, int]
    ) -> tuple[dict[str, Observation], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]:
        *outcome, infos = super().step(actions)
        return *outcome, {agent: {} for agent in infos}  # type: ignore[return-value]  # of a list mypy knows no lengths
