"""Agents that remember: what they keep of a game is handed back in any company, and gone with the game."""

import json
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from play_helpers import PATIENCE, play_on
from toy_game import STONES

from strand_env import registry
from strand_env.adapters.match import Match
from strand_env.agents import Memory, ask, joint_actions, policies_of
from strand_env.agents.memory import MOST_NUMBERS
from strand_env.agents.search import MonteCarlo
from strand_env.arena import run_arena
from strand_env.engine.game import Game
from strand_env.engine.protocol import IllegalAction
from strand_env.engine.randomness import Streams
from strand_env.play.session import Session
from strand_env.registry import game_ids, game_of
from strand_env.replays import Replay

LISTED = [*map(game_of, game_ids()), STONES]
every_game = pytest.mark.parametrize("game", LISTED, ids=[game.name for game in LISTED])


@pytest.fixture(autouse=True)
def listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry._others, STONES.id, STONES)


class Counting:
    """Its n-th decision of a game takes the n-th legal action, and so do the others, if they remember as they should.

    It also remembers the sum of what it has seen, so that no two seats remember the same.
    """

    highest = 0

    def reset(self) -> None:
        pass

    def memory_size(self, num_players: int) -> int:
        return 2

    def act(self, observation: Any, mask: Any, rng: Streams, memory: Any) -> npt.NDArray[np.int64]:
        legal = mask.sum(1, dtype=np.int64)
        number = (memory.sum(1).astype(np.int64)) % legal
        memory[:, 0] += 1
        memory[:, 1] = (memory[:, 1] + observation.sum(1, dtype=np.int64)) % 1000
        self.highest = max(self.highest, int(memory[:, 0].max()))
        return (np.cumsum(mask, axis=1) > number[:, np.newaxis]).argmax(1)


def played(game: Game, seeds: npt.NDArray[np.uint64]) -> list[Any]:
    """Whole games of agents that remember: the last snapshot of each."""
    players = game.player_counts[-1]
    batch = game.batch(len(seeds), players, seed=seeds)
    memory, moves = Memory(len(seeds), players), 0
    while not batch.over.all():
        batch.step(joint_actions(Counting(), batch, moves, memory))
        moves += 1
    return [batch.snapshot(index) for index in range(min(len(seeds), 7))]


@every_game
def test_a_game_is_the_same_in_any_batch(game: Game) -> None:
    seeds = np.arange(40, 47, dtype=np.uint64)
    together = played(game, seeds)
    assert [played(game, seeds[[number]])[0] for number in range(7)] == together
    many = 4096 if game.name in ("strand_unter", "stones") else 300
    assert played(game, np.arange(40, 40 + many, dtype=np.uint64)) == together


def test_without_its_memory_it_would_play_otherwise() -> None:
    game = game_of("strand_unter")
    batch, moves = game.batch(1, 4, seed=np.array([40], np.uint64)), 0
    while not batch.over.all():
        batch.step(joint_actions(Counting(), batch, moves))
        moves += 1
    assert batch.snapshot(0) != played(game, np.array([40], np.uint64))[0]


def opponents_remember(replay: Replay, learner: int) -> None:
    """Whether all opponents played as they do who begin with nothing and remember the rest."""
    positions = list(replay.positions())
    memory = Memory(1, replay.players)
    for before, after in pairwise(positions):
        batch = replay.game.batch.from_snapshots([before.snapshot])
        for seat in np.flatnonzero(batch.to_act[0]):
            if seat != learner:
                rng = Streams(np.zeros(1, np.uint64))
                (expected,) = ask(Counting(), batch, np.zeros(1, np.int64), np.array([seat]), rng, memory)
                assert after.actions is not None
                assert after.actions[seat] == expected


@pytest.mark.slow
@every_game
def test_opponents_remember_until_the_game_is_dealt_again(game: Game) -> None:
    players = game.player_counts[-1]
    match = Match(game, game.batch(3, players), 0, Counting(), record=3)
    match.reset(np.arange(3, dtype=np.uint64))
    ended = [0, 0, 0]
    while min(ended) < 3:
        match.step(match.legal.argmax(1))
        for ending in match.endings:
            ended[ending.game] += 1
            opponents_remember(ending.info["replay"], 0)


@every_game
def test_a_match_goes_on_from_what_was_saved(game: Game) -> None:
    players = game.player_counts[0]
    matches = [Match(game, game.batch(4, players), 0, Counting()) for _ in range(2)]
    matches[0].reset(np.arange(4, dtype=np.uint64))
    for _ in range(2):
        matches[0].step(matches[0].legal.argmax(1))
    saved = json.loads(json.dumps(matches[0].save()))
    assert "memory" in saved
    matches[1].restore(saved)
    assert matches[1].save() == saved
    for _ in range(12):
        for match in matches:
            match.step(match.legal.argmax(1))
        assert (matches[0].seen == matches[1].seen).all()
    for wrong in (None, [], [[]] * 4, [[["x"]] * players] * 4, [[[1e39]] * players] * 4, [[[0.0]] * players] * 3):
        with pytest.raises(ValueError, match="memory"):
            matches[1].restore({**saved, "memory": wrong})
    forgetting = {name: value for name, value in saved.items() if name != "memory"}
    matches[1].restore(forgetting)
    assert "memory" not in matches[1].save()


