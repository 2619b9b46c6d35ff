"""A batch is nothing but its games: alone, together, on threads, after resets and copies they are the same."""

import copy
import pickle

import numpy as np
import pytest
from playing import mid_game, random_play, whole_games

from strand_env.registry import game_of
from strand_env.strand_unter import NUM_ACTIONS, Games, Ruleset


def actions_of(games: Games, number: int) -> np.ndarray:
    """Random actions that depend on each game's own record alone, not on its place in the batch."""
    actions = np.empty((games.num_games, games.num_players), np.int64)
    legal = games.legal
    for index, game in enumerate(games.state):
        rng = np.random.default_rng([int(game["stream"]), number])
        actions[index] = [rng.choice(np.flatnonzero(mask)) for mask in legal[index]]
    return actions


@pytest.mark.slow
@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("size", [1, 7])
def test_a_batch_equals_its_games_alone(players: int, size: int) -> None:
    together = Games(size, players, seed=11)
    alone = [Games(1, players, seed=[int(seed)]) for seed in together.state["seed"]]
    finished = 0
    for number in range(160):
        actions = actions_of(together, number)
        together.step(actions)
        for index, game in enumerate(alone):
            game.step(actions[index : index + 1])
            assert (game.state == together.state[index : index + 1]).all()
            assert (game.observe() == together.observe()[index]).all()
            assert (game.legal == together.legal[index]).all()
            game.reset(game.over)
        finished += together.over.sum()
        together.reset(together.over)
    assert finished >= 2 * size


@pytest.mark.slow
@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_large_batch_equals_small_ones_and_single_games(players: int) -> None:
    large = Games(4096, players, seed=3)
    parts = [slice(start, start + 1024) for start in range(0, 4096, 1024)]
    parts += [slice(index, index + 1) for index in range(0, 4096, 64)]
    small = [(part, Games(part.stop - part.start, players, large.state["seed"][part])) for part in parts]
    for number in range(120):
        actions = large.random_actions(number)
        large.step(actions)
        large.reset(large.over)
        for part, games in small:
            games.step(actions[part])
            games.reset(games.over)
    for part, games in small:
        assert (games.state == large.state[part]).all()
        assert (games.observe() == large.observe()[part]).all()


@pytest.mark.parametrize("size", [4100, 6200])
def test_threads_do_not_change_results(size: int) -> None:
    one, many = (random_play(Games(size, seed=4, threads=threads), 150) for threads in (1, 3))
    assert (one.state == many.state).all()
    assert (one.observe() == many.observe()).all()
    assert (one.legal == many.legal).all()
    one.redeal(1)
    many.redeal(1)
    assert (one.state == many.state).all()


def test_an_illegal_action_is_found_in_every_thread() -> None:
    games = mid_game(6200, threads=3)
    for index in (0, 3000, 6199):
        actions = games.random_actions(1)
        actions[index, 2] = next(action for action in range(NUM_ACTIONS) if not games.legal[index, 2, action])
        before = games.clone()
        with pytest.raises(ValueError, match=f"game {index}, player 2"):
            games.step(actions)
        assert (games.state == before.state).all()


def test_finished_games_stay_as_they_are() -> None:
    *_, games = whole_games(Games(5, seed=2))
    before = games.state.copy()
    games.step(np.zeros((5, 4), int))
    assert (games.state == before).all()
    assert (games.legal.sum(2) == 1).all()
    assert not games.to_act.any()
    assert games.winners.any(1).all()


def test_scores_and_winners_are_blank_until_the_end() -> None:
    for games in whole_games(Games(20, 3, seed=2)):
        running = ~games.over
        assert not games.scores[running].any()
        assert not games.winners[running].any()


def pickled_apart(games: Games) -> Games:
    """Through buffers of constant bytes, as libraries for many processes do it: the state must not write into them."""
    buffers: list[pickle.PickleBuffer] = []
    pickled = pickle.dumps(games, protocol=5, buffer_callback=buffers.append)
    return pickle.loads(pickled, buffers=[bytes(buffer.raw()) for buffer in buffers])


@pytest.mark.parametrize(
    "duplicate",
    [Games.clone, copy.copy, copy.deepcopy, lambda games: pickle.loads(pickle.dumps(games)), pickled_apart],
    ids=["clone", "copy", "deepcopy", "pickle", "pickle with buffers"],
)
def test_copies_play_on_alike_and_apart(duplicate) -> None:
    ruleset = Ruleset(combinations=tuple(reversed(Ruleset.default().combinations)))
    games = mid_game(600, 3, ruleset=ruleset, hide_buckets=True, threads=2)
    other = duplicate(games)
    before = games.state.copy()
    random_play(other, 50)
    assert (games.state == before).all()
    random_play(games, 50)
    assert (games.state == other.state).all()
    assert (games.observe() == other.observe()).all()
    assert (other.ruleset, other.hide_buckets, other.threads) == (ruleset, True, 2)


