"""What a game is: declared once, and asked by everything that serves any game."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from strand_env.engine.protocol import Batch, Choice, Observer, PlayViews, Ruleset, Snapshot, Views

Dynamics = Literal["simultaneous", "sequential"]
Information = Literal["open", "private"]

Potential = Callable[[npt.NDArray[np.integer]], npt.NDArray[np.floating]]
"""How promising positions look, (rows,), by the whole numbers that players see of them, (rows, entries)."""

Drawing = Callable[[Any, Any], None]
"""Draws one agent's games (`train.inspection.Watched`) on Matplotlib axes."""


@dataclass(frozen=True)
class Encoding:
    """Features for networks: `size` numbers for each row of observations. The name changes with their meaning."""

    name: str
    size: int
    encode: Callable[[npt.NDArray[np.integer]], npt.NDArray[np.float32]]


@dataclass(frozen=True)
class GameAgents:
    """The agents that come with a game; `random` and the searches come with every game."""

    heuristics: Mapping[str, Callable[[Any], Any]] = field(default_factory=dict)  # by name, made for a ruleset
    reference: str = "random"  # that learners are judged by
    rollout_policy: str = "random"  # plays the rollouts of searches
    trained: Mapping[str, Path] = field(default_factory=dict)  # folders with networks, by name
    encodings: Sequence[Encoding] = ()  # besides the plain one; what learners do best with comes first
    hints: Sequence[str] = ("random",)  # who may be asked for hints, unless others are named


@dataclass(frozen=True)
class GameTraining:
    """What training knows of a game."""

    potential: Potential | None = None
    pictures: Mapping[str, tuple[str, Drawing]] = field(default_factory=dict)  # of `inspect`: a title and a drawing
    opponents: str = "random=0.5,self=0.3,past=0.2"  # in the notation of `strand train --opponents`
    beside: str = "random"  # who `inspect` shows beside an agent, with commas between


@dataclass(frozen=True)
class Game:
    """A game, its looks, its agents. The version counts up when the same seeds and actions lead to something else.

    What depends on heavier packages, or knows the rules from outside, is named by module and imported on use.
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
    describe: Callable[..., str]  # (action, ruleset): a short sentence
    package: str  # that the game lies in, with its `rules.md`
    views_module: str
    agents_module: str = ""  # has AGENTS: GameAgents
    training_module: str = ""  # has TRAINING: GameTraining
    options: Mapping[str, str] = field(default_factory=dict)  # of batches, that change what is seen: what they mean
    default_players: int = 4

    @property
    def id(self) -> str:
        """The versioned name that files and registries know it by."""
        return f"{self.name}_v{self.version}"

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
        """The rules as they are played here, in Markdown."""
        return files(self.package).joinpath("rules.md").read_text("utf-8")


class SeatedViews:
    """A game's views, given no more of a game than the observer may see, whatever they do with it."""

    def __init__(self, views: Any, batch: type[Batch]) -> None:
        self._views: Views = views
        self._batch = batch
        offered: PlayViews | None = getattr(views, "play", None)
        self.play = None if offered is None else SeatedPlayViews(offered, batch)

    def to_svg(self, snapshot: Snapshot, story: Sequence[str] = (), *, seat: Observer = None) -> str:
        return self._views.to_svg(self._batch.as_seen(snapshot, seat), story, seat=seat)

    def to_pixels(
        self, snapshot: Snapshot, story: Sequence[str] = (), *, seat: Observer = None
    ) -> npt.NDArray[np.uint8]:
        return self._views.to_pixels(self._batch.as_seen(snapshot, seat), story, seat=seat)

    def to_text(
        self, snapshot: Snapshot, story: Sequence[str] = (), colour: bool = True, *, seat: Observer = None
    ) -> str:
        return self._views.to_text(self._batch.as_seen(snapshot, seat), story, colour, seat=seat)

    def tell(self, before: Snapshot, actions: Sequence[int], after: Snapshot, *, seat: Observer = None) -> list[str]:
        done = self._batch.actions_as_seen(before, actions, seat)
        return self._views.tell(self._batch.as_seen(before, seat), done, self._batch.as_seen(after, seat), seat=seat)


class SeatedPlayViews:
    """The same for what people see who play."""

    def __init__(self, views: PlayViews, batch: type[Batch]) -> None:
        self._views = views
        self._batch = batch
        self.style, self.symbols = views.style, views.symbols

    def round_of(self, snapshot: Snapshot) -> int | None:
        return self._views.round_of(self._batch.as_seen(snapshot, None))

    def heading(self, snapshot: Snapshot) -> str:
        return self._views.heading(self._batch.as_seen(snapshot, None))

    def task(self, snapshot: Snapshot, seat: Observer) -> str:
        return self._views.task(self._batch.as_seen(snapshot, seat), seat)

    def board(self, snapshot: Snapshot, seat: Observer) -> str:
        return self._views.board(self._batch.as_seen(snapshot, seat), seat)

    def player(self, snapshot: Snapshot, player: int, seat: Observer) -> str:
        return self._views.player(self._batch.as_seen(snapshot, seat), player, seat)

    def revealed(self, before: Snapshot, actions: Sequence[int], seat: Observer) -> str:
        done = self._batch.actions_as_seen(before, actions, seat)
        return self._views.revealed(self._batch.as_seen(before, seat), done, seat)

    def choices(self, snapshot: Snapshot, seat: int, legal: Sequence[int]) -> list[Choice]:
        return self._views.choices(self._batch.as_seen(snapshot, seat), seat, legal)

    def result(self, snapshot: Snapshot, seat: Observer = None) -> str:
        return self._views.result(self._batch.as_seen(snapshot, seat))

    def result_words(self, snapshot: Snapshot, seat: Observer = None) -> list[str]:
        return self._views.result_words(self._batch.as_seen(snapshot, seat))
