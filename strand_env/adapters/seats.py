"""Where learners and observers sit."""

from typing import Literal

import numpy as np
import numpy.typing as npt

from strand_env.engine.randomness import Streams

Seat = int | Literal["random"]

BEFORE_THE_GAME = -1  # a number of moves


def seats_of(seat: Seat, seeds: npt.NDArray[np.uint64], num_players: int) -> npt.NDArray[np.int64]:
    """The learners' seats in the games with these seeds."""
    if seat == "random":
        return Streams.of_decisions(seeds, BEFORE_THE_GAME, np.zeros(len(seeds), np.int64)).integers(num_players)
    return np.full(len(seeds), seat, np.int64)
