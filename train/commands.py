"""The commands of training. They import what is heavy when they run: `strand --help` must not wait for it."""

import dataclasses
import time
from collections.abc import Callable, Container, Mapping
from contextlib import nullcontext
from datetime import timedelta
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from strand_env.engine.checks import printable
from strand_env.registry import DEFAULT, game_of
from strand_env.support.cluster import MismatchedNode, connected
from strand_env.support.extras import from_extra
from strand_env.support.options import AgentsGame, GameName, RayAddress, VariantName, listed
from strand_env.support.printing import add_row, console, line
from strand_env.train.config import Config

if TYPE_CHECKING:
    from rich.console import Console

    from strand_env.train.evaluation import Evaluation

RUNS = Path("runs")


def with_options_of(kind: type) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Gives a command an option for each field of a dataclass, in place of its argument `options`."""

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        own = [each for each in signature(command).parameters.values() if each.kind is not each.VAR_KEYWORD]
        added = [
            Parameter(field.name, Parameter.KEYWORD_ONLY, default=field.default, annotation=_annotation(field))
            for field in dataclasses.fields(kind)
        ]
        parameters = [*own, *added]
        command.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
        command.__annotations__ = {each.name: each.annotation for each in parameters}
        return command

    return decorate


def _annotation(field: dataclasses.Field[Any]) -> Any:
    known = field.metadata
    bounds = {} if field.type not in (int, float) else {"min": known["least"], "max": known["most"]}
    return Annotated[field.type, typer.Option(help=known["help"], **bounds)]


@with_options_of(Config)
def train(
    context: typer.Context,
    run: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Folder of the run; by default runs/ and the time.")
    ] = None,
    resume: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Resume a stopped run with its configuration.")
    ] = None,
    trust: Annotated[
        bool,
        typer.Option("--trust", help="Run the code of agents named in the folder to resume: only for your own runs."),
    ] = False,
    benchmark: Annotated[
        bool, typer.Option("--benchmark", help="Only measure the share of training time spent in the environment.")
    ] = False,
    ray: RayAddress = None,
    **options: Any,
) -> None:
    """Train an agent against others and itself, with masked PPO or deep Monte Carlo; show progress, and save it."""
    given = [name for name in options if _is_given(context, name)]
    config = Config(**{**options, **_defaults_of(options, given)})
    with from_extra("train", "training"):
        import matplotlib  # noqa: F401

        from strand_env.train.benchmark import report
        from strand_env.train.run import begin, config_of
    if benchmark:
        if run or resume:
            raise ValueError("--benchmark saves nothing; leave out --run and --resume")
        return report(config)
    if resume is None:
        _check_runners(config, ray)
        folder = run or RUNS / time.strftime("%Y-%m-%d-%H%M%S")
        begin(folder, config)
    else:
        folder = resume
        config = config_of(folder, trust)  # which says so if there is no run
        if given or run:
            left_out = ", ".join(given or ["run"])
            raise ValueError(f"--resume continues the run as it was configured; leave out {left_out}")
        _check_runners(config, ray)
    _train(folder, config, trust or resume is None, ray)  # the user typed these agents


def _is_given(context: typer.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def _defaults_of(options: Mapping[str, Any], given: Container[str]) -> dict[str, Any]:
    """Game-dependent defaults of the options that were not given."""
    of_game = game_of(options["game"])
    found: dict[str, Any] = {"players": str(of_game.default_players), **of_game.training.defaults}
    if of_game.potential is None:
        found["shaping"] = 0.0
    algorithm = options["algorithm"] if "algorithm" in given else found.get("algorithm", options["algorithm"])
    if algorithm != "dmc":
        found.pop("lookahead", None)
    if algorithm == "dmc" or (options["reference"] or of_game.agents.reference) == "random":
        found["imitate"] = 0  # nothing to learn from it
    return {name: value for name, value in found.items() if name not in given}


def _check_runners(config: Config, address: str | None) -> None:
    """Before anything is written."""
    if config.env_runners and address is None:
        raise ValueError(f"--ray: expected, since the run has {config.env_runners} env runners")
    if address is not None and not config.env_runners:
        raise ValueError("--ray: expected --env-runners N with it")
    if address is not None:
        with from_extra("ray", "a cluster"):
            import ray  # noqa: F401


def _train(folder: Path, config: Config, trust: bool, ray: str | None) -> None:
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    from strand_env.agents.naming import is_code
    from strand_env.train.learner import agents_in
    from strand_env.train.run import train as train_to_the_end
    from strand_env.train.runners import RunnerDied

    out = console()
    go_on = f"strand train --resume {printable(folder)}" + " --trust" * any(
        is_code(name, config.game) for name in agents_in(config)
    )
    go_on += f" --ray {printable(ray)}" if ray else ""
    out.print(f"Training in {printable(folder)}; Ctrl-C stops, {go_on} continues.", soft_wrap=True)
    columns = (
        BarColumn(),
        TextColumn("{task.completed:,} of {task.total:,} timesteps"),
        TextColumn("{task.fields[speed]}"),
    )
    with Progress(*columns, TimeElapsedColumn(), TimeRemainingColumn(), console=out) as bar:
        watcher = _Bar(out, bar, config.imitate + config.total_timesteps)
        try:
            with connected(ray, config.env_runners + config.learners) if ray else nullcontext():
                current = train_to_the_end(folder, watcher, trust)
        except KeyboardInterrupt:
            bar.stop()
            out.print(f"Stopped. {go_on} continues from the last checkpoint.", soft_wrap=True)
            raise typer.Exit(130) from None
        except (MismatchedNode, RunnerDied) as error:
            bar.stop()
            raise SystemExit(f"strand: {line(error)}\nonce that is fixed, continue with: {go_on}") from None
    out.print(_table(current.judged))
    out.print(line(f"The agent: {folder / 'agent'}    The curve: {folder / 'learning_curve.png'}"), soft_wrap=True)


class _Bar:
    """Shows the progress of a run, and a line for each evaluation."""

    def __init__(self, console: "Console", bar: Any, total: int) -> None:
        self._console = console
        self._bar = bar
        self._task = bar.add_task("", total=total, speed="")

    def begun(self, decisions: int) -> None:
        self._bar.update(self._task, completed=decisions)
        self._start, self._began = decisions, time.monotonic()

    def progress(self, decisions: int) -> None:
        speed = (decisions - self._start) / (time.monotonic() - self._began)
        self._bar.update(self._task, completed=decisions, speed=f"{speed:,.0f}/s")

    def evaluated(self, evaluations: "list[Evaluation]") -> None:
        first = evaluations[0]
        spent = timedelta(seconds=round(first.seconds))
        shares = "   ".join(str(each) for each in evaluations)
        self._console.print(line(f"{first.frames:>11,} timesteps  {spent}   wins {shares}"), soft_wrap=True)


def _table(evaluations: "list[Evaluation]") -> Any:
    from rich.box import SIMPLE
    from rich.table import Table

    table = Table(
        title="One agent against copies of another, on fresh deals; 'it' is the trained agent",
        title_justify="left",
        box=SIMPLE,
    )
    for name in ("players", "who", "games", "wins", "95 % interval", "points"):
        table.add_column(name, justify="left" if name == "who" else "right")
    for each in evaluations:
        games = f"{each.deals * each.players:,}"
        interval = f"{each.low:.1%} to {each.high:.1%}"
        players = f"{each.players}, {each.variant}" if each.variant else str(each.players)
        add_row(table, (players, each.who, games, f"{each.win:.1%}", interval, f"{each.score:.1f}"))
    return table


def export(
    file: Annotated[Path, typer.Argument(metavar="ZIP", help="A model saved by MaskablePPO.save.")],
    folder: Annotated[Path, typer.Argument(help="Where to write agent.json and agent.safetensors.")],
    game: GameName = DEFAULT,
    players: Annotated[
        int | None, typer.Option(help="Players it was trained with; by default the game's usual number.")
    ] = None,
    trust: Annotated[
        bool, typer.Option("--trust", help="Run any code that the file contains: only for your own files.")
    ] = False,
) -> None:
    """Turn a model saved by Stable-Baselines3 into an agent."""
    if not trust:
        raise ValueError(f"{printable(file)}: loading it runs any code it contains; if you trust its author: --trust")
    with from_extra("train", "a learner of Stable-Baselines3"):
        from strand_env.train.learner import export_saved
    export_saved(file, folder, game, game_of(game).default_players if players is None else players)
    typer.echo(line(f"wrote {folder}"))


def inspect(
    model: Annotated[
        str | None,
        typer.Argument(
            help="A folder with a trained agent, or any agent by name; by default the game's own trained one."
        ),
    ] = None,
    game: AgentsGame = None,
    variant: VariantName = None,
    compare: Annotated[
        str | None, typer.Option(help="Agents to compare with, separated by commas; by default the game's own.")
    ] = None,
    against: Annotated[
        str | None, typer.Option(help="The agent in all other seats; by default the game's reference.")
    ] = None,
    games: Annotated[int, typer.Option(min=1, max=1_000_000, help="Games per agent.")] = 2000,
    players: Annotated[int | None, typer.Option(help="Players at a table; by default the game's usual number.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the deals, which are the same for all agents.")] = 0,
    folder: Annotated[Path, typer.Option(metavar="FOLDER", help="Where to write the plots.")] = Path("results/inspect"),
) -> None:
    """Plot an agent's behaviour next to that of others on the same deals."""
    with from_extra("arena", "what an agent does, in pictures,"):
        import matplotlib  # noqa: F401
    from rich.progress import track

    from strand_env.agents.naming import agent_of, blaming, game_of_agents
    from strand_env.engine.checks import checked_variant, whole_number
    from strand_env.train.inspection import draw, watch

    others = [] if compare is None else listed(compare)
    of_game = game_of_agents([each for each in (model, *others, against) if each is not None], game)
    if model is None:
        model = next(iter(of_game.agents.trained), None)
        if model is None:
            raise ValueError(f"model: expected an agent, since {of_game.title} comes with no trained one")
    counts = of_game.player_counts
    number = of_game.default_players if players is None else whole_number("players", players, counts[0], counts[-1])
    checked_variant(variant, of_game.variants)
    opponent = of_game.agents.reference if against is None else against
    names = dict.fromkeys([model, *(listed(of_game.training.compared) if compare is None else others)])
    for name in (*names, opponent):  # mistakes show before games are played
        agent_of(name, game=of_game)
    watched = []
    for name in track(names, "playing", console=console(stderr=True), transient=True):
        with blaming(f"{printable(name, 80)} against {printable(opponent, 80)}"):
            watched.append(watch(name, opponent, games, number, seed, of_game, variant))
    folder.mkdir(parents=True, exist_ok=True)
    played = f"{games:,} games of {number}" + (f", {variant}," if variant else "")
    for path in draw(watched, folder, f"{played} against {printable(opponent, 60)}, each in a random seat"):
        typer.echo(line(f"wrote {path}"))
