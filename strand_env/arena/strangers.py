"""Agents against strangers: opponents that no agent has met, several copies of one against one agent."""

import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from strand_env.agents import agent_of
from strand_env.agents.strangers import strangers_of
from strand_env.arena.run import versus
from strand_env.arena.statistics import Estimate
from strand_env.arena.terminal import progress_of
from strand_env.engine.checks import entries, fields_of, real_number
from strand_env.engine.checks import shown as shown_value
from strand_env.engine.game import Game
from strand_env.support.files import write_whole
from strand_env.support.printing import add_row, console, line
from strand_env.support.reading import naming, read_json

Wins = dict[str, dict[str, Estimate]]
"""Win rates by agent, then by stranger."""

RANDOM = "random"


def judge(
    agents: Sequence[str],
    game: Game,
    deals: int,
    players: int,
    seed: int = 0,
    drawn: int = 0,
    strength: bool = False,
    out: Path | None = None,
    watch: Callable[[int], None] = lambda done: None,
) -> tuple[Wins, Wins]:
    """Each agent against copies of each stranger: win rates, in every seat of every deal.

    The second result is how strong the strangers are themselves, if that is asked for: each against copies of the
    reference and against random players. `drawn` is the seed of the strangers' perturbed weights. With `out`, a JSON
    file, finished pairs are kept, and not played again.
    """
    strangers = strangers_of(game, drawn)
    known = {name: agent_of(name, game=game) for name in agents}  # mistakes show before anything is played
    known |= {name: agent_of(name, game=game) for name in (game.agents.reference, RANDOM)}
    setting = {"game": game.id, "players": players, "deals": deals, "seed": seed, "drawn": drawn}
    kept = _kept(out, setting)
    pairs = [(name, stranger, False) for name in agents for stranger in strangers]
    if strength:
        pairs += [(name, stranger, True) for name in (game.agents.reference, RANDOM) for stranger in strangers]
    wins: tuple[Wins, Wins] = {}, {}
    for done, (name, stranger, turned) in enumerate(pairs):
        watch(done)
        key = f"{stranger} against {name}" if turned else f"{name} against {stranger}"
        if key not in kept:
            two = strangers[stranger], known[name]
            win = versus(*(two if turned else two[::-1]), deals, players, seed, game).win
            kept[key] = list(win)
            if out is not None:
                write_whole(out, (json.dumps({**setting, "wins": kept}, indent=2) + "\n").encode())
        wins[turned].setdefault(name, {})[stranger] = Estimate(*kept[key])
    watch(len(pairs))
    return wins


def _kept(out: Path | None, setting: dict[str, Any]) -> dict[str, list[float]]:
    """The finished pairs in a file. What is there is never overwritten by results of another setting."""
    if out is None or not os.path.lexists(out):
        return {}
    data = read_json(out)
    with naming(out):
        fields_of("results", data, (*setting, "wins"))
        if {name: data[name] for name in setting} != setting:
            raise ValueError("these are results of other deals, players or strangers; give another file")
        if not isinstance(data["wins"], dict):
            raise ValueError(f"wins: expected an object, got {shown_value(data['wins'])}")
        return {
            str(pair): [real_number(f"wins: {shown_value(pair)}", share, 0, 1) for share in entries("wins", win, 3)]
            for pair, win in data["wins"].items()
        }


def worst_of(wins: dict[str, Estimate]) -> str:
    """The stranger against whom an agent wins least."""
    return min(wins, key=lambda stranger: wins[stranger].mean)


def rows_of(wins: Wins, strength: Wins, bold: Callable[[str], str]) -> list[list[str]]:
    """The lines of a table, its head first; the worst of each agent in bold."""
    strangers = list(next(iter(wins.values())))
    head = ["stranger", *wins, *(f"itself against {name}" for name in strength)]
    lines = [head]
    for stranger in strangers:
        cells = []
        for of_agent in wins.values():
            text = shown(of_agent[stranger])
            cells.append(bold(text) if stranger == worst_of(of_agent) else text)
        lines.append([stranger, *cells, *(shown(of_agent[stranger]) for of_agent in strength.values())])
    return lines


def shown(win: Estimate) -> str:
    return f"{100 * win.mean:.1f} ±{50 * (win.high - win.low):.1f}"


def show_strangers(agents: Sequence[str], game: Game, deals: int, players: int, **options: Any) -> None:
    """Plays with a progress bar, and prints the table."""
    from rich.box import SIMPLE
    from rich.table import Table
    from rich.text import Text

    number = len(strangers_of(game, options["drawn"]))
    total = number * (len(agents) + (2 if options["strength"] else 0))
    with progress_of(total, console(stderr=True), "pairs") as watch:
        wins, strength = judge(agents, game, deals, players, watch=watch, **options)
    head, *lines = rows_of(wins, strength, lambda text: f"*{text}")
    title = f"One agent against {players - 1} copies of a stranger: {game.id}, {deals:,} deals, win %"
    table = Table(title=title, title_justify="left", box=SIMPLE)
    for name in head:
        table.add_column(Text(line(name)), justify="left" if name == head[0] else "right")
    for cells in lines:
        add_row(table, cells)
    console().print(table)
    for name, of_agent in wins.items():
        worst = worst_of(of_agent)
        mean = sum(win.mean for win in of_agent.values()) / len(of_agent)
        console().print(line(f"{name}: worst {shown(of_agent[worst])} % (*, {worst}), on average {100 * mean:.1f} %"))
