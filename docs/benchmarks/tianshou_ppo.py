"""Tianshou: PPO with action masks, one learner against opponents.

Its policies apply masks to values (DQN), not to probabilities: the actor below does it.
"""

from typing import Any

import numpy as np
import torch
from running import Report, Task, run
from tianshou.algorithm import PPO
from tianshou.algorithm.modelfree.reinforce import DiscreteActorPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Batch, Collector, VectorReplayBuffer
from tianshou.utils.net.common import MLP
from tianshou.utils.torch_utils import policy_within_training_step, torch_train_mode
from tianshou_envs import environments
from torch import nn

NUM_ENVS, NUM_STEPS, BATCH_SIZE = 32, 128, 512


class Network(nn.Module):
    """Of an observation and its mask, as Tianshou's networks are called; illegal actions get no chance."""

    def __init__(self, features: int, outputs: int, masked: bool) -> None:
        super().__init__()
        self.body = MLP(input_dim=features, output_dim=outputs, hidden_sizes=[128, 128])
        self.masked = masked

    def forward(self, obs: Any, state: Any = None, info: Any = None) -> Any:
        answer = self.body(torch.as_tensor(obs.obs))
        if not self.masked:
            return answer
        return answer.masked_fill(torch.as_tensor(obs.mask) == 0, -1e9), state


def train(task: Task, report: Report) -> None:
    np.random.seed(task.seed)  # noqa: NPY002  # the generator that the library draws from
    torch.manual_seed(task.seed)
    envs = environments(task, NUM_ENVS)
    space, actions = envs.observation_space[0], envs.action_space[0]  # of the environments inside the wrapper
    actor, critic = (Network(space.shape[0], size, masked) for size, masked in ((int(actions.n), True), (1, False)))
    learner = DiscreteActorPolicy(actor=actor, action_space=actions, deterministic_eval=True)
    algorithm = PPO(
        policy=learner,
        critic=critic,
        optim=AdamOptimizerFactory(lr=1e-3),
        gamma=1.0,
        ent_coef=0.01,
        max_grad_norm=0.5,
        max_batchsize=4096,
    )
    collector = Collector(algorithm, envs, VectorReplayBuffer(NUM_STEPS * NUM_ENVS, NUM_ENVS))
    collector.reset()

    def policy(observations: np.ndarray, masks: np.ndarray) -> torch.Tensor:
        with torch.no_grad():
            return learner(Batch(obs=Batch(obs=observations, mask=masks), info=None)).act

    frames = 0
    while report(frames, policy):
        with policy_within_training_step(learner), torch_train_mode(algorithm):
            frames += collector.collect(n_step=NUM_STEPS * NUM_ENVS).n_collected_steps
            algorithm.update(collector.buffer, batch_size=BATCH_SIZE, repeat=4)
        collector.reset_buffer(keep_statistics=True)


if __name__ == "__main__":
    run(train)
