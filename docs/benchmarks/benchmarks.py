"""Runs recipes in their libraries' environments, and writes what they learned: `make benchmarks`, `make libraries`.

Each finished run is a small file in docs/benchmarks/finished/, so that an interrupted benchmark goes on, over days if
need be; the pages are made from all files that are there, and say what is missing.
"""

import argparse
import hashlib
import os
import platform
import subprocess
import sys
from collections.abc import Iterable
from concurrent.futures import as_completed
from dataclasses import astuple, dataclass
from functools import partial
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory
from typing import Any

from strand_env.agents.strangers import has_strangers
from strand_env.engine.checks import entries, fields_of, real_number
from strand_env.pictures.plots import SAND, SEA, SHELL, picture
from strand_env.registry import game_names, game_of
from strand_env.support.cluster import LOCAL, RayExecutor, connected, in_checkout
from strand_env.support.extras import MissingExtra
from strand_env.support.files import write_whole
from strand_env.support.reading import naming, read_json

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "docs"))

from marks import filled  # noqa: E402

DOCS = ROOT / "docs"
HERE = DOCS / "benchmarks"
FINISHED = HERE / "finished"
OTHERS = ROOT / "results" / "benchmarks"  # runs with other budgets than the page's
MINUTES, SEEDS = 10, 3
MOST_POINTS, MOST_FRAMES = 1000, 1e12  # of a curve that is read
COLOURS = (SEA, SAND, "#7a5195", "#c0504d", "#3f7f4f", SHELL)


@dataclass(frozen=True)
class Recipe:
    """A file of this folder, and how the pages name it."""

    name: str
    title: str
    environment: str  # the folder with the packages it needs
    frames: int  # decisions in the short run for `make libraries`


RECIPES = (
    Recipe("maskable_ppo", "Stable-Baselines3, MaskablePPO", ".venv", 300_000),
    Recipe("selfplay_ppo", "plain PyTorch, self-play PPO", ".venv", 1_000_000),
    Recipe("rllib_ppo", "RLlib, PPO, all players learning", ".venv-rllib", 100_000),
    Recipe("torchrl_ippo", "TorchRL, IPPO", ".venv-torchrl", 100_000),
    Recipe("tianshou_dqn", "Tianshou, DQN", ".venv-tianshou", 100_000),
    Recipe("cleanrl_ppo", "CleanRL's PPO, with masks", ".venv", 300_000),
    Recipe("tianshou_ppo", "Tianshou, PPO", ".venv-tianshou", 100_000),
    Recipe("benchmarl_mappo", "BenchMARL, MAPPO", ".venv-benchmarl", 100_000),
    Recipe("agilerl_dqn", "AgileRL, DQN", ".venv-agilerl", 200_000),
)
STANDARD = tuple(recipe.name for recipe in RECIPES[:5])  # of the benchmark; the others can be asked for


@dataclass(frozen=True)
class Run:
    recipe: Recipe
    game: str
    seed: int
    minutes: float = 0  # CPU time; or else
    frames: int = 0
    opponents: str = ""

    @property
    def file(self) -> str:
        budget = f"{self.frames}-frames" if self.frames else f"{self.minutes:g}-minutes"
        against = f"-{self.opponents}" if self.opponents else ""
        return f"{game_of(self.game).id}-{self.recipe.name}{against}-{budget}-seed-{self.seed}.json"

    def options(self) -> list[str]:
        budget = ["--frames", str(self.frames)] if self.frames else ["--minutes", str(self.minutes)]
        return ["--game", self.game, "--seed", str(self.seed), *budget, "--opponents", self.opponents]


