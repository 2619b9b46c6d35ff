"""Strand Unter for training: pictures of what agents do, and the weights of its heuristic that can be tuned."""

from typing import Any

import numpy as np
import numpy.typing as npt

from strand_env.agents.strand_unter.heuristics import Dodger, Heuristic
from strand_env.agents.strand_unter.needs import missing_shells
from strand_env.engine.game import GameTraining, Tuning, TuningTables
from strand_env.pictures.plots import INK, SAND, SEA, SHELL
from strand_env.strand_unter import PHASES, layout
from strand_env.strand_unter.actions import BUILD_CASTLE, FIRST_COMBINATION, NUM_DIAL_POSITIONS, PASS
from strand_env.strand_unter.layout import IS_FLOODED, IS_READY, STANDS_IN
from strand_env.strand_unter.ruleset import COLOURS, NUM_COLOURS, NUM_VALUES, PLAYED_GROOVES
from strand_env.strand_unter.state import LAST_ROUND, TURN_ROUND
from strand_env.train.inspection import Watched, draw_heatmap, shares

MOST_MISSING = 7
DIAL_NAMES = (*COLOURS, "2 same", "2 different", "3 same", "2 + 1", "3 different", "all of one")


class Decisions:
    """An agent's decisions, with its observations by name."""

    def __init__(self, watched: Watched) -> None:
        _, self.tables, seats = layout.by_name(watched.observations)
        self.seats = seats[:, 0]  # the agent's own
        self.last = layout.by_name(watched.last)[2][:, 0]

    def at(self, phase: str) -> npt.NDArray[np.bool_]:
        """(decisions,): which were made in a phase."""
        return self.tables["phase"][:, PHASES.index(phase)] == 1


def draw_dials_by_round(axes: Any, watched: Watched) -> None:
    decisions = Decisions(watched)
    at = decisions.at("dial")
    values = shares(watched.actions[at], decisions.tables["round"][at] - 1, (NUM_DIAL_POSITIONS, LAST_ROUND))
    draw_heatmap(axes, values, "round", range(1, LAST_ROUND + 1), DIAL_NAMES)
    axes.axvline(TURN_ROUND - 0.5, color=INK, linestyle=":")  # the tide turns


def draw_dials_by_need(axes: Any, watched: Watched) -> None:
    decisions = Decisions(watched)
    at = decisions.at("dial")
    missing = np.minimum(missing_shells(decisions.seats[at]), MOST_MISSING)
    values = shares(watched.actions[at], missing, (NUM_DIAL_POSITIONS, MOST_MISSING + 1))
    draw_heatmap(axes, values, "shells missing for the nearest castle", range(MOST_MISSING + 1), DIAL_NAMES)


def draw_singles_by_need(axes: Any, watched: Watched) -> None:
    """How often the dial is set to a single colour, by the shells of it needed, with and without a castle ready."""
    decisions = Decisions(watched)
    at = np.flatnonzero(decisions.at("dial"))
    seats = decisions.seats[at]
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
    decisions = Decisions(watched)
    at = decisions.at("build") & (watched.actions != PASS)
    values = (watched.actions[at] - BUILD_CASTLE) // NUM_COLOURS
    counts = np.zeros((NUM_VALUES, LAST_ROUND))
    np.add.at(counts, (values, decisions.tables["round"][at] - 1), 1)
    rounds = np.arange(1, LAST_ROUND + 1)
    grooves = np.where(rounds <= TURN_ROUND, rounds, 2 * PLAYED_GROOVES - rounds)
    names = [f"{number}\n({groove})" for number, groove in zip(rounds, grooves, strict=True)]
    draw_heatmap(
        axes, 100 * counts / len(decisions.last), "round (groove)", names, [f"castle {v}" for v in range(NUM_VALUES)]
    )
    axes.axvline(TURN_ROUND - 0.5, color=INK, linestyle=":")


def draw_ends_of_castles(axes: Any, watched: Watched) -> None:
    decisions = Decisions(watched)
    castles = decisions.last["castles"]
    stands, flooded = castles[:, :, STANDS_IN] > 0, castles[:, :, IS_FLOODED] == 1
    parts = {"stands": stands, "flooded": flooded, "never built": ~stands & ~flooded}
    bottom = np.zeros(NUM_VALUES)
    for (label, part), colour in zip(parts.items(), (SEA, SAND, SHELL), strict=True):
        height = 100 * part.mean(axis=0)
        axes.bar(range(NUM_VALUES), height, bottom=bottom, color=colour, label=label)
        bottom += height
    axes.set(xticks=range(NUM_VALUES), xlabel="castle", ylabel="of its games, %", ylim=(0, 100))
    axes.set_title(f"{watched.name}: {decisions.last['points'].mean():.1f} beach points in the end")
    axes.legend(frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.12), ncols=3)


def draw_collisions(axes: Any, watched: Watched) -> None:
    decisions = Decisions(watched)
    combined = decisions.at("dial") & (watched.actions >= FIRST_COMBINATION)
    collided = decisions.at("spell")
    rounds = np.arange(1, LAST_ROUND + 1)
    counts = [
        np.bincount(decisions.tables["round"][rows], minlength=LAST_ROUND + 1)[1:] for rows in (combined, collided)
    ]
    axes.bar(rounds, 100 * counts[1] / np.maximum(counts[0], 1), color=SEA)
    tried = f"{100 * combined.sum() / decisions.at('dial').sum():.0f} % of its dials are combinations"
    lost = f"{100 * collided.sum() / max(combined.sum(), 1):.0f} % of these collide"
    axes.set(xlabel="round", ylabel="combinations that collide, %", ylim=(0, 100))
    axes.text(0.02, 0.92, f"{tried}\n{lost}", transform=axes.transAxes, va="top")


PICTURES = {
    "dials_by_round": ("Which dials are set, by round, in % of the round's", draw_dials_by_round),
    "dials_by_need": ("Which dials are set, by how near the next castle is, in %", draw_dials_by_need),
    "singles_by_need": ("Single shells: taken where they are needed?", draw_singles_by_need),
    "castles": ("When and where each castle is built, in % of all games", draw_castles),
    "ends_of_castles": ("What becomes of the castles", draw_ends_of_castles),
    "collisions": ("How often combinations collide", draw_collisions),
}

TUNING = Tuning(
    agent=Heuristic,
    start=Dodger.weights,
    tables=(TuningTables(4, 4, 60, 0.55), TuningTables(3, 2, 40, 0.2), TuningTables(2, 2, 60, 0.25)),
    opponents=("greedy", "dodger", "sprinter", "mason"),
    steps={"castle": 1.0, "wait": 2.0, "finish": 0.3, "crowd": 0.3}
    | dict.fromkeys(("pick_missing", "pick_value", "others"), 0.5),
    factors=dict.fromkeys(("guess", "doubt", "heat", "pace", "reach"), 0.5),
    bounds={"others": (0, 1)},
)

TRAINING = GameTraining(
    pictures=PICTURES,
    opponents="tide=0.5,self=0.12,past=0.05,mason=0.06,dodger=0.05,sprinter=0.05,random=0.17",
    tuning=TUNING,
    compared="tide,greedy",
)
