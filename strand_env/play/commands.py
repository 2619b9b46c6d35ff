"""The commands `strand play` and `strand watch`. They import what is heavy when they run."""

import threading
import webbrowser
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from strand_env.extras import from_extra

if TYPE_CHECKING:
    from strand_env.play.session import Recording, Session

YOU = "you"

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
        str, typer.Option(metavar="AGENTS", help="Who may be asked for hints, with commas between.")
    ] = "tide,learned,mc:256,rm:256",
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
    with _session(names, seed, seat, _listed(hints)) as session:
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
        from strand_env.replay import Replay

        _serve(Recording(Replay.load(what[0])), port, no_browser)
        return
    if len(what) == 1 and what[0].endswith(".json"):
        raise ValueError(f"{what[0]}: there is no such file")
    with _session(what, seed) as session:
        _serve(session, port, no_browser)


def _listed(names: str) -> list[str]:
    return [name for name in (each.strip() for each in names.split(",")) if name]


def _session(names: list[str], seed: int | None, seat: int | None = None, hints: Sequence[str] = ()) -> "Session":
    """A game of agents by name, with a person in one of the seats."""
    from strand_env.agents import agent_of
    from strand_env.catalogue import STRAND_UNTER as GAME
    from strand_env.play.session import Session
    from strand_env.randomness import fresh_seed

    if len(names) not in GAME.player_counts:
        raise ValueError(f"players: expected one of {list(GAME.player_counts)}, got {len(names)}")
    agents = [None if number == seat else agent_of(name) for number, name in enumerate(names)]
    batch = GAME.batch(1, len(names), fresh_seed() if seed is None else seed)
    # Who gives hints thinks at the same time as the opponents, so each is an agent of its own.
    return Session(GAME, batch, agents, names, {name: agent_of(name) for name in hints})


def _serve(shown: "Session | Recording", port: int, no_browser: bool) -> None:
    with from_extra("web", "the page"):
        from strand_env.play.server import HOST, listen, serve
    listening = listen(port)
    address = f"http://{HOST}:{listening.getsockname()[1]}/"
    typer.echo(f"The page is at {address} · Ctrl-C ends it")
    if not no_browser:  # beside it, since a browser of the terminal waits for the page
        threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
    serve(shown, listening)
