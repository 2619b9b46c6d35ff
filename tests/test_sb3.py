"""Stable-Baselines3's vector environment with one learner in each game: what MaskablePPO is given, learns and saves."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from learning import SMALL, choices, illegal_choices
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.env_checker import check_env
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import VecMonitor

from strand_env import strand_unter_v1
from strand_env.strand_unter import IllegalAction, Ruleset

ID = "strand_env/StrandUnter-v1"


def steps_of(env: Any, steps: int, seed: int | None = 11) -> Iterator[Any]:
    """What each step gives, from a reset with this seed on."""
    env.seed(seed)
    observations = env.reset()
    for _ in range(steps):
        actions = choices(observations, env.env_method("action_masks"))
        observations, *outcome = env.step(actions)
        yield observations, *outcome


@pytest.mark.parametrize("num_players", [2, 3, 4])
@pytest.mark.parametrize("seat", [0, "random"])
def test_stable_baselines_checker(num_players: int, seat: Any) -> None:
    check_env(gymnasium.make(ID, num_players=num_players, seat=seat))


@pytest.mark.parametrize("num_players", [2, 3, 4])
@pytest.mark.parametrize("seat", [1, "random"])
def test_the_games_are_those_of_gymnasiums_vector_environment(num_players: int, seat: Any) -> None:
    arguments: dict[str, Any] = {"num_envs": 5, "num_players": num_players, "seat": seat, "reward": "margin"}
    env, other = strand_unter_v1.learner_vec_env(**arguments), gymnasium.make_vec(ID, **arguments)
    expected, expected_infos = other.reset(seed=11)
    env.seed(11)
    observations = env.reset()
    episodes = 0
    for _ in range(80):
        masks = env.env_method("action_masks")
        assert (observations == expected).all()
        assert (masks == expected_infos["action_mask"]).all()
        actions = choices(observations, masks)
        observations, rewards, over, infos = env.step(actions)
        expected, expected_rewards, expected_over, _, expected_infos = other.step(actions)
        assert (rewards == expected_rewards).all()
        assert (over == expected_over).all()
        for game, info in enumerate(infos):
            assert bool(info) == over[game]
            if info:
                final = expected_infos["final_info"]
                assert all(info[name] == final[name][game] for name in ("win", "score", "rank"))
                assert (info["terminal_observation"] == expected_infos["final_obs"][game]).all()
                assert info["TimeLimit.truncated"] is False
                episodes += 1
    assert episodes >= 10


def test_what_arrives_is_as_stable_baselines_expects_it() -> None:
    env = strand_unter_v1.learner_vec_env(num_envs=6)
    assert env.reset() in gymnasium.vector.utils.batch_space(env.observation_space, 6)
    for observations, rewards, over, infos in steps_of(env, 40):
        assert observations.dtype == rewards.dtype == np.float32
        assert rewards.shape == over.shape == (6,)
        assert over.dtype == np.bool_
        assert len(infos) == 6
        assert (env.action_masks().sum(1) >= 2).all()


@pytest.mark.parametrize("reward", ["win", "score"])
def test_episode_statistics_are_right(reward: Any) -> None:
    env = strand_unter_v1.learner_vec_env(num_envs=8, num_players=3, seat="random", reward=reward)
    lengths, returns, times = np.zeros(8, int), np.zeros(8), [0.0]
    results = []
    for _, rewards, over, infos in steps_of(env, 90):
        lengths += 1
        returns += rewards
        for game in np.flatnonzero(over):
            info = infos[game]
            assert info["episode"]["r"] == pytest.approx(returns[game])
            assert info["episode"]["l"] == lengths[game]
            times.append(info["episode"]["t"])
            expected = info["win"] - 1 / 3 if reward == "win" else info["score"]
            assert returns[game] == pytest.approx(expected)
            assert (info["rank"] == 1) == (info["win"] > 0)
            results.append(info["rank"])
        lengths[over] = returns[over] = 0
    assert times == sorted(times)
    assert set(results) == {1, 2, 3}


@pytest.mark.slow
def test_a_reward_arrives_with_the_learners_last_decision() -> None:
    """Games that end by moves of the others, after the learner's last decision, are none of its steps."""
    env = strand_unter_v1.learner_vec_env(num_envs=20, record=20, reward="score")
    ends_of_others = 0
    for _, rewards, over, infos in steps_of(env, 60):
        assert not rewards[~over].any()
        for game in np.flatnonzero(over):
            positions = [position.snapshot for position in infos[game]["replay"].positions()]
            assert rewards[game] == positions[-1]["scores"][0]
            assert infos[game]["episode"]["l"] == sum(0 in position["to_act"] for position in positions)
            ends_of_others += 0 not in positions[-2]["to_act"]
    assert ends_of_others


