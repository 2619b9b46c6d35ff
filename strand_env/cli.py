"""The command `strand`. Commands import what is heavy when they run: `strand --help` must not wait for it."""

import os
import re
import shlex
import sys
import time
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from strand_env.support.extras import MissingExtra, from_extra

try:
    with from_extra("cli", "the command strand"):
        import rich  # noqa: F401
        import typer
        from typer.core import TyperGroup
except MissingExtra as missing:
    raise SystemExit(f"strand: {missing}") from None

from strand_env import __version__
from strand_env.bench.commands import bench
from strand_env.engine.checks import printable, shown
from strand_env.play.commands import play, watch
from strand_env.registry import DEFAULT, game_ids, game_names, game_of
from strand_env.support.options import (
    AgentsGame,
    GameName,
    Observing,
    RayAddress,
    VariantName,
    listed,
    observer_of,
    with_address,
)
from strand_env.support.printing import add_row, console, line
from strand_env.train.commands import export, inspect, train

if TYPE_CHECKING:
    from strand_env.engine.game import Game
    from strand_env.engine.protocol import Observer
    from strand_env.replays.animation import Watch
    from strand_env.replays.replay import Replay

UsageError: Any = typer.BadParameter.__base__  # wherever Typer has it from


class Commands(TyperGroup):
    """Quotes mistakes on the command line in printable letters; Typer would quote them as they are."""

    def make_context(self, info_name: str | None, args: list[str], *arguments: Any, **named: Any) -> Any:
        return _quoting(super().make_context, info_name, with_address(args), *arguments, **named)

    def invoke(self, *arguments: Any, **named: Any) -> Any:
        return _quoting(super().invoke, *arguments, **named)


