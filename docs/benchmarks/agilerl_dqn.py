"""AgileRL: double DQN with action masks, one learner against opponents, on Gymnasium's vector environment.

AgileRL masks the actions it takes, from `infos["action_mask"]`, but not the maximum in its targets, which counts
illegal actions, too. Its buffer for returns over several steps takes all rows of a vector environment for one game, so
this is plain DQN, and the potential (`shaping=1`) brings the outcome nearer to the decisions.
"""

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
    envs = gym.make_vec(task.gym_id, num_envs=NUM_ENVS, **task.learner, shaping=1, autoreset_mode=mode)
    layers = {"hidden_size": [128]}
    agent = DQN(
        envs.single_observation_space,
        envs.single_action_space,
        net_config={"latent_dim": 128, "encoder_config": layers, "head_config": layers},
        batch_size=512,
        lr=5e-4,
        gamma=1.0,
        tau=0.01,
    )
    memory = ReplayBuffer(max_size=200_000)

    def policy(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        return agent.get_action(observations, epsilon=0.0, action_mask=masks)

    frames = 0
    observations, infos = envs.reset(seed=task.seed)
    while report(frames, policy):
        epsilon = max(0.05, 1.0 - 2 * report.progress)
        actions = agent.get_action(observations, epsilon, infos["action_mask"])
        following, rewards, terminations, truncations, infos = envs.step(actions)
        step = Transition(
            obs=observations,
            action=actions,
            reward=rewards,
            next_obs=following,  # of a finished game: the first of the next, which `done` leaves out of the target
            done=terminations | truncations,
            batch_size=[NUM_ENVS],
        )
        memory.add(step.to_tensordict())
        observations = following
        frames += NUM_ENVS
        if frames >= 16 * NUM_ENVS:
            agent.learn(memory.sample(agent.batch_size))


if __name__ == "__main__":
    run(train)
