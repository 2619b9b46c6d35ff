"""Stepping with auto-reset; looking at some players and stepping some games alone."""

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from playing import mid_game, whole_games

from strand_env.engine.protocol import OPEN, REWARD_KINDS
from strand_env.engine.randomness import Streams
from strand_env.strand_unter import Games, IllegalAction, Ruleset


@pytest.mark.parametrize("num_players", [2, 3, 4])
@pytest.mark.parametrize("hide_buckets", [False, True])
@pytest.mark.parametrize(("num_games", "threads"), [(1, 1), (40, 1), (600, 2)])
def test_advance_is_step_reset_and_look(num_games: int, threads: int, num_players: int, hide_buckets: bool) -> None:
    fast = Games(num_games, num_players, seed=3, hide_buckets=hide_buckets, threads=threads)
    slow = fast.clone()
    turn = fast.turn()
    ended = 0
    for number in range(100):
        assert (turn.observations == slow.observe()).all()
        assert (turn.legal == slow.legal).all()
        actions = slow.random_actions(number)
        fast.advance(actions, turn)
        slow.step(actions)
        assert (turn.over == slow.over).all()
        assert (turn.scores[turn.over] == slow.scores[slow.over]).all()
        assert (turn.winners[turn.over] == slow.winners[slow.over]).all()
        ended += turn.over.sum()
        slow.reset(slow.over)
        assert (fast.state == slow.state).all()
    assert ended


@pytest.mark.parametrize(("num_games", "threads"), [(8, 1), (600, 2)])
def test_an_illegal_action_changes_neither_games_nor_turn(num_games: int, threads: int) -> None:
    games = mid_game(num_games, threads=threads)
    turn = games.turn()
    games.advance(games.random_actions(1), turn)
    before = games.state.copy(), turn.observations.copy(), turn.legal.copy(), turn.over.copy()
    actions = games.random_actions(2)
    actions[num_games - 1, 2] = 57
    with pytest.raises(IllegalAction, match=f"game {num_games - 1}, player 2"):
        games.advance(actions, turn)
    for old, new in zip(before, (games.state, turn.observations, turn.legal, turn.over), strict=True):
        assert (old == new).all()


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda both: pickle.loads(pickle.dumps(both))])
def test_a_copied_turn_goes_on(copied: Callable[[Any], Any]) -> None:
    games = mid_game(30)
    turn = games.turn()
    games.advance(games.random_actions(1), turn)
    other_games, other_turn = copied((games, turn))
    for number in range(60):
        actions = games.random_actions(number)
        games.advance(actions, turn)
        other_games.advance(actions, other_turn)
        for name in ("observations", "legal", "over", "scores", "winners"):
            assert (getattr(turn, name) == getattr(other_turn, name)).all()


def test_a_turn_of_other_games_is_refused() -> None:
    games = Games(4)
    for turn in (Games(5).turn(), Games(4, 3).turn(), None):
        with pytest.raises(ValueError, match="turn: expected one of 4 games of 4 players"):
            games.advance(games.random_actions(1), turn)  # type: ignore[arg-type]


def test_notes_of_what_was_chosen_before_a_game_changed_never_break_the_rules() -> None:
    """If a game is stepped without its turn, what the turn notes of simultaneous choices is of another position."""
    played = refused = 0
    for seed in range(6):
        games = Games(1, 4, seed=seed)
        turn = games.decision_turn()
        for number in range(100):
            games.advance(games.random_decisions(turn, number), turn)
            decider, changed = turn.players[0], games.clone()
            for step in range(8):
                changed.step(changed.random_actions(1000 * number + step))
                if changed.over[0] or not changed.to_act[0, decider]:
                    continue
                stepped, late = changed.clone(), copy.deepcopy(turn)
                try:
                    stepped.advance(changed.legal[:, decider].argmax(1), late)
                except ValueError:  # the game has changed since it was looked at
                    refused += 1
                    continue
                if (stepped.state != changed.state).any():
                    assert changed.legal[0, np.arange(4), late.chosen["actions"][0]].all()
                    played += 1
    assert min(played, refused) > 100


def test_some_games_are_stepped_and_the_others_stay() -> None:
    games = mid_game(50)
    all_stepped, untouched = games.clone(), games.clone()
    actions = games.random_actions(1)
    all_stepped.step(actions)
    for which in (np.arange(50) % 3 == 0, np.array([7, 3, 49]), np.array([], np.int64)):
        some = games.clone()
        some.step(actions[which], which)
        assert (some.state[which] == all_stepped.state[which]).all()
        others = np.ones(50, np.bool_)
        others[which] = False
        assert (some.state[others] == untouched.state[others]).all()


