"""The PettingZoo environments: PettingZoo's own tests, and what these do not look at."""

import copy
import json
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any
from zlib import crc32

import numpy as np
import pettingzoo
import pytest
from gymnasium import spaces
from gymnasium.utils.env_checker import data_equivalence
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, render_test, seed_test
from pettingzoo.test.state_test import state_test
from pettingzoo.utils.conversions import parallel_to_aec
from seat_views import SEATED

from strand_env import strand_unter_v1
from strand_env.adapters.rllib import ForActionMasking
from strand_env.adapters.torchrl import ForTorchRL
from strand_env.strand_unter import PASS, Games, IllegalAction, Ruleset
from strand_env.strand_unter.potential import potential

AEC = [strand_unter_v1.env, strand_unter_v1.raw_env]
ALL = [strand_unter_v1.parallel_env, *AEC]

Environment = Any  # parallel or AEC, wrapped or not
Maker = Callable[..., Environment]


def choice(observation: dict[str, np.ndarray]) -> int:
    """A legal action that looks random but depends on what the agent sees alone."""
    legal = np.flatnonzero(observation["action_mask"])
    return int(legal[crc32(observation["observation"].tobytes()) % len(legal)])


def choices(env: Environment) -> dict[str, int]:
    return {agent: choice(env.unwrapped.observe(agent)) for agent in env.agents}


def play(env: Environment) -> Iterator[Any]:
    """Plays a game to its end, a step at a time: all that the environment gives."""
    while env.agents:
        if isinstance(env, pettingzoo.ParallelEnv):
            yield env.step(choices(env))
        else:
            agent, (observation, *outcome) = env.agent_selection, env.last()
            env.step(None if env.terminations[agent] else choice(observation))
            yield agent, observation, outcome, env.rewards.copy()


def started(make: Maker, steps: int = 0, seed: int = 3, **arguments: Any) -> Environment:
    env = make(**arguments)
    env.reset(seed=seed)
    for _, _ in zip(range(steps), play(env), strict=False):
        pass
    return env


def finished(env: Environment) -> Any:
    """What comes at the end of a game."""
    *_, last = play(env)
    return last


def result(**arguments: Any) -> tuple[Environment, list[float]]:
    """A parallel environment after a game, and the rewards."""
    env = started(strand_unter_v1.parallel_env, **arguments)
    return env, list(finished(env)[1].values())


def same(one: Any, other: Any) -> bool:
    return data_equivalence(one, other, exact=True)


# PettingZoo's tests. `test_save_obs` is for observations that are images, which these are not.


@pytest.fixture
def dict_observations(monkeypatch: pytest.MonkeyPatch) -> None:
    """PettingZoo warns of observations with a mask in any environment that is not on its list."""
    module = sys.modules["pettingzoo.test.api_test"]
    for name in ("env_obs_dicts", "env_obs_space"):
        monkeypatch.setattr(module, name, ["strand_unter_v1"])


@pytest.mark.parametrize("num_players", [2, 3, 4])
@pytest.mark.usefixtures("dict_observations")
def test_pettingzoos_api_tests(num_players: int) -> None:
    parallel_api_test(strand_unter_v1.parallel_env(num_players=num_players))
    for make in AEC:
        api_test(make(num_players=num_players))
    api_test(parallel_to_aec(strand_unter_v1.parallel_env(num_players=num_players)))


