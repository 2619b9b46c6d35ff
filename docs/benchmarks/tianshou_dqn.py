"""Tianshou: double DQN with action masks, one learner against opponents."""

import numpy as np
import torch
from running import Report, Task, run
from tianshou.algorithm import DQN
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Batch, Collector, VectorReplayBuffer
from tianshou.utils.net.common import Net
from tianshou.utils.torch_utils import policy_within_training_step, torch_train_mode
from tianshou_envs import environments

NUM_ENVS, BATCH_SIZE = 32, 512


def train(task: Task, report: Report) -> None:
    np.random.seed(task.seed)  # noqa: NPY002  # the generator that the library draws from
    torch.manual_seed(task.seed)
    envs = environments(task, NUM_ENVS)
    space, actions = envs.observation_space[0], envs.action_space[0]  # of the environments inside the wrapper
    network = Net(state_shape=space.shape, action_shape=actions.n, hidden_sizes=[128, 128])
    learner = DiscreteQLearningPolicy(model=network, action_space=actions)
    # A return over 20 decisions, most of a game: its outcome, all of the reward, comes at the end.
    algorithm = DQN(
        policy=learner,
        optim=AdamOptimizerFactory(lr=5e-4),
        gamma=1.0,
        n_step_return_horizon=20,
        target_update_freq=500,
    )
    collector = Collector(algorithm, envs, VectorReplayBuffer(200_000, NUM_ENVS), exploration_noise=True)
    collector.reset()

    def policy(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        with torch.no_grad():
            return learner(Batch(obs=Batch(obs=observations, mask=masks), info=None)).act

    frames = 0
    while report(frames, policy):
        learner.set_eps_training(max(0.05, 1.0 - 2 * report.progress))
        with policy_within_training_step(learner), torch_train_mode(learner):
            frames += collector.collect(n_step=10 * NUM_ENVS).n_collected_steps
            for _ in range(10):
                algorithm.update(collector.buffer, sample_size=BATCH_SIZE)


if __name__ == "__main__":
    run(train)
