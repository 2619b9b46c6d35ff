"""The speed of the literal implementation in tests/, measured like the engine's."""

import random
import time
from dataclasses import dataclass
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

TESTS = Path(__file__).parent.parent.parent / "tests"


@dataclass(frozen=True)
class LiteralSpeed:
    """One game at a time in plain Python."""

    decisions_per_second: float
    games_per_second: float
    bare_decisions_per_second: float  # without observations and masks


def measure_literal(players: int = 4, seconds: float = 3.0) -> LiteralSpeed | None:
    """None outside a checkout of the repository, where there are no tests."""
    if not (TESTS / "naive.py").exists():
        return None
    decisions, games, elapsed = _play(players, seconds, look=True)
    bare_decisions, _, bare_elapsed = _play(players, seconds, look=False)
    return LiteralSpeed(decisions / elapsed, games / elapsed, bare_decisions / bare_elapsed)


def _play(players: int, seconds: float, look: bool) -> tuple[int, int, float]:
    """Decisions, games and seconds. With `look` each step makes the observation and the mask of every player."""
    rng = random.Random(1)
    decisions = games = 0
    naive, plain_observation = _module("naive"), _module("plain_observation")
    start = time.perf_counter()
    while time.perf_counter() - start < seconds:
        game = naive.Game(players, rng.getrandbits(64))
        while not game.over:
            if look:
                snapshot = game.snapshot()
                for player in range(players):
                    plain_observation.observe(snapshot, player)
                    legal = set(game.legal(player))
                    [int(action in legal) for action in range(57)]
            decisions += len(game.pending)
            game.step([rng.choice(game.legal(player)) for player in range(players)])
        games += 1
    return decisions, games, time.perf_counter() - start


def _module(name: str) -> ModuleType:
    spec = spec_from_file_location(name, TESTS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
