"""What all agents have in common."""

from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from strand_env.engine.protocol import Batch
from strand_env.engine.randomness import Streams

Observations = npt.NDArray[np.integer]
Masks = npt.NDArray[np.int8]
Actions = npt.NDArray[np.integer]

OPEN = -1  # in place of an action: an agent is asked


class Agent(Protocol):
    """Plays many games at once, in any seats, seeing of each what its player may see."""

    def reset(self) -> None:
        """A run of games begins. Not called between them: rows have no identity, so nothing is kept of a game."""

    def act(self, observation: Observations, mask: Masks, rng: Streams) -> Actions:
        """(rows,): an action for each row, of those that are 1 in its mask.

        Observations (rows, entries) are the game's own whole numbers, in the sections of its layout; masks are
        (rows, actions). All chance comes from `rng`, which has a stream for each row.
        """


@runtime_checkable
class Searcher(Protocol):
    """An agent that looks ahead: it is given positions to play on from, besides what its players see."""

    def reset(self) -> None: ...

    def search(self, observation: Observations, mask: Masks, rng: Streams, positions: "Positions") -> Actions:
        """(rows,): as `Agent.act`."""


class Finishes(Protocol):
    """What an agent may offer besides: to play whole games for everybody, faster than by asking it."""

    def finish(self, batch: Any, chance: npt.NDArray[np.uint64], first: npt.NDArray[np.int64]) -> bool:
        """Plays all games to their ends as `search.play_by_asking` would, and returns True.

        Or it leaves them as they are and returns False: at least if any of the first actions is illegal.
        """


class Positions:
    """The games that the rows of a question are about, as far as an agent may know them.

    Copies are exact only for an agent that says of itself that it `sees_hidden`.
    """

    def __init__(
        self, batch: Batch, games: npt.NDArray[np.int64], seats: npt.NDArray[np.int64], open_cards: bool = False
    ) -> None:
        self._batch = batch
        self._games = games
        self._open_cards = open_cards
        self.seats = seats  # (rows,): who is asked

    def __len__(self) -> int:
        return len(self.seats)

    def __getitem__(self, rows: npt.NDArray[Any]) -> "Positions":
        """Some of the rows."""
        return Positions(self._batch, self._games[rows], self.seats[rows], self._open_cards)

    @property
    def to_act(self) -> npt.NDArray[np.bool_]:
        """(rows, players): who has to decide now."""
        return self._batch.to_act[self._games]

    @property
    def legal(self) -> npt.NDArray[np.int8]:
        """(rows, players, actions): what each of them may do."""
        return self._batch.select(self._games).legal

    def copies(self, numbers: npt.NDArray[np.int64], rng: Streams) -> tuple[Batch, npt.NDArray[np.uint64]]:
        """So many games for each row, one row's after the other's, to be played on at will.

        What is hidden from the row's player is dealt anew in each. That, and a random number for each copy, which is
        returned, too, depends on the row's stream alone.
        """
        chance = rng.several(numbers)
        copies = self._batch.select(np.repeat(self._games, numbers))
        if not self._open_cards:
            copies.redeal(chance, np.repeat(self.seats, numbers))
        return copies, chance
