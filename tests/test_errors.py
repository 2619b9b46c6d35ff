"""Bad input is refused with a message that says what is wrong, and changes nothing."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from toy_game import STONES

from strand_env.engine.game import Game
from strand_env.registry import game_names, game_of
from strand_env.strand_unter import PASS, Games, IllegalAction, describe, layout

SINGLE_WHITE = 0
TAKE_CASTLE = 36
ANY_GAME = [*map(game_of, game_names()), STONES]


def picking(num_games: int = 5, threads: int = 1) -> Games:
    """Games in which player 1 has to choose a castle, the others set different combinations."""
    games = Games(num_games, 4, seed=1, threads=threads)
    games.step([[4, SINGLE_WHITE, 5, 6]] * num_games)
    return games


def refused(games: Games, call: Callable[[], Any], message: str, error: type[ValueError] = ValueError) -> str:
    """The message of the error, after which all games are as before."""
    before = games.state.copy()
    with pytest.raises(error, match=message) as raised:
        call()
    assert (games.state == before).all()
    return str(raised.value)


# Actions


@pytest.mark.parametrize(
    ("num_games", "threads", "game"), [(5, 1, 0), (5, 1, 3), (5, 1, 4), (4096, 2, 0), (4096, 2, 2047), (4096, 2, 4095)]
)
@pytest.mark.parametrize(
    ("player", "action"), [(1, SINGLE_WHITE), (1, PASS), (1, 40), (0, TAKE_CASTLE), (3, 6), (1, 57), (1, 127), (2, -1)]
)
def test_one_illegal_action_stops_the_whole_batch(
    num_games: int, threads: int, game: int, player: int, action: int
) -> None:
    games = picking(num_games, threads)
    actions = np.full((num_games, 4), PASS)
    actions[:, 1] = TAKE_CASTLE
    actions[game, player] = action
    message = refused(games, lambda: games.step(actions), "is not legal", IllegalAction)
    known = f" ({describe(action)})" if 0 <= action < games.num_actions else ""
    assert message.startswith(f"game {game}, player {player}, phase 'pick': action {action}{known} is not legal; ")
    told = message.partition("legal: ")[2]
    for legal in range(games.num_actions):
        assert (f"{legal} ({describe(legal)})" in told) == games.legal[game, player, legal]


def test_the_first_illegal_action_is_named() -> None:
    games = picking(4096, threads=2)
    refused(games, lambda: games.step(np.zeros((4096, 4), int)), "^game 0, player 0, ", IllegalAction)


@pytest.mark.parametrize(
    "action",
    [np.int8(-128), np.uint8(255), 300, 2**40, -(2**40), np.uint64(2**63), np.uint64(2**64 - 1), np.int64(256)],
)
def test_actions_do_not_wrap_around(action: Any) -> None:
    games = Games(2)
    actions = np.zeros((2, 4), np.array(action).dtype)
    actions[1, 2] = action
    refused(games, lambda: games.step(actions), f"^game 1, player 2, phase 'dial': action {action} ", IllegalAction)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.uint64, ">i4", ">u8"])
def test_any_whole_numbers_are_actions(dtype: Any) -> None:
    given, expected = Games(2), Games(2)
    given.step(np.array([[1, 2, 3, 9]] * 2, dtype))
    expected.step([[1, 2, 3, 9]] * 2)
    assert (given.state == expected.state).all()


@pytest.mark.parametrize(
    ("actions", "message"),
    [
        (np.zeros((2, 3), int), r"^actions: expected shape \(2, 4\)"),
        (np.zeros((3, 4), int), r"^actions: expected shape \(2, 4\)"),
        (np.zeros((2, 4, 1), int), r"^actions: expected shape \(2, 4\)"),
        (np.zeros(8, int), r"^actions: expected shape \(2, 4\)"),
        (0, r"^actions: expected shape \(2, 4\)"),
        (np.zeros((2, 4)), "^actions: expected whole numbers, got dtype float64"),
        (np.zeros((2, 4), bool), "^actions: expected whole numbers, got dtype bool"),
        (np.zeros((2, 4), object), "^actions: expected whole numbers, got dtype object"),
        ([[0, 0, 0, None]] * 2, "^actions: expected whole numbers, got dtype object"),
        ([[0, 0, 0, 2**64]] * 2, "^actions: expected whole numbers, got dtype object"),
        ([["0"] * 4] * 2, "^actions: expected whole numbers, got dtype <U1"),
        (None, "^actions: expected whole numbers, got dtype object"),
        ([], "^actions: "),
    ],
)
def test_actions_of_another_shape_or_type_are_refused(actions: Any, message: str) -> None:
    games = Games(2)
    refused(games, lambda: games.step(actions), message)


@pytest.mark.parametrize("nonsense", [0, PASS, 57, -1, 2**40])
def test_games_that_are_over_ignore_actions(nonsense: int) -> None:
    games = Games(2, seed=3)
    while not games.over[0]:
        games.step(games.random_actions(seed=0))
    games.reset([1])
    ended = games.state[0].copy()
    running = games.select([1])
    actions = games.random_actions(seed=1)
    actions[0] = nonsense
    games.step(actions)
    running.step(actions[1:])
    assert games.state[0] == ended
    assert games.state[1] == running.state[0]
    actions[1] = 57
    refused(games, lambda: games.step(actions), "^game 1, player 0, ", IllegalAction)


# Everything else


@pytest.mark.parametrize(
    ("name", "value", "named"),
    [
        *[("num_games", value, "num_games") for value in (0, -1, 1.5, True, "1", None)],
        *[("num_players", value, "num_players") for value in (0, 1, 5, "4", 4.0, True, None)],
        *[("seed", value, "seed") for value in (-1, 2**64, 1.5, None, True, "1", [], [1, 2], [1] * 4, [[1, 2, 3]])],
        *[("seed", [0, value, 2], "seed[1]") for value in (-1, 2**64, 1.5, None, True, "1")],
        *[("seed", np.array([1, 0, 1], dtype), "seed[0]") for dtype in (float, bool, str)],
        ("seed", np.array([-1, 0, 1]), "seed[0]"),
        *[("ruleset", value, "ruleset") for value in ("default", {}, 0, Games)],
        *[("threads", value, "threads") for value in (0, -1, 1.5, True, None)],
    ],
)
def test_bad_arguments_of_new_games_are_refused(name: str, value: Any, named: str) -> None:
    arguments: dict[str, Any] = {"num_games": 3, name: value}
    with pytest.raises(ValueError, match=f"^{re.escape(named)}: "):
        Games(**arguments)


@pytest.mark.parametrize(
    "which",
    [[True], [True] * 6, [[True] * 5], True, [5], [-1], [0, 99], [0.0], [1.5], 0, [[0, 1]], ["0"], [None], [2**70]],
    ids=repr,
)
@pytest.mark.parametrize("call", [Games.reset, Games.select])
def test_unknown_games_are_refused(call: Callable[[Games, Any], Any], which: Any) -> None:
    games = picking()
    refused(games, lambda: call(games, which), "^which: ")


@pytest.mark.parametrize(
    "call",
    [lambda games, seed: games.reset([1, 2], seed), Games.redeal, Games.random_actions],
    ids=["reset", "redeal", "random"],
)
@pytest.mark.parametrize("seed", [-1, 2**64, 1.5, True, "1", [], [1], [1, 2, 3]], ids=repr)
def test_bad_seeds_are_refused(call: Callable[[Games, Any], Any], seed: Any) -> None:
    games = picking()
    refused(games, lambda: call(games, seed), "^seed: ")


@pytest.mark.parametrize(
    "observer", [-1, 4, 1.0, True, "0", np.array([0, 4, 0, 0, 0]), np.array([0, 1]), np.zeros(5), np.zeros((5, 1), int)]
)
def test_an_observer_is_one_of_the_players(observer: Any) -> None:
    games = picking()
    refused(games, lambda: games.redeal(0, observer), "^observer: ")


@pytest.mark.parametrize("observer", ["nobody", "", "0"])
def test_an_observer_of_a_snapshot_is_a_player_or_all(observer: str) -> None:
    with pytest.raises(ValueError, match=r"^observer: expected a number from 0 to 3 or None or 'all', got "):
        Games.as_seen(picking().snapshot(0), observer)  # type: ignore[arg-type]


def test_each_game_may_have_an_observer_of_its_own() -> None:
    picking().redeal(0, np.array([0, 3, 2, 1, 0]))


def unaligned(shape: tuple[int, ...]) -> np.ndarray:
    size = int(np.prod(shape))
    return np.zeros(size + 1, np.int8)[1:].reshape(shape)


def read_only(shape: tuple[int, ...]) -> np.ndarray:
    out = np.zeros(shape, np.int8)
    out.setflags(write=False)
    return out


@pytest.mark.parametrize(("fill", "width"), [(Games.observe, layout.size), (Games.write_legal, 64)])
@pytest.mark.parametrize(
    "out",
    [
        lambda games, players, width: np.zeros((games, players, width - 1), np.int8),
        lambda games, players, width: np.zeros((games, players + 1, width), np.int8),
        lambda games, players, width: np.zeros((games - 1, players, width), np.int8),
        lambda games, players, width: np.zeros((games, players * width), np.int8),
        lambda games, players, width: np.zeros((games, players, width), np.uint8),
        lambda games, players, width: np.zeros((games, players, width), np.float32),
        lambda games, players, width: np.zeros((games, players, 2 * width), np.int8)[:, :, ::2],
        lambda games, players, width: np.zeros((width, players, games), np.int8).T,
        lambda games, players, width: unaligned((games, players, width)),
        lambda games, players, width: read_only((games, players, width)),
        lambda games, players, width: np.zeros((games, players, width), np.int8).tolist(),
    ],
)
def test_arrays_that_cannot_be_filled_are_refused(
    fill: Callable[[Games, Any], Any], width: int, out: Callable[[int, int, int], Any]
) -> None:
    games = Games(3, 2)
    given = out(games.num_games, games.num_players, width)
    refused(games, lambda: fill(games, given), "^out: ")
    assert not np.any(given)


@pytest.mark.parametrize("index", [-1, 5, 1.0, True, None, slice(0, 1)])
def test_snapshots_of_unknown_games_are_refused(index: Any) -> None:
    games = picking()
    refused(games, lambda: games.snapshot(index), "^index: ")


@pytest.mark.parametrize("action", [-1, 57, 300, 1.0, True, "0", None])
def test_unknown_actions_cannot_be_described(action: Any) -> None:
    with pytest.raises(ValueError, match=r"^action: "):
        describe(action)


@pytest.mark.parametrize("game", ANY_GAME, ids=lambda game: game.name)
def test_only_rulesets_of_the_game_are_taken(game: Game) -> None:
    others = [other.ruleset.default() for other in ANY_GAME if other is not game]
    for wrong in (5, 0, {}, "", game.ruleset, game.ruleset.default().to_dict(), *others):
        calls = [lambda wrong=wrong: game.batch(1, ruleset=wrong)]
        calls += [lambda action=action, wrong=wrong: game.describe(action, wrong) for action in range(game.num_actions)]
        for call in calls:
            with pytest.raises(ValueError, match=r"^ruleset: expected a \w+ of this game or None, got "):
                call()


@pytest.mark.parametrize("game", ANY_GAME, ids=lambda game: game.name)
def test_more_games_than_memory_holds_are_refused(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in (10**12, 2**63, 10**30):
        with pytest.raises(ValueError, match=r"^num_games: expected a whole number from 1 to 2147483647, got \d+"):
            game.batch(number)

    def full(*arguments: Any) -> None:
        raise MemoryError

    with monkeypatch.context() as memory:
        memory.setattr(np, "zeros", full)
        size = 10**9 * game.batch.rules.state.itemsize
        with pytest.raises(
            ValueError, match=f"^num_games: no room for 1,000,000,000 games, which take {size:,} bytes$"
        ):
            game.batch(10**9)


@pytest.mark.parametrize(
    "out", [np.zeros((2, 4)), np.zeros((2, 3), np.int64), np.zeros((4, 2), np.int64).T, [[0] * 4] * 2], ids=str
)
def test_random_actions_refuse_an_array_they_cannot_fill(out: Any) -> None:
    with pytest.raises(ValueError, match=r"^out: "):
        Games(2).random_actions(0, out)


def test_a_game_cannot_be_reset_twice_at_once() -> None:
    games = picking()
    refused(games, lambda: games.reset([1, 2, 1]), "^which: ")
    assert games.select([1, 2, 1]).num_games == 3


@pytest.mark.parametrize("actions", [[[0, 0, 0, 0], [0, 0]], [[0, 0, 0, 0], None], "0000", None, {}])
def test_what_is_no_array_of_actions_is_refused(actions: Any) -> None:
    games = Games(2)
    refused(games, lambda: games.step(actions), "^actions: ")
