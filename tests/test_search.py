"""Agents that search: they find what is there to be found, in any game, and get stronger the longer they look."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from playing import mid_game
from positions import position
from toy_game import TAKE_ALL, StoneGames

from strand_env.agents import Positions, RandomAgent, agent_of, ask
from strand_env.agents.rollouts import finish, rollout_policy
from strand_env.agents.search import (
    Cutoff,
    Horizon,
    MonteCarlo,
    RegretMatching,
    play_by_asking,
    play_on,
    play_out,
)
from strand_env.agents.strand_unter.heuristics import Greedy, Tide
from strand_env.agents.uct import UCT
from strand_env.arena import versus
from strand_env.engine.protocol import OPEN, IllegalAction
from strand_env.engine.randomness import Streams
from strand_env.strand_unter import Games

PASS_IN_DIAL = 56  # where everybody has to set a dial


def streams(rows: int, moves: int = 0) -> Streams:
    return Streams.of_decisions(np.arange(rows, dtype=np.uint64), moves, np.zeros(rows, np.int64))


def all_zero(number: int) -> npt.NDArray[np.int64]:
    return np.zeros(number, np.int64)


@pytest.mark.parametrize("kind", [MonteCarlo, RegretMatching, UCT])
def test_a_win_at_once_is_found(kind: Any) -> None:
    """Who builds the last castle here ends the game and wins; who waits is overtaken by the tide."""
    done = ["ready", 4, 5, 6]
    snapshot = position(
        2,
        round=14,
        castles={0: done, 1: ["heap", "heap", 5, 6]},
        buckets={0: [2, 2, 2, 2]},
        phase="build",
        to_act=[0],
        dials=[0, 1],
    )
    games = Games.from_snapshots([snapshot] * 3)
    actions = ask(kind(60, RandomAgent()), games, np.arange(3), all_zero(3), streams(3))
    assert ((actions >= 40) & (actions < 44)).all()


@pytest.mark.parametrize("kind", [MonteCarlo, RegretMatching, UCT])
def test_another_game_is_searched_as_well(kind: Any) -> None:
    """The last stones bring their number times the own card, so to take all of them is best."""
    games = StoneGames(4, 3, seed=2)
    numbers, seats = np.nonzero(games.to_act)
    actions = ask(kind(200, RandomAgent()), games, numbers, seats, streams(4))
    assert (actions == TAKE_ALL).all()


def test_copies_keep_what_the_player_knows_and_nothing_else() -> None:
    games = StoneGames(2, 3, seed=2)
    seats = np.array([1, 2])
    copies, chance = Positions(games, np.arange(2), seats).copies(np.array([30, 20]), streams(2))
    assert copies.num_games == 50
    assert len(set(chance.tolist())) == 50
    for first, last, row in ((0, 30, 0), (30, 50, 1)):
        cards = np.array([copies.snapshot(index)["cards"] for index in range(first, last)])
        own = cards[:, seats[row]]
        assert (own == games.snapshot(row)["cards"][seats[row]]).all()
        others = np.delete(cards, seats[row], axis=1)
        assert (others.min(0) < others.max(0)).all()
    exact, _ = Positions(games, np.arange(2), seats, open_cards=True).copies(np.array([1, 1]), streams(2))
    assert [exact.snapshot(index) for index in range(2)] == [games.snapshot(index) for index in range(2)]


class Knowing(RandomAgent):
    """Would act as the others did with an even card next to the observer, nine times as often as with an odd one."""

    def likelihoods(self, batch: Any, observers: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        cards = np.array([batch.snapshot(index)["cards"] for index in range(batch.num_games)])
        return np.where(cards[np.arange(len(cards)), (observers + 1) % batch.num_players] % 2 == 0, 0.9, 0.1)


def test_copies_are_as_frequent_as_they_are_likely() -> None:
    games = StoneGames(3, 3, seed=2)
    seats, numbers = np.array([1, 2, 0]), np.array([300, 0, 200])
    shares, kept = [], []
    for others in (RandomAgent(), Knowing()):
        copies, chance = Positions(games, np.arange(3), seats).copies(numbers, streams(3), others)
        assert copies.num_games == len(set(chance.tolist())) == 500
        cards = np.array([copies.snapshot(index)["cards"] for index in range(500)])
        rows = np.repeat([0, 2], [300, 200])
        own = np.array([games.snapshot(index)["cards"] for index in range(3)])[rows, seats[rows]]
        assert (cards[np.arange(500), seats[rows]] == own).all()
        shares.append((cards[np.arange(500), (seats[rows] + 1) % 3] % 2 == 0).mean())
        kept.append(cards)
    odds = shares[0] / (1 - shares[0])
    assert shares[1] == pytest.approx(9 * odds / (1 + 9 * odds), abs=0.12)
    assert shares[1] > shares[0] + 0.1
    alone, _ = Positions(games, np.arange(2, 3), seats[2:]).copies(numbers[2:], streams(3)[np.array([2])], Knowing())
    assert [alone.snapshot(index)["cards"] for index in range(200)] == kept[1][300:].tolist()


def test_who_doubts_keeps_to_the_heuristic() -> None:
    games = mid_game(30)
    rows = np.nonzero(games.to_act)
    likeliest = Tide().rate(*games.look_at_rows(*rows)).argmax(1)
    chosen = {
        doubt: ask(MonteCarlo(60, Tide(), doubt=doubt), games, *rows, streams(len(rows[0]))) for doubt in (0, 1, 1e9)
    }
    assert (chosen[1e9] == likeliest).all()
    same = [(chosen[doubt] == likeliest).mean() for doubt in (0, 1)]
    assert same[0] < same[1] < 1


def test_rollouts_stop_at_a_horizon() -> None:
    """There the potential counts; after the end, the margin."""
    games, played = mid_game(20), mid_game(20)
    chance, first = np.arange(20, dtype=np.uint64), np.full((20, 4), OPEN)
    play_on(games, Tide(), chance, first, most=3)
    play_by_asking(played, Tide(), chance, first, 3)
    assert (games.state == played.state).all()
    asked = []

    def potential(observations: Any) -> npt.NDArray[np.float32]:
        asked.append(len(observations))
        return np.zeros(len(observations), np.float32)

    rows = np.nonzero(games.to_act)
    agent = MonteCarlo(30, Tide(), horizon=Horizon(2, potential))
    ask(agent, games, *rows, streams(len(rows[0])))
    assert asked


def test_the_games_that_are_searched_stay_as_they_are() -> None:
    games = mid_game(20)
    before = games.state.copy()
    numbers, seats = np.nonzero(games.to_act)
    for name in ("mc:20", "rm:20", "uct:20", "cheater:20"):
        ask(agent_of(name), games, numbers, seats, streams(len(numbers)))
        assert (games.state == before).all()


def test_hidden_buckets_are_not_searched() -> None:
    games = mid_game(5, hide_buckets=True)
    numbers, seats = np.nonzero(games.to_act)
    for name in ("mc:4", "uct:4"):
        with pytest.raises(ValueError, match="hidden buckets are not dealt again; search in games with open buckets"):
            ask(agent_of(name), games, numbers, seats, streams(len(numbers)))


def test_games_are_played_out_by_chance_alone() -> None:
    games = mid_game(40)
    chance = np.arange(40, dtype=np.uint64)

    def values(some: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        first = np.full((len(some), 4), OPEN)
        return play_out(games.select(some), agent_of("tide"), chance[some], first)

    together = values(np.arange(40))
    assert (values(np.arange(40)) == together).all()
    assert (values(np.array([7, 3, 30])) == together[[7, 3, 30]]).all()
    assert together.sum(1) == pytest.approx(np.zeros(40), abs=1e-6), "what one wins the others lose"
    first = np.full((40, 4), OPEN)
    assert (play_out(games.clone(), agent_of("tide"), chance + np.uint64(100), first) != together).any()


def test_first_actions_are_carried_out_and_those_left_open_filled_in() -> None:
    games = StoneGames(60, 2, seed=4)
    acting = games.to_act
    first = np.where(acting, TAKE_ALL, OPEN)
    given = first.copy()
    won = play_out(games.clone(), RandomAgent(), np.arange(60, dtype=np.uint64), first)
    assert (first == given).all(), "the array belongs to the caller"
    assert (won[acting] > 0).all(), "who takes all stones at once has all points"
    chance = play_out(games.clone(), RandomAgent(), np.arange(60, dtype=np.uint64), np.full((60, 2), OPEN))
    assert not (chance[acting] > 0).all()


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("name", ["random", "greedy", "dodger", "sprinter", "mason", "tide"])
def test_agents_play_whole_games_as_if_they_were_asked(name: str, players: int) -> None:
    """To the bit, as search takes the faster way."""
    for hidden in (False, True):
        at_once, by_asking = (mid_game(120, players, hide_buckets=hidden) for _ in range(2))
        chance = np.arange(120, dtype=np.uint64)
        first = np.where(np.arange(120)[:, None] % 3 == 0, at_once.random_actions(1), OPEN)
        first[:, 0] = OPEN
        policy = rollout_policy(agent_of(name), at_once)
        assert policy
        assert finish(at_once, [policy], chance, first)
        play_by_asking(by_asking, agent_of(name), chance, first)
        assert at_once.over.all()
        assert (at_once.state == by_asking.state).all()


def test_random_rollouts_of_another_game_are_as_if_the_agent_were_asked() -> None:
    at_once, by_asking = (StoneGames(60, 3, seed=4) for _ in range(2))
    chance, first = np.arange(60, dtype=np.uint64), np.full((60, 3), OPEN)
    first[::2][at_once.to_act[::2]] = 0
    play_out(at_once, RandomAgent(), chance, first)
    play_by_asking(by_asking, RandomAgent(), chance, first)
    assert (at_once.state == by_asking.state).all()


def test_an_illegal_first_action_is_refused_and_no_game_changed() -> None:
    for wrong in (PASS_IN_DIAL, 57, -2):
        games = Games(5, 4, seed=1)
        before = games.state.copy()
        first = np.full((5, 4), OPEN)
        first[3, 2] = wrong
        with pytest.raises(IllegalAction, match=f"game 3, player 2, phase 'dial': action {wrong}"):
            play_out(games, Tide(), np.arange(5, dtype=np.uint64), first)
        assert (games.state == before).all()


def test_a_heuristic_with_a_way_of_its_own_is_asked() -> None:
    class First(Greedy):
        def act(self, observation: Any, mask: Any, rng: Streams) -> npt.NDArray[np.int64]:
            return mask.argmax(1)

    games, by_asking = Games(10, 3, seed=1), Games(10, 3, seed=1)
    chance, first = np.arange(10, dtype=np.uint64), np.full((10, 3), OPEN)
    play_out(games, First(), chance, first)
    play_by_asking(by_asking, First(), chance, first)
    assert (games.state == by_asking.state).all()
    play_out(by_asking := Games(10, 3, seed=1), Greedy(), chance, first)
    assert (games.state != by_asking.state).any()


@pytest.mark.slow
def test_search_beats_the_heuristic_that_it_rolls_out_with() -> None:
    for name in ("mc:48", "rm:96", "uct:48"):
        assert versus(name, "tide", deals=10).win.low > 0.25, name


@pytest.mark.slow
def test_to_search_more_is_to_win_more() -> None:
    for kind in ("mc", "rm", "uct"):
        few, many = (versus(f"{kind}:{number}", "tide", deals=20, players=2, seed=3).score.mean for number in (8, 96))
        assert many > few + 1, kind


def test_rollouts_are_cut_off_after_some_moves() -> None:
    """Up to there they are those of the policy, and from there on those of the faster one."""

    class Counting(Greedy):
        __module__ = Greedy.__module__  # so that it draws the same
        asked = 0

        def rate(self, observation: Any, mask: Any) -> Any:
            self.asked += 1
            return super().rate(observation, mask)

    games, chance = mid_game(5), np.arange(5, dtype=np.uint64)
    first = np.full((5, games.num_players), OPEN)
    counting, whole, cut = Counting(), games.clone(), games.clone()
    value = play_out(cut, counting, chance, first.copy(), Cutoff(3, Tide()))
    assert counting.asked == 3
    assert cut.over.all()
    assert value.shape == first.shape
    play_by_asking(whole, Greedy(), chance, first.copy(), 3)
    play_by_asking(whole, Tide(), ~chance, first.copy())
    assert np.array_equal(whole.scores, cut.scores)