def test_agents_in_a_session_remember_after_an_undo_and_forget_with_a_new_game() -> None:
    game = game_of("strand_unter")
    agents = [None, Counting(), Counting()]
    with Session(game, game.batch(1, 3, seed=4), agents, ["you", "one", "two"]) as session:
        first = play_on(session)
        opponents_remember(session.replay(), 0)
        session.undo(session.now().token)
        session.undo(session.now().token)
        again = play_on(session)
        assert [each.snapshot for each in again.positions] == [each.snapshot for each in first.positions]
        session.new_game(session.now().token, same_deal=True)
        again = play_on(session)
        assert [each.snapshot for each in again.positions] == [each.snapshot for each in first.positions]
        session.new_game(session.now().token, same_deal=False)
        session.wait(lambda now: bool(now.legal) or now.over, PATIENCE)
        play_on(session)
        opponents_remember(session.replay(), 0)


def test_the_arena_hands_memory_back(tmp_path: Any) -> None:
    game = game_of("strand_unter")
    run_arena([Counting()], 2, 3, game=game, versus=Counting(), out=tmp_path, record=3)
    replays = [Replay.load(path) for path in sorted((tmp_path / "replays").iterdir())]
    assert len(replays) == 3
    for replay in replays:
        opponents_remember(replay, -1)


def test_rollouts_begin_with_nothing_and_remember_from_there() -> None:
    game, agent = game_of("strand_unter"), Counting()
    batch, memory = game.batch(2, 3, seed=1), Memory(2, 3)
    games, seats = np.array([0, 1]), np.array([1, 2])
    ask(MonteCarlo(12, agent), batch, games, seats, Streams(np.arange(2, dtype=np.uint64)), memory)
    assert 5 < agent.highest < 100
    assert not memory.values.any()


def test_who_fails_remembers_nothing_of_it() -> None:
    class Wrong(Counting):
        def act(self, *arguments: Any) -> npt.NDArray[np.int64]:
            return super().act(*arguments) * 0 + 56

    batch, memory = game_of("strand_unter").batch(1, 2, seed=1), Memory(1, 2)
    at = np.zeros(1, np.int64), np.zeros(1, np.int64)
    rng = Streams(np.zeros(1, np.uint64))
    ask(Counting(), batch, *at, rng, memory)
    before = memory.values.copy()
    with pytest.raises(IllegalAction):
        ask(Wrong(), batch, *at, rng, memory)
    policies_of(Counting(), batch, *at, rng, memory)
    assert (memory.values == before).all()
    assert before[0, 0, 0] == 1
    assert not before[0, 1].any(), "another seat remembers nothing of it"


@pytest.mark.parametrize("size", [-1, MOST_NUMBERS + 1, 1.0, True, "2", None])
def test_how_much_an_agent_remembers_is_bounded(size: Any) -> None:
    class Greedy(Counting):
        def memory_size(self, num_players: int) -> Any:
            return size

    batch, at = game_of("strand_unter").batch(1, 2), (np.zeros(1, np.int64), np.zeros(1, np.int64))
    with pytest.raises(ValueError, match=f"memory_size: expected a whole number from 0 to {MOST_NUMBERS}"):
        ask(Greedy(), batch, *at, Streams(np.zeros(1, np.uint64)), Memory(1, 2))


def test_only_finite_numbers_are_remembered() -> None:
    with pytest.raises(ValueError, match="memory: expected finite numbers"):
        Memory(1, 2).keep(np.zeros(1, np.int64), np.zeros(1, np.int64), np.full((1, 2), np.nan, np.float32))


def test_agents_that_remember_more_and_less_share_a_memory() -> None:
    memory, one = Memory(2, 2), np.ones(1, np.int64)
    memory.keep(one, one, np.ones((1, 1), np.float32))
    memory.keep(one - 1, one, np.full((1, 3), 2, np.float32))
    assert memory.recall(one, one, 3).tolist() == [[1, 0, 0]]
    assert memory.recall(one - 1, one, 2).tolist() == [[2, 2]]
    other = Memory(2, 2)
    other.restore(json.loads(json.dumps(memory.save())))
    assert (other.values == memory.values).all()
    memory.forget(one)
    assert memory.recall(one, one, 3).tolist() == [[0, 0, 0]]
    assert other.values[1].any()