@pytest.mark.parametrize("num_players", [2, 4])
def test_plain_arrays(num_players: int) -> None:
    """The array of the dict alone; masks are in the infos."""
    arguments: dict[str, Any] = {"num_players": num_players, "observation": "array"}
    parallel_api_test(strand_unter_v1.parallel_env(**arguments))
    for make in AEC:
        api_test(make(**arguments))
    parallel_seed_test(lambda: strand_unter_v1.parallel_env(**arguments))
    plain, env = (strand_unter_v1.parallel_env(num_players=num_players, observation=kind) for kind in ("dict", "array"))
    observations, arrays = plain.reset(seed=1)[0], env.reset(seed=1)[0]
    while plain.agents:
        for agent, array in arrays.items():
            assert isinstance(env.observation_space(agent), spaces.Box)
            assert env.observation_space(agent).contains(array)
            assert (array == observations[agent]["observation"]).all()
        actions = choices(plain)
        (observations, *_, infos), (arrays, *_, same_infos) = plain.step(actions), env.step(actions)
        assert same(infos, same_infos)
    turns = started(strand_unter_v1.env, **arguments)
    while turns.agents:
        array, _, over, _, info = turns.last()
        assert array.shape == plain.observation_space("player_0")["observation"].shape
        turns.step(None if over else int(info["action_mask"].argmax()))
    for wrapper in (ForActionMasking, ForTorchRL):
        with pytest.raises(ValueError, match="observation: expected 'dict' here, where the mask is read from it"):
            wrapper(env)


def test_pettingzoos_seed_tests() -> None:
    parallel_seed_test(strand_unter_v1.parallel_env)
    for make in AEC:
        seed_test(make)


@pytest.mark.parametrize("make", AEC)
def test_pettingzoos_state_test(make: Maker) -> None:
    state_test(make(), strand_unter_v1.parallel_env())


@pytest.mark.parametrize("make", AEC)
def test_pettingzoos_render_test(make: Maker) -> None:
    render_test(make)


@pytest.mark.parametrize("env_type", ["aec", "parallel"])
@pytest.mark.parametrize(
    "name", ["strand_env/strand_unter_v1", "strand_env/strand_unter-v1", "strand_env/strand_unter"]
)
def test_made_by_pettingzoos_registry(env_type: Any, name: str) -> None:
    env = pettingzoo.make(env_type, name, num_players=3)
    assert str(env.unwrapped) == "strand_unter_v1"
    assert env.possible_agents == ["player_0", "player_1", "player_2"]


# Whole games


@pytest.mark.parametrize("num_players", [2, 3, 4])
@pytest.mark.parametrize("make", ALL)
def test_equal_seeds_are_equal_games(make: Maker, num_players: int) -> None:
    first, second = (list(play(started(make, num_players=num_players))) for _ in range(2))
    other = list(play(started(make, num_players=num_players, seed=4)))
    assert len(first) > 30
    assert same(first, second)
    assert not same(first, other)


@pytest.mark.parametrize("num_players", [2, 3, 4])
@pytest.mark.parametrize("make", AEC)
def test_the_same_game_with_all_agents_at_once_and_one_by_one(make: Maker, num_players: int) -> None:
    parallel = started(strand_unter_v1.parallel_env, num_players=num_players)
    one_by_one = started(make, num_players=num_players)
    *_, (_, rewards, *_) = play(parallel)
    received = {}
    while one_by_one.agents:
        agent = one_by_one.agent_selection
        observation, reward, terminated, _, _ = one_by_one.last()
        received[agent] = received.get(agent, 0) + reward
        one_by_one.step(None if terminated else choice(observation))
    assert received == rewards
    assert any(rewards.values())
    assert one_by_one.replay() == parallel.replay()
    assert one_by_one.snapshot() == parallel.snapshot()


def test_the_game_is_that_of_a_batch_of_one() -> None:
    env, games = started(strand_unter_v1.parallel_env, seed=7), Games(1, 4, seed=7)
    while not games.over[0]:
        assert env.snapshot() == games.snapshot(0)
        actions = choices(env)
        env.step(actions)
        games.step([list(actions.values())])
    assert env.snapshot() == games.snapshot(0)
    assert env.agents == []


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_what_a_parallel_step_gives(num_players: int) -> None:
    env = strand_unter_v1.parallel_env(num_players=num_players)
    observations, infos = env.reset(seed=1)
    agents = [f"player_{player}" for player in range(num_players)]
    assert env.agents == env.possible_agents == list(observations) == list(infos) == agents
    ends = []
    for observations, rewards, terminations, truncations, infos in play(env):
        ends += [set(terminations.values())]
        assert all(list(part) == agents for part in (observations, rewards, terminations, truncations, infos))
        assert {type(end) for part in (terminations, truncations) for end in part.values()} == {bool}
        assert not any(truncations.values())
        assert {type(reward) for reward in rewards.values()} == {float}
        snapshot = env.snapshot()
        for player, agent in enumerate(agents):
            assert env.observation_space(agent).contains(observations[agent])
            assert infos[agent].keys() == {"action_mask", "phase", "round"}
            assert infos[agent]["phase"] == snapshot["phase"]
            assert infos[agent]["round"] == snapshot["round"]
            mask = observations[agent]["action_mask"]
            assert (infos[agent]["action_mask"] == mask).all()
            assert (mask.tolist() == [0] * PASS + [1]) == (player not in snapshot["to_act"])
    assert ends == [{False}] * (len(ends) - 1) + [{True}]
    assert env.agents == []