def _quoting(call: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
    try:
        return call(*arguments, **named)
    except UsageError as error:
        error.message = printable(error.message)
        raise


app = typer.Typer(
    name="strand",
    cls=Commands,
    help="Beach board games as environments for multi-agent reinforcement learning.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def main() -> None:
    """Runs the command; user errors are reported in one line."""
    try:
        app()
    except OSError as error:
        name = error.filename2 or error.filename
        told = f"{printable(name)}: {error.strerror}" if name else error
        raise SystemExit(line(f"strand: {told}")) from None
    except (ValueError, MissingExtra) as error:
        raise SystemExit(line(f"strand: {error}")) from None


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


def games() -> None:
    """List the games."""
    listed = map(game_of, game_ids())
    rows = (
        (
            game.name,
            str(game.version),
            _span(game.player_counts[0], game.player_counts[-1]),
            str(game.num_actions),
            game.dynamics,
            game.information,
            ", ".join(game.variants),
        )
        for game in listed
    )
    _print_table("", ("name", "version", "players", "actions", "dynamics", "information", "variants"), rows)


def replay(
    file: Annotated[Path, typer.Argument(help="A replay file, saved by an environment or the arena.")],
    seat: Observing = "all",
    svg: Annotated[Path | None, typer.Option(metavar="FILE", help="Write an animated SVG.")] = None,
    gif: Annotated[Path | None, typer.Option(metavar="FILE", help="Write an animated GIF.")] = None,
    html: Annotated[Path | None, typer.Option(metavar="FILE", help="Write a page for the browser.")] = None,
    delay: Annotated[
        float, typer.Option(metavar="SECONDS", min=0, max=3600, help="How long to show each position.")
    ] = 1.5,
    no_colour: Annotated[bool, typer.Option("--no-colour", "--no-color", help="Show no colours.")] = False,
) -> None:
    """Check a saved game and show it: in the terminal, or as an animation or a page."""
    from strand_env.replays import animation
    from strand_env.replays.replay import Replay

    game = Replay.load(file)
    observer = observer_of(seat, game.players)
    if svg:
        animation.save_svg(game, svg, delay, _progress("drawing the animation"), observer)
    if gif:
        animation.save_gif(game, gif, delay, _progress("drawing the animation"), observer)
    if html:
        animation.save_html(game, html, delay, _progress("drawing the page"), observer)
    for written in filter(None, (svg, gif, html)):
        typer.echo(line(f"wrote {written}"))
    if not (svg or gif or html):
        _show(game, observer, delay, colour=sys.stdout.isatty() and not no_colour and not os.environ.get("NO_COLOR"))


def _show(game: "Replay", observer: "Observer", delay: float, colour: bool) -> None:
    from rich.console import Console

    positions = list(game.positions(observer))  # all of them first: a broken replay is not shown in part
    moving = sys.stdout.isatty() and delay > 0
    for number, position in enumerate(positions):
        if moving:
            Console().clear()
        typer.echo(f"step {number} of {len(positions) - 1}", color=colour)
        typer.echo(game.game.views.to_text(position.snapshot, position.story, colour, seat=observer), color=colour)
        if moving and position is not positions[-1]:
            time.sleep(delay)


def _progress(description: str) -> "Watch":
    """A bar on stderr, for as long as positions are drawn."""
    from rich.console import Console
    from rich.progress import track

    console = Console(stderr=True)
    return partial(track, description=description, console=console, transient=True, disable=not console.is_terminal)


def arena(
    agents: Annotated[
        list[str],
        typer.Argument(metavar="AGENT…", help="Name, file.py:Class, module:Class, or a trained agent's folder."),
    ],
    game: AgentsGame = None,
    variant: VariantName = None,
    deals: Annotated[int, typer.Option(help="Deals, each played in all rotations of the seats.")] = 1000,
    players: Annotated[int | None, typer.Option(help="Players at a table; by default the game's usual number.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of all deals and of the agents' random choices.")] = 0,
    versus: Annotated[
        str | None, typer.Option(metavar="AGENT", help="Play each agent against copies of this one instead.")
    ] = None,
    out: Annotated[Path | None, typer.Option(metavar="FOLDER", help="Folder to save everything in.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Continue the interrupted run in that folder.")] = False,
    record: Annotated[int, typer.Option(metavar="GAMES", help="Save replays of this many games, the first ones.")] = 0,
    processes: Annotated[int, typer.Option(help="Parallel processes.")] = os.cpu_count() or 1,
    ray: RayAddress = None,
) -> None:
    """Play agents against each other, on the same deals in every seat; report intervals, ratings and a matrix."""
    with from_extra("arena", "the arena"):
        import matplotlib  # noqa: F401
        import openskill  # noqa: F401
    from strand_env.agents.naming import game_of_agents
    from strand_env.arena.folder import game_of_run
    from strand_env.arena.terminal import show_arena

    known = game or (game_of_run(out) if resume and out else None)
    of_game = game_of_agents([*agents, *([versus] if versus else [])], known)
    show_arena(
        agents,
        deals,
        of_game.default_players if players is None else players,
        seed,
        game=of_game,
        variant=variant,
        go_on=shlex.join(["strand", *sys.argv[1:], *([] if resume else ["--resume"])]),
        versus=versus,
        out=out,
        resume=resume,
        record=record,
        processes=processes,
        ray=ray,
    )


def strangers(
    agents: Annotated[
        list[str],
        typer.Argument(metavar="AGENT…", help="Name, file.py:Class, module:Class, or a trained agent's folder."),
    ],
    game: AgentsGame = None,
    deals: Annotated[int, typer.Option(help="Deals, each played in all rotations of the seats.", min=2)] = 500,
    players: Annotated[int | None, typer.Option(help="Players at a table; by default the game's usual number.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of all deals and of the agents' random choices.")] = 0,
    drawn: Annotated[int, typer.Option(help="Seed of the strangers' perturbed weights.", min=0)] = 0,
    strength: Annotated[
        bool, typer.Option("--strength", help="Also measure the strangers against the reference and random players.")
    ] = False,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="JSON file for results; existing results are reused.")
    ] = None,
) -> None:
    """Evaluate agents against opponents held out of training: one agent against copies of each stranger."""
    with from_extra("arena", "the arena"):
        import openskill  # noqa: F401
        import rich  # noqa: F401
    from strand_env.agents.naming import game_of_agents
    from strand_env.arena.strangers import show_strangers

    of_game = game_of_agents(agents, game)
    number = of_game.default_players if players is None else players
    show_strangers(agents, of_game, deals, number, seed=seed, drawn=drawn, strength=strength, out=out)


