"""Training: who plays, what is rewarded, runs that are killed and go on, what comes of them."""

import dataclasses
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from drawn import share_of
from gymnasium.spaces import Box
from learning import Favourite, choices
from safetensors.numpy import load_file
from sb3_contrib import MaskablePPO
from stable_baselines3.common.logger import Logger
from torch.nn.utils import parameters_to_vector
from toy_game import STONES
from typer.testing import CliRunner

from strand_env import registry, strand_unter_v1
from strand_env.adapters.match import Match
from strand_env.adapters.shaping import Shaping
from strand_env.agents import RandomAgent, agent_of
from strand_env.agents.encoding import encoding_of
from strand_env.agents.network import Network
from strand_env.agents.strand_unter.needs import missing_shells
from strand_env.cli import app
from strand_env.engine.game import GameTraining
from strand_env.pictures.plots import SEA
from strand_env.registry import game_names, game_of
from strand_env.strand_unter import GAME as STRAND_UNTER
from strand_env.strand_unter import layout
from strand_env.strand_unter.layout import ON_HEAP, STANDS_IN
from strand_env.strand_unter.potential import potential
from strand_env.support.cluster import MismatchedNode
from strand_env.train import benchmark, commands, selfplay_minimal
from strand_env.train.cast import Cast
from strand_env.train.config import Config
from strand_env.train.environment import TrainingVecEnv
from strand_env.train.evaluation import Evaluation, evaluate
from strand_env.train.inspection import FEWEST, Watched, draw, draw_heatmap, shares, watch
from strand_env.train.learner import (
    PolicyPool,
    environment_of,
    model_of,
    network_of,
    opponents_of,
    reference_of,
    settings_of,
)
from strand_env.train.run import CHECKPOINT, CONFIG, Quiet, Run, begin, config_of
from strand_env.train.run import train as train_to_the_end
from strand_env.train.runners import RunnerDied
from strand_env.train.strand_unter import Decisions
from strand_env.train.updating import LeanPPO

TINY: dict[str, Any] = {
    "imitate": 0,
    "total_timesteps": 640,
    "n_envs": 8,
    "n_steps": 16,
    "batch_size": 64,
    "n_epochs": 2,
    "hidden": "16",
    "pool": 2,
    "pool_every": 128,
    "evaluate_every": 256,
    "deals": 2,
    "final_deals": 2,
    "opponents": "self=1,past=1,random=1",
    "checkpoint_seconds": 0.0,
    "reference": "random",
    "reward": "win",
    "shaping": 0.0,
}


def trained(folder: Path, **changes: Any) -> Run:
    begin(folder, Config(**{**TINY, **changes}))
    run = Run(folder)
    run.learn()
    return run


# Configuration


def test_a_configuration_survives_json() -> None:
    config = Config(opponents="random=2,self=1,past=1", players="2, 4")
    assert Config.from_dict(json.loads(json.dumps(config.to_dict()))) == config
    assert opponents_of(config) == {"random": 0.5, "self": 0.25, "past": 0.25}
    assert config.player_counts == [2, 4]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"opponents": "tide"}, "opponents: expected names with weights, as tide=0.5,self=0.5; got 'tide'"),
        ({"opponents": "self=1,self=2"}, "opponents: expected names with weights"),
        ({"opponents": "self=-1"}, "opponents: expected names with weights"),
        ({"opponents": "self=nan"}, "opponents: expected names with weights"),
        ({"opponents": "self=0"}, "opponents: expected a weight above 0"),
        ({"players": "4,four"}, "players: expected numbers from 2 to 100 with commas between, got '4,four'"),
        ({"players": "4,4"}, "players: expected"),
        ({"hidden": ""}, "hidden: expected numbers from 1 to 8192"),
        ({"reward": "fame"}, "reward: expected one of win, score, margin; got 'fame'"),
        ({"total_timesteps": 0}, "total_timesteps: expected a whole number from 1 to 1000000000000000, got 0"),
        ({"total_timesteps": 1.5}, "total_timesteps: expected a whole number from 1 to 1000000000000000, got 1.5"),
        ({"gamma": 2}, "gamma: expected a number from 0 to 1, got 2"),
        ({"ent_coef": float("nan")}, "ent_coef: expected a number from 0 to 10, got nan"),
        ({"n_envs": 1, "players": "2,3"}, "n_envs: expected one for each of 2,3 players, got 1"),
        (
            {"n_envs": 5, "n_steps": 5, "batch_size": 8},
            "batch_size: 5 games × 5 steps leave a minibatch of one decision",
        ),
        ({"env_runners": 3}, "n_envs: expected a multiple of 3, the number of env runners, which share them; got 256"),
        (
            {"env_runners": 2, "algorithm": "dmc", "imitate": 0},
            "env_runners: expected 0 with dmc, as only ppo runs on a cluster; got 2",
        ),
        ({"learners": 1}, "learners: expected 0 without env runners, from which they learn; got 1"),
        (
            {"env_runners": 2, "learners": 3, "n_envs": 256},
            "n_envs: expected a multiple of 6, since 3 learners share what each runner plays; got 256",
        ),
        ({"env_runners": 2, "learners": 2, "batch_size": 2046, "n_envs": 248}, "batch_size: expected a divisor of 248"),
    ],
)
def test_nonsense_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Config(**changes)


