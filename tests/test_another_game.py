"""Another game in place of Strand Unter, in all environments: these must know no rule of any game."""

import json
import pickle
import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from gymnasium.utils.env_checker import check_env, data_equivalence
from learning import AnotherRandom, Favourite, choices
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, seed_test
from pettingzoo.test.state_test import state_test
from pettingzoo.utils.conversions import parallel_to_aec
from pettingzoo.utils.wrappers import OrderEnforcingWrapper
from sb3_contrib import MaskablePPO
from toy_game import PASS, STONES, TAKE_ALL, StoneGames, StoneRules

from strand_env.adapters.gymnasium import LearnerEnv, LearnerVectorEnv
from strand_env.adapters.match import Match
from strand_env.adapters.pettingzoo import GameAECEnv, GameParallelEnv
from strand_env.adapters.sb3 import LearnerVecEnv
from strand_env.adapters.selfplay import SelfPlayVecEnv
from strand_env.adapters.table import Table
from strand_env.engine.protocol import REWARD_KINDS, IllegalAction
from strand_env.engine.randomness import seeds_of_single_games
from strand_env.registry import GAMES
from strand_env.replays.replay import BrokenReplay, Replay

PLAYERS = list(STONES.player_counts)
SMALL: dict[str, Any] = {"n_steps": 16, "batch_size": 64, "n_epochs": 2, "policy_kwargs": {"net_arch": [16]}, "seed": 1}


def parallel_env(num_players: int = 3, **arguments: Any) -> GameParallelEnv:
    return GameParallelEnv(Table(STONES, num_players, **arguments))


def raw_env(num_players: int = 3, **arguments: Any) -> GameAECEnv:
    return GameAECEnv(Table(STONES, num_players, **arguments))


def match(num_games: int, num_players: int, *arguments: Any, seed: int = 0, **named: Any) -> Match:
    return Match(STONES, StoneGames(num_games, num_players, seed), *arguments, **named)


def same(one: Any, other: Any) -> bool:
    return data_equivalence(one, other, exact=True)


def played(table: Table, seed: int) -> Iterator[list[int]]:
    """Plays a game to its end: the actions of each step."""
    table.reset(seed)
    while not table.over:
        actions = choices(table.observations, table.legal).tolist()
        table.step(actions)
        yield actions


@pytest.fixture
def one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def test_it_is_unlike_strand_unter() -> None:
    games = StoneGames(50, 5)
    assert not any(hasattr(games, name) for name in ("choose_randomly", "play_on"))  # which a game need not offer
    assert games.legal[~games.to_act].tolist() == [[0] * PASS + [1] + [0] * 5] * 200
    assert (games.to_act.sum(1) == 1).all()
    assert games.observe().dtype == np.int16
    assert games.observe_table().shape[1] > games.observe().shape[2]
    games.step(np.where(games.to_act, TAKE_ALL, PASS))
    assert games.over.all()
    assert games.scores.max() > 127
    assert ((games.scores > 0).sum(1) == 1).all()  # nobody else had a turn


@pytest.mark.parametrize("num_players", PLAYERS)
def test_a_table(num_players: int) -> None:
    table = Table(STONES, num_players, reward="score", render_mode="ansi")
    for seed in range(10):
        for actions in played(table, seed):
            assert sum(action != PASS for action in actions) == 1
            assert len(table.to_act) == (not table.over)
            assert table.over or not table.batch.scores.any()
            assert all(space.contains(seen) for space, seen in zip(*spaces_and_seen(table), strict=True))
            assert str(table.status["stones"]) in table.render()
            assert "takes" in table.story()[0]
        assert table.rewards.tolist() == table.snapshot()["scores"] == table.snapshot()["points"]
        table.replay().check()
    with pytest.raises(ValueError, match=r"num_players: expected one of \(2, 3, 4, 5\), got 6"):
        Table(STONES, 6)


def spaces_and_seen(table: Table) -> tuple[list[Any], list[Any]]:
    seen = [table.observation(player) for player in range(table.num_players)]
    return [table.observation_space()] * table.num_players + [table.state_space()], [*seen, table.state()]


def test_going_on_from_a_snapshot() -> None:
    table = Table(STONES, 4)
    for seed in range(10):
        moves = played(table, seed)
        next(moves)
        snapshot = json.loads(json.dumps(table.snapshot()))
        rest = list(moves)
        end = table.snapshot()
        table.restore(snapshot)
        assert table.snapshot() == snapshot
        for actions in rest:
            table.step(actions)
        assert table.snapshot() == end
    with pytest.raises(ValueError, match="another ruleset"):
        table.restore(StoneGames(1, 4, ruleset=StoneRules(stones=13)).snapshot(0))


def test_the_state_is_wider_than_an_observation() -> None:
    env = parallel_env(5)
    env.reset(seed=1)
    snapshot = env.snapshot()
    acts = [float(seat in snapshot["to_act"]) for seat in range(5)]
    expected = [1.0, *[0.0] * 5, *(np.array(snapshot["cards"]) / np.float32(300)), *acts]
    assert env.state() == pytest.approx(expected)
    assert env.state_space.shape == (16,)
    assert env.observation_space("player_0")["observation"].shape == (7,)  # type: ignore[index]


