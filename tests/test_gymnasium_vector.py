"""Gymnasium's vector environment: many games in one batch."""

import copy
import pickle
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.wrappers import vector
from learner_games import ID, last_of, same, steps_of
from learning import AnotherRandom, Favourite, Outsider, choices, illegal_choices

from strand_env import strand_unter_v1
from strand_env.adapters.gymnasium import LearnerVectorEnv
from strand_env.strand_unter import IllegalAction

MODES = list(AutoresetMode)


def test_the_vector_environment_is_a_native_one() -> None:
    env = gymnasium.make_vec(ID, num_envs=4)
    assert type(env) is LearnerVectorEnv
    assert env.num_envs == 4
    assert env.metadata["autoreset_mode"] == AutoresetMode.SAME_STEP
    single = gymnasium.make(ID)
    assert env.single_observation_space == single.observation_space
    assert env.single_action_space == single.action_space
    observations, _ = env.reset(seed=1)
    assert observations in env.observation_space
    assert env.action_masks().tolist() == [[1] * 10 + [0] * 47] * 4


FAVOURITES = [Favourite(5), Outsider(), "random"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("num_players", "seat", "opponents"),
    [
        (2, 0, "random"),
        (2, "random", Outsider()),
        (3, 2, "random"),
        (3, "random", FAVOURITES[:2]),
        (4, 1, FAVOURITES),
        (4, "random", "random"),
        (4, "random", FAVOURITES),
    ],
)
@pytest.mark.parametrize("reward", ["win", "margin"])
def test_the_games_are_those_of_single_environments(num_players: int, seat: Any, opponents: Any, reward: Any) -> None:
    arguments: dict[str, Any] = {"num_players": num_players, "seat": seat, "opponents": opponents, "reward": reward}
    native, one_by_one = native_and_not(arguments, AutoresetMode.SAME_STEP)
    ended, seats = np.zeros(4, int), set()
    plays = (steps_of(env, 90, illegal_every=40) for env in (native, one_by_one))
    for (*mine, infos), (*expected, expected_infos) in zip(*plays, strict=True):
        assert same(mine, expected)
        assert is_part_of(infos, expected_infos)
        ended += infos.get("_final_info", 0)
        seats |= set(infos["seat"].tolist())
    assert ended.min() >= 2
    assert len(seats) == (num_players if seat == "random" else 1)


def native_and_not(arguments: dict[str, Any], mode: AutoresetMode) -> list[VectorEnv]:
    """The native environment, and the same of single ones by Gymnasium."""
    chosen = {"autoreset_mode": mode}
    return [
        gymnasium.make_vec(ID, num_envs=4, **arguments, **chosen),
        gymnasium.make_vec(ID, num_envs=4, vectorization_mode="sync", vector_kwargs=chosen, **arguments),
    ]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("limit", [None, 9])
def test_games_are_dealt_again_as_gymnasium_does_it(mode: AutoresetMode, limit: int | None) -> None:
    arguments = {"num_players": 3, "seat": "random", "max_episode_steps": limit, "illegal": "terminate"}
    envs = native_and_not(arguments, mode)
    (observations, infos), expected = (env.reset(seed=5) for env in envs)
    assert same(observations, expected[0])
    ended, cut, waiting = np.zeros(4, int), np.zeros(4, int), np.zeros(4, bool)
    for number in range(1, 120):
        actions = choices(observations, infos["action_mask"])
        if number % 35 == 0:
            actions = illegal_choices(infos["action_mask"])
        actions[waiting] = 56  # ignored, or the games are reset below
        (observations, *outcome, infos), (*expected, expected_infos) = (env.step(actions) for env in envs)
        assert same([observations, *outcome], list(expected))
        assert is_part_of(infos, expected_infos)
        _, over, truncated = outcome
        ended += over
        cut += truncated
        waiting = (over | truncated) if mode is not AutoresetMode.SAME_STEP else waiting
        if mode is AutoresetMode.DISABLED and waiting.any():
            with pytest.raises(ValueError, match=r"games \[.*\] are over: reset them first, by reset\(options="):
                envs[0].step(actions)
            (observations, infos), expected = (
                env.reset(seed=number if number % 2 else None, options={"reset_mask": waiting.copy()}) for env in envs
            )
            assert same(observations, expected[0])
            assert (infos["action_mask"][waiting] == expected[1]["action_mask"][waiting]).all()
            waiting = np.zeros(4, bool)
    assert ended.min() >= 1
    assert (cut.min() >= 3) if limit else not cut.any()


