"""Searches with a population: the others are drawn from it, and memory tells who sits where."""

import json
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from playing import mid_game
from toy_game import STONES, StoneGames

from strand_env.agents import Memory, Positions, RandomAgent, agent_of, ask, joint_actions, policies_of
from strand_env.agents.distinct import distinct
from strand_env.agents.naming import is_code, origins_of
from strand_env.agents.population import SURPRISE, Posterior
from strand_env.agents.rollouts import finish, rollout_policy
from strand_env.agents.search import Cast, Cutoff, Decisions, MonteCarlo, RegretMatching, play_by_asking, play_out
from strand_env.agents.strand_unter.heuristics import Tide
from strand_env.agents.strand_unter.watching import DIALS
from strand_env.arena import versus
from strand_env.engine.protocol import OPEN
from strand_env.engine.randomness import Streams
from strand_env.registry import game_of
from strand_env.strand_unter import Games

NAMES = ("tide", "greedy", "mason")


def streams(rows: int) -> Streams:
    return Streams(np.arange(rows, dtype=np.uint64))


# Rollouts by several agents


@pytest.mark.parametrize("players", [2, 3, 4])
def test_several_agents_play_whole_games_as_if_they_were_asked(players: int) -> None:
    at_once, by_asking = (mid_game(90, players) for _ in range(2))
    chance, rng = np.arange(90, dtype=np.uint64), np.random.default_rng(1)
    first = np.where(np.arange(90)[:, None] % 3 == 0, at_once.random_actions(1), OPEN)
    cast = Cast([agent_of(name) for name in NAMES], rng.integers(0, 3, (90, players)))
    policies = [rollout_policy(agent, at_once) for agent in cast.agents]
    assert finish(at_once, [policy for policy in policies if policy], chance, first, cast.seats)
    play_by_asking(by_asking, cast, chance, first)
    assert at_once.over.all()
    assert (at_once.state == by_asking.state).all()


def test_who_sits_where_matters() -> None:
    games, chance, first = mid_game(60), np.arange(60, dtype=np.uint64), np.full((60, 4), OPEN)
    agents = [agent_of(name) for name in NAMES]
    values = [play_out(games.clone(), Cast(agents, np.full((60, 4), number)), chance, first) for number in range(3)]
    alone = [play_out(games.clone(), agent, chance, first) for agent in agents]
    for number in range(3):
        assert (values[number] == alone[number]).all()
        assert (values[number] != values[number - 1]).any()


def test_agents_of_different_kinds_play_together() -> None:
    """There is no compiled form of both, so they are asked; and a random player stays one after the cut-off."""
    games, chance, first = mid_game(20), np.arange(20, dtype=np.uint64), np.full((20, 4), OPEN)
    cast = Cast([Tide(), RandomAgent()], np.arange(80).reshape(20, 4) % 2)
    expected = games.clone()
    play_by_asking(expected, cast, chance, first)
    assert (play_out(games, cast, chance, first, Cutoff(2, Tide())) == play_out(expected, cast, chance, first)).all()


def test_slow_members_are_replaced_after_the_cut_off_and_no_others() -> None:
    class Slow(Tide):
        asked = 0

        def rate(self, observation: Any, mask: Any) -> Any:
            self.asked += 1
            return super().rate(observation, mask)

    games, chance, first, slow = mid_game(12), np.arange(12, dtype=np.uint64), np.full((12, 4), OPEN), Slow()
    seats = np.tile([0, 1, 2, 0], (12, 1))
    values = play_out(games.clone(), Cast([agent_of("greedy"), slow, agent_of("mason")], seats), chance, first, CUT)
    assert slow.asked == 3
    expected = games.clone()
    play_by_asking(expected, Cast([agent_of("greedy"), Tide(), agent_of("mason")], seats), chance, first, 3)
    play_by_asking(expected, Cast([agent_of("greedy"), Tide(), agent_of("mason")], seats), ~chance, first)
    assert (values == play_out(expected, Tide(), chance, first)).all()


CUT = Cutoff(3, Tide())


# Drawing the others


