"""Writes docs/leaderboard.md: `make leaderboard`. It goes on where it was interrupted."""

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from textwrap import fill
from typing import Annotated

import typer
from rich.progress import Progress
from strand_env.agents.strand_unter.heuristics import Greedy, Heuristic, Tide

from strand_env.arena import Estimate, Results, run_arena, versus
from strand_env.files import write_whole

PAGE = Path(__file__).with_name("leaderboard.md")
HEURISTICS = ("tide", "mason", "sprinter", "dodger", "greedy", "random")
SEARCHES = ("mc:64", "mc:256", "mc:1024", "rm:64", "rm:256", "rm:1024", "cheater:1024")
REFERENCE = "tide"
PLAYERS = (4, 3, 2)

# The reference without one of its ideas: what these count for the greedy one, who has none of them.
IDEAS = {
    "reckons with what the others may set": ("others", "guess", "crowd"),
    "waits at low tide": ("wait",),
    "foresees the end of the game and the flood": ("pace", "doubt", "reach"),
    "knows when to end the game": ("finish",),
    "weighs shells": ("shell", "wild", "unfit"),
    "weighs castles": ("castle", "pick_missing", "pick_value", "value"),
    "is not quite predictable": ("heat",),
}

NOTE = "<!-- Written by `make leaderboard`; change docs/leaderboard.py, not this page. -->"

Row = list[str]


class Leaderboard:
    """Plays what has not been played yet, and keeps it in a folder."""

    def __init__(self, folder: Path, progress: Progress) -> None:
        self.folder = folder
        self.progress = progress

    def play(self, agents: Iterable[str], deals: int, players: int, against: str | None = None) -> Results:
        """Everybody with everybody, or each against copies of one."""
        agents = list(agents)
        name = "-".join((*agents, *(("vs", against) if against else ()))).replace(":", "")
        bar = self.progress.add_task(f"{players} players: {' '.join(agents)}", total=deals)
        return run_arena(
            agents,
            deals,
            players,
            versus=against,
            processes=os.cpu_count() or 1,
            out=self.folder / f"{name}-{players}-{deals}",
            resume=True,
            watch=lambda done: self.progress.update(bar, completed=done),
        )

    def shares(self, agents: Sequence[str], deals: int, against: str) -> dict[tuple[str, int], Estimate]:
        """By agent and number of players: the share of the win against copies."""
        return {
            (agent, players): self.play([agent], deals, players, against).standings[0].win
            for agent in agents
            for players in PLAYERS
        }

    def without_ideas(self, deals: int) -> dict[str, Estimate]:
        """The share of the win of the reference without one of its ideas, against three with all of them."""
        found = {}
        for idea, names in self.progress.track(IDEAS.items(), description="without an idea"):
            weights = Tide.weights | {name: Greedy.weights[name] for name in names}
            found[idea] = versus(Heuristic(weights), REFERENCE, deals).win
        return found


def percent(estimate: Estimate) -> str:
    """The mean, and how far the ends of the interval are from it at the most."""
    return f"{estimate.mean:.1%} ± {max(estimate.high - estimate.mean, estimate.mean - estimate.low) * 100:.1f}"


def paragraph(*lines: str) -> str:
    return fill(" ".join(lines), 120, break_long_words=False, break_on_hyphens=False)


def table(head: Row, rows: Iterable[Row]) -> list[str]:
    lines = [head, ["---"] + ["---:"] * (len(head) - 1), *rows]
    return [f"| {' | '.join(line)} |" for line in lines] + [""]


def page(board: Leaderboard, deals: int, search_deals: int) -> list[str]:
    seats = [f"{players} players" for players in PLAYERS]
    against_random = board.shares([name for name in HEURISTICS if name != "random"], deals, "random")
    against_reference = board.shares([name for name in HEURISTICS if name != REFERENCE], deals, REFERENCE)
    searches = board.shares(SEARCHES, search_deals, REFERENCE)
    fields = {players: board.play(HEURISTICS, deals, players) for players in PLAYERS}
    lines = [
        NOTE,
        "",
        "# Leaderboard",
        "",
        paragraph(
            "Shares of the win, with 95 % intervals bootstrapped over deals. Every deal is played in all rotations of the",
            "seats: see [the arena](arena.md). Who the agents are: see [agents](agents.md).",
        ),
        "",
        f"## One against copies of the reference, `{REFERENCE}`",
        "",
        paragraph(
            f"By chance it would be 25, 33.3 and 50 %. {deals:,} deals for heuristics, {search_deals:,} for those who",
            f"search: with 4 players {4 * deals:,} and {4 * search_deals:,} games each.",
        ),
        "",
        *table(
            ["agent", *seats],
            [
                [f"`{name}`", *(percent(shares[name, players]) for players in PLAYERS)]
                for shares, names in ((searches, SEARCHES), (against_reference, HEURISTICS))
                for name in names
                if name != REFERENCE
            ],
        ),
        paragraph(
            "`cheater` searches like `mc`, but sees all that will be drawn; it sees neither the others' dials nor what",
            "they mean to do. It is the ceiling: what it wins beyond `mc` is what luck with the draws is worth.",
        ),
        "",
        "## One against random players",
        "",
        *table(
            ["agent", *seats],
            [
                [f"`{name}`", *(percent(against_random[name, players]) for players in PLAYERS)]
                for name in HEURISTICS
                if name != "random"
            ],
        ),
    ]
    for players, results in fields.items():
        order = results.best_first
        lines += [f"## Everybody with everybody, {players} players", "", f"{results.plan.title}.", ""]
        lines += table(
            ["agent", "win", "score", "castles built", "flooded", "rating", *(f"with {HEURISTICS[i]}" for i in order)],
            [_field_row(results, agent, order) for agent in order],
        )
    lines += [
        paragraph(
            "`with x` is the share of the win in games in which x has a seat, too; at tables of two that is the duel. The",
            "rating is OpenSkill's Bradley–Terry.",
        ),
        "",
        "## What makes the reference strong",
        "",
        paragraph(
            f"`{REFERENCE}` with one of its ideas put back to what it is for `greedy`, against three with all of them;",
            f"4 players, {deals:,} deals. The further below 25 %, the more the idea is worth.",
        ),
        "",
        *table(["without: it …", "win"], [[idea, percent(win)] for idea, win in board.without_ideas(deals).items()]),
    ]
    return lines


def _field_row(results: Results, agent: int, order: list[int]) -> Row:
    standing, rating = results.standings[agent], results.ratings[agent]
    numbers = [standing.score, standing.statistics["castles built"], standing.statistics["flooded"]]
    duels = [percent(results.crossplay[agent][other]) if other != agent else "" for other in order]
    means = [f"{number.mean:.2f}" for number in numbers]
    return [f"`{standing.agent}`", percent(standing.win), *means, f"{rating.mu:.1f}", *duels]


def main(
    deals: Annotated[int, typer.Option(help="For heuristics.")] = 2000,
    search_deals: Annotated[int, typer.Option(help="For agents that search.")] = 200,
    results: Annotated[Path, typer.Option(help="Where all results are kept.")] = Path("results/leaderboard"),
    out: Annotated[Path, typer.Option(help="The page.")] = PAGE,
) -> None:
    """Plays all agents against each other and writes the page."""
    with Progress() as progress:
        lines = page(Leaderboard(results, progress), deals, search_deals)
    write_whole(out, "\n".join(lines).encode())
    typer.echo(f"wrote {out}")


if __name__ == "__main__":
    typer.run(main)
