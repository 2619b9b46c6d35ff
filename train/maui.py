"""Maui for training: pictures of what agents do, and the weights of its heuristic that can be tuned."""

from typing import Any

import numpy as np
import numpy.typing as npt

from strand_env.agents.maui.heuristics import Heuristic, Scout
from strand_env.engine.game import GameTraining, Tuning, TuningTables
from strand_env.maui import PHASES, layout
from strand_env.maui.actions import DOLLARS, NO_SHIFT, PASS, SHIFTS, SPARE, TOKEN
from strand_env.maui.potential import PENALTY, points
from strand_env.maui.ruleset import (
    COLUMNS,
    HIGHEST_INSIDE,
    HIGHEST_TOP,
    LOWEST_TOP,
    MOST_DOLLARS,
    NUM_PATTERNS,
    PATTERNS,
    PEARL_POINTS,
    PRICES,
)
from strand_env.pictures.plots import INK, SAND, SEA, SHELL
from strand_env.train.inspection import FEWEST, Watched, draw_heatmap, shares


class Decisions:
    """An agent's decisions, with its observations by name."""

    def __init__(self, watched: Watched) -> None:
        _, self.tables, seats = layout.by_name(watched.observations)
        self.seats = seats[:, 0]  # the agent's own
        self.last = layout.by_name(watched.last)[2][:, 0]
        self.actions = watched.actions
        self.columns = self.seats["laid"].astype(np.int64)  # next ones

    def at(self, phase: str) -> npt.NDArray[np.bool_]:
        """(decisions,): which were made in a phase."""
        return self.tables["phase"][:, PHASES.index(phase)] == 1

    @property
    def lays(self) -> npt.NDArray[np.bool_]:
        """(decisions,): which are towels laid, but for spare ones."""
        return self.at("turn") & (self.actions < DOLLARS)

    @property
    def tops(self) -> npt.NDArray[np.int64]:
        """(decisions,): the tops of towels laid."""
        return self.seats["top"].astype(np.int64) + LOWEST_TOP + self.actions % SHIFTS - NO_SHIFT


def draw_tops(axes: Any, watched: Watched) -> None:
    decisions = Decisions(watched)
    at = decisions.lays
    tops = range(LOWEST_TOP, HIGHEST_TOP + 1)
    values = shares(decisions.tops[at] - LOWEST_TOP, decisions.columns[at] - 1, (len(tops), COLUMNS))
    draw_heatmap(axes, values, "column", range(1, COLUMNS + 1), [f"top {top}" for top in tops])
    for edge in (1 - LOWEST_TOP, HIGHEST_INSIDE + 1 - LOWEST_TOP):  # beyond them a towel sticks out
        axes.axhline(edge - 0.5, color=INK, linestyle=":")
    outside = (decisions.tops[at] < 1) | (decisions.tops[at] > HIGHEST_INSIDE)
    axes.set_title(f"{watched.name}: {100 * outside.mean():.0f} % of its towels stick out")


def draw_tracks(axes: Any, watched: Watched) -> None:
    """How far the shells get on each track, and what that brings."""
    decisions = Decisions(watched)
    squares = decisions.last["shells"].astype(np.int64)
    longest = int(squares.max(initial=0))
    tracks = np.tile(np.arange(NUM_PATTERNS), (len(squares), 1))
    values = shares(squares.ravel(), tracks.ravel(), (longest + 1, NUM_PATTERNS))
    draw_heatmap(axes, values, "track", PATTERNS, range(longest + 1))
    axes.set(ylabel="square in the end")
    axes.invert_yaxis()
    axes.set_title(f"{watched.name}: {points(decisions.last).mean():.1f} points in the end")


def draw_dollars(axes: Any, watched: Watched) -> None:
    """How often dollars are taken, by what lies in the zone and by the dollars held."""
    decisions = Decisions(watched)
    at = decisions.at("turn")
    most = decisions.tables["zones"][at].max(axis=1).astype(np.int64)
    held = decisions.seats["dollars"][at].astype(np.int64)
    takes = (decisions.actions[at] >= DOLLARS) & (decisions.actions[at] < SPARE)
    shape = MOST_DOLLARS + 1, MOST_DOLLARS + 1
    asked, taken = np.zeros(shape), np.zeros(shape)
    np.add.at(asked, (held, most), 1)
    np.add.at(taken, (held, most), takes)
    values = np.where(asked < FEWEST, np.nan, 100 * taken / np.maximum(asked, 1))
    draw_heatmap(axes, values, "most dollars in a zone", range(MOST_DOLLARS + 1), range(MOST_DOLLARS + 1))
    axes.set(ylabel="dollars held")
    axes.set_title(f"{watched.name}: dollars in {100 * takes.mean():.0f} % of its turns")


def draw_prices(axes: Any, watched: Watched) -> None:
    decisions = Decisions(watched)
    at = decisions.lays
    prices = np.array(PRICES)[decisions.actions[at] // SHIFTS]
    values = shares(prices, decisions.columns[at] - 1, (max(PRICES) + 1, COLUMNS))
    bottom = np.zeros(COLUMNS)
    for price, (label, colour) in enumerate(zip(("nothing", "1 dollar", "2 dollars"), (SHELL, SAND, SEA), strict=True)):
        axes.bar(range(1, COLUMNS + 1), values[price], bottom=bottom, color=colour, label=label)
        bottom += values[price]
    axes.set(xticks=range(1, COLUMNS + 1), xlabel="column", ylabel="of its towels, %", ylim=(0, 100))
    axes.legend(frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.12), ncols=3)


