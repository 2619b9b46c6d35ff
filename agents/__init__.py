"""Agents that play the games: heuristics, trained networks and searches."""

from strand_env.agents.asking import AnyAgent, action_probabilities, ask, joint_actions, label_of, policies_of
from strand_env.agents.base import Agent, Positions, Searcher
from strand_env.agents.memory import Memory, Remembering
from strand_env.agents.naming import SEARCHES, agent_names, agent_of, origins_of
from strand_env.agents.policy import Policy, PolicyAgent
from strand_env.agents.random import RandomAgent

__all__ = [
    "SEARCHES",
    "Agent",
    "AnyAgent",
    "Memory",
    "Policy",
    "PolicyAgent",
    "Positions",
    "RandomAgent",
    "Remembering",
    "Searcher",
    "action_probabilities",
    "agent_names",
    "agent_of",
    "ask",
    "joint_actions",
    "label_of",
    "origins_of",
    "policies_of",
]
