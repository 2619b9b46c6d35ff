"""Runs the experiments of docs/training.md and writes its tables: `make experiments`. Resumes where it stopped."""

from collections.abc import Iterable
from itertools import groupby
from pathlib import Path
from typing import Annotated, Any

import typer
from marks import filled
from rich.progress import Progress

from strand_env.agents.network import DESCRIPTION
from strand_env.agents.strand_unter import AGENTS
from strand_env.arena.strangers import judge, worst_of
from strand_env.strand_unter import GAME as STRAND_UNTER
from strand_env.support.files import write_whole
from strand_env.support.reading import read_json
from strand_env.train.config import MOST, Config
from strand_env.train.evaluation import Evaluation, draw_learning_curve
from strand_env.train.run import AGENT, CONFIG, EVALUATIONS, Quiet, Run, begin, config_of

PAGE, CURVES = (Path(__file__).with_name(name) for name in ("training.md", "training_seeds.png"))
SEEDS = (0, 1, 2)

STRANGER_DEALS = 500


class Bar(Quiet):
    """Advances the progress bar of a run."""

    def __init__(self, progress: Progress, name: str, config: Config) -> None:
        self.progress_bar = progress
        self.task = progress.add_task(name, total=config.imitate + config.total_timesteps)

    def progress(self, decisions: int) -> None:
        self.progress_bar.update(self.task, completed=decisions)


def trained(folder: Path, config: Config, progress: Progress) -> list[dict[str, Any]]:
    """The final evaluation of a run; trains it first if necessary."""
    watcher = Bar(progress, folder.name, config)
    if not (folder / CONFIG).exists():
        begin(folder, config)
    if config_of(folder) != config:
        raise ValueError(f"{folder}: holds a different run; remove it or choose other --results")
    if not (folder / AGENT / DESCRIPTION).exists():
        Run(folder, watcher).learn()
    watcher.progress(config.imitate + config.total_timesteps)
    return read_json(folder / AGENT / DESCRIPTION)["evaluation"]


def shares(judged: Iterable[dict[str, Any]]) -> list[str]:
    """Win rates: against the reference, against random players, and of the reference against it."""
    heuristics = [each for each in judged if not each["opponent"].startswith("mc:")]  # the search has few deals
    return [share(each["win"], each["low"], each["high"]) for each in heuristics]


def share(win: float, low: float, high: float) -> str:
    return f"{win:.1%} ± {100 * max(high - win, win - low):.1f}"


def against_strangers(run: Path) -> list[str]:
    """The worst win rate of a run's agent against strangers, with the stranger's name, and the mean of all."""
    agent = str(run / AGENT)
    wins = judge([agent], STRAND_UNTER, STRANGER_DEALS, 4, out=run / "strangers.json")[0][agent]
    worst = worst_of(wins)
    mean = sum(each.mean for each in wins.values()) / len(wins)
    return [f"{share(*wins[worst])} ({worst})", f"{mean:.1%}"]


def table(rows: dict[str, list[str]]) -> list[str]:
    head = ["", "against three `tide`", "against three `random`", "one `tide` against three of it"]
    head += ["against three of the worst stranger", "mean of all strangers"]
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *([name, *cells] for name, cells in rows.items())]
    return [f"| {' | '.join(line)} |" for line in lines]


def learned_table() -> list[str]:
    """The evaluation of the bundled agent, from its own description."""
    judged = read_json(AGENTS.trained["learned"] / DESCRIPTION)["evaluation"]
    head = ["players", "one against `tide`", "one against `random`", "one `tide` against it", "deals"]
    lines = [head, ["---", "---:", "---:", "---:", "---:"]]
    for _, group in groupby(judged, lambda each: each["players"]):
        row = list(group)
        lines.append([str(row[0]["players"]), *shares(row), f"{row[0]['deals']:,}"])
    return [f"| {' | '.join(line)} |" for line in lines]


def main(
    results: Annotated[Path, typer.Option(help="Folder for all runs.")] = Path("results/experiments"),
) -> None:
    """Trains three seeds, six to seven minutes each, and writes the tables and the plot after each of them."""
    by_seed: dict[str, list[str]] = {}
    curves: list[list[Evaluation]] = []
    with Progress() as progress:
        for seed in SEEDS:
            run = results / f"seed-{seed}"
            by_seed[f"seed {seed}"] = shares(trained(run, Config(seed=seed), progress)) + against_strangers(run)
            curves.append([Evaluation.from_dict(each, MOST) for each in read_json(run / EVALUATIONS)])
            page = filled(PAGE.read_text("utf-8"), "seeds", "make experiments", table(by_seed))
            page = filled(page, "learned", "make experiments", learned_table())
            draw_learning_curve(curves, "Default training, 4 players", CURVES)
            write_whole(PAGE, page.encode())
    typer.echo(f"wrote {PAGE} and {CURVES}")


if __name__ == "__main__":
    typer.run(main)