def test_masks_come_in_one_array() -> None:
    env = strand_unter_v1.learner_vec_env(num_envs=5)
    env.reset()
    assert env.has_attr("action_masks")
    assert is_masking_supported(env)
    masks = env.env_method("action_masks")
    assert isinstance(masks, np.ndarray)
    assert masks.shape == (5, 57)
    assert masks.dtype == np.int8
    assert (get_action_masks(env) == masks).all()
    masks[:] = 0
    assert env.action_masks().any(1).all()


def test_some_rows_alone() -> None:
    env = strand_unter_v1.learner_vec_env(num_envs=5)
    for _ in steps_of(env, 7):
        pass
    masks = env.env_method("action_masks")
    assert len({mask.tobytes() for mask in masks}) > 1
    assert (env.env_method("action_masks", indices=[3, 0]) == masks[[3, 0]]).all()
    assert (env.env_method("action_masks", indices=4) == masks[[4]]).all()
    assert env.get_attr("num_envs", indices=[1, 2]) == [5, 5]
    assert env.env_is_wrapped(Monitor) == [False] * 5
    assert env.env_is_wrapped(Monitor, indices=2) == [False]


def test_rows_are_no_objects_of_their_own() -> None:
    env = strand_unter_v1.learner_vec_env(num_envs=2)
    assert env.get_attr("render_mode") == [None, None]
    assert not env.has_attr("nonsense")
    with pytest.raises(AttributeError, match="render: rows have no method of their own but action_masks"):
        env.env_method("render")
    env.set_attr("note", 3)
    assert env.get_attr("note") == [3, 3]
    with pytest.raises(ValueError, match="indices: the games share their attributes"):
        env.set_attr("note", 4, indices=[0])


def test_seeds() -> None:
    env, other = (strand_unter_v1.learner_vec_env(num_envs=3, seat="random") for _ in range(2))
    assert env.seed(5) == [5, 6, 7]
    other.seed(5)
    first = env.reset()
    assert (first == other.reset()).all()
    # A seed is for one reset; then the games follow from the last ones.
    following = env.reset()
    assert (following == other.reset()).all()
    assert (following != first).any()
    env.seed(5)
    assert (env.reset() == first).all()
    for game in range(3):
        assert (gymnasium.make(ID, seat="random").reset(seed=5 + game)[0] == first[game]).all()
    env.seed()
    assert (env.reset() != first).any()


@pytest.mark.parametrize("seed", ["x", -1, 1.5, True, [1, 2], 2**64])
@pytest.mark.parametrize("make", [strand_unter_v1.learner_vec_env, strand_unter_v1.self_play_vec_env])
def test_what_is_no_seed_is_refused(make: Any, seed: Any) -> None:
    env = make(num_envs=2)
    env.seed(5)
    with pytest.raises(ValueError, match=r"seed: expected a whole number from 0 to 2\*\*64 - 1, got"):
        env.seed(seed)
    other = make(num_envs=2)
    other.seed(5)
    assert (env.reset() == other.reset()).all()


def test_games_are_dealt_before_they_are_played() -> None:
    env = strand_unter_v1.learner_vec_env(num_envs=2)
    for call in (env.action_masks, lambda: env.step(np.zeros(2, int))):
        with pytest.raises(RuntimeError, match="no game has been dealt: reset the environment first"):
            call()


def test_options() -> None:
    cards = [[list(Ruleset.default().cards[value][player]) for value in range(4)] for player in range(4)]
    env = strand_unter_v1.learner_vec_env(num_envs=2)
    env.set_options({"cards": cards})
    env.reset()
    assert env.match.batch.snapshot(1)["cards"] == cards
    env.reset()
    assert env.match.batch.snapshot(1)["cards"] != cards
    with pytest.raises(ValueError, match="options: the games are dealt together; expected one dict for all"):
        env.set_options([{"cards": cards}, {}])
    with pytest.raises(ValueError, match="expected one dict for all, got 'cards'"):
        env.set_options("cards")