# PettingZoo


@pytest.fixture
def dict_observations(monkeypatch: pytest.MonkeyPatch) -> None:
    """PettingZoo warns of observations with a mask in any environment that is not on its list."""
    for name in ("env_obs_dicts", "env_obs_space"):
        monkeypatch.setattr(sys.modules["pettingzoo.test.api_test"], name, [STONES.id])


@pytest.mark.parametrize("num_players", PLAYERS)
@pytest.mark.usefixtures("dict_observations")
def test_pettingzoos_api_tests(num_players: int) -> None:
    parallel_api_test(parallel_env(num_players))
    for env in (raw_env(num_players), OrderEnforcingWrapper(raw_env(num_players))):
        api_test(env)
    api_test(parallel_to_aec(parallel_env(num_players)))


def test_pettingzoos_other_tests() -> None:
    parallel_seed_test(parallel_env)
    seed_test(raw_env)
    state_test(raw_env(), parallel_env())


@pytest.mark.parametrize("num_players", PLAYERS)
def test_the_same_game_with_all_agents_at_once_and_one_by_one(num_players: int) -> None:
    parallel, one_by_one = (make(num_players, reward="margin") for make in (parallel_env, raw_env))
    for seed in range(10):
        parallel.reset(seed=seed)
        one_by_one.reset(seed=seed)
        received = dict.fromkeys(parallel.agents, 0.0)
        asked = []
        rewards: dict[str, float] = {}
        while parallel.agents:
            seen = [parallel.observe(agent) for agent in parallel.agents]
            actions = choices(*(np.array([each[key] for each in seen]) for key in ("observation", "action_mask")))
            *_, rewards = parallel.step(dict(zip(parallel.agents, actions, strict=True)))[:2]
        for agent in one_by_one.agent_iter():
            observation, reward, over, _, _ = one_by_one.last()
            received[agent] += reward
            asked += [] if over else [agent]
            one_by_one.step(
                None if over else choices(observation["observation"][None], observation["action_mask"][None])[0]
            )
        assert received == rewards
        assert any(rewards.values())
        assert len(asked) == len(parallel.replay().actions)
        assert one_by_one.replay() == parallel.replay()


def test_an_illegal_action() -> None:
    for make in (parallel_env, raw_env):
        env = make(3, illegal="raise")
        env.reset(seed=2)
        before, turn = pickle.dumps(env), env.snapshot()["to_act"][0]
        with pytest.raises(IllegalAction, match=f"player {turn}: action 3"):
            env.step(dict.fromkeys(env.agents, PASS) if make is parallel_env else PASS)
        assert pickle.dumps(env) == before
        env.table.illegal = "terminate"
        env.step(dict.fromkeys(env.agents, PASS) if make is parallel_env else PASS)
        assert env.table.rewards.tolist() == [-1.0 if player == turn else 0.0 for player in range(3)]


# One learner


@pytest.mark.parametrize("num_players", PLAYERS)
@pytest.mark.parametrize("seat", [1, "random"])
def test_gymnasiums_checker(num_players: int, seat: Any) -> None:
    check_env(LearnerEnv(Table(STONES, num_players), seat), skip_render_check=True)


OPPONENTS = {
    "random": "random",
    "asked": AnotherRandom(),
    "several": [Favourite(0), "random", Favourite(TAKE_ALL), "random"],
}


@pytest.mark.parametrize("opponents", OPPONENTS)
@pytest.mark.parametrize("seat", [2, "random"])
def test_a_batch_plays_as_single_environments(seat: Any, opponents: str) -> None:
    given = OPPONENTS[opponents]
    vector = LearnerVectorEnv(match(6, 5, seat, given, "margin"))
    envs = [LearnerEnv(Table(STONES, 5, "margin"), seat, given) for _ in range(6)]
    observations, infos = vector.reset(seed=4)
    begun = [env.reset(seed=4 + number) for number, env in enumerate(envs)]
    ended = 0
    for _ in range(12):
        assert same(list(observations), [observation for observation, _ in begun])
        assert infos["seat"].tolist() == [info["seat"] for _, info in begun]
        assert same(list(vector.action_masks()), [env.action_masks() for env in envs])
        actions = choices(observations, vector.action_masks())
        observations, rewards, over, _, infos = vector.step(actions)
        begun = []
        for number, env in enumerate(envs):
            observation, reward, ends, _, info = env.step(actions[number])
            assert (reward, ends) == (rewards[number], over[number])
            if ends:
                ended += 1
                assert (infos["final_obs"][number] == observation).all()
                assert all(infos["final_info"][key][number] == info[key] for key in ("win", "score", "rank"))
                observation, info = env.reset()
            begun.append((observation, info))
    assert ended > 6


