"""Agents that play the games: heuristic, learned and searching ones."""

import difflib
from typing import Any

from strand_env.agents.base import Agent
from strand_env.agents.random import RandomAgent

__all__ = ["NAMED", "Agent", "RandomAgent", "agent_of"]

NAMED: dict[str, type[Agent]] = {"random": RandomAgent}


def agent_of(agent: Any) -> Agent:
    """An agent by its name, or the given one if it is an agent already."""
    if isinstance(agent, str):
        if agent not in NAMED:
            near = difflib.get_close_matches(agent, NAMED, n=1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise ValueError(f"no agent is called {agent!r}; there are: {', '.join(sorted(NAMED))}{hint}")
        return NAMED[agent]()
    if isinstance(agent, type) or not all(callable(getattr(agent, name, None)) for name in ("reset", "act")):
        raise ValueError(f"expected an agent (with methods reset and act) or the name of one, got {agent!r:.80}")
    return agent