def result_of(run: Run, folder: Path) -> list[dict[str, Any]] | None:
    """The learning curve of a finished run."""
    file = folder / run.file
    if not file.exists():
        return None
    data = read_json(file)
    opponents, strangers = opponents_of(run.game), has_strangers(game_of(run.game))
    with naming(file):
        curve = entries("curve", fields_of("run", data, ("curve",), ("task",))["curve"], 1, MOST_POINTS)
        for number, point in enumerate(curve, 1):
            judged = ("strangers",) if strangers and number == len(curve) else ()
            fields_of("curve", point, ("seconds", "frames", *opponents, *judged))
            for name in ("seconds", "frames"):
                real_number(name, point[name], 0, MOST_FRAMES)
            for name in opponents:
                for share in fields_of(name, point[name], ("mean", "low", "high")).values():
                    real_number(name, share, 0, 1)
            for share in fields_of("strangers", point["strangers"], ("mean", "worst")).values() if judged else ():
                real_number("strangers", share, 0, 1)
    return curve


_warm: set[tuple[str, str]] = set()  # environments and games whose kernels are compiled


def carry_out(runs: list[Run], folder: Path, extra: tuple[str, ...] = ()) -> None:
    """Does the runs that are not finished, one after the other, each on one thread."""
    folder.mkdir(parents=True, exist_ok=True)
    open_runs = [run for run in runs if result_of(run, folder) is None]
    for number, run in enumerate(open_runs):
        left = sum(each.minutes for each in open_runs[number:])
        rest = f", {left:g} CPU minutes to go" if left else ""
        print(f"run {number + 1} of {len(open_runs)}{rest}: {run.file.removesuffix('.json')}", flush=True)
        python = ROOT / run.recipe.environment / "bin" / "python"
        if not python.exists():
            raise FileNotFoundError(f"{python} is missing: make {run.recipe.environment}/installed")
        command = [python, "-W", "ignore", HERE / f"{run.recipe.name}.py"]
        home = {"HOME": str(ROOT / run.recipe.environment)}  # Ray and others write to it
        # A recipe that starts Ray starts its own, even in a task of a cluster.
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("RAY_")}
        environment = {**inherited, **home, "OMP_NUM_THREADS": "1", "TQDM_DISABLE": "1"}
        if (run.recipe.environment, run.game) not in _warm:  # compiles what is not: that is not learning
            tiny = ["--game", run.game, "--frames", "1", "--evaluations", "1", "--deals", "2"]
            subprocess.run([*command, *tiny], env=environment, stdout=subprocess.DEVNULL, check=True)
            _warm.add((run.recipe.environment, run.game))
        subprocess.run([*command, *run.options(), *extra, "--out", folder / run.file], env=environment, check=True)


Sent = tuple[str, tuple[Any, ...], tuple[str, ...]]  # a digest of the recipes, a run's fields, further options


def carry_out_on_cluster(runs: list[Run], folder: Path, address: str, extra: tuple[str, ...] = ()) -> None:
    """Does the runs that are not finished as tasks of a Ray cluster, and keeps each as soon as it is done."""
    open_runs = [run for run in runs if result_of(run, folder) is None]
    if not open_runs:
        return
    with connected(address, os.cpu_count() or 1):
        executor = RayExecutor(partial(in_checkout, "docs/benchmarks/benchmarks.py", "on_node"))
        try:
            running = {executor.submit((recipes_digest(), astuple(run), extra)): run for run in open_runs}
            for number, future in enumerate(as_completed(running), 1):
                file = running[future].file
                try:
                    write_whole(folder / file, future.result())
                except Exception as error:  # whatever it was on the node, where Ray's logs tell more
                    raise RuntimeError(f"{file}: {getattr(error, 'cause', None) or error}") from error
                print(f"{number} of {len(running)} runs done: {file.removesuffix('.json')}", flush=True)
        finally:
            executor.shutdown()


def on_node(sent: Sent) -> bytes:
    """A run in a task: the file that it leaves."""
    expected, (recipe, *others), extra = sent
    if recipes_digest() != expected:
        raise RuntimeError(f"node {platform.node()} has other recipes in {HERE}: use the same commit on all nodes")
    run = Run(Recipe(*recipe), *others)
    with TemporaryDirectory() as folder:
        carry_out([run], Path(folder), extra)
        return (Path(folder) / run.file).read_bytes()


