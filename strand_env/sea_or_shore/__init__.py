"""Sea or Shore, the complete game for 3 to 5 players, with private hands."""

from strand_env.engine.game import Game
from strand_env.engine.layout import Layout, Section
from strand_env.engine.protocol import IllegalAction
from strand_env.sea_or_shore.actions import NUM_ACTIONS, PASS, PHASES, describe
from strand_env.sea_or_shore.features import FEATURES
from strand_env.sea_or_shore.games import Games
from strand_env.sea_or_shore.layout import layout_of
from strand_env.sea_or_shore.potential import potential
from strand_env.sea_or_shore.ruleset import PLAYER_COUNTS, Ruleset

layout = layout_of(Ruleset.default())
"""The sections of an observation under the default ruleset."""

GAME = Game(
    name="sea_or_shore",
    version=0,
    title="Sea or Shore",
    batch=Games,
    ruleset=Ruleset,
    player_counts=PLAYER_COUNTS,
    dynamics="sequential",
    information="private",
    num_actions=NUM_ACTIONS,
    describe=describe,
    package=__name__,
    views_module=f"{__name__}.views",
    agents_module="strand_env.agents.sea_or_shore",
    training_module="strand_env.train.sea_or_shore",
    encodings=(FEATURES,),
    potential=potential,
)

__all__ = [
    "GAME",
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
