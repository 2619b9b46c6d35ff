"""Who plays the seats that nobody learns in."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from strand_env.agents import Agent, RandomAgent, agent_of
from strand_env.game import Batch
from strand_env.randomness import Streams


class Opponents:
    """All players but one of each game of a batch.

    They are one agent for all seats, or one for each of them: the first sits next after the learner, and so on. Agents
    are given by name or as objects. Their chance depends on the game, the move and the seat alone, so that a game goes
    the same way alone and in any batch.
    """

    def __init__(self, opponents: str | Agent | Sequence[str | Agent], num_players: int) -> None:
        several = not isinstance(opponents, str) and isinstance(opponents, Sequence)
        given = list(opponents) if several else [opponents] * (num_players - 1)  # type: ignore[arg-type,list-item]
        if len(given) != num_players - 1:
            raise ValueError(f"opponents: expected one agent, or {num_players - 1} of them; got {len(given)}")
        # Those who are given for several seats are asked once for all of these.
        distinct = [opponent for number, opponent in enumerate(given) if given.index(opponent) == number]
        self.agents = [agent_of(opponent) for opponent in distinct]
        self._agent_at = np.array(
            [0] + [distinct.index(opponent) for opponent in given]
        )  # by distance from the learner

    def reset(self) -> None:
        for agent in self.agents:
            agent.reset()

    def act(
        self,
        batch: Batch,
        games: npt.NDArray[np.int64],
        seats: npt.NDArray[np.int64],
        distances: npt.NDArray[np.int64],
        rng: Streams,
    ) -> npt.NDArray[np.integer]:
        """(rows,): what they do, each in one game and seat, so many seats after the learner."""
        if len(self.agents) == 1 and isinstance(self.agents[0], RandomAgent):
            return batch.choose_randomly(games, seats, rng.bits())  # as the agent does, but without writing masks
        observations, masks = batch.look_at_rows(games, seats)
        if len(self.agents) == 1:
            return self.agents[0].act(observations, masks, rng)
        actions = np.empty(len(games), np.int64)
        whose = self._agent_at[distances]
        for number, agent in enumerate(self.agents):
            rows = np.flatnonzero(whose == number)
            if len(rows):
                actions[rows] = agent.act(observations[rows], masks[rows], rng[rows])
        return actions