def draw_tokens(axes: Any, watched: Watched) -> None:
    """When tokens are laid, where there is a choice."""
    decisions = Decisions(watched)
    at = decisions.at("token")
    columns = decisions.columns[at] - 1  # the new towel lies already
    laid = (decisions.actions[at] >= TOKEN) & (decisions.actions[at] < PASS)
    asked, tokens = (np.bincount(columns[rows], minlength=COLUMNS + 1)[1:] for rows in (np.ones_like(laid), laid))
    games = len(decisions.last)
    axes.bar(range(1, COLUMNS + 1), 100 * asked / games, color=SHELL, label="could lay a token")
    axes.bar(range(1, COLUMNS + 1), 100 * tokens / games, color=SEA, label="laid one")
    axes.set(xticks=range(1, COLUMNS + 1), xlabel="column", ylabel="of its games, %")
    left = decisions.last["tokens"].sum(axis=1).mean()
    axes.set_title(f"{watched.name}: {tokens.sum() / games:.1f} tokens chosen, {left:.1f} left in the end")
    axes.legend(frameon=False)


def draw_points(axes: Any, watched: Watched) -> None:
    """Where the points of a game come from."""
    seats = Decisions(watched).last
    pearls = np.array(PEARL_POINTS)[seats["pearls"]].sum(axis=1).mean()
    parts = {PATTERNS[track]: seats["points"][:, track].mean() for track in range(NUM_PATTERNS)}
    parts |= {"pearls": pearls, "dollars": seats["dollars"].mean()}
    parts |= {"penalties": 0 - PENALTY * seats["penalties"].mean(), "crabs": 0 - seats["crab_points"].mean()}
    axes.barh(range(len(parts)), list(parts.values()), color=[SEA] * NUM_PATTERNS + [SAND] * 2 + [SHELL] * 2)
    axes.set_yticks(range(len(parts)), list(parts))
    axes.invert_yaxis()
    axes.set(xlabel="points, on average")
    for place, value in enumerate(parts.values()):
        axes.text(max(value, 0), place, f" {value:.1f}", va="center", fontsize=8)


PICTURES = {
    "rows": ("Where towels are laid, in % of a column's", draw_tops),
    "tracks": ("How far the shells get, in % of all games", draw_tracks),
    "points": ("Where the points come from", draw_points),
    "dollars": ("When dollars are taken, in % of the turns", draw_dollars),
    "prices": ("What is paid for towels", draw_prices),
    "tokens": ("When tokens are laid, of those that are not forced", draw_tokens),
}

# From here `nalu` was tuned: the rounded result of a shorter CMA-ES run in the base game with 4 players. At that time
# there were two more weights, `cell` (0.05, 0.05) and `idle` (0), so tuning again does not give exactly the same.
START = Scout.weights | {
    "dollar": (2.0, 0.5, 1.0, 0.5),
    "tempo": 1.5,
    "token": 2.5,
    "lay": 2.5,
    "climb": 1.0,
    "pearl": 0.2,
    "next": 0.55,
    "chance": (0.1, 0.3, 0.7),
    "others": 0.9,
    "guess": 2.5,
    "sinks": 0.8,
    "soon": (0.3, 0.3),
    "height": (0.0, 1.5, 2.5, 2.0, 0.0),
    "heat": 0.03,
}

TUNING = Tuning(
    agent=Heuristic,
    start=START,
    tables=(
        TuningTables(4, 4, 40, 0.4),
        TuningTables(3, 2, 40, 0.15),
        TuningTables(2, 2, 40, 0.15),
        TuningTables(4, 2, 40, 0.2, "crabs"),
        TuningTables(4, 2, 20, 0.1, "combined"),
    ),
    opponents=("greedy", "scout"),
    steps={
        "dollar": 0.5,
        "tempo": 0.7,
        "token": 0.7,
        "lay": 0.7,
        "height": 0.7,
        "climb": 0.2,
        "pearl": 0.2,
        "next": 0.2,
        "chance": 0.2,
        "others": 0.2,
        "sinks": 0.2,
        "soon": 0.2,
        "race": 0.05,
    },
    factors={"guess": 0.5, "heat": 0.5},
    bounds={"others": (0, 1), "sinks": (0, 1), "chance": (0, 3)},
    lead=0.05,
)

TRAINING = GameTraining(
    pictures=PICTURES,
    opponents="self=0.8,nalu=0.2",
    defaults={
        "algorithm": "dmc",
        "imitate": 0,
        "total_timesteps": 1_500_000,
        "hidden": "256,128",
        "n_envs": 256,
        "alike": 0.5,
        "n_steps": 64,
        "batch_size": 512,
        "n_epochs": 2,
        "learning_rate": 1e-3,
        "final_learning_rate": 1e-5,
        "gae_lambda": 0.8,
        "max_grad_norm": 1.0,
        "lookahead": 16,
        "evaluate_every": 500_000,
        "final_deals": 300,
    },
    tuning=TUNING,
    compared="nalu,greedy",
)