def test_which_games_are_stepped_must_be_clear() -> None:
    games = Games(4)
    actions = games.random_actions(1)
    with pytest.raises(ValueError, match="which: a game is named twice"):
        games.step(actions[:3], [2, 1, 2])
    for number in (4, -1):
        with pytest.raises(ValueError, match="which: expected game numbers from 0 to 3"):
            games.step(actions[:1], np.array([number]))
    with pytest.raises(ValueError, match=r"actions: expected shape \(1, 4\)"):
        games.step(actions, [0])
    actions[0, 1] = 20
    with pytest.raises(IllegalAction, match="game 3, player 1"):
        games.step(actions[:1], [3])


@pytest.mark.parametrize("num_players", [2, 3, 4])
@pytest.mark.parametrize("hide_buckets", [False, True])
def test_rows_are_those_of_all_players(num_players: int, hide_buckets: bool) -> None:
    games = mid_game(40, num_players, hide_buckets=hide_buckets)
    rows, seats = np.divmod(np.random.default_rng(1).permutation(40 * num_players), num_players)
    observations, legal = games.look_at_rows(rows, seats)
    assert (observations == games.observe()[rows, seats]).all()
    assert (legal == games.legal[rows, seats]).all()
    bits = np.random.default_rng(2).integers(2**64, size=len(rows), dtype=np.uint64)
    for row, action in enumerate(games.choose_randomly(rows, seats, bits)):
        options = np.flatnonzero(legal[row])
        assert action == options[len(options) * (int(bits[row]) >> 32) >> 32]


def test_rows_that_are_not_there_are_refused() -> None:
    games = Games(4, 3)
    expected = "games, seats: expected for each row a game from 0 to 3 and a player from 0 to 2; got "
    for rows, seats in (([0], [3]), ([0], [-1]), ([4], [0]), ([-1], [0])):
        with pytest.raises(ValueError, match=expected):
            games.look_at_rows(rows, seats)
        with pytest.raises(ValueError, match=expected):
            games.choose_randomly(rows, seats, np.ones(1, np.uint64))
    with pytest.raises(ValueError, match="games, seats: expected two lists of the same length"):
        games.look_at_rows([0, 1], [0])
    for junk in ([[0]], [0.5], [True], ["1"], None):
        with pytest.raises(ValueError, match="games: expected a list of whole numbers"):
            games.look_at_rows(junk, [0])
        with pytest.raises(ValueError, match="seats: expected a list of whole numbers"):
            games.results([0], junk)
    for bits in (np.ones(1), [1], np.ones(2, np.uint64)):
        with pytest.raises(ValueError, match="bits: expected a contiguous, writeable, aligned uint64 array"):
            games.choose_randomly([0], [0], bits)
    for told in (games.results, games.statistics):
        with pytest.raises(ValueError, match="seats: expected numbers from 0 to 2"):
            told([0], [3])
        with pytest.raises(ValueError, match="games: expected game numbers from 0 to 3"):
            told([4], [0])


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_rewards_and_ranks(num_players: int) -> None:
    games = Games(300, num_players, seed=8)
    for position in whole_games(games):
        for kind in REWARD_KINDS:
            assert not position.rewards(kind)[~position.over].any()
        going = np.flatnonzero(~position.over)
        for values in position.results(going, going % num_players).values():
            assert not values.any()
    scores, winners = games.scores.astype(float), games.winners
    for game in range(300):
        share = winners[game] / winners[game].sum()
        for player in range(num_players):
            others = [scores[game, other] for other in range(num_players) if other != player]
            margin = (scores[game, player] - np.mean(others)) / 38
            assert games.rewards("win")[game, player] == pytest.approx(share[player] - 1 / num_players, abs=1e-6)
            assert games.rewards("score")[game, player] == scores[game, player]
            assert games.rewards("margin")[game, player] == pytest.approx(margin, abs=1e-6)
            better = [
                other
                for other in range(num_players)
                if scores[game, other] > scores[game, player] or (winners[game, other] and not winners[game, player])
            ]
            result = {name: values[0] for name, values in games.results([game], [player]).items()}
            assert result == {"win": share[player], "score": scores[game, player], "rank": 1 + len(better)}
    assert games.rewards("win").sum(1) == pytest.approx(np.zeros(300), abs=1e-6)
    with pytest.raises(ValueError, match="kind: expected one of 'win', 'score', 'margin'; got 'points'"):
        games.rewards("points")  # type: ignore[arg-type]