def test_unknown_fields_and_names_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="'ent_coeff': no such field; did you mean ent_coef"):
        Config.from_dict({"ent_coeff": 1})
    for changes, message in (
        ({"opponents": "sefl=1"}, "no agent is called 'sefl'"),
        ({"reference": "tidy"}, "no agent is called 'tidy'"),
        ({"players": "2,7"}, "players: strand_unter_v1 is for 2, 3, 4; got 7"),
        ({"game": "chess"}, "game: expected one of strand_unter, maui, sea_or_shore; got 'chess'"),
        ({"variant": "crabs"}, "variant: this game has no variants; expected None, got 'crabs'"),
        (
            {"game": "maui", "variant": "base,tides"},
            "variant: expected one of 'base', 'crabs', 'combined'; got 'tides'",
        ),
        ({"game": "maui", "variant": "base,base"}, "variant: expected each variant once, got 'base,base'"),
        ({"game": "maui", "variant": "base,crabs", "n_envs": 1}, "n_envs: expected one for each of 2 combinations"),
        (
            {"encoding": "far"},
            "encoding: expected one of 'features 1', 'needs 1, guesses 1', 'needs 1', 'compact'; got 'far'",
        ),
    ):
        folder = tmp_path / "run"
        with pytest.raises(ValueError, match=message):
            begin(folder, Config(**{**TINY, **changes}))
        assert not folder.exists(), "the name can be used once more"


def test_several_variants_are_trained_at_once() -> None:
    setting = {"game": "maui", "variant": "crabs,combined", "players": "2,3", "opponents": "random=1", "shaping": 0}
    config = Config(**{**TINY, **setting, "n_envs": 6})
    assert settings_of(config) == [(2, "crabs"), (2, "combined"), (3, "crabs"), (3, "combined")]
    env = environment_of(config, PolicyPool(config))
    batches = [match.batch for match in env.matches]
    assert [(batch.num_players, batch.variant) for batch in batches] == settings_of(config)
    assert [batch.num_games for batch in batches] == [2, 2, 1, 1]
    usual = Config(**{**TINY, **setting, "variant": ""})
    assert settings_of(usual) == [(2, "base"), (3, "base")]
    assert settings_of(Config(**TINY))[0][1] is None


def test_every_field_is_an_option() -> None:
    told = CliRunner().invoke(app, ["train", "--help"], env={"COLUMNS": "200", "TERM": "dumb"}).output
    for field in dataclasses.fields(Config):
        assert f"--{field.name.replace('_', '-')} " in told
        assert field.metadata["help"]


OLD_CONFIG = {
    "game": "strand_unter_v1",
    "players": "2,4",
    "opponents": "tide=0.3,self=0.6,past=0.1",
    "alike": 0.0,
    "reward": "win",
    "shaping": 0.5,
    "imitate": 0,
    "frames": 256,
    "seed": 3,
    "sight": "needs 1",
    "hidden": "16",
    "activation": "tanh",
    "games": 8,
    "steps": 16,
    "batch": 64,
    "epochs": 2,
    "learning_rate": 0.001,
    "final_learning_rate": 0.0001,
    "gamma": 0.99,
    "gae_lambda": 0.9,
    "clip": 0.1,
    "entropy": 0.02,
    "value": 0.7,
    "most_gradient": 0.4,
    "pool": 2,
    "pool_every": 128,
    "reference": "random",
    "evaluate_every": 256,
    "deals": 2,
    "final_deals": 2,
    "checkpoint_seconds": 0.0,
    "threads": 1,
}
"""As the first version wrote it into the folders of its runs."""


@pytest.mark.slow
def test_runs_of_earlier_versions_are_read(tmp_path: Path) -> None:
    (tmp_path / CONFIG).write_text(json.dumps(OLD_CONFIG), "utf-8")
    config = config_of(tmp_path)
    renamed = {
        "total_timesteps": 256,
        "encoding": "needs 1",
        "n_envs": 8,
        "n_steps": 16,
        "batch_size": 64,
        "n_epochs": 2,
        "clip_range": 0.1,
        "ent_coef": 0.02,
        "vf_coef": 0.7,
        "max_grad_norm": 0.4,
    }
    kept = {name: value for name, value in OLD_CONFIG.items() if name in config.to_dict()}
    new: dict[str, Any] = {"variant": "", "rollouts": 0, "algorithm": "ppo", "temperature": 0.06, "lookahead": 0}
    new |= {"lookahead_turns": 1, "lookahead_prior": 0, "env_runners": 0, "learners": 0, "average": 0.2}
    assert config.to_dict() == {**kept, **renamed, **new}
    run = Run(tmp_path)
    run.learn()
    assert run.frames == 256
    assert agent_of(str(tmp_path / "agent")).encoding.name == "needs 1"  # type: ignore[union-attr]
    known = json.loads((STRAND_UNTER.agents.trained["learned"] / "agent.json").read_bytes())
    assert Config.from_dict(known["training"]).total_timesteps == known["training"]["frames"]


# Who plays


