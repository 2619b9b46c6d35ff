"""Names for actions and observation sections."""

from typing import Protocol

import numpy as np
import numpy.typing as npt

from strand_env.engine.game import Encoding, Game
from strand_env.engine.layout import Layout
from strand_env.engine.protocol import Batch


class Described(Protocol):
    """What environments are built on: a table, a match or several matches."""

    game: Game
    batch: Batch
    encoding: Encoding


class Describing:
    """Environments that explain themselves; subclasses return their table or match."""

    def _source(self) -> Described:
        raise NotImplementedError

    @property
    def layout(self) -> Layout | None:
        """The sections of the observations: `env.layout["seat_0.bucket"].slice`. None if the encoding names none."""
        return self._source().encoding.layout

    def describe(self, action: int) -> str:
        """An action in a short sentence."""
        source = self._source()
        return source.game.describe(action, source.batch.ruleset)

    def _in_words(self, mask: npt.NDArray[np.int8]) -> dict[int, str]:
        """The legal actions, each with its sentence."""
        return {action: self.describe(action) for action in np.flatnonzero(mask).tolist()}
