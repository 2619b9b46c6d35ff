"""What an agent does in Strand Unter, as pictures: beside others who play the same deals against the same opponents."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from strand_env.adapters.match import Match
from strand_env.agents import AnyAgent, agent_of, ask
from strand_env.agents.strand_unter.needs import missing_shells
from strand_env.agents.strand_unter.seen import IS_FLOODED, IS_READY, STANDS_IN, by_name
from strand_env.engine.randomness import Streams, spread_seeds
from strand_env.pictures.plots import INK, SAND, SEA, SHELL, picture
from strand_env.registry import STRAND_UNTER
from strand_env.strand_unter import PHASES
from strand_env.strand_unter.actions import BUILD_CASTLE, FIRST_COMBINATION, NUM_DIAL_POSITIONS, PASS
from strand_env.strand_unter.ruleset import COLOURS, NUM_COLOURS, NUM_VALUES, PLAYED_GROOVES
from strand_env.strand_unter.state import LAST_ROUND, TURN_ROUND

MOST_MISSING = 7
FEWEST = 30  # decisions: of fewer a share would say next to nothing
DIAL_NAMES = (*COLOURS, "2 same", "2 different", "3 same", "2 + 1", "3 different", "all of one")


@dataclass(frozen=True)
class Watched:
    """All decisions of an agent in many games, and what it saw at the end of each."""

    name: str
    tables: np.ndarray  # (decisions,) what was on the table
    seats: np.ndarray  # (decisions,) and before the agent itself
    actions: npt.NDArray[np.int64]  # (decisions,)
    last: np.ndarray  # (games,) its seat in the end

    def at(self, phase: str) -> npt.NDArray[np.bool_]:
        """Which decisions were made in a phase."""
        return self.tables["phase"][:, PHASES.index(phase)] == 1


def watch(agent: str | AnyAgent, opponents: str | AnyAgent, games: int, players: int, seed: int) -> Watched:
    """An agent in one seat of each game, the others being opponents; equal deals and seats for equal seeds."""
    name, agent = (agent if isinstance(agent, str) else type(agent).__name__), agent_of(agent)
    match = Match(STRAND_UNTER, STRAND_UNTER.batch(games, players), "random", opponents, illegal="raise")
    match.reset(spread_seeds(seed, np.arange(games)))
    everybody, going = np.arange(games), np.ones(games, np.bool_)
    seen: list[npt.NDArray[Any]] = []
    chosen: list[npt.NDArray[Any]] = []
    last: dict[int, npt.NDArray[np.float32]] = {}
    while going.any():
        rng = Streams.of_decisions(match.batch.seeds, len(seen), match.seats)
        observations, _ = match.batch.look_at_rows(everybody, match.seats)
        actions = ask(agent, match.batch, everybody, match.seats, rng)
        seen.append(observations[going])
        chosen.append(actions[going])
        match.step(actions)
        last |= {end.game: end.observation for end in match.endings if going[end.game]}
        going &= ~match.over
    ends = np.rint(np.stack(list(last.values())) * match.maximum).astype(np.int8)
    _, tables, seats = by_name(np.concatenate(seen))
    return Watched(name, tables, seats[:, 0], np.concatenate(chosen), by_name(ends)[2][:, 0])


def shares(rows: npt.NDArray[np.integer], columns: npt.NDArray[np.integer], shape: tuple[int, int]) -> Any:
    """How often each row comes up in a column, in %; columns add up to 100, or are empty if there is too little."""
    counts = np.zeros(shape)
    np.add.at(counts, (rows, columns), 1)
    total = counts.sum(axis=0)
    return np.where(total < FEWEST, np.nan, 100 * counts / np.maximum(total, 1))


def draw_dials_by_round(axes: Any, watched: Watched) -> None:
    at = watched.at("dial")
    values = shares(watched.actions[at], watched.tables["round"][at] - 1, (NUM_DIAL_POSITIONS, LAST_ROUND))
    _heatmap(axes, values, "round", range(1, LAST_ROUND + 1), DIAL_NAMES)
    axes.axvline(TURN_ROUND - 0.5, color=INK, linestyle=":")  # the tide turns


def draw_dials_by_need(axes: Any, watched: Watched) -> None:
    at = watched.at("dial")
    missing = np.minimum(missing_shells(watched.seats[at]), MOST_MISSING)
    values = shares(watched.actions[at], missing, (NUM_DIAL_POSITIONS, MOST_MISSING + 1))
    _heatmap(axes, values, "shells missing for the nearest castle", range(MOST_MISSING + 1), DIAL_NAMES)


def draw_singles_by_need(axes: Any, watched: Watched) -> None:
    """For each number of needed shells of a colour, how often a player without a castle ready, or with, takes it."""
    at = np.flatnonzero(watched.at("dial"))
    seats = watched.seats[at]
    castles = seats["castles"]
    to_come = (castles[:, :, STANDS_IN] == 0) & (castles[:, :, IS_FLOODED] == 0)
    short = np.maximum(seats["cards"] - seats["bucket"][:, np.newaxis], 0)
    need = np.where(to_come[:, :, np.newaxis], short, 0).sum(axis=1)  # (decisions, colours)
    ready = castles[:, :, IS_READY].any(axis=1)
    most = 8
    for has_castle, colour, label in ((False, SAND, "no castle ready"), (True, SEA, "a castle ready")):
        rows = ready == has_castle
        taken = np.arange(NUM_COLOURS) == watched.actions[at][rows][:, np.newaxis]
        needed = np.minimum(need[rows], most)
        rate = [
            100 * taken[needed == number].mean() if (needed == number).any() else np.nan for number in range(most + 1)
        ]
        axes.plot(range(most + 1), rate, "o-", color=colour, label=label)
    axes.set(
        xlabel="shells of a colour missing on all its cards", ylabel="sets the dial to one of it, %", ylim=(0, None)
    )
    axes.legend(frameon=False)


def draw_castles(axes: Any, watched: Watched) -> None:
    at = watched.at("build") & (watched.actions != PASS)
    values = (watched.actions[at] - BUILD_CASTLE) // NUM_COLOURS
    counts = np.zeros((NUM_VALUES, LAST_ROUND))
    np.add.at(counts, (values, watched.tables["round"][at] - 1), 1)
    rounds = np.arange(1, LAST_ROUND + 1)
    grooves = np.where(rounds <= TURN_ROUND, rounds, 2 * PLAYED_GROOVES - rounds)
    names = [f"{number}\n({groove})" for number, groove in zip(rounds, grooves, strict=True)]
    _heatmap(
        axes, 100 * counts / len(watched.last), "round (groove)", names, [f"castle {v}" for v in range(NUM_VALUES)]
    )
    axes.axvline(TURN_ROUND - 0.5, color=INK, linestyle=":")


def draw_ends_of_castles(axes: Any, watched: Watched) -> None:
    castles = watched.last["castles"]
    stands, flooded = castles[:, :, STANDS_IN] > 0, castles[:, :, IS_FLOODED] == 1
    parts = {"stands": stands, "flooded": flooded, "never built": ~stands & ~flooded}
    bottom = np.zeros(NUM_VALUES)
    for (label, part), colour in zip(parts.items(), (SEA, SAND, SHELL), strict=True):
        height = 100 * part.mean(axis=0)
        axes.bar(range(NUM_VALUES), height, bottom=bottom, color=colour, label=label)
        bottom += height
    axes.set(xticks=range(NUM_VALUES), xlabel="castle", ylabel="of its games, %", ylim=(0, 100))
    axes.set_title(f"{watched.name}: {watched.last['points'].mean():.1f} beach points in the end")
    axes.legend(frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.12), ncols=3)


def draw_collisions(axes: Any, watched: Watched) -> None:
    combined = watched.at("dial") & (watched.actions >= FIRST_COMBINATION)
    collided = watched.at("spell")
    rounds = np.arange(1, LAST_ROUND + 1)
    counts = [np.bincount(watched.tables["round"][rows], minlength=LAST_ROUND + 1)[1:] for rows in (combined, collided)]
    axes.bar(rounds, 100 * counts[1] / np.maximum(counts[0], 1), color=SEA)
    tried = f"{100 * combined.sum() / watched.at('dial').sum():.0f} % of its dials are combinations"
    lost = f"{100 * collided.sum() / max(combined.sum(), 1):.0f} % of these collide"
    axes.set(xlabel="round", ylabel="combinations that collide, %", ylim=(0, 100))
    axes.text(0.02, 0.92, f"{tried}\n{lost}", transform=axes.transAxes, va="top")


Drawing = Callable[[Any, Watched], None]
PICTURES: dict[str, tuple[str, Drawing]] = {
    "dials_by_round": ("Which dials are set, by round, in % of the round's", draw_dials_by_round),
    "dials_by_need": ("Which dials are set, by how near the next castle is, in %", draw_dials_by_need),
    "singles_by_need": ("Single shells: taken where they are needed?", draw_singles_by_need),
    "castles": ("When and where each castle is built, in % of all games", draw_castles),
    "ends_of_castles": ("What becomes of the castles", draw_ends_of_castles),
    "collisions": ("How often combinations collide", draw_collisions),
}


def draw(all_watched: Sequence[Watched], folder: Path, subtitle: str) -> list[Path]:
    """One picture for each question, with the agents side by side."""
    written = [folder / f"{name}.png" for name in PICTURES]
    for path, (title, drawing) in zip(written, PICTURES.values(), strict=True):
        with picture(path, 5.4 * len(all_watched), 4.6, ncols=len(all_watched), squeeze=False) as (figure, (row,)):
            figure.suptitle(f"{title}\n{subtitle}", fontsize=11)
            for axes, watched in zip(row, all_watched, strict=True):
                axes.set_title(watched.name)
                drawing(axes, watched)
    return written


def _heatmap(axes: Any, values: Any, xlabel: str, columns: Sequence[Any], rows: Sequence[Any]) -> None:
    axes.imshow(values, cmap="YlGnBu", aspect="auto", vmin=0)
    axes.set(xlabel=xlabel)
    axes.set_xticks(range(len(columns)), columns, fontsize=8)
    axes.set_yticks(range(len(rows)), rows)
    middle = np.nanmax(values, initial=0) / 2
    for (row, column), value in np.ndenumerate(values):
        if value >= 0.5:
            colour = "white" if value > middle else INK
            axes.text(column, row, f"{value:.0f}", ha="center", va="center", fontsize=7, color=colour)
