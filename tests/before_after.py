"""Speed of Strand Unter before and after a change, measured by turns on the same machine.

    make before-after BEFORE=main~3

The commit is checked out into a temporary folder. Each round runs the same program on both versions, so that other work
on the machine slows both; the ratios are medians over rounds. Whatever runs on one thread is measured in CPU time.
First compilations use an empty cache each.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

ROOT = Path(__file__).parents[1]

# Uses only what both versions offer. Prints what was measured as JSON: more is better, but for seconds.
PROGRAM = """
import functools, json, sys, time
import numpy as np
start = time.process_time()
from strand_env.strand_unter import Games
games = Games(4096, 4, seed=1)
turn = games.turn()
actions = games.random_actions(0)
games.advance(actions, turn)
games.step(games.random_actions(1))
engine = time.process_time() - start
try:
    from strand_env import strand_unter_v1
    make = functools.partial(strand_unter_v1.learner_vec_env, encoding="compact")
except ImportError:
    from strand_env import strand_unter_v0
    make = strand_unter_v0.learner_vec_env
from strand_env.arena import versus
from strand_env.agents import RandomAgent
from strand_env.engine_streams import Streams
env = make(1024, num_players=4)
env.seed(1)
env.reset()
env.step(env.action_masks().argmax(1))
environment = time.process_time() - start
if sys.argv[1] == "compile":
    print(json.dumps({"engine, s": engine, "engine and environment, s": environment}))
    raise SystemExit

def rate(step, amount, clock=time.process_time, seconds=0.25, blocks=5):
    step()
    began, calls = clock(), 0
    while clock() - began < seconds:
        step()
        calls += 1
    best = 0.0
    for _ in range(blocks):
        began = clock()
        for _ in range(calls):
            step()
        best = max(best, calls * amount / (clock() - began))
    return best

class Loop:
    def __init__(self, threads):
        self.games, self.number = Games(4096, 4, seed=1, threads=threads), 0
        self.turn = self.games.turn()
        self.actions = np.empty((4096, 4), np.int64)
        for _ in range(150):
            self()
    def __call__(self):
        self.number += 1
        self.games.random_actions(self.number, self.actions)
        self.games.advance(self.actions, self.turn)

class Learner:
    def __init__(self, opponents):
        self.env = make(1024, num_players=4, opponents=opponents)
        self.env.seed(1)
        self.env.reset()
        self.agent, self.rng = RandomAgent(), Streams(np.arange(1024, dtype=np.uint64))
    def __call__(self):
        self.env.step(self.agent.act(None, self.env.action_masks(), self.rng))

found = {
    "engine, steps of a game per second": rate(Loop(1), 4096),
    "engine, two threads": rate(Loop(2), 4096, time.perf_counter),
    "VecEnv against random, decisions per second": rate(Learner("random"), 1024),
    "VecEnv against tide, decisions per second": rate(Learner("tide"), 1024),
    "arena, tide against random, games per second": rate(lambda: versus("tide", "random", 200, 4), 800),
}
print(json.dumps(found))
"""


def packed(source: Path, target: Path) -> Path:
    """A folder to import strand_env from, with the folders that are mapped into it."""
    shutil.copytree(source / "strand_env", target / "strand_env", ignore=shutil.ignore_patterns("__pycache__"))
    for mapped in ("agents", "train"):
        shutil.copytree(source / mapped, target / "strand_env" / mapped, ignore=shutil.ignore_patterns("__pycache__"))
    return target


def measured(version: Path, kind: str, cache: Path) -> dict[str, float]:
    new = (version / "strand_env" / "engine").is_dir()
    streams = "strand_env.engine.randomness" if new else "strand_env.randomness"
    program = PROGRAM.replace("strand_env.engine_streams", streams)
    environment = {**os.environ, "PYTHONPATH": str(version), "NUMBA_CACHE_DIR": str(cache)}
    run = subprocess.run(
        [sys.executable, "-c", program, kind], env=environment, cwd=cache, capture_output=True, text=True, check=False
    )
    if run.returncode:
        raise SystemExit(run.stderr)
    return json.loads(run.stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("commit", help="the version before")
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        checkout = Path(folder, "checkout")
        subprocess.run(["git", "worktree", "add", "--detach", "-q", checkout, arguments.commit], cwd=ROOT, check=True)
        try:
            versions = {
                "before": packed(checkout, Path(folder, "before")),
                "after": packed(ROOT, Path(folder, "after")),
            }
        finally:
            subprocess.run(["git", "worktree", "remove", "--force", checkout], cwd=ROOT, check=True)
        rounds: dict[str, list[tuple[float, float]]] = {}
        for kind in (*["compile"] * 3, *["speed"] * arguments.rounds):
            found = {}
            for name, version in versions.items():
                cache = Path(folder, f"cache-{name}")
                if kind == "compile":
                    shutil.rmtree(cache, ignore_errors=True)
                cache.mkdir(exist_ok=True)
                found[name] = measured(version, kind, cache)
            for what in found["before"]:
                rounds.setdefault(what, []).append((found["before"][what], found["after"][what]))
            print(f"{kind}: done", file=sys.stderr)
    print(f"| | before ({arguments.commit}) | after | after / before |\n| --- | ---: | ---: | ---: |")
    for what, pairs in rounds.items():
        before, after = (median(side) for side in zip(*pairs, strict=True))
        ratio = median(each / other for other, each in pairs)
        digits = 1 if before < 1000 else 0
        print(f"| {what} | {before:,.{digits}f} | {after:,.{digits}f} | {ratio:.3f} |")


if __name__ == "__main__":
    main()
