"""Writes each game's leaderboard and its plot into docs/: `make leaderboard`. It continues where it was interrupted.

With `--game`, only that game's. `PROGRAMMES` has what is played besides all agents with each other.
"""

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from textwrap import fill
from typing import Annotated

import numpy as np
import typer
from rich.progress import Progress

from strand_env.agents.network import DESCRIPTION, LOOKAHEAD, WEIGHTS
from strand_env.agents.strand_unter.heuristics import Heuristic, Tide
from strand_env.agents.weights import Weights
from strand_env.arena import Estimate, Results, Standing, run_arena, versus
from strand_env.engine.game import Game
from strand_env.pictures.plots import INK, SAND, SEA, picture
from strand_env.registry import DEFAULT, game_of
from strand_env.support.cluster import connected
from strand_env.support.files import write_whole
from strand_env.support.options import RayAddress

STRAND_UNTER = "strand_unter"
ROLLOUTS = (64, 256, 1024)


@dataclass(frozen=True)
class Programme:
    """What the searches of a game play, and what is shown of it. Deals are fewer where searches are slow."""

    searches: Sequence[str]  # against the reference alone; a trained agent that looks ahead is one of them
    search_deals: int
    growing: Mapping[str, str]  # kinds of search that get more and more rollouts, by their colours in the plot
    growth_deals: Mapping[int, int]  # by number of players
    duels: Sequence[tuple[str, str]]  # the first against copies of the second, at the smallest table
    duel_deals: int
    about_duels: str = ""
    rollouts: Sequence[int] = ROLLOUTS  # of the searches that get more and more
    columns: Sequence[str] | None = None  # of what the game counts; None: all of it
    sees: str = "all that is hidden"  # the cheater
    hidden: str = "it"  # what it sees, in short

    def with_at_most(self, deals: int) -> "Programme":
        growth_deals = {players: min(number, deals) for players, number in self.growth_deals.items()}
        fewer = {"search_deals": min(self.search_deals, deals), "duel_deals": min(self.duel_deals, deals)}
        return replace(self, growth_deals=growth_deals, **fewer)


PROGRAMMES = {
    STRAND_UNTER: Programme(
        searches=("mc:64", "rm:64", "cheater:64"),
        search_deals=2000,
        growing={"mc": SEA, "rm": SAND, "cheater": INK},
        growth_deals={4: 64, 3: 64, 2: 64},
        duels=[(f"{kind}:{more}", f"{kind}:{fewer}") for kind in ("mc", "rm") for fewer, more in pairwise(ROLLOUTS)],
        duel_deals=128,
        about_duels="More rollouts against fewer",
        columns=("castles built", "flooded"),
        sees="all that will be drawn; it sees neither the others' dials nor what they mean to do",
        hidden="the draws",
    ),
    "maui": Programme(
        searches=("learned", "uct:64", "mc:64", "cheater:64"),
        search_deals=50,
        growing={"uct": SEA, "mc": SAND},
        growth_deals={2: 160},
        duels=[(f"uct:{rollouts}", f"mc:{rollouts * 9 // 8}") for rollouts in ROLLOUTS],
        duel_deals=160,
        about_duels="`uct` against `mc` with an eighth more rollouts, which takes as much time",
        columns=("track points", "pearl points", "penalties", "towels", "rounds"),
        sees="all that will be drawn",
        hidden="the draws",
    ),
    "sea_or_shore": Programme(
        searches=("learned", "mc:64", "uct:64", "cheater:64"),
        search_deals=40,
        growing={"cheater": INK, "mc": SEA},
        growth_deals={4: 100},
        duels=[("uct:64", "mc:100"), ("uct:256", "mc:800")],
        duel_deals=50,
        about_duels="`uct` against `mc` with so many more rollouts that it takes as much time",
        rollouts=(16, 64, 256),
        sees="all hands and covered cards, and all that will be drawn",
        hidden="the hands",
    ),
}

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

