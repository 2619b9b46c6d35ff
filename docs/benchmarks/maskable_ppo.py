"""Stable-Baselines3: MaskablePPO, one learner against opponents, as in the README."""

from running import Report, Task, run
from sb3_contrib import MaskablePPO
from torch.nn import ReLU


def train(task: Task, report: Report) -> None:
    env = task.environments.learner_vec_env(256, **task.learner)
    ppo = {"learning_rate": 1e-3, "n_steps": 32, "batch_size": 1024, "n_epochs": 4, "ent_coef": 0.01, "gamma": 1.0}
    network = {"net_arch": [128, 128], "activation_fn": ReLU}
    model = MaskablePPO("MlpPolicy", env, policy_kwargs=network, seed=task.seed, **ppo)

    def policy(observations, masks):
        return model.predict(observations, action_masks=masks, deterministic=True)[0]

    while report(model.num_timesteps, policy):
        model.learn(total_timesteps=8192, reset_num_timesteps=False)


if __name__ == "__main__":
    run(train)
