"""A learned best response: PPO against frozen copies of a network agent, starting from the agent's own weights."""

import time
from pathlib import Path

import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback

from strand_env.adapters.match import Match
from strand_env.adapters.shaping import shaping_of
from strand_env.agents.network import NetworkAgent, save_agent
from strand_env.engine.game import Game
from strand_env.train.config import Config
from strand_env.train.environment import TrainingVecEnv
from strand_env.train.learner import linear_layers, model_of, network_of

WARM_UP = 0.2  # share of the time in which only the value network learns: the policy must not follow untrained values
COOLEST = 0.2  # temperature: policies that are more decided than that explore nothing


def train_response(
    agent: NetworkAgent, game: Game, players: int, variant: str | None, seed: int, seconds: float, folder: Path
) -> int:
    """Trains a response for that long and saves it as an agent that plays greedily; returns the timesteps it took."""
    network = agent.network
    config = Config(
        game=game.name,
        players=str(players),
        encoding=agent.encoding.name,
        hidden=",".join(map(str, network.sizes[1:-1])),
        activation=network.activation,
        seed=seed,
        imitate=0,
        shaping=0.0 if game.potential is None else 1.0,
        learning_rate=3e-4,
        final_learning_rate=3e-4,
    )
    match = Match(
        game,
        game.batch(config.n_envs, players, variant=variant),
        "random",
        agent,
        "margin",
        "raise",
        encoding=agent.encoding.name,
        shaping=shaping_of(game, config.shaping, config.gamma),
    )
    torch.set_num_threads(config.threads)
    model = model_of(config, TrainingVecEnv([match], seed))
    _start_from(model, agent)
    model.learn(10**12, _UntilTimeIsUp(seconds))
    save_agent(folder, network_of(model), game, [players], agent.encoding, 0.0, {"response": config.to_dict()})
    return model.num_timesteps


def _start_from(model: MaskablePPO, agent: NetworkAgent) -> None:
    """Gives the learner the agent's weights, the temperature included."""
    linear = linear_layers(model)
    with torch.no_grad():
        for layer, (weight, bias) in zip(linear, agent.network.layers, strict=True):
            layer.weight.copy_(torch.from_numpy(weight.T.copy()))
            layer.bias.copy_(torch.from_numpy(bias.copy()))
        for part in (linear[-1].weight, linear[-1].bias):
            part /= max(agent.temperature, COOLEST)


class _UntilTimeIsUp(BaseCallback):
    model: MaskablePPO

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self._seconds = seconds

    def _on_training_start(self) -> None:
        self._began = time.monotonic()

    def _on_rollout_start(self) -> None:
        follows = time.monotonic() - self._began >= WARM_UP * self._seconds
        for layer in linear_layers(self.model):
            layer.requires_grad_(follows)

    def _on_step(self) -> bool:
        return time.monotonic() - self._began < self._seconds
