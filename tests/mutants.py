"""Small faults put into the engine and the rules of all games, one at a time: do the tests notice?

    make mutants MUTANTS=200

Each mutant changes one comparison, operator, number or condition of a module. It is killed if any test fails. Survivors
are listed: each shows a hole in the tests, or is equivalent and belongs into `equivalent_mutants.py`, with the reason.
Verdicts are kept in `results/mutants.jsonl`: a run that was stopped goes on, and survivors are tried again.
"""

import argparse
import ast
import hashlib
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from equivalent_mutants import EQUIVALENT

from strand_env.registry import game_ids, game_of

ROOT = Path(__file__).parents[1]
VERDICTS = ROOT / "results" / "mutants.jsonl"
ENGINE = "strand_env/engine"
MUTATED = (ENGINE, *(game_of(game).package.replace(".", "/") for game in game_ids()))
COPIED = ("strand_env", "agents", "train", "tests", "docs", "notebooks")

# Tests by what they look at, quick ones first. Those of the first game do not bear its name.
OF_STRAND_UNTER = (
    *("examples", "playthroughs", "ruleset", "actions", "turns", "errors", "batch", "observation", "shared_rules"),
    *("properties", "snapshot", "heuristics", "determinism", "conformance", "against_naive"),
)
OF_ENGINE = ("engine", "randomness", "toy_game", *OF_STRAND_UNTER)
UNCOMPILED = ("examples", "playthroughs", "ruleset", "actions")  # quick without the compiler
Stage = tuple[bool, str]
STAGES: tuple[Stage, ...] = (
    (False, ""),
    (True, "not slow"),
    (True, "slow"),
)  # whether compiled, and marker: quick first


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
    def package(self) -> str:
        return str(Path(self.path).parent)

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


def tests_of(package: str) -> list[str]:
    """The names of the tests of the engine or of a game's package, by its folder."""
    listed = {ENGINE: OF_ENGINE, "strand_env/strand_unter": OF_STRAND_UNTER}
    if package in listed:
        return list(listed[package])
    found = (ROOT / "tests").glob(f"test_{Path(package).name}_*.py")
    own = sorted(path.stem.removeprefix("test_") for path in found if "views" not in path.stem)
    return [*own, "playthroughs", "conformance", "against_naive"]


def keyword_of(package: str) -> str:
    """For pytest's -k: leaves out what it tests with other games; the engine is tested with all of them."""
    others = {game_of(game).name for game in game_ids()} | {"stones"}
    return " and ".join(f"not {game}" for game in sorted(others - {Path(package).name})) if package != ENGINE else ""


class Workshop:
    """A copy of the project, in which mutants are tried one after the other."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        for name in COPIED:
            shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        for mapped in ("agents", "train"):
            (folder / "strand_env" / mapped).symlink_to(folder / mapped)
        shutil.copy(ROOT / "pyproject.toml", folder)
        self._patience: dict[Stage, float] = {}  # seconds

    def prepare(self, tests: list[str]) -> None:
        """Runs the tests without any fault. All code is cached then, so that mutants compile only what they change."""
        for stage in STAGES:
            began = time.monotonic()
            if failure := self._run(stage, tests):
                raise SystemExit(f"without any fault, this fails: {failure}")
            self._patience[stage] = 60 + 5 * (time.monotonic() - began)

    def killer(self, mutant: Mutant) -> str:
        """What notices it; empty if nothing does."""
        suite = tests_of(mutant.package), keyword_of(mutant.package)
        target, cache, kept = self._folder / mutant.path, self._folder / "cache", self._folder / "kept"
        original, before = target.read_bytes(), target.stat()
        shutil.copytree(cache, kept)
        target.write_text(mutant.source, "utf-8")
        try:
            return next(filter(None, (self._run(stage, *suite) for stage in STAGES)), "")
        finally:
            target.write_bytes(original)
            os.utime(target, ns=(before.st_atime_ns, before.st_mtime_ns))  # else what is cached would be out of date
            shutil.rmtree(cache)
            kept.rename(cache)

    def _run(self, stage: Stage, tests: list[str], keyword: str = "") -> str:
        """The first failure of a stage's tests among these."""
        compiled, marker = stage
        chosen = [test for test in tests if any(name in test for name in UNCOMPILED) != compiled]
        if not chosen:
            return ""
        environment = {
            **os.environ,
            "PYTHONPATH": str(self._folder),
            "PYTHONDONTWRITEBYTECODE": "1" if stage in self._patience else "",
            "NUMBA_CACHE_DIR": str(self._folder / "cache"),
            "NUMBA_DISABLE_JIT": str(int(not compiled)),
        }
        command = [
            sys.executable,
            "-P",
            "-m",
            "pytest",
            "-x",
            "-q",
            "-p",
            "no:cacheprovider",
            "-k",
            keyword,
            "-m",
            marker,
        ]
        command += [f"tests/test_{test}.py" for test in chosen]
        how = {"cwd": self._folder, "env": environment, "timeout": self._patience.get(stage)}
        try:
            run = subprocess.run(command, capture_output=True, text=True, check=False, **how)
        except subprocess.TimeoutExpired:
            return "it hangs"
        failed = [line.strip("_ ") for line in run.stdout.splitlines() if line.startswith(("____", "ERROR"))]
        return [*failed, "an error"][0] if run.returncode not in (0, 5) else ""  # 5: nothing to run