def test_an_impossible_way_of_dealing_again_is_refused() -> None:
    assert strand_unter_v1.learner_vector_env(autoreset_mode="NextStep").metadata["autoreset_mode"] is MODES[0]
    for arguments, message in (
        (
            {"autoreset_mode": "never"},
            "autoreset_mode: expected one of 'NextStep', 'SameStep', 'Disabled'; got 'never'",
        ),
        ({"autoreset_mode": None}, "autoreset_mode: expected one of"),
        ({"max_episode_steps": 0}, "max_episode_steps: expected a whole number of at least 1, got 0"),
        ({"max_episode_steps": 2.5}, "max_episode_steps: expected a whole number of at least 1, got 2.5"),
    ):
        with pytest.raises(ValueError, match=message):
            strand_unter_v1.learner_vector_env(**arguments)


def test_only_masked_games_are_reset() -> None:
    env = gymnasium.make_vec(ID, num_envs=3, seat="random")
    before, *_ = last_of(env, 5)
    mask = np.array([False, True, False])
    single = gymnasium.make(ID, seat="random")
    options = {"reset_mask": mask}
    observations, _ = env.reset(seed=20, options=options)
    assert options == {"reset_mask": mask}
    assert (observations[~mask] == before[~mask]).all()
    assert (observations[1] == single.reset(seed=21)[0]).all()
    assert (env.reset(seed=[1, 2, 3], options=options)[0][1] == single.reset(seed=2)[0]).all()
    assert (env.reset(options=options)[0][1] == single.reset()[0]).all()
    env.step(env.action_masks().argmax(1))
    twin = gymnasium.make_vec(ID, num_envs=3)
    with pytest.raises(RuntimeError, match="no game has been dealt"):
        twin.reset(options=options)
    twin.reset(options={"reset_mask": np.ones(3, bool)})
    for wrong in (mask[:2], mask.astype(int), np.zeros(3, bool), "all", 1, [[True]]):
        state = pickle.dumps(env)
        with pytest.raises(ValueError, match="reset_mask: expected one bool for each of 3 games, at least one of them"):
            env.reset(options={"reset_mask": wrong})
        assert pickle.dumps(env) == state


@pytest.mark.parametrize("mode", MODES)
def test_gymnasiums_vector_wrappers(mode: AutoresetMode) -> None:
    """All that know the ways of dealing again, on top of each other."""
    inner = gymnasium.make_vec(ID, num_envs=4, num_players=2, autoreset_mode=mode, max_episode_steps=30)
    env: Any = vector.NormalizeReward(vector.RecordEpisodeStatistics(inner))
    if mode is AutoresetMode.NEXT_STEP:  # the only way that this one takes
        env = vector.NormalizeObservation(env)
    env.reset(seed=1)
    lengths = []
    for _ in range(80):
        _, _, over, truncated, infos = env.step(inner.action_masks().argmax(1))
        if "episode" in infos:
            lengths += infos["episode"]["l"][infos["_episode"]].tolist()
        if mode is AutoresetMode.DISABLED and (over | truncated).any():
            env.reset(options={"reset_mask": over | truncated})
    assert lengths
    assert 5 < min(lengths) <= max(lengths) <= 30


def test_infos_as_lists() -> None:
    inner = gymnasium.make_vec(ID, num_envs=3, num_players=2)
    env = vector.DictInfoToList(inner)
    env.reset(seed=1)
    results: list[Any] = []
    while not results:
        *_, over, _, infos = env.step(inner.action_masks().argmax(1))
        results = [info["final_info"]["rank"] for info in infos if "final_info" in info]
    assert len(results) == over.sum()
    assert {*results} <= {1, 2}


@pytest.mark.parametrize(("mode", "kind"), [("rgb_array_list", np.ndarray), ("ansi_list", str)])
def test_all_pictures_of_a_game_at_once(mode: str, kind: type) -> None:
    env = gymnasium.make(ID, render_mode=mode)
    env.reset(seed=1)
    for _ in range(3):
        env.step(env.unwrapped.action_masks().argmax())
    frames = env.render()
    assert len(frames) == 4
    assert all(type(frame) is kind for frame in frames)


def is_part_of(infos: dict[str, Any], more: dict[str, Any]) -> bool:
    """Whether infos are those of single environments, of which the phase and the round are left out, for instance."""
    return ("_final_info" in infos) == ("_final_info" in more) and all(
        is_part_of(value, more[name]) if isinstance(value, dict) else same(value, more[name])
        for name, value in infos.items()
    )


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_agents_draw_the_same_whichever_way_they_are_asked(num_players: int) -> None:
    fast, slow = (
        gymnasium.make_vec(ID, num_envs=30, num_players=num_players, seat="random", opponents=opponents)
        for opponents in ("random", AnotherRandom())
    )
    recorded = gymnasium.make_vec(ID, num_envs=30, num_players=num_players, seat="random", record=2)
    plays = (steps_of(env, 60) for env in (fast, slow, recorded))
    for one, other, third in zip(*plays, strict=True):
        assert same(one, other)
        assert same(one[:-1], third[:-1])