@pytest.mark.parametrize("make", AEC)
def test_one_by_one_only_those_are_asked_who_have_to_decide(make: Maker) -> None:
    env = started(make)
    while not any(env.terminations.values()):
        observation, *_ = env.last()
        assert observation["action_mask"].sum() > 1
        env.step(choice(observation))


@pytest.mark.parametrize("make", AEC)
def test_choices_of_one_phase_are_secret(make: Maker) -> None:
    env = started(make)
    unchanged = 0
    for _ in range(100):
        before, asked = env.snapshot(), env.snapshot()["to_act"]
        seen = {agent: env.observe(agent) for agent in env.agents}, copy.deepcopy(env.infos), env.state()
        for player in asked:
            assert env.agent_selection == f"player_{player}"
            assert env.snapshot() == before
            assert same(({agent: env.observe(agent) for agent in env.agents}, env.infos, env.state()), seen)
            unchanged += player != asked[0]
            env.step(choice(env.observe(env.agent_selection)))
        if any(env.terminations.values()):
            break
        assert env.snapshot() != before
    assert unchanged > 50


@pytest.mark.slow
@pytest.mark.parametrize("make", ALL)
@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
@pytest.mark.parametrize("steps", [0, 6, 37])
def test_a_copy_goes_on_in_the_same_way(make: Maker, duplicate: Callable[[Any], Any], steps: int) -> None:
    env = started(make, steps, reward="score")
    env.action_space("player_0").sample()  # spaces have random numbers, too
    twin, untouched = duplicate(env), duplicate(env)
    rest = list(play(env))
    assert len(rest) > 10
    assert same(list(play(twin)), rest)
    assert twin.snapshot() == env.snapshot()
    assert twin.replay() == env.replay()
    assert twin.action_space("player_0").sample() == env.action_space("player_0").sample()
    for each in (env, twin):
        each.reset()
    assert twin.snapshot() == env.snapshot()
    assert same(list(play(untouched)), rest)


@pytest.mark.slow
def test_makers_can_be_sent_to_other_processes() -> None:
    program = """
import json, pickle, sys
envs = [make(num_players=3) for make in pickle.load(sys.stdin.buffer)]
for env in envs:
    env.reset(seed=3)
print(json.dumps([[type(env).__name__, env.snapshot()] for env in envs]))
"""
    told = subprocess.run([sys.executable, "-c", program], input=pickle.dumps(ALL), capture_output=True, check=True)
    envs = [started(make, num_players=3) for make in ALL]
    assert json.loads(told.stdout) == [[type(env).__name__, env.snapshot()] for env in envs]


# Rewards


