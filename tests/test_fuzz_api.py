"""Wrong calls of everything public: refused in one sentence each, and nothing is changed."""

import time
from typing import Any

import numpy as np
import pytest
from fuzz_api import fuzz, known_games
from toy_game import StoneGames

from strand_env import strand_unter_v1
from strand_env.agents import agent_of, origins_of
from strand_env.arena import run_arena, versus
from strand_env.engine.game import Game
from strand_env.registry import register_game
from strand_env.replays.replay import Replay
from strand_env.strand_unter import GAME, Games

GAMES = known_games()
SECONDS = 60  # in all; `make fuzz-api` takes longer


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.id)
def test_wrong_calls_are_refused_and_change_nothing(game: Game) -> None:
    seed = int(time.time())
    report = fuzz(game, SECONDS / len(GAMES), seed)
    assert report.problems == {}, f"again by: python tests/fuzz_api.py --game {game.name} --seed {seed}"
    assert len(report.by_target) > 60
    assert report.refused > 300


def vec_env() -> Any:
    env = strand_unter_v1.learner_vec_env(2)
    env.reset()
    return env


# What the fuzzer found first
@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: vec_env().set_options(range(3)), r"^options: .*expected one dict for all, got range\(0, 3\)$"),
        (lambda: vec_env().set_options({"snapshot": {}}), "^options: a snapshot is for environments of one game$"),
        (lambda: vec_env().seed("x"), "^seed: expected a whole number from 0 to .*, got 'x'$"),
        (lambda: vec_env().seed(np.timedelta64(1, "D")), "^seed: expected a whole number"),
        (lambda: vec_env().seed(2**64 - 1), "^seed of the last row: expected a whole number"),
        (lambda: vec_env().get_attr("num_envs", 2**64 - 1), "^indices: expected"),
        (lambda: vec_env().env_method("action_masks", indices=[[0]]), "^indices: expected a list of whole numbers"),
        (lambda: versus("random", "random", 1, game=["strand_unter"]), "^game: expected a game or its name"),  # type: ignore
        (lambda: versus("random", None, 1), "^opponent: expected an agent"),  # type: ignore[arg-type]
        (lambda: run_arena(np.array(0.5), 1), r"^agents: expected a list of agents, got array\(0.5\)$"),  # type: ignore
        (lambda: run_arena(["random"] * 2, 1, watch=[]), "^watch: expected a function"),  # type: ignore[arg-type]
        (lambda: run_arena(["random"] * 2, 1, out=3), "^out: expected a path, got 3$"),  # type: ignore[arg-type]
        (lambda: Games(2).step([[0, 0], [0]]), r"^actions: expected an array of shape \(2, 4\), one action for each"),
        (lambda: Games(2).rewards([]), "^kind: expected one of"),  # type: ignore[arg-type]
        (lambda: Games(2).play_on(until=[4, 0]), "^until: expected players from 0 to 3, or -1"),
        (lambda: Games(2).play_on(until=np.array([2**64 - 1, 0], np.uint64)), "^until: expected a list of whole"),
        (lambda: Games(2).results([9], [0]), "^games: expected game numbers from 0 to 1"),
        (lambda: Games(2, hide_buckets="no"), "^hide_buckets: expected True or False, got 'no'$"),  # type: ignore[arg-type]
        (lambda: Games.as_seen(Games(1).snapshot(0), 1.5), "^observer: expected a number from 0 to 3"),  # type: ignore
        (lambda: Games.as_seen({}, None), "^snapshot: expected one of this game, got {}$"),
        (lambda: StoneGames.as_seen(StoneGames(1, 3).snapshot(0) | {"cards": 3}, 1), "^cards: expected a list of 3"),
        (lambda: Games.actions_as_seen(Games(1).snapshot(0), "abc", 0), "^actions: expected 4 from 0 to 56, one per"),  # type: ignore
        (lambda: Games.actions_as_seen({}, [0] * 4, 0), "^snapshot: expected one of this game, got {}$"),
        (lambda: strand_unter_v1.parallel_env().observe("nobody"), "^agent: expected one of 'player_0'"),
        (lambda: strand_unter_v1.parallel_env().action_space([]), "^agent: expected one of 'player_0'"),  # type: ignore
        (lambda: strand_unter_v1.parallel_env(render_mode=np.array(None)), "^render_mode: "),  # type: ignore
        (lambda: agent_of("x" * 5000), "^no agent is called 'xxx"),
        (lambda: origins_of(""), "^no agent is called ''"),
        (lambda: register_game("chess"), "^game: expected one of"),  # type: ignore[arg-type]
        (lambda: Replay.of(GAME, [], [], None), "^start: expected the snapshot of a game"),  # type: ignore[arg-type]
        (lambda: Replay.load(3), "^path: expected a path, got 3$"),  # type: ignore[arg-type]
        (lambda: Replay.from_json(3), "^text: expected JSON as str or bytes, got 3$"),  # type: ignore[arg-type]
    ],
)
def test_errors_name_the_argument(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message) as raised:
        call()
    assert str(raised.value).isprintable()
