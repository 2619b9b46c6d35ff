"""What tests need to know of one game: its literal implementation, and play that reaches rare situations."""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from strand_env.engine.game import Game

Snapshot = Mapping[str, Any]
Policy = Callable[[random.Random, list[int], Snapshot], int]
"""Chooses one of the legal actions; only games in which one player acts at a time tell who does, by the snapshot."""

Configuration = Mapping[str, Any]
"""The arguments of a batch that make another game: the number of players, the variant."""


class Twin(Protocol):
    """A game of the literal implementation."""

    def legal(self, player: int) -> list[int]: ...

    def step(self, actions: Sequence[int]) -> None: ...

    def snapshot(self) -> dict[str, Any]: ...


class Golden(NamedTuple):
    """A playthrough that is kept: all seats play by one policy."""

    name: str
    configuration: Configuration
    seed: int
    ruleset: Any
    policy: Policy


@dataclass(frozen=True)
class Subject:
    """One game.

    `twin` begins the literal game of an engine's game, whose current snapshot it is given at any time to ask for: if it
    does not draw itself, that is where it sees what was drawn. `untold` are keys that its own snapshots leave out. Most
    games are played by a `usual_ruleset`, by default the default one, and some by a `random_ruleset`. Under
    `other_rulesets` players are asked what they never are under the default one.
    """

    game: Game
    configurations: Sequence[Configuration]
    twin: Callable[[Callable[[], Snapshot]], Twin]
    policies: Sequence[Policy]
    random_ruleset: Callable[[random.Random], Any]
    table: Callable[[int, Snapshot], Iterator[str]]  # the lines of a step in a playthrough
    goldens: Callable[[], Iterator[Golden]]
    untold: frozenset[str] = frozenset()
    usual_ruleset: Callable[[random.Random], Any] | None = None
    other_rulesets: Sequence[Any] = ()
    impossible: Callable[[Configuration], set[int]] = lambda configuration: set()  # actions

    def ruleset(self, rng: random.Random) -> Any:
        if rng.random() < 0.25:
            return self.random_ruleset(rng)
        return self.usual_ruleset(rng) if self.usual_ruleset else self.game.ruleset.default()


def described(configuration: Configuration) -> list[str]:
    return [f"{name.removeprefix('num_')} {value}" for name, value in configuration.items()]


def anything(rng: random.Random, legal: list[int], snapshot: Snapshot) -> int:
    return rng.choice(legal)


def row(values: Sequence[Any]) -> str:
    return " ".join(map(str, values))