@pytest.mark.parametrize("num_players", [2, 3, 4])
@pytest.mark.parametrize("seed", range(5))
def test_rewards(num_players: int, seed: int) -> None:
    env, wins = result(num_players=num_players, seed=seed)
    scores, winners = np.array(env.snapshot()["scores"]), np.array(env.snapshot()["winners"])
    assert wins == pytest.approx(winners / winners.sum() - 1 / num_players)
    assert sum(wins) == pytest.approx(0, abs=1e-6)
    env, points = result(num_players=num_players, seed=seed, reward="score")
    assert points == scores.tolist() == env.snapshot()["scores"]
    _, margins = result(num_players=num_players, seed=seed, reward="margin")
    ahead = scores - (scores.sum() - scores) / (num_players - 1)
    assert np.argsort(margins, kind="stable").tolist() == np.argsort(ahead, kind="stable").tolist()
    assert np.outer(margins, ahead) == pytest.approx(np.outer(ahead, margins), abs=1e-4)  # proportional
    assert max(margins) <= 1
    assert sum(margins) == pytest.approx(0, abs=1e-5)


def test_a_shared_win_is_shared() -> None:
    snapshot = started(strand_unter_v1.parallel_env, num_players=2).snapshot()
    snapshot |= {"round": 15, "groove": 1, "sea": 3, "phase": "dial", "covered": [[0] * 4] * 8}
    snapshot |= {"shells": [5, 5, 5, 5], "bag": [15, 15, 15, 15]}
    env = strand_unter_v1.parallel_env(num_players=2)
    env.reset(options={"snapshot": snapshot})
    assert list(finished(env)[1].values()) == [0, 0]
    assert env.snapshot()["winners"] == [True, True]


def test_no_rewards_before_the_end() -> None:
    rewards = [step[1] for step in play(started(strand_unter_v1.parallel_env, reward="score"))]
    assert not any(reward for step in rewards[:-1] for reward in step.values())
    assert any(rewards[-1].values())


# Illegal actions


def test_an_illegal_action_ends_the_game() -> None:
    env = started(strand_unter_v1.parallel_env, 10)
    before = env.snapshot()
    actions = choices(env) | {"player_1": illegal(env, "player_1"), "player_3": illegal(env, "player_3")}
    observations, rewards, terminations, truncations, infos = env.step(actions)
    assert rewards == {"player_0": 0, "player_1": -1, "player_2": 0, "player_3": -1}
    assert set(terminations.values()) == {True}
    assert set(truncations.values()) == {False}
    assert env.agents == []
    for agent in env.possible_agents:
        assert env.observation_space(agent).contains(observations[agent])
        assert infos[agent]["offenders"] == ["player_1", "player_3"]
        assert infos[agent].get("illegal_action") == (actions[agent] if agent in ("player_1", "player_3") else None)
    assert env.snapshot() == before
    assert env.replay().scores is None
    with pytest.raises(ValueError, match="reset"):
        env.step(actions)
    _, infos = env.reset()
    assert "offenders" not in infos["player_0"]
    assert any(finished(env)[1].values())


@pytest.mark.parametrize("make", AEC)
@pytest.mark.parametrize("waiting", [0, 1, 3])
def test_one_by_one_an_illegal_action_ends_the_game_at_once(make: Maker, waiting: int) -> None:
    env = started(make, waiting)
    offender, action = env.agent_selection, illegal(env, env.agent_selection)
    env.step(action)
    rewards = {}
    for agent in env.agent_iter():
        _, rewards[agent], terminated, truncated, info = env.last()
        assert (terminated, truncated) == (True, False)
        assert info["offenders"] == [offender]
        assert info.get("illegal_action") == (action if agent == offender else None)
        env.step(None)
    assert rewards == {agent: -1 if agent == offender else 0 for agent in env.possible_agents}


@pytest.mark.parametrize("make", ALL)
def test_an_illegal_action_can_be_an_error(make: Maker) -> None:
    env = started(make, 2, illegal="raise")
    before = pickle.dumps(env)
    agent = getattr(env, "agent_selection", "player_2")
    action = illegal(env, agent)
    parallel = make is strand_unter_v1.parallel_env
    with pytest.raises(IllegalAction, match=f"player {agent[-1]}.*action {action} "):
        env.step(choices(env) | {agent: action} if parallel else action)
    assert pickle.dumps(env) == before
    finished(env)
    assert env.snapshot()["phase"] == "over"


def illegal(env: Environment, agent: str) -> int:
    return int(env.unwrapped.observe(agent)["action_mask"].argmin())


