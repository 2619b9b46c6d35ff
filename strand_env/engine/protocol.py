"""The interface between a game and everything built on it: adapters, agents, training, pictures, replays.

Code that uses a game through these protocols knows none of its rules, so any game can take its place.
`batch.GameBatch` implements `Batch`; a game inherits it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Protocol, Self, get_args

import numpy as np
import numpy.typing as npt

from strand_env.engine.layout import Layout
from strand_env.engine.randomness import Seeds

RewardKind = Literal["win", "score", "margin"]
REWARD_KINDS: tuple[RewardKind, ...] = get_args(RewardKind)


Snapshot = dict[str, Any]

Observer = int | Literal["all"] | None
"""A viewer of a game: a player by seat, None for public information only, or "all" for everything."""

EVERYTHING: Observer = "all"
OPEN = -1  # in place of an action that has yet to be chosen


class IllegalAction(ValueError):
    """An action that is not legal for the player now. No game was changed."""


class Ruleset(Protocol):
    """The parameters of a game, as frozen data."""

    @classmethod
    def default(cls) -> Self: ...

    @classmethod
    def from_dict(cls, data: Any) -> Self: ...

    def to_dict(self) -> dict[str, Any]: ...


class Batch(Protocol):
    """N games of one kind, stepped together. Each depends only on its own seed and actions.

    Copying and pickling preserve a batch exactly. Options change observations or speed, never a game.
    """

    variants: ClassVar[tuple[str, ...]]  # of the rules, the usual one first; () if there is only one

    def __init__(
        self,
        num_games: int,
        num_players: int = ...,
        seed: Seeds = ...,
        ruleset: Any = ...,
        *,
        variant: Any = ...,
        **options: Any,
    ) -> None: ...

    @property
    def num_actions(self) -> int: ...

    @property
    def pass_action(self) -> int:
        """The only legal action of a player who has nothing to decide."""

    @property
    def deal_options(self) -> tuple[str, ...]:
        """Keyword arguments of `reset`, besides the seed."""

    @property
    def num_games(self) -> int: ...

    @property
    def num_players(self) -> int: ...

    @property
    def ruleset(self) -> Any: ...

    @property
    def variant(self) -> str | None:
        """The variant of the rules that is played; None in a game without variants."""

    @property
    def chosen_options(self) -> dict[str, Any]:
        """The options that change what is seen, by name."""

    @property
    def observation_maximum(self) -> npt.NDArray[np.integer]:
        """(entries,): the upper bound of each entry of an observation, at least 1; the lower bound is 0."""

    @property
    def to_act(self) -> npt.NDArray[np.bool_]:
        """(games, players): which players have to decide now. The others can only pass."""

    @property
    def legal(self) -> npt.NDArray[np.int8]:
        """(games, players, num_actions): 1 for each legal action; every player always has at least one."""

    @property
    def seeds(self) -> npt.NDArray[np.uint64]:
        """(games,): the seed of each game."""

    @property
    def over(self) -> npt.NDArray[np.bool_]:
        """(games,): which games have ended."""

    @property
    def scores(self) -> npt.NDArray[np.integer]:
        """(games, players): final scores; 0 until a game is over."""

    @property
    def winners(self) -> npt.NDArray[np.bool_]:
        """(games, players): the winners, one or several; none until a game is over."""

    def rewards(self, kind: RewardKind, which: npt.ArrayLike | None = None) -> npt.NDArray[np.float32]:
        """(games, players): final rewards in all games or in `which`; 0 until a game is over."""

    def results(self, games: npt.NDArray[np.int64], seats: npt.NDArray[np.int64]) -> dict[str, npt.NDArray[Any]]:
        """(rows,) each, for players by game and seat: "win" (their share), "score", "rank" from 1; 0 until the end."""

    def statistics(self, games: npt.NDArray[np.int64], seats: npt.NDArray[np.int64]) -> dict[str, npt.NDArray[Any]]:
        """(rows,) each, for players of finished games, by game and seat: further statistics by name."""

    @property
    def layout(self) -> Layout:
        """The sections of an observation."""

    def observe(self) -> npt.NDArray[np.integer]:
        """(games, players, entries): every player's observation."""

    def look_at_rows(
        self, games: npt.NDArray[np.int64], seats: npt.NDArray[np.int64]
    ) -> tuple[npt.NDArray[np.integer], npt.NDArray[np.int8]]:
        """Observations (rows, entries) and masks (rows, num_actions) of players by game and seat."""

    def observe_table(self) -> npt.NDArray[np.integer]:
        """(games, entries): for centralised critics, in seating order; where hands are private, with all of them."""

    @property
    def table_maximum(self) -> npt.NDArray[np.integer]:
        """(entries,): the upper bounds of `observe_table`."""

    def status(self, index: int) -> dict[str, Any]:
        """A short summary of a game's state, for people to read."""

    # `*_: Any, **…: Any` lets type checkers accept a game's own named options.
    def reset(
        self, which: npt.ArrayLike | None = None, seed: Seeds | None = None, *_: Any, **deal_options: Any
    ) -> None:
        """Deals new games: all, or those in `which`, a mask or a list of indices, possibly empty.

        An int seed is spread over the games by `randomness.spread_seeds`. In a new game at least one player has to
        decide.
        """

    def step(self, actions: npt.ArrayLike, which: npt.ArrayLike | None = None) -> None:
        """Steps all games, or those in `which`, to their next decision; finished games stay as they are.

        If any action is illegal, raises `IllegalAction` and changes nothing.
        """

    def play_on(
        self,
        until: npt.ArrayLike | None = None,
        chosen: npt.ArrayLike | None = None,
        which: npt.ArrayLike | None = None,
        moves: npt.NDArray[np.int64] | None = None,
    ) -> None:
        """Plays games on with random actions, by `Streams.of_decisions`, until the given player of each has to decide.

        That player starts with its chosen action, unless that is `OPEN`. `moves`, by game, counts the steps.
        """

    def illegal_action(self, game: int, player: int, action: int) -> IllegalAction:
        """The error for an action that a player may not do now."""

    def choose_randomly(
        self, games: npt.NDArray[np.int64], seats: npt.NDArray[np.int64], bits: npt.NDArray[np.uint64]
    ) -> npt.NDArray[np.int64]:
        """(rows,): a random legal action for each player, chosen as by `RandomAgent`, but without writing masks."""

    def redeal(self, seed: Seeds, observer: int | npt.NDArray[np.int64] | None = None) -> None:
        """Redeals what is hidden from the observer, one for all games or one for each; for search.

        Without an observer, redeals what is hidden from everybody.
        """

    def has_drawn(self, before: Self) -> npt.NDArray[np.bool_]:
        """(games,): which games have drawn at random since they were as in `before`, an earlier copy."""

    def clone(self) -> Self:
        """An independent copy."""

    def select(self, which: npt.ArrayLike) -> Self:
        """Independent copies of some games, by a mask or by indices, which may repeat."""

    def snapshot(self, index: int) -> dict[str, Any]:
        """A whole game as plain data for JSON, including "players", "to_act", "ruleset", "scores" and "seed".

        The seed is '0x' and 16 hexadecimal digits.
        """

    @classmethod
    def as_seen(cls, snapshot: Snapshot, observer: Observer) -> Snapshot:
        """A snapshot with null in place of what an observer may not see."""

    @classmethod
    def actions_as_seen(cls, before: Snapshot, actions: Sequence[int], observer: Observer) -> list[int | None]:
        """The players' actions, with None in place of those that an observer may not know."""

    @classmethod
    def from_snapshots(cls, snapshots: Sequence[dict[str, Any]], *_: Any, **options: Any) -> Self:
        """Games that continue exactly from the snapshots."""


