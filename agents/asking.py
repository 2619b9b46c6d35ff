"""How agents are asked: the same way by environments, by the arena and by other agents."""

from typing import Any

import numpy as np
import numpy.typing as npt

from strand_env.agents.base import Actions, Agent, Masks, Positions, Searcher
from strand_env.agents.random import RandomAgent
from strand_env.engine.protocol import Batch, IllegalAction
from strand_env.engine.randomness import Streams

AnyAgent = Agent | Searcher


def ask(
    agent: AnyAgent, batch: Batch, games: npt.NDArray[np.int64], seats: npt.NDArray[np.int64], rng: Streams
) -> Actions:
    """(rows,): what an agent does, each row being a player of a game who has to decide.

    An answer that is not legal is the agent's own error, and must not pass for one of somebody else: so it is judged by
    masks that the agent cannot have changed.
    """
    if type(agent) is RandomAgent:
        return batch.choose_randomly(games, seats, rng.bits())  # as the agent does, but without writing masks
    observations, masks = batch.look_at_rows(games, seats)
    if hasattr(agent, "search"):  # asking whether it is a `Searcher` takes longer than many an agent does
        positions = Positions(batch, games, seats, open_cards=getattr(agent, "sees_hidden", False))
        answer = agent.search(observations, masks.copy(), rng, positions)
    else:
        answer = agent.act(observations, masks.copy(), rng)
    return checked_answer(agent, answer, masks)


def joint_actions(agent: AnyAgent, batch: Batch, moves: int) -> npt.NDArray[np.int64]:
    """(games, players): what an agent does in all seats, for `batch.step`; who has nothing to decide passes.

    All chance follows from the seed of a game, the number of moves made in it, and the seat.
    """
    games, seats = np.nonzero(batch.to_act)
    actions = np.full((batch.num_games, batch.num_players), batch.pass_action, np.int64)
    if len(games):
        rng = Streams.of_decisions(batch.seeds[games], moves, seats)
        actions[games, seats] = ask(agent, batch, games, seats, rng)
    return actions


def leaning(agent: AnyAgent, batch: Batch, seat: int, rng: Streams) -> npt.NDArray[np.float64]:
    """(actions,): how likely an agent is to do what in the only game of a batch; one thing, if it does not tell."""
    games, seats = np.zeros(1, np.int64), np.array([seat])
    observations, masks = batch.look_at_rows(games, seats)
    if hasattr(agent, "probabilities"):
        weights = agent.probabilities(observations, masks)[0]
    elif hasattr(agent, "mixture"):
        positions = Positions(batch, games, seats, open_cards=getattr(agent, "sees_hidden", False))
        weights = agent.mixture(masks, rng, positions)[0]
    else:
        weights = np.eye(masks.shape[1])[ask(agent, batch, games, seats, rng)[0]]
    likely = np.asarray(weights, np.float64)
    if likely.shape != masks[0].shape or not np.isfinite(likely).all() or likely.min() < 0 or likely @ masks[0] <= 0:
        raise ValueError(f"{type(agent).__name__}: expected how likely each action is, got {weights!r:.80}")
    return likely * masks[0] / (likely @ masks[0])


def checked_answer(agent: AnyAgent, answer: Any, masks: Masks) -> Actions:
    """The answer, if it is a legal action for each row."""
    actions = np.asarray(answer)
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
