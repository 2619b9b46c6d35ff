"""Small faults put into the engine and the rules, one at a time: do the tests notice?

    make mutants MUTANTS=60

Each mutant changes one comparison, operator, number or condition of a module. It is killed if any test fails. What
survives is listed with its place, to be looked at: it is equivalent, or it shows a hole in the tests.
"""

import argparse
import ast
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

ROOT = Path(__file__).parents[1]
MUTATED = ("strand_env/engine", "strand_env/strand_unter", "strand_env/maui")
COPIED = ("strand_env", "agents", "train", "tests", "docs", "notebooks")

# Quick ones first, without compiling; then all that look at the engine and the rules.
STAGES = (
    ("1", ["test_examples.py", "test_maui_examples.py", "test_playthroughs.py", "test_ruleset.py", "test_actions.py"]),
    (
        "0",
        [
            *("test_snapshot.py", "test_errors.py", "test_turns.py", "test_batch.py", "test_observation.py"),
            *("test_toy_game.py", "test_randomness.py", "test_properties.py", "test_determinism.py"),
            *("test_conformance.py", "test_against_naive.py", "test_engine.py", "test_heuristics.py"),
        ],
    ),
)
PATIENCE = 900  # seconds for one stage: a mutant that hangs is killed

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
    change: str
    source: str  # of the whole module


def mutants_of(path: Path) -> Iterator[Mutant]:
    """All that one change makes of a module; annotations and docstrings are left alone."""
    tree = ast.parse(path.read_text("utf-8"))
    skipped: set[ast.AST] = set()
    for node in ast.walk(tree):
        for name in ("annotation", "returns"):
            if getattr(node, name, None) is not None:
                skipped |= set(ast.walk(getattr(node, name)))
        if isinstance(node, (ast.Raise, ast.JoinedStr)):
            skipped |= set(ast.walk(node))  # words of messages

    def made(line: int, change: str) -> Mutant:
        return Mutant(str(path.relative_to(ROOT)), line, change, ast.unparse(tree))

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


def survives(mutant: Mutant, folder: Path) -> tuple[bool, str]:
    """Whether no test notices it; and what did."""
    target = folder / mutant.path
    original = target.read_text("utf-8")
    target.write_text(mutant.source, "utf-8")
    cache = folder / "cache"
    shutil.rmtree(cache, ignore_errors=True)
    try:
        for without_compiler, tests in STAGES:
            there = [f"tests/{test}" for test in tests if (folder / "tests" / test).exists()]
            environment = {**os.environ, "PYTHONPATH": str(folder), "NUMBA_CACHE_DIR": str(cache)}
            environment["NUMBA_DISABLE_JIT"] = without_compiler
            command = [sys.executable, "-P", "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *there]
            try:
                run = subprocess.run(
                    command, cwd=folder, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False
                )
            except subprocess.TimeoutExpired:
                return False, "it hangs"
            if run.returncode:
                failed = [line for line in run.stdout.splitlines() if line.startswith(("____", "ERROR"))]
                return False, failed[0].strip("_ ") if failed else "an error"
        return True, ""
    finally:
        target.write_text(original, "utf-8")


def copied(target: Path) -> Path:
    for name in COPIED:
        shutil.copytree(ROOT / name, target / name, ignore=shutil.ignore_patterns("__pycache__"))
    for mapped in ("agents", "train"):
        (target / "strand_env" / mapped).symlink_to(target / mapped)
    shutil.copy(ROOT / "pyproject.toml", target)
    return target


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mutants", type=int, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    arguments = parser.parse_args()
    files = [file for folder in MUTATED for file in sorted((ROOT / folder).glob("*.py"))]
    known = [mutant for file in files for mutant in mutants_of(file)]
    chosen = random.Random(arguments.seed).sample(known, min(arguments.mutants, len(known)))
    print(f"{len(chosen)} of {len(known)} mutants", flush=True)
    survivors = []
    with tempfile.TemporaryDirectory() as place:
        folders = [copied(Path(place, str(number))) for number in range(arguments.processes)]

        def judge(folder: Path, share: list[Mutant]) -> None:
            for mutant in share:
                began = time.monotonic()
                alive, noticed = survives(mutant, folder)
                verdict = "SURVIVES" if alive else f"killed by {noticed}"
                print(
                    f"{mutant.path}:{mutant.line}: {mutant.change}: {verdict} ({time.monotonic() - began:.0f} s)",
                    flush=True,
                )
                if alive:
                    survivors.append(mutant)

        with ThreadPoolExecutor(len(folders)) as pool:
            shares = [chosen[number :: len(folders)] for number in range(len(folders))]
            list(pool.map(judge, folders, shares))
    print(f"{len(chosen) - len(survivors)} of {len(chosen)} killed")
    for mutant in survivors:
        print(f"survives: {mutant.path}:{mutant.line}: {mutant.change}")


if __name__ == "__main__":
    main()