def recipes_digest() -> str:
    """The same wherever the recipes are."""
    digest = hashlib.sha256()
    for file in sorted(HERE.glob("*.py")):
        digest.update(f"{file.name} {hashlib.sha256(file.read_bytes()).hexdigest()}\n".encode())
    return digest.hexdigest()


def percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def over_seeds(values: Iterable[float]) -> str:
    """The mean, and the least and the most."""
    found = list(values)
    spread = f" ({100 * min(found):.1f} to {100 * max(found):.1f})" if len(found) > 1 else ""
    return percent(mean(found)) + spread


def strength(game: str, minutes: float, seeds: int, folder: Path) -> list[str]:
    """What the benchmark says about a game: the picture, the table, and what is missing."""
    opponents, strangers = opponents_of(game), has_strangers(game_of(game))
    columns = ["seeds", "frames per CPU second", *(f"`{opponent}`" for opponent in opponents)]
    columns += ["strangers, mean", "the worst of them"] if strangers else []
    lines = [f"| | {' | '.join(columns)} |", f"| --- |{' ---: |' * len(columns)}"]
    missing, drawn = [], {}
    for recipe in RECIPES:
        runs = [Run(recipe, game, seed, minutes) for seed in range(seeds)]
        curves = [curve for run in runs if (curve := result_of(run, folder))]
        if len(curves) < seeds and recipe.name in STANDARD:
            missing.append(f"{recipe.title} ({seeds - len(curves)} of {seeds} seeds)")
        if not curves:
            continue
        ends = [curve[-1] for curve in curves]
        speed = mean(end["frames"] / end["seconds"] for end in ends)
        wins = [over_seeds(end[opponent]["mean"] for end in ends) for opponent in opponents]
        wins += [over_seeds(end["strangers"][kind] for end in ends) for kind in ("mean", "worst") if strangers]
        lines.append(f"| {recipe.title} | {len(curves)} | {speed:,.0f} | {' | '.join(wins)} |")
        drawn[recipe.title] = curves
    lines = with_missing(lines, missing)
    if drawn:
        lines = [f"![Learning curves of {game_of(game).title}]({picture_of(game)})", "", *lines]
    return lines


def opponents_of(game: str) -> list[str]:
    """Those that learners are judged by all along; one, if the reference plays at random."""
    return list(dict.fromkeys(("random", game_of(game).agents.reference)))


def picture_of(game: str) -> str:
    return f"benchmarks-{game.replace('_', '-')}.png"


def draw(game: str, minutes: float, seeds: int, folder: Path, path: Path) -> None:
    """Win rates by CPU minutes: the mean over seeds, and a band from the least to the most."""
    opponents = opponents_of(game)
    with picture(path, 9, 3.5, ncols=len(opponents), sharey=True, squeeze=False) as (_, (axes,)):
        for recipe, colour in zip(RECIPES, COLOURS * 2, strict=False):
            runs = [Run(recipe, game, seed, minutes) for seed in range(seeds)]
            curves = [curve for run in runs if (curve := result_of(run, folder))]
            for axis, opponent in zip(axes, opponents, strict=True):
                points = list(zip(*curves, strict=False))  # of all seeds, evaluation by evaluation
                time = [mean(each["seconds"] for each in point) / 60 for point in points]
                wins = [[100 * each[opponent]["mean"] for each in point] for point in points]
                if curves:
                    axis.plot(time, list(map(mean, wins)), color=colour, label=recipe.title)
                    axis.fill_between(time, list(map(min, wins)), list(map(max, wins)), color=colour, alpha=0.2)
                axis.set(title=f"against {opponent}", xlabel="CPU minutes")
        axes[0].set(ylabel="wins in %", ylim=(0, 100))
        axes[-1].legend(frameon=False, fontsize=8)


