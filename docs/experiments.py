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
from strand_env.support.files import write_whole
from strand_env.support.reading import read_json
from strand_env.train.config import MOST, Config
from strand_env.train.evaluation import Evaluation, draw_learning_curve
from strand_env.train.ppo import AGENT, CONFIG, EVALUATIONS, Quiet, Run, begin, config_of

PAGE, CURVES = (Path(__file__).with_name(name) for name in ("training.md", "training_seeds.png"))
SEEDS = (0, 1, 2)

# The ablations: training with its defaults, but shorter, and one change each.
SHORT: dict[str, Any] = {
    "imitate": 500_000,
    "total_timesteps": 400_000,
    "evaluate_every": 400_000,
    "pool_every": 40_000,
    "final_deals": 1000,
}
CHANGES: dict[str, dict[str, Any]] = {
    "nothing": {},
    "nothing, another seed": {"seed": 1},
    "encoding: needs, without guesses": {"encoding": "needs 1"},
    "encoding: that of environments": {"encoding": "features 1"},
    "encoding: compact observation": {"encoding": "compact"},
    "no imitation": {"imitate": 0},
    "opponents: `tide` alone": {"opponents": "tide=1"},
    "opponents: current and past self": {"opponents": "self=0.5,past=0.5"},
    "opponents: no `random`": {"opponents": "tide=0.5,self=0.25,past=0.25"},
    "opponents: sampled for each seat": {"alike": 0.0},
    "no entropy": {"ent_coef": 0.0},
    "four times the entropy": {"ent_coef": 0.02},
    "no shaping": {"shaping": 0.0},
    "reward: win": {"reward": "win"},
    "network: 128, 128": {"hidden": "128,128"},
    "network: 512, 512": {"hidden": "512,512"},
    "half the games, twice the rollout length": {"n_envs": 256, "n_steps": 32},
}


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
    return [
        f"{each['win']:.1%} ± {100 * max(each['high'] - each['win'], each['win'] - each['low']):.1f}" for each in judged
    ]


def table(first: str, rows: dict[str, list[dict[str, Any]]]) -> list[str]:
    head = [first, "against three `tide`", "against three `random`", "one `tide` against three of it"]
    lines = [head, ["---", "---:", "---:", "---:"], *([name, *shares(judged)] for name, judged in rows.items())]
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
    """Runs everything, a few minutes each, and writes the tables and the plot."""
    with Progress() as progress:
        seeds = {seed: results / f"seed-{seed}" for seed in SEEDS}
        by_seed = {f"seed {seed}": trained(run, Config(seed=seed), progress) for seed, run in seeds.items()}
        by_change = {
            change: trained(results / f"change-{number}", Config(**{**SHORT, **options}), progress)
            for number, (change, options) in enumerate(CHANGES.items())
        }
    page = PAGE.read_text("utf-8")
    page = filled(page, "seeds", "make experiments", table("", by_seed))
    page = filled(page, "changes", "make experiments", table("changed", by_change))
    page = filled(page, "learned", "make experiments", learned_table())
    curves = [[Evaluation.from_dict(each, MOST) for each in read_json(run / EVALUATIONS)] for run in seeds.values()]
    draw_learning_curve(curves, "Default training, three seeds, 4 players", CURVES)
    write_whole(PAGE, page.encode())
    typer.echo(f"wrote {PAGE} and {CURVES}")


if __name__ == "__main__":
    typer.run(main)
