"""Pictures of an agent's behaviour, next to other agents on the same deals against the same opponents."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from strand_env.adapters.match import Match
from strand_env.agents import AnyAgent, agent_of, ask
from strand_env.engine.checks import printable
from strand_env.engine.game import Game
from strand_env.engine.randomness import Streams, spread_seeds
from strand_env.pictures.plots import INK, picture
from strand_env.registry import DEFAULT, game_of

FEWEST = 30  # decisions: a share of fewer says next to nothing


@dataclass(frozen=True)
class Watched:
    """All decisions of an agent in many games, and its last observation of each."""

    name: str
    game: Game
    observations: npt.NDArray[np.integer]  # (decisions, entries)
    actions: npt.NDArray[np.int64]  # (decisions,)
    games: npt.NDArray[np.int64]  # (decisions,): the number of the game that each was made in
    last: npt.NDArray[np.integer]  # (games, entries): its observations at the end


def watch(
    agent: str | AnyAgent,
    opponents: str | AnyAgent,
    games: int,
    players: int,
    seed: int,
    game: str | Game = DEFAULT,
    variant: str | None = None,
) -> Watched:
    """Plays an agent in one seat of each game against opponents; equal seeds give equal deals and seats."""
    of_game = game_of(game)
    name = printable(agent if isinstance(agent, str) else type(agent).__name__, 60)
    agent = agent_of(agent, game=of_game)
    match = Match(of_game, of_game.batch(games, players, variant=variant), "random", opponents, illegal="raise")
    match.reset(spread_seeds(seed, np.arange(games)))
    everybody, going = np.arange(games), np.ones(games, np.bool_)
    seen: list[npt.NDArray[Any]] = []
    chosen: list[npt.NDArray[Any]] = []
    numbers: list[npt.NDArray[Any]] = []
    last: dict[int, npt.NDArray[np.integer]] = {}
    while going.any():
        rng = Streams.of_decisions(match.batch.seeds, len(seen), match.seats)
        observations = match.seen
        actions = ask(agent, match.batch, everybody, match.seats, rng)
        seen.append(observations[going])
        chosen.append(actions[going])
        numbers.append(everybody[going])
        match.step(actions)
        last |= {end.game: end.seen for end in match.endings if going[end.game]}
        going &= ~match.over
    ends = np.stack(list(last.values()))
    return Watched(name, of_game, np.concatenate(seen), np.concatenate(chosen), np.concatenate(numbers), ends)


def draw(all_watched: Sequence[Watched], folder: Path, subtitle: str) -> list[Path]:
    """Draws each of the game's pictures, with the agents side by side."""
    pictures = all_watched[0].game.training.pictures
    written = [folder / f"{name}.png" for name in pictures]
    for path, (title, drawing) in zip(written, pictures.values(), strict=True):
        with picture(path, 5.4 * len(all_watched), 4.6, ncols=len(all_watched), squeeze=False) as (figure, (row,)):
            figure.suptitle(f"{title}\n{subtitle}", fontsize=11)
            for axes, watched in zip(row, all_watched, strict=True):
                axes.set_title(watched.name)
                drawing(axes, watched)
    return written


# Helpers for the games' drawings


def shares(rows: npt.NDArray[np.integer], columns: npt.NDArray[np.integer], shape: tuple[int, int]) -> Any:
    """Share of each row within a column, in %; columns add up to 100, or are NaN with too few decisions."""
    counts = np.zeros(shape)
    np.add.at(counts, (rows, columns), 1)
    total = counts.sum(axis=0)
    return np.where(total < FEWEST, np.nan, 100 * counts / np.maximum(total, 1))


def draw_heatmap(axes: Any, values: Any, xlabel: str, columns: Sequence[Any], rows: Sequence[Any]) -> None:
    """Percentages on a grid, with numbers where they are at least 0.5."""
    axes.imshow(values, cmap="YlGnBu", aspect="auto", vmin=0)
    axes.set(xlabel=xlabel)
    axes.set_xticks(range(len(columns)), columns, fontsize=8)
    axes.set_yticks(range(len(rows)), rows)
    middle = np.nanmax(values, initial=0) / 2
    for (row, column), value in np.ndenumerate(values):
        if value >= 0.5:
            colour = "white" if value > middle else INK
            axes.text(column, row, f"{value:.0f}", ha="center", va="center", fontsize=7, color=colour)