ABOUT_ALPHA_RANK = (
    "[α-rank](arena.md#what-is-measured) is OpenSpiel's, of this matrix: agents that beat each other in a circle would",
    "share it, which no rating can show.",
)
NOTE = "<!-- Written by `make leaderboard`; change docs/leaderboard.py, not this page. -->"

Row = list[str]
Shares = dict[tuple[str, int], Estimate]
Growth = dict[tuple[str, int, int], Results]  # by kind of search, rollouts and players


class Leaderboard:
    """Plays what has not been played yet, and keeps it in a folder."""

    def __init__(
        self, game: Game, deals: int, folder: Path, processes: int, ray: str | None, progress: Progress
    ) -> None:
        known = game.agents
        self.game = game
        self.deals = deals
        self.programme = PROGRAMMES[game.name].with_at_most(deals)
        self.reference = known.reference
        everybody = (*known.trained, *reversed(list(known.heuristics)), "random")
        self.field = tuple(name for name in everybody if name not in self.programme.searches)
        self.players = tuple(reversed(game.player_counts))
        self.folder = folder
        self.processes = processes
        self.ray = ray
        self.progress = progress
        searches = (known.trained[name] for name in self.programme.searches if name in known.trained)
        self.alone = tuple(_without_lookahead(trained, folder) for trained in searches)

    def play(self, agents: Iterable[str], deals: int, players: int, against: str | None = None) -> Results:
        """Everybody with everybody, or each against copies of one."""
        agents = list(agents)
        name = "-".join((*map(label, agents), *(("vs", against) if against else ()))).replace(":", "")
        bar = self.progress.add_task(f"{players} players: {' '.join(agents)}", total=deals)
        return run_arena(
            agents,
            deals,
            players,
            versus=against,
            game=self.game,
            processes=self.processes,
            ray=self.ray,
            out=self.folder / f"{name}-{players}-{deals}",
            resume=True,
            watch=lambda done: self.progress.update(bar, completed=done),
        )

    def shares(self, agents: Iterable[str], deals: int, against: str) -> Shares:
        """By agent and number of players: the share of the win against copies."""
        return {
            (agent, players): self.play([agent], deals, players, against).standings[0].win
            for agent in agents
            for players in self.players
        }

    def growth(self) -> Growth:
        """Searches with more and more rollouts, in the same deals against the reference."""
        return {
            (kind, rollouts, players): self.play([f"{kind}:{rollouts}"], deals, players, self.reference)
            for kind in self.programme.growing
            for rollouts in self.programme.rollouts
            for players, deals in self.programme.growth_deals.items()
        }

    def without_ideas(self, deals: int) -> Iterator[Row]:
        """For each idea the share of the win of one who lacks it among three who have it, and the other way round."""
        for idea, change in self.progress.track(IDEAS.items(), description="without an idea"):
            lacking = Heuristic(Tide.weights | change)
            yield [idea, *(percent(versus(*pair, deals).win) for pair in ((lacking, Tide()), (Tide(), lacking)))]


def _without_lookahead(trained: Path, folder: Path) -> str:
    """A copy of a trained agent whose network decides at once, which is cheap enough for many deals."""
    copy = folder / f"{trained.name}-without-lookahead"
    copy.mkdir(parents=True, exist_ok=True)
    described = json.loads((trained / DESCRIPTION).read_text("utf-8"))
    del described[LOOKAHEAD]
    write_whole(copy / WEIGHTS, (trained / WEIGHTS).read_bytes())
    write_whole(copy / DESCRIPTION, json.dumps(described).encode())
    return str(copy)


def percent(estimate: Estimate, sign: str = "") -> str:
    """The mean, and how far the ends of the interval are from it at the most; with "+" as sign that of a difference."""
    return f"{estimate.mean:{sign}.1%} ± {_reach(estimate) * 100:.1f}"


def points(estimate: Estimate, sign: str = "") -> str:
    """The same of points."""
    return f"{estimate.mean:{sign}.1f} ± {_reach(estimate):.1f}"


def _reach(estimate: Estimate) -> float:
    return max(estimate.high - estimate.mean, estimate.mean - estimate.low)


