"""Writes docs/leaderboard.md: `make leaderboard`. It goes on where it was interrupted."""

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from textwrap import fill
from typing import Annotated

import numpy as np
import typer
from rich.progress import Progress
from strand_env.agents.strand_unter.heuristics import Heuristic, Tide
from strand_env.agents.strand_unter.weights import Weights

from strand_env.arena import Estimate, Results, Standing, run_arena, versus
from strand_env.files import write_whole

PAGE = Path(__file__).with_name("leaderboard.md")
HEURISTICS = ("tide", "mason", "sprinter", "dodger", "greedy", "random")
SEARCHES = ("mc:64", "mc:256", "mc:1024", "rm:64", "rm:256", "rm:1024", "cheater:256")
REFERENCE = "tide"
PLAYERS = (4, 3, 2)

# More rollouts against fewer
DUEL_DEALS = 128
DUELS = (("mc:256", "mc:64"), ("mc:1024", "mc:256"), ("rm:256", "rm:64"), ("rm:1024", "rm:256"))

# The weights of the reference with which it does not …
IDEAS: dict[str, Weights] = {
    "reckon with what the others may set": {"others": 0.0},
    "reckon with grooves that the others thin out": {"crowd": 0.0},
    "prefer shells for one card to those for another": {"shell": (float(np.mean(Tide.weights["shell"])),) * 4},
    "mind shells that find no place": {"unfit": 0.0},
    "look how many castles are ready before taking another": {"castle": (float(np.mean(Tide.weights["castle"])),) * 4},
    "look which castle it takes": {"pick_missing": 0.0, "pick_value": 0.0},
    "wait at low tide": {"wait": (0.0,) * 8},
    "expect the game to end before its last round": {"pace": 20.0, "reach": 20.0},
    "look who is ahead before ending the game": {"finish": 0.0},
    "vary what it does where it hardly matters": {"heat": 0.0005},
}

NOTE = "<!-- Written by `make leaderboard`; change docs/leaderboard.py, not this page. -->"

Row = list[str]
Shares = dict[tuple[str, int], Estimate]


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

    def shares(self, agents: Iterable[str], deals: Callable[[str], int], against: str) -> Shares:
        """By agent and number of players: the share of the win against copies, in so many deals."""
        return {
            (agent, players): self.play([agent], deals(agent), players, against).standings[0].win
            for agent in agents
            for players in PLAYERS
        }

    def without_ideas(self, deals: int) -> Iterator[Row]:
        """For each idea the share of the win of one who lacks it among three who have it, and the other way round."""
        for idea, change in self.progress.track(IDEAS.items(), description="without an idea"):
            lacking = Heuristic(Tide.weights | change)
            yield [idea, *(percent(versus(*pair, deals).win) for pair in ((lacking, Tide()), (Tide(), lacking)))]


def percent(estimate: Estimate) -> str:
    """The mean, and how far the ends of the interval are from it at the most."""
    return f"{estimate.mean:.1%} ± {max(estimate.high - estimate.mean, estimate.mean - estimate.low) * 100:.1f}"


def paragraph(*lines: str) -> str:
    return fill(" ".join(lines), 120, break_long_words=False, break_on_hyphens=False)


def table(head: Row, rows: Iterable[Row]) -> list[str]:
    lines = [head, ["---"] + ["---:"] * (len(head) - 1), *rows]
    return [f"| {' | '.join(line)} |" for line in lines] + [""]


def page(board: Leaderboard, deals: int, search: int) -> list[str]:
    def deals_of(agent: str) -> int:
        _, _, rollouts = agent.partition(":")
        return max(search // int(rollouts), 1) if rollouts else deals

    seats = [f"{players} players" for players in PLAYERS]
    against_random = board.shares([name for name in HEURISTICS if name != "random"], deals_of, "random")
    others = [*SEARCHES, *(name for name in HEURISTICS if name != REFERENCE)]
    against_reference = board.shares(others, deals_of, REFERENCE)
    duels = [
        [f"`{more}` against `{fewer}`", *_outcome(board.play([more], DUEL_DEALS, 2, fewer).standings)]
        for more, fewer in DUELS
    ]
    ideas = list(board.without_ideas(deals))
    fields = {players: board.play(HEURISTICS, deals, players) for players in PLAYERS}
    lines = [
        NOTE,
        "",
        "# Leaderboard",
        "",
        paragraph(
            "Shares of the win, with 95 % intervals bootstrapped over deals. Every deal is played in all rotations of",
            "the seats: see [the arena](arena.md). Who the agents are: see [agents](agents.md).",
        ),
        "",
        f"## One against copies of the reference, `{REFERENCE}`",
        "",
        "By chance it would be 25, 33.3 and 50 %. Searching takes long, so the more rollouts the fewer deals.",
        "",
        *table(
            ["agent", *seats, "deals"],
            [
                [f"`{name}`", *(percent(against_reference[name, n]) for n in PLAYERS), f"{deals_of(name):,}"]
                for name in others
            ],
        ),
        paragraph(
            "`cheater` searches like `mc`, but sees all that will be drawn; it sees neither the others' dials nor what",
            "they mean to do. It is the ceiling: what it wins beyond `mc` is what luck with the draws is worth.",
        ),
        "",
        "## One against random players",
        "",
        f"{deals:,} deals.",
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
            "`with x` is the share of the win in games in which x has a seat, too; at tables of two that is the duel.",
            "The rating is OpenSkill's Bradley–Terry.",
        ),
        "",
        "## More rollouts against fewer, 2 players",
        "",
        f"{DUEL_DEALS} deals.",
        "",
        *table(["", "win", "points", "against"], duels),
        "## What makes the reference strong",
        "",
        paragraph(
            f"`{REFERENCE}` without one of its ideas: alone among three who have it, and one who has it among three",
            f"who lack it; 4 players, {deals:,} deals, 25 % if it made no difference. Below 25 % in the first column",
            "and above in the second, an idea is worth having whatever the others do.",
        ),
        "",
        *table(["it does not …", "one without among three with", "one with among three without"], ideas),
    ]
    return lines


def _outcome(standings: list[Standing]) -> Row:
    """Of a duel: the first one's share of the win, and the points of both."""
    return [percent(standings[0].win), *(f"{standing.score.mean:.1f}" for standing in standings)]


def _field_row(results: Results, agent: int, order: list[int]) -> Row:
    standing, rating = results.standings[agent], results.ratings[agent]
    numbers = [standing.score, standing.statistics["castles built"], standing.statistics["flooded"]]
    duels = [percent(results.crossplay[agent][other]) if other != agent else "" for other in order]
    means = [f"{number.mean:.2f}" for number in numbers]
    return [f"`{standing.agent}`", percent(standing.win), *means, f"{rating.mu:.1f}", *duels]


def main(
    deals: Annotated[int, typer.Option(help="For heuristics.")] = 2000,
    search: Annotated[int, typer.Option(help="Deals times rollouts, for agents that search.")] = 16_384,
    results: Annotated[Path, typer.Option(help="Where all results are kept.")] = Path("results/leaderboard"),
    out: Annotated[Path, typer.Option(help="The page.")] = PAGE,
) -> None:
    """Plays all agents against each other and writes the page."""
    with Progress() as progress:
        lines = page(Leaderboard(results, progress), deals, search)
    write_whole(out, "\n".join(lines).encode())
    typer.echo(f"wrote {out}")


if __name__ == "__main__":
    typer.run(main)
