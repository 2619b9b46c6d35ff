"""Agents that know Maui."""

from pathlib import Path

from strand_env.agents.maui.afterstates import AFTERSTATES
from strand_env.agents.maui.heuristics import Beachcomber, Greedy, Nalu, Racer, Scout
from strand_env.engine.game import GameAgents

AGENTS = GameAgents(
    heuristics={
        "greedy": lambda ruleset: Greedy(ruleset=ruleset),
        "beachcomber": lambda ruleset: Beachcomber(ruleset=ruleset),
        "racer": lambda ruleset: Racer(ruleset=ruleset),
        "scout": lambda ruleset: Scout(ruleset=ruleset),
        "nalu": lambda ruleset: Nalu(ruleset=ruleset),
    },
    reference="nalu",
    rollout_policy="nalu",
    trained={"learned": Path(__file__).parent / "learned"},
    encodings=(AFTERSTATES,),
    hints=("nalu", "mc:256"),
)
