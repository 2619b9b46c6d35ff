"""Environments with several numbers of players: each game is one that an environment of its number has."""

import pickle
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from learning import choices, illegal_choices
from pettingzoo.test import parallel_api_test, parallel_seed_test

from strand_env.adapters.environments import Environments
from strand_env.registry import game_ids, game_of

COUNTS = (4, 2, 3)
MAKERS = [Environments(game_of(game)) for game in game_ids() if set(COUNTS) <= set(game_of(game).player_counts)]
EACH_GAME = pytest.mark.parametrize("make", MAKERS, ids=[make.game.name for make in MAKERS])


@EACH_GAME
def test_the_seed_decides_how_many_play(make: Environments) -> None:
    env, twin = (make.parallel_env(num_players=COUNTS) for _ in range(2))
    assert len(env.possible_agents) == 4
    numbers = []
    for seed in range(12):
        observations, _ = env.reset(seed=seed)
        players = len(env.agents)
        expected, _ = make.parallel_env(num_players=players).reset(seed=seed)
        assert observations.keys() == expected.keys()
        assert all((observations[agent]["observation"] == expected[agent]["observation"]).all() for agent in expected)
        numbers.append(players)
    assert set(numbers) == set(COUNTS)
    for each in (env, twin):
        each.reset(seed=5)
    following = []
    for _ in range(6):
        assert env.snapshot() == twin.snapshot()
        for each in (env, twin):
            each.reset()
        following.append(len(env.agents))
    assert len(set(following)) > 1
    snapshot = make.parallel_env(num_players=2).snapshot()
    env.restore(snapshot)
    assert env.snapshot() == snapshot
    assert env.agents == ["player_0", "player_1"]


@EACH_GAME
@pytest.mark.filterwarnings("ignore:No agents present but not all possible_agents:UserWarning")  # as it should be
def test_the_checks_of_pettingzoo_and_gymnasium(make: Environments) -> None:
    parallel_api_test(make.parallel_env(num_players=COUNTS))
    parallel_seed_test(lambda: make.parallel_env(num_players=COUNTS))
    check_env(make.learner_env(num_players=COUNTS, seat="random"), skip_render_check=True)


@EACH_GAME
def test_whole_games_of_one_after_the_other(make: Environments) -> None:
    env = make.env(num_players=COUNTS)
    for seed in range(6):
        env.reset(seed=seed)
        paid = dict.fromkeys(env.agents, 0.0)
        for agent in env.agent_iter():
            seen, reward, over, _, _ = env.last()
            paid[agent] += reward
            env.step(None if over else int(choices(seen["observation"][None], seen["action_mask"][None])[0]))
        assert sum(paid.values()) == pytest.approx(0)


@EACH_GAME
def test_rows_are_those_of_environments_of_one_number(make: Environments) -> None:
    mixed = make.learner_vector_env(8, num_players=COUNTS, seat="random", record=5)
    shares = zip(COUNTS, (3, 3, 2), strict=True)
    parts = [make.learner_vector_env(rows, num_players=number, seat="random") for number, rows in shares]
    starts = [0, 3, 6]
    observations, infos = mixed.reset(seed=7)
    singles = [part.reset(seed=7 + start) for part, start in zip(parts, starts, strict=True)]
    ended = np.zeros(8, int)
    for number in range(150):
        assert (observations == np.concatenate([each[0] for each in singles])).all()
        assert (infos["action_mask"] == np.concatenate([each[-1]["action_mask"] for each in singles])).all()
        masks = mixed.action_masks()
        actions = illegal_choices(masks) if number == 60 else choices(observations, masks)
        observations, rewards, over, _, infos = mixed.step(actions)
        singles = [part.step(rows) for part, rows in zip(parts, np.split(actions, starts[1:]), strict=True)]
        assert (rewards == np.concatenate([each[1] for each in singles])).all()
        assert over.tolist() == infos.get("_final_info", ~over & over).tolist()
        ended += over
    assert ended.min() >= 2
    mixed.replay(4).check()
    with pytest.raises(ValueError, match="index: only the first 2 games are recorded"):
        mixed.replay(5)
    before = observations
    mask = np.arange(8) == 4
    observations, _ = mixed.reset(seed=3, options={"reset_mask": mask})
    assert (observations[~mask] == before[~mask]).all()
    assert (observations[4] == parts[1].reset(seed=6)[0][1]).all()


@EACH_GAME
def test_for_stable_baselines(make: Environments) -> None:
    env = make.learner_vec_env(7, num_players=COUNTS, seat="random", record=4)
    observations, ended = env.reset(), 0
    for _ in range(60):
        observations, rewards, over, infos = env.step(choices(observations, env.action_masks()))
        for row in np.flatnonzero(over):
            assert infos[row]["episode"]["r"] == pytest.approx(rewards[row])
            ended += 1
    assert ended
    assert env.replay(3).players == 2


@EACH_GAME
def test_what_is_refused_changes_nothing(make: Environments) -> None:
    env = make.learner_vector_env(6, num_players=COUNTS, illegal="raise")
    env.reset(seed=1)
    before = pickle.dumps(env)
    last = env.action_masks()
    legal = last.argmax(1)
    for call, message in (
        (lambda: env.step(np.where(np.arange(6) == 5, last.argmin(1), legal)), "of those with 3 players, game 1, "),
        (lambda: env.step(np.where(np.arange(6) == 5, 999, legal)), r"actions\[5\]: expected"),
        (lambda: env.step(legal[:5]), r"actions: expected shape \(6,\)"),
        (lambda: env.reset(seed=[1, 2, 3, 4, 5, -1]), r"seed\[5\]"),
        (lambda: env.reset(seed=[1, 2]), "seed: expected 6 seeds"),
    ):
        with pytest.raises(ValueError, match=message):
            call()
        assert pickle.dumps(env) == before


@EACH_GAME
@pytest.mark.parametrize(
    ("num_players", "message"),
    [
        ((2, 2), "num_players: expected one number or several different ones"),
        ((), "num_players: expected one number or several different ones"),
        ((2, 9), r"num_players\[1\]: expected a whole number from"),
        ((2, None), r"num_players\[1\]: expected a whole number from"),
        ("2,3", "num_players: expected a whole number from"),
    ],
)
def test_impossible_numbers(make: Environments, num_players: Any, message: str) -> None:
    for maker in (make.parallel_env, make.env, make.learner_env, make.learner_vector_env, make.self_play_vec_env):
        with pytest.raises(ValueError, match=message):
            maker(num_players=num_players)


@EACH_GAME
def test_what_several_numbers_do_not_go_with(make: Environments) -> None:
    with pytest.raises(ValueError, match="num_players: self-play is for one number"):
        make.self_play_vec_env(4, num_players=COUNTS)
    with pytest.raises(ValueError, match="num_games: expected one for each of 3 numbers of players, got 2"):
        make.learner_vector_env(2, num_players=COUNTS)
    with pytest.raises(ValueError, match="opponents: expected one agent, or 1 of them; got 3"):
        make.learner_env(num_players=COUNTS, opponents=["random"] * 3)
    with pytest.raises(ValueError, match="seat: expected a number from 0 to 1"):
        make.learner_env(num_players=COUNTS, seat=3)


def test_by_gymnasiums_name() -> None:
    env = gymnasium.make_vec("strand_env/Maui-v0", num_envs=6, num_players=(2, 3))
    assert env.reset(seed=1)[0].shape[0] == 6
