"""The Gymnasium environments, one game alone and many in a batch: Gymnasium's own checks, and what these leave out."""

import copy
import pickle
from collections.abc import Iterator
from contextlib import suppress
from itertools import pairwise
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env, data_equivalence
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.wrappers import vector
from learning import AnotherRandom, Cheat, Favourite, choices, illegal_choices
from seat_views import SEATED
from toy_game import STONES

from strand_env import strand_unter_v1
from strand_env.adapters.environments import Environments
from strand_env.adapters.gymnasium import LearnerEnv, LearnerVectorEnv
from strand_env.adapters.match import Match
from strand_env.engine.protocol import REWARD_KINDS
from strand_env.replays.replay import Replay
from strand_env.strand_unter import GAME, Games, IllegalAction, Ruleset
from strand_env.strand_unter.features import FEATURES
from strand_env.strand_unter.potential import potential

ID = "strand_env/StrandUnter-v1"
MODES = list(AutoresetMode)


def choice(env: Any, observation: np.ndarray) -> int:
    return int(choices(observation[None], env.unwrapped.action_masks()[None])[0])


def play(env: Any, observation: np.ndarray) -> Iterator[Any]:
    """Plays a game to its end: what each step gives."""
    over = False
    while not over:
        outcome = env.step(choice(env, observation))
        observation, _, over, _, _ = outcome
        yield outcome


def whole_game(env: Any, **arguments: Any) -> list[Any]:
    """All that a game gives, from the reset on."""
    observation, info = env.reset(**arguments)
    return [(observation, info), *play(env, observation)]


def same(one: Any, other: Any) -> bool:
    return data_equivalence(one, other, exact=True)


def position(env: Any) -> Games:
    """The game that an environment is in, as a batch of one."""
    return Games.from_snapshots([env.unwrapped.snapshot()])


# One game


def test_gymnasiums_checker() -> None:
    check_env(gymnasium.make(ID).unwrapped)


@pytest.mark.parametrize("num_players", [2, 3, 4])
@pytest.mark.parametrize("seat", [1, "random"])
def test_gymnasiums_checker_without_pictures(num_players: int, seat: Any) -> None:
    check_env(gymnasium.make(ID, num_players=num_players, seat=seat).unwrapped, skip_render_check=True)


@pytest.mark.parametrize("encoding", [None, "compact"])
@pytest.mark.parametrize(("num_players", "seat"), [(2, 1), (3, 0), (4, 3), (4, "random")])
def test_each_step_is_a_decision_of_the_learner(num_players: int, seat: Any, encoding: str | None) -> None:
    env = gymnasium.make(ID, num_players=num_players, seat=seat, encoding=encoding)
    maximum = Games(1).observation_maximum.astype(np.float32)
    for seed in range(4):
        observation, info = env.reset(seed=seed)
        steps, learner, over = 0, info["seat"], False
        while not over:
            games = position(env)
            assert games.to_act[0, learner]
            assert info["action_mask"].sum() >= 2
            assert info["action_mask"].tolist() == games.legal[0, learner].tolist()
            assert info["action_mask"].tolist() == env.unwrapped.action_masks().tolist()
            assert {**games.status(0), "seat": learner}.items() <= info.items()
            seen = games.observe()[:, learner]
            assert (observation == (FEATURES.encode(seen) if encoding is None else seen / maximum)[0]).all()
            assert observation in env.observation_space
            observation, reward, over, truncated, info = env.step(choice(env, observation))
            steps += 1
            assert truncated is False
            assert over or reward == 0
        assert over is True
        assert observation in env.observation_space
        assert reward == position(env).rewards("win")[0, learner]
        assert steps == decisions_of(learner, env.unwrapped.replay())


def decisions_of(player: int, replay: Replay) -> int:
    positions = [position.snapshot for position in replay.positions()]
    assert positions[-1]["phase"] == "over"
    return sum(player in snapshot["to_act"] for snapshot in positions)


