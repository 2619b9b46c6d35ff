"""RLlib: PPO, all players learn with one policy, by its own module for action masks."""

import numpy as np
import ray
import torch
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.env.wrappers.pettingzoo_env import ParallelPettingZooEnv
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule
from ray.rllib.utils.metrics import ENV_RUNNER_RESULTS, NUM_ENV_STEPS_SAMPLED_LIFETIME
from ray.tune import register_env
from running import Report, Task, run

from strand_env.adapters.rllib import ForActionMasking

BATCH = 1024  # steps of games, each with a row for every player


def train(task: Task, report: Report) -> None:
    def make(_: dict) -> ParallelPettingZooEnv:
        game = task.environments.parallel_env(num_players=task.players, reward="margin")
        return ParallelPettingZooEnv(ForActionMasking(game))

    ray.init(num_cpus=1, include_dashboard=False)  # everything happens in this process
    register_env(task.game, make)
    network = {"fcnet_hiddens": [128, 128], "fcnet_activation": "relu"}
    module = RLModuleSpec(module_class=ActionMaskingTorchRLModule, model_config=network)
    algorithm = (
        PPOConfig()
        .environment(task.game)
        .env_runners(num_env_runners=0)
        .multi_agent(policies={"shared"}, policy_mapping_fn=lambda *_, **__: "shared")
        .rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs={"shared": module}))
        .training(
            train_batch_size_per_learner=BATCH,
            minibatch_size=1024,
            num_epochs=4,
            lr=1e-3,
            gamma=1.0,
            lambda_=0.95,
            entropy_coeff=0.01,
            grad_clip=0.5,
        )
        .debugging(seed=task.seed)
        .build_algo()
    )

    @torch.no_grad()
    def policy(observations: np.ndarray, masks: np.ndarray) -> torch.Tensor:
        seen = {"observations": torch.as_tensor(observations), "action_mask": torch.as_tensor(masks).float()}
        answer = algorithm.get_module("shared").forward_inference({Columns.OBS: seen})
        return answer[Columns.ACTION_DIST_INPUTS].argmax(dim=1)

    frames = 0
    while report(frames, policy):
        sampled = algorithm.train()[ENV_RUNNER_RESULTS][NUM_ENV_STEPS_SAMPLED_LIFETIME]
        frames = int(sampled) * task.players
    algorithm.stop()
    ray.shutdown()


if __name__ == "__main__":
    run(train)