def test_a_game_that_ends_is_dealt_anew_in_the_same_step() -> None:
    env = gymnasium.make_vec(ID, num_envs=6, num_players=2)
    before: Any = None
    endings = 0
    for observations, *outcome, infos in steps_of(env, 60):
        assert (infos["action_mask"].sum(1) >= 2).all()
        assert (infos["action_mask"] == env.action_masks()).all() or before is None
        if outcome:
            rewards, over, truncated = outcome
            assert rewards.dtype == np.float64
            assert not truncated.any()
            assert not rewards[~over].any()
            assert over.tolist() == infos.get("_final_info", ~over & over).tolist()
            for game in np.flatnonzero(over):
                ending = {name: infos["final_info"][name][game] for name in ("win", "score", "rank")}
                assert rewards[game] == ending["win"] - 0.5
                assert (ending["rank"] == 1) == (ending["win"] > 0)
                assert infos["final_obs"][game].shape == observations[game].shape
                # The first round again, with all ten dials to choose from.
                assert infos["action_mask"][game].tolist() == [1] * 10 + [0] * 47
                endings += 1
        before = observations
    assert endings > 6


def test_what_a_step_gives_is_nobody_elses() -> None:
    """Neither does it change later, nor does changing it change the games."""
    env, scribbled = (gymnasium.make_vec(ID, num_envs=5, num_players=3, seat="random") for _ in range(2))
    kept = []
    for given, other in zip(steps_of(env, 50), steps_of(scribbled, 50), strict=True):
        kept.append((given, copy.deepcopy(given)))
        assert same(given, other)
        env.action_masks()[:] = 9
    for given, as_it_was in kept:
        assert same(given, as_it_was)
    observations, infos = scribbled.reset(seed=1)
    env.reset(seed=1)
    for _ in range(30):
        actions = choices(observations, infos["action_mask"])
        expected = env.step(actions)
        observations, *outcome, infos = given = scribbled.step(actions)
        assert same(given, expected)
        observations, infos = copy.deepcopy((observations, infos))
        for array in (given[0], *outcome, given[-1]["action_mask"], given[-1]["seat"]):
            array[:] = 1


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_a_copy_of_a_batch_goes_on_the_same_way(copied: Any) -> None:
    env = gymnasium.make_vec(ID, num_envs=4, num_players=3, seat="random", opponents=FAVOURITES[:2], record=1)
    observations, *_, infos = last_of(env, 10)
    twin = copied(env)
    for _ in range(40):
        actions = choices(observations, infos["action_mask"])
        observations, *_, infos = given = env.step(actions)
        assert same(given[:-1], twin.step(actions)[:-1])
    assert env.replay(0) == twin.replay(0)


def test_seeds_one_by_one() -> None:
    env = gymnasium.make_vec(ID, num_envs=3, seat="random")
    expected = last_of(env, 10, seed=7)
    assert same(last_of(env, 10, seed=[7, 8, 9]), expected)
    assert not same(last_of(env, 10, seed=[7, 8, 10]), expected)
    single = gymnasium.make(ID, seat="random")
    assert (env.reset(seed=[5, 2**64 - 1, 5])[0][2] == single.reset(seed=5)[0]).all()
    for seeds, message in (
        ([1, 2], "seed: expected 3 seeds, one per game"),
        ([1, 2, None], r"seed\[2\]: expected"),
        ([1, 2, -3], r"seed\[2\]"),
    ):
        with pytest.raises(ValueError, match=message):
            env.reset(seed=seeds)


@pytest.mark.parametrize("make", [strand_unter_v1.learner_env, strand_unter_v1.learner_vector_env])
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"seed": "x"}, r"seed: expected a whole number from 0 to 2\*\*64 - 1, got 'x'"),
        ({"seed": 1.5}, r"seed: expected a whole number from 0 to 2\*\*64 - 1, got 1.5"),
        ({"seed": True}, r"seed: expected a whole number from 0 to 2\*\*64 - 1, got True"),
        ({"seed": -1}, r"seed: expected a whole number from 0 to 2\*\*64 - 1, got -1"),
        ({"options": "cards"}, "options: expected a dict or None, got 'cards'"),
        ({"options": [{"cards": 1}]}, r"options: expected a dict or None, got \[{'cards': 1}\]"),
        ({"seed": 1, "options": {"cards": 5}}, "cards: expected"),
        ({"options": {"snapshot": 5}}, "snapshot"),
    ],
)
def test_a_reset_that_is_refused_changes_nothing(make: Any, arguments: dict[str, Any], message: str) -> None:
    env = make(seat="random")
    env.reset(seed=3)
    before = pickle.dumps(env)
    with pytest.raises(ValueError, match=message):
        env.reset(**arguments)
    assert pickle.dumps(env) == before