@pytest.mark.parametrize("num_players", [2, 3, 4])
@pytest.mark.parametrize("reward", REWARD_KINDS)
def test_rewards_and_results_are_those_of_the_game(num_players: int, reward: Any) -> None:
    env = gymnasium.make(ID, num_players=num_players, seat="random", reward=reward)
    won = []
    for seed in range(16):
        *_, (_, earned, _, _, info) = whole_game(env, seed=seed)
        games, seat = position(env), info["seat"]
        assert type(earned) is float
        assert earned == games.rewards(reward)[0, seat]
        assert info["win"] == games.winners[0, seat] / games.winners[0].sum()
        assert info["score"] == games.scores[0, seat]
        assert info["rank"] == games.results([0], [seat])["rank"][0]
        won.append(info["win"])
    assert 0 < sum(won) < 16


def test_equal_seeds_are_equal_games_and_so_are_those_that_follow() -> None:
    first, second = (gymnasium.make(ID, seat="random") for _ in range(2))
    assert same(whole_game(first, seed=3), whole_game(second, seed=3))
    following = whole_game(first)
    assert same(following, whole_game(second))
    assert not same(following, whole_game(first, seed=3))


def test_without_a_seed_each_environment_begins_with_another_game() -> None:
    observations = {gymnasium.make(ID).reset()[0].tobytes() for _ in range(3)}
    assert len(observations) == 3


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_random_seats_are_all_taken_equally_often(num_players: int) -> None:
    env = gymnasium.make_vec(ID, num_envs=4000, num_players=num_players, seat="random")
    _, infos = env.reset(seed=5)
    shares = np.bincount(infos["seat"], minlength=num_players) / 4000
    assert shares == pytest.approx(np.full(num_players, 1 / num_players), abs=0.03)


def dials_of(replay: Replay) -> list[tuple[int, ...] | None]:
    positions = list(replay.positions())
    return [after.actions for before, after in pairwise(positions) if before.snapshot["phase"] == "dial"]


@pytest.mark.parametrize("seat", range(3))
def test_the_first_opponent_sits_next_after_the_learner(seat: int) -> None:
    arguments: dict[str, Any] = {"num_players": 3, "seat": seat, "opponents": [Favourite(5), Favourite(6)]}
    env = gymnasium.make(ID, **arguments)
    whole_game(env, seed=1)
    many = gymnasium.make_vec(ID, num_envs=3, record=3, **arguments)
    last_of(many, 12)
    for replay in (env.unwrapped.replay(), many.replay(2)):
        dials = np.array(dials_of(replay))
        assert len(dials) >= 3
        assert set(dials[:, (seat + 1) % 3]) == {5}
        assert set(dials[:, (seat + 2) % 3]) == {6}


def test_one_opponent_for_all_seats_is_asked_once_for_all() -> None:
    opponent = Favourite(4)
    env = gymnasium.make(ID, opponents=opponent)
    env.reset(seed=1)
    env.step(0)
    assert opponent.resets == 1
    assert opponent.asked[0] == 3
    many = gymnasium.make_vec(ID, num_envs=20, opponents=[opponent, "random", opponent])
    many.reset(seed=1)
    opponent.asked.clear()
    many.step(np.zeros(20, int))
    assert opponent.asked[0] == 40


def test_opponents_that_are_equal_but_not_the_same_are_kept_apart() -> None:
    class Equal(Favourite):
        def __eq__(self, other: object) -> bool:
            return True

        __hash__ = None  # type: ignore[assignment]

    env = gymnasium.make(ID, num_players=3, opponents=[Equal(5), Equal(6)])
    env.reset(seed=1)
    env.step(0)
    assert env.unwrapped.replay().actions[0] == (0, 5, 6)