def test_resetting_some_leaves_the_others_alone() -> None:
    games = mid_game(10)
    before = games.state.copy()
    games.reset([2, 5])
    kept = np.setdiff1d(np.arange(10), [2, 5])
    assert (games.state[kept] == before[kept]).all()
    assert (games.state["round"][[2, 5]] == 1).all()
    games.reset(np.zeros(10, bool))
    games.reset([])
    assert (games.state[kept] == before[kept]).all()


def test_seeds() -> None:
    games = Games(4, seed=9)
    again = games.clone()
    again.reset(seed=9)
    assert (again.state == games.state).all()
    again.reset([1, 3], seed=9)  # the seed of a game is derived from the number and its place in the batch
    assert (again.state == games.state).all()
    again.reset([1, 3], seed=games.state["seed"][[0, 2]])
    assert (again.state[[1, 3]] == games.state[[0, 2]]).all()
    assert len(np.unique(Games(10_000, seed=0).state["seed"])) == 10_000
    assert not np.isin(Games(100, seed=0).state["seed"], Games(100, seed=1).state["seed"]).any()
    assert (Games(2, seed=[2**64 - 1, 0]).state["seed"] == np.array([2**64 - 1, 0], np.uint64)).all()


def test_the_deals_of_a_slot_follow_from_its_first_seed_alone() -> None:
    """However the games before went: so two agents can be compared on the same deals."""
    one, other = Games(3, seed=1), Games(3, seed=1)
    random_play(one, 40, seed=1)
    assert (one.state["stream"] != other.state["stream"]).all()  # shells were drawn meanwhile
    for _ in range(3):
        one.reset()
        other.reset()
        assert (one.state == other.state).all()


def test_select_copies_games() -> None:
    games = mid_game(6)
    chosen = games.select([4, 4, 0])
    assert (chosen.state == games.state[[4, 4, 0]]).all()
    before = games.state.copy()
    random_play(chosen, 5)
    assert (games.state == before).all()


def test_redeal_keeps_what_is_known_and_deals_the_rest_anew() -> None:
    games = random_play(Games(300, seed=8), 12)
    dealt = games.clone()
    dealt.redeal(5)
    hidden = {"bag", "covered", "stream", "seed"}
    for field in set(games.state.dtype.names) - hidden:
        assert (dealt.state[field] == games.state[field]).all(), field
    for states in (games.state, dealt.state):
        out_of_sight = states["bag"] + states["covered"].sum(1)
        assert (out_of_sight == games.state["bag"] + games.state["covered"].sum(1)).all()
    assert (dealt.state["covered"].sum(2) == games.state["covered"].sum(2)).all()
    assert (dealt.state["covered"] != games.state["covered"]).any((1, 2)).mean() > 0.9
    again = games.clone()
    again.redeal(5)
    assert (again.state == dealt.state).all()
    again.redeal(6)
    assert (again.state["stream"] != dealt.state["stream"]).all()
    again.redeal(5)
    assert (again.state["stream"] == dealt.state["stream"]).all(), "future draws hang on the redeal's seed alone"
    assert (dealt.state["seed"] != games.state["seed"]).all(), "else a later reset would deal the real next games"


def test_random_actions_are_legal_and_even() -> None:
    games = Games(20_000)
    chosen = games.random_actions(1)
    assert np.take_along_axis(games.legal, chosen[:, :, None], 2).all()
    counts = np.bincount(chosen.ravel(), minlength=10)
    assert np.abs(counts / counts.sum() - 0.1).max() < 0.005
    assert (games.random_actions(1, out=np.zeros_like(chosen)) == chosen).all()
    assert (games.random_actions(2) != chosen).any()


def test_has_drawn_tells_chance_from_consequence() -> None:
    """In Maui nothing lies face down: games that have drawn nothing are the same after any redeal."""
    games = game_of("maui").batch(64, 2, seed=3)
    drawn_at_all = unlike = 0
    for number in range(40):
        actions = games.random_actions(seed=number)
        before, after = games.clone(), games.clone()
        redealt = games.clone()
        redealt.redeal(seed=number)
        after.step(actions)
        redealt.step(actions)
        drawn = after.has_drawn(before)
        different = (after.observe() != redealt.observe()).any((1, 2))
        assert not different[~drawn].any()
        drawn_at_all, unlike = drawn_at_all + int(drawn.sum()), unlike + int(different.sum())
        assert not games.has_drawn(before).any()
        games = after
    assert unlike > drawn_at_all / 2 > 0