def learned(folder: Path) -> list[str]:
    """The table of `make libraries`."""
    lines = ["| recipe | frames | CPU time | against three `random` |", "| --- | ---: | ---: | ---: |"]
    missing = []
    for recipe in RECIPES:
        title = f"{recipe.title} (`docs/benchmarks/{recipe.name}.py`)"
        curve = result_of(short(recipe), folder)
        if not curve:
            missing.append(title)
            continue
        end = curve[-1]
        win, half = end["random"], (end["random"]["high"] - end["random"]["low"]) / 2
        shown = f"{percent(win['mean'])} ± {100 * half:.1f}"
        lines.append(f"| {title} | {end['frames']:,} | {end['seconds']:.0f} s | {shown} |")
    return with_missing(lines, missing)


def with_missing(table: list[str], missing: list[str]) -> list[str]:
    """The table, if it has rows, and what it lacks."""
    rows = table if len(table) > 2 else []
    lacks = [f"Not run yet: {'; '.join(missing)}."] if missing else []
    return [*rows, *([""] if rows and lacks else []), *lacks]


def short(recipe: Recipe) -> Run:
    return Run(recipe, "strand_unter", seed=0, frames=recipe.frames, opponents="random")


def write_pages() -> None:
    """Makes the pages from the runs that are kept."""
    page = DOCS / "training-libraries.md"
    page.write_text(filled(page.read_text("utf-8"), "libraries", "make libraries", learned(FINISHED)), "utf-8")
    page = DOCS / "benchmarks.md"
    for game in game_names():
        lines = strength(game, MINUTES, SEEDS, FINISHED)
        if lines[0].startswith("!["):
            draw(game, MINUTES, SEEDS, FINISHED, DOCS / picture_of(game))
        text = filled(page.read_text("utf-8"), f"benchmarks of {game}", "make benchmarks", lines)
        page.write_text(text, "utf-8")


def main() -> None:
    names = [recipe.name for recipe in RECIPES]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("benchmarks", "libraries", "pages"), help="pages: only write them")
    parser.add_argument(
        "--minutes", type=float, default=MINUTES, help="CPU time of each run; of others no page is made"
    )
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--game", choices=game_names(), help="default: all")
    parser.add_argument("--algorithm", choices=names, help=f"default: {', '.join(STANDARD)}")
    parser.add_argument("--ray", metavar="ADDRESS", help=f"run on a Ray cluster; {LOCAL}: on all cores of this machine")
    args = parser.parse_args()
    if args.minutes <= 0 or args.seeds <= 0:
        parser.error("expected more than 0 minutes and seeds")
    try:
        carry_out_orders(args)
    except (MissingExtra, OSError, RuntimeError, ValueError) as error:
        sys.exit(str(error))


def carry_out_orders(args: argparse.Namespace) -> None:
    games = [args.game] if args.game else game_names()
    do = partial(carry_out_on_cluster, address=args.ray) if args.ray else carry_out
    if args.what == "libraries":
        chosen = [recipe for recipe in RECIPES if args.algorithm in (None, recipe.name)]
        do([short(recipe) for recipe in chosen], FINISHED)
    elif args.what == "benchmarks":
        wanted = [args.algorithm] if args.algorithm else STANDARD
        # Every algorithm once before the next seed, so that an early stop leaves something to compare.
        runs = [
            Run(recipe, game, seed, args.minutes)
            for game in games
            for seed in range(args.seeds)
            for recipe in RECIPES
            if recipe.name in wanted
        ]
        folder = FINISHED if args.minutes == MINUTES else OTHERS
        do(runs, folder)
        if folder is OTHERS:
            for game in games:
                print(f"\n{game_of(game).title}, {args.minutes:g} CPU minutes\n")
                print("\n".join(line for line in strength(game, args.minutes, args.seeds, OTHERS) if line[:1] == "|"))
            return
    write_pages()


if __name__ == "__main__":
    main()
