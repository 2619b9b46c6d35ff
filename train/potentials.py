"""How promising a position looks, for each game that training is to be helped in by shaping."""

import numpy as np
import numpy.typing as npt

from strand_env import strand_unter
from strand_env.registry import STRAND_UNTER
from strand_env.strand_unter import layout
from strand_env.train.environment import Potential


def strand_unter_potential(observations: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """The own beach points less the others' on average, and how much of each castle to come is in the bucket."""
    most_players = 4
    points = np.stack([observations[:, layout[f"seat_{seat}.points"].slice][:, 0] for seat in range(most_players)])
    others = np.stack([observations[:, layout[f"seat_{seat}.present"].slice][:, 0] for seat in range(1, most_players)])
    lead = points[0] - points[1:].sum(axis=0) / others.sum(axis=0)

    def own(section: str) -> npt.NDArray[np.float32]:
        part = layout[f"seat_0.{section}"]
        return observations[:, part.slice] * np.array(part.maximum, np.float32)

    cards = own("cards").reshape(len(observations), -1, NUM_COLOURS)
    _, ready, groove, flooded = np.moveaxis(own("castles").reshape(len(observations), -1, 4), 2, 0)
    to_come = (groove == 0) & (flooded == 0)
    collected = np.minimum(own("bucket")[:, np.newaxis], cards).sum(axis=2) / cards.sum(axis=2).clip(1)
    progress = (to_come * (collected + ready)).sum(axis=1) / (2 * cards.shape[1])
    return lead + 0.25 * progress


NUM_COLOURS = len(strand_unter.Ruleset.default().shells)
POTENTIALS: dict[str, Potential] = {STRAND_UNTER.name: strand_unter_potential}
