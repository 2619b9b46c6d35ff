"""Exact values of positions: against literal recursion, symmetry, and the draws of the engine."""

import numpy as np
import pytest

from strand_env.agents import agent_of
from strand_env.agents.asking import policies_of
from strand_env.arena.exact import GameTree, solve_matrix_game
from strand_env.engine.randomness import Streams
from strand_env.strand_unter import Games, Ruleset
from strand_env.strand_unter.chance import outcomes, turned_up

HISTORY = ("counts", "last_dials", "last_spell_dials")


def last_rounds(number: int, seed: int = 0) -> Games:
    """Positions at the start of the last round, between players who play at random."""
    games = Games(20 * number, 2, seed)
    found = []
    for step in range(200):
        there = np.flatnonzero((games.state["round"] == 15) & (games.state["phase"] == 0))
        found += [games.snapshot(int(game)) for game in there]
        if len(found) >= number:
            return Games.from_snapshots(found[:number])
        games.reset(there)
        games.step(games.random_actions(step))
    raise AssertionError("too few games got there")


# Matrix games


def test_known_matrix_games() -> None:
    value, rows, columns = solve_matrix_game(np.array([[0.0, -1, 1], [1, 0, -1], [-1, 1, 0]]))
    assert value == pytest.approx(0)
    assert rows == pytest.approx([1 / 3] * 3)
    assert columns == pytest.approx([1 / 3] * 3)
    value, rows, columns = solve_matrix_game(np.array([[3.0, -1], [-2, 4]]))  # by hand: 10 / 10, 6 : 4, 5 : 5
    assert value == pytest.approx(1)
    assert rows == pytest.approx([0.6, 0.4])
    assert columns == pytest.approx([0.5, 0.5])
    assert solve_matrix_game(np.array([[1.0, 2], [0, 5]]))[0] == 1  # a saddle point


def test_mixtures_guarantee_the_value() -> None:
    rng = np.random.default_rng(1)
    for _ in range(300):
        matrix = rng.integers(-3, 4, rng.integers(1, 11, 2)).astype(float)
        value, rows, columns = solve_matrix_game(matrix)
        assert rows.sum() == pytest.approx(1)
        assert columns.sum() == pytest.approx(1)
        assert min(rows.min(), columns.min()) >= 0
        assert (rows @ matrix).min() == pytest.approx(value, abs=1e-9)
        assert (matrix @ columns).max() == pytest.approx(value, abs=1e-9)


# Trees


def literally(games: Games, seat: int) -> float:
    """Player 0's value of a game against a random player in `seat`, by plain recursion."""
    if games.over[0]:
        return float(games.rewards("win")[0, 0])
    legal = [np.flatnonzero(mask).tolist() for mask in games.legal[0]]
    values = np.empty(list(map(len, legal)))
    for row, first in enumerate(legal[0]):
        for column, second in enumerate(legal[1]):
            after = games.clone()
            after.step([[first, second]])
            values[row, column] = literally(after, seat)
    return float(values.mean(0).min() if seat == 0 else values.mean(1).max())


def test_best_responses_are_those_of_plain_recursion() -> None:
    games = last_rounds(6)
    tree = GameTree(games)
    for seat in (0, 1):
        expected = [literally(games.select([game]), seat) for game in range(6)]
        assert tree.best_response(agent_of("random"), seat) == pytest.approx(expected)
        assert len(set(np.round(expected, 6))) > 2


def test_nobody_gains_against_an_equilibrium() -> None:
    games = last_rounds(12, seed=1)
    tree = GameTree(games)
    value, mixtures = tree.equilibrium()
    assert (np.abs(value) <= 0.5).all()
    for name in ("random", "tide"):
        agent = agent_of(name)
        low, high = tree.best_response(agent, 0), tree.best_response(agent, 1)
        between = tree.between([agent, agent])
        assert (low <= value + 1e-9).all()
        assert (value <= high + 1e-9).all()
        assert (low <= between + 1e-9).all()
        assert (between <= high + 1e-9).all()
        assert (high - low).max() > 0.1
    assert len(mixtures[0]) == 12