def test_the_table_shows_what_all_players_see_together() -> None:
    games = mid_game(40, hide_buckets=True)
    opened = games.clone()
    opened.hide_buckets = False
    assert (games.observe_table() == opened.observe()[:, 0]).all()
    assert (games.observe_table() != games.observe()[:, 0]).any()


def test_status() -> None:
    games = mid_game(40)
    for index in range(40):
        snapshot = games.snapshot(index)
        assert games.status(index) == {"phase": snapshot["phase"], "round": snapshot["round"]}


def test_chosen_cards_are_dealt() -> None:
    cards = [[list(Ruleset.default().cards[value][player]) for value in range(4)] for player in range(4)]
    games = mid_game(6)
    drawn = games.clone()
    games.reset([1, 4], seed=5, cards=cards)
    drawn.reset([1, 4], seed=5)
    for index in (1, 4):
        snapshot = games.snapshot(index)
        assert snapshot["cards"] == cards
        assert snapshot == {**drawn.snapshot(index), "cards": cards}
    assert (np.delete(games.state, [1, 4]) == np.delete(drawn.state, [1, 4])).all()


def test_impossible_cards_are_refused_and_nothing_is_dealt() -> None:
    games = mid_game(2)
    before = games.state.copy()
    cards = games.snapshot(0)["cards"]
    for impossible, message in (
        (cards[:3], "cards: expected a list of 4"),
        ([cards[0]] * 3 + [[[9, 9, 9, 9]] * 4], "cards: "),
        ("cards", "cards: expected a list of 4"),
    ):
        with pytest.raises(ValueError, match=message):
            games.reset(cards=impossible)
        assert (games.state == before).all()


@pytest.mark.parametrize("num_players", [2, 3, 4])
@pytest.mark.parametrize("chosen", ["nobody's", "some", "all"])
def test_playing_on_is_stepping_with_random_actions(num_players: int, chosen: str) -> None:
    games = mid_game(60, num_players)
    until = np.arange(60) % (num_players + 1) - 1  # nobody, too: to the end
    which = np.random.default_rng(1).permutation(60)[:40]
    moves = np.arange(60)
    own = games.random_actions(1)[np.arange(60), until]  # nobody's is not looked at
    if chosen != "all":
        own[:: 2 if chosen == "some" else 1] = OPEN
    slow = games.clone()
    games.play_on(until[which], None if chosen == "nobody's" else own[which], which, moves)
    for index in which.tolist():
        game = slow.select([index])
        player, count, acting = until[index], index, own[index] != OPEN
        while not game.over[0] and (acting or not (player >= 0 and game.to_act[0, player])):
            seats = np.arange(num_players)
            rng = Streams.of_decisions(np.repeat(game.seeds, num_players), count, seats)
            actions = game.choose_randomly(np.zeros(num_players, int), seats, rng.bits())
            if acting and player >= 0:
                actions[player] = own[index]
            game.step([actions])
            count += 1
            acting = False
        assert (games.state[index] == game.state[0]).all()
        assert moves[index] == count
    untouched = np.setdiff1d(np.arange(60), which)
    assert (games.state[untouched] == slow.state[untouched]).all()
    assert (moves[untouched] == untouched).all()


def test_games_are_played_out() -> None:
    games = mid_game(40)
    games.play_on()
    assert games.over.all()


def test_playing_on_refuses_what_does_not_fit() -> None:
    games = mid_game(8)
    before = games.state.copy()
    until = np.full(8, 2)
    with pytest.raises(ValueError, match="until: expected 8 players"):
        games.play_on(until[:7])
    with pytest.raises(ValueError, match="until: expected a list of whole numbers"):
        games.play_on(np.zeros(8))
    with pytest.raises(ValueError, match="chosen: expected 8 actions"):
        games.play_on(until, until[:7])
    with pytest.raises(ValueError, match="chosen: expected a list of whole numbers"):
        games.play_on(until, np.zeros(8))
    for moves in (np.zeros(7, np.int64), np.zeros(8), [0] * 8):
        with pytest.raises(ValueError, match="moves: expected a contiguous, writeable, aligned int64 array of shape"):
            games.play_on(moves=moves)
    moves = np.zeros(8, np.int64)
    chosen = games.random_actions(1)[:, 2]
    chosen[3] = OPEN
    for illegal in (-2, 57, next(action for action in range(57) if not games.legal[5, 2, action])):
        chosen[5] = illegal
        with pytest.raises(IllegalAction, match=f"game 5, player 2, .* action {illegal}"):
            games.play_on(until, chosen, moves=moves)
    assert (games.state == before).all()
    assert not moves.any()