def test_seats_are_drawn_by_weight_and_by_the_games_seed() -> None:
    cast = Cast({"a": 0.2, "b": 0.5, "c": 0.3}, {name: Favourite(0) for name in "abc"})
    games = STRAND_UNTER.batch(3000, 4, seed=5)
    rows = np.repeat(np.arange(3000), 3), np.tile([1, 2, 3], 3000)
    whose = cast.agent_indices(games, *rows, rows[1])
    assert np.bincount(whose) / len(whose) == pytest.approx([0.2, 0.5, 0.3], abs=0.02)
    by_game = whose.reshape(-1, 3)
    assert (by_game[:, 0] != by_game[:, 1]).mean() == pytest.approx(0.62, abs=0.03)
    some = np.arange(40, 80)
    assert (cast.agent_indices(games.select(some), np.arange(40), np.full(40, 2), some) == by_game[some, 1]).all()
    games.step(games.random_actions(1))
    assert (cast.agent_indices(games, *rows, rows[1]) == whose).all()
    half = Cast({"a": 0.2, "b": 0.5, "c": 0.3}, {name: Favourite(0) for name in "abc"}, alike=0.5)
    whose = half.agent_indices(games, *rows, rows[1])
    assert np.bincount(whose) / len(whose) == pytest.approx([0.2, 0.5, 0.3], abs=0.03)
    assert (whose[::3] != whose[1::3]).mean() == pytest.approx(0.31, abs=0.03)


def test_all_of_the_cast_play() -> None:
    agents = {"a": Favourite(0), "b": Favourite(9)}
    match = Match(STRAND_UNTER, STRAND_UNTER.batch(50), "random", Cast({"a": 0.5, "b": 0.5}, agents))
    match.reset()
    match.step(match.legal.argmax(1))
    assert sum(agents["a"].asked) + sum(agents["b"].asked) >= 150
    assert Cast({"a": 1.0}, {"a": RandomAgent()}).random


def test_the_learner_plays_against_itself() -> None:
    config = Config(**{**TINY, "pool": 2})
    policies = PolicyPool(config)
    run = MaskablePPO(
        "MlpPolicy", environment_of(config, policies), policy_kwargs={"net_arch": [16]}, n_steps=2, seed=1
    )
    networks = []
    for number in range(3):
        with torch.no_grad():
            run.policy.action_net.bias[number] = 100
        networks.append(network_of(run))
        policies.keep(networks[-1])
    assert policies.pool == [networks[2], networks[1]]
    drawn = []
    for rollout in range(20):
        policies.begin(networks[2], rollout)
        drawn.append(networks.index(policies.past.network))
        assert policies.current.network is networks[2]
    assert set(drawn) == {1, 2}


# The update


@pytest.mark.parametrize("game", ["strand_unter", "maui"])
def test_the_update_is_that_of_maskable_ppo(game: str) -> None:
    """On the same rollout, with all decisions in one minibatch, so that their order makes no difference."""
    shaped = {"game": game, "opponents": "random=1", "batch_size": 128, "n_epochs": 1}
    config = Config(**{**TINY, **shaped, "learning_rate": 1e-4, "final_learning_rate": 1e-4})
    model = model_of(config, environment_of(config, PolicyPool(config)))
    model.set_logger(Logger(None, []))
    model.learn(128)  # which updates it once: old and new policy differ then
    start, optimiser = deepcopy(model.policy.state_dict()), deepcopy(model.policy.optimizer.state_dict())
    model.rollout_buffer.log_probs -= 0.1 * (model.rollout_buffer.actions % 5)
    flat = model.rollout_buffer.log_probs.reshape(-1)
    assert len(np.unique(flat.round(6))) > 10
    ends = []
    for train in (MaskablePPO.train, LeanPPO.train):
        model.policy.load_state_dict(start)
        model.policy.optimizer.load_state_dict(deepcopy(optimiser))
        train(model)
        ends.append(parameters_to_vector(model.policy.parameters()).detach().clone())
    before = torch.cat([start[name].flatten() for name, _ in model.policy.named_parameters()])
    assert (ends[0] - before).abs().max() > 5e-5
    assert ends[0].numpy() == pytest.approx(ends[1].numpy(), abs=1e-6)


def test_policy_and_value_share_their_layers() -> None:
    config = Config(**{**TINY, "hidden": "16,8"})
    model = model_of(config, environment_of(config, PolicyPool(config)))
    shapes = [tuple(part.shape) for part in model.policy.parameters() if part.ndim == 2]
    assert shapes == [(16, encoding_of(STRAND_UNTER, 4).size), (8, 16), (57, 8), (1, 8)]


# The environment


@pytest.mark.parametrize("players", ["3", "2,3,4"])
def test_several_numbers_of_players_in_one_environment(players: str) -> None:
    config = Config(**{**TINY, "n_envs": 10, "players": players, "opponents": "random=1"})
    env = environment_of(config, PolicyPool(config))
    observations = env.reset()
    counts = config.player_counts
    assert [match.batch.num_players for match in env.matches] == counts
    assert sum(match.batch.num_games for match in env.matches) == env.num_envs == 10
    number = encoding_of(STRAND_UNTER, 4).layout["players"].slice  # type: ignore[index]
    shown = observations[:, number].argmax(1) + 2
    assert set(shown.tolist()) == set(counts)
    ends = 0
    for _ in range(60):
        observations, rewards, over, infos = env.step(choices(observations, env.action_masks()))
        assert (observations[:, number].argmax(1) + 2 == shown).all()
        assert observations.shape == (10, encoding_of(STRAND_UNTER, 4).size)
        assert env.observation_space.contains(observations[0])
        assert [bool(info) for info in infos] == over.tolist()
        for row in np.flatnonzero(over):
            assert rewards[row] == pytest.approx(infos[row]["win"] - 1 / shown[row])
            ends += 1
    assert ends >= 10


