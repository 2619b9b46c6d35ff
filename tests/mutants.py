"""Small faults put into the engine and the rules of all games, one at a time: do the tests notice?

    make mutants MUTANTS=200

Each mutant changes one comparison, operator, number or condition of a module. It is killed if any test fails. Survivors
are listed: each shows a hole in the tests, or is equivalent and belongs into `equivalent_mutants.py`, with the reason.

Compiling would take most of the time, so tests that are quick in plain Python come first, the likeliest to notice at
their head; only what survives them is compiled. Every run is a fork of this process, which has imported all libraries.
How long each test takes, and which ones work in plain Python, is measured once for each file of tests, without any
fault. It and the verdicts are kept in `results/mutants/`: a run that was stopped goes on; survivors are tried again.
"""

import argparse
import ast
import hashlib
import importlib
import json
import os
import resource
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from equivalent_mutants import EQUIVALENT
from numba.core import event
from planted import FAULT, plant

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "results" / "mutants"
VERDICTS = FOLDER / "verdicts.jsonl"
ENGINE = "strand_env/engine"
LIBRARIES = (
    *("numba", "gymnasium", "pettingzoo", "matplotlib.pyplot", "PIL", "rich", "typer"),
    *("starlette", "uvicorn", "torch", "stable_baselines3", "sb3_contrib", "safetensors", "openskill"),
)

# Tests by what they look at. Those of the first game do not bear its name.
OF_ALL = ("features", "observation", "playthroughs", "conformance", "against_naive")
OF_STRAND_UNTER = (
    *("examples", "ruleset", "actions", "turns", "errors", "batch", "shared_rules"),
    *("properties", "snapshot"),
)
OF_ENGINE = ("engine", "randomness", "toy_game", "determinism", *OF_STRAND_UNTER)
OF_MODULES = {
    "chance": ("exact",),
    "checks": ("printing",),
    "potential": ("gymnasium", "maui_learning", "sea_or_shore_learning"),
}
OF_OTHER_CODE = ("browser", "views", "heuristics", "learning")  # of a game's, too, but not of its rules


@dataclass(frozen=True)
class Stage:
    """A way to run tests: those that take no longer than `limit`, in seconds of CPU, without any fault.

    Compiling does not count.
    """

    name: str
    compiled: bool
    limit: float


STAGES = Stage("plain", compiled=False, limit=0.6), Stage("compiled", compiled=True, limit=5)
PATIENCE = 5  # seconds of CPU that a test may take on a mutant, besides ten times what it takes without a fault


SWAPPED: dict[type[ast.AST], list[type[ast.AST]]] = {
    ast.Lt: [ast.LtE, ast.Gt],
    ast.LtE: [ast.Lt, ast.Gt],
    ast.Gt: [ast.GtE, ast.Lt],
    ast.GtE: [ast.Gt, ast.Lt],
    ast.Eq: [ast.NotEq],
    ast.NotEq: [ast.Eq],
    ast.Add: [ast.Sub],
    ast.Sub: [ast.Add],
    ast.Mult: [ast.FloorDiv],
    ast.Mod: [ast.FloorDiv],
    ast.FloorDiv: [ast.Mult],
    ast.BitAnd: [ast.BitOr],
    ast.BitOr: [ast.BitAnd],
    ast.LShift: [ast.RShift],
    ast.RShift: [ast.LShift],
    ast.And: [ast.Or],
    ast.Or: [ast.And],
}


@dataclass(frozen=True)
class Mutant:
    path: str
    line: int
    code: str  # of that line, unchanged
    change: str
    source: str  # of the whole module

    @property
    def why_equivalent(self) -> str:
        return EQUIVALENT.get((self.path, self.code, self.change), "")

    @property
    def digest(self) -> str:
        return hashlib.sha256(f"{self.path} {self.source}".encode()).hexdigest()[:16]

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.change}: {self.code}"


