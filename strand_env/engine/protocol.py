"""What a game offers to everything built on it: adapters, agents, training, pictures, replays.

Code that uses a game through these protocols knows none of its rules, so that another game can take its place.
`batch.GameBatch` implements `Batch`; a game inherits it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, Self, get_args

import numpy as np
import numpy.typing as npt

from strand_env.engine.layout import Layout
from strand_env.engine.randomness import Seeds

RewardKind = Literal["win", "score", "margin"]
REWARD_KINDS: tuple[RewardKind, ...] = get_args(RewardKind)


Snapshot = dict[str, Any]

Observer = int | Literal["all"] | None
"""Who looks at a game: a player by seat, nobody in particular (who sees what is open to all), or "all": everything."""

EVERYTHING: Observer = "all"


class IllegalAction(ValueError):
    """An action that the player may not do now. No game was changed."""


class Ruleset(Protocol):
    """What may be changed about a game, as frozen data."""

    @classmethod
    def default(cls) -> Self: ...

    @classmethod
    def from_dict(cls, data: Any) -> Self: ...

    def to_dict(self) -> dict[str, Any]: ...


class Batch(Protocol):
    """N games of one kind, stepped together. Each depends on its own seed and actions alone.

    Batches survive copying and pickling exactly. Options change what is seen, or how fast it is, but never a game.
    """

    def __init__(
        self, num_games: int, num_players: int = ..., seed: Seeds = ..., ruleset: Any = ..., **options: Any
    ) -> None: ...

    @property
    def num_actions(self) -> int: ...

    @property
    def pass_action(self) -> int:
        """The only legal action of a player who has nothing to decide."""

    @property
    def deal_options(self) -> tuple[str, ...]:
        """What `reset` takes by name besides the seed."""

    @property
    def num_games(self) -> int: ...

    @property
    def num_players(self) -> int: ...

    @property
    def ruleset(self) -> Any: ...

    @property
    def chosen_options(self) -> dict[str, Any]:
        """The options that change what is seen, by name."""

    @property
    def observation_maximum(self) -> npt.NDArray[np.integer]:
        """(entries,): the largest number that each entry of an observation can be, never 0; the least is 0."""

    @property
    def to_act(self) -> npt.NDArray[np.bool_]:
        """(games, players): who has to decide now. The others' only action is to pass."""

    @property
    def legal(self) -> npt.NDArray[np.int8]:
        """(games, players, num_actions): 1 for each action that is legal now; nobody is ever without one."""

    @property
    def seeds(self) -> npt.NDArray[np.uint64]:
        """(games,): the seed that each game was dealt from."""

    @property
    def over(self) -> npt.NDArray[np.bool_]:
        """(games,): which games have ended."""

    @property
    def scores(self) -> npt.NDArray[np.integer]:
        """(games, players): points in the end; 0 until a game is over."""

    @property
    def winners(self) -> npt.NDArray[np.bool_]:
        """(games, players): who has won, alone or shared; nobody until a game is over."""

    def rewards(self, kind: RewardKind, which: npt.ArrayLike | None = None) -> npt.NDArray[np.float32]:
        """(games, players): what the players of all games, or some, get in the end; 0 until a game is over."""

    def results(self, games: npt.NDArray[np.int64], seats: npt.NDArray[np.int64]) -> dict[str, npt.NDArray[Any]]:
        """For some players, each by game and seat: "win", the share of it; "score"; "rank" from 1; 0 until the end."""

    def statistics(self, games: npt.NDArray[np.int64], seats: npt.NDArray[np.int64]) -> dict[str, npt.NDArray[Any]]:
        """For some players of games that are over, each by game and seat: what else is worth counting, by its name."""

    @property
    def layout(self) -> Layout:
        """The sections of an observation."""

    def observe(self) -> npt.NDArray[np.integer]:
        """(games, players, entries): what each player sees."""

    def look_at_rows(
        self, games: npt.NDArray[np.int64], seats: npt.NDArray[np.int64]
    ) -> tuple[npt.NDArray[np.integer], npt.NDArray[np.int8]]:
        """For some players, each by game and seat: observations and legal actions, in rows."""

    def observe_table(self) -> npt.NDArray[np.integer]:
        """(games, entries): what all players together see, in order of their seats; for centralised critics."""

    @property
    def table_maximum(self) -> npt.NDArray[np.integer]:
        """(entries,): the same of what `observe_table` shows."""

    def status(self, index: int) -> dict[str, Any]:
        """Where a game stands, in a few words and numbers for people to read."""

    # To type checkers `*_: Any, **…: Any` is whatever a game makes of it: it names its options.
    def reset(
        self, which: npt.ArrayLike | None = None, seed: Seeds | None = None, *_: Any, **deal_options: Any
    ) -> None:
        """Deals new games: all, or those that `which` names by a mask or by their numbers, which may be none.

        An int as seed is spread by `randomness.spread_seeds`. In a game that was just dealt somebody has to decide.
        """

    def step(self, actions: npt.ArrayLike, which: npt.ArrayLike | None = None) -> None:
        """Plays all games, or some, on to their next decision; if any action is illegal, `IllegalAction`, and none.

        Those that are over stay as they are.
        """

    def play_on(
        self,
        until: npt.ArrayLike | None = None,
        chosen: npt.ArrayLike | None = None,
        which: npt.ArrayLike | None = None,
        moves: npt.NDArray[np.int64] | None = None,
    ) -> None:
        """Plays some games on with random actions, by `Streams.of_decisions`, until a player of each has to decide.

        These players begin with what they have chosen, if anything. `moves`, by game, counts the steps.
        """

    def illegal_action(self, game: int, player: int, action: int) -> IllegalAction:
        """The error for an action that a player may not do now."""

    def choose_randomly(
        self, games: npt.NDArray[np.int64], seats: npt.NDArray[np.int64], bits: npt.NDArray[np.uint64]
    ) -> npt.NDArray[np.int64]:
        """For some players, a random legal action each, as `RandomAgent` chooses it, but without writing masks."""

    def redeal(self, seed: Seeds, observer: int | npt.NDArray[np.int64] | None = None) -> None:
        """Deals anew what is hidden from a player: the same in all games, or one for each; for search.

        Without an observer it is what is hidden from everybody.
        """

    def clone(self) -> Self:
        """Games of their own in the same state."""

    def select(self, which: npt.ArrayLike) -> Self:
        """Copies of some games, by a mask or by their numbers, which may repeat."""

    def snapshot(self, index: int) -> dict[str, Any]:
        """A whole game as plain data for JSON; "players", "to_act", "ruleset", "scores" and "seed" among it.

        The seed is '0x' and 16 hexadecimal digits.
        """

    @classmethod
    def as_seen(cls, snapshot: Snapshot, observer: Observer) -> Snapshot:
        """A snapshot with null in place of what an observer may not see."""

    @classmethod
    def actions_as_seen(cls, before: Snapshot, actions: Sequence[int], observer: Observer) -> list[int | None]:
        """What the players did, as far as an observer may know; None in place of what it may not."""

    @classmethod
    def from_snapshots(cls, snapshots: Sequence[dict[str, Any]], *_: Any, **options: Any) -> Self:
        """Games that go on exactly from where the snapshots were taken."""


