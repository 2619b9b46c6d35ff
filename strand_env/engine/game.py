"""The declaration of a game: written once, read by all code that serves any game."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from strand_env.engine.checks import checked_story, whole_numbers
from strand_env.engine.layout import Layout
from strand_env.engine.protocol import Batch, Choice, Observer, PlayViews, Ruleset, Snapshot, Views

Dynamics = Literal["simultaneous", "sequential"]
Information = Literal["open", "private"]

Potential = Callable[[npt.NDArray[np.integer]], npt.NDArray[np.floating]]
"""For reward shaping: from observations (rows, entries), as integers, to potentials (rows,)."""

Drawing = Callable[[Any, Any], None]
"""Draws one agent's games (`train.inspection.Watched`) on Matplotlib axes."""


@dataclass(frozen=True)
class Encoding:
    """A feature encoding: `encode` maps observations (rows, entries) to network inputs (rows, size), float32.

    Trained agents refer to it by name: if its features change, so must the name. With `per_action`, the first entries
    are that many features of each action, by id; the first of them is 1 if the action is legal, and all are 0 if it is
    not. Networks then score all actions by the same weights. `layout` names and bounds the features. An encoding whose
    numbers depend on the ruleset has `of_ruleset`, which makes it for another one than the default.
    """

    name: str
    size: int
    encode: Callable[[npt.NDArray[np.integer]], npt.NDArray[np.float32]]
    per_action: int = 0
    layout: Layout | None = None
    of_ruleset: "Callable[[Any], Encoding] | None" = None


@dataclass(frozen=True)
class Searching:
    """How `mc` and `cheater` search. The defaults suit games whose outcome a decision can turn."""

    moves: int | None = None  # after which rollouts stop, and the game's potential counts; None: play to the end
    doubt: float | None = None  # standard errors to beat the rollout policy's choice by; None: the best on average


@dataclass(frozen=True)
class Watching:
    """How a game shows what others did where all decide at once, by observations (rows, entries)."""

    actions: int  # those that may be chosen there have ids below this
    asked: Callable[[npt.NDArray[np.integer]], npt.NDArray[np.bool_]]  # (rows,): whether this is such a decision
    # (rows, seats), from the observer on: what was chosen there the last time, or -1
    seen: Callable[[npt.NDArray[np.integer]], npt.NDArray[np.int64]]


@dataclass(frozen=True)
class GameAgents:
    """The agents that come with a game; `random` and the searches come with every game."""

    heuristics: Mapping[str, Callable[[Any], Any]] = field(default_factory=dict)  # by name: from a ruleset to the agent
    reference: str = "random"  # learners are measured against it
    rollout_policy: str = "random"  # plays the rollouts of searches
    search: Searching = Searching()
    trained: Mapping[str, Path] = field(default_factory=dict)  # folders with networks, by name
    encodings: Sequence[Encoding] = ()  # besides the game's own; the first is the default of `strand train`
    hints: Sequence[str] = ("random",)  # agents that give hints by default
    watching: Watching | None = None  # for agents that infer whom they play; None if a game shows nothing of it
    strangers_module: str = ""  # has STRANGERS, by name: opponents used only to judge agents; see `agents/strangers.py`


@dataclass(frozen=True)
class TuningTables:
    """The tables of `players` at which each candidate is rated."""

    players: int
    number: int
    deals: int
    share: float  # of the rating; the shares add up to 1
    variant: str | None = None  # by default the usual one


@dataclass(frozen=True)
class Tuning:
    """A heuristic for `strand_env.train.tune`, which optimises its weights: numbers or lists of numbers, by name.

    A step of the optimiser adds to a weight, or multiplies it if it is among `factors` and so stays positive.
    """

    agent: Callable[[dict[str, Any]], Any]  # from weights to the agent
    start: Mapping[str, Any]  # the weights to start from
    tables: Sequence[TuningTables]
    opponents: Sequence[str] = ("random",)  # agents by name that candidates play with, besides earlier candidates
    steps: Mapping[str, float] = field(default_factory=dict)  # the size of a step, where it is not 0.4
    factors: Mapping[str, float] = field(default_factory=dict)  # the size of a step of the logarithm
    bounds: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    lead: float = 0.02  # value of a point of lead relative to a win; it separates candidates that win equally often


@dataclass(frozen=True)
class GameTraining:
    """A game's part in training."""

    pictures: Mapping[str, tuple[str, Drawing]] = field(default_factory=dict)  # of `inspect`: titles and drawings
    opponents: str = "random=0.5,self=0.3,past=0.2"  # as for `strand train --opponents`
    defaults: Mapping[str, Any] = field(default_factory=dict)  # of other options of `strand train`, where they differ
    tuning: Tuning | None = None
    compared: str = "random"  # agents that `strand inspect` draws for comparison, separated by commas