class Views(Protocol):
    """A module that shows one game, from snapshots alone.

    `seat` is the observer. Snapshots and actions passed to a view hold nothing that this observer may not see:
    `Game.views` replaces it by null.
    """

    def to_svg(self, snapshot: Snapshot, story: Sequence[str] = (), *, seat: Observer = None) -> str:
        """The game as an SVG document."""

    def to_pixels(
        self, snapshot: Snapshot, story: Sequence[str] = (), *, seat: Observer = None
    ) -> npt.NDArray[np.uint8]:
        """The same picture as (height, width, 3) pixels."""

    def to_text(
        self, snapshot: Snapshot, story: Sequence[str] = (), colour: bool = True, *, seat: Observer = None
    ) -> str:
        """The game as text for a terminal."""

    def tell(
        self, before: Snapshot, actions: Sequence[int | None], after: Snapshot, *, seat: Observer = None
    ) -> list[str]:
        """The events between two snapshots, in sentences."""


@dataclass(frozen=True)
class Stage:
    """A part of several choices that people choose first, such as a card before its place.

    On a page, elements of the pictures with `data-place="market-3"` stand for the stage of that name, and those with
    `data-place="action-7"` for action 7: they can be clicked. Elements with `data-ghost="action-7"` are shown while
    that choice is pointed at.
    """

    name: str
    words: str  # a short sentence
    picture: str = ""  # as in `Choice`, like the others
    label: str = ""
    group: str = ""


@dataclass(frozen=True)
class Choice:
    """A legal action as it is offered to a human player."""

    action: int
    words: str  # a short sentence
    picture: str = ""  # HTML for a button, without the words
    label: str = ""  # a short form of the words, for the button
    group: str = ""  # heading under which choices are shown together
    stages: tuple[Stage, ...] = ()  # what is chosen before it, one after the other


class PlayViews(Protocol):
    """Optional part of a game's views, named `play`, for people who play on a page or in the terminal.

    Pictures are HTML without its own scripts and styles; they show what the player in `seat` may see, or only public
    information if that is None. Without this a game can still be played with plain buttons.
    """

    style: str  # CSS for the pictures
    symbols: str  # an SVG document with symbols that they use

    def round_of(self, snapshot: Snapshot) -> int | str | None:
        """The number of the round, or the name of a shorter part, such as a trick; None if the game has none.

        Undoing goes back to its start.
        """

    def heading(self, snapshot: Snapshot) -> str:
        """The state of the game in a few words."""

    def task(self, snapshot: Snapshot, seat: Observer) -> str:
        """The decision to make now, and who makes it; or how the game ended."""

    def board(self, snapshot: Snapshot, seat: Observer) -> str:
        """A picture of the common board."""

    def player(self, snapshot: Snapshot, player: int, seat: Observer) -> str:
        """A picture of what a player has."""

    def revealed(self, before: Snapshot, actions: Sequence[int | None], after: Snapshot, seat: Observer) -> str:
        """A picture of what was decided in secret and is open after this step; empty if there is nothing.

        A new picture is shown as a moment of its own, and stays as long as it stays the same. An element in it with
        `data-moment="2000"` says how many milliseconds the moment takes.
        """

    def choices(self, snapshot: Snapshot, seat: int, legal: Sequence[int]) -> list[Choice]:
        """The legal actions of a player who has to decide."""

    def result(self, snapshot: Snapshot) -> str:
        """A picture of how a finished game was scored.

        An empty element with `data-player="2"` is filled with that player's name, which snapshots do not hold.
        """

    def result_words(self, snapshot: Snapshot) -> list[str]:
        """The same in sentences."""
