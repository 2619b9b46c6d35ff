"""The games there are, by their versioned names."""

from strand_env import strand_unter
from strand_env.engine.protocol import Game

STRAND_UNTER = Game(
    name="strand_unter_v0",
    batch=strand_unter.Games,
    ruleset=strand_unter.Ruleset,
    player_counts=range(2, 5),
    views_module="strand_env.strand_unter.views",
)

GAMES = {game.name: game for game in (STRAND_UNTER,)}
