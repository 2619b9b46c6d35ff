"""BenchMARL: MAPPO; all players learn, and the critic sees what all of them see.

With `IppoConfig` in place of `MappoConfig` it is IPPO, whose critics see one player's observation each.
"""

import tempfile
from collections.abc import Callable
from contextlib import suppress

import numpy as np
import torch
from benchmarl.algorithms import MappoConfig
from benchmarl.environments.pettingzoo.common import PettingZooClass
from benchmarl.experiment import Callback, Experiment, ExperimentConfig
from benchmarl.models.mlp import MlpConfig
from running import Report, Task, run
from tensordict import TensorDict
from torch import nn
from torchrl.envs import EnvBase, PettingZooWrapper
from torchrl.envs.utils import ExplorationType, set_exploration_type

from strand_env.adapters.torchrl import ForTorchRL


class StrandTask(PettingZooClass):
    """A game as BenchMARL's tasks are described."""

    def get_env_fun(
        self, num_envs: int, continuous_actions: bool, seed: int | None, device: torch.device
    ) -> Callable[[], EnvBase]:
        task: Task = self.config["task"]

        def make() -> EnvBase:
            game = task.environments.parallel_env(num_players=task.players, reward="margin")
            return PettingZooWrapper(ForTorchRL(game), categorical_actions=True, device=device, seed=seed)

        return make

    def supports_continuous_actions(self) -> bool:
        return False

    def supports_discrete_actions(self) -> bool:
        return True

    def has_state(self) -> bool:
        return False

    def has_render(self, env: EnvBase) -> bool:
        return False

    def max_steps(self, env: EnvBase) -> int:
        return 1000  # no game is as long


class Finished(KeyboardInterrupt):
    """What BenchMARL takes for a wish to stop, not for a failure."""


class Reporting(Callback):
    """Evaluates after each training step, and ends the experiment when the budget is used up."""

    def __init__(self, task: Task, report: Report) -> None:
        super().__init__()
        self.task, self.report = task, report

    def on_train_end(self, training_td: TensorDict, group: str) -> None:
        if not self.report(self.experiment.total_frames * self.task.players, self.policy):
            raise Finished

    def policy(self, observations: np.ndarray, masks: np.ndarray) -> torch.Tensor:
        players = self.task.players  # who share their parameters: each row is shown to all, and the first one answers
        rows, shape = TensorDict(batch_size=[len(masks)]), (-1, players, -1)
        rows["player", "observation", "observation"] = torch.as_tensor(observations)[:, None].expand(shape)
        rows["player", "action_mask"] = torch.as_tensor(masks)[:, None].expand(shape).bool()
        with torch.no_grad(), set_exploration_type(ExplorationType.DETERMINISTIC):
            return self.experiment.group_policies["player"](rows)["player", "action"][:, 0]


def train(task: Task, report: Report) -> None:
    config = ExperimentConfig.get_from_yaml()
    config.loggers, config.create_json, config.evaluation, config.render = [], False, False, False
    config.save_folder = tempfile.mkdtemp()
    config.gamma, config.lr = 1.0, 1e-3
    config.on_policy_collected_frames_per_batch = 1024  # steps of games, each with a row for every player
    config.on_policy_n_envs_per_worker = 1
    config.on_policy_n_minibatch_iters, config.on_policy_minibatch_size = 4, 256
    algorithm = MappoConfig.get_from_yaml()
    algorithm.entropy_coef, algorithm.lmbda = 0.01, 0.95
    network = MlpConfig(num_cells=[128, 128], layer_class=nn.Linear, activation_class=nn.ReLU)
    experiment = Experiment(
        task=StrandTask(task.game.upper(), {"task": task}),
        algorithm_config=algorithm,
        model_config=network,
        critic_model_config=network,
        seed=task.seed,
        config=config,
        callbacks=[Reporting(task, report)],
    )
    with suppress(Finished):
        experiment.run()


if __name__ == "__main__":
    run(train)
