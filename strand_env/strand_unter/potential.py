"""A potential for reward shaping."""

import numpy as np
import numpy.typing as npt

from strand_env.strand_unter.layout import IS_FLOODED, IS_READY, MOST_POINTS, STANDS_IN, layout_of
from strand_env.strand_unter.ruleset import NUM_VALUES, Ruleset


def potential(observations: npt.NDArray[np.integer]) -> npt.NDArray[np.float32]:
    """(rows,): the lead in beach points over the others' mean, plus progress towards the castles not built yet."""
    _, _, seats = layout_of(Ruleset.default()).by_name(observations)
    points = seats["points"].astype(np.float32) / np.float32(MOST_POINTS)
    lead = points[:, 0] - points[:, 1:].sum(axis=1) / seats["present"][:, 1:].sum(axis=1, dtype=np.float32)
    own = seats[:, 0]
    cards, bucket = own["cards"].astype(np.float32), own["bucket"].astype(np.float32)
    castles = own["castles"]
    to_come = (castles[:, :, STANDS_IN] == 0) & (castles[:, :, IS_FLOODED] == 0)
    collected = np.minimum(bucket[:, np.newaxis], cards).sum(axis=2) / cards.sum(axis=2).clip(1)
    progress = (to_come * (collected + castles[:, :, IS_READY])).sum(axis=1) / np.float32(2 * NUM_VALUES)
    return lead + np.float32(0.25) * progress
