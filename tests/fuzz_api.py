"""Calls everything public with wrong values, for all games: `make fuzz-api`, `python tests/fuzz_api.py --seconds 600`.

A wrong value has to be refused by an error of ours that names the argument, in one line, at once, and nothing may have
changed. Python's and NumPy's own words are not ours. Objects that took many wrong calls play on as ones that took none.
"""

import argparse
import linecache
import random
import re
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import wrong_values as wrong
from api_targets import Target, all_targets
from toy_game import STONES
from wrong_values import Argument

from strand_env.engine.checks import reason, shown
from strand_env.engine.game import Game
from strand_env.registry import game_ids, game_of

ROOT = Path(__file__).parents[1]
OURS = tuple(str(ROOT / folder) for folder in ("strand_env", "agents", "train", "tests/toy_game.py"))
FOREIGN = re.compile(
    "object has no|object is not|not iterable|unhashable|ufunc|invalid literal|cannot be interpreted|not supported|"
    "truth value|could not convert|unsupported operand|too large to convert|out of bounds|codec can't|inhomogeneous|"
    "setting an array|not subscriptable|positional argument|must be str|expected str|Errno|JSON serializable|strptime"
)
SLOW, LONGEST_MESSAGE = 2.0, 1000


@dataclass
class Report:
    tried: int = 0
    refused: int = 0
    by_target: Counter[str] = field(default_factory=Counter)
    problems: dict[tuple[str, str, str], str] = field(default_factory=dict)  # by target, argument and kind: an example
    kinds: Counter[str] = field(default_factory=Counter)

    def add(self, target: str, argument: str, problem: tuple[str, str] | None) -> None:
        self.tried += 1
        self.by_target[target] += 1
        if problem is None:
            self.refused += 1
        else:
            self.kinds[problem[0]] += 1
            self.problems.setdefault((target, argument, problem[0]), problem[1])


class Hangs(BaseException):
    """Something takes too long; no handler of `Exception` stops it."""


@contextmanager
def time_limit(seconds: int) -> Iterator[None]:
    def stop(*_: object) -> None:
        raise Hangs

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def problem_of(target: Target, argument: str, value: Any) -> tuple[str, str] | None:
    """Calls it with a wrong value; what is not as it should be, as kind and example."""
    before = target.state()
    example = f"{target.name}({argument}={shown(value)})"
    good = {name: each.good for name, each in target.arguments.items() if name != argument}
    began = time.perf_counter()
    problem = None
    try:
        with time_limit(20):
            target.call(**good, **{argument: value})
        problem = "accepted wrongly", example
    except Hangs:
        problem = "hangs", example
    except (ValueError, TypeError, OSError, AttributeError) as error:
        fault = fault_of(error, argument, target.arguments[argument])
        problem = fault and (fault, f"{example}: {reason(error)}\n{where(error)}")
    except BaseException as error:
        problem = f"raised {type(error).__name__}", f"{example}: {reason(error)}\n{where(error)}"
    if problem is None and time.perf_counter() - began > SLOW:
        problem = "slow", example
    if target.state() != before:
        return "changed", example
    return problem


def fault_of(error: Exception, argument: str, known: Argument) -> str | None:
    """What is wrong with an error, if anything."""
    message = str(error)
    if isinstance(error, OSError):
        return None if argument in ("path", "out") else "raised OSError"
    if isinstance(error, AttributeError):  # as Stable-Baselines3 asks for what is there
        return None if argument in ("attr_name", "method_name") else "raised AttributeError"
    last = traceback.extract_tb(error.__traceback__)[-1]
    line = linecache.getline(last.filename, last.lineno or 0).strip()
    if not last.filename.startswith(OURS) or not line.startswith("raise"):
        return "not our error"
    if FOREIGN.search(message):
        return "foreign words"
    names = f"{argument}|{known.named}" if known.named else argument
    if not re.search(rf"(?<![a-z_])({names})(?![a-z])", message) and argument != "text":
        return "does not name the argument"
    if len(message) > LONGEST_MESSAGE or not message.isprintable():
        return "not one printable line"
    return None


def where(error: BaseException) -> str:
    return "".join(traceback.format_tb(error.__traceback__)[-2:])


def fuzz(
    game: Game, seconds: float, seed: int, told: Callable[[float], None] = lambda share: None, systematic: bool = True
) -> Report:
    """All single values for all arguments first, then anything until the time is over."""
    rng, report = random.Random(seed), Report()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        targets, rests = all_targets(game, folder)
        _, expected = all_targets(game, folder)
        pairs = [(target, argument) for target in targets for argument in target.arguments]
        plan = [(*pair, make) for pair in pairs for make in wrong.SINGLE] if systematic else []
        rng.shuffle(plan)
        began = time.perf_counter()  # what is compiled first takes no time from it
        while (spent := time.perf_counter() - began) < seconds:
            if plan:
                target, argument, make = plan.pop()
                value = make()
            else:
                target, argument = rng.choice(pairs)
                value = wrong.some_value(rng)
            try:
                if target.arguments[argument].may_be_right(value):
                    continue
            except Exception:  # a value that cannot even be looked at is not right
                pass
            report.add(target.name, argument, problem_of(target, argument, value))
            if report.tried % 100 == 0:
                told(spent / seconds)
        for (name, rest), (_, other) in zip(rests, expected, strict=True):
            if rest() != other():
                report.add(name, "", ("changed", f"{name}: plays on differently after wrong calls"))
    return report


def known_games() -> list[Game]:
    return [*map(game_of, game_ids()), *([] if STONES.id in game_ids() else [STONES])]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=300, help="in all")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--game", help="only this one")
    options = parser.parse_args()
    print(f"seed {options.seed}")
    games = [game for game in known_games() if options.game in (None, game.id, game.name)]
    failed = False
    for game in games:
        report = fuzz(
            game, options.seconds / len(games), options.seed, _progress(game.id, options.seconds / len(games))
        )
        problems = report.tried - report.refused
        print(
            f"{game.id}: {report.tried:,} wrong calls of {len(report.by_target)} functions, {problems} not refused well"
        )
        for (target, argument, kind), example in sorted(report.problems.items()):
            print(f"\n{target}, {argument}: {kind}\n  {example}")
        failed |= bool(problems)
    sys.exit(failed)


def _progress(name: str, seconds: float) -> Callable[[float], None]:
    def tell(share: float) -> None:
        if sys.stderr.isatty():
            print(f"\r{name}: {share:.0%}, {(1 - share) * seconds:.0f} s left  ", end="", file=sys.stderr, flush=True)

    return tell


if __name__ == "__main__":
    main()
