"""What the tests of environments with learners share: choices to be made again, and opponents to be known by theirs."""

from hashlib import blake2b
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from strand_env.agents import RandomAgent
from strand_env.engine.randomness import Streams

torch.set_num_threads(1)  # networks this small only get slower by more, and their numbers differ

SMALL: dict[str, Any] = {"n_steps": 16, "batch_size": 64, "n_epochs": 2, "policy_kwargs": {"net_arch": [16]}, "seed": 1}


def choices(observations: npt.NDArray[np.float32], masks: npt.NDArray[np.int8]) -> npt.NDArray[np.int64]:
    """For each row a legal action that looks random but depends on what the row shows alone."""
    chosen = []
    for observation, mask in zip(observations, masks, strict=True):
        legal = np.flatnonzero(mask)
        digest = blake2b(observation.tobytes(), digest_size=8).digest()
        chosen.append(legal[int.from_bytes(digest) % len(legal)])
    return np.array(chosen)


def illegal_choices(masks: npt.NDArray[np.int8]) -> npt.NDArray[np.int64]:
    return masks.argmin(1)


class Favourite:
    """Does one thing wherever it is legal, and otherwise the first that is; counts how it is asked."""

    def __init__(self, favourite: int) -> None:
        self.favourite = favourite
        self.resets = 0
        self.asked: list[int] = []  # rows, each time

    def reset(self) -> None:
        self.resets += 1

    def act(self, observation: npt.NDArray[np.int8], mask: npt.NDArray[np.int8], rng: Streams) -> npt.NDArray[np.int64]:
        self.asked.append(len(mask))
        return np.where(mask[:, self.favourite] == 1, self.favourite, mask.argmax(1))


class Outsider(RandomAgent):
    """The same as its parent, but from outside the package: it gets sealed streams."""


class AnotherRandom(RandomAgent):
    """The same as its parent, but asked as any agent of the package is. It cannot be pickled."""

    __module__ = RandomAgent.__module__


class Cheat:
    """Passes, whether it may or not."""

    def reset(self) -> None:
        pass

    def act(self, observation: npt.NDArray[np.int8], mask: npt.NDArray[np.int8], rng: Streams) -> npt.NDArray[np.int64]:
        return np.full(len(mask), mask.shape[1] - 1)
