"""How well the learner plays while it learns: against the reference and against randoms, and what that looks like."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from strand_env.agents import AnyAgent
from strand_env.arena import versus
from strand_env.engine.game import Game
from strand_env.pictures.plots import INK, SAND, SEA, picture

DURING, CHOOSING, FINAL = 1, 2, 3  # seeds: the deals of the table at the end have never been played before


@dataclass(frozen=True)
class Evaluation:
    """One learner against copies of an opponent: each deal in every seat; the interval is of 95 %.

    Or, `turned`, the opponent against copies of the learner; the share and the points are still those of the one alone.
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

    @property
    def who(self) -> str:
        """Who plays alone, against whom."""
        return f"{self.opponent} against it" if self.turned else f"against {self.opponent}"

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
) -> Evaluation:
    """An agent that was trained for so many frames and seconds."""
    one, others = (opponent, agent) if turned else (agent, opponent)
    standing = versus(one, others, deals, players, seed, game)
    win, score = standing.win, standing.score
    return Evaluation(frames, seconds, opponent, players, deals, win.mean, win.low, win.high, score.mean, turned)


def draw_learning_curve(runs: Sequence[Sequence[Evaluation]], title: str, path: Path) -> None:
    """The share of the win against each opponent as training goes on: of one run with intervals, or of several."""
    opponents = dict.fromkeys(each.opponent for each in runs[0])
    with picture(path, 8, 4.6) as (_, axes):
        for opponent, colour in zip(opponents, (SEA, SAND), strict=False):
            for number, run in enumerate(runs):
                of_it = [each for each in run if each.opponent == opponent]
                frames = [each.frames / 1e6 for each in of_it]
                win, low, high = ([100 * getattr(each, name) for each in of_it] for name in ("win", "low", "high"))
                label = None if number else f"against {opponent}"
                axes.plot(frames, win, "o-", color=colour, markersize=3, linewidth=1.2, label=label)
                if len(runs) == 1:
                    axes.fill_between(frames, low, high, color=colour, alpha=0.25, linewidth=0)
        chance = 100 / runs[0][0].players
        axes.axhline(chance, color=INK, linewidth=0.8, linestyle=":", label=f"chance, {chance:.0f} %")
        axes.set(xlabel="million frames (decisions of the learner)", ylabel="share of the win, %", ylim=(0, 100))
        axes.set_title(title)
        axes.legend(frameon=False)
