"""A search that infers its opponents: it takes them for members of a population, and remembers what each seat did.

Before the others' actions are open, it notes how likely each member would be to choose each of them. Once they are
open, it infers by Bayes' rule how likely each member is to have each seat.
"""

import numpy as np
import numpy.typing as npt

from strand_env.agents.asking import AnyAgent, policies_of
from strand_env.agents.base import Actions, Masks, Observations, Positions
from strand_env.agents.memory import Remembered
from strand_env.agents.search import MonteCarlo, RegretMatching, Values
from strand_env.engine.game import Watching
from strand_env.engine.protocol import OPEN
from strand_env.engine.randomness import Streams

SURPRISE = 0.1  # probability of a uniformly random action: strangers play like no member


class Posterior:
    """A search with a population, whose weights follow from what each seat did before in the same game."""

    def __init__(self, inner: MonteCarlo | RegretMatching, watching: Watching | None) -> None:
        self.inner = inner
        self.watching = watching  # how a game shows what others did; None: it does not, and all weights stay equal

    @property
    def asks(self) -> tuple[AnyAgent, ...]:
        """The agents that play the rollouts."""
        return self.inner.asks

    def reset(self) -> None:
        self.inner.reset()

    def memory_size(self, num_players: int) -> int:
        """Whether something was predicted; for each other seat and member the logarithm of its weight; predictions."""
        if self.watching is None:
            return 0
        return 1 + (num_players - 1) * len(self.inner.population) * (1 + self.watching.actions)

    def search(
        self,
        observation: Observations,
        mask: Masks,
        rng: Streams,
        positions: Positions,
        memory: Remembered | None = None,
    ) -> Actions:
        return self.inner.search(observation, mask, rng, positions, self._weights(rng, positions, memory))

    def mixture(self, mask: Masks, rng: Streams, positions: Positions, memory: Remembered | None = None) -> Values:
        return self.inner.mixture(mask, rng, positions, self._weights(rng, positions, memory))

    def _weights(self, rng: Streams, positions: Positions, memory: Remembered | None) -> Values | None:
        """(rows, players, members): who sits where, after what was seen since the last decision."""
        watching = self.watching
        if watching is None or memory is None:
            return None
        others, members = positions.to_act.shape[1] - 1, len(self.inner.population)
        logs = memory[:, 1 : 1 + others * members].reshape(len(memory), others, members)
        predicted = memory[:, 1 + others * members :].reshape(len(memory), others, members, watching.actions)
        observations = positions.observations
        rows, seats = np.nonzero((watching.seen(observations)[:, 1 : 1 + others] != OPEN) & (memory[:, :1] == 1))
        if len(rows):
            actions = watching.seen(observations)[rows, 1 + seats]
            logs[rows, seats] += np.log(predicted[rows, seats, :, actions])
            memory[rows, 0] = 0
        asked = np.flatnonzero(watching.asked(observations))
        if len(asked):
            predicted[asked] = self._predict(rng[asked], positions[asked], watching.actions)
            memory[asked, 0] = 1
        memory[:, 1 : 1 + others * members] = logs.reshape(len(memory), -1)
        memory[:, 1 + others * members :] = predicted.reshape(len(memory), -1)
        likely = np.exp((logs - logs.max(2, keepdims=True)).astype(np.float64))
        weights = np.ones((len(memory), others + 1, members))
        for other in range(others):
            weights[np.arange(len(memory)), (positions.seats + 1 + other) % (others + 1)] = likely[:, other]
        return weights / weights.sum(2, keepdims=True)

    def _predict(self, rng: Streams, positions: Positions, actions: int) -> npt.NDArray[np.float32]:
        """(rows, others, members, actions): how likely each member in each other seat chooses each action now."""
        copies, chance = positions.copies(np.ones(len(positions), np.int64), rng)
        players = copies.num_players
        turned = (positions.seats[:, np.newaxis] + np.arange(1, players)) % players
        games = np.repeat(np.arange(len(positions)), players - 1)
        decide = np.flatnonzero(copies.to_act[games, turned.ravel()])
        found = np.full((len(games), len(self.inner.population), actions), 1 / actions, np.float32)
        for number, member in enumerate(self.inner.population):
            at = games[decide], turned.ravel()[decide]
            streams = Streams.of_decisions(chance[at[0]], number, at[1])
            likely = policies_of(member, copies, *at, streams)[:, :actions]
            found[decide, number] = (1 - SURPRISE) * likely + SURPRISE / actions
        return found.reshape(len(positions), players - 1, -1, actions)
