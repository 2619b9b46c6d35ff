"""What agents remember of their games: a few numbers for each game and seat, kept by whoever asks the agents.

Agents themselves keep nothing about a game: they are asked about many games at once, and their rows have no identity.
"""

from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from strand_env.engine.checks import entries, real_number, whole_number

MOST_NUMBERS = 1 << 12  # that an agent may remember of a game: checkpoints hold those of all players
_LARGEST = float(np.finfo(np.float32).max)

Remembered = npt.NDArray[np.float32]


class Remembering(Protocol):
    """Optional for agents: `act` and `search` take a further argument `memory`, float32 (rows, size).

    It is as the agent left it when it was last asked in this game and seat, and all 0 the first time. The agent changes
    it in place, like the state of a recurrent policy.
    """

    def memory_size(self, num_players: int) -> int:
        """How many numbers it remembers of a game of so many players; 0 if it needs no memory."""


def memory_size(agent: Any, num_players: int) -> int:
    """How many numbers an agent remembers of a game; 0 for agents that have no memory."""
    if not hasattr(agent, "memory_size"):
        return 0
    return whole_number("memory_size", agent.memory_size(num_players), 0, MOST_NUMBERS)


class Memory:
    """What the agents in all seats of a batch's games remember. Each seat has one agent at a time."""

    def __init__(self, num_games: int, num_players: int) -> None:
        self.values = np.zeros((num_games, num_players, 0), np.float32)  # (games, players, size of the largest)

    def recall(self, games: npt.NDArray[np.int64], seats: npt.NDArray[np.int64], size: int) -> Remembered:
        """(rows, size): a copy."""
        found = np.zeros((len(games), size), np.float32)
        known = min(size, self.values.shape[2])
        found[:, :known] = self.values[games, seats, :known]
        return found

    def keep(self, games: npt.NDArray[np.int64], seats: npt.NDArray[np.int64], memory: Remembered) -> None:
        """Replaces what is remembered of these games and seats."""
        if not np.isfinite(memory).all():
            raise ValueError("memory: expected finite numbers to remember")
        size = memory.shape[1]
        if size > self.values.shape[2]:
            wider = np.zeros((*self.values.shape[:2], size), np.float32)
            wider[:, :, : self.values.shape[2]] = self.values
            self.values = wider
        self.values[games, seats, :size] = memory

    def forget(self, games: npt.NDArray[np.int64]) -> None:
        """For games that begin."""
        self.values[games] = 0

    def save(self) -> list[Any]:
        """As plain data for JSON: for each game and player the numbers up to the last that is not 0."""
        return [[[*np.trim_zeros(seat, "b").tolist()] for seat in game] for game in self.values]

    def restore(self, saved: Any) -> None:
        """Remembers exactly what was saved; `ValueError`, and no change, for anything else."""
        games, players, _ = self.values.shape
        found = []
        for game in entries("memory", saved, games):
            for seat in entries("memory of a game", game, players):
                known = entries("memory of a player", seat, 0, MOST_NUMBERS)
                found.append([real_number("memory", number, -_LARGEST, _LARGEST) for number in known])
        values = np.zeros((games * players, max(map(len, found))), np.float32)
        for row, numbers in zip(values, found, strict=True):
            row[: len(numbers)] = numbers
        self.values = values.reshape(games, players, -1)

    def copy(self) -> "Memory":
        other = Memory(*self.values.shape[:2])
        other.values = self.values.copy()
        return other