def test_games_without_any_decision_of_the_learner_are_passed_over() -> None:
    env = LearnerEnv(Table(STONES, 5), 0, Favourite(TAKE_ALL))
    vector = LearnerVectorEnv(match(20, 5, 0, Favourite(TAKE_ALL)))
    vector.reset(seed=0)
    dealt = StoneGames(20, 5, seeds_of_single_games(range(20), 20))
    passed_over = vector.match.batch.seeds != dealt.seeds
    assert (passed_over == ~dealt.to_act[:, 0]).all()
    assert 0 < passed_over.sum() < 20
    for seed in range(20):
        env.reset(seed=seed)
        assert env.table.to_act == [0]
        assert env.table.batch.seeds[0] == vector.match.batch.seeds[seed]


# Stable-Baselines3


@pytest.mark.usefixtures("one_thread")
@pytest.mark.parametrize("num_players", [2, 5])
def test_a_learner_of_stable_baselines(num_players: int) -> None:
    env = LearnerVecEnv(match(4, num_players, "random", record=1))
    model = MaskablePPO("MlpPolicy", env, **SMALL)
    model.learn(128)
    assert model.num_timesteps == 128
    assert len(model.ep_info_buffer) > 10


@pytest.mark.usefixtures("one_thread")
@pytest.mark.parametrize("num_players", [2, 5])
def test_self_play(num_players: int) -> None:
    env = SelfPlayVecEnv(STONES, StoneGames(4, num_players, 7), reward="score", record=4)
    model = MaskablePPO("MlpPolicy", env, **SMALL, **env.buffer_arguments)
    model.learn(128)
    assert model.num_timesteps == 128
    assert len(model.ep_info_buffer) > 10
    assert max(episode["r"] for episode in model.ep_info_buffer) > 127


@pytest.mark.parametrize("reward", REWARD_KINDS)
@pytest.mark.parametrize("num_players", [2, 5])
def test_in_self_play_everybody_is_paid(num_players: int, reward: Any) -> None:
    env = SelfPlayVecEnv(STONES, StoneGames(6, num_players, 7), reward, record=6)
    env.rows.followed = True
    observations = env.reset()
    replays = []
    for _ in range(30):
        actions = choices(observations, env.action_masks())
        observations, rewards, over, infos = env.step(actions)
        earned = dict(zip([*env.rows.acted, *env.rows.late], [*rewards, *env.rows.late_rewards], strict=True))
        for row in np.flatnonzero(over):
            game = env.rows.acted[row] // num_players
            replay = infos[row]["replay"]
            replay.check()
            replays.append(replay)
            batch = StoneGames(1, num_players, [replay.seed])
            for step in replay.actions:
                batch.step([step])
            assert [earned[game * num_players + seat] for seat in range(num_players)] == pytest.approx(
                batch.rewards(reward)[0].tolist()
            )
    decided = [
        {seat for step in replay.actions for seat, action in enumerate(step) if action != PASS} for replay in replays
    ]
    assert len(replays) > 10
    assert any(len(seats) < num_players for seats in decided)


@pytest.mark.usefixtures("one_thread")
def test_who_has_decided_nothing_is_credited_nowhere() -> None:
    games = StoneGames(4, 5, 7, StoneRules(stones=1))  # each game is one decision, which leaves no choice
    env = SelfPlayVecEnv(STONES, games)
    model = MaskablePPO("MlpPolicy", env, **SMALL, **env.buffer_arguments)
    model.learn(64)
    assert model.rollout_buffer.rewards == pytest.approx(np.full((16, 4), 1 - 1 / 5))


# Replays


def test_replays(monkeypatch: pytest.MonkeyPatch) -> None:
    vector = LearnerVectorEnv(match(3, 4, "random", "random", record=2))
    observations, _ = vector.reset(seed=1)
    replays = []
    while len(replays) < 6:
        observations, *_, infos = vector.step(choices(observations, vector.action_masks()))
        final = infos.get("final_info", {}).get("replay", [])
        replays += [replay for replay in final if replay is not None]
    text = replays[0].to_json()
    with pytest.raises(BrokenReplay, match="game: expected one of"):
        Replay.from_json(text)
    monkeypatch.setitem(GAMES, STONES.id, STONES)
    for replay in replays:
        assert Replay.from_json(replay.to_json()) == replay
        *_, last = replay.positions()
        assert last.snapshot["scores"] == list(replay.scores)
        assert "takes" in last.story[0]
    with pytest.raises(BrokenReplay, match="scores"):
        replace(replays[0], scores=(128, 0, 0, 0)).check()


def test_a_replay_from_the_middle_of_a_game(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(GAMES, STONES.id, STONES)
    table = Table(STONES, 3, ruleset=StoneRules(stones=30))
    moves = played(table, 2)
    next(moves)
    table.restore(table.snapshot())
    list(moves)
    replay = table.replay()
    assert replay.start is not None
    assert Replay.from_json(replay.to_json()) == replay
    replay.check()