def mutants_of(path: Path) -> Iterator[Mutant]:
    """All that one change makes of a module; annotations and docstrings are left alone."""
    text = path.read_text("utf-8")
    tree, lines = ast.parse(text), text.splitlines()
    skipped: set[ast.AST] = set()
    for node in ast.walk(tree):
        for name in ("annotation", "returns"):
            if getattr(node, name, None) is not None:
                skipped |= set(ast.walk(getattr(node, name)))
        if isinstance(node, (ast.Raise, ast.JoinedStr)):
            skipped |= set(ast.walk(node))  # words of messages

    def made(line: int, change: str) -> Mutant:
        return Mutant(str(path.relative_to(ROOT)), line, lines[line - 1].strip(), change, ast.unparse(tree))

    for node in ast.walk(tree):
        if node in skipped:
            continue
        if isinstance(node, ast.Compare) and type(node.ops[0]) in SWAPPED:
            before = node.ops[0]
            for other in SWAPPED[type(before)]:
                node.ops[0] = other()  # type: ignore[call-overload]
                yield made(node.lineno, f"{type(before).__name__} to {other.__name__}")
            node.ops[0] = before
        elif isinstance(node, (ast.BinOp, ast.AugAssign, ast.BoolOp)) and type(node.op) in SWAPPED:
            operator = node.op
            for other in SWAPPED[type(operator)]:
                node.op = other()  # type: ignore[assignment]
                yield made(node.lineno, f"{type(operator).__name__} to {other.__name__}")
            node.op = operator  # type: ignore[assignment]
        elif isinstance(node, ast.Constant) and type(node.value) is int:
            value = node.value
            node.value = value + 1
            yield made(node.lineno, f"{value} to {value + 1}")
            node.value = value
        elif isinstance(node, (ast.If, ast.IfExp, ast.While)):
            condition = node.test
            node.test = ast.UnaryOp(ast.Not(), condition)
            yield made(condition.lineno, "condition negated")
            node.test = condition


def sample(possible: list[Mutant], number: int, seed: int) -> list[Mutant]:
    """So many of them at random. A change of the code leaves the choice elsewhere as it is."""
    seen: Counter[str] = Counter()

    def place(mutant: Mutant) -> bytes:
        what = f"{seed} {mutant.path} {mutant.code} {mutant.change}"
        seen[what] += 1  # the same line may occur more than once
        return hashlib.sha256(f"{what} {seen[what]}".encode()).digest()

    return sorted(possible, key=place)[:number]


def tests_of(path: str) -> list[str]:
    """The files with the tests of a module of the engine or of a game."""
    package, module = Path(path).parent, Path(path).stem
    own = [file.stem.removeprefix("test_") for file in sorted((ROOT / "tests").glob(f"test_{package.name}_*.py"))]
    names = [name for name in own if not name.endswith(OF_OTHER_CODE)]
    listed = {"engine": OF_ENGINE, "strand_unter": OF_STRAND_UNTER}.get(package.name, names)
    return [f"tests/test_{name}.py" for name in (*listed, *OF_ALL, *OF_MODULES.get(module, ()))]


def concerns(test: str, path: str, games: list[str]) -> bool:
    """Whether a test is one of that module. The engine is tested with all games, a game with no other."""
    package = Path(path).parent
    others = ({Path(game).name for game in games} | {"stones"}) - {package.name}
    other = package != Path(ENGINE) and any(game in test for game in others)
    return test.partition("::")[0] in tests_of(path) and not other


class TooLong(BaseException):
    """A test exceeds its limit. No `Exception`: the arena catches those of agents, and would go on."""


class Compiler(event.Listener):
    """Stops the clock of a test while Numba compiles, and notes how long that takes."""

    def __init__(self) -> None:
        self.took = 0.0
        self._depth = 0

    def on_start(self, compilation: event.Event) -> None:
        if not self._depth:
            self._left = signal.setitimer(signal.ITIMER_PROF, 0)
            self._began = _cpu()
        self._depth += 1

    def on_end(self, compilation: event.Event) -> None:
        self._depth -= 1
        if not self._depth:
            self.took += _cpu() - self._began
            signal.setitimer(signal.ITIMER_PROF, *self._left)