@pytest.mark.parametrize(
    "wrong", [57, -1, 10**30, None, 1.0, True, "1", [1], np.array([1]), np.float32(1), np.bool_(1)]
)
@pytest.mark.parametrize("make", ALL)
def test_what_is_no_action_is_an_error(make: Maker, wrong: Any) -> None:
    env = started(make, 2)
    before = pickle.dumps(env)
    agent = getattr(env, "agent_selection", "player_2")
    with pytest.raises(ValueError, match=f"action of {agent}: expected a whole number from 0 to 56, got"):
        env.step(choices(env) | {agent: wrong} if make is strand_unter_v1.parallel_env else wrong)
    assert pickle.dumps(env) == before


@pytest.mark.parametrize("kind", [int, np.int8, np.uint64, np.array])
@pytest.mark.parametrize("make", ALL)
def test_all_kinds_of_whole_numbers_are_actions(make: Maker, kind: Callable[[int], Any]) -> None:
    env, expected = started(make), started(make, 1)
    actions = choices(env)
    parallel = make is strand_unter_v1.parallel_env
    env.step({agent: kind(action) for agent, action in actions.items()} if parallel else kind(actions["player_0"]))
    assert same(choices(env), choices(expected))
    assert env.snapshot() == expected.snapshot()


def test_each_agent_must_act() -> None:
    env = started(strand_unter_v1.parallel_env)
    actions = choices(env)
    for wrong in ({}, {"player_0": 1}, actions | {"player_4": 1}, list(actions.values()), None):
        with pytest.raises(ValueError, match=r"one action for each of \['player_0', 'player_1', 'player_2', 'player_3"):
            env.step(wrong)  # type: ignore[arg-type]
    assert env.snapshot() == started(strand_unter_v1.parallel_env).snapshot()


@pytest.mark.parametrize("make", [strand_unter_v1.parallel_env, strand_unter_v1.raw_env])
def test_no_step_before_and_after_a_game(make: Maker) -> None:
    env = make()
    with pytest.raises(ValueError, match="reset"):
        env.step({})
    finished(started(lambda: env))
    with pytest.raises(ValueError, match="reset"):
        env.step({})
    with pytest.raises(ValueError, match="the game is over: reset"):
        env.table.step([PASS] * 4)


# Seeds, snapshots and other ways to begin


@pytest.mark.parametrize("make", ALL)
def test_without_a_seed_the_next_game_follows(make: Maker) -> None:
    first, second = started(make, seed=5), started(make, 20, seed=5)
    seen = []
    for _ in range(3):
        seen.append(first.snapshot())
        first.reset()
        second.reset()
        assert first.snapshot() == second.snapshot()
        assert first.snapshot() not in seen
    first.reset(seed=5)
    assert first.snapshot() == seen[0]


@pytest.mark.parametrize("make", ALL)
def test_without_any_seed_each_game_is_another(make: Maker) -> None:
    envs = [make() for _ in range(3)]
    for env in envs:
        env.reset()
    assert len({json.dumps(env.snapshot()) for env in envs}) == 3


@pytest.mark.parametrize("seed", [0, 2**64 - 1, np.int32(5), np.uint64(2**63)])
def test_seeds(seed: Any) -> None:
    assert started(strand_unter_v1.parallel_env, seed=seed).snapshot() == Games(1, seed=seed).snapshot(0)


@pytest.mark.parametrize("seed", [-1, 2**64, 1.0, "1", True, [1], np.array([1])])
@pytest.mark.parametrize("make", ALL)
def test_what_is_no_seed_is_refused(make: Maker, seed: Any) -> None:
    env = started(make, 3)
    before = pickle.dumps(env)
    with pytest.raises(ValueError, match=r"seed: expected a whole number from 0 to 2\*\*64 - 1"):
        env.reset(seed=seed)
    assert pickle.dumps(env) == before


