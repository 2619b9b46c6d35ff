"""How Sea or Shore looks to an observer, in pictures, text and sentences.

These functions draw what they are given, all hands included, whatever the seat. `GAME.views` has the same ones, but
removes from snapshots what the observer in `seat` may not see: use those to show a game to its players.
"""

from strand_env.sea_or_shore.views import play
from strand_env.sea_or_shore.views.picture import to_pixels, to_svg
from strand_env.sea_or_shore.views.story import tell
from strand_env.sea_or_shore.views.text import to_text

__all__ = ["play", "tell", "to_pixels", "to_svg", "to_text"]
