"""What networks are shown of a game."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from strand_env.agents.strand_unter import guesses, needs
from strand_env.engine.protocol import Game
from strand_env.registry import STRAND_UNTER

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
        needed = Sight(f"needs {needs.VERSION}", needs.SIZE, needs.show_needs)
        name = f"{needed.name}, guesses {guesses.VERSION}"
        sights = [Sight(name, needs.SIZE + guesses.SIZE, _show_needs_and_guesses), needed, *sights]
    return {sight.name: sight for sight in sights}


def _show_needs_and_guesses(observations: npt.NDArray[np.integer]) -> npt.NDArray[np.float32]:
    return np.concatenate([needs.show_needs(observations), guesses.guess_dials(observations)], axis=1)


def sight_of(game: Game, players: int, name: str = "") -> Sight:
    """The one of that name, or the one that learners do best with."""
    sights = sights_of(game, players)
    if name and name not in sights:
        raise ValueError(f"sight: expected one of {', '.join(map(repr, sights))}; got {name!r:.80}")
    return sights[name] if name else next(iter(sights.values()))


def plain_sight(maximum: npt.NDArray[np.integer]) -> Sight:
    """The observation from 0 to 1, as the environments have it."""
    most = maximum.astype(np.float32)
    return Sight(PLAIN, len(maximum), lambda observations: (observations / most).astype(np.float32))
