"""How Sea or Shore looks to an observer, in pictures, text and sentences.

Views get snapshots in which everything that the observer may not see is null.
"""

from strand_env.sea_or_shore.views import play
from strand_env.sea_or_shore.views.picture import to_pixels, to_svg
from strand_env.sea_or_shore.views.story import tell
from strand_env.sea_or_shore.views.text import to_text

__all__ = ["play", "tell", "to_pixels", "to_svg", "to_text"]