class Views(Protocol):
    """A module that shows one game, from snapshots alone.

    `seat` is who looks. The snapshots, and the actions, that a view is given hold nothing that this observer may not
    see: `Game.views` puts null in its place.
    """

    def to_svg(self, snapshot: Snapshot, story: Sequence[str] = (), *, seat: Observer = None) -> str:
        """A picture as the text of an SVG document."""

    def to_pixels(
        self, snapshot: Snapshot, story: Sequence[str] = (), *, seat: Observer = None
    ) -> npt.NDArray[np.uint8]:
        """The same picture as (height, width, 3) pixels."""

    def to_text(
        self, snapshot: Snapshot, story: Sequence[str] = (), colour: bool = True, *, seat: Observer = None
    ) -> str:
        """The game for a terminal."""

    def tell(
        self, before: Snapshot, actions: Sequence[int | None], after: Snapshot, *, seat: Observer = None
    ) -> list[str]:
        """What happened between two snapshots, in sentences."""


@dataclass(frozen=True)
class Choice:
    """Something that a player may do now, as people are offered it."""

    action: int
    words: str  # a short sentence
    picture: str = ""  # HTML for a button, without the words
    label: str = ""  # the words in short, for the button
    group: str = ""  # choices of a group stand together under it


class PlayViews(Protocol):
    """What views may offer besides, by the name `play`, to people who play on a page or in the terminal.

    Pictures are HTML without scripts and styles of its own; they show what the player in `seat` may see, or anybody if
    that is None. A game whose views lack this can be played by plain buttons.
    """

    style: str  # CSS for the pictures
    symbols: str  # an SVG document with symbols that they use

    def round_of(self, snapshot: Snapshot) -> int | None:
        """The number of its round; None if the game has no rounds."""

    def heading(self, snapshot: Snapshot) -> str:
        """Where the game stands, in a few words."""

    def task(self, snapshot: Snapshot, seat: Observer) -> str:
        """What has to be decided now, and by whom, or how the game has ended."""

    def board(self, snapshot: Snapshot, seat: Observer) -> str:
        """A picture of what lies before everybody."""

    def player(self, snapshot: Snapshot, player: int, seat: Observer) -> str:
        """A picture of what a player has."""

    def revealed(self, before: Snapshot, actions: Sequence[int | None], seat: Observer) -> str:
        """A picture of what everybody has decided up to these actions in the round; nothing if there is none."""

    def choices(self, snapshot: Snapshot, seat: int, legal: Sequence[int]) -> list[Choice]:
        """The legal actions of a player who is asked."""

    def result(self, snapshot: Snapshot) -> str:
        """A picture of how the points of a game that is over come about.

        An empty element with `data-player="2"` is filled with who plays there, which a snapshot does not tell.
        """

    def result_words(self, snapshot: Snapshot) -> list[str]:
        """The same in sentences."""
