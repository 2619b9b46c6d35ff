"""The commands of training. They import what is heavy when they run, so that `strand --help` is there at once."""

import dataclasses
import inspect
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from strand_env.support.extras import from_extra
from strand_env.train.config import Config

if TYPE_CHECKING:
    from rich.console import Console

    from strand_env.train.evaluation import Evaluation

RUNS = Path("runs")


def with_options_of(kind: type) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Gives a command an option for each field of a dataclass, in place of its argument `options`."""

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        own = [each for each in inspect.signature(command).parameters.values() if each.kind is not each.VAR_KEYWORD]
        added = [
            inspect.Parameter(
                field.name, inspect.Parameter.KEYWORD_ONLY, default=field.default, annotation=_annotation(field)
            )
            for field in dataclasses.fields(kind)
        ]
        signature = inspect.Signature([*own, *added])
        command.__signature__ = signature  # type: ignore[attr-defined]
        command.__annotations__ = {name: each.annotation for name, each in signature.parameters.items()}
        return command

    return decorate


def _annotation(field: dataclasses.Field[Any]) -> Any:
    known = field.metadata
    bounds = {} if field.type not in (int, float) else {"min": known["least"], "max": known["most"]}
    return Annotated[field.type, typer.Option(help=known["help"], **bounds)]


@with_options_of(Config)
def train(
    run: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Where the run is kept, instead of runs/ and the time.")
    ] = None,
    resume: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Go on with a run that was stopped, as it was set up.")
    ] = None,
    benchmark: Annotated[
        bool, typer.Option("--benchmark", help="Only measure how much of the time goes to playing the games.")
    ] = False,
    **options: Any,
) -> None:
    """Train an agent by masked PPO against others and itself; show how it gets better, and keep it as files."""
    config = Config(**options)
    with from_extra("train", "training"):
        import matplotlib  # noqa: F401

        from strand_env.train.benchmark import report
        from strand_env.train.ppo import begin, config_of
    if benchmark:
        if run or resume:
            raise ValueError("--benchmark keeps nothing; leave out --run and --resume")
        return report(config)
    if resume is None:
        folder = run or RUNS / time.strftime("%Y-%m-%d-%H%M%S")
        begin(folder, config)
    else:
        folder = resume
        config_of(folder)  # which tells if there is no run
        given = [name for name, value in options.items() if value != getattr(Config(), name)]
        if given or run:
            raise ValueError(f"--resume goes on with the run as it was set up; leave out {', '.join(given or ['run'])}")
    _train(folder)


def _train(folder: Path) -> None:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    from strand_env.train.ppo import Run

    console = Console()
    console.print(f"Training in {folder}; Ctrl-C stops, strand train --resume {folder} goes on.", soft_wrap=True)
    columns = (
        BarColumn(),
        TextColumn("{task.completed:,} of {task.total:,} decisions"),
        TextColumn("{task.fields[speed]}"),
    )
    with Progress(*columns, TimeElapsedColumn(), TimeRemainingColumn(), console=console) as bar:
        watcher = _Bar(console, bar)
        current = Run(folder, watcher)
        watcher.begin(current.decisions, current.config.imitate + current.config.total_timesteps)
        try:
            current.learn()
        except KeyboardInterrupt:
            bar.stop()
            console.print(f"Stopped. strand train --resume {folder} goes on from the last checkpoint.", soft_wrap=True)
            raise typer.Exit(130) from None
    console.print(_table(current.judged))
    console.print(f"The agent: {folder / 'agent'}    The curve: {folder / 'learning_curve.png'}", soft_wrap=True)


class _Bar:
    """Shows how far a run is, and a line for each evaluation."""

    def __init__(self, console: "Console", bar: Any) -> None:
        self._console = console
        self._bar = bar

    def begin(self, decisions: int, total: int) -> None:
        self._task = self._bar.add_task("", completed=decisions, total=total, speed="")
        self._start, self._began = decisions, time.monotonic()

    def progress(self, decisions: int) -> None:
        speed = (decisions - self._start) / (time.monotonic() - self._began)
        self._bar.update(self._task, completed=decisions, speed=f"{speed:,.0f}/s")

    def evaluated(self, evaluations: "list[Evaluation]") -> None:
        first = evaluations[0]
        spent = timedelta(seconds=round(first.seconds))
        shares = "   ".join(str(each) for each in evaluations)
        self._console.print(f"{first.frames:>11,} frames  {spent}   wins {shares}", soft_wrap=True, highlight=False)


def _table(evaluations: "list[Evaluation]") -> Any:
    from rich.box import SIMPLE
    from rich.table import Table

    table = Table(
        title="One against copies of the other, on new deals; 'it' is the agent", title_justify="left", box=SIMPLE
    )
    for name in ("players", "who", "games", "wins", "95 % interval", "points"):
        table.add_column(name, justify="left" if name == "who" else "right")
    for each in evaluations:
        games = f"{each.deals * each.players:,}"
        interval = f"{each.low:.1%} to {each.high:.1%}"
        table.add_row(str(each.players), each.who, games, f"{each.win:.1%}", interval, f"{each.score:.1f}")
    return table


def export(
    file: Annotated[Path, typer.Argument(metavar="ZIP", help="A learner that MaskablePPO.save has written.")],
    folder: Annotated[Path, typer.Argument(help="Where the agent goes: agent.json and agent.safetensors.")],
    game: Annotated[str, typer.Option(help="The game that it plays, by its versioned name.")] = "strand_unter_v0",
    players: Annotated[int, typer.Option(min=2, help="How many it was trained to play with.")] = 4,
    trust: Annotated[
        bool, typer.Option("--trust", help="Run the code that such a file can hold: only for files of your own.")
    ] = False,
) -> None:
    """Make an agent for the arena and others of a learner saved by Stable-Baselines3."""
    if not trust:
        raise ValueError(f"{file}: loading it runs whatever code is in it; if it is from someone you trust: --trust")
    with from_extra("train", "a learner of Stable-Baselines3"):
        from strand_env.train.learner import export_saved
    export_saved(file, folder, game, players)
    typer.echo(f"wrote {folder}")


def inspect_agent(
    model: Annotated[str, typer.Argument(help="A folder with a trained agent, or any agent by name.")],
    beside: Annotated[str, typer.Option(help="Others to be shown side by side, with commas between.")] = "tide,greedy",
    against: Annotated[str, typer.Option(help="Who plays the other seats.")] = "tide",
    games: Annotated[int, typer.Option(min=1, max=1_000_000, help="Played by each.")] = 2000,
    players: Annotated[int, typer.Option(min=2, max=4, help="At a table.")] = 4,
    seed: Annotated[int, typer.Option(min=0, help="Of the deals, which are the same for all.")] = 0,
    folder: Annotated[Path, typer.Option(metavar="FOLDER", help="Where they go.")] = Path("results/inspect"),
) -> None:
    """Draw what an agent does: its dials, its castles, its collisions, beside others on the same deals."""
    with from_extra("arena", "what an agent does, in pictures,"):
        import matplotlib  # noqa: F401
    from rich.console import Console
    from rich.progress import track

    from strand_env.agents.naming import agent_of, blaming
    from strand_env.train.inspection import draw, watch

    names = dict.fromkeys([model, *filter(None, (name.strip() for name in beside.split(",")))])
    for name in (*names, against):  # whatever is wrong is told before games are played
        agent_of(name)
    folder.mkdir(parents=True, exist_ok=True)
    watched = []
    for name in track(names, "playing", console=Console(stderr=True), transient=True):
        with blaming(f"{name} against {against}"):
            watched.append(watch(name, against, games, players, seed))
    for path in draw(watched, folder, f"{games:,} games of {players} against {against}, each in a random seat"):
        typer.echo(f"wrote {path}")