def known_killers() -> dict[str, str]:
    """By a mutant's digest; without those that survived."""
    lines = VERDICTS.read_text("utf-8").splitlines() if VERDICTS.exists() else []
    return {each["digest"]: each["killer"] for each in map(json.loads, lines) if each["killer"]}


def try_all(mutants: list[Mutant], processes: int) -> None:
    """Tries them and writes down what notices each."""
    packages = dict.fromkeys(mutant.package for mutant in mutants)
    all_tests = list(dict.fromkeys(test for package in packages for test in tests_of(package)))
    waiting = iter(mutants)  # shared by the threads
    began, done = time.monotonic(), 0
    VERDICTS.parent.mkdir(exist_ok=True)

    def work(folder: Path) -> None:
        nonlocal began, done
        workshop = Workshop(folder)
        workshop.prepare(all_tests)
        began = began if done else time.monotonic()
        for mutant in waiting:
            killer = workshop.killer(mutant)
            with VERDICTS.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"digest": mutant.digest, "mutant": str(mutant), "killer": killer}) + "\n")
            done += 1
            left = (time.monotonic() - began) / done * (len(mutants) - done) / 60
            verdict = f"killed by {killer}" if killer else "SURVIVES"
            print(f"[{done}/{len(mutants)}, {left:.0f} min left] {mutant}: {verdict}", flush=True)

    with tempfile.TemporaryDirectory() as place, ThreadPoolExecutor(processes) as pool:
        list(pool.map(work, [Path(place, str(number)) for number in range(processes)]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mutants", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--only", default="", help="mutate only modules whose path contains this")
    arguments = parser.parse_args()
    files = [file for package in MUTATED for file in sorted((ROOT / package).glob("*.py"))]
    possible = [mutant for file in files if arguments.only in str(file) for mutant in mutants_of(file)]
    chosen = random.Random(arguments.seed).sample(possible, min(arguments.mutants, len(possible)))
    equivalent = [mutant for mutant in chosen if mutant.why_equivalent]
    others = [mutant for mutant in chosen if not mutant.why_equivalent]
    waiting = [mutant for mutant in others if mutant.digest not in known_killers()]
    print(
        f"{len(chosen)} of {len(possible)} mutants, {len(waiting)} to try; first the tests without any fault",
        flush=True,
    )
    if waiting:
        try_all(waiting, arguments.processes)
    killers = known_killers()
    survivors = [mutant for mutant in others if mutant.digest not in killers]
    print(f"{len(others) - len(survivors)} killed, {len(equivalent)} equivalent, {len(survivors)} survive")
    for mutant in equivalent:
        print(f"equivalent: {mutant}: {mutant.why_equivalent}")
    for mutant in survivors:
        print(f"survives: {mutant}")


if __name__ == "__main__":
    main()
