"""The commands `strand play` and `strand watch`. They import what is heavy when they run."""

import threading
import webbrowser
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Annotated

import typer

from strand_env.support.extras import MissingExtra, from_extra

if TYPE_CHECKING:
    from strand_env.play.session import Recording, Session

YOU = "you"
HINTS = "tide,learned,mc:256,rm:256"

Port = Annotated[int, typer.Option(min=0, max=65535, help="Of the page on this machine; 0 is a free one.")]
NoBrowser = Annotated[bool, typer.Option("--no-browser", help="Only tell where the page is.")]
Seed = Annotated[int | None, typer.Option(min=0, max=2**64 - 1, help="Decides the deal and all chance.")]


def play(
    opponents: Annotated[
        str, typer.Option(metavar="AGENTS", help="One for all other seats, or one for each, with commas between.")
    ] = "tide",
    players: Annotated[
        int | None, typer.Option(min=2, help="At the table; 4, or as many as there are opponents, and you.")
    ] = None,
    seat: Annotated[int, typer.Option(min=0, help="Where you sit.")] = 0,
    hints: Annotated[
        str | None,
        typer.Option(metavar="AGENTS", help=f"Who may be asked for hints, with commas between; else {HINTS}."),
    ] = None,
    seed: Seed = None,
    terminal: Annotated[bool, typer.Option("--terminal", help="Play here instead of in the browser.")] = False,
    port: Port = 0,
    no_browser: NoBrowser = False,
) -> None:
    """Play against agents: in the browser, or in the terminal."""
    names = _listed(opponents)
    if not names:
        raise ValueError("opponents: expected at least one agent, as tide or tide,mc:256")
    number = players or (4 if len(names) == 1 else len(names) + 1)
    if len(names) == 1:
        names *= number - 1
    if len(names) != number - 1:
        raise ValueError(f"opponents: expected one agent, or {number - 1} for {number} players; got {len(names)}")
    if seat >= number:
        raise ValueError(f"seat: expected one from 0 to {number - 1}, got {seat}")
    names.insert(seat, YOU)
    if not terminal:
        _import_server()  # before anything else that may be missing: it brings that, too
    with _session(names, seed, seat, _available(HINTS) if hints is None else _listed(hints)) as session:
        if terminal:
            from strand_env.play.terminal import play_in_terminal

            play_in_terminal(session)
        else:
            _serve(session, port, no_browser)


def watch(
    what: Annotated[
        list[str], typer.Argument(metavar="REPLAY|AGENTS…", help="A file with a replay, or an agent for each seat.")
    ],
    seed: Seed = None,
    port: Port = 0,
    no_browser: NoBrowser = False,
) -> None:
    """Watch a replay, or a game of agents, in the browser."""
    if len(what) == 1 and Path(what[0]).is_file():
        from strand_env.play.session import Recording
        from strand_env.replays.replay import Replay

        _serve(Recording(Replay.load(what[0])), port, no_browser)
        return
    if len(what) == 1:
        raise ValueError(f"{what[0]}: expected a file with a replay, or an agent for each seat")
    with _session(what, seed) as session:
        _serve(session, port, no_browser)


def _listed(names: str) -> list[str]:
    return [name for name in (each.strip() for each in names.split(",")) if name]


def _available(names: str) -> list[str]:
    """Those whose packages are installed."""
    from strand_env.agents import agent_of

    available = []
    for name in _listed(names):
        with suppress(MissingExtra):
            agent_of(name)
            available.append(name)
    return available


def _session(names: list[str], seed: int | None, seat: int | None = None, hints: Sequence[str] = ()) -> "Session":
    """A game of agents by name, with a person in one of the seats."""
    from strand_env.agents import agent_of
    from strand_env.engine.randomness import fresh_seed
    from strand_env.play.session import Session
    from strand_env.strand_unter import GAME

    if len(names) not in GAME.player_counts:
        raise ValueError(f"players: expected one of {list(GAME.player_counts)}, got {len(names)}")
    agents = [None if number == seat else agent_of(name) for number, name in enumerate(names)]
    batch = GAME.batch(1, len(names), fresh_seed() if seed is None else seed)
    # Who gives hints thinks at the same time as the opponents, so each is an agent of its own.
    return Session(GAME, batch, agents, names, {name: agent_of(name) for name in hints})


def _serve(shown: "Session | Recording", port: int, no_browser: bool) -> None:
    server = _import_server()
    listening = server.listen(port)
    address = f"http://{server.HOST}:{listening.getsockname()[1]}/"
    typer.echo(f"The page is at {address} · Ctrl-C ends it")
    if not no_browser:  # beside it, since a browser of the terminal waits for the page
        threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
    server.serve(shown, listening)


def _import_server() -> ModuleType:
    with from_extra("web", "the page"):
        from strand_env.play import server
    return server
