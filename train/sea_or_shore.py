"""Sea or Shore for training: pictures of what agents do, and the weights of its heuristic that can be tuned."""

from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from strand_env.agents.sea_or_shore.heuristics import Heuristic, Reader
from strand_env.engine.game import GameTraining, Tuning, TuningTables
from strand_env.pictures.plots import INK, SAND, SEA, SHELL
from strand_env.sea_or_shore import PHASES, Ruleset, layout
from strand_env.sea_or_shore.actions import ADD, SEAT, SHOW_NUMBER, TAKE
from strand_env.sea_or_shore.potential import points
from strand_env.sea_or_shore.ruleset import HIGHEST, NUM_CARDS, PLAYER_COUNTS, RANKS
from strand_env.train.inspection import FEWEST, Watched, draw_heatmap, shares

NUMBERS = range(1, HIGHEST + 1)
MANY = 5  # extras added: more are not told apart
_NUMBERS = np.array(list(chain(*Ruleset.default().islands)))
BEST_TREASURE = max(map(max, Ruleset.default().treasures))


class Decisions:
    """An agent's decisions, with its observations by name."""

    def __init__(self, watched: Watched) -> None:
        _, self.tables, seats = layout.by_name(watched.observations)
        self.seats = seats[:, 0]  # the agent's own
        self.last = layout.by_name(watched.last)[2][:, 0]
        self.actions, self.games = watched.actions, watched.games

    def at(self, phase: str) -> npt.NDArray[np.integer]:
        """The decisions made in a phase, those of a game one after the other."""
        rows = np.flatnonzero(self.tables["phase"][:, PHASES.index(phase)] == 1)
        return rows[np.argsort(self.games[rows], kind="stable")]


