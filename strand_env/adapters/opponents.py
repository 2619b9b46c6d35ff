"""Who plays the seats that nobody learns in."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from strand_env.agents import Agent, RandomAgent, agent_of
from strand_env.game import Batch, IllegalAction
from strand_env.randomness import Streams


class Opponents:
    """All players but one of each game of a batch.

    They are one agent for all seats, or one for each of them: the first sits next after the learner, and so on. Agents
    are given by name or as objects. Their chance depends on the game, the move and the seat alone, so that a game goes
    the same way alone and in any batch.
    """

    def __init__(self, opponents: str | Agent | Sequence[str | Agent], num_players: int) -> None:
        given: list[str | Agent]
        if isinstance(opponents, Sequence) and not isinstance(opponents, str):
            given = list(opponents)
        else:
            given = [opponents] * (num_players - 1)
        if len(given) != num_players - 1:
            raise ValueError(f"opponents: expected one agent, or {num_players - 1} of them; got {len(given)}")
        # Who is given for several seats, by the same name or as the same object, is asked once for all of these.
        keys = [opponent if isinstance(opponent, str) else id(opponent) for opponent in given]
        distinct = dict(zip(keys, given, strict=True))
        self.agents = [agent_of(opponent) for opponent in distinct.values()]
        numbers = {key: number for number, key in enumerate(distinct)}
        for agent in self.agents:
            agent.reset()
        self._agent_at = np.array([0] + [numbers[key] for key in keys])  # by distance from the learner

    @property
    def random(self) -> bool:
        """Whether all of them play anything: games can then play on by themselves."""
        return len(self.agents) == 1 and type(self.agents[0]) is RandomAgent

    def act(
        self,
        batch: Batch,
        games: npt.NDArray[np.int64],
        seats: npt.NDArray[np.int64],
        distances: npt.NDArray[np.int64],
        rng: Streams,
    ) -> npt.NDArray[np.integer]:
        """(rows,): what they do, each in one game and seat, so many seats after the learner."""
        if self.random and hasattr(batch, "choose_randomly"):
            return batch.choose_randomly(games, seats, rng.bits())  # as the agent does, but without writing masks
        observations, masks = batch.look_at_rows(games, seats)
        if len(self.agents) == 1:
            return checked_answer(self.agents[0], observations, masks, rng)
        actions = np.empty(len(games), np.int64)
        whose = self._agent_at[distances]
        for number, agent in enumerate(self.agents):
            rows = np.flatnonzero(whose == number)
            if len(rows):
                actions[rows] = checked_answer(agent, observations[rows], masks[rows], rng[rows])
        return actions


def checked_answer(
    agent: Agent, observations: npt.NDArray[np.integer], masks: npt.NDArray[np.int8], rng: Streams
) -> npt.NDArray[np.integer]:
    """What an agent does in these rows. Anything illegal is its own error, and must not pass for one of the learner."""
    actions = np.asarray(agent.act(observations, masks, rng))
    rows, num_actions = masks.shape
    if actions.shape != (rows,) or actions.dtype.kind not in "iu":
        raise ValueError(
            f"{type(agent).__name__}: expected {rows} actions from it, got {actions.dtype} {actions.shape}"
        )
    known = (actions >= 0) & (actions < num_actions)
    illegal = np.flatnonzero(~known | (masks[np.arange(rows), actions * known] == 0))
    if len(illegal):
        legal = np.flatnonzero(masks[illegal[0]]).tolist()
        raise IllegalAction(
            f"{type(agent).__name__}: chose action {actions[illegal[0]]}, which is not legal; legal: {legal}"
        )
    return actions