def test_different_seeds_deal_different_games() -> None:
    first, second, again = (
        environment_of(config, PolicyPool(config)).reset()
        for config in (Config(**{**TINY, "seed": seed}) for seed in (1, 2, 1))
    )
    assert (first == again).all()
    assert not {row.tobytes() for row in first} & {row.tobytes() for row in second}


@pytest.mark.parametrize("gamma", [1.0, 0.97])
@pytest.mark.parametrize("players", [2, 4])
def test_shaping_adds_the_same_whatever_is_done(gamma: float, players: int) -> None:
    """The discounted return of a whole game is that without shaping less the potential of its first decision."""

    def returns(shape: Any, salt: float) -> tuple[dict[int, float], Any]:
        shaping = None if shape is None else Shaping(shape, gamma=gamma)
        batch = STRAND_UNTER.batch(30, players)
        match = Match(STRAND_UNTER, batch, "random", "random", "margin", shaping=shaping)
        env = TrainingVecEnv([match], 7)
        observations = env.reset()
        first = match.seen.copy()
        found: dict[int, float] = {}
        total, discount = np.zeros(30), np.ones(30)
        while len(found) < 30:
            observations, rewards, over, _ = env.step(choices(observations + np.float32(salt), env.action_masks()))
            total += discount * rewards
            discount *= gamma
            for row in np.flatnonzero(over):
                found.setdefault(int(row), total[row])
        return found, first

    def busy(observations: Any) -> Any:
        weights = np.arange(observations.shape[1]) / 10_000
        return potential(observations) + observations @ weights  # which is not 0 in the beginning

    for salt in (0.0, 0.25):  # different actions
        plain, first = returns(None, salt)
        shaped, _ = returns(busy, salt)
        constant = busy(first)
        assert len(set(constant.tolist())) > 1
        for row in range(30):
            assert shaped[row] == pytest.approx(plain[row] - constant[row], abs=1e-4)


def test_the_potential_grows_with_points_and_shells() -> None:
    observations = STRAND_UNTER.batch(4).observe()[:, 0]
    before = potential(observations)
    for section, change in (("seat_0.points", 1), ("seat_0.bucket", 1), ("seat_2.points", -1)):
        after = observations.copy()
        after[:, layout[section].slice] += 2
        assert (np.sign(potential(after) - before) == change).all()


def test_a_match_goes_on_from_where_it_was_saved() -> None:
    config = Config(**{**TINY, "players": "2,4", "opponents": "random=1,self=1"})
    env, other = (environment_of(config, PolicyPool(config)) for _ in range(2))
    observations = env.reset()
    for _ in range(17):
        observations, *_ = env.step(choices(observations, env.action_masks()))
    assert (other.restore(json.loads(json.dumps(env.save()))) == observations).all()
    for _ in range(40):
        actions = choices(observations, env.action_masks())
        assert (env.action_masks() == other.action_masks()).all()
        observations, rewards, over, infos = env.step(actions)
        expected, expected_rewards, expected_over, expected_infos = other.step(actions)
        assert (observations == expected).all()
        assert (rewards == expected_rewards).all()
        assert (over == expected_over).all()
        assert [info.get("score") for info in infos] == [info.get("score") for info in expected_infos]
        lengths = [info["episode"]["l"] for info in infos if info]
        assert lengths == [info["episode"]["l"] for info in expected_infos if info]
    with pytest.raises(ValueError, match="saved: expected 4 games of 2 players, got 3 of 2"):
        env.matches[0].restore(
            {"games": [env.matches[0].batch.snapshot(0)] * 3, "moves": [0] * 3, "decisions": [0] * 3}
        )


# Runs


def final_weights(folder: Path) -> dict[str, bytes]:
    """Everything that learning goes on from."""
    kept = load_file(folder / CHECKPOINT)
    return {name: tensor.tobytes() for name, tensor in kept.items() if name != "data"}


PROGRAM = """
import sys, torch
from pathlib import Path
from strand_env.train.run import Run
Run(Path(sys.argv[1])).learn()
"""


@pytest.mark.slow
def test_a_run_that_is_killed_goes_on_as_if_it_had_not_been(tmp_path: Path) -> None:
    """Several times by SIGKILL, at any moment; the end is the same, bit for bit, as of a run that was left alone."""
    changes = {"imitate": 2048, "total_timesteps": 2560, "evaluate_every": 1024, "shaping": 0.5, "players": "2,4"}
    trained(tmp_path / "whole", **changes)
    begin(tmp_path / "killed", Config(**{**TINY, **changes}))
    (tmp_path / "killed" / ".0.unfinished").write_bytes(b"half of a checkpoint")
    kills = 0
    while True:
        process = subprocess.Popen([sys.executable, "-c", PROGRAM, str(tmp_path / "killed")])
        checkpoint = tmp_path / "killed" / CHECKPOINT
        written = checkpoint.stat().st_mtime_ns if checkpoint.exists() else 0
        changed = 0
        while kills < 3 and process.poll() is None and changed < 4:
            time.sleep(0.002)
            now = checkpoint.stat().st_mtime_ns if checkpoint.exists() else 0
            changed += now != written
            written = now
        if kills == 3:
            assert process.wait() == 0
            break
        process.send_signal(signal.SIGKILL)
        assert process.wait() == -signal.SIGKILL
        kills += 1
    assert final_weights(tmp_path / "killed") == final_weights(tmp_path / "whole")
    agents = [(tmp_path / name / "agent" / "agent.safetensors").read_bytes() for name in ("killed", "whole")]
    assert agents[0] == agents[1]
    assert not list((tmp_path / "killed").glob(".*"))
    evaluations = [json.loads((tmp_path / name / "evaluations.json").read_bytes()) for name in ("killed", "whole")]
    for one, other in zip(*evaluations, strict=True):
        assert {**one, "seconds": 0} == {**other, "seconds": 0}


