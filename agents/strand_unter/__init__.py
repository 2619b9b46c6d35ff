"""Agents that know Strand Unter."""

from pathlib import Path

from strand_env.agents.strand_unter.guesses import NEEDS_AND_GUESSES
from strand_env.agents.strand_unter.heuristics import Dodger, Greedy, Mason, Sprinter, Tide
from strand_env.agents.strand_unter.needs import NEEDS
from strand_env.agents.strand_unter.watching import DIALS
from strand_env.engine.game import GameAgents
from strand_env.strand_unter.features import FEATURES

AGENTS = GameAgents(
    heuristics={
        "greedy": lambda ruleset: Greedy(ruleset=ruleset),
        "dodger": lambda ruleset: Dodger(ruleset=ruleset),
        "sprinter": lambda ruleset: Sprinter(ruleset=ruleset),
        "mason": lambda ruleset: Mason(ruleset=ruleset),
        "tide": lambda ruleset: Tide(ruleset=ruleset),
    },
    reference="tide",
    rollout_policy="tide",
    trained={"learned": Path(__file__).parent / "learned"},
    encodings=(FEATURES, NEEDS_AND_GUESSES, NEEDS),
    hints=("tide", "learned", "mc:256", "rm:256"),
    watching=DIALS,
    strangers_module="strand_env.agents.strand_unter.strangers",
)
