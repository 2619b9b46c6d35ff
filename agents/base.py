"""What all agents have in common."""

from typing import Protocol

import numpy as np
import numpy.typing as npt

from strand_env.randomness import Streams


class Agent(Protocol):
    """Plays many games at once, in any seats, seeing of each what its player may see."""

    def reset(self) -> None:
        """A run of games begins. Not called between them: rows have no identity, so nothing is kept of a game."""

    def act(
        self, observation: npt.NDArray[np.integer], mask: npt.NDArray[np.int8], rng: Streams
    ) -> npt.NDArray[np.integer]:
        """(rows,): an action for each row, of those that are 1 in its mask.

        Observations (rows, entries) are the game's own whole numbers, in the sections of its layout; masks are
        (rows, actions). All chance comes from `rng`, which has a stream for each row.
        """
