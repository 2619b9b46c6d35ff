"""TorchRL: independent PPO with shared parameters; all players learn, in its own multi-agent components.

Every player's step is a row, those with nothing to choose included; the reward comes to each player with the last one.
"""

import numpy as np
import torch
from running import Report, Task, run
from tensordict.nn import InteractionType, TensorDictModule
from torch import nn
from torchrl.collectors import Collector
from torchrl.data import LazyTensorStorage, ReplayBuffer
from torchrl.data.replay_buffers.samplers import SamplerWithoutReplacement
from torchrl.envs import PettingZooWrapper
from torchrl.modules import MaskedCategorical, MultiAgentMLP, ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss, ValueEstimators

from strand_env.adapters.torchrl import ForTorchRL

OBSERVATION, MASK, ACTION = ("player", "observation", "observation"), ("player", "action_mask"), ("player", "action")
VALUE, LOG_PROBABILITY, LOGITS = ("player", "state_value"), ("player", "action_log_prob"), ("player", "logits")
BATCH, MINIBATCH, EPOCHS = 1024, 256, 4  # in steps of a game, each with a row for every player


def train(task: Task, report: Report) -> None:
    torch.manual_seed(task.seed)
    players = task.players
    game = task.environments.parallel_env(num_players=players, reward="margin")
    env = PettingZooWrapper(ForTorchRL(game))
    env.set_seed(task.seed)
    features, actions = (env.observation_spec[key].shape[-1] for key in (OBSERVATION, MASK))

    def network(outputs: int) -> nn.Module:
        return MultiAgentMLP(
            n_agent_inputs=features,
            n_agent_outputs=outputs,
            n_agents=players,
            centralised=False,
            share_params=True,
            depth=2,
            num_cells=128,
            activation_class=nn.ReLU,
        )

    actor = ProbabilisticActor(
        TensorDictModule(network(actions), in_keys=[OBSERVATION], out_keys=[LOGITS]),
        in_keys={"logits": LOGITS, "mask": MASK},
        out_keys=[ACTION],
        distribution_class=MaskedCategorical,
        default_interaction_type=InteractionType.RANDOM,
        return_log_prob=True,
        log_prob_key=LOG_PROBABILITY,
    )
    critic = ValueOperator(network(1), in_keys=[OBSERVATION], out_keys=[VALUE])
    loss = ClipPPOLoss(actor, critic, entropy_coeff=0.01, normalize_advantage=True)
    ends = {"reward": ("player", "reward"), "done": ("player", "done"), "terminated": ("player", "terminated")}
    loss.set_keys(action=ACTION, sample_log_prob=LOG_PROBABILITY, value=VALUE, **ends)
    loss.make_value_estimator(ValueEstimators.GAE, gamma=1.0, lmbda=0.95)
    optimizer = torch.optim.Adam(loss.parameters(), lr=1e-3)
    buffer = ReplayBuffer(storage=LazyTensorStorage(BATCH), sampler=SamplerWithoutReplacement(), batch_size=MINIBATCH)
    collector = Collector(env, actor, frames_per_batch=BATCH, total_frames=-1)

    @torch.no_grad()
    def policy(observations: np.ndarray, masks: np.ndarray) -> torch.Tensor:
        # One row of all players' networks, which share their parameters, is as good as another.
        rows = torch.as_tensor(observations)[:, None].expand(-1, players, -1)
        logits = actor[0].module(rows)[:, 0]
        return logits.masked_fill(torch.as_tensor(masks) == 0, -1e9).argmax(dim=1)

    frames = 0
    for steps in collector:
        with torch.no_grad():
            loss.value_estimator(steps)
        buffer.empty()
        buffer.extend(steps.reshape(-1))
        for _ in range(EPOCHS):
            for _ in range(BATCH // MINIBATCH):
                losses = loss(buffer.sample())
                total = losses["loss_objective"] + losses["loss_critic"] + losses["loss_entropy"]
                optimizer.zero_grad()
                total.backward()
                nn.utils.clip_grad_norm_(loss.parameters(), 0.5)
                optimizer.step()
        frames += BATCH * players
        if not report(frames, policy):
            break
    collector.shutdown()


if __name__ == "__main__":
    run(train)