def paragraph(*lines: str) -> str:
    return fill(" ".join(lines), 120, break_long_words=False, break_on_hyphens=False)


def table(head: Row, rows: Iterable[Row]) -> list[str]:
    lines = [head, ["---"] + ["---:"] * (len(head) - 1), *rows]
    return [f"| {' | '.join(line)} |" for line in lines] + [""]


def label(agent: str) -> str:
    """A trained agent is called by the name of its folder."""
    return agent.rpartition("/")[2]


def page(board: Leaderboard, plot: Path) -> list[str]:
    reference, counts, programme, deals = board.reference, board.players, board.programme, board.deals
    seats = [f"{players} players" for players in counts]
    by_chance = [f"{100 / players:.1f}".removesuffix(".0") for players in counts]
    without_search = [name for name in board.field if name != reference]
    not_random = [*board.alone, *(name for name in board.field if name != "random")]
    against_random = board.shares(not_random, deals, "random")
    ideas = list(board.without_ideas(deals)) if board.game.name == STRAND_UNTER else []
    fields = {players: board.play(board.field, deals, players) for players in counts if len(board.field) > 1}
    search_deals = programme.search_deals
    against_reference = board.shares(programme.searches, search_deals, reference)
    against_reference |= board.shares((*board.alone, *without_search), deals, reference)
    growth = board.growth()
    growth_deals = _by_players(programme.growth_deals)
    draw_growth(growth, programme, plot, f"against copies of {reference}, {growth_deals}")
    duels = [
        [f"`{one}` against `{other}`", *_outcome(board.play([one], programme.duel_deals, counts[-1], other).standings)]
        for one, other in programme.duels
    ]
    lines = [
        NOTE,
        "",
        "# Leaderboard" + (f": {board.game.title}" if board.game.name != DEFAULT else ""),
        "",
        paragraph(
            "Shares of the win, with 95 % intervals bootstrapped over deals. Every deal is played in all rotations of",
            "the seats: see [the arena](arena.md). Who the agents are: see [agents](agents.md).",
        ),
        "",
        f"## One against copies of the reference, `{reference}`",
        "",
        f"{deals:,} deals{'' if search_deals == deals else f', {search_deals:,} for {_listed(programme.searches)}'}. "
        f"By chance it would be {', '.join(by_chance[:-1])} and {by_chance[-1]} %.",
        "",
        *table(
            ["agent", *seats],
            [
                [f"`{label(name)}`", *(percent(against_reference[name, n]) for n in counts)]
                for name in (*programme.searches, *board.alone, *without_search)
            ],
        ),
        *([_about_networks(board.alone), ""] if board.alone else []),
        _about_cheater(board),
        "",
    ]
    if not_random:
        lines += ["## One against random players", "", f"{deals:,} deals.", ""]
        lines += table(
            ["agent", *seats],
            [[f"`{label(name)}`", *(percent(against_random[name, n]) for n in counts)] for name in not_random],
        )
    for players, results in fields.items():
        order = results.best_first
        names = [f"with {label(board.field[agent])}" for agent in order]
        columns = programme.columns or tuple(results.standings[0].statistics)
        lines += [f"## Everybody with everybody, {players} players", "", f"{results.plan.title}.", ""]
        lines += table(
            ["agent", "win", "score", *columns, "rating", *(["α-rank"] if results.alpha_ranks else []), *names],
            [_field_row(results, agent, order, columns) for agent in order],
        )
    if fields:
        lines += [
            paragraph(
                "`with x` is the share of the win in games in which x has a seat, too; at tables of two that is the",
                "duel. The rating is OpenSkill's Bradley–Terry.",
                *(ABOUT_ALPHA_RANK if any(results.alpha_ranks for results in fields.values()) else ()),
            ),
            "",
        ]
    lines += [
        "## More rollouts",
        "",
        paragraph(
            f"Searches with more and more rollouts, against copies of `{reference}` in {growth_deals},",
            "the same for all, so that the differences are paired. Where nearly every game is won, points tell more",
            "than wins.",
        ),
        "",
        f"![How strong searches are by their rollouts]({plot.name})",
        "",
        "Points ahead of the others' mean:",
        "",
        *_growth_table(growth, programme, "margin", points),
        "Share of the win:",
        "",
        *_growth_table(growth, programme, "win", percent),
    ]
    if duels:
        lines += [f"{programme.about_duels}, {counts[-1]} players, {programme.duel_deals:,} deals:", ""]
        lines += table(["", "win", "points", "against"], duels)
    if board.game.name == STRAND_UNTER:
        lines += _about_strand_unter(reference, deals, ideas)
    return lines