class Recorder:
    """A plugin of pytest: runs the chosen tests in their order, each within its limit, and notes how they did."""

    def __init__(self, choose: Callable[[list[str]], list[str]], limit_of: Callable[[str], float]) -> None:
        self._choose, self._limit_of = choose, limit_of
        self.took: dict[str, float] = {}  # seconds of CPU of those that passed, without compiling
        self.failed: list[str] = []
        self.complete = True
        self.compiler = Compiler()

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        found = {item.nodeid: item for item in items}
        items[:] = [found[name] for name in self._choose(list(found))]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: Any) -> Any:
        began = _cpu() - self.compiler.took
        try:
            return (yield)
        finally:
            if item.nodeid not in self.failed:
                self.took[item.nodeid] = _cpu() - self.compiler.took - began

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_pyfunc_call(self, pyfuncitem: Any) -> Any:
        def stop(*_: Any) -> None:
            raise TooLong

        signal.signal(signal.SIGPROF, stop)
        signal.setitimer(signal.ITIMER_PROF, self._limit_of(pyfuncitem.nodeid), 1)  # again, if it was caught
        try:
            return (yield)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed:
            self.failed.append(report.nodeid)

    def pytest_collectreport(self, report: Any) -> None:
        if report.failed:
            self.failed.append(f"{report.nodeid} (cannot be imported)")


def _cpu() -> float:
    return sum(os.times()[:4])


def forked(work: Callable[[], Any], seconds: float = 3600) -> Any:
    """What a function returns in a forked process; None if that dies, or takes more CPU than that."""
    with tempfile.TemporaryFile("w+") as answer:
        child = os.fork()
        if not child:
            try:
                resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, int(seconds) + 2))
                resource.setrlimit(resource.RLIMIT_DATA, (2**33, 2**33))
                json.dump(work(), answer)
                answer.flush()
            except Exception:
                traceback.print_exc()
            finally:
                os._exit(0)
        os.waitpid(child, 0)
        answer.seek(0)
        return json.loads(answer.read() or "null")


def game_packages() -> list[str]:
    """The folders of all games."""

    def packages() -> list[str]:
        from strand_env.registry import game_ids, game_of

        return [game_of(game).package.replace(".", "/") for game in game_ids()]

    return forked(packages)  # this process must not import what is mutated


