"""Gymnasium's environment of one game: Gymnasium's own checks, and what these leave out; shaping, of batches, too."""

import copy
import pickle
from contextlib import suppress
from itertools import pairwise
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode
from learner_games import ID, choice, last_of, play, position, same, whole_game
from learning import Cheat, Favourite, Outsider, choices, illegal_choices
from seat_views import SEATED
from toy_game import STONES

from strand_env import strand_unter_v1
from strand_env.adapters.environments import Environments
from strand_env.adapters.gymnasium import LearnerEnv
from strand_env.adapters.match import Match
from strand_env.engine.protocol import REWARD_KINDS
from strand_env.replays.replay import Replay
from strand_env.strand_unter import GAME, Games, IllegalAction, Ruleset
from strand_env.strand_unter.features import FEATURES
from strand_env.strand_unter.potential import potential

MODES = list(AutoresetMode)


def test_gymnasiums_checker() -> None:
    check_env(gymnasium.make(ID).unwrapped)


@pytest.mark.parametrize("num_players", [2, 3, 4])
@pytest.mark.parametrize("seat", [1, "random"])
def test_gymnasiums_checker_without_pictures(num_players: int, seat: Any) -> None:
    check_env(gymnasium.make(ID, num_players=num_players, seat=seat).unwrapped, skip_render_check=True)


@pytest.mark.slow
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


@pytest.mark.slow
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
@pytest.mark.parametrize("opponents", ["random", [Outsider(), Favourite(4), "random"]])
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


def test_a_single_environment_needs_a_match_that_stops_at_the_end() -> None:
    for num_games, record, mode in ((1, 1, "SAME_STEP"), (1, 0, "DISABLED"), (2, 1, "DISABLED"), (1, 1, "NEXT_STEP")):
        match = Match(GAME, Games(num_games), record=record, autoreset_mode=AutoresetMode[mode])
        with pytest.raises(ValueError, match="match: expected one of a single game, with record=1 and Autoreset"):
            LearnerEnv(match)


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
