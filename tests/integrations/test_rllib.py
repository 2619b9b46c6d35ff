"""RLlib plays whole games with action masks, and trains on them."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

pytest.importorskip("ray")

import ray
from gymnasium import spaces
from pettingzoo.test import parallel_api_test
from ray.rllib.algorithms.algorithm import Algorithm
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.env.wrappers.pettingzoo_env import ParallelPettingZooEnv
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule
from ray.tune import register_env

from strand_env import strand_unter_v1
from strand_env.adapters.rllib import ForActionMasking


@pytest.fixture(scope="module")
def algorithm() -> Iterator[Algorithm]:
    """PPO with one policy for all players, everything in this process."""
    register_env("strand_unter", lambda _: ParallelPettingZooEnv(ForActionMasking(strand_unter_v1.parallel_env())))
    module = RLModuleSpec(module_class=ActionMaskingTorchRLModule, model_config={"fcnet_hiddens": [16]})
    config = (
        PPOConfig()
        .environment("strand_unter")
        .env_runners(num_env_runners=0, batch_mode="complete_episodes")
        .multi_agent(policies={"shared"}, policy_mapping_fn=lambda *_, **__: "shared")
        .rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs={"shared": module}))
        .training(train_batch_size_per_learner=100, minibatch_size=50, num_epochs=1)
        .debugging(seed=1)
    )
    ray.init(num_cpus=1, include_dashboard=False)
    algorithm = config.build_algo()
    yield algorithm
    algorithm.stop()
    ray.shutdown()


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_random_games(num_players: int) -> None:
    env = ParallelPettingZooEnv(strand_unter_v1.parallel_env(num_players=num_players, illegal="raise"))
    rng = np.random.default_rng(num_players)
    for seed in range(5):
        observations, _ = env.reset(seed=seed)
        over, steps = False, 0
        while not over:
            actions = {agent: rng.choice(np.flatnonzero(seen["action_mask"])) for agent, seen in observations.items()}
            observations, rewards, terminations, truncations, _ = env.step(actions)
            over = terminations["__all__"]
            steps += 1
        assert steps > 10
        assert not truncations["__all__"]
        assert sum(rewards.values()) == pytest.approx(0)
        assert max(rewards.values()) > 0


def test_a_policy_that_has_learned_nothing_plays_whole_games(algorithm: Algorithm) -> None:
    episodes = algorithm.env_runner.sample(num_episodes=3)
    assert len(episodes) == 3
    for episode in episodes:
        check_game(episode)


def check_game(episode: Any) -> None:
    players = episode.agent_episodes.values()
    rewards = [player.get_rewards() for player in players]
    assert episode.is_terminated
    assert len(rewards) == 4
    assert np.sum(rewards) == pytest.approx(0)
    assert np.max(rewards) > 0
    for player in players:
        masks, actions = player.get_observations()["action_mask"][:-1], player.get_actions()
        assert len(actions) > 10
        assert masks[np.arange(len(actions)), actions].all()
        assert player.get_infos(-1)["phase"] == "over"


def test_training(algorithm: Algorithm) -> None:
    before = weights(algorithm)
    result = algorithm.train()
    assert result["env_runners"]["num_episodes"] >= 1
    assert result["env_runners"]["episode_return_mean"] == pytest.approx(0)  # no game was broken off for a reward of -1
    learned = result["learners"]["shared"]
    assert learned["num_module_steps_trained"] >= 100
    assert all(np.isfinite(learned[name]) for name in ("total_loss", "policy_loss", "vf_loss", "entropy"))
    after = weights(algorithm)
    assert after.keys() == before.keys()
    assert all(np.isfinite(after[name]).all() for name in after)
    assert any((after[name] != before[name]).any() for name in after)
    check_game(algorithm.env_runner.sample(num_episodes=1)[0])


def weights(algorithm: Algorithm) -> dict[str, np.ndarray]:
    state = algorithm.get_module("shared").get_state()
    return {name: np.array(value) for name, value in state.items()}


def test_only_the_name_is_another_for_action_masking() -> None:
    plain, env = strand_unter_v1.parallel_env(), ForActionMasking(strand_unter_v1.parallel_env())
    expected, given = plain.reset(seed=1)[0], env.reset(seed=1)[0]
    for _ in range(3):
        for agent in plain.agents:
            assert given[agent].keys() == {"observations", "action_mask"}
            assert (given[agent]["observations"] == expected[agent]["observation"]).all()
            assert (given[agent]["action_mask"] == expected[agent]["action_mask"]).all()
            assert isinstance(env.observation_space(agent), spaces.Dict)
            assert env.observation_space(agent).contains(given[agent])
        actions = {agent: int(seen["action_mask"].argmax()) for agent, seen in given.items()}
        (expected, *outcome), (given, *same_outcome) = plain.step(actions), env.step(actions)
        assert outcome[:3] == same_outcome[:3]
    assert env.snapshot() == plain.snapshot()
    parallel_api_test(env)
