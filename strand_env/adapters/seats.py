"""Where learners and observers sit."""

from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from strand_env.engine.checks import is_whole, shown
from strand_env.engine.randomness import Streams

Seat = int | Literal["random"]

BEFORE_THE_GAME = -1  # a number of moves


def checked_seat(name: str, seat: Any, num_players: int, words: tuple[str | None, ...]) -> Any:
    """The seat of a player, or one of the words that may stand in its place."""
    if is_whole(seat) and 0 <= seat < num_players:
        return int(seat)
    if (seat is None or isinstance(seat, str)) and seat in words:
        return seat
    others = "".join(f" or {word!r}" for word in words)
    raise ValueError(f"{name}: expected a number from 0 to {num_players - 1}{others}, got {shown(seat)}")


def seats_of(seat: Seat, seeds: npt.NDArray[np.uint64], num_players: int) -> npt.NDArray[np.int64]:
    """The learners' seats in the games with these seeds."""
    if seat == "random":
        return Streams.of_decisions(seeds, BEFORE_THE_GAME, np.zeros(len(seeds), np.int64)).integers(num_players)
    return np.full(len(seeds), seat, np.int64)