def test_games_go_on_without_a_seed() -> None:
    env = gymnasium.make_vec(ID, num_envs=3)
    single = gymnasium.make(ID)
    env.reset(seed=4)
    single.reset(seed=5)
    assert (env.reset()[0][1] == single.reset()[0]).all()


def test_an_illegal_action_in_a_batch_can_be_an_error_that_changes_nothing() -> None:
    env, other = (gymnasium.make_vec(ID, num_envs=3, seat=2, illegal="raise") for _ in range(2))
    observations, infos = env.reset(seed=2)
    other.reset(seed=2)
    actions = choices(observations, infos["action_mask"])
    with pytest.raises(IllegalAction, match=r"game 1, player 2, .*: action 56 \(Pass.\) is not legal; legal: 0 "):
        env.step(np.where(np.arange(3) == 1, 56, actions))
    for _ in range(3):
        observations, *_, infos = given = env.step(actions)
        assert same(given, other.step(actions))
        actions = choices(observations, infos["action_mask"])


@pytest.mark.parametrize(
    ("actions", "message"),
    [
        ([0, 0], r"actions: expected shape \(3,\), one action for each row; got \(2,\)"),
        ([[0, 0, 0]], r"actions: expected shape \(3,\), one action for each row; got \(1, 3\)"),
        ([0.0, 0.0, 0.0], "actions: expected whole numbers, got dtype float64"),
        ([True, True, True], "actions: expected whole numbers, got dtype bool"),
        ([0, 0, 57], r"actions\[2\]: expected a whole number from 0 to 56, got 57"),
        ([0, -1, 0], r"actions\[1\]: expected a whole number from 0 to 56, got -1"),
    ],
)
def test_what_are_no_actions_is_refused(actions: Any, message: str) -> None:
    env = gymnasium.make_vec(ID, num_envs=3)
    observations, _ = env.reset(seed=1)
    with pytest.raises(ValueError, match=message):
        env.step(np.array(actions))
    assert (env.match.observations == observations).all()


def test_games_of_a_batch_can_be_recorded() -> None:
    env = strand_unter_v1.learner_vector_env(num_envs=3, num_players=2, record=2, seat="random")
    kept = 0
    for *_, infos in steps_of(env, 60):
        final = infos.get("final_info", {})
        for game in np.flatnonzero(final.get("_replay", False)):
            *_, end = final["replay"][game].positions()
            assert final["score"][game] in end.snapshot["scores"]
            assert game < 2
            kept += 1
    assert kept >= 2
    *_, now = env.replay(1).positions()
    assert now.snapshot["phase"] != "over"
    with pytest.raises(ValueError, match="index: only the first 2 games are recorded"):
        env.replay(2)


def test_gymnasiums_statistics() -> None:
    """Of the rewards: older versions miscount the lengths where games are auto-reset in the same step."""
    env = vector.RecordEpisodeStatistics(gymnasium.make_vec(ID, num_envs=4, num_players=2, reward="score"))
    episodes = 0
    for *outcome, infos in steps_of(env, 60):
        if "episode" in infos:
            _, rewards, over, _ = outcome
            assert infos["episode"]["r"][over].tolist() == rewards[over].tolist()
            episodes += over.sum()
    assert episodes >= 4


@pytest.mark.parametrize("seat", [-1, 4, True, "first", None, 1.0])
def test_an_unknown_seat_is_refused(seat: Any) -> None:
    for make in (strand_unter_v1.learner_env, strand_unter_v1.learner_vector_env):
        with pytest.raises(ValueError, match="seat: expected a number from 0 to 3 or 'random'"):
            make(seat=seat)


@pytest.mark.parametrize("record", [-1, None, "all"])
def test_an_impossible_number_of_records_is_refused(record: Any) -> None:
    with pytest.raises(ValueError, match="record: expected a whole number of at least 0, got"):
        strand_unter_v1.learner_vector_env(num_envs=3, record=record)


def test_a_snapshot_is_not_for_many_games() -> None:
    env = strand_unter_v1.learner_vector_env(num_envs=3)
    with pytest.raises(ValueError, match="a snapshot is for environments of one game"):
        env.reset(options={"snapshot": env.match.batch.snapshot(0)})
