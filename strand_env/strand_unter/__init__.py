"""Strand Unter: the complete game for 2 to 4 players, many games at a time."""

from strand_env.engine.protocol import IllegalAction
from strand_env.strand_unter.actions import NUM_ACTIONS, PASS, describe
from strand_env.strand_unter.games import Games
from strand_env.strand_unter.layout import Layout, Section, layout_of
from strand_env.strand_unter.ruleset import Ruleset
from strand_env.strand_unter.state import PHASES

layout = layout_of(Ruleset.default())
"""The sections of an observation under the default ruleset."""

__all__ = [
    "NUM_ACTIONS",
    "PASS",
    "PHASES",
    "Games",
    "IllegalAction",
    "Layout",
    "Ruleset",
    "Section",
    "describe",
    "layout",
]
