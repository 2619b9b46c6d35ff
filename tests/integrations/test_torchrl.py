"""TorchRL plays whole games with action masks, and trains on them."""

from typing import Any

import pytest

pytest.importorskip("torchrl")

import torch
from tensordict import TensorDictBase
from tensordict.nn import InteractionType, TensorDictModule
from torch import nn
from torchrl.envs import PettingZooWrapper
from torchrl.envs.utils import check_env_specs
from torchrl.modules import MaskedCategorical, ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss

from strand_env import strand_unter_v1
from strand_env.adapters.torchrl import ForTorchRL

# TorchRL says so of every version but one.
pytestmark = pytest.mark.filterwarnings("ignore:PettingZoo in TorchRL is tested using version:UserWarning")

OBSERVATION, MASK, ACTION = ("player", "observation", "observation"), ("player", "action_mask"), ("player", "action")
VALUE, LOG_PROBABILITY = ("player", "state_value"), ("player", "action_log_prob")


def wrapped(**arguments: Any) -> PettingZooWrapper:
    return PettingZooWrapper(ForTorchRL(strand_unter_v1.parallel_env(**arguments)), return_state=True)


def check_games(steps: TensorDictBase) -> int:
    """Of steps one after the other: how many games end in them."""
    assert steps[MASK].gather(-1, steps[ACTION].unsqueeze(-1)).all()
    over, rewards = steps["next", "done"].squeeze(-1), steps["next", "player", "reward"].squeeze(-1)
    assert (rewards[~over] == 0).all()
    torch.testing.assert_close(rewards.sum(-1), torch.zeros(len(steps)))
    assert (rewards[over].amax(-1) > 0).all()
    return int(over.sum())


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_random_games(num_players: int) -> None:
    env = wrapped(num_players=num_players, illegal="raise")
    env.set_seed(num_players)
    torch.manual_seed(num_players)
    for _ in range(5):
        game = env.rollout(1000)
        assert 10 < len(game) < 1000
        assert game[OBSERVATION].shape == (len(game), num_players, 558)
        assert game["state"].shape == (len(game), 312)
        assert check_games(game) == 1


def test_torchrls_own_check() -> None:
    check_env_specs(wrapped())


def test_an_illegal_action_ends_the_game() -> None:
    env = wrapped()
    start = env.rand_action(env.reset())
    start[ACTION][1] = start[MASK][1].int().argmin()
    end = env.step(start)["next"]
    assert end["done"].all()
    assert end["player", "reward"].flatten().tolist() == [0, -1, 0, 0]


def test_training() -> None:
    torch.manual_seed(1)
    env = wrapped()
    logits = TensorDictModule(network(57), in_keys=[OBSERVATION], out_keys=[("player", "logits")])
    actor = ProbabilisticActor(
        logits,
        in_keys={"logits": ("player", "logits"), "mask": MASK},
        out_keys=[ACTION],
        distribution_class=MaskedCategorical,
        default_interaction_type=InteractionType.RANDOM,
        return_log_prob=True,
        log_prob_key=LOG_PROBABILITY,
    )
    critic = ValueOperator(network(1), in_keys=[OBSERVATION], out_keys=[VALUE])
    loss = ClipPPOLoss(actor, critic)
    loss.set_keys(
        action=ACTION,
        sample_log_prob=LOG_PROBABILITY,
        value=VALUE,
        reward=("player", "reward"),
        done=("player", "done"),
        terminated=("player", "terminated"),
    )
    optimizer = torch.optim.Adam(loss.parameters(), lr=1e-2)
    before = [parameter.detach().clone() for parameter in loss.parameters()]

    with torch.no_grad():
        steps = env.rollout(200, actor, break_when_any_done=False)
    assert check_games(steps) > 1
    loss.value_estimator(steps)
    losses = loss(steps)
    total = losses["loss_objective"] + losses["loss_critic"] + losses["loss_entropy"]
    total.backward()
    optimizer.step()

    assert torch.isfinite(total)
    assert losses["entropy"] > 0
    for parameter, old in zip(loss.parameters(), before, strict=True):
        assert torch.isfinite(parameter).all()
        assert (parameter != old).any()
    with torch.no_grad():
        assert check_games(env.rollout(1000, actor)) == 1


def network(outputs: int) -> nn.Module:
    return nn.Sequential(nn.Linear(558, 16), nn.Tanh(), nn.Linear(16, outputs))