def test_an_illegal_action_ends_the_game() -> None:
    env = strand_unter_v1.learner_vec_env(num_envs=3, reward="score")
    env.seed(1)
    observations = env.reset()
    actions = choices(observations, env.action_masks())
    actions[1] = illegal_choices(env.action_masks())[1]
    _, rewards, over, infos = env.step(actions)
    assert rewards.tolist() == [0, -1, 0]
    assert over.tolist() == [False, True, False]
    assert infos[1]["illegal_action"] == actions[1]
    assert infos[1]["episode"]["r"] == -1
    assert (infos[1]["win"], infos[1]["score"], infos[1]["rank"]) == (0, 0, 0)
    strict = strand_unter_v1.learner_vec_env(num_envs=3, illegal="raise")
    strict.reset()
    with pytest.raises(IllegalAction, match="game 1, player 0, phase 'dial': action 56 "):
        strict.step(np.array([0, 56, 0]))


@pytest.mark.slow
def test_ppo_learns_on_it_and_keeps_the_statistics() -> None:
    class Ends(BaseCallback):
        infos: list[dict[str, Any]] = []  # noqa: RUF012

        def _on_step(self) -> bool:
            assert (self.locals["action_masks"].sum(1) >= 2).all()
            self.infos += [info for info in self.locals["infos"] if info]
            return True

    env = strand_unter_v1.learner_vec_env(num_envs=16, num_players=2, seat="random")
    model = MaskablePPO("MlpPolicy", env, **SMALL)
    before = [parameter.clone() for parameter in model.policy.parameters()]
    ends = Ends()
    model.learn(1024, callback=ends)
    assert any((old != new).any() for old, new in zip(before, model.policy.parameters(), strict=True))
    assert len(ends.infos) > 10
    assert not any("illegal_action" in info for info in ends.infos)
    assert [episode["r"] for episode in model.ep_info_buffer or ()] == [info["episode"]["r"] for info in ends.infos][
        -100:
    ]


def test_ppo_is_the_same_again_with_the_same_seed() -> None:
    def learned() -> np.ndarray:
        model = MaskablePPO("MlpPolicy", strand_unter_v1.learner_vec_env(num_envs=4), **SMALL).learn(128)
        return model.rollout_buffer.observations.copy()

    assert (learned() == learned()).all()


def test_ppo_takes_the_single_environment_too() -> None:
    env = gymnasium.make(ID, num_players=2, illegal="raise")
    MaskablePPO("MlpPolicy", env, **{**SMALL, "batch_size": 16}).learn(64)


@pytest.mark.slow
def test_a_saved_learner_holds_no_environment(tmp_path: Path) -> None:
    env = strand_unter_v1.learner_vec_env(num_envs=64, num_players=2)
    model = MaskablePPO("MlpPolicy", env, **SMALL).learn(64 * 16)
    path = tmp_path / "learner.zip"
    model.save(path)
    observations = env.reset()
    masks = env.action_masks()
    expected, _ = model.predict(observations, deterministic=True, action_masks=masks)
    assert masks[np.arange(64), expected].all()

    np.savez(tmp_path / "seen.npz", observations=observations, masks=masks)
    # Elsewhere, without anything of this package, it decides the same way.
    program = """
import sys, numpy as np
sys.modules["strand_env"] = None
from sb3_contrib import MaskablePPO
seen = np.load("seen.npz")
model = MaskablePPO.load("learner.zip")
print(model.predict(seen["observations"], deterministic=True, action_masks=seen["masks"])[0].tolist())
"""
    told = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert told.stderr == ""
    assert told.stdout.strip() == str(expected.tolist())

    loaded = MaskablePPO.load(path, env)
    loaded.learn(64 * 16, reset_num_timesteps=False)
    assert loaded.num_timesteps == 2 * 64 * 16


def test_the_wrapper_that_keeps_statistics_and_evaluation() -> None:
    env = VecMonitor(strand_unter_v1.learner_vec_env(num_envs=8, num_players=2), info_keywords=("win", "score", "rank"))
    lengths, episodes = np.zeros(8, int), 0
    for _, rewards, over, infos in steps_of(env, 40):
        lengths += 1
        for game in np.flatnonzero(over):
            episode = infos[game]["episode"]
            assert episode["r"] == pytest.approx(rewards[game], abs=1e-6)
            assert episode["l"] == lengths[game]
            assert episode["win"] == infos[game]["win"]
            episodes += 1
        lengths[over] = 0
    assert episodes >= 8
    model = MaskablePPO("MlpPolicy", env, **SMALL)
    rewards, lengths = evaluate_policy(model, env, n_eval_episodes=20, return_episode_rewards=True)
    assert len(rewards) >= 20
    assert set(np.round(rewards, 3)) <= {-0.5, 0.0, 0.5}
    assert min(lengths) > 5
