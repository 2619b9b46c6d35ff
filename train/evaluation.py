"""Evaluation during training: win shares against the reference and against random, and the learning curve."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Self

from strand_env.agents import AnyAgent
from strand_env.arena import exploit, versus
from strand_env.engine.checks import fields_of, printable, real_number, shown, text, whole_number
from strand_env.engine.game import Game
from strand_env.pictures.plots import INK, SAND, SEA, picture
from strand_env.train.config import LONGEST_TEXT, MOST

DURING, CHOOSING, FINAL = 1, 2, 3  # seeds: the final table is on deals never played before
ROLLOUTS, CUTOFF = 64, 4  # of the search that knows the learner, which plays this many moves of each rollout


@dataclass(frozen=True)
class Evaluation:
    """One learner against copies of an opponent, each deal played in every seat; `low` to `high` is the 95 % interval.

    If `turned`, one opponent against copies of the learner; `win` and `score` are then the opponent's. `frames` are
    timesteps.
    """

    frames: int
    seconds: float
    opponent: str
    players: int
    deals: int
    win: float
    low: float
    high: float
    score: float
    turned: bool = False
    variant: str | None = None

    @property
    def who(self) -> str:
        """The pairing in words."""
        name = printable(self.opponent, 60)
        return f"{name} against it" if self.turned else f"against {name}"

    @classmethod
    def from_dict(cls, data: Any, frames: int) -> Self:
        """An evaluation that a run of this many frames has saved; earlier versions had no `turned` and `variant`."""
        later = ("turned", "variant")
        known = fields_of("evaluations", data, [each.name for each in fields(cls) if each.name not in later], later)
        whole_number("evaluations: frames", known["frames"], 0, frames)
        whole_number("evaluations: players", known["players"], 2, MOST)
        whole_number("evaluations: deals", known["deals"], 1, MOST)
        text("evaluations: opponent", known["opponent"], LONGEST_TEXT)
        real_number("evaluations: seconds", known["seconds"], 0, MOST)
        real_number("evaluations: score", known["score"], -MOST, MOST)
        for name in ("win", "low", "high"):
            real_number(f"evaluations: {name}", known[name], 0, 1)
        if not isinstance(known.get("turned", False), bool):
            raise ValueError(f"evaluations: turned: expected true or false, got {shown(known['turned'])}")
        if known.get("variant") is not None:
            text("evaluations: variant", known["variant"], LONGEST_TEXT)
        return cls(**known)

    def __str__(self) -> str:
        return f"{self.who} {self.win:.1%} ({self.low:.1%} to {self.high:.1%})"


def evaluate(
    agent: AnyAgent,
    opponent: str,
    game: Game,
    players: int,
    deals: int,
    seed: int,
    frames: int,
    seconds: float,
    turned: bool = False,
    variant: str | None = None,
) -> Evaluation:
    """Evaluates an agent; `frames` and `seconds` record how long it was trained."""
    one, others = (opponent, agent) if turned else (agent, opponent)
    standing = versus(one, others, deals, players, seed, game, variant)
    win, score = standing.win, standing.score
    shares = win.mean, win.low, win.high, score.mean
    return Evaluation(frames, seconds, opponent, players, deals, *shares, turned, variant)


def exploited(
    agent: AnyAgent,
    game: Game,
    players: int,
    deals: int,
    seed: int,
    frames: int,
    seconds: float,
    variant: str | None = None,
) -> Evaluation:
    """A local best response against copies of an agent: a quick measure of how far it can be exploited."""
    found = exploit(
        agent, deals, players, seed, rollouts=[ROLLOUTS], cutoff=CUTOFF, game=game, variant=variant
    ).responses[0]
    shares = *found.win, found.score.mean
    return Evaluation(frames, seconds, f"mc:{ROLLOUTS}/{CUTOFF}@it", players, deals, *shares, True, variant)


def draw_learning_curve(runs: Sequence[Sequence[Evaluation]], title: str, path: Path) -> None:
    """Plots the win share against each opponent over training: one run with its intervals, or several runs."""
    opponents = dict.fromkeys(each.opponent for each in runs[0])
    with picture(path, 8, 4.6) as (_, axes):
        for opponent, colour in zip(opponents, (SEA, SAND), strict=False):
            for number, run in enumerate(runs):
                found = [each for each in run if each.opponent == opponent]
                frames = [each.frames / 1e6 for each in found]
                win, low, high = ([100 * getattr(each, name) for each in found] for name in ("win", "low", "high"))
                label = None if number else f"against {printable(opponent, 60)}"
                axes.plot(frames, win, "o-", color=colour, markersize=3, linewidth=1.2, label=label)
                if len(runs) == 1:
                    axes.fill_between(frames, low, high, color=colour, alpha=0.25, linewidth=0)
        chance = 100 / runs[0][0].players
        axes.axhline(chance, color=INK, linewidth=0.8, linestyle=":", label=f"chance, {chance:.0f} %")
        axes.set(xlabel="million timesteps (decisions of the learner)", ylabel="share of the win, %", ylim=(0, 100))
        axes.set_title(title)
        axes.legend(frameon=False)
