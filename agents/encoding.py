"""Feature encodings: how observations become inputs of networks."""

import numpy as np
import numpy.typing as npt

from strand_env.engine.checks import one_of
from strand_env.engine.game import Encoding, Game

PLAIN = "plain"


def encodings_of(game: Game, players: int) -> dict[str, Encoding]:
    """A game's encodings by name: the best one for learners first, the plain one last."""
    plain = plain_encoding(game.batch(1, players).observation_maximum)
    return {encoding.name: encoding for encoding in (*game.agents.encodings, plain)}


def encoding_of(game: Game, players: int, name: str = "") -> Encoding:
    """The encoding of that name, or the best one for learners."""
    encodings = encodings_of(game, players)
    if name:
        one_of("encoding", name, encodings)
    return encodings[name] if name else next(iter(encodings.values()))


def plain_encoding(maximum: npt.NDArray[np.integer]) -> Encoding:
    """The observation scaled to 0 to 1, as in the environments."""
    most = maximum.astype(np.float32)
    return Encoding(PLAIN, len(maximum), lambda observations: (observations / most).astype(np.float32))