@pytest.mark.parametrize("make", [strand_unter_v1.learner_env, strand_unter_v1.learner_vector_env])
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"opponents": ["random"] * 2}, "opponents: expected one agent, or 3 of them; got 2"),
        ({"opponents": [], "num_players": 2}, "opponents: expected one agent, or 1 of them; got 0"),
        ({"opponents": "randon"}, "no agent is called 'randon'; there are: .*; did you mean 'random'"),
        ({"opponents": ["random", "random", 3]}, "expected an agent .* or the name of one, got 3"),
        ({"num_players": 5}, "num_players: expected"),
        ({"reward": "points"}, "reward: expected one of .*; got 'points'"),
        ({"illegal": "ignore"}, "illegal: expected one of .*; got 'ignore'"),
        ({"ruleset": "default"}, "ruleset: expected"),
    ],
)
def test_what_cannot_be_is_refused(make: Any, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make(**arguments)


@pytest.mark.parametrize("seat", range(4))
def test_an_illegal_action_ends_the_game(seat: int) -> None:
    env = gymnasium.make(ID, seat=seat, render_mode="ansi")
    observation, _ = env.reset(seed=2)
    for _ in range(5):
        observation, *_ = env.step(choice(env, observation))
    action = int(illegal_choices(env.unwrapped.action_masks()[None])[0])
    _, reward, terminated, truncated, info = env.step(action)
    assert (reward, terminated, truncated) == (-1.0, True, False)
    assert info["illegal_action"] == action
    assert info["offenders"] == [f"player_{seat}"]
    assert (info["win"], info["score"], info["rank"]) == (0.0, 0, 0)
    told = env.render()
    assert f"player_{seat} chose action {action}" in told
    assert told.count("which is not legal") == 1
    with pytest.raises(ValueError, match="the game is over: reset"):
        env.unwrapped.step(0)
    assert len(whole_game(env, seed=2)) > 10


@pytest.mark.parametrize("seat", range(4))
def test_an_illegal_action_can_be_an_error_that_changes_nothing(seat: int) -> None:
    env, other = (gymnasium.make(ID, seat=seat, illegal="raise") for _ in range(2))
    observation, _ = env.reset(seed=2)
    other.reset(seed=2)
    with pytest.raises(IllegalAction, match=f"player {seat}, phase 'dial': action 56"):
        env.step(56)
    assert same(list(play(env, observation)), list(play(other, observation)))


@pytest.mark.parametrize("action", [57, -1, 1.5, None, True, "0", [0]])
def test_what_is_no_action_is_refused(action: Any) -> None:
    env = strand_unter_v1.learner_env(seat=1)
    env.reset(seed=1)
    before = env.snapshot()
    with pytest.raises(ValueError, match="action of player_1: expected a whole number from 0 to 56, got"):
        env.step(action)
    assert env.snapshot() == before


@pytest.mark.parametrize("opponents", [Cheat(), ["random", Cheat()]])
def test_an_illegal_action_of_an_opponent_is_an_error_and_not_the_learners(opponents: Any) -> None:
    for make in (strand_unter_v1.learner_env, strand_unter_v1.learner_vector_env):
        env = make(num_players=3, opponents=opponents)
        env.reset(seed=1)
        with pytest.raises(IllegalAction, match="Cheat: chose action 56, which is not legal; legal: "):
            env.step(0 if isinstance(env, LearnerEnv) else np.array([0]))


@pytest.mark.parametrize("answer", [[0], 0, [0.0, 0.0], [0, 99], [0, -1]])
def test_an_opponents_answer_must_be_an_action_for_each_row(answer: Any) -> None:
    class Strange(Cheat):
        def act(self, *_: Any) -> Any:
            return answer

    env = strand_unter_v1.learner_env(num_players=3, opponents=Strange())
    env.reset(seed=1)
    with pytest.raises(ValueError, match="Strange: "):
        env.step(0)


def test_a_snapshot_is_played_on_from() -> None:
    env, other = (gymnasium.make(ID, seat=2) for _ in range(2))
    observation, _ = env.reset(seed=4)
    for _ in range(8):
        observation, *_ = env.step(choice(env, observation))
    snapshot = env.unwrapped.snapshot()
    expected = list(play(copy.deepcopy(env), observation))
    restored, _ = other.reset(options={"snapshot": snapshot})
    assert (restored == observation).all()
    assert other.unwrapped.snapshot() == snapshot
    *_, (_, _, over, _, _) = play(other, restored)
    assert over
    list(other.unwrapped.replay().positions())
    with pytest.raises(ValueError, match="snapshot: player 2 has nothing to decide any more in this game"):
        env.reset(options={"snapshot": other.unwrapped.snapshot()})
    assert env.unwrapped.snapshot() == snapshot
    assert same(list(play(env, observation)), expected)
    with pytest.raises(ValueError, match="snapshot: a game of 4 players, but here are 2"):
        gymnasium.make(ID, num_players=2).reset(options={"snapshot": snapshot})


def test_chosen_cards_are_dealt() -> None:
    cards = [[list(Ruleset.default().cards[value][player]) for value in range(4)] for player in range(4)]
    env = gymnasium.make(ID)
    alone, _ = env.reset(seed=6, options={"cards": cards, "for somebody else": 1})
    assert env.unwrapped.snapshot()["cards"] == cards
    many = gymnasium.make_vec(ID, num_envs=2)
    together, _ = many.reset(seed=6, options={"cards": cards, "for somebody else": 1})
    assert (together[0] == alone).all()


def test_hidden_buckets() -> None:
    env, hidden = (gymnasium.make(ID, hide_buckets=hide) for hide in (False, True))
    observation, _ = env.reset(seed=1)
    hidden.reset(seed=1)
    differs = False
    for _ in range(5):
        action = choice(env, observation)
        observation, *_ = env.step(action)
        differs |= bool((hidden.step(action)[0] != observation).any())
    assert hidden.unwrapped.snapshot() == env.unwrapped.snapshot()
    assert differs


def test_render_modes(capsys: pytest.CaptureFixture[str]) -> None:
    text, pixels, human = (gymnasium.make(ID, render_mode=mode) for mode in ("ansi", "rgb_array", "human"))
    for env in (text, pixels, human):
        env.reset(seed=1)
        env.step(4)
    assert "Player 0" in text.render()
    assert pixels.render().dtype == np.uint8
    assert pixels.render().shape[2] == 3
    assert capsys.readouterr().out.count("Round 1 of 15") >= 2
    assert text.unwrapped._repr_html_().startswith("<svg")
    with pytest.raises(ValueError, match="render_mode: expected"):
        strand_unter_v1.learner_env(render_mode="video")


@pytest.mark.parametrize("seat", [2, "random"])
def test_pictures_show_what_the_learner_sees(seat: Any, capsys: pytest.CaptureFixture[str]) -> None:
    text, human = (
        SEATED.learner_env(seat=seat, render_mode=mode, opponents=Favourite(4)) for mode in ("ansi", "human")
    )
    assert "dial and seed None seen by None" in text.to_svg()  # nobody sits anywhere yet
    seats, moves = set(), []
    for seed in range(4):
        for env in (text, human):
            observation, info = env.reset(seed=seed)
            for _ in range(6):
                observation, *_, info = env.step(choice(env, observation))
        seats.add(info["seat"])
        *positions, last = text.replay().positions()
        shown = f"{last.snapshot['phase']} and seed None seen by {text.seat}; {list(last.actions)} told to {text.seat}"
        assert text.render() == shown
        assert text.to_svg() == text._repr_html_() == f"<svg>{shown}</svg>"
        # Everything is printed, also what others do between two decisions of the learner.
        printed = capsys.readouterr().out.splitlines()
        assert len(printed) == 1 + len(positions)
        assert printed[-1] == shown
        moves.append(len(positions))
    assert seats == {2} if seat == 2 else len(seats) > 1
    assert max(moves) > 6


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
@pytest.mark.parametrize("opponents", ["random", [AnotherRandom(), Favourite(4), "random"]])
def test_a_copy_in_the_middle_of_a_game_goes_on_the_same_way(copied: Any, opponents: Any) -> None:
    env = gymnasium.make(ID, seat="random", opponents=opponents)
    observation, _ = env.reset(seed=9)
    for _ in range(7):
        observation, *_ = env.step(choice(env, observation))
    twin = copied(env)
    first = list(play(env, observation))
    assert same(first, list(play(twin, observation)))
    assert env.unwrapped.replay() == twin.unwrapped.replay()
    assert same(whole_game(env), whole_game(twin))


# Many games


def steps_of(env: VectorEnv, steps: int, seed: Any = 11, illegal_every: int = 0) -> Iterator[Any]:
    """What the reset and so many steps give; now and then with an illegal action in one of the games."""
    observations, infos = env.reset(seed=seed)
    yield observations, infos
    for number in range(1, steps + 1):
        masks = infos["action_mask"]
        actions = choices(observations, masks)
        if illegal_every and number % illegal_every == 0:
            game = number // illegal_every % len(actions)
            actions[game] = illegal_choices(masks)[game]
        observations, *outcome, infos = env.step(actions)
        yield observations, *outcome, infos


def last_of(env: VectorEnv, steps: int, seed: Any = 11) -> Any:
    *_, last = steps_of(env, steps, seed)
    return last


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


FAVOURITES = [Favourite(5), AnotherRandom(), "random"]


@pytest.mark.parametrize(
    ("num_players", "seat", "opponents"),
    [
        (2, 0, "random"),
        (2, "random", AnotherRandom()),
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


def test_a_single_environment_needs_a_match_that_stops_at_the_end() -> None:
    for num_games, record, mode in ((1, 1, "SAME_STEP"), (1, 0, "DISABLED"), (2, 1, "DISABLED"), (1, 1, "NEXT_STEP")):
        match = Match(GAME, Games(num_games), record=record, autoreset_mode=AutoresetMode[mode])
        with pytest.raises(ValueError, match="match: expected one of a single game, with record=1 and Autoreset"):
            LearnerEnv(match)


def test_a_snapshot_is_not_for_many_games() -> None:
    env = strand_unter_v1.learner_vector_env(num_envs=3)
    with pytest.raises(ValueError, match="a snapshot is for environments of one game"):
        env.reset(options={"snapshot": env.match.batch.snapshot(0)})


class Failing:
    """Plays the first legal action, until it fails."""

    def __init__(self, calls: int) -> None:
        self.calls = calls

    def reset(self) -> None:
        pass

    def act(self, observation: np.ndarray, mask: np.ndarray, rng: Any) -> np.ndarray:
        self.calls -= 1
        if self.calls == 0:
            raise ZeroDivisionError
        return mask.argmax(1)


@pytest.mark.parametrize("calls", range(2, 12))
def test_nothing_goes_on_after_an_opponent_has_failed(calls: int) -> None:
    single = strand_unter_v1.learner_env(num_players=3, opponents=Failing(calls))
    many = strand_unter_v1.learner_vector_env(4, num_players=3, opponents=Failing(calls))
    for env, choose in (
        (single, lambda: single.action_masks().argmax()),
        (many, lambda: many.action_masks().argmax(1)),
    ):
        expected, _ = env.reset(seed=5)
        with suppress(ZeroDivisionError):
            while True:
                env.step(choose())
        with pytest.raises(RuntimeError, match="an opponent failed in the middle of a step: reset"):
            env.step(choose())
        observation, _ = env.reset(seed=5)
        assert (observation == expected).all()
        env.step(choose())


def test_an_illegal_action_that_is_refused_breaks_nothing() -> None:
    env = strand_unter_v1.learner_env(illegal="raise")
    env.reset(seed=1)
    with pytest.raises(IllegalAction):
        env.step(56)
    env.step(0)


def test_a_snapshot_is_not_taken_up_if_an_opponent_fails_before_the_learners_first_decision() -> None:
    other = strand_unter_v1.learner_env(num_players=2, seat=0)
    observation, _ = other.reset(seed=1)
    while other.snapshot()["to_act"] != [0]:
        observation, *_ = other.step(choice(other, observation))
    env = strand_unter_v1.learner_env(num_players=2, seat=1, opponents=Failing(1))
    env.reset(seed=5)
    before = env.snapshot()
    with pytest.raises(ZeroDivisionError):
        env.reset(options={"snapshot": other.snapshot()})
    assert env.snapshot() == before
    env.step(0)


@pytest.mark.parametrize("calls", range(2, 6))
def test_a_game_can_be_shown_after_an_opponent_has_failed(calls: int) -> None:
    env = strand_unter_v1.learner_env(num_players=3, opponents=Failing(calls), render_mode="ansi")
    env.reset(seed=5)
    with suppress(ZeroDivisionError):
        while True:
            env.step(env.action_masks().argmax())
    assert "Round" in env.render()
    env.replay().check()


def test_a_game_is_dealt_before_it_is_played() -> None:
    env, many = strand_unter_v1.learner_env(), strand_unter_v1.learner_vector_env(2)
    for call in (env.action_masks, lambda: env.step(0), many.action_masks, lambda: many.step(np.zeros(2, int))):
        with pytest.raises(RuntimeError, match="no game has been dealt: reset the environment first"):
            call()


# Shaping


@pytest.mark.parametrize("gamma", [1.0, 0.9])
@pytest.mark.parametrize("mode", MODES)
def test_shaped_rewards_add_up_to_the_games_own_less_the_first_potential(mode: AutoresetMode, gamma: float) -> None:
    """Discounted; whatever is done, and whenever the next game is dealt."""
    arguments: Any = {"num_envs": 6, "reward": "margin", "seat": "random", "autoreset_mode": mode}
    plain, shaped = (
        strand_unter_v1.learner_vector_env(**arguments, shaping=scale, gamma=gamma) for scale in (0.0, 0.5)
    )
    observations, _ = plain.reset(seed=3)
    shaped.reset(seed=3)
    first = 0.5 * potential(shaped.match.seen)
    own, total, discount = np.zeros(6), np.zeros(6), np.ones(6)
    going, dealt = np.ones(6, np.bool_), np.zeros(6, np.bool_)
    while going.any():
        actions = choices(observations, plain.action_masks())
        observations, rewards, over, _, _ = plain.step(actions)
        _, more, same_over, _, _ = shaped.step(actions)
        assert (over == same_over).all()
        own += going * discount * rewards
        total += going * discount * more
        discount *= gamma
        going &= ~over
        if mode is AutoresetMode.NEXT_STEP:
            assert not more[dealt].any()  # in place of a decision
            dealt = over
        elif mode is AutoresetMode.DISABLED and over.any():
            observations, _ = plain.reset(options={"reset_mask": over})
            shaped.reset(options={"reset_mask": over})
    assert total == pytest.approx(own - first, abs=1e-4)
    assert (own != 0).any()


def test_shaping_is_for_games_with_a_potential() -> None:
    with pytest.raises(ValueError, match="shaping: expected a number from 0 to 10, got -1"):
        strand_unter_v1.learner_env(shaping=-1)
    with pytest.raises(ValueError, match="gamma: expected a number from 0 to 1, got 2"):
        strand_unter_v1.learner_env(shaping=1, gamma=2)
    with pytest.raises(ValueError, match="shaping: expected 0, since Stones has no potential"):
        Environments(STONES).learner_env(num_players=2, shaping=1)
