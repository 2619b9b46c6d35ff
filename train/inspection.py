"""Pictures of an agent's behaviour, next to other agents on the same deals against the same opponents."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from strand_env.adapters.match import Match
from strand_env.agents import AnyAgent, Memory, agent_of, ask, policies_of
from strand_env.engine.checks import printable
from strand_env.engine.game import Game
from strand_env.engine.protocol import Batch
from strand_env.engine.randomness import Streams, spread_seeds
from strand_env.pictures.plots import INK, SAND, SEA, picture
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
    likeliest: npt.NDArray[np.float64]  # (decisions,): the probability of its likeliest action
    entropy: npt.NDArray[np.float64]  # (decisions,): of its policy, in bits


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
    memory = Memory(games, players)
    seen: list[npt.NDArray[Any]] = []
    chosen: list[npt.NDArray[Any]] = []
    numbers: list[npt.NDArray[Any]] = []
    policies: list[npt.NDArray[Any]] = []
    last: dict[int, npt.NDArray[np.integer]] = {}
    while going.any():
        rng = Streams.of_decisions(match.batch.seeds, len(seen), match.seats)
        observations = match.seen
        policies.append(_mixing(agent, match.batch, everybody[going], match.seats[going], len(policies), memory))
        actions = ask(agent, match.batch, everybody, match.seats, rng, memory)
        seen.append(observations[going])
        chosen.append(actions[going])
        numbers.append(everybody[going])
        match.step(actions)
        memory.forget(np.flatnonzero(match.over))
        last |= {end.game: end.seen for end in match.endings if going[end.game]}
        going &= ~match.over
    ends = np.stack(list(last.values()))
    made = np.concatenate(seen), np.concatenate(chosen), np.concatenate(numbers)
    return Watched(name, of_game, *made, ends, *np.concatenate(policies, axis=1))


def _mixing(
    agent: AnyAgent, batch: Batch, games: Any, seats: Any, moves: int, memory: Memory
) -> npt.NDArray[np.float64]:
    """(2, rows): the probability of the likeliest action, and the entropy in bits."""
    rng = Streams.of_decisions(batch.seeds[games], moves, seats)
    policies = policies_of(agent, batch, games, seats, rng, memory)
    logarithms = np.log2(policies, out=np.zeros_like(policies), where=policies > 0)
    return np.stack([policies.max(1), -(policies * logarithms).sum(1)])


def draw(all_watched: Sequence[Watched], folder: Path, subtitle: str) -> list[Path]:
    """Draws each of the game's pictures, with the agents side by side."""
    pictures = {**all_watched[0].game.training.pictures, **MIXING}
    written = [folder / f"{name}.png" for name in pictures]
    for path, (title, drawing) in zip(written, pictures.values(), strict=True):
        with picture(path, 5.4 * len(all_watched), 4.6, ncols=len(all_watched), squeeze=False) as (figure, (row,)):
            figure.suptitle(f"{title}\n{subtitle}", fontsize=11)
            for axes, watched in zip(row, all_watched, strict=True):
                axes.set_title(watched.name)
                drawing(axes, watched)
            _align(row)
            _align([axes for axes in figure.axes if axes not in row])  # a second axis of each panel
    return written


def _align(panels: Sequence[Any]) -> None:
    """Gives panels side by side the same vertical axis, so that they can be compared."""
    if limits := [axes.get_ylim() for axes in panels]:
        bottoms, tops = zip(*limits, strict=True)
        upright = bottoms[0] <= tops[0]
        for axes in panels:
            axes.set_ylim(*((min(bottoms), max(tops)) if upright else (max(bottoms), min(tops))))


def draw_mixing(axes: Any, watched: Watched) -> None:
    """How sure an agent's choices are, by round: by the number of its decision in games without rounds."""
    layout = watched.game.batch(1, watched.game.default_players).layout
    by_round = "round" in [section.name for section in layout]
    if by_round:
        when = watched.observations[:, layout["round"].slice.start].astype(np.int64)
    else:
        order = np.argsort(watched.games, kind="stable")
        sorted_games = watched.games[order]
        when = np.empty(len(order), np.int64)
        when[order] = np.arange(len(order)) - np.searchsorted(sorted_games, sorted_games) + 1
    counts = np.bincount(when)
    shown = np.flatnonzero(counts >= FEWEST)
    likeliest, entropy = (np.bincount(when, values)[shown] / counts[shown] for values in _both(watched))
    axes.plot(shown, 100 * likeliest, "o-", color=SEA, label="likeliest action, %")
    axes.set(xlabel="round" if by_round else "decision", ylabel="probability of the likeliest action, %", ylim=(0, 105))
    bits = axes.twinx()
    bits.plot(shown, entropy, "s--", color=SAND, label="entropy, bits")
    bits.set(ylabel="entropy, bits", ylim=(0, max(1.0, *(1.1 * entropy)) if len(entropy) else 1.0))
    means = [float(values.mean()) for values in _both(watched)]
    axes.set_title(f"{watched.name}: likeliest {100 * means[0]:.0f} %, {means[1]:.2f} bits", fontsize=10)


def _both(watched: Watched) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    return watched.likeliest, watched.entropy


MIXING = {"mixing": ("How mixed they play: the likeliest action's probability, and entropy (dashed)", draw_mixing)}


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
