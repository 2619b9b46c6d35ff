"""Agents that play the games: heuristics, trained networks and searches."""

from strand_env.agents.asking import AnyAgent, action_probabilities, ask, joint_actions
from strand_env.agents.base import Agent, Positions, Searcher
from strand_env.agents.naming import SEARCHES, agent_names, agent_of, origin_of
from strand_env.agents.random import RandomAgent

__all__ = [
    "SEARCHES",
    "Agent",
    "AnyAgent",
    "Positions",
    "RandomAgent",
    "Searcher",
    "action_probabilities",
    "agent_names",
    "agent_of",
    "ask",
    "joint_actions",
    "origin_of",
]
