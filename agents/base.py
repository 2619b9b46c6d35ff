"""What all agents have in common."""

from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from strand_env.game import Batch
from strand_env.randomness import Streams

Observations = npt.NDArray[np.integer]
Masks = npt.NDArray[np.int8]
Actions = npt.NDArray[np.integer]


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


class Hinter(Protocol):
    """What an agent may offer besides, for people to look at."""

    def probabilities(self, observation: Observations, mask: Masks) -> npt.NDArray[np.floating]:
        """(rows, actions): how likely it is to do what; each row adds up to 1."""


class Positions:
    """The games that the rows of a question are about, as far as an agent may know them.

    Whoever asks decides whether the agent may see what is hidden; only then are copies exact.
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

    def copies(self, number: int, rng: Streams, rows: npt.NDArray[Any] | None = None) -> Batch:
        """So many games for each row, or for some rows, one row's after the other's, to be played on at will.

        What is hidden from the row's player is dealt anew in each, by chance from `rng`, which is of these rows.
        """
        games, seats = (self._games, self.seats) if rows is None else (self._games[rows], self.seats[rows])
        copies = self._batch.select(np.repeat(games, number))
        if not self._open_cards:
            seeds = np.stack([rng.bits() for _ in range(number)], axis=1).reshape(-1)
            copies.redeal(seeds, np.repeat(seats, number))
        return copies
