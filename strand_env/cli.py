"""The command `strand`. A command imports what it needs when it runs, so that `strand --help` is there at once."""

import os
import shlex
import sys
import time
from collections.abc import Iterable
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from strand_env.support.extras import MissingExtra, from_extra

try:
    with from_extra("cli", "the command strand"):
        import rich  # noqa: F401
        import typer
except MissingExtra as missing:
    raise SystemExit(f"strand: {missing}") from None

from strand_env import __version__
from strand_env.bench.commands import bench
from strand_env.play.commands import play, watch
from strand_env.replays import animation
from strand_env.train.commands import export, inspect_agent, train

if TYPE_CHECKING:
    from strand_env.replays.replay import Replay

app = typer.Typer(
    name="strand",
    help="Board games of the beach as environments for multi-agent reinforcement learning.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
for command in (play, watch, bench, train, export):
    app.command()(command)
app.command("inspect")(inspect_agent)


def main() -> None:
    """Runs the command; what users do wrong is told in one line."""
    if "" not in sys.path:
        sys.path.insert(0, "")  # the current folder, as for `python -m`: agents may be modules there
    try:
        app()
    except OSError as error:
        name = error.filename2 or error.filename
        raise SystemExit(f"strand: {name}: {error.strerror}" if name else f"strand: {error}") from None
    except (ValueError, MissingExtra) as error:
        raise SystemExit(f"strand: {error}") from None


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"strand_env {__version__}")
        raise typer.Exit


@app.callback()
def strand(
    version: Annotated[
        bool, typer.Option("--version", help="Show the version.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    pass


@app.command()
def replay(
    file: Annotated[Path, typer.Argument(help="A replay, as an environment or the arena saves it.")],
    svg: Annotated[Path | None, typer.Option(metavar="FILE", help="Make an animation that is always sharp.")] = None,
    gif: Annotated[Path | None, typer.Option(metavar="FILE", help="Make an animation in pixels.")] = None,
    html: Annotated[Path | None, typer.Option(metavar="FILE", help="Make a page for the browser.")] = None,
    delay: Annotated[
        float, typer.Option(metavar="SECONDS", min=0, max=3600, help="How long each position is shown.")
    ] = animation.SECONDS,
    no_colour: Annotated[bool, typer.Option("--no-colour", "--no-color", help="Show it without colours.")] = False,
) -> None:
    """Check a game that was saved and show it: here in the terminal, or as an animation or a page."""
    from strand_env.replays.replay import Replay

    game = Replay.load(file)
    if svg:
        animation.save_svg(game, svg, delay, watch=_progress("drawing the animation"))
    if gif:
        animation.save_gif(game, gif, delay, watch=_progress("drawing the animation"))
    if html:
        animation.save_html(game, html, delay, watch=_progress("drawing the page"))
    for written in filter(None, (svg, gif, html)):
        typer.echo(f"wrote {written}")
    if not (svg or gif or html):
        _show(game, delay, colour=sys.stdout.isatty() and not no_colour and not os.environ.get("NO_COLOR"))


def _show(game: "Replay", delay: float, colour: bool) -> None:
    from rich.console import Console

    positions = list(game.positions())  # all of them first: a broken replay is not shown in part
    moving = sys.stdout.isatty() and delay > 0
    for number, position in enumerate(positions):
        if moving:
            Console().clear()
        typer.echo(f"step {number} of {len(positions) - 1}", color=colour)
        typer.echo(game.game.views.to_text(position.snapshot, position.story, colour), color=colour)
        if moving and position is not positions[-1]:
            time.sleep(delay)


def _progress(description: str) -> animation.Watch:
    """A bar on stderr, for as long as positions are drawn."""
    from rich.console import Console
    from rich.progress import track

    console = Console(stderr=True)
    return partial(track, description=description, console=console, transient=True, disable=not console.is_terminal)


@app.command()
def arena(
    agents: Annotated[
        list[str], typer.Argument(metavar="AGENT…", help="By name: random, file.py:Class, module:Class and so on.")
    ],
    deals: Annotated[int, typer.Option(help="How many; each is played in all seats.")] = 1000,
    players: Annotated[int, typer.Option(help="At a table.")] = 4,
    seed: Annotated[int, typer.Option(help="Decides all deals and all chance.")] = 0,
    versus: Annotated[
        str | None, typer.Option(metavar="AGENT", help="Play each agent against copies of this one instead.")
    ] = None,
    out: Annotated[Path | None, typer.Option(metavar="FOLDER", help="Keep everything there.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run that was interrupted there.")] = False,
    record: Annotated[int, typer.Option(metavar="GAMES", help="Keep replays of so many games there.")] = 0,
    processes: Annotated[int, typer.Option(help="How many play at once.")] = os.cpu_count() or 1,
) -> None:
    """Play agents against each other: the same deals in all seats, with intervals, ratings and a matrix."""
    with from_extra("arena", "the arena"):
        import matplotlib  # noqa: F401
        import openskill  # noqa: F401
    from strand_env.arena.terminal import show_arena

    go_on = shlex.join(["strand", *sys.argv[1:], *([] if resume else ["--resume"])])
    show_arena(
        agents,
        deals,
        players,
        seed,
        go_on=go_on,
        versus=versus,
        out=out,
        resume=resume,
        record=record,
        processes=processes,
    )


@app.command()
def rules(
    actions: Annotated[bool, typer.Option("--actions", help="Show the actions by their ids instead.")] = False,
    observation: Annotated[bool, typer.Option("--observation", help="Show what players see instead.")] = False,
) -> None:
    """Show the rules of Strand Unter as they are played here."""
    if actions:
        _show_actions()
    if observation:
        _show_observation()
    if not (actions or observation):
        _show_rules()


def _show_rules() -> None:
    page = files("strand_env").joinpath("strand_unter", "rules.md").read_text("utf-8")
    if sys.stdout.isatty():
        from rich.console import Console
        from rich.markdown import Markdown

        Console().print(Markdown(page))
    else:
        typer.echo(page, nl=False)


def _show_actions() -> None:
    from strand_env.strand_unter import NUM_ACTIONS, describe

    _print_table("The actions", ("id", "meaning"), ((str(action), describe(action)) for action in range(NUM_ACTIONS)))


def _show_observation() -> None:
    from strand_env.strand_unter import layout

    rows = ((_span(part.slice.start, part.slice.stop - 1), part.name, part.meaning) for part in layout)
    _print_table(f"The observation: {layout.size} numbers", ("entries", "section", "meaning"), rows)


def _span(first: int, last: int) -> str:
    return f"{first}–{last}" if first < last else str(first)


def _print_table(title: str, columns: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> None:
    from rich.box import SIMPLE
    from rich.console import Console
    from rich.table import Table

    table = Table(*columns, title=title, title_justify="left", box=SIMPLE)
    for row in rows:
        table.add_row(*row)
    Console().print(table)
