"""Observations as networks like them: float32, scaled to 0 to 1 or in another encoding of the game."""

from functools import partial

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from strand_env.agents.encoding import PLAIN, encoding_of
from strand_env.engine.checks import one_of
from strand_env.engine.game import Encoding, Game
from strand_env.engine.jit import Kernel
from strand_env.engine.protocol import Batch


def encoding_in(game: Game, batch: Batch, name: str) -> Encoding:
    """What an environment shows: "plain", the observation scaled to 0 to 1, or one of the game's encodings by name."""
    if name == PLAIN:
        maximum = batch.observation_maximum.astype(np.float32)
        return Encoding(PLAIN, len(maximum), partial(scaled, maximum=maximum))
    if not isinstance(name, str) or not name:  # which would stand for another default
        one_of("encoding", name, (PLAIN, *(each.name for each in game.agents.encodings)))
    return encoding_of(game, batch.num_players, name)


def box_of(encoding: Encoding) -> spaces.Space[npt.NDArray[np.float32]]:
    """The space of what is shown."""
    low, high = (0.0, 1.0) if encoding.name == PLAIN else (-np.inf, np.inf)
    return spaces.Box(low, high, (encoding.size,), np.float32)


def unit_box(maximum: npt.NDArray[np.float32]) -> spaces.Space[npt.NDArray[np.float32]]:
    """The space of what is scaled by these maxima."""
    return spaces.Box(0.0, 1.0, maximum.shape, np.float32)


def scaled(rows: npt.NDArray[np.integer], maximum: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """A new array, (rows, entries), each entry divided by its maximum."""
    out = np.empty(rows.shape, np.float32)
    scale_rows(1, len(rows), rows, maximum, out)
    return out


@Kernel
def scale_rows(start, stop, rows, maximum, out):
    for row in range(start, stop):
        for entry in range(len(maximum)):
            # Divided, since multiplying by the inverse can come out above 1.
            out[row, entry] = np.float32(rows[row, entry]) / maximum[entry]