def test_the_others_are_drawn_by_their_weights_and_the_heuristic_plays_the_searching_player() -> None:
    search = MonteCarlo(8, Tide(), population=[agent_of(name) for name in NAMES])
    games = mid_game(2)
    positions = Positions(games, np.arange(2), np.array([1, 3]))
    decisions = Decisions(games.legal[[0, 1], [1, 3]], Streams(np.arange(2, dtype=np.uint64)), positions, None)
    rows, chance = np.repeat([0, 1], 3000), np.arange(6000, dtype=np.uint64)
    even = search.cast(decisions, rows, chance, 4).seats
    assert (even[:3000, 1] == 0).all()
    assert (even[3000:, 3] == 0).all()
    for player in (0, 2):
        assert np.bincount(even[:, player], minlength=4)[1:] == pytest.approx([2000] * 3, abs=150)
    assert abs(np.corrcoef(even[:, 0], even[:, 2])[0, 1]) < 0.05, "seats are drawn apart"
    weights = np.zeros((2, 4, 3))
    weights[:, :, 2] = 1
    weights[1, 0] = 0.25, 0.75, 0
    drawn = search.cast(decisions._replace(weights=weights), rows, chance, 4).seats
    assert (drawn[:3000, [0, 2, 3]] == 3).all()
    assert np.bincount(drawn[3000:, 0]) == pytest.approx([0, 750, 2250], abs=150)


@pytest.mark.parametrize("name", ["prior:24", "posterior:24", "rm:24@tide+greedy", "mc:24/2@learned+mason"])
def test_choices_do_not_depend_on_company(name: str) -> None:
    games = mid_game(9)
    numbers, seats = np.nonzero(games.to_act)
    agent, memory = agent_of(name), Memory(9, 4)
    together = ask(agent, games, numbers, seats, streams(len(numbers)), memory)
    for row in range(0, len(numbers), 5):
        alone = Memory(9, 4)
        one = numbers[[row]], seats[[row]]
        assert ask(agent, games, *one, streams(len(numbers))[np.array([row])], alone) == together[row]
        assert (alone.values[one] == memory.values[one]).all()


# Names


def test_populations_by_name() -> None:
    agent: Any = agent_of("prior:64")
    assert (type(agent), agent.rollouts, type(agent.heuristic)) == (MonteCarlo, 64, Tide)
    assert len(agent.population) == len(game_of().agents.heuristics) + len(game_of().agents.trained)
    agent = agent_of("posterior:64/2@tide+greedy")
    assert (type(agent), type(agent.inner), agent.inner.cutoff.moves) == (Posterior, MonteCarlo, 2)
    assert [type(each) for each in agent.inner.population] == [type(agent_of("tide")), type(agent_of("greedy"))]
    agent = agent_of("rm:32@tide+greedy")
    assert (type(agent), len(agent.population)) == (RegretMatching, 2)
    assert origins_of("prior:64") == origins_of("posterior:8") == origins_of("learned") != []
    assert origins_of("prior:64@tide+greedy") == []
    assert is_code("posterior:64@tide+own.py:Mine")
    assert is_code("prior:64@own.py:Mine+tide")
    assert not is_code("prior:64@learned+tide")
    other = game_of().ruleset(combinations=game_of().ruleset.default().combinations[::-1])
    turned: Any = agent_of("prior:8", other)
    assert len(turned.population) == len(game_of().agents.heuristics), "networks know the usual rules alone"
    assert len(agent_of("prior:8", game=STONES).population) == 1


# Inferring whom one plays


def test_what_is_seen_of_the_dials_is_what_was_set() -> None:
    games, tide, moves, checked = Games(6, 3, seed=3), agent_of("tide"), 0, 0
    last = np.full((6, 3), -1)
    while not games.over.all():
        phases = [games.snapshot(index)["phase"] for index in range(6)]
        for seat in range(3):
            games_asked = np.flatnonzero(games.to_act[:, seat])
            if len(games_asked):
                seen, _ = games.look_at_rows(games_asked, np.full(len(games_asked), seat))
                expected = np.roll(last[games_asked], -seat, axis=1)
                assert (DIALS.seen(seen)[:, :3] == expected).all()
                assert DIALS.asked(seen).tolist() == [phases[game] == "dial" for game in games_asked]
                checked += len(games_asked)
        actions = joint_actions(tide, games, moves)
        dialling = np.array([phase == "dial" for phase in phases])
        last[dialling] = actions[dialling]
        games.step(actions)
        moves += 1
    assert checked > 100


def test_memory_holds_bayes_rule() -> None:
    """After one round, the weights are the likelihoods of the dials that were set."""
    members = [agent_of(name) for name in NAMES]
    agent = Posterior(MonteCarlo(3, Tide(), population=members), DIALS)
    games, memory = Games(5, 4, seed=8), Memory(5, 4)
    all_games, seats = np.arange(5), np.array([0, 1, 2, 3, 1])
    ask(agent, games, all_games, seats, streams(5), memory)
    actions = joint_actions(agent_of("greedy"), games, 0)
    likely = np.zeros((5, 3, 3))
    for other in range(3):
        there = (seats + 1 + other) % 4
        for number, member in enumerate(members):
            policy = policies_of(member, games, all_games, there, streams(5))
            likely[:, other, number] = policy[all_games, actions[all_games, there]]
    likely = (1 - SURPRISE) * likely + SURPRISE / 10
    games.step(actions)
    while not games.to_act[all_games, seats].all():  # on to its next decision
        waiting = np.flatnonzero(~games.to_act[all_games, seats])
        games.step(joint_actions(agent_of("greedy"), games, 1)[waiting], waiting)
    ask(agent, games, all_games, seats, streams(5), memory)
    logs = memory.values[all_games, seats, 1:10].reshape(5, 3, 3)
    assert logs == pytest.approx(np.log(likely), abs=1e-4)


