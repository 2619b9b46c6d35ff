"""Text for terminals: styles in the palette of 256 colours, and the story below the lines of a game."""

import re
from collections.abc import Iterable, Sequence

from strand_env.pictures.words import story_lines

WIDTH = 100  # characters at most
BOLD, FAINT = "1", "2"


class Styled:
    """Words with ANSI escapes, or plain ones."""

    def __init__(self, colour: bool) -> None:
        self._colour = colour

    def styled(self, words: str, style: str) -> str:
        return f"\x1b[{style}m{words}\x1b[0m" if self._colour else words


def told(lines: Iterable[str], story: Sequence[str]) -> str:
    """The lines of a game, and its story."""
    below = ["", *story_lines(story, WIDTH, "  ")] if story else []
    return "\n".join(line.rstrip() for line in (*lines, *below)) + "\n"


def visible_width(words: str) -> int:
    """The number of characters on a terminal; escapes do not count."""
    return len(re.sub("\x1b\\[[0-9;]*m", "", words))


def padded(words: str, width: int) -> str:
    """Padded with spaces to a visible width."""
    return words + " " * (width - visible_width(words))
