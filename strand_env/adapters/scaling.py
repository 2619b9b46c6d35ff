"""Observations as networks like them: float32, in one of the game's encodings."""

from functools import partial

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from strand_env.agents.encoding import COMPACT, shown_in_environments
from strand_env.engine.game import Encoding, Game
from strand_env.engine.jit import Kernel
from strand_env.engine.protocol import Batch


def encoding_in(game: Game, batch: Batch, name: str | None) -> Encoding:
    """What an environment shows: one of the game's encodings by name; None is its default.

    "compact" is the observation scaled to 0 to 1, and the default of games without encodings.
    """
    if name == COMPACT or (name is None and not game.encodings):
        maximum = batch.observation_maximum.astype(np.float32)
        return Encoding(COMPACT, len(maximum), partial(scaled, maximum=maximum), layout=batch.layout)
    encoding = shown_in_environments(game, batch.num_players, name)
    return encoding if encoding.of_ruleset is None else encoding.of_ruleset(batch.ruleset)


def box_of(encoding: Encoding) -> spaces.Space[npt.NDArray[np.float32]]:
    """The space of what is shown."""
    if encoding.name == COMPACT:
        return spaces.Box(0.0, 1.0, (encoding.size,), np.float32)
    if encoding.layout is None:
        return spaces.Box(-np.inf, np.inf, (encoding.size,), np.float32)
    return spaces.Box(encoding.layout.minimum, encoding.layout.maximum, dtype=np.float32)


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
