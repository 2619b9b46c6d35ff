"""How Maui looks, in pictures, text and sentences, from snapshots alone.

No information is private, so all observers see the same.
"""

from strand_env.maui.views import play
from strand_env.maui.views.picture import to_pixels, to_svg
from strand_env.maui.views.story import tell
from strand_env.maui.views.text import to_text

__all__ = ["play", "tell", "to_pixels", "to_svg", "to_text"]
