"""What everybody sees of the others' dials."""

import numpy as np
import numpy.typing as npt

from strand_env.agents.base import Observations
from strand_env.engine.game import Watching
from strand_env.strand_unter import layout
from strand_env.strand_unter.actions import NUM_DIAL_POSITIONS
from strand_env.strand_unter.state import DIAL


def sets_dials(observations: Observations) -> npt.NDArray[np.bool_]:
    """(rows,): whether all set their dials now."""
    return observations[:, layout["phase"].slice][:, DIAL] == 1


def last_dials(observations: Observations) -> npt.NDArray[np.int64]:
    """(rows, seats): the position of the dial of this round, or of the one before until it is revealed; or -1."""
    _, _, seats = layout.by_name(observations)
    revealed = seats["dial"].any(2)
    return np.where(revealed, seats["dial"].argmax(2), seats["last_dial"].astype(np.int64) - 1)


DIALS = Watching(NUM_DIAL_POSITIONS, sets_dials, last_dials)
