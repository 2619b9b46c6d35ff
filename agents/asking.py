"""Asking agents for actions: one path for environments, the arena and other agents."""

from typing import Any

import numpy as np
import numpy.typing as npt

from strand_env.agents.base import Actions, Agent, Masks, Positions, Searcher
from strand_env.agents.memory import Memory, Remembered, memory_size
from strand_env.agents.policy import PolicyAgent
from strand_env.agents.random import RandomAgent
from strand_env.engine.checks import printable, shown
from strand_env.engine.protocol import Batch, IllegalAction
from strand_env.engine.randomness import Streams

AnyAgent = Agent | Searcher

_PACKAGE = __name__.partition(".")[0]


def ask(
    agent: AnyAgent,
    batch: Batch,
    games: npt.NDArray[np.int64],
    seats: npt.NDArray[np.int64],
    rng: Streams,
    memory: Memory | None = None,
) -> Actions:
    """(rows,): the agent's actions; each row is a player, by game and seat, who has to decide.

    An illegal answer is reported as this agent's error, so it is checked against masks that the agent cannot modify.
    Agents that remember find in `memory` what they remembered, and only a legal answer changes it; without, every
    decision is to them the first of its game. Agents from outside get sealed streams.
    """
    if type(agent) is RandomAgent:
        return batch.choose_randomly(games, seats, rng.bits())  # the agent's own choices, without writing masks
    observations, masks = batch.look_at_rows(games, seats)
    remembered = _remembered(agent, batch, games, seats, memory)
    rng = _streams_for(agent, rng)
    asked: Any = agent
    if hasattr(agent, "search"):  # isinstance(agent, Searcher) takes longer than many agents
        positions = Positions(batch, games, seats, open_cards=getattr(agent, "sees_hidden", False))
        answer = asked.search(observations, masks.copy(), rng, positions, *remembered)
    else:
        answer = asked.act(observations, masks.copy(), rng, *remembered)
    actions = checked_answer(agent, answer, masks)
    if memory is not None and remembered:
        memory.keep(games, seats, *remembered)
    return actions


def _streams_for(agent: AnyAgent, rng: Streams) -> Streams:
    """The streams as an agent may have them: one from outside might infer the seed from them, and so what is hidden."""
    return rng if _is_bundled(agent) else rng.sealed()


def _is_bundled(agent: AnyAgent) -> bool:
    """Whether an agent comes with the package, and so do those that it asks."""
    bundled = type(agent).__module__.partition(".")[0] == _PACKAGE
    return bundled and all(map(_is_bundled, getattr(agent, "asks", ())))


def _remembered(
    agent: AnyAgent,
    batch: Batch,
    games: npt.NDArray[np.int64],
    seats: npt.NDArray[np.int64],
    memory: Memory | None,
) -> tuple[Remembered, ...]:
    """What an agent that remembers is given besides; nothing for the others."""
    size = memory_size(agent, batch.num_players)
    if not size:
        return ()
    return (np.zeros((len(games), size), np.float32) if memory is None else memory.recall(games, seats, size),)


def joint_actions(agent: AnyAgent, batch: Batch, moves: int, memory: Memory | None = None) -> npt.NDArray[np.int64]:
    """(games, players): an agent's actions in all seats, for `batch.step`; players with nothing to decide pass.

    All randomness follows from the game's seed, the number of moves made in it, and the seat. Agents that remember need
    a `Memory` of these games, the same for all moves.

        games, tide, moves = Games(1000, num_players=4, seed=1), agent_of("tide"), 0
        while not games.over.all():
            games.step(joint_actions(tide, games, moves))
            moves += 1
    """
    games, seats = np.nonzero(batch.to_act)
    actions = np.full((batch.num_games, batch.num_players), batch.pass_action, np.int64)
    if len(games):
        rng = Streams.of_decisions(batch.seeds[games], moves, seats)
        actions[games, seats] = ask(agent, batch, games, seats, rng, memory)
    return actions


def action_probabilities(
    agent: AnyAgent, batch: Batch, seat: int, rng: Streams, memory: Memory | None = None
) -> npt.NDArray[np.float64]:
    """(actions,): an agent's policy in a batch's only game; one-hot if it exposes none."""
    return policies_of(agent, batch, np.zeros(1, np.int64), np.array([seat]), rng, memory)[0]


def policies_of(
    agent: AnyAgent,
    batch: Batch,
    games: npt.NDArray[np.int64],
    seats: npt.NDArray[np.int64],
    rng: Streams,
    memory: Memory | None = None,
) -> npt.NDArray[np.float64]:
    """(rows, actions): an agent's policy for deciding players, by game and seat; one-hot if it exposes none.

    `memory` is what agents that remember do so by; it is not changed.
    """
    observations, masks = batch.look_at_rows(games, seats)
    weights: Any
    remembered = _remembered(agent, batch, games, seats, memory)
    if hasattr(agent, "probabilities"):
        weights = agent.probabilities(observations, masks.copy(), *remembered)
    elif hasattr(agent, "mixture"):
        positions = Positions(batch, games, seats, open_cards=getattr(agent, "sees_hidden", False))
        weights = agent.mixture(masks.copy(), _streams_for(agent, rng), positions, *remembered)
    else:
        copied = None if memory is None else memory.copy()
        weights = np.eye(masks.shape[1])[ask(agent, batch, games, seats, rng, copied)]
    probs = np.asarray(weights, np.float64)
    if probs.shape == masks.shape and np.isfinite(probs).all() and (probs >= 0).all():
        probs = probs * masks
        if (probs.sum(1) > 0).all():
            return probs / probs.sum(1, keepdims=True)
    raise ValueError(f"{label_of(agent)}: expected the probability of each action, got {shown(weights)}")


def checked_answer(agent: AnyAgent, answer: Any, masks: Masks) -> Actions:
    """The answer, if it is one legal action per row."""
    actions = np.asarray(answer)
    rows, num_actions = masks.shape
    if actions.shape != (rows,) or actions.dtype.kind not in "iu":
        raise ValueError(f"{label_of(agent)}: expected {rows} actions from it, got {actions.dtype} {actions.shape}")
    known = (actions >= 0) & (actions < num_actions)
    illegal = np.flatnonzero(~known | (masks[np.arange(rows), actions * known] == 0))
    if len(illegal):
        legal = np.flatnonzero(masks[illegal[0]]).tolist()
        raise IllegalAction(
            f"{label_of(agent)}: chose action {actions[illegal[0]]}, which is not legal; legal: {legal}"
        )
    return actions


def label_of(agent: AnyAgent) -> str:
    """The name of an agent that is given as an object: that of its class, or of the function that it is made of."""
    return agent.name if isinstance(agent, PolicyAgent) else printable(type(agent).__name__, 80)