def run_tests(stage: Stage, files: list[str], recorder: Recorder, *options: str) -> None:
    """Runs tests in this process, which is a fork."""
    import numba

    output = os.open(FOLDER / f"output_{os.getppid()}.txt", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.environ |= {
        "NUMBA_DISABLE_JIT": str(int(not stage.compiled)),
        "NUMBA_CACHE_DIR": str(FOLDER / "cache"),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    sys.dont_write_bytecode = True
    numba.config.DISABLE_JIT, numba.config.CACHE_DIR = int(not stage.compiled), str(FOLDER / "cache")
    event.register("numba:compile", recorder.compiler)
    os.chdir(ROOT)
    plant()
    # Without the plugins that break when a test is stopped anywhere.
    without = ("-p", "no:cacheprovider", "-p", "no:hypothesispytest", "-p", "no:unraisableexception")
    ignored = ("-W", "ignore::pytest.PytestAssertRewriteWarning")  # of libraries that are imported already
    ended = pytest.main(["-q", "--tb=native", *without, *ignored, *options, *files], plugins=[recorder])
    if ended not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.NO_TESTS_COLLECTED):
        recorder.failed.append(f"pytest itself: {ended!r}")
        recorder.complete = False


def in_processes(jobs: list[Callable[[], None]], processes: int) -> None:
    """Does each in a process of its own, so many at a time."""
    for number, job in enumerate(jobs):
        if number >= processes:
            os.wait()
        if not os.fork():
            try:
                job()
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(0)
    for _ in jobs[:processes]:
        os.wait()


def measured(stage: Stage, files: list[str], known: dict[str, float], processes: int) -> dict[str, float]:
    """How long tests take without any fault, of those that pass within the limit and are not known from elsewhere."""
    # Whether tests pass may change with the code, too: `false_alarms` looks at those that count.
    helpers = [
        file for file in (ROOT / "tests").glob("**/*.py") if "test_" not in file.name and "mutants" not in file.name
    ]
    shared = b"".join(map(Path.read_bytes, sorted(helpers)))
    digests = {file: hashlib.sha256(shared + (ROOT / file).read_bytes()).hexdigest()[:8] for file in files}
    kept = {file: FOLDER / f"times_{stage.name}_{Path(file).stem}_{digests[file]}.json" for file in files}
    missing = [file for file in files if not kept[file].exists()]

    def measure(number: int, file: str) -> None:
        print(f"[{number}/{len(missing)}] measuring {file} without any fault, {stage.name}", flush=True)
        times = forked(lambda: _times_of(file, stage, known))
        if times is None:
            print(f"{file} does not run without any fault; see {FOLDER / 'output'}_{os.getpid()}.txt", flush=True)
        else:
            kept[file].write_text(json.dumps(times), "utf-8")

    in_processes([partial(measure, number, file) for number, file in enumerate(missing, 1)], processes)
    if not all(path.exists() for path in kept.values()):
        raise SystemExit("not all tests run without any fault")
    return {test: took for path in kept.values() for test, took in json.loads(path.read_text("utf-8")).items()}


def _times_of(file: str, stage: Stage, known: dict[str, float]) -> dict[str, float]:
    recorder = Recorder(lambda found: [test for test in found if test not in known], lambda test: stage.limit)
    run_tests(stage, [file], recorder)
    assert recorder.complete, recorder.failed
    return {test: took for test, took in recorder.took.items() if took <= stage.limit}


def likeliest_first(tests: dict[str, float], mutant: Mutant) -> list[str]:
    """Tests that killed in the same module, those named after it, those that killed anywhere, and literal games."""
    found = verdicts().values()
    kills = Counter(each["killer"] for each in found)
    kills_nearby = Counter(each["killer"] for each in found if each["mutant"].startswith(f"{mutant.path}:"))

    def place(test: str) -> tuple[Any, ...]:
        file = test.partition("::")[0]
        named, literal = Path(mutant.path).stem in file, "against_naive" in file
        return -kills_nearby[test], not named, -kills[test], not literal, tests[test]

    return sorted(tests, key=place)


def killer_of(mutant: Mutant, stage: Stage, took: dict[str, float]) -> str:
    """The first of these tests that notices it; empty if none does."""
    module = mutant.path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    order = likeliest_first(took, mutant)

    def fails() -> str:
        recorder = Recorder(
            lambda found: [test for test in order if test in set(found)], lambda test: 10 * took[test] + PATIENCE
        )
        run_tests(stage, sorted({test.partition("::")[0] for test in order}), recorder, "-x")
        return recorder.failed[0] if recorder.failed else ""

    inherited = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    with tempfile.TemporaryDirectory() as folder:
        fault = Path(folder, "fault")
        fault.write_text(f"{module}\n{ROOT / mutant.path}\n{mutant.source}", "utf-8")
        Path(folder, "sitecustomize.py").write_text("import planted\n\nplanted.plant()\n", "utf-8")
        os.environ |= {FAULT: str(fault), "PYTHONPATH": os.pathsep.join([folder, str(ROOT / "tests"), *inherited])}
        failed = forked(fails, 10 * sum(took.values()) + 300)
    return "the process, which dies" if failed is None else failed


def verdicts() -> dict[str, dict[str, str]]:
    """By mutants' digests; without those that survived."""
    lines = VERDICTS.read_text("utf-8").splitlines() if VERDICTS.exists() else []
    return {each["digest"]: each for each in map(json.loads, lines) if each["killer"]}


def false_alarms(stage: Stage, killers: set[str]) -> list[str]:
    """Those of the tests that killed which fail without any fault, too: their verdicts say nothing."""

    def failing() -> list[str]:
        recorder = Recorder(lambda found: [test for test in found if test in killers], lambda test: 10 * stage.limit)
        run_tests(stage, sorted({test.partition("::")[0] for test in killers}), recorder)
        return recorder.failed

    return forked(failing) if killers else []


def try_all(mutants: list[Mutant], stage: Stage, took: dict[str, float], games: list[str], processes: int) -> None:
    """Tries them, so many at a time, and writes down what notices each."""
    began = time.monotonic()

    def judge(mutant: Mutant, number: int) -> None:
        if mutant.digest in verdicts():
            return  # of another run at the same time
        own = {test: seconds for test, seconds in took.items() if concerns(test, mutant.path, games)}
        killer = killer_of(mutant, stage, own)
        with VERDICTS.open("a", encoding="utf-8") as file:
            told = {"digest": mutant.digest, "mutant": str(mutant), "stage": stage.name, "killer": killer}
            file.write(json.dumps(told) + "\n")
        verdict = f"killed by {killer}" if killer else "survives"
        minutes = (time.monotonic() - began) / 60
        left = minutes * (len(mutants) - number) / number
        told = f"{number}/{len(mutants)}, {stage.name}, {minutes:.0f} min, about {left:.0f} left"
        print(f"[{told}] {mutant}: {verdict}", flush=True)

    in_processes([partial(judge, mutant, number) for number, mutant in enumerate(mutants, 1)], processes)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mutants", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--only", default="", help="mutate only modules whose path contains this")
    arguments = parser.parse_args()
    processes, began = arguments.processes, time.monotonic()
    FOLDER.mkdir(parents=True, exist_ok=True)
    games = game_packages()
    files = [file for package in (ENGINE, *games) for file in sorted((ROOT / package).glob("*.py"))]
    possible = [mutant for file in files if arguments.only in str(file) for mutant in mutants_of(file)]
    chosen = sample(possible, arguments.mutants, arguments.seed)
    equivalent = [mutant for mutant in chosen if mutant.why_equivalent]
    others = [mutant for mutant in chosen if not mutant.why_equivalent]
    for library in LIBRARIES:
        importlib.import_module(library)
    known: dict[str, float] = {}
    for stage in STAGES:
        waiting = [mutant for mutant in others if mutant.digest not in verdicts()]
        print(f"{len(chosen)} of {len(possible)} mutants, {len(waiting)} to try, {stage.name}", flush=True)
        if waiting:
            took = measured(
                stage, sorted({file for mutant in waiting for file in tests_of(mutant.path)}), known, processes
            )
            try_all(waiting, stage, took, games, processes)
            known |= took
    found = verdicts()
    survivors = [mutant for mutant in others if mutant.digest not in found]
    killed = len(others) - len(survivors)
    print(f"{killed} killed ({killed / len(others):.1%}), {len(equivalent)} equivalent, {len(survivors)} survive")
    for mutant in equivalent:
        print(f"equivalent: {mutant}: {mutant.why_equivalent}")
    for mutant in survivors:
        print(f"survives: {mutant}")
    for stage in STAGES:
        own = [found[mutant.digest] for mutant in others if mutant.digest in found]
        killers = {each["killer"] for each in own if each["stage"] == stage.name and "::" in each["killer"]}
        for test in false_alarms(stage, killers):
            print(f"fails without any fault, too, {stage.name}: {test}")
    print(f"{(time.monotonic() - began) / 60:.1f} min, {_cpu() / 60:.1f} of the processors")


if __name__ == "__main__":
    main()
