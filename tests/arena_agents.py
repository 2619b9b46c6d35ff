"""Agents for tests of the arena, by whose names other processes make them, too: some fail in ways of their own.

Whether one fails depends on what the row shows alone, so that it fails in the same games whoever asks.
"""

import multiprocessing
import os
import time
from typing import Any

import numpy as np
import numpy.typing as npt

from strand_env.agents import RandomAgent
from strand_env.engine.randomness import Streams

SLOW = "STRAND_TEST_SLOW"  # an environment variable: seconds for each decision of `Slow`
Rows = npt.NDArray[Any]


def is_hard(observation: Rows) -> Rows:
    """Some rows, but far from all."""
    return observation.astype(np.int64) @ np.arange(observation.shape[1]) % 89 == 3


class Plain(RandomAgent):
    """Plays anything, but is asked as any agent is."""


class Slow(Plain):
    def act(self, observation: Rows, mask: Rows, rng: Streams) -> Rows:
        time.sleep(float(os.environ.get(SLOW, 0)))
        return super().act(observation, mask, rng)


class Failing(Plain):
    """Does what it should not wherever it is hard."""

    def act(self, observation: Rows, mask: Rows, rng: Streams) -> Any:
        hard = is_hard(observation)
        answer = super().act(observation, mask, rng)
        return self.fail(answer, mask, hard) if hard.any() else answer

    def fail(self, answer: Rows, mask: Rows, hard: Rows) -> Any:
        raise RuntimeError("thought too hard [/sigh]")


class Garbled(Failing):
    def fail(self, answer: Rows, mask: Rows, hard: Rows) -> Any:
        raise RuntimeError("file \udc80 missing")


class Leaving(Failing):
    def fail(self, answer: Rows, mask: Rows, hard: Rows) -> Any:
        raise SystemExit("had enough")


class Illegal(Failing):
    def fail(self, answer: Rows, mask: Rows, hard: Rows) -> Any:
        return np.where(hard, mask.argmin(1), answer)


class Forger(Failing):
    """Declares everything legal before it chooses what is not."""

    def fail(self, answer: Rows, mask: Rows, hard: Rows) -> Any:
        illegal = np.where(hard, mask.argmin(1), answer)
        mask[:] = 1
        return illegal


class Nonsense(Failing):
    def fail(self, answer: Rows, mask: Rows, hard: Rows) -> Any:
        return np.where(hard, np.nan, answer)


class TooMany(Failing):
    def fail(self, answer: Rows, mask: Rows, hard: Rows) -> Any:
        return [*answer, 0]


class Silent(Failing):
    def fail(self, answer: Rows, mask: Rows, hard: Rows) -> Any:
        return None


class Vandal(Plain):
    """Spoils all that it is given, once it has decided."""

    def act(self, observation: Rows, mask: Rows, rng: Streams) -> Rows:
        answer = super().act(observation, mask, rng)
        observation[:] = 77
        mask[:] = 0
        return answer


class VandalSearcher:
    def reset(self) -> None:
        pass

    def search(self, observation: Rows, mask: Rows, rng: Streams, positions: Any) -> Rows:
        answer = Vandal().act(observation, mask, rng)
        positions.seats[:] = 0
        return answer


class Deadly(Plain):
    """Takes its whole process with it."""

    def act(self, observation: Rows, mask: Rows, rng: Streams) -> Rows:
        os._exit(3)


class Homebound(Plain):
    """Plays in the first process alone."""

    def reset(self) -> None:
        if multiprocessing.parent_process() is not None:
            raise OSError("too far from home")


class Stillborn(Plain):
    def reset(self) -> None:
        raise OSError("the weights are missing")


class Unwilling(Plain):
    def reset(self) -> None:
        raise SystemExit


class Picky(Plain):
    def reset(self) -> None:
        raise ValueError("bad weights")
