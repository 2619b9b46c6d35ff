"""Strand Unter, the complete game for 2 to 4 players."""

from strand_env.engine.game import Game
from strand_env.engine.layout import Layout, Section
from strand_env.engine.protocol import IllegalAction
from strand_env.strand_unter.actions import NUM_ACTIONS, PASS, describe
from strand_env.strand_unter.features import FEATURES
from strand_env.strand_unter.games import Games
from strand_env.strand_unter.layout import layout_of
from strand_env.strand_unter.potential import potential
from strand_env.strand_unter.ruleset import PLAYER_COUNTS, Ruleset
from strand_env.strand_unter.state import PHASES

layout = layout_of(Ruleset.default())
"""The sections of an observation under the default ruleset."""

GAME = Game(
    name="strand_unter",
    version=1,
    title="Strand Unter",
    batch=Games,
    ruleset=Ruleset,
    player_counts=PLAYER_COUNTS,
    dynamics="simultaneous",
    information="open",
    num_actions=NUM_ACTIONS,
    describe=describe,
    package=__name__,
    views_module=f"{__name__}.views",
    agents_module="strand_env.agents.strand_unter",
    training_module="strand_env.train.strand_unter",
    encodings=(FEATURES,),
    potential=potential,
    options={"hide_buckets": "Leave the opponents' buckets out of observations."},
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