def _listed(agents: Sequence[str]) -> str:
    names = [f"`{label(name)}`" for name in agents]
    return f"{', '.join(names[:-1])} and {names[-1]}"


def _by_players(deals: Mapping[int, int]) -> str:
    """How many deals there were, with the numbers of players if these differ."""
    if len(set(deals.values())) == 1:
        return f"{next(iter(deals.values())):,} deals"
    return " and ".join(f"{number:,} deals with {players} players" for players, number in deals.items())


def _about_networks(alone: Sequence[str]) -> str:
    names = " and ".join(f"`{label(name)}`" for name in alone)
    return paragraph(f"{names}: the same network, which takes the action that it rates highest at once.")


def _about_cheater(board: Leaderboard) -> str:
    """What it sees, and what that is worth with each number of players."""
    programme, gains = board.programme, []
    for players in board.players:
        one, other = (
            board.play([f"{kind}:64"], programme.search_deals, players, board.reference) for kind in ("cheater", "mc")
        )
        gains.append(f"{percent(one.first_agent('win', than=other), '+')} with {players}")
    most = programme.rollouts[-1]
    best = f"With {most:,} rollouts, [further down](#more-rollouts), it" if "cheater" in programme.growing else "It"
    return paragraph(
        f"`cheater` searches like `mc`, but sees {programme.sees}. What it wins more than `mc` with as many rollouts",
        f"in the same deals is what knowing {programme.hidden} is worth: {', '.join(gains)} players. {best} is",
        "the ceiling for everybody here.",
    )


def _about_strand_unter(reference: str, deals: int, ideas: list[Row]) -> list[str]:
    return [
        paragraph(
            "`mc` takes for granted that the others play like its heuristic. The more rollouts, the better its answer",
            "to that, but not to somebody who plays otherwise, such as another `mc`. `rm` does not rely on it, and",
            "wins more of its duels with more rollouts.",
        ),
        "",
        "## What makes the reference strong",
        "",
        paragraph(
            f"`{reference}` without one of its ideas: alone among three who have it, and one who has it among three",
            f"who lack it; 4 players, {deals:,} deals, 25 % if it made no difference. Below 25 % in the first column",
            "and above in the second, an idea is worth having whatever the others do.",
        ),
        "",
        *table(["it does not …", "one without among three with", "one with among three without"], ideas),
    ]


def _growth_table(growth: Growth, programme: Programme, measure: str, shown: Callable[..., str]) -> list[str]:
    """For each search what it has with so many rollouts, and how much more that is than with fewer.

    Of two searches also how much more the first has than the second with as many.
    """
    steps = list(pairwise(programme.rollouts))
    rows = []
    for players in programme.growth_deals:
        for kind in programme.growing:
            runs = {rollouts: growth[kind, rollouts, players] for rollouts in programme.rollouts}
            means = [shown(run.first_agent(measure)) for run in runs.values()]
            gains = [shown(runs[more].first_agent(measure, than=runs[fewer]), "+") for fewer, more in steps]
            rows.append([f"`{kind}`, {players} players", *means, *gains])
        if len(programme.growing) == 2:
            one, other = programme.growing
            pairs = [
                (growth[one, rollouts, players], growth[other, rollouts, players]) for rollouts in programme.rollouts
            ]
            leads = [shown(first.first_agent(measure, than=second), "+") for first, second in pairs]
            rows.append([f"`{one}` less `{other}`, {players} players", *leads, *("" for _ in steps)])
    return table(["", *map(str, programme.rollouts), *(f"{more} less {fewer}" for fewer, more in steps)], rows)


