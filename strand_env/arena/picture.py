"""The results as a picture: shares of the win, ranks, and the cross-play matrix."""

from pathlib import Path
from typing import Any

import numpy as np

from strand_env.arena.results import Results
from strand_env.arena.statistics import Estimate
from strand_env.pictures.plots import INK, SAND, SEA, SHELL, picture

FOAM = "#eef4f7"
WHITE = {"color": "white", "pad": 1, "linewidth": 0}  # behind numbers, so that no line runs through them


def draw(results: Results, path: Path) -> None:
    plan, agents = results.plan, len(results.plan.names)
    panels = 2 if plan.against_last else 3  # against copies of one agent there is no matrix
    with picture(path, 5 * panels, max(2 + 0.6 * agents, 3.6), ncols=panels) as (figure, axes):
        figure.suptitle(f"{plan.game.id}: {plan.title}")
        draw_wins(axes[0], results)
        _draw_ranks(axes[1], results)
        if plan.mixes:
            _draw_matrix(axes[2], results, results.crossplay, 100 / plan.players)
            axes[2].set_title("Percent of the win for the row,\nwith the column at the table")
        elif panels == 3:  # all agents are in every game
            _draw_matrix(axes[2], results, results.ahead, 50)
            axes[2].set_title("How often the row ranks\nabove the column, in percent")


def draw_wins(axes: Any, results: Results) -> None:
    fair = 100 / results.plan.players
    shares = {agent: [100 * value for value in results.standings[agent].win] for agent in results.best_first}
    left, right = _room_around([fair, *(value for share in shares.values() for value in share)])
    axes.axvline(fair, color=SHELL, linestyle="--", zorder=0)
    axes.text(fair, len(shares) - 0.5, " equal share", color=SHELL, va="center")
    for place, (mean, low, high) in enumerate(shares.values()):
        axes.plot([low, high], [place, place], color=SEA, linewidth=8, alpha=0.35, solid_capstyle="butt")
        axes.plot(mean, place, "o", color=SEA, markersize=4, clip_on=False)
        shown = f"{mean:.1f}  [{low:.1f}, {high:.1f}]"
        along = (mean - left) / (right - left)
        side = "left" if along < 0.2 else "right" if along > 0.8 else "center"  # so that it stays within the panel
        axes.annotate(shown, (mean, place), (0, 9), textcoords="offset points", ha=side, bbox=WHITE)
    _name_agents(axes, results)
    axes.set(xlabel="percent, with 95 % intervals bootstrapped over deals", title="Share of the win")
    axes.set_xlim(left, right)


def _room_around(shares: list[float]) -> tuple[float, float]:
    """The ends of an axis that fits all of these with some room on both sides, within 0 to 100 %."""
    least, most = np.nanmin(shares), np.nanmax(shares)
    room = max((most - least) / 4, 1)
    return max(least - room, 0), min(most + room, 100)


def _draw_ranks(axes: Any, results: Results) -> None:
    players = results.plan.players
    start = np.zeros(len(results.standings))
    for rank in range(players):
        shares = np.array([100 * results.standings[agent].ranks[rank].mean for agent in results.best_first])
        shade = _between(SEA, FOAM, rank / (players - 1))
        bars = axes.barh(np.arange(len(shares)), shares, left=start, color=shade, height=0.62)
        labels = [f"{share:.0f}" if share >= 6 else "" for share in shares]
        axes.bar_label(bars, labels, label_type="center", color="white" if rank < players / 2 else INK, fontsize=9)
        start += shares
    _name_agents(axes, results)
    axes.set_yticklabels([])  # as in the panel to the left
    axes.set(xlabel="percent of games", title="Rank, from first (dark) to last", xlim=(0, 100))


def _draw_matrix(axes: Any, results: Results, matrix: list[list[Estimate]], fair: float) -> None:
    from matplotlib.colors import LinearSegmentedColormap

    order = results.best_first
    means = np.array([[100 * matrix[row][column].mean for column in order] for row in order])
    spread = max(np.nanmax(np.abs(means - fair)), 1)
    colours = LinearSegmentedColormap.from_list("from sand to sea", [SAND, FOAM, SEA])
    axes.imshow(means, cmap=colours, vmin=fair - spread, vmax=fair + spread, aspect="auto")
    for (row, column), mean in np.ndenumerate(means):
        shown = f"{mean:.1f}" if np.isfinite(mean) else "–"
        axes.text(column, row, shown, ha="center", va="center", color="white" if mean - fair > 0.6 * spread else INK)
    names = [results.plan.labels[agent] for agent in order]
    axes.set_xticks(range(len(names)), names, rotation=30, ha="right", rotation_mode="anchor")
    axes.set_yticks(range(len(names)), names)
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)


def _name_agents(axes: Any, results: Results) -> None:
    """One line for each agent, the best one on top."""
    names = [results.plan.labels[agent] for agent in results.best_first]
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.3, -0.8)
    axes.tick_params(axis="y", length=0)


def _between(one: str, other: str, share: float) -> str:
    pairs = [(int(one[at : at + 2], 16), int(other[at : at + 2], 16)) for at in (1, 3, 5)]
    return "#" + "".join(f"{round(first + share * (second - first)):02x}" for first, second in pairs)
