"""Feature encodings: how observations become inputs of networks."""

import numpy as np
import numpy.typing as npt

from strand_env.engine.checks import one_of
from strand_env.engine.game import Encoding, Game

COMPACT = "compact"


def encodings_of(game: Game, players: int) -> dict[str, Encoding]:
    """A game's encodings by name: the default of `strand train` first, the compact one last."""
    compact = compact_encoding(game.batch(1, players).observation_maximum)
    return {encoding.name: encoding for encoding in (*game.agents.encodings, *game.encodings, compact)}


def shown_in_environments(game: Game, players: int, name: str | None = None) -> Encoding:
    """The encoding that environments show by this name; None is their default, the first that the game declares."""
    if name is None and game.encodings:
        return game.encodings[0]
    encodings = encodings_of(game, players)
    chosen = COMPACT if name is None else name
    one_of("encoding", chosen, encodings)
    return encodings[chosen]


def encoding_of(game: Game, players: int, name: str = "") -> Encoding:
    """The encoding of that name, or the default of `strand train`."""
    encodings = encodings_of(game, players)
    if name:
        one_of("encoding", name, encodings)
    return encodings[name] if name else next(iter(encodings.values()))


def compact_encoding(maximum: npt.NDArray[np.integer]) -> Encoding:
    """The observation scaled to 0 to 1."""
    most = maximum.astype(np.float32)
    return Encoding(COMPACT, len(maximum), lambda observations: (observations / most).astype(np.float32))
