"""Reward shaping by the game's potential, which leaves the optimal policy unchanged (Ng, Harada and Russell, 1999)."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from strand_env.engine.checks import real_number
from strand_env.engine.game import Game, Potential

STRONGEST = 10


@dataclass(frozen=True)
class Shaping:
    """Each decision also earns gamma × the next potential − the last, the potential of a finished game being 0.

    Discounted and summed over a game that is minus its first potential, whatever the learner does.
    """

    potential: Potential
    scale: float = 1.0
    gamma: float = 1.0  # the learner's discount

    def potentials(self, seen: npt.NDArray[np.integer]) -> npt.NDArray[np.float32]:
        """(rows,): of observations (rows, entries)."""
        return (np.float32(self.scale) * self.potential(seen)).astype(np.float32)

    def rewards(self, before: npt.NDArray[np.float32], after: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """(rows,): what a decision earns, by the potentials before and after it."""
        return np.float32(self.gamma) * after - before


def shaping_of(game: Game, scale: float, gamma: float) -> Shaping | None:
    """Shaping by the game's own potential, times `scale`; none at 0."""
    real_number("shaping", scale, 0, STRONGEST)
    real_number("gamma", gamma, 0, 1)
    if not scale:
        return None
    if game.potential is None:
        raise ValueError(f"shaping: expected 0, since {game.title} has no potential")
    return Shaping(game.potential, scale, gamma)
