"""The commands `strand play` and `strand watch`. They import what is heavy when they run."""

import threading
import webbrowser
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Annotated

import typer

from strand_env.engine.checks import printable, shown
from strand_env.support.extras import MissingExtra, from_extra
from strand_env.support.options import AgentsGame, Observing, VariantName, listed, observer_of

if TYPE_CHECKING:
    from strand_env.engine.game import Game
    from strand_env.play.session import Recording, Session

YOU = "you"

Port = Annotated[int, typer.Option(min=0, max=65535, help="Port of the page on this machine; 0 takes a free one.")]
NoBrowser = Annotated[bool, typer.Option("--no-browser", help="Only print the address of the page.")]
Seed = Annotated[int | None, typer.Option(min=0, max=2**64 - 1, help="Seed of the deal and all random events.")]


def play(
    game: AgentsGame = None,
    variant: VariantName = None,
    opponents: Annotated[
        str | None,
        typer.Option(
            metavar="AGENTS",
            help="One agent for all other seats, or one for each, comma-separated; by default the game's reference.",
        ),
    ] = None,
    players: Annotated[
        int | None,
        typer.Option(help="Players at the table; by default you and the opponents, or the game's usual number."),
    ] = None,
    seat: Annotated[int, typer.Option(help="Your seat.")] = 0,
    hints: Annotated[
        str | None,
        typer.Option(metavar="AGENTS", help="Agents to ask for hints, separated by commas; by default the game's own."),
    ] = None,
    seed: Seed = None,
    terminal: Annotated[bool, typer.Option("--terminal", help="Play here instead of in the browser.")] = False,
    port: Port = 0,
    no_browser: NoBrowser = False,
) -> None:
    """Play against agents: in the browser, or in the terminal."""
    from strand_env.agents.naming import game_of_agents
    from strand_env.engine.checks import whole_number

    given = None if opponents is None else listed(opponents)
    of_game = game_of_agents(given or (), game)
    reference = of_game.agents.reference
    names = [reference] if given is None else given
    if not names:
        raise ValueError(f"opponents: expected at least one agent, as {reference} or {reference},mc:256")
    number = (of_game.default_players if len(names) == 1 else len(names) + 1) if players is None else players
    _check_players(of_game, number)
    if len(names) == 1:
        names *= number - 1
    if len(names) != number - 1:
        raise ValueError(f"opponents: expected one agent, or {number - 1} for {number} players; got {len(names)}")
    names.insert(whole_number("seat", seat, 0, number - 1), YOU)
    if not terminal:
        _import_server()  # before anything else that may be missing: it brings that, too
    advisers = _available(of_game, of_game.agents.hints) if hints is None else listed(hints)
    with _session(of_game, variant, names, seed, seat, advisers) as session:
        if terminal:
            from strand_env.play.terminal import play_in_terminal

            play_in_terminal(session)
        else:
            _serve(session, port, no_browser)


def watch(
    what: Annotated[
        list[str], typer.Argument(metavar="REPLAY|AGENTS…", help="A file with a replay, or an agent for each seat.")
    ],
    game: AgentsGame = None,
    variant: VariantName = None,
    seat: Observing = "all",
    seed: Seed = None,
    port: Port = 0,
    no_browser: NoBrowser = False,
) -> None:
    """Watch a replay, or a game of agents, in the browser."""
    if len(what) == 1 and Path(what[0]).is_file():
        from strand_env.play.session import Recording
        from strand_env.registry import game_of
        from strand_env.replays.replay import Replay

        replay = Replay.load(what[0])
        if game is not None and game_of(game).id != replay.game.id:
            raise ValueError(f"game: {printable(what[0])} is a replay of {replay.game.id}, not of {game_of(game).id}")
        if variant is not None and variant != replay.variant:
            raise ValueError(f"variant: {printable(what[0])} is a replay of {replay.variant}, not of {shown(variant)}")
        _serve(Recording(replay, observer_of(seat, replay.players)), port, no_browser)
        return
    if len(what) == 1:
        raise ValueError(f"{printable(what[0])}: expected a file with a replay, or an agent for each seat")
    from strand_env.agents.naming import game_of_agents

    of_game = game_of_agents(what, game)
    _check_players(of_game, len(what))
    session = _session(of_game, variant, what, seed)
    session.observer = observer_of(seat, len(what))
    with session:
        _serve(session, port, no_browser)


def _check_players(game: "Game", number: int) -> None:
    from strand_env.engine.checks import whole_number

    whole_number("players", number, game.player_counts[0], game.player_counts[-1])


def _available(game: "Game", names: Sequence[str]) -> list[str]:
    """Those whose packages are installed."""
    from strand_env.agents import agent_of

    available = []
    for name in names:
        with suppress(MissingExtra):
            agent_of(name, game=game)
            available.append(name)
    return available


def _session(
    game: "Game",
    variant: str | None,
    names: list[str],
    seed: int | None,
    seat: int | None = None,
    hints: Sequence[str] = (),
) -> "Session":
    """A game of agents by name, with a person in one of the seats."""
    from strand_env.agents import agent_of
    from strand_env.engine.randomness import fresh_seed
    from strand_env.play.session import Session

    agents = [None if number == seat else agent_of(name, game=game) for number, name in enumerate(names)]
    batch = game.batch(1, len(names), fresh_seed() if seed is None else seed, variant=variant)
    # Agents that give hints think at the same time as the opponents, so each is made for itself.
    advisers = {name: agent_of(name, game=game) for name in hints}
    return Session(game, batch, agents, names, advisers, seeded=seed is not None)


def _serve(shown: "Session | Recording", port: int, no_browser: bool) -> None:
    server = _import_server()
    listening = server.listen(port)
    address = f"http://{server.HOST}:{listening.getsockname()[1]}/"
    typer.echo(f"The page is at {address} · Ctrl-C stops it")
    if not no_browser:  # in a thread, since a browser of the terminal waits for the page
        threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
    server.serve(shown, listening)


def _import_server() -> ModuleType:
    with from_extra("web", "the page"):
        from strand_env.play import server
    return server