@pytest.mark.slow
def test_equal_seeds_end_in_equal_weights(tmp_path: Path) -> None:
    for name, seed in (("one", 1), ("same", 1), ("other", 2)):
        trained(tmp_path / name, seed=seed, total_timesteps=256)
    assert final_weights(tmp_path / "one") == final_weights(tmp_path / "same")
    assert final_weights(tmp_path / "one") != final_weights(tmp_path / "other")


@pytest.mark.slow
def test_what_a_run_leaves(tmp_path: Path) -> None:
    class Watcher(Quiet):
        frames: list[int] = []  # noqa: RUF012
        lines: list[str] = []  # noqa: RUF012

        def progress(self, decisions: int) -> None:
            self.frames.append(decisions)

        def evaluated(self, evaluations: Any) -> None:
            self.lines += [str(each) for each in evaluations]

    folder = tmp_path / "run"
    begin(folder, Config(**{**TINY, "average": 0.0}))
    watcher = Watcher()
    run = Run(folder, watcher)
    run.learn()
    assert watcher.frames[-1] == run.frames == 640
    assert [each.frames for each in run.evaluations] == [0, 256, 512, 640]
    assert watcher.lines[0].startswith("against random ")
    assert share_of(SEA, folder / "learning_curve.png") > 0.0005, "there is a curve"
    assert list((folder / "log").glob("events.out.tfevents*"))
    agent = agent_of(str(folder / "agent"))
    observation, mask = run.env.batch.look_at_rows(np.arange(4), np.zeros(4, np.int64))
    shown = torch.from_numpy(run.env.encoding.encode(observation))
    policy = run.model.policy.get_distribution(shown, action_masks=mask).distribution.probs
    agent.temperature = 1.0  # type: ignore[union-attr]
    assert agent.probabilities(observation, mask) == pytest.approx(policy.detach().numpy(), abs=1e-5)  # type: ignore[union-attr]
    known = json.loads((folder / "agent" / "agent.json").read_bytes())
    assert Config.from_dict(known["training"]) == run.config
    assert [(each["opponent"], each["turned"]) for each in known["evaluation"]] == [
        *(("random", False), ("random", True)),
        ("mc:64/4@it", True),
    ]


@pytest.mark.parametrize(("average", "policies"), [(0.0, 1), (0.2, 2), (0.5, 3), (1.0, 3)])  # the pool keeps two
def test_the_agent_is_the_mean_of_the_last_policies(tmp_path: Path, average: float, policies: int) -> None:
    begin(tmp_path, Config(**{**TINY, "average": average}))
    run = Run(tmp_path)
    kept: list[Network] = []

    def keep(network: Network) -> None:
        kept.append(network)
        PolicyPool.keep(run.policies, network)

    run.policies.keep = keep  # type: ignore[method-assign]
    run.learn()
    last = [network_of(run.model), *kept[::-1]][:policies]
    assert len(kept) == 5
    exported = agent_of(str(tmp_path / "agent")).network  # type: ignore[union-attr]
    for place, layer in enumerate(exported.layers):
        for part, found in enumerate(layer):
            assert found == pytest.approx(sum(each.layers[place][part] for each in last) / policies, abs=1e-6)
    resumed = Run(tmp_path)
    resumed.export()
    assert agent_of(str(tmp_path / "agent")).network.layers[0][0].tolist() == exported.layers[0][0].tolist()  # type: ignore[union-attr]


