"""What networks are shown of a game."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from strand_env.agents.strand_unter import needs

from strand_env.catalogue import STRAND_UNTER
from strand_env.game import Game

PLAIN = "plain"


@dataclass(frozen=True)
class Sight:
    """So many numbers for each row of a game's own observations. The name changes with what they mean."""

    name: str
    size: int
    show: Callable[[npt.NDArray[np.integer]], npt.NDArray[np.float32]]


def sights_of(game: Game, players: int) -> dict[str, Sight]:
    """All that there are of a game, by their names; the one that learners do best with comes first."""
    sights = [plain_sight(game.batch(1, players).observation_maximum)]
    if game.name == STRAND_UNTER.name:
        sights.insert(0, Sight(f"needs {needs.VERSION}", needs.SIZE, needs.show_needs))
    return {sight.name: sight for sight in sights}


def sight_of(game: Game, players: int) -> Sight:
    """The one that learners do best with."""
    return next(iter(sights_of(game, players).values()))


def plain_sight(maximum: npt.NDArray[np.integer]) -> Sight:
    """The observation from 0 to 1, as the environments have it."""
    most = maximum.astype(np.float32)
    return Sight(PLAIN, len(maximum), lambda observations: (observations / most).astype(np.float32))
