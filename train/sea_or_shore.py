"""Sea or Shore for training: its potential, and the weights of its heuristic that can be tuned."""

import numpy as np
import numpy.typing as npt

from strand_env.agents.sea_or_shore.heuristics import Heuristic, Reader
from strand_env.engine.game import GameTraining, Tuning, TuningTables
from strand_env.sea_or_shore import Games, Ruleset, layout

_MOST_POINTS = np.float32(Games.most_points(Ruleset.default(), None))


def points(seats: np.ndarray) -> npt.NDArray[np.int64]:
    """The scores as they stand, in the shape of the seats."""
    return seats["points"].astype(np.int64) + seats["worth"] + seats["extras"] // 2


def potential(observations: npt.NDArray[np.integer]) -> npt.NDArray[np.float32]:
    """(rows,): the lead in points over the others' mean, in the scale of the reward `margin`."""
    _, _, seats = layout.by_name(observations)
    scores = points(seats) * seats["present"]
    lead = scores[:, 0] - scores[:, 1:].sum(axis=1) / seats["present"][:, 1:].sum(axis=1)
    return (lead / _MOST_POINTS).astype(np.float32)


TUNING = Tuning(
    agent=Heuristic,
    start=Reader.weights | {"spite": 0.2, "leader": 0.2, "heat": 0.05},
    tables=(TuningTables(4, 4, 16, 0.5), TuningTables(3, 2, 16, 0.25), TuningTables(5, 2, 16, 0.25)),
    opponents=("counter", "bluffer", "hoarder", "thief", "reader"),
    steps={"extra": 0.15, "rich": 0.3, "tempt": 0.2, "boost": 0.2, "veil": 0.15, "scare": 0.2, "lure": 0.2}
    | dict.fromkeys(("guard", "spite", "leader"), 0.2),
    factors={"heat": 0.5},
    bounds={"action": (0, 2), "boost": (0, 1)},
    lead=0.05,
)

TRAINING = GameTraining(
    potential=potential, opponents="skipper=0.7,self=0.3", tuning=TUNING, compared="skipper,counter"
)
