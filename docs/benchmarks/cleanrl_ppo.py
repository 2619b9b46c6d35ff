"""PPO in one file as CleanRL has it (ppo.py), with action masks, on Gymnasium's vector environment.

Finished games are dealt again in the same step (`AutoresetMode.SAME_STEP`), as CleanRL's loop expects: the reward of
`step`, which holds a game's whole outcome, is stored before the rollout can end, and `done` marks the next row.
"""

import gymnasium as gym
import numpy as np
import torch
from running import Report, Task, run
from torch import nn
from torch.distributions import Categorical

import strand_env  # noqa: F401  # registers the environments

NUM_ENVS, NUM_STEPS, MINIBATCHES, UPDATE_EPOCHS = 256, 32, 8, 4
LEARNING_RATE, GAMMA, GAE_LAMBDA, CLIP_COEF, ENT_COEF, VF_COEF, MAX_GRAD_NORM = 1e-3, 1.0, 0.95, 0.2, 0.01, 0.5, 0.5


class Agent(nn.Module):
    def __init__(self, features: int, actions: int) -> None:
        super().__init__()
        self.actor = network(features, actions, 0.01)
        self.critic = network(features, 1, 1.0)

    def distribution(self, obs: torch.Tensor, masks: torch.Tensor) -> Categorical:
        return Categorical(logits=self.actor(obs).masked_fill(masks == 0, -1e9))


def network(inputs: int, outputs: int, gain: float) -> nn.Sequential:
    layers = [nn.Linear(inputs, 128), nn.Linear(128, 128), nn.Linear(128, outputs)]
    for layer, scale in zip(layers, (2**0.5, 2**0.5, gain), strict=True):
        nn.init.orthogonal_(layer.weight, scale)
        nn.init.zeros_(layer.bias)
    return nn.Sequential(layers[0], nn.ReLU(), layers[1], nn.ReLU(), layers[2])


def train(task: Task, report: Report) -> None:
    torch.manual_seed(task.seed)
    mode = gym.vector.AutoresetMode.SAME_STEP
    envs = gym.make_vec(task.gym_id, num_envs=NUM_ENVS, **task.learner, autoreset_mode=mode)
    features, actions = envs.single_observation_space.shape[0], int(envs.single_action_space.n)
    agent = Agent(features, actions)
    optimizer = torch.optim.Adam(agent.parameters(), lr=LEARNING_RATE, eps=1e-5)

    @torch.no_grad()
    def policy(observations: np.ndarray, masks: np.ndarray) -> torch.Tensor:
        return agent.distribution(torch.as_tensor(observations), torch.as_tensor(masks)).probs.argmax(dim=1)

    obs = torch.zeros(NUM_STEPS, NUM_ENVS, features)
    masks = torch.zeros(NUM_STEPS, NUM_ENVS, actions, dtype=torch.int8)
    taken = torch.zeros(NUM_STEPS, NUM_ENVS, dtype=torch.long)
    logprobs, rewards, dones, values = (torch.zeros(NUM_STEPS, NUM_ENVS) for _ in range(4))
    frames, next_done = 0, torch.zeros(NUM_ENVS)
    seen, infos = envs.reset(seed=task.seed)
    while report(frames, policy):
        for step in range(NUM_STEPS):
            obs[step], masks[step] = torch.as_tensor(seen), torch.as_tensor(infos["action_mask"])
            dones[step] = next_done
            with torch.no_grad():
                chances = agent.distribution(obs[step], masks[step])
                taken[step] = chances.sample()
                logprobs[step] = chances.log_prob(taken[step])
                values[step] = agent.critic(obs[step])[:, 0]
            seen, reward, terminations, truncations, infos = envs.step(taken[step].numpy())
            rewards[step] = torch.as_tensor(reward)
            next_done = torch.as_tensor(terminations | truncations).float()
        frames += NUM_STEPS * NUM_ENVS

        with torch.no_grad():
            following = agent.critic(torch.as_tensor(seen))[:, 0]
            advantages, last = torch.zeros_like(rewards), torch.zeros(NUM_ENVS)
            for step in reversed(range(NUM_STEPS)):
                nonterminal = 1.0 - (next_done if step == NUM_STEPS - 1 else dones[step + 1])
                delta = rewards[step] + GAMMA * following * nonterminal - values[step]
                advantages[step] = last = delta + GAMMA * GAE_LAMBDA * nonterminal * last
                following = values[step]
            returns = advantages + values

        rows = [array.flatten(0, 1) for array in (obs, masks, taken, logprobs, advantages, returns)]
        for _ in range(UPDATE_EPOCHS):
            for inds in torch.randperm(NUM_STEPS * NUM_ENVS).chunk(MINIBATCHES):
                mb_obs, mb_masks, mb_taken, mb_logprobs, mb_advantages, mb_returns = (row[inds] for row in rows)
                chances = agent.distribution(mb_obs, mb_masks)
                ratio = (chances.log_prob(mb_taken) - mb_logprobs).exp()
                normed = (mb_advantages - mb_advantages.mean()) / (mb_advantages.std() + 1e-8)
                clipped = ratio.clamp(1 - CLIP_COEF, 1 + CLIP_COEF)
                pg_loss = -torch.minimum(normed * ratio, normed * clipped).mean()
                v_loss = 0.5 * (agent.critic(mb_obs)[:, 0] - mb_returns).pow(2).mean()
                loss = pg_loss - ENT_COEF * chances.entropy().mean() + VF_COEF * v_loss
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(agent.parameters(), MAX_GRAD_NORM)
                optimizer.step()


if __name__ == "__main__":
    run(train)
