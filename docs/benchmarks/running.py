"""What all recipes share: their options, the clock, evaluations on the way, and a run's result as JSON.

A recipe is a function `train(task, report)`. It calls `report(frames, policy)` after every update, with the number of
decisions learned from so far and the policy as it is then, a function from observations and masks to actions; and it
goes on for as long as that returns True. The budget is CPU time, so that other work on the machine takes nothing from
it, or a number of frames; evaluations take nothing from it either.
"""

import argparse
import json
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields
from importlib import import_module
from pathlib import Path
from typing import Any

from strand_env.agents.strangers import has_strangers, strangers_of
from strand_env.arena import versus
from strand_env.registry import DEFAULT, game_of
from strand_env.support.files import write_whole

Policy = Callable[[Any, Any], Any]
DEALS = 500  # of each evaluation, every one played in all seats


@dataclass(frozen=True)
class Task:
    """The options of every recipe."""

    game: str = DEFAULT
    seed: int = 0
    minutes: float = 10.0  # of CPU time
    frames: int = 0  # in place of minutes, if not 0
    opponents: str = ""  # whom a single learner plays; the game's reference, if empty
    evaluations: int = 10  # on the way
    deals: int = DEALS  # of each evaluation
    out: str = ""  # the file for the result

    @property
    def players(self) -> int:
        return game_of(self.game).default_players

    @property
    def environments(self) -> Any:
        """The module with the game's environments."""
        return import_module(f"strand_env.{game_of(self.game).id}")

    @property
    def learner(self) -> dict[str, Any]:
        """Arguments of environments with one learner."""
        opponents = self.opponents or game_of(self.game).agents.reference
        return {"num_players": self.players, "seat": "random", "opponents": opponents, "reward": "margin"}

    @property
    def gym_id(self) -> str:
        name, _, version = game_of(self.game).id.rpartition("_v")
        return f"strand_env/{name.title().replace('_', '')}-v{version}"


class Report:
    """Keeps the time, evaluates a recipe's policy when it is due, and says whether the recipe goes on."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.curve: list[dict[str, float]] = []
        self.frames = 0
        self._away = time.process_time()  # CPU seconds that are not the recipe's: imports and evaluations

    @property
    def seconds(self) -> float:
        """CPU time spent learning."""
        return time.process_time() - self._away

    @property
    def progress(self) -> float:
        """From 0 to 1, for schedules of learning rates and exploration."""
        limit = self.task.frames
        return min(1.0, self.frames / limit if limit else self.seconds / (60 * self.task.minutes))

    def __call__(self, frames: int, policy: Policy) -> bool:
        self.frames = frames
        progress = self.progress
        if progress >= (len(self.curve) + 1) / self.task.evaluations:
            self._evaluate(policy, last=progress >= 1)
        return progress < 1

    def _evaluate(self, policy: Policy, last: bool) -> None:
        start, seconds = time.process_time(), self.seconds
        task, game = self.task, game_of(self.task.game)
        point: dict[str, Any] = {"seconds": round(seconds, 1), "frames": self.frames}
        for opponent in dict.fromkeys(("random", game.agents.reference)):
            win = versus(policy, opponent, task.deals, task.players, game=game).win
            point[opponent] = {key: round(value, 4) for key, value in win._asdict().items()}
        if last and has_strangers(game):  # opponents that no agent has met
            wins = [
                versus(policy, stranger, -(-task.deals // 5), task.players, game=game).win.mean
                for stranger in strangers_of(game).values()
            ]
            point["strangers"] = {"mean": round(sum(wins) / len(wins), 4), "worst": round(min(wins), 4)}
        self.curve.append(point)
        shown = ", ".join(f"{point[name]['mean']:.1%} against {name}" for name in point if name not in COUNTS)
        print(f"{seconds:7.1f} CPU s, {self.frames:>10,} frames: wins {shown}", flush=True)
        self._away += time.process_time() - start


COUNTS = ("seconds", "frames")


def run(train: Callable[[Task, Report], None]) -> None:
    """The command line of a recipe."""
    parser = argparse.ArgumentParser(formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    for field in fields(Task):
        parser.add_argument(f"--{field.name}", type=type(field.default), default=field.default)
    task = Task(**vars(parser.parse_args()))
    for name in ("minutes", "evaluations", "deals"):
        if getattr(task, name) <= 0:
            parser.error(f"--{name}: expected more than 0, got {getattr(task, name)}")
    try:
        game_of(task.game)
    except ValueError as error:
        parser.error(str(error))
    report = Report(task)
    train(task, report)
    if task.out:
        result = {"task": {k: v for k, v in asdict(task).items() if k != "out"}, "curve": report.curve}
        write_whole(Path(task.out), json.dumps(result, indent=1).encode())
