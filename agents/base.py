"""The protocols of agents, and the positions that searches play on from."""

from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from strand_env.engine.protocol import Batch
from strand_env.engine.randomness import Streams

Observations = npt.NDArray[np.integer]
Masks = npt.NDArray[np.int8]
Actions = npt.NDArray[np.integer]

POOL = 256  # redeals to sample likely ones from


class Agent(Protocol):
    """Plays many games at once, in any seats; it sees of each game only what its player may see."""

    def reset(self) -> None:
        """Called before a run of games, not between games: rows have no identity, so keep nothing about a game.

        What an agent wants to know again later in a game, it remembers by `Remembering`.
        """

    def act(self, observation: Observations, mask: Masks, rng: Streams) -> Actions:
        """(rows,): one action per row, of those that are 1 in its mask.

        Observations (rows, entries) are the game's unscaled integers, in the sections of its layout; masks are
        (rows, actions). All randomness comes from `rng`, which has one stream per row.
        """


@runtime_checkable
class Searcher(Protocol):
    """An agent that looks ahead: besides observations it gets positions to play on from."""

    def reset(self) -> None: ...

    def search(self, observation: Observations, mask: Masks, rng: Streams, positions: "Positions") -> Actions:
        """(rows,): as `Agent.act`."""


@runtime_checkable
class Inferring(Protocol):
    """Optional for agents: what actions reveal about hidden cards, if others play like this agent."""

    def likelihoods(self, batch: Any, observers: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """(games,): the probability of what the others did and the observer has seen, given what they hold.

        As far as the state of a game shows it; up to a factor that depends only on the observer's view.
        """


class Positions:
    """The games behind the rows that an agent is asked about, as far as it may know them.

    Copies are exact only for agents with `sees_hidden`.
    """

    def __init__(
        self, batch: Batch, games: npt.NDArray[np.int64], seats: npt.NDArray[np.int64], open_cards: bool = False
    ) -> None:
        self._batch = batch
        self._games = games
        self._open_cards = open_cards
        self.seats = seats  # (rows,): the player who decides

    def __len__(self) -> int:
        return len(self.seats)

    def __getitem__(self, rows: npt.NDArray[Any]) -> "Positions":
        """A subset of the rows."""
        return Positions(self._batch, self._games[rows], self.seats[rows], self._open_cards)

    @property
    def observations(self) -> Observations:
        """(rows, entries): what the rows' players see."""
        return self._batch.look_at_rows(self._games, self.seats)[0]

    @property
    def to_act(self) -> npt.NDArray[np.bool_]:
        """(rows, players): which players have to decide now."""
        return self._batch.to_act[self._games]

    def copies(
        self, numbers: npt.NDArray[np.int64], rng: Streams, others: Any = None
    ) -> tuple[Batch, npt.NDArray[np.uint64]]:
        """`numbers[i]` copies of row i's game, concatenated, and 64 random bits for each copy.

        What is hidden from the row's player is redealt in each copy. Both results depend only on the row's stream.
        All redeals that fit what the player has seen are equally likely, unless the `others` are `Inferring`: then
        copies are sampled from `POOL` redeals by how likely these are.
        """
        if not self._open_cards and hasattr(others, "likelihoods"):
            return self._likely_copies(numbers, rng, others)
        chance = rng.several(numbers)
        return self._redealt(numbers, chance), chance

    def _redealt(self, numbers: npt.NDArray[np.int64], chance: npt.NDArray[np.uint64]) -> Batch:
        copies = self._batch.select(np.repeat(self._games, numbers))
        if not self._open_cards:
            copies.redeal(chance, np.repeat(self.seats, numbers))
        return copies

    def _likely_copies(
        self, numbers: npt.NDArray[np.int64], rng: Streams, others: Inferring
    ) -> tuple[Batch, npt.NDArray[np.uint64]]:
        one = np.ones(len(self), np.int64)
        telling = others.likelihoods(self._redealt(one, rng.bits()), self.seats) < 1
        sizes = np.where(telling & (numbers > 0), POOL, numbers)
        pool = self._redealt(sizes, rng.several(sizes))
        likely = others.likelihoods(pool, np.repeat(self.seats, sizes)) + np.finfo(np.float64).tiny
        # Systematic sampling: each row's weights add up to its number of copies, taken at steps of 1.
        rows = np.repeat(np.arange(len(self)), sizes)
        totals = np.bincount(rows, likely, minlength=len(self))
        sums = np.cumsum(likely * (numbers / np.maximum(totals, np.finfo(np.float64).tiny))[rows])
        row_of_copy = np.repeat(np.arange(len(self)), numbers)
        chosen = np.searchsorted(sums, np.arange(len(row_of_copy)) + rng.random()[row_of_copy], side="right")
        ends = sizes.cumsum()
        copies = pool.select(chosen.clip((ends - sizes)[row_of_copy], ends[row_of_copy] - 1))
        chance = rng.several(numbers)
        copies.redeal(chance)  # what nobody knows: copies of the same redeal have futures of their own
        return copies, chance