@pytest.mark.parametrize("options", ["cards", [("cards", 1)], 5, {"cards"}])
@pytest.mark.parametrize("make", ALL)
def test_options_must_be_a_dict(make: Maker, options: Any) -> None:
    env = started(make, 3)
    before = pickle.dumps(env)
    with pytest.raises(ValueError, match="options: expected a dict or None, got "):
        env.reset(seed=1, options=options)
    assert pickle.dumps(env) == before


@pytest.mark.parametrize("make", ALL)
@pytest.mark.parametrize("steps", [0, 6, 37])
def test_going_on_from_a_snapshot(make: Maker, steps: int) -> None:
    env = started(make, steps, reward="score")
    snapshot = json.loads(json.dumps(env.snapshot()))
    finished(env)
    end = env.snapshot()
    for begin in (env.restore, lambda snapshot: env.reset(options={"snapshot": snapshot})):
        begin(snapshot)
        assert env.snapshot() == snapshot
        assert env.agents == env.possible_agents
        finished(env)
        assert env.snapshot() == end
        env.replay().check()


@pytest.mark.parametrize("make", ALL)
def test_nobody_is_left_when_a_game_that_is_over_is_restored(make: Maker) -> None:
    env = started(make)
    finished(env)
    env.restore(env.snapshot())
    assert env.agents == []
    env.reset()
    assert len(env.agents) == 4


@pytest.mark.parametrize("make", ALL)
def test_snapshots_that_do_not_fit(make: Maker) -> None:
    env = started(make, 3)
    snapshot, before = env.snapshot(), pickle.dumps(env)
    other = Ruleset(shells=(19, 21, 20, 20))
    for options, seed, message in (
        ({"snapshot": Games(1, 3).snapshot(0)}, None, "a game of 3 players, but here are 4"),
        ({"snapshot": Games(1, 4, ruleset=other).snapshot(0)}, None, "another ruleset"),
        ({"snapshot": snapshot | {"round": 99}}, None, "round"),
        ({"snapshot": snapshot}, 1, "leave out the seed"),
        ({"snapshot": snapshot, "cards": snapshot["cards"]}, None, "leave out the seed and other options"),
        ({"cards": snapshot["cards"][:3]}, None, "cards"),
    ):
        with pytest.raises(ValueError, match=message):
            env.reset(seed=seed, options=options)
    assert pickle.dumps(env) == before


@pytest.mark.parametrize("make", ALL)
def test_chosen_cards(make: Maker) -> None:
    cards = Games(1, seed=99).snapshot(0)["cards"]
    env = make()
    env.reset(seed=3, options={"cards": cards, "snapshot": None, "unknown": 5})
    dealt = env.snapshot()
    assert dealt["cards"] == cards
    assert dealt["shells"] == Games(1, seed=3).snapshot(0)["shells"]
    finished(env)
    env.replay().check()
    env.reset(seed=3)
    assert env.snapshot() == Games(1, seed=3).snapshot(0)


def test_another_ruleset() -> None:
    ruleset = Ruleset(shells=(19, 21, 20, 20))
    env = started(strand_unter_v1.parallel_env, ruleset=ruleset)
    assert env.snapshot() == Games(1, seed=3, ruleset=ruleset).snapshot(0)
    env.restore(env.snapshot())
    assert all(env.observation_space(agent).contains(env.observe(agent)) for agent in env.agents)


# What is seen


@pytest.mark.parametrize("make", ALL)
def test_spaces_are_the_same_objects_each_time(make: Maker) -> None:
    env = make()
    for space in (env.observation_space, env.action_space):
        spaces = [space(agent) for agent in env.possible_agents]
        assert all(space(agent) is each for agent, each in zip(env.possible_agents, spaces, strict=True))
        assert len({id(each) for each in spaces}) == 4  # each with random numbers of its own
    assert env.state_space is env.state_space


