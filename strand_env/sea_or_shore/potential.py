"""A potential for reward shaping: the lead in points."""

import numpy as np
import numpy.typing as npt

from strand_env.sea_or_shore.games import Games
from strand_env.sea_or_shore.layout import layout_of
from strand_env.sea_or_shore.ruleset import Ruleset

_MOST_POINTS = np.float32(Games.most_points(Ruleset.default(), None))


def points(seats: np.ndarray) -> npt.NDArray[np.int64]:
    """The scores as they stand, in the shape of the seats."""
    return seats["points"].astype(np.int64) + seats["worth"] + seats["extras"] // 2


def potential(observations: npt.NDArray[np.integer]) -> npt.NDArray[np.float32]:
    """(rows,): the lead in points over the others' mean, in the scale of the reward `margin`."""
    _, _, seats = layout_of(Ruleset.default()).by_name(observations)
    scores = points(seats) * seats["present"]
    lead = scores[:, 0] - scores[:, 1:].sum(axis=1) / seats["present"][:, 1:].sum(axis=1)
    return (lead / _MOST_POINTS).astype(np.float32)