def test_the_agent_plays_as_boldly_as_suits_it_best(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not only alone: what others win among copies of it counts as much, and a search that knows it."""
    alone, others = {1.0: 0.2, 0.5: 0.4, 0.0: 0.5}, {1.0: 0.2, 0.5: 0.1, 0.0: 0.3}
    searches = {1.0: 0.3, 0.5: 0.4, 0.0: 0.6}

    def judged(
        run: Run, agent: Any, opponent: str, setting: Any, deals: int, seed: int, turned: bool = False
    ) -> Evaluation:
        win = (others if turned else alone)[agent.temperature]
        return Evaluation(run.frames, 0.0, opponent, setting[0], deals, win, win, win, 0.0, turned)

    def exploited(run: Run, temperature: float, setting: Any, seed: int) -> Evaluation:
        known = judged(run, run.agent(temperature), "search", setting, 2, seed)
        return dataclasses.replace(known, win=searches[temperature])

    monkeypatch.setattr(Run, "_judge", judged)
    monkeypatch.setattr(Run, "_exploit", exploited)
    folder = tmp_path / "run"
    trained(folder, total_timesteps=128)
    assert agent_of(str(folder / "agent")).temperature == 0.5  # type: ignore[union-attr]
    searches[0.5] = 0.9  # it is foreseen
    trained(tmp_path / "foreseen", total_timesteps=128)
    assert agent_of(str(tmp_path / "foreseen" / "agent")).temperature == 1.0  # type: ignore[union-attr]


def test_evaluations_turned_round() -> None:
    arguments = agent_of("random"), "tide", STRAND_UNTER, 4, 25, 0, 0, 0.0
    alone, among_it = (evaluate(*arguments, turned=turned) for turned in (False, True))
    assert alone.win < 0.1 < 0.7 < among_it.win
    assert str(alone).startswith("against tide ")
    assert str(among_it).startswith("tide against it ")


@pytest.fixture
def stones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry._others, STONES.id, STONES)


def test_what_another_game_is_not_trained_for_is_refused(tmp_path: Path, stones: None) -> None:
    """That it is trained at all is tested for all games in one place."""
    config = Config(**{**TINY, "game": "stones", "reference": "", "opponents": ""})
    assert reference_of(config) == "random"
    assert opponents_of(config) == {"random": 0.5, "self": 0.3, "past": 0.2}
    with pytest.raises(ValueError, match="shaping: expected 0, since Stones has no potential"):
        trained(tmp_path / "shaped", game="stones", shaping=1.0)
    with pytest.raises(ValueError, match="tide plays Strand Unter; the agents of Stones are: "):
        trained(tmp_path / "tide", game="stones", reference="tide")
    with pytest.raises(ValueError, match="players: stones_v0 is for 2, 3, 4, 5; got 6"):
        trained(tmp_path / "six", game="stones", players="6")


@pytest.mark.slow
def test_damaged_runs_are_refused(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    with pytest.raises(ValueError, match=r"there is no run to continue \(config.json is missing\)"):
        Run(folder)
    trained(folder, total_timesteps=128)
    with pytest.raises(ValueError, match="there is a run already; strand train --resume"):
        begin(folder, Config())
    content = (folder / CHECKPOINT).read_bytes()
    (folder / CHECKPOINT).write_bytes(content[: len(content) // 2])
    with pytest.raises(ValueError, match=r"checkpoint.safetensors: not a checkpoint of this run"):
        Run(folder)
    (folder / CHECKPOINT).write_bytes(content)
    (folder / CONFIG).write_text(json.dumps({**TINY, "hidden": "17"}), "utf-8")
    with pytest.raises(ValueError, match=r"checkpoint.safetensors: not a checkpoint of this run"):
        Run(folder)


# Commands


def strand(*arguments: str) -> Any:
    return CliRunner().invoke(app, list(arguments), env={"COLUMNS": "120"})


def options_of(config: dict[str, Any]) -> list[str]:
    return [text for name, value in config.items() for text in (f"--{name.replace('_', '-')}", str(value))]


@pytest.mark.slow
def test_the_command_trains_and_goes_on(tmp_path: Path) -> None:
    folder = str(tmp_path / "run")
    told = strand("train", "--run", folder, *options_of(TINY))
    assert told.exit_code == 0, told.output
    assert "wins against random" in told.output
    assert "95 % interval" in told.output
    again = strand("train", "--resume", folder)
    assert again.exit_code == 0
    refused = strand("train", "--resume", folder, "--seed", "3")
    assert "--resume continues the run as it was configured; leave out seed" in str(refused.exception)
    refused = strand("train", "--resume", folder, "--seed", str(Config.seed))
    assert "leave out seed" in str(refused.exception), "even if it is the default"


def told_so_far(path: Path) -> str:
    return path.read_text("utf-8") if path.exists() else ""


@pytest.mark.slow
def test_ctrl_c_tells_how_to_go_on(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "from strand_env.cli import main; main()", "train", "--run", str(tmp_path / "run")]
    endless = [*command, *options_of({**TINY, "total_timesteps": 10**9})]
    process = subprocess.Popen(
        endless,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "COLUMNS": "200"},
        # In the background, where tests may run, it would be ignored.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    while "256" not in told_so_far(tmp_path / "run" / "evaluations.json"):
        time.sleep(0.05)
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    told, _ = process.communicate(timeout=30)
    assert process.returncode == 130
    assert f"strand train --resume {tmp_path / 'run'} continues from the last checkpoint" in told
    assert Run(tmp_path / "run").frames > 0


def test_a_learner_of_stable_baselines_is_exported_only_if_trusted(tmp_path: Path) -> None:
    env = strand_unter_v1.learner_vec_env(num_envs=2)
    model = MaskablePPO("MlpPolicy", env, policy_kwargs={"net_arch": [8]}, n_steps=2, batch_size=4)
    model.save(tmp_path / "model.zip")
    refused = strand("export", str(tmp_path / "model.zip"), str(tmp_path / "agent"))
    assert "loading it runs any code it contains" in str(refused.exception)
    assert not (tmp_path / "agent").exists()
    told = strand("export", str(tmp_path / "model.zip"), str(tmp_path / "agent"), "--trust")
    assert told.exit_code == 0, told.exception
    observation, mask = env.batch.look_at_rows(np.arange(2), np.zeros(2, np.int64))
    expected = model.policy.get_distribution(
        torch.tensor(env.encoding.encode(observation)), action_masks=mask
    ).distribution.probs
    agent: Any = agent_of(str(tmp_path / "agent"))
    assert agent.probabilities(observation, mask) == pytest.approx(expected.detach().numpy(), abs=1e-5)
    (tmp_path / "model.zip").write_bytes(b"nonsense")
    refused = strand("export", str(tmp_path / "model.zip"), str(tmp_path / "agent"), "--trust")
    assert str(refused.exception).startswith(f"{tmp_path / 'model.zip'}: not a ZIP file: ")
    other = strand_unter_v1.learner_vec_env(num_envs=2, num_players=2)
    other.observation_space = Box(0, 1, (3,))  # as of another game
    other.reset = lambda: np.zeros((2, 3), np.float32)  # type: ignore[method-assign, return-value]
    MaskablePPO("MlpPolicy", other, policy_kwargs={"net_arch": [8]}, n_steps=2, batch_size=4).save(
        tmp_path / "other.zip"
    )
    refused = strand("export", str(tmp_path / "other.zip"), str(tmp_path / "agent"), "--trust")
    assert str(refused.exception).startswith(f"{tmp_path / 'other.zip'}: expected as many inputs as an encoding of ")
    kept: Any = agent_of(str(tmp_path / "agent"))  # what does not fit replaces nothing
    assert (kept.probabilities(observation, mask) == agent.probabilities(observation, mask)).all()
    refused = strand("export", str(tmp_path / "missing.zip"), str(tmp_path / "new"), "--trust")
    assert isinstance(refused.exception, FileNotFoundError)
    assert not (tmp_path / "new").exists()


def test_the_benchmark_measures_both_by_turns(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    measured: list[type] = []

    def seconds(model: MaskablePPO, frames: int, callback: Any) -> float:
        measured.append(kind := type(model.get_env()))
        return frames / (3000 if kind is TrainingVecEnv else 4000)

    monkeypatch.setattr(benchmark, "_seconds", seconds)
    benchmark.report(Config(**TINY))
    assert measured == [TrainingVecEnv, benchmark.NothingVecEnv] * benchmark.ROUNDS
    told = capsys.readouterr().out
    assert "3,000 timesteps per second: training" in told
    assert "4,000 timesteps per second: MaskablePPO on an environment that costs nothing" in told
    assert "75.0% of it" in told
    assert "self 33%, past 33%, random 33%" in told


# The small example


@pytest.mark.slow
def test_the_small_example_learns() -> None:
    program = [sys.executable, "-m", "strand_env.train.selfplay_minimal", "--minutes", "0.3", "--evaluations", "1"]
    told = subprocess.run(program, capture_output=True, text=True, check=True).stdout
    before, after = (float(share) for share in re.findall(r"wins ([\d.]+)%", told))
    assert abs(before - 25) < 3, told  # an untrained network plays at random
    assert after > 32, told  # within 18 seconds, which is far from its end


@pytest.mark.parametrize("game", game_names())
def test_the_small_example_plays_whole_games_of_any_kind(game: str) -> None:
    """In Sea or Shore, who has no choice need not be one who may only pass."""
    args = selfplay_minimal.Args(game=game, num_envs=8, num_steps=200)
    collector = selfplay_minimal.Collector(args)
    rollout = collector.collect(selfplay_minimal.Agent(collector.encoding.size, 16, collector.games.num_actions))
    assert (rollout.masks.gather(1, rollout.actions[:, None]) == 1).all()
    assert (rollout.masks.sum(1) > 1).all()
    assert rollout.returns.unique().numel() > 8


# Looking at agents


def test_missing_shells_are_counted() -> None:
    *_, seats = layout.by_name(STRAND_UNTER.batch(1, 2, seed=4).observe()[:, 0])
    own = seats[:, 0]
    cards = own["cards"][0].copy()
    for bucket, expected in (
        ([0, 0, 0, 0], cards[0].sum() + 1),
        (cards[0], 1),  # of any colour
        ([5, 5, 5, 5], 0),
    ):
        own["bucket"] = bucket
        assert missing_shells(own) == expected
    own["castles"][:, :, ON_HEAP] = 0
    own["castles"][:, :, STANDS_IN] = 8
    assert missing_shells(own) == 0  # all are built


def test_all_decisions_of_whole_games_are_watched() -> None:
    watched = watch(Favourite(56), "random", 20, 3, seed=1)  # passes where it may: it never builds
    assert watched.game is STRAND_UNTER
    assert len(watched.last) == 20
    decisions = Decisions(watched)
    assert (watched.actions[decisions.at("build")] == 56).all()
    assert not decisions.last["built"].any()
    assert (watched.actions[decisions.at("dial")] == 0).all()  # the first that is legal
    assert np.bincount(decisions.tables["round"][decisions.at("dial")])[1] == 20
    again = watch(Favourite(56), "random", 20, 3, seed=1)
    assert (again.actions == watched.actions).all()


@pytest.mark.slow
@pytest.mark.parametrize("game", ["strand_unter", "maui", "sea_or_shore"])
def test_how_mixed_an_agent_plays_is_watched_and_drawn(game: str, tmp_path: Path) -> None:
    players = registry.game_of(game).default_players
    mixed, sure = (watch(agent, "random", 40, players, 1, game) for agent in ("random", Favourite(0)))
    legal = 1 / mixed.likeliest
    assert legal == pytest.approx(np.rint(legal)), "uniform over the legal actions"
    assert mixed.entropy == pytest.approx(np.log2(legal))
    assert (sure.likeliest == 1).all()
    assert (sure.entropy == 0).all()
    assert tmp_path / "mixing.png" in draw([mixed], tmp_path, "")
    assert share_of(SEA, tmp_path / "mixing.png") > 0.001, "by round"


def test_panels_side_by_side_have_the_same_axes(tmp_path: Path) -> None:
    panels: list[Any] = []

    def lines(axes: Any, watched: Watched) -> None:
        axes.plot([0, len(panels) + 1])
        axes.twinx().plot([0, -len(panels)])
        panels.append(axes)

    def grid(axes: Any, watched: Watched) -> None:
        draw_heatmap(axes, np.zeros((3, 2)), "x", "ab", "abc")
        panels.append(axes)

    game = dataclasses.replace(STRAND_UNTER)
    game.__dict__["training"] = GameTraining(pictures={"lines": ("", lines), "grid": ("", grid)})
    draw(
        [dataclasses.replace(watch(agent, "random", 2, 4, 1), game=game) for agent in ("random", Favourite(0))],
        tmp_path,
        "",
    )
    assert panels[0].get_ylim() == panels[1].get_ylim() == pytest.approx((-0.1, 2.1))
    left, right = (axes.figure.axes[2 + number] for number, axes in enumerate(panels[:2]))
    assert left.get_ylim() == right.get_ylim() == pytest.approx((-1.05, 0.055), abs=0.01)
    assert panels[2].get_ylim() == panels[3].get_ylim() == (2.5, -0.5)


def test_shares_of_few_decisions_are_not_told() -> None:
    columns = np.repeat([0, 1], [FEWEST, FEWEST - 1])
    found = shares(np.arange(len(columns)) % 3, columns, (3, 3))
    assert found[:, 0] == pytest.approx(100 / 3)
    assert np.isnan(found[:, 1:]).all()


def test_who_cannot_be_inspected_is_named(tmp_path: Path) -> None:
    failing = f"{Path(__file__).with_name('play_helpers.py')}:Failing"
    for arguments in (["random", "--against", failing], [failing, "--compare", ""]):
        refused = strand("inspect", *arguments, "--games", "2", "--folder", str(tmp_path / "new"))
        assert isinstance(refused.exception, ValueError)
        assert str(refused.exception).endswith("RuntimeError: thought too hard")
        assert not (tmp_path / "new").exists()
    refused = strand("inspect", "random", "--compare", "nobody", "--folder", str(tmp_path / "none"))
    assert "no agent is called 'nobody'" in str(refused.exception)
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize("game", [name for name in game_names() if game_of(name).agents.trained])
def test_the_games_own_trained_agent_is_inspected_by_default(
    game: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    watched: list[str] = []
    monkeypatch.setattr("strand_env.train.inspection.watch", lambda name, *arguments: watched.append(name))
    monkeypatch.setattr("strand_env.train.inspection.draw", lambda *arguments: [])
    told = strand("inspect", "--game", game, "--compare", "random", "--folder", str(tmp_path))
    assert told.exit_code == 0, told.exception
    assert watched == [next(iter(game_of(game).agents.trained)), "random"]


def test_what_does_not_go_together_is_refused(tmp_path: Path) -> None:
    missing = strand("train", "--resume", str(tmp_path / "missing"))
    assert missing.exit_code == 1
    assert "Training in" not in missing.output
    assert "--benchmark saves nothing" in str(strand("train", "--benchmark", "--run", str(tmp_path)).exception)


@pytest.mark.slow
def test_pictures_are_drawn(tmp_path: Path) -> None:
    told = strand("inspect", "greedy", "--compare", "random", "--games", "20", "--folder", str(tmp_path))
    assert told.exit_code == 0, told.exception
    assert {path.stem for path in tmp_path.glob("*.png")} == {*STRAND_UNTER.training.pictures, "mixing"}
    assert share_of(SEA, tmp_path / "ends_of_castles.png") > 0.01
    assert share_of(SEA, tmp_path / "collisions.png") > 0.01


# On a cluster


class Dying:
    """A run whose runners die, from where it began to where it got."""

    def __init__(self, deaths: Iterator[tuple[int, int]]) -> None:
        self.frames, self._reached = next(deaths)

    def learn(self) -> None:
        self.frames = self._reached
        raise RunnerDied("gone")


def test_a_run_whose_runners_die_goes_on_unless_nothing_is_learned_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    deaths = iter([(0, 0), (0, 8), (0, 0), (0, 8), (8, 8), (8, 8), (8, 16)])
    monkeypatch.setattr("strand_env.train.run.Run", lambda *_: Dying(deaths))
    with pytest.raises(RunnerDied):
        train_to_the_end(Path("run"))
    assert list(deaths) == [(8, 16)]


@pytest.mark.parametrize("error", [RunnerDied("its node\nis gone"), MismatchedNode("node one has numba 0.1")])
def test_the_command_says_in_a_sentence_why_a_cluster_does_not_train(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> Run:
        raise error

    monkeypatch.setattr("strand_env.train.run.train", fail)
    with pytest.raises(SystemExit) as ended:
        commands._train(Path("run"), Config(), True, None)
    told = str(ended.value)
    assert told.startswith(("strand: its node\\nis gone\n", "strand: node one has numba 0.1\n"))
    assert told.endswith("once that is fixed, continue with: strand train --resume run")
