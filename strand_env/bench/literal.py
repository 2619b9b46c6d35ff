"""The speed of Strand Unter's literal implementation in tests/, measured like the engine's."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

from strand_env.bench.engine import decisions_and_steps
from strand_env.bench.timing import best_rate
from strand_env.engine.game import Game
from strand_env.strand_unter import GAME as STRAND_UNTER

TESTS = Path(__file__).parent.parent.parent / "tests"


@dataclass(frozen=True)
class LiteralSpeed:
    """One game at a time in plain Python."""

    decisions_per_second: float
    games_per_second: float
    bare_decisions_per_second: float  # without observations and masks


def has_literal(game: Game) -> bool:
    """Whether there is one: of Strand Unter alone, and outside a checkout of the repository there are no tests."""
    return game.name == STRAND_UNTER.name and (TESTS / "naive.py").exists()


def measure_literal(players: int, seconds: float = 3.0) -> LiteralSpeed:
    decisions = best_rate(_play(players, look=True), seconds)
    bare = best_rate(_play(players, look=False), seconds)
    return LiteralSpeed(decisions, decisions / decisions_and_steps(STRAND_UNTER.batch, players)[0], bare)


def _play(players: int, look: bool) -> Iterator[int]:
    """Plays on without end; yields the decisions of each game. With `look` everybody gets observations and masks."""
    rng = random.Random(1)
    naive, plain_observation = _module("naive"), _module("plain_observation")
    while True:
        decisions = 0
        game = naive.Game(players, rng.getrandbits(64))
        while not game.over:
            if look:
                snapshot = game.snapshot()
                for player in range(players):
                    plain_observation.observe(snapshot, player)
                    legal = set(game.legal(player))
                    [int(action in legal) for action in range(STRAND_UNTER.num_actions)]
            decisions += len(game.pending)
            game.step([rng.choice(game.legal(player)) for player in range(players)])
        yield decisions


def _module(name: str) -> ModuleType:
    spec = spec_from_file_location(name, TESTS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
