"""A potential for reward shaping: the lead in points.

Observations do not say what a penalty token costs, nor how many points can be had, so both are those of the default
ruleset. Under another one the potential only comes close to the lead; the optimal policy stays the same with it.
"""

import numpy as np
import numpy.typing as npt

from strand_env.maui.games import Games
from strand_env.maui.layout import layout_of
from strand_env.maui.ruleset import PEARL_POINTS, VARIANTS, Ruleset

PENALTY = Ruleset.default().penalty
_MOST_POINTS = np.array([Games.most_points(Ruleset.default(), variant) for variant in VARIANTS], np.float32)


def points(seats: np.ndarray) -> npt.NDArray[np.int64]:
    """The scores as they stand, in the shape of the seats."""
    pearls = np.array(PEARL_POINTS)[seats["pearls"]].sum(axis=-1)
    lost = PENALTY * seats["penalties"].astype(np.int64) + seats["crab_points"]
    return seats["points"].sum(axis=-1, dtype=np.int64) + pearls + seats["dollars"] - lost


def potential(observations: npt.NDArray[np.integer]) -> npt.NDArray[np.float32]:
    """(rows,): the lead in points over the others' mean, in the scale of the reward `margin`."""
    _, tables, seats = layout_of(Ruleset.default()).by_name(observations)
    scores = points(seats) * seats["present"]
    lead = scores[:, 0] - scores[:, 1:].sum(axis=1) / seats["present"][:, 1:].sum(axis=1)
    return (lead / (tables["variant"] @ _MOST_POINTS)).astype(np.float32)