@dataclass(frozen=True)
class Game:
    """A game with its views, agents and training. The version goes up when the same seeds and actions give other games.

    Views, agents and training are named by module and imported on first use.

        game_of("strand_unter").batch(4096, num_players=4, seed=0)
    """

    name: str
    version: int
    title: str
    batch: type[Batch]
    ruleset: type[Ruleset]
    player_counts: range
    dynamics: Dynamics
    information: Information
    num_actions: int
    describe: Callable[..., str]  # (action, ruleset) -> a short sentence
    package: str  # the game's own, with its `rules.md`
    views_module: str
    agents_module: str = ""  # has AGENTS: GameAgents
    training_module: str = ""  # has TRAINING: GameTraining
    options: Mapping[str, str] = field(default_factory=dict)  # of batches, by name: their effect on observations
    default_players: int = 4
    # What follows from the open state; the first is the default of environments.
    encodings: Sequence[Encoding] = field(default=(), compare=False)
    potential: Potential | None = None  # for reward shaping

    @property
    def id(self) -> str:
        """The versioned name, as used in files and registries."""
        return f"{self.name}_v{self.version}"

    @property
    def variants(self) -> tuple[str, ...]:
        """The variants of the rules, the usual one first; () if there is only one."""
        return self.batch.variants

    @cached_property
    def views(self) -> "SeatedViews":
        return SeatedViews(import_module(self.views_module), self.batch)

    @cached_property
    def agents(self) -> GameAgents:
        return import_module(self.agents_module).AGENTS if self.agents_module else GameAgents()

    @cached_property
    def training(self) -> GameTraining:
        return import_module(self.training_module).TRAINING if self.training_module else GameTraining()

    def __getstate__(self) -> dict[str, Any]:
        """Without what was imported on use: modules cannot be pickled."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    def __setstate__(self, values: dict[str, Any]) -> None:
        self.__dict__.update(values)

    def rules_page(self) -> str:
        """The rules as implemented, in Markdown."""
        return files(self.package).joinpath("rules.md").read_text("utf-8")


class SeatedViews:
    """A game's views behind a filter: they only ever receive what the observer may see."""

    def __init__(self, views: Any, batch: type[Batch]) -> None:
        self._views: Views = views
        self._batch = batch
        offered: PlayViews | None = getattr(views, "play", None)
        self.play = None if offered is None else SeatedPlayViews(offered, batch)

    def to_svg(self, snapshot: Snapshot, story: Sequence[str] = (), *, seat: Observer = None) -> str:
        return self._views.to_svg(self._batch.as_seen(snapshot, seat), checked_story(story), seat=seat)

    def to_pixels(
        self, snapshot: Snapshot, story: Sequence[str] = (), *, seat: Observer = None
    ) -> npt.NDArray[np.uint8]:
        return self._views.to_pixels(self._batch.as_seen(snapshot, seat), checked_story(story), seat=seat)

    def to_text(
        self, snapshot: Snapshot, story: Sequence[str] = (), colour: bool = True, *, seat: Observer = None
    ) -> str:
        return self._views.to_text(self._batch.as_seen(snapshot, seat), checked_story(story), colour, seat=seat)

    def tell(self, before: Snapshot, actions: Sequence[int], after: Snapshot, *, seat: Observer = None) -> list[str]:
        done = self._batch.actions_as_seen(before, whole_numbers("actions", actions).tolist(), seat)
        return self._views.tell(self._batch.as_seen(before, seat), done, self._batch.as_seen(after, seat), seat=seat)


class SeatedPlayViews:
    """The same for the views of people who play."""

    def __init__(self, views: PlayViews, batch: type[Batch]) -> None:
        self._views = views
        self._batch = batch
        self.style, self.symbols = views.style, views.symbols

    def round_of(self, snapshot: Snapshot) -> int | str | None:
        return self._views.round_of(self._batch.as_seen(snapshot, None))

    def heading(self, snapshot: Snapshot) -> str:
        return self._views.heading(self._batch.as_seen(snapshot, None))

    def task(self, snapshot: Snapshot, seat: Observer) -> str:
        return self._views.task(self._batch.as_seen(snapshot, seat), seat)

    def board(self, snapshot: Snapshot, seat: Observer) -> str:
        return self._views.board(self._batch.as_seen(snapshot, seat), seat)

    def player(self, snapshot: Snapshot, player: int, seat: Observer) -> str:
        return self._views.player(self._batch.as_seen(snapshot, seat), player, seat)

    def revealed(self, before: Snapshot, actions: Sequence[int], after: Snapshot, seat: Observer) -> str:
        done = self._batch.actions_as_seen(before, whole_numbers("actions", actions).tolist(), seat)
        return self._views.revealed(self._batch.as_seen(before, seat), done, self._batch.as_seen(after, seat), seat)

    def choices(self, snapshot: Snapshot, seat: int, legal: Sequence[int]) -> list[Choice]:
        return self._views.choices(self._batch.as_seen(snapshot, seat), seat, legal)

    def result(self, snapshot: Snapshot, seat: Observer = None) -> str:
        return self._views.result(self._batch.as_seen(snapshot, seat))

    def result_words(self, snapshot: Snapshot, seat: Observer = None) -> list[str]:
        return self._views.result_words(self._batch.as_seen(snapshot, seat))