def exploit(
    agent: Annotated[str, typer.Argument(help="Name, file.py:Class, module:Class, or a trained agent's folder.")],
    game: AgentsGame = None,
    variant: VariantName = None,
    deals: Annotated[int, typer.Option(help="Deals, each played in all rotations of the seats.")] = 64,
    players: Annotated[int | None, typer.Option(help="Players at a table; by default the game's usual number.")] = None,
    rollouts: Annotated[
        str, typer.Option(help="Rollouts per decision of the responses, separated by commas.")
    ] = "64,256",
    cutoff: Annotated[
        int | None,
        typer.Option(
            metavar="MOVES",
            help="Moves of each rollout that the agent plays; the game's usual policy plays the rest, which is faster.",
        ),
    ] = None,
    learned: Annotated[
        float | None,
        typer.Option(
            metavar="MINUTES", min=0.01, max=100_000, help="Also train a best response for this long; networks only."
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of all deals and of the agents' random choices.")] = 0,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Folder to save everything in; by default in results/exploit/."),
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Continue the interrupted run in that folder.")] = False,
    processes: Annotated[int, typer.Option(help="Parallel processes.")] = os.cpu_count() or 1,
    ray: RayAddress = None,
) -> None:
    """Measure how much an opponent gains by knowing an agent's policy, in one seat among copies of it."""
    with from_extra("arena", "the arena"):
        import matplotlib  # noqa: F401
        import openskill  # noqa: F401
    from strand_env.agents.naming import agent_of, game_of_agents
    from strand_env.arena.terminal import show_exploit

    of_game = game_of_agents([agent], game)
    number = of_game.default_players if players is None else players
    budgets = [int(each) if each.isdecimal() and len(each) < 20 else each for each in listed(rollouts)]
    agent_of(agent, game=of_game)  # mistakes show before anything is written
    where = [of_game.name, str(number), *([variant] if variant else []), agent]
    folder = out or Path("results", "exploit", re.sub(r"[^\w.-]+", "-", "-".join(where))[-100:])
    show_exploit(
        *(agent, deals, number, seed, folder),
        go_on=shlex.join(["strand", *sys.argv[1:], *([] if resume else ["--resume"])]),
        rollouts=budgets,
        cutoff=cutoff,
        responses=[] if learned is None else [_response(agent, of_game, number, variant, seed, learned, folder)],
        game=of_game,
        variant=variant,
        processes=processes,
        ray=ray,
        resume=resume,
    )


def _response(
    agent: str, game: "Game", players: int, variant: str | None, seed: int, minutes: float, folder: Path
) -> str:
    """The folder of a response trained against an agent; one trained before an interruption is reused."""
    with from_extra("train", "a learned response"):
        from strand_env.train.response import train_response
    from strand_env.agents.naming import agent_of
    from strand_env.agents.network import DESCRIPTION, NetworkAgent

    played = agent_of(agent, game=game)
    if not isinstance(played, NetworkAgent):
        raise ValueError(f"--learned: a response starts from an agent's weights, and {shown(agent)} is no network")
    trained = folder / "response"
    if not os.path.lexists(trained / DESCRIPTION):
        told = console(stderr=True)
        told.print(f"training a response for {minutes:g} minutes …")
        timesteps = train_response(played, game, players, variant, seed, 60 * minutes, trained)
        told.print(f"trained a response for {timesteps:,} timesteps")
    return str(trained)


def rules(
    game: GameName = DEFAULT,
    actions: Annotated[bool, typer.Option("--actions", help="Show the actions by id instead.")] = False,
    observation: Annotated[bool, typer.Option("--observation", help="Show the observation instead.")] = False,
) -> None:
    """Show the rules of a game, as implemented."""
    of_game = game_of(game)
    if actions:
        _show_actions(of_game)
    if observation:
        _show_observation(of_game)
    if not (actions or observation):
        _show_rules(of_game)


def _show_rules(game: "Game") -> None:
    page = game.rules_page()
    if sys.stdout.isatty():
        from rich.console import Console
        from rich.markdown import Markdown

        Console().print(Markdown(page))
    else:
        typer.echo(page, nl=False)


def _show_actions(game: "Game") -> None:
    rows = ((str(action), game.describe(action)) for action in range(game.num_actions))
    _print_table(f"{game.title}: {game.num_actions} actions", ("id", "meaning"), rows)


def _show_observation(game: "Game") -> None:
    layout = game.batch(1, game.default_players).layout
    rows = ((_span(part.slice.start, part.slice.stop - 1), part.name, part.meaning) for part in layout)
    _print_table(f"{game.title}: an observation of {layout.size} entries", ("entries", "section", "meaning"), rows)


def _span(first: int, last: int) -> str:
    return f"{first}–{last}" if first < last else str(first)


def _print_table(title: str, columns: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> None:
    from rich.box import SIMPLE
    from rich.table import Table

    table = Table(title=title or None, title_justify="left", box=SIMPLE, padding=(0, 1, 0, 0))
    for column in columns:  # in narrow terminals only the last one is wrapped, so that names can be read
        table.add_column(column, no_wrap=column != columns[-1])
    for row in rows:
        add_row(table, row)
    console().print(table)


def compile(
    game: Annotated[str | None, typer.Option(help="Only this game; by default all of them.")] = None,
) -> None:
    """Compile all kernels ahead of time; otherwise they are compiled on first use."""
    from strand_env.bench.compiling import compile_kernels

    for each in map(game_of, game_names() if game is None else [game]):
        start = time.perf_counter()
        compile_kernels(each)
        typer.echo(f"{each.name}: all kernels compiled or loaded in {time.perf_counter() - start:.1f} s")


COMMANDS: tuple[Callable[..., None], ...] = (
    *(games, rules, play, watch, replay, arena, strangers, exploit),
    *(train, inspect, export, bench, compile),
)
for command in COMMANDS:
    app.command()(command)