@pytest.mark.parametrize("make", ALL)
def test_what_is_given_is_the_callers_to_change(make: Maker) -> None:
    env, expected = started(make, 3), started(make, 3)
    observation, again = env.observe("player_1"), env.observe("player_1")
    given = [*observation.values(), *again.values(), env.state(), env.state()]
    if make is strand_unter_v1.parallel_env:
        observations, *_, infos = env.step(choices(env))
        expected.step(choices(expected))
        given += [array for each in observations.values() for array in each.values()]
    else:
        infos = env.infos
    given += [info["action_mask"] for info in infos.values()]
    assert not any(np.shares_memory(one, other) for one in given for other in given if one is not other)
    for array in given:
        array[:] = 77
    env.snapshot()["buckets"][0][0] = 77
    assert same([env.observe(agent) for agent in env.agents], [expected.observe(agent) for agent in env.agents])
    assert same(finished(env), finished(expected))


def test_what_nobody_can_know_is_not_seen() -> None:
    env = started(strand_unter_v1.parallel_env, 12)
    seen = {agent: env.observe(agent) for agent in env.agents}, env.state()
    hidden = {name: env.snapshot()[name] for name in ("bag", "covered")}
    games = Games.from_snapshots([env.snapshot()])
    games.redeal(seed=1)
    env.restore(games.snapshot(0))
    assert {name: env.snapshot()[name] for name in ("bag", "covered")} != hidden
    assert same(({agent: env.observe(agent) for agent in env.agents}, env.state()), seen)


def test_the_state_is_what_is_open_to_all() -> None:
    env, hiding = (started(strand_unter_v1.parallel_env, 12, hide_buckets=hide) for hide in (False, True))
    hiding.restore(env.snapshot())
    assert not same(env.observe("player_1"), hiding.observe("player_1"))
    assert same(env.state(), hiding.state())
    assert env.state_space.contains(env.state())
    before = env.state()
    env.step(choices(env))
    assert not same(env.state(), before)


# Replays and pictures


@pytest.mark.parametrize("make", ALL)
def test_replays(make: Maker) -> None:
    env = started(make, 9)
    part = env.replay()
    finished(env)
    whole = env.replay()
    for replay in (part, whole):
        replay.check()
    assert part.scores is None
    assert whole.actions[: len(part.actions)] == part.actions
    assert list(whole.scores) == env.snapshot()["scores"]
    env.reset()
    assert env.replay().actions == ()


@pytest.mark.parametrize("make", ALL)
def test_text(make: Maker) -> None:
    env = started(make, 4, render_mode="ansi")
    views = env.unwrapped.table.game.views
    replay = env.replay()
    *_, (snapshot, _, story) = replay.positions()
    assert story
    assert env.render() == views.to_text(snapshot, story)
    env.reset()
    assert env.render() == views.to_text(env.snapshot())


@pytest.mark.parametrize("make", ALL)
def test_for_humans_everything_is_printed_at_once(make: Maker, capsys: pytest.CaptureFixture[str]) -> None:
    env = make(num_players=2, render_mode="human")
    views = env.unwrapped.table.game.views
    assert capsys.readouterr().out == ""
    env.reset(seed=1)
    assert capsys.readouterr().out == views.to_text(env.snapshot(), colour=False) + "\n"
    parallel = make is strand_unter_v1.parallel_env
    if not parallel:
        env.step(5)
        assert capsys.readouterr().out == ""  # nothing happens until all have chosen
    env.step({"player_0": 5, "player_1": 6} if parallel else 6)
    *_, (snapshot, _, story) = env.replay().positions()
    shown = views.to_text(snapshot, story, colour=False) + "\n"
    assert capsys.readouterr().out == shown
    assert env.render() is None
    assert capsys.readouterr().out == shown
    env.step(dict.fromkeys(env.agents, 55) if parallel else 55)
    assert "player_0 chose action 55, which is not legal" in capsys.readouterr().out


def test_pictures() -> None:
    env = started(strand_unter_v1.parallel_env, 4, render_mode="rgb_array")
    views = env.table.game.views
    *_, (snapshot, _, story) = env.replay().positions()
    assert (env.render() == views.to_pixels(snapshot, story)).all()
    assert env.to_svg() == env._repr_html_() == views.to_svg(snapshot, story)


