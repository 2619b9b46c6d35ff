"""Compares the engine with the literal implementation in as many random games as you like, on all cores.

    python tests/fuzz.py --games 100000        that many for each of 2, 3 and 4 players

A run that was stopped goes on where it was when it is called again with the same number of games and unchanged code.
"""

import argparse
import hashlib
import json
import os
import secrets
import sys
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from itertools import islice
from multiprocessing import get_context
from pathlib import Path

from compare import Mismatch, compare_games
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from strand_env.engine.checks import entries, fields_of, text, whole_number
from strand_env.support.reading import naming, read_json

PLAYERS = (2, 3, 4)
CHUNK = 50
MOST_PROGRESS = 1 << 24  # bytes


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=100_000, help="for each number of players (default: %(default)s)")
    parser.add_argument("--progress", type=Path, default=Path(".fuzz/progress.json"), help="where to note what is done")
    arguments = parser.parse_args()
    if arguments.games < 1:
        parser.error(f"--games: expected at least 1, got {arguments.games}")
    try:
        fuzz(arguments.games, arguments.progress)
    except Mismatch as mismatch:
        sys.exit(f"The implementations differ. {mismatch}\nAgain: compare_games of tests/compare.py with these numbers")
    except (ValueError, OSError) as error:
        sys.exit(str(error))
    except KeyboardInterrupt:
        sys.exit(f"\nStopped. What is done is noted in {arguments.progress}; the same command goes on from there.")


def fuzz(games: int, progress_file: Path) -> None:
    compare_games(2, 1, seed=0)  # compiles, so that the processes need not
    run = load(progress_file, games)
    done = {tuple(chunk) for chunk in run["done"]}
    chunks = [(players, number) for number in range(-(-games // CHUNK)) for players in PLAYERS]
    waiting = (chunk for chunk in chunks if chunk not in done)
    times = TimeElapsedColumn(), TimeRemainingColumn()
    bar = Progress(TextColumn("games compared"), BarColumn(), MofNCompleteColumn(), *times)
    with bar, ProcessPoolExecutor(os.cpu_count(), get_context("spawn")) as pool:
        task = bar.add_task("", total=len(PLAYERS) * games, completed=sum(size(chunk, games) for chunk in done))
        running: dict[Future, tuple[int, int]] = {}
        try:
            while True:
                for chunk in islice(waiting, 4 * (os.cpu_count() or 1) - len(running)):
                    seed = run["seed"] + len(PLAYERS) * chunk[1] + PLAYERS.index(chunk[0])
                    running[pool.submit(compare_games, chunk[0], size(chunk, games), seed)] = chunk
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
    print(f"No difference in {games:,} games each of 2, 3 and 4 players, after every step; seed {run['seed']}.")


def size(chunk: tuple[int, ...], games: int) -> int:
    return min(CHUNK, games - CHUNK * chunk[1])


def load(progress_file: Path, games: int) -> dict:
    if progress_file.exists():
        run = checked(progress_file)
        if (run["games"], run["code"]) == (games, digest_of_code()):
            print(f"Going on with the run of seed {run['seed']} ({progress_file}).")
            return run
    return {"games": games, "code": digest_of_code(), "seed": secrets.randbits(40), "done": []}


def checked(progress_file: Path) -> dict:
    run = read_json(progress_file, MOST_PROGRESS)
    with naming(progress_file):
        fields_of("progress", run, ("games", "code", "seed", "done"))
        games = whole_number("games", run["games"], 1, 10**8)
        whole_number("seed", run["seed"], 0, 2**40 - 1)
        text("code", run["code"], 64)
        for players, number in (entries("done", chunk, 2) for chunk in entries("done", run["done"], 0, 10**8)):
            whole_number("done: players", players, PLAYERS[0], PLAYERS[-1])
            whole_number("done: chunk", number, 0, games // CHUNK)
    return run


def digest_of_code() -> str:
    """A run that was stopped goes on only with the code it was begun with."""
    root = Path(__file__).parent.parent
    sources = sorted([*root.glob("strand_env/**/*.py"), *root.glob("tests/*.py")])
    return hashlib.sha256(b"".join(source.read_bytes() for source in sources)).hexdigest()


def save(progress_file: Path, run: dict) -> None:
    progress_file.parent.mkdir(parents=True, exist_ok=True)
    fresh = progress_file.with_suffix(".new")
    fresh.write_text(json.dumps(run))
    os.replace(fresh, progress_file)


if __name__ == "__main__":
    main()