def test_rows_are_asked_together_as_alone() -> None:
    games, tide = last_rounds(5), agent_of("tide")
    rows, seats = np.arange(5), np.ones(5, int)
    together = policies_of(tide, games, rows, seats, Streams(games.seeds))
    for game in range(5):
        alone = policies_of(tide, games.select([game]), rows[:1], seats[:1], Streams(games.seeds[[game]]))
        assert together[game] == pytest.approx(alone[0])
    assert together.sum(1) == pytest.approx(np.ones(5))
    assert policies_of(agent_of("random"), games, rows, seats, Streams(games.seeds))[0].max() == pytest.approx(0.1)


def test_trees_refuse_what_they_cannot_solve() -> None:
    with pytest.raises(ValueError, match=r"games: something is still drawn"):
        GameTree(drawing())
    with pytest.raises(ValueError, match=r"games\.num_players: "):
        GameTree(Games(1, 3))
    with pytest.raises(ValueError, match=r"games: more than 50 positions"):
        GameTree(last_rounds(1), most=50)


def drawing() -> Games:
    """The start of the last round but one."""
    games = Games(50, 2, 3)
    for step in range(200):
        there = np.flatnonzero((games.state["round"] == 14) & (games.state["phase"] == 0))
        if len(there):
            return games.select(there[:1])
        games.step(games.random_actions(step))
    raise AssertionError("no game got there")


# Chance


def test_grooves_are_as_likely_as_the_engine_deals_them() -> None:
    ruleset = Ruleset.small()
    exact, owner, chances = turned_up(Games(1, 2, 0, ruleset))
    assert chances.sum() == pytest.approx(1)
    assert (owner == 0).all()
    dealt = Games(20_000, 2, 5, ruleset).state["shells"]
    for shells, chance in zip(exact.state["shells"], chances, strict=True):
        assert (dealt == shells).all(1).mean() == pytest.approx(chance, abs=0.015)


def test_shells_that_turn_up_are_missing_elsewhere() -> None:
    ruleset = Ruleset.small()
    exact, _, _ = turned_up(Games(1, 2, 0, ruleset))
    everywhere = exact.state["shells"] + exact.state["covered"].sum(1) + exact.state["bag"]
    assert (everywhere == ruleset.shells).all()


def test_draws_at_high_tide_are_as_likely_as_the_engine_makes_them() -> None:
    before = drawing().select(np.zeros(20_000, int))
    before.redeal(7)
    number = 0
    while (before.state["round"] == 14).all():  # the same actions in all games, until the groove is filled
        actions = np.tile(before.select([0]).random_actions(number), (20_000, 1))
        after = before.clone()
        after.step(actions)
        before, last, number = after, before, number + 1
    assert (after.state["round"] == 15).all()
    exact, owner, chances = outcomes(last.select([0]), after.select([0]))
    assert chances.sum() == pytest.approx(1)
    assert len(owner) > 10
    mean = chances @ exact.state["shells"]
    assert after.state["shells"].mean(0) == pytest.approx(mean, abs=0.05)
    for place in np.argsort(-chances)[:5]:
        share = (after.state["shells"] == exact.state["shells"][place]).all(1).mean()
        assert share == pytest.approx(chances[place], abs=0.015)


def test_local_best_responses_find_what_exact_ones_do() -> None:
    """Those of `strand exploit` cannot gain more, and in a last round, with enough rollouts, hardly gain less."""
    tree, agent = GameTree(last_rounds(8)), agent_of("tide")
    exact, local = tree.best_response(agent, 1), tree.between([agent_of("mc:256@tide"), agent])
    assert (local <= exact + 1e-9).all()
    assert exact.mean() - local.mean() < 0.01
    assert local.mean() > tree.between([agent, agent]).mean() + 0.1


def test_covered_shells_of_the_usual_game_are_refused() -> None:
    with pytest.raises(ValueError, match=r"games: at low tide, expected a ruleset by which all shells are dealt"):
        turned_up(Games(1, 2))


@pytest.mark.slow
def test_the_small_game_is_even() -> None:
    """Both players have the same cards, so by symmetry its value is 0; and it can be lost."""
    roots, _, chances = turned_up(Games(1, 2, 0, Ruleset.small()))
    tree = GameTree(roots, outcomes=outcomes, forget=HISTORY)
    value, _ = tree.equilibrium()
    assert value == pytest.approx(np.zeros(len(chances)), abs=1e-9)
    random = agent_of("random")
    low, high = (chances @ tree.best_response(random, seat) for seat in (0, 1))
    assert low == pytest.approx(-high, abs=1e-9)
    assert high > 0.4
