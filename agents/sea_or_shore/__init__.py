"""Agents that know Sea or Shore."""

from pathlib import Path

from strand_env.agents.sea_or_shore.chances import CHANCES
from strand_env.agents.sea_or_shore.heuristics import Bluffer, Counter, Hoarder, Reader, Skipper, Thief
from strand_env.engine.game import GameAgents, Searching

AGENTS = GameAgents(
    heuristics={
        "counter": lambda ruleset: Counter(ruleset=ruleset),
        "bluffer": lambda ruleset: Bluffer(ruleset=ruleset),
        "hoarder": lambda ruleset: Hoarder(ruleset=ruleset),
        "thief": lambda ruleset: Thief(ruleset=ruleset),
        "reader": lambda ruleset: Reader(ruleset=ruleset),
        "skipper": lambda ruleset: Skipper(ruleset=ruleset),
    },
    reference="skipper",
    rollout_policy="skipper",
    # What a card brings shows within a few tricks; to the end of the game, luck would drown it out.
    search=Searching(moves=24, doubt=1.0),
    trained={"learned": Path(__file__).parent / "learned"},
    encodings=(CHANCES,),
    hints=("skipper", "learned"),
)
