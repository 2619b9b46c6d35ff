"""What only a game unlike Strand Unter shows: private masks of several words, turns that never come, wide numbers."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import toy_game
from learning import SMALL, Favourite, choices
from sb3_contrib import MaskablePPO
from toy_game import NUM_ACTIONS, PASS, STONES, TAKE_ALL, StoneGames, StoneRules, stones_of

from strand_env import registry
from strand_env.adapters.environments import Environments
from strand_env.adapters.gymnasium import LearnerVectorEnv
from strand_env.adapters.match import Match
from strand_env.adapters.selfplay import SelfPlayVecEnv
from strand_env.adapters.table import Table
from strand_env.engine.protocol import REWARD_KINDS, IllegalAction
from strand_env.engine.randomness import seeds_of_single_games
from strand_env.replays import BrokenReplay, Replay


def test_a_whole_game_with_its_views_takes_250_lines() -> None:
    assert len(Path(toy_game.__file__).read_text("utf-8").splitlines()) <= 250


def test_it_is_unlike_strand_unter() -> None:
    games = StoneGames(50, 5)
    assert NUM_ACTIONS > 128
    assert games.state["legal"].shape == (50, 5, 3)
    assert (games.legal[~games.to_act].argmax(1) == PASS).all()
    assert (games.to_act.sum(1) == 1).all()
    assert games.observe().dtype == np.int16
    assert games.observe_table().shape[1] > games.observe().shape[2]
    games.step(np.where(games.to_act, TAKE_ALL, PASS))
    assert games.over.all()
    assert games.scores.max() > 127
    assert ((games.scores > 0).sum(1) == 1).all()  # nobody else had a turn


def test_masks_follow_from_the_own_card_alone() -> None:
    games = StoneGames(500, 3, seed=2)
    whose = games.to_act.argmax(1)
    cards = games.state["cards"][np.arange(500), whose]
    legal = games.legal[np.arange(500), whose]
    stones = np.array([stones_of(action) for action in range(NUM_ACTIONS)])
    expected = (stones[None] <= 130) & (stones[None] != np.where(cards == 130, 0, cards)[:, None])
    expected[:, PASS] = False
    assert (legal == expected).all()
    assert (legal[:, 128:].sum(1) > 0).all()


def test_every_action_is_drawn() -> None:
    drawn = np.zeros(NUM_ACTIONS, np.int64)
    games = StoneGames(4096, 2, seed=1, ruleset=StoneRules(stones=150))
    for seed in range(20):
        np.add.at(drawn, games.random_actions(seed)[games.to_act], 1)
    assert drawn[PASS] == 0
    others = np.delete(drawn, PASS)
    assert others.min() > 0.75 * others.mean()  # about 590 each


@pytest.mark.parametrize("action", [PASS, 131, 139, 140, 1000, -1])
def test_illegal_actions_are_named(action: int) -> None:
    games = StoneGames(2, 2)
    actions = np.where(games.to_act, 0, PASS)
    player = int(games.to_act[1].argmax())
    actions[1, player] = action
    before = games.state.copy()
    with pytest.raises(IllegalAction, match=f"^game 1, player {player}, phase 'take': action {action} .*is not legal"):
        games.step(actions)
    assert (games.state == before).all()


def test_games_without_any_decision_of_the_learner_are_passed_over() -> None:
    env = Environments(STONES).learner_env(num_players=5, seat=0, opponents=Favourite(TAKE_ALL))
    match = Match(STONES, StoneGames(20, 5), 0, Favourite(TAKE_ALL))
    vector = LearnerVectorEnv(match)
    vector.reset(seed=0)
    dealt = StoneGames(20, 5, seeds_of_single_games(range(20), 20))
    passed_over = vector.match.batch.seeds != dealt.seeds
    assert (passed_over == ~dealt.to_act[:, 0]).all()
    assert 0 < passed_over.sum() < 20
    for seed in range(20):
        env.reset(seed=seed)
        assert env.snapshot()["to_act"] == [0]
        assert int(env.snapshot()["seed"], 16) == vector.match.batch.seeds[seed]


@pytest.mark.parametrize("reward", REWARD_KINDS)
@pytest.mark.parametrize("num_players", [2, 5])
def test_in_self_play_everybody_is_paid(num_players: int, reward: Any) -> None:
    env = SelfPlayVecEnv(STONES, StoneGames(6, num_players, 7, StoneRules(stones=6)), reward, record=6)
    observations = env.reset()
    replays = []
    for _ in range(30):
        actions = choices(observations, env.action_masks())
        observations, rewards, over, infos = env.step(actions)
        payment = env.collect()
        assert payment is not None
        assert (payment.rewards == rewards).all()
        earned = dict(zip([*payment.acted, *payment.late], [*rewards, *payment.late_rewards], strict=True))
        for row in np.flatnonzero(over):
            game = payment.acted[row] // num_players
            replay = infos[row]["replay"]
            replays.append(replay)
            batch = StoneGames(1, num_players, [replay.seed], StoneRules(stones=6))
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


def test_players_without_any_decision_are_credited_nowhere() -> None:
    games = StoneGames(4, 5, 7, StoneRules(stones=1))  # each game is one decision, which leaves no choice
    env = SelfPlayVecEnv(STONES, games)
    model = MaskablePPO("MlpPolicy", env, **SMALL, **env.buffer_arguments)
    model.learn(64)
    assert model.rollout_buffer.rewards == pytest.approx(np.full((16, 4), 1 - 1 / 5))


def played(table: Table, seed: int) -> Iterator[None]:
    """Plays a game to its end, step by step."""
    table.reset(seed)
    while not table.over:
        table.step(choices(table.observations, table.legal).tolist())
        yield


def test_a_replay_from_the_middle_of_a_game(monkeypatch: pytest.MonkeyPatch) -> None:
    table = Table(STONES, StoneGames(1, 3, ruleset=StoneRules(stones=30)))
    moves = played(table, 2)
    next(moves)
    table.restore(table.snapshot())
    list(moves)
    replay = table.replay()
    assert replay.start is not None
    with pytest.raises(BrokenReplay, match="game: expected one of"):
        Replay.from_json(replay.to_json())
    monkeypatch.setitem(registry._others, STONES.id, STONES)
    assert Replay.from_json(replay.to_json()) == replay


def test_the_state_shows_all_cards() -> None:
    env = Environments(STONES).parallel_env(num_players=5)
    env.reset(seed=1)
    snapshot = env.snapshot()
    expected = [*(np.array(snapshot["cards"]) / np.float32(200)), 1.0, *[0.0] * 5]
    assert env.state() == pytest.approx(expected)
    assert env.observation_space("player_0")["observation"].shape == (7,)  # type: ignore[index]


def test_private_cards_are_drawn_for_their_owner_alone() -> None:
    games = StoneGames(1, 3, seed=4)
    snapshot = games.snapshot(0)
    cards = snapshot["cards"]
    for seat in range(3):
        shown = [card if player == seat else None for player, card in enumerate(cards)]
        assert StoneGames.as_seen(snapshot, seat)["cards"] == shown
        assert (
            STONES.views.to_pixels(snapshot, seat=seat)[0, ::8, 0][:3] == [255 if c is None else c for c in shown]
        ).all()
    assert StoneGames.as_seen(snapshot, None)["cards"] == [None] * 3
    assert StoneGames.as_seen(snapshot, "all")["cards"] == cards