class Plays:
    """The cards that an agent played, and what became of them."""

    def __init__(self, watched: Watched) -> None:
        decisions = Decisions(watched)
        rows = decisions.at("card")
        seats, tables, actions = decisions.seats[rows], decisions.tables[rows], decisions.actions[rows]
        self.shows_number = actions >= SHOW_NUMBER
        self.numbers = _NUMBERS[actions % NUM_CARDS]
        self.stakes = tables["stake_treasure"][np.arange(len(rows)), actions % NUM_CARDS // RANKS].astype(np.int64)
        self.is_last = tables["played"] == tables["players"] @ np.array(PLAYER_COUNTS) - 1
        # Points from one card to the next of the same game; what the last card of a game brings is left out.
        owned = seats["points"] + seats["worth"] + seats["extras"] / 2.0
        same_game = np.diff(decisions.games[rows]) == 0
        self.gains = np.append(np.where(same_game, np.diff(owned), np.nan), np.nan)
        self.games = decisions.games[rows]

    def difference(self, rows: npt.NDArray[np.bool_]) -> tuple[float, float, float] | None:
        """What the number gains over the colour in these plays, at equal number and stake, with its interval."""
        equal = self.numbers[rows] * (BEST_TREASURE + 1) + self.stakes[rows]
        return difference_of_halves(self.shows_number[rows], self.gains[rows], equal, self.games[rows])


def difference_of_halves(
    shows_number: npt.NDArray[np.bool_],
    gains: npt.NDArray[np.float64],
    equal: npt.NDArray[np.int64],
    games: npt.NDArray[np.int64],
) -> tuple[float, float, float] | None:
    """The mean difference among cards that are `equal`, and its 95 % interval; None if there is nothing to compare.

    A regression on the half and on what is equal. Cards of one game are no independent samples, so the interval is of
    sums over games.
    """
    _, group, sizes = np.unique(equal, return_inverse=True, return_counts=True)
    shown, gained = (
        values - (np.bincount(group, values) / sizes)[group] for values in (shows_number.astype(float), gains)
    )
    weight = (shown**2).sum()
    _, game = np.unique(games, return_inverse=True)
    if weight < 1e-9 or game.max() == 0:
        return None
    mean = float((shown * gained).sum() / weight)
    spread = 1.96 * float(np.sqrt((np.bincount(game, shown * (gained - mean * shown)) ** 2).sum()) / weight)
    return mean, mean - spread, mean + spread


def draw_halves(axes: Any, watched: Watched) -> None:
    """How often the number shows, by the number, if others play afterwards and if not."""
    plays = Plays(watched)
    for is_last, label, colour in ((False, "others play after", SEA), (True, "plays last", SAND)):
        rows = plays.is_last == is_last
        asked = np.bincount(plays.numbers[rows], minlength=HIGHEST + 1)[1:]
        shown = np.bincount(plays.numbers[rows & plays.shows_number], minlength=HIGHEST + 1)[1:]
        axes.plot(
            NUMBERS,
            np.where(asked < FEWEST, np.nan, 100 * shown / np.maximum(asked, 1)),
            "o-",
            color=colour,
            label=label,
        )
    axes.set(xticks=NUMBERS, xlabel="number of the card", ylabel="its number shows, %", ylim=(0, 100))
    axes.set_title(f"{watched.name}: the number shows on {100 * plays.shows_number.mean():.0f} % of its cards")
    axes.legend(frameon=False)


def draw_gains(axes: Any, watched: Watched) -> None:
    """What a card gains until the next one, by the half that shows, if others play afterwards."""
    plays = Plays(watched)
    before_others = ~plays.is_last & ~np.isnan(plays.gains)
    for shows_number, label, colour in ((False, "colour shows", SEA), (True, "number shows", SAND)):
        rows = before_others & (plays.shows_number == shows_number)
        asked = np.bincount(plays.numbers[rows], minlength=HIGHEST + 1)[1:]
        total = np.bincount(plays.numbers[rows], plays.gains[rows], minlength=HIGHEST + 1)[1:]
        mean = np.where(asked == 0, np.nan, total / np.maximum(asked, 1))
        average = f", {plays.gains[rows].mean():.2f} on average" if rows.any() else ""
        axes.plot(NUMBERS, mean, "-", color=colour)
        axes.plot(NUMBERS, np.where(asked < FEWEST, np.nan, mean), "o", color=colour, label=label + average)
        few = np.where(asked < FEWEST, mean, np.nan)
        axes.plot(NUMBERS, few, "o", color=colour, markerfacecolor="white")
    axes.plot([], [], "o", color=INK, markerfacecolor="white", label=f"fewer than {FEWEST} cards")
    found = plays.difference(before_others)
    told = "too few cards to compare" if found is None else "{} ({} to {})".format(*map(signed, found))
    axes.set_title(f"{watched.name}\nnumber in place of colour: {told}", fontsize=10)
    axes.set(xticks=NUMBERS, xlabel="number of the card", ylabel="points gained until the next card")
    axes.legend(frameon=False)


def signed(number: float) -> str:
    """With its sign, and two decimals."""
    return f"{number:+.2f}".replace("-", "−")


def draw_numbers(axes: Any, watched: Watched) -> None:
    plays = Plays(watched)
    values = shares(plays.numbers - 1, plays.stakes, (HIGHEST, BEST_TREASURE + 1))
    draw_heatmap(axes, values, "value of the colour's open treasure; 0 is an action", range(BEST_TREASURE + 1), NUMBERS)
    axes.set(ylabel="number of the card")
    axes.invert_yaxis()


def draw_extras(axes: Any, watched: Watched) -> None:
    decisions = Decisions(watched)
    rows = decisions.at("extras")
    own = decisions.seats[rows]["colour"] == 1
    stakes = (decisions.tables[rows]["stake_treasure"] * own).sum(axis=1)
    added = np.minimum(decisions.actions[rows] - ADD, MANY)
    values = shares(added, stakes, (MANY + 1, BEST_TREASURE + 1))
    names = [*range(MANY), f"{MANY} or more"]
    draw_heatmap(axes, values, "value of the colour's open treasure; 0 is an action", range(BEST_TREASURE + 1), names)
    axes.set(ylabel="extras added")


def draw_points(axes: Any, watched: Watched) -> None:
    """Where the points of a game come from."""
    decisions = Decisions(watched)
    last, thefts = decisions.last, (decisions.actions > SEAT) & (decisions.actions < TAKE)
    thefts &= decisions.tables["phase"][:, PHASES.index("treasure")] == 1
    parts = {
        "round 1": last["points"].mean(),
        "treasures": last["worth"].mean(),
        "extras": (last["extras"] // 2).mean(),
    }
    axes.bar(range(len(parts)), list(parts.values()), color=[SHELL, SEA, SAND])
    axes.set_xticks(range(len(parts)), ["all of round 1", "treasures of round 2", "extras of round 2"])
    axes.set(ylabel="points, on average")
    stolen = thefts.sum() / len(last)
    axes.set_title(f"{watched.name}: {points(last).mean():.1f} points, {stolen:.1f} thefts a game")


PICTURES = {
    "halves": ("Which half is shown", draw_halves),
    "gains": ("What showing a half gains; the difference is at equal number and equal stake", draw_gains),
    "numbers": ("Which numbers are played for what, in %", draw_numbers),
    "extras": ("How many extras are added for what, in %", draw_extras),
    "points": ("Where the points come from", draw_points),
}

TUNING = Tuning(
    agent=Heuristic,
    start=Reader.weights | {"spite": 0.2, "leader": 0.2, "heat": 0.05},
    tables=(TuningTables(4, 4, 16, 0.5), TuningTables(3, 2, 16, 0.25), TuningTables(5, 2, 16, 0.25)),
    opponents=("counter", "bluffer", "hoarder", "thief", "reader"),
    steps={"extra": 0.15, "rich": 0.3, "tempt": 0.2, "boost": 0.2, "veil": 0.15, "scare": 0.2, "lure": 0.2}
    | dict.fromkeys(("guard", "spite", "leader"), 0.2),
    factors={"heat": 0.5},
    bounds={"action": (0, 2), "boost": (0, 1)},
    lead=0.05,
)

TRAINING = GameTraining(
    pictures=PICTURES,
    opponents="skipper=0.6,self=0.4",
    defaults={
        "algorithm": "dmc",
        "total_timesteps": 6_000_000,
        "hidden": "128,64",
        "n_envs": 512,
        "n_steps": 96,  # nearly all decisions of these games
        "alike": 0.5,
        "n_epochs": 1,
        "batch_size": 1024,
        "gae_lambda": 0.3,  # what a card brings shows within its trick
        "temperature": 0.02,
        "learning_rate": 4e-3,
        "final_learning_rate": 5e-5,
        "max_grad_norm": 5.0,
        "lookahead": 8,
        "lookahead_prior": 16,
        "evaluate_every": 2_000_000,
        "deals": 150,
        "final_deals": 100,
    },
    tuning=TUNING,
    compared="skipper,counter",
)
