"""Compares the engine with the literal implementation in as many random games as you like, on all cores.

    python tests/fuzz.py --games 100000                   that many for each number of players and variant of all games
    python tests/fuzz.py --games 100000 --game maui       of one game

Who has to decide and what everybody may do is compared after every step, complete snapshots at the end of each game and
in one of 32 positions before it. `make fuzz` compiles the literal implementations first, if it can.

A run that was stopped goes on where it was when it is called again with the same arguments and unchanged code.
"""

import argparse
import gc
import hashlib
import json
import os
import secrets
import sys
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from itertools import islice
from multiprocessing import get_context
from pathlib import Path

import numpy as np
from compare import Mismatch, compare_games
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from subjects import SUBJECTS
from subjects.base import described

from strand_env.engine.checks import entries, fields_of, one_of, text, whole_number
from strand_env.support.reading import naming, read_json

CHUNK = 100
COMPLETE = 1 / 32  # the share of positions in which complete snapshots are compared
MOST_PROGRESS = 1 << 24  # bytes

Chunk = tuple[str, int, int]
"""The name of a game, the numbers of one of its configurations and of a chunk of these games."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--games", type=int, default=100_000, help="for each number of players and variant (default: %(default)s)"
    )
    parser.add_argument("--game", choices=SUBJECTS, action="append", help="only this one; may be repeated")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1, help="(default: all cores)")
    parser.add_argument("--progress", type=Path, default=Path(".fuzz/progress.json"), help="where to note what is done")
    arguments = parser.parse_args()
    for name in ("games", "processes"):
        if getattr(arguments, name) < 1:
            parser.error(f"--{name}: expected at least 1, got {getattr(arguments, name)}")
    try:
        fuzz(arguments.game or list(SUBJECTS), arguments.games, arguments.processes, arguments.progress)
    except Mismatch as mismatch:
        sys.exit(f"The implementations differ. {mismatch}\nAgain: compare_games of tests/compare.py with these numbers")
    except (ValueError, OSError) as error:
        sys.exit(str(error))
    except KeyboardInterrupt:
        sys.exit(f"\nStopped. What is done is noted in {arguments.progress}; the same command goes on from there.")


def fuzz(names: list[str], games: int, processes: int, progress_file: Path) -> None:
    cases = [(name, number) for name in names for number in range(len(SUBJECTS[name].configurations))]
    for case in cases:
        compare((*case, 0), 1, seed=0)  # compiles, so that the processes need not
    run = load(progress_file, games, names)
    done = {tuple(chunk) for chunk in run["done"]}
    chunks = [(*case, number) for number in range(-(-games // CHUNK)) for case in cases]
    seeds = {chunk: run["seed"] + number for number, chunk in enumerate(chunks)}
    waiting = (chunk for chunk in chunks if chunk not in done)
    times = TimeElapsedColumn(), TimeRemainingColumn()
    bar = Progress(TextColumn("games compared"), BarColumn(), MofNCompleteColumn(), *times)
    with bar, ProcessPoolExecutor(processes, get_context("spawn")) as pool:
        task = bar.add_task("", total=len(cases) * games, completed=sum(size(chunk, games) for chunk in done))
        running: dict[Future, Chunk] = {}
        try:
            while True:
                for chunk in islice(waiting, 4 * processes - len(running)):
                    running[pool.submit(compare, chunk, size(chunk, games), seeds[chunk])] = chunk
                if not running:
                    break
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    future.result()
                    chunk = running.pop(future)
                    run["done"].append(chunk)
                    bar.advance(task, size(chunk, games))
                save(progress_file, run)
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    progress_file.unlink()
    for name in names:
        kinds = "; ".join(", ".join(described(configuration)) for configuration in SUBJECTS[name].configurations)
        print(
            f"{name}: no difference in {games:,} games each of {kinds}: what everybody may do compared after every "
            f"step, complete snapshots at the end and in a random {COMPLETE:.1%} of positions. Seed {run['seed']}."
        )


def compare(chunk: Chunk, games: int, seed: int) -> np.ndarray:
    """Named, not handed over: processes get what they need by its name."""
    subject = SUBJECTS[chunk[0]]
    gc.disable()  # searching hundreds of games for garbage again and again takes a tenth of the time
    try:
        return compare_games(subject, subject.configurations[chunk[1]], games, seed, COMPLETE)
    finally:
        gc.enable()
        gc.collect()


def size(chunk: tuple, games: int) -> int:
    return min(CHUNK, games - CHUNK * chunk[-1])


def load(progress_file: Path, games: int, names: list[str]) -> dict:
    if progress_file.exists():
        run = checked(progress_file)
        if (run["games"], run["names"], run["code"]) == (games, names, digest_of_code()):
            print(f"Going on with the run of seed {run['seed']} ({progress_file}).")
            return run
    return {"games": games, "names": names, "code": digest_of_code(), "seed": secrets.randbits(40), "done": []}


def checked(progress_file: Path) -> dict:
    run = read_json(progress_file, MOST_PROGRESS)
    with naming(progress_file):
        fields_of("progress", run, ("games", "names", "code", "seed", "done"))
        games = whole_number("games", run["games"], 1, 10**8)
        for name in entries("names", run["names"], 1, len(SUBJECTS)):
            one_of("names", name, SUBJECTS)
        whole_number("seed", run["seed"], 0, 2**40 - 1)
        text("code", run["code"], 64)
        for name, configuration, number in (
            entries("done", chunk, 3) for chunk in entries("done", run["done"], 0, 10**8)
        ):
            one_of("done: game", name, SUBJECTS)
            whole_number("done: configuration", configuration, 0, len(SUBJECTS[name].configurations) - 1)
            whole_number("done: chunk", number, 0, games // CHUNK)
    return run


def digest_of_code() -> str:
    """A run that was stopped goes on only with the code it was begun with."""
    root = Path(__file__).parent.parent
    sources = sorted([*root.glob("strand_env/**/*.py"), *root.glob("tests/**/*.py")])
    return hashlib.sha256(b"".join(source.read_bytes() for source in sources)).hexdigest()


def save(progress_file: Path, run: dict) -> None:
    progress_file.parent.mkdir(parents=True, exist_ok=True)
    fresh = progress_file.with_suffix(".new")
    fresh.write_text(json.dumps(run))
    os.replace(fresh, progress_file)


if __name__ == "__main__":
    main()