@pytest.mark.parametrize("name", ["parallel_env", "raw_env", "env"])
@pytest.mark.parametrize("seat", [None, 0, np.int64(3), "all"])
def test_users_choose_who_looks(name: str, seat: Any, capsys: pytest.CaptureFixture[str]) -> None:
    text, pixels, human = (
        started(getattr(SEATED, name), 9, render_mode=mode, render_seat=seat) for mode in ("ansi", "rgb_array", "human")
    )
    *_, (snapshot, actions, _) = text.replay().positions()
    seed = snapshot["seed"] if seat == "all" else None
    who = seat if isinstance(seat, str) or seat is None else int(seat)
    shown = f"{snapshot['phase']} and seed {seed} seen by {who!r}; {list(actions)} told to {who!r}"
    assert text.render() == shown
    assert text.to_svg() == text.unwrapped._repr_html_() == f"<svg>{shown}</svg>"
    assert bytes(pixels.render()[0, :, 0]).decode() == shown
    printed = capsys.readouterr().out.splitlines()
    assert len(printed) == 1 + len(human.replay().actions)
    assert printed[-1] == shown


def test_without_a_mode_nothing_is_rendered() -> None:
    env = started(strand_unter_v1.parallel_env)
    with pytest.warns(UserWarning, match="render_mode"):
        assert env.render() is None


# Arguments


@pytest.mark.parametrize("make", ALL)
@pytest.mark.parametrize(
    ("argument", "value", "message"),
    [
        ("num_players", 5, "expected a whole number from 2 to 4, got 5"),
        ("num_players", 2.0, "expected a whole number from 2 to 4, got 2.0"),
        ("reward", "wins", "expected one of 'win', 'score', 'margin'; got 'wins'"),
        ("illegal", None, "expected one of 'terminate', 'raise'; got None"),
        ("render_mode", "pdf", "expected one of None, 'ansi', 'human', 'rgb_array'; got 'pdf'"),
        ("render_seat", 4, "expected a number from 0 to 3 or None or 'all', got 4"),
        ("render_seat", -1, "expected a number from 0 to 3 or None or 'all', got -1"),
        ("render_seat", True, "expected a number from 0 to 3 or None or 'all', got True"),
        ("render_seat", 1.0, "expected a number from 0 to 3 or None or 'all', got 1.0"),
        ("render_seat", "everybody", "expected a number from 0 to 3 or None or 'all', got 'everybody'"),
        ("observation", "box", "expected one of 'dict', 'array'; got 'box'"),
        ("render_seat", [0], r"expected a number from 0 to 3 or None or 'all', got \[0\]"),
        ("ruleset", {}, "expected a Ruleset of this game or None, got {}"),
    ],
)
def test_unknown_arguments_are_refused(make: Maker, argument: str, value: Any, message: str) -> None:
    with pytest.raises(ValueError, match=f"{argument}: {message}"):
        make(**{argument: value})


@pytest.mark.parametrize("make", [strand_unter_v1.parallel_env, strand_unter_v1.env])
def test_shaped_rewards_add_up_to_the_games_own_less_the_first_potential(make: Any) -> None:
    env = make(num_players=3, reward="margin", shaping=2.0)
    env.reset(seed=4)
    batch = env.unwrapped.table.batch
    first = 2 * potential(batch.observe()[0])
    totals = dict.fromkeys(env.possible_agents, 0.0)
    told, chance = 0, np.random.default_rng(1)
    if make is strand_unter_v1.parallel_env:
        while env.agents:
            _, rewards, *_ = env.step(choices(env))
            told += sum(reward != 0 for reward in rewards.values())
            for agent, reward in rewards.items():
                totals[agent] += reward
    else:
        for agent in env.agent_iter():
            observation, reward, over, _, _ = env.last()
            totals[agent] += reward
            told += reward != 0
            env.step(None if over else int(chance.choice(np.flatnonzero(observation["action_mask"]))))
    assert told > 10
    expected = batch.rewards("margin")[0] - first
    assert list(totals.values()) == pytest.approx(expected, abs=1e-4)