def weights_of_the_true(opponents: list[str], deals: int = 12) -> npt.NDArray[np.float64]:
    """(rounds,): the mean weight of the true member at the other seats, each time that all set their dials."""
    members = [agent_of(name) for name in NAMES]
    agent = Posterior(MonteCarlo(3, Tide(), population=members), DIALS)
    games, memory, moves = Games(deals, 4, seed=2), Memory(deals, 4), 0
    found: list[float] = []
    while not games.over.all():
        actions = np.full((deals, 4), games.pass_action)
        for seat, name in enumerate(["", *opponents]):
            at = np.flatnonzero(games.to_act[:, seat])
            if len(at):
                rng = Streams.of_decisions(games.seeds[at], moves, np.full(len(at), seat))
                player = agent_of(name) if name else agent
                actions[at, seat] = ask(player, games, at, np.full(len(at), seat), rng, memory if not name else None)
        logs = memory.values[:, 0, 1:10].reshape(deals, 3, 3)
        likely = np.exp(logs) / np.exp(logs).sum(2, keepdims=True)
        found.append(np.mean([likely[:, other, NAMES.index(name)] for other, name in enumerate(opponents)]))
        going = np.flatnonzero(~games.over)
        games.step(actions[going], going)
        moves += 1
    return np.array(found)


def test_it_learns_who_sits_where() -> None:
    course = weights_of_the_true(["greedy", "tide", "mason"])
    assert course[0] == pytest.approx(1 / 3)
    assert course[-1] > 0.75
    assert weights_of_the_true(["mason", "greedy", "greedy"])[-1] > 0.75


def test_a_game_that_shows_nothing_of_it_leaves_all_equally_likely() -> None:
    games = StoneGames(4, 3, seed=2)
    numbers, seats = np.nonzero(games.to_act)
    chosen = [
        ask(agent_of(name, game=STONES), games, numbers, seats, streams(4), Memory(4, 3))
        for name in ("prior:60", "posterior:60")
    ]
    assert (chosen[0] == chosen[1]).all()
    assert agent_of("posterior:60", game=STONES).memory_size(games.num_players) == 0


def test_what_it_remembers_is_small_and_can_be_saved() -> None:
    games, memory = Games(1, 4, seed=1), Memory(1, 4)
    agent: Any = agent_of("posterior:6")
    ask(agent, games, np.zeros(1, np.int64), np.zeros(1, np.int64), streams(1), memory)
    assert agent.memory_size(games.num_players) < 400
    assert len(json.dumps(memory.save())) < 1 << 14


@pytest.mark.slow
def test_memory_wins_games() -> None:
    with_memory, without = (versus(f"{name}:48@tide+greedy+mason", "tide", deals=15).win for name in KINDS)
    assert with_memory.mean > without.mean + 0.08


KINDS = ("posterior", "prior")


# Equal rows


def test_equal_rows_are_found() -> None:
    rng = np.random.default_rng(1)
    for dtype, entries in ((np.int8, 16), (np.int8, 3), (np.int16, 5), (np.float32, 2), (np.int16, 4)):
        rows = rng.integers(0, 3, (500, entries)).astype(dtype)
        first, like = distinct(rows)
        assert (rows[first][like] == rows).all()
        assert len(first) == len(np.unique(rows, axis=0))
        assert (np.diff(first) > 0).all()
        assert (distinct(rows[::2])[0] == distinct(rows[::2].copy())[0]).all()
    first, like = distinct(np.zeros((0, 4), np.int8))
    assert len(first) == len(like) == 0


def test_networks_answer_equal_rows_equally() -> None:
    agent: Any = agent_of("learned")
    games = mid_game(12)
    seen, masks = games.look_at_rows(*np.nonzero(games.to_act))
    twice = np.concatenate([np.arange(len(seen)), np.arange(len(seen))[::-1]])
    assert (agent.probabilities(seen[twice], masks[twice]) == agent.probabilities(seen, masks)[twice]).all()