def draw_growth(growth: Growth, programme: Programme, path: Path, subtitle: str) -> None:
    """Strength by rollouts: points ahead above, wins below; a column for each number of players."""
    counts = list(programme.growth_deals)
    measures = {"margin": ("points ahead of the others' mean", 1), "win": ("share of the win, %", 100)}
    grid = {"nrows": len(measures), "ncols": len(counts), "sharex": True, "sharey": "row", "squeeze": False}
    with picture(path, 10, 6, **grid) as (figure, axes):
        figure.suptitle(f"Searches with more rollouts, {subtitle}, with 95 % intervals")
        for row, (measure, (name, scale)) in zip(axes, measures.items(), strict=True):
            row[0].set_ylabel(name)
            for panel, players in zip(row, counts, strict=True):
                for (kind, colour), aside in zip(programme.growing.items(), (0.95, 1, 1.05), strict=False):
                    found = [growth[kind, rollouts, players].first_agent(measure) for rollouts in programme.rollouts]
                    mean, low, high = scale * np.array(found).T
                    bars = np.array([mean - low, high - mean])
                    panel.errorbar(
                        aside * np.array(programme.rollouts), mean, bars, fmt="o-", color=colour, capsize=3, label=kind
                    )
                panel.set_xscale("log", base=2)
                panel.set_xticks(programme.rollouts, programme.rollouts)
            row[0].set_ylim(0, 103 if measure == "win" else None)
        for panel, players in zip(axes[0], counts, strict=True):
            panel.set_title(f"{players} players")
        for panel in axes[-1]:
            panel.set_xlabel("rollouts for each decision")
        axes[0][0].legend(frameon=False)


def _outcome(standings: list[Standing]) -> Row:
    """Of a duel: the first one's share of the win, and the points of both."""
    return [percent(standings[0].win), *(f"{standing.score.mean:.1f}" for standing in standings)]


def _field_row(results: Results, agent: int, order: list[int], columns: Sequence[str]) -> Row:
    standing, rating = results.standings[agent], results.ratings[agent]
    numbers = [standing.score, *(standing.statistics[name] for name in columns)]
    duels = [percent(results.crossplay[agent][other]) if other != agent else "" for other in order]
    means = [f"{number.mean:.2f}" for number in numbers]
    ranked = [f"{results.alpha_ranks[agent]:.1%}"] if results.alpha_ranks else []
    return [f"`{label(standing.agent)}`", percent(standing.win), *means, f"{rating.mu:.1f}", *ranked, *duels]


def main(
    game: Annotated[str | None, typer.Option(help="Only this game; by default all that have a programme.")] = None,
    deals: Annotated[int, typer.Option(help="Deals for the tables of all agents.")] = 2000,
    processes: Annotated[int, typer.Option(help="Processes that play at once.")] = os.cpu_count() or 1,
    ray: RayAddress = None,
    results: Annotated[Path, typer.Option(help="Folder of all results.")] = Path("results"),
    out: Annotated[Path, typer.Option(help="Folder of the pages and plots.")] = Path(__file__).parent,
) -> None:
    """Play all agents of a game, or of each game, against each other and write the page."""
    if game not in (None, *PROGRAMMES):
        raise typer.BadParameter(f"expected one of {', '.join(PROGRAMMES)}, got {game}", param_hint="--game")
    for name in [game] if game else PROGRAMMES:
        suffix = "" if name == DEFAULT else f"-{name}"
        with Progress() as progress, connected(ray, processes) if ray else nullcontext():
            board = Leaderboard(game_of(name), deals, results / f"leaderboard{suffix}", processes, ray, progress)
            lines = page(board, out / f"growth{suffix}.png")
        target = out / f"leaderboard{suffix}.md"
        write_whole(target, "\n".join(lines).encode())
        typer.echo(f"wrote {target}")


if __name__ == "__main__":
    typer.run(main)
