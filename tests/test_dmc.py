"""Deep Monte Carlo: what decisions are worth, who learns, runs that are resumed, and that it learns."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file
from test_training import TINY as TINY_PPO

from strand_env.agents.choosing import NEVER
from strand_env.arena import versus
from strand_env.train import benchmark
from strand_env.train.config import Config
from strand_env.train.dmc import DMC, Decided, inputs_for, play, returns_of
from strand_env.train.learner import PolicyPool, environment_of, model_of, network_of
from strand_env.train.run import CHECKPOINT, Quiet, Run, begin

TINY: dict[str, Any] = {**TINY_PPO, "algorithm": "dmc", "reward": "margin"}


def learner(**changes: Any) -> DMC:
    config = Config(**{**TINY, **changes})
    policies = PolicyPool(config)
    model = model_of(config, environment_of(config, policies), policies)
    assert isinstance(model, DMC)
    network = network_of(model)
    policies.keep(network)
    policies.begin(network, 0)
    return model


def decided(game: int, seat: int, value: float, potential: float) -> Decided:
    rows = np.array([game]), np.array([seat])
    return Decided(
        *rows, np.zeros((1, 1), np.float32), np.zeros(1, np.int64), *np.array([[value], [potential]], np.float32)
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("gae_lambda", "gamma", "expected"),
    [
        (1, 1, [10 - 1, 10 - 2, 10 - 3]),  # the outcome, less the potential
        (0, 1, [2 + 6 - 1, 3 + 7 - 2, 10 - 3]),  # the next potential and value
        (0.5, 1, [2 + (6 + (3 + (7 + 7) / 2 - 2)) / 2 - 1, 3 + (7 + 7) / 2 - 2, 10 - 3]),
        (1, 0.5, [0.25 * 10 - 1, 0.5 * 10 - 2, 10 - 3]),
    ],
)
def test_returns_follow_the_same_player_to_the_end(gae_lambda: float, gamma: float, expected: list[float]) -> None:
    setup = learner(gae_lambda=gae_lambda, gamma=gamma).setup
    mine = [decided(1, 2, 5, 1), decided(1, 2, 6, 2), decided(1, 2, 7, 3)]
    others = [decided(0, 2, -8, 90), decided(1, 0, -9, 80)]  # another game, another seat
    rewards = np.zeros((2, 4), np.float32)
    rewards[1, 2] = 10
    found = list(returns_of([mine[0], others[0], mine[1], others[1], mine[2]], rewards, setup))[::-1]
    assert np.concatenate([found[0], found[2], found[4]]) == pytest.approx(expected)


def test_all_seats_of_the_policy_learn_and_no_others() -> None:
    numbers = {}
    for opponents in ("self=1", "random=1", "self=1,random=1"):
        model = learner(opponents=opponents, alike=0.0)
        batch = model.setup.game.batch(32, 4, 5)
        numbers[opponents] = len(play(batch, model.setup, 1.0).actions)
        assert batch.over.all()
    assert numbers["random=1"] * 1.8 < numbers["self=1,random=1"] < numbers["self=1"] / 1.3


@pytest.mark.parametrize("game", ["strand_unter", "maui"])
def test_the_agent_plays_by_the_values_learned(game: str) -> None:
    """With features per action, as in Maui, and with one output for each action."""
    model = learner(game=game, temperature=0.5, players="4")
    encoding, network = model.setup.learner.encoding, network_of(model)
    batch = model.setup.game.batch(20, 4, 1)
    games, seats = np.nonzero(batch.to_act)
    observations, masks = batch.look_at_rows(games, seats)
    features = encoding.encode(observations)
    logits = np.where(masks == 1, network.logits(features), NEVER)
    actions = logits.argmax(axis=1)
    inputs = torch.from_numpy(inputs_for(features, actions, encoding, masks.shape[1]))
    values = model._values(inputs, torch.from_numpy(actions)).detach().numpy()
    assert logits.max(axis=1) == pytest.approx(values / 0.5, abs=1e-4)


def weights(folder: Path) -> dict[str, bytes]:
    kept = load_file(folder / CHECKPOINT)
    return {name: tensor.tobytes() for name, tensor in kept.items() if name != "data"}


class Interrupted(Exception):
    pass


@pytest.mark.slow
@pytest.mark.parametrize("changes", [{"players": "2,4"}, {"game": "maui", "shaping": 1.0, "variant": "base,crabs"}])
def test_an_interrupted_run_goes_on_as_if_it_had_not_been(tmp_path: Path, changes: dict[str, Any]) -> None:
    class Interrupts(Quiet):
        def progress(self, decisions: int) -> None:
            if decisions >= 300:
                raise Interrupted

    for name in ("whole", "stopped"):
        begin(tmp_path / name, Config(**{**TINY, **changes}))
    Run(tmp_path / "whole").learn()
    with pytest.raises(Interrupted):
        Run(tmp_path / "stopped", Interrupts()).learn()
    resumed = Run(tmp_path / "stopped")
    assert 0 < resumed.frames < 640
    resumed.learn()
    assert weights(tmp_path / "stopped") == weights(tmp_path / "whole")
    assert (tmp_path / "whole" / "agent" / "agent.json").exists()


@pytest.mark.slow
def test_it_learns(tmp_path: Path) -> None:
    """The values of Maui's actions, from scratch."""
    changes = {
        "game": "maui",
        "opponents": "self=1",
        "shaping": 1.0,
        "n_envs": 64,
        "n_steps": 64,
        "learning_rate": 2e-3,
        "hidden": "32",
        "gae_lambda": 0.7,
    }
    begin(tmp_path, Config(**{**TINY, **changes, "total_timesteps": 40_960, "evaluate_every": 1_000_000}))
    run = Run(tmp_path)
    run.learn()
    assert versus(run.agent(), "random", 50, 4, game="maui").win.mean > 0.9


def test_what_does_not_go_with_it_is_refused() -> None:
    with pytest.raises(ValueError, match="imitate: expected 0 with dmc, which starts from scratch; got 100"):
        Config(algorithm="dmc", imitate=100)
    with pytest.raises(ValueError, match="algorithm: expected one of 'ppo', 'dmc'; got 'dqn'"):
        Config(algorithm="dqn")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="--benchmark measures ppo"):
        benchmark.report(Config(**TINY))
