"""The agents in all seats but the learner's."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from strand_env.agents import AnyAgent, Memory, RandomAgent, agent_of, ask
from strand_env.engine.game import Game
from strand_env.engine.protocol import Batch, Ruleset
from strand_env.engine.randomness import Streams


class Opponents:
    """All players of each game of a batch except the learner.

    They are one agent for all seats, or one for each, in seating order after the learner; given by name or as objects.
    Their random streams depend on the game, the move and the seat alone, so a game is the same alone and in any batch.
    """

    def __init__(
        self,
        opponents: str | AnyAgent | Sequence[str | AnyAgent],
        num_players: int,
        ruleset: Ruleset | None,
        game: Game,
    ) -> None:
        given: list[str | AnyAgent]
        if isinstance(opponents, Sequence) and not isinstance(opponents, str):
            given = list(opponents)
        else:
            given = [opponents] * (num_players - 1)
        if len(given) != num_players - 1:
            raise ValueError(f"opponents: expected one agent, or {num_players - 1} of them; got {len(given)}")
        # An agent given for several seats, by the same name or as the same object, is asked once for all of them.
        keys = [opponent if isinstance(opponent, str) else id(opponent) for opponent in given]
        distinct = dict(zip(keys, given, strict=True))
        self.agents = [agent_of(opponent, ruleset, game=game) for opponent in distinct.values()]
        numbers = {key: number for number, key in enumerate(distinct)}
        for agent in self.agents:
            agent.reset()
        self._agent_at = np.array([0] + [numbers[key] for key in keys])  # by distance from the learner

    @property
    def random(self) -> bool:
        """Whether all of them play at random: the engine can then play on without asking."""
        return len(self.agents) == 1 and type(self.agents[0]) is RandomAgent

    def act(
        self,
        batch: Batch,
        games: npt.NDArray[np.int64],
        seats: npt.NDArray[np.int64],
        distances: npt.NDArray[np.int64],
        rng: Streams,
        memory: Memory | None = None,
    ) -> npt.NDArray[np.integer]:
        """(rows,): their actions, by game, seat and distance, in seats, from the learner.

        `memory` is what they remember of the batch's games.
        """
        if len(self.agents) == 1:
            return ask(self.agents[0], batch, games, seats, rng, memory)
        actions = np.empty(len(games), np.int64)
        indices = self.agent_indices(batch, games, seats, distances)
        for number, agent in enumerate(self.agents):
            rows = np.flatnonzero(indices == number)
            if len(rows):
                actions[rows] = ask(agent, batch, games[rows], seats[rows], rng[rows], memory)
        return actions

    def agent_indices(
        self,
        batch: Batch,
        games: npt.NDArray[np.int64],
        seats: npt.NDArray[np.int64],
        distances: npt.NDArray[np.int64],
    ) -> npt.NDArray[np.int64]:
        """(rows,): which of the agents plays each row."""
        return self._agent_at[distances]
