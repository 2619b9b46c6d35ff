"""AgileRL: DQN with action masks, one learner against opponents, on Gymnasium's vector environment.

AgileRL masks the actions it takes, from `infos["action_mask"]`, but not the maximum in its targets, which counts
illegal actions, too; and its buffer for returns over several steps takes all rows of a vector environment for one game.
So the targets are returns of whole games, which need no maximum: each decision is kept with the reward that followed
until the end, as if it were the last one.
"""

from typing import Any

import gymnasium as gym
import numpy as np
import torch
from agilerl.algorithms import DQN
from agilerl.components.data import Transition
from agilerl.components.replay_buffer import ReplayBuffer
from running import Report, Task, run

import strand_env  # noqa: F401  # registers the environments

NUM_ENVS = 64


def train(task: Task, report: Report) -> None:
    np.random.seed(task.seed)  # noqa: NPY002  # the generator that the library draws from
    torch.manual_seed(task.seed)
    mode = gym.vector.AutoresetMode.SAME_STEP
    envs = gym.make_vec(task.gym_id, num_envs=NUM_ENVS, **task.learner, autoreset_mode=mode)
    layers = {"hidden_size": [128]}
    agent = DQN(
        envs.single_observation_space,
        envs.single_action_space,
        net_config={"latent_dim": 128, "encoder_config": layers, "head_config": layers},
        batch_size=512,
        lr=1e-3,
    )
    memory = ReplayBuffer(max_size=200_000)

    def policy(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        return agent.get_action(observations, epsilon=0.0, action_mask=masks)

    frames = 0
    games: list[list[Any]] = [[] for _ in range(NUM_ENVS)]
    observations, infos = envs.reset(seed=task.seed)
    while report(frames, policy):
        epsilon = max(0.05, 1.0 - 2 * report.progress)
        actions = agent.get_action(observations, epsilon, infos["action_mask"])
        following, rewards, terminations, truncations, infos = envs.step(actions)
        for row, game in enumerate(games):
            game.append((observations[row], actions[row], rewards[row]))
            if terminations[row] or truncations[row]:
                seen, chosen, paid = (np.array(part) for part in zip(*game, strict=True))
                returns = paid[::-1].cumsum()[::-1].copy()
                last = np.ones(len(game))  # `next_obs` does not count then
                decisions = Transition(
                    obs=seen, action=chosen, reward=returns, next_obs=seen, done=last, batch_size=[len(game)]
                )
                memory.add(decisions.to_tensordict())
                game.clear()
        observations = following
        frames += NUM_ENVS
        if len(memory) >= agent.batch_size:
            agent.learn(memory.sample(agent.batch_size))


if __name__ == "__main__":
    run(train)
