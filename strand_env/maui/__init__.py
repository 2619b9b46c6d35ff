"""Maui, the complete game for 2 to 4 players, in three variants."""

from strand_env.engine.game import Game
from strand_env.engine.layout import Layout, Section
from strand_env.engine.protocol import IllegalAction
from strand_env.maui.actions import NUM_ACTIONS, PASS, PHASES, describe
from strand_env.maui.features import FEATURES
from strand_env.maui.games import Games
from strand_env.maui.layout import layout_of
from strand_env.maui.potential import potential
from strand_env.maui.ruleset import PLAYER_COUNTS, VARIANTS, Ruleset

layout = layout_of(Ruleset.default())
"""The sections of an observation under the default ruleset."""

GAME = Game(
    name="maui",
    version=0,
    title="Maui",
    batch=Games,
    ruleset=Ruleset,
    player_counts=PLAYER_COUNTS,
    dynamics="sequential",
    information="open",
    num_actions=NUM_ACTIONS,
    describe=describe,
    package=__name__,
    views_module=f"{__name__}.views",
    agents_module="strand_env.agents.maui",
    training_module="strand_env.train.maui",
    encodings=(FEATURES,),
    potential=potential,
)

__all__ = [
    "GAME",
    "NUM_ACTIONS",
    "PASS",
    "PHASES",
    "VARIANTS",
    "Games",
    "IllegalAction",
    "Layout",
    "Ruleset",
    "Section",
    "describe",
    "layout",
]
