"""The look that all games share: colours, the players' badges, panels, the story below a picture."""

from collections.abc import Sequence

from strand_env.pictures.canvas import Canvas, Paint, Point, smooth
from strand_env.pictures.words import story_lines

INK = "#33414a"
FAINT = "#7d8584"
PAPER = "#fdf9f0"
LINE = "#e3d7bb"  # around panels
GOLD = "#d9a521"  # around winners
SEA = "#5c9fb3"
SAND, WET_SAND = "#f3e2bd", "#dcc493"
FOAM = "#f6fbfa"
WATERS = ("#8fc3cc", "#74b1bf", SEA, "#4a8ea5")  # from the shore outwards
CREST = "#a5d0d8"
PLAYERS = ("#c4472f", "#2c5f9e", "#8a4f96", "#2f8065")

SEAT_STYLE = "".join(f".seat-{player} {{ --seat: {colour}; }}\n" for player, colour in enumerate(PLAYERS))
"""CSS: each player's colour for badges and frames on a page."""

_STORY_LINE = 15  # height


def points_of(places: str) -> list[Point]:
    """Points from text such as "0,-1 0.5,1"."""
    return [(float(x), float(y)) for x, y in (place.split(",") for place in places.split())]


SCALLOP = smooth(points_of("-.25,.9 .25,.9 .95,.05 .88,-.4 .5,-.8 0,-.93 -.5,-.8 -.88,-.4 -.95,.05"), 3)
"""The outline of a shell, around (0, 0) in a box from -1 to 1."""


def draw_badge(
    canvas: Canvas, player: int, x: float, y: float, size: float, hollow: bool = False, colour: str | None = None
) -> None:
    """The player's number on a disc in the player's colour, or in this one; or in a ring."""
    colour = colour or PLAYERS[player]
    canvas.ellipse(x, y, size, size, Paint(PAPER if hollow else colour, colour, size / 6))
    canvas.text(x, y + 0.44 * size, str(player), 1.25 * size, colour if hollow else "#ffffff", "middle", bold=True)


def draw_panel(
    canvas: Canvas,
    player: int,
    left: float,
    top: float,
    width: float,
    height: float,
    asked: bool,
    won: bool,
    colour: str | None = None,
) -> None:
    """A player's panel with badge and name; framed for one who has to act or has won."""
    edge = GOLD if won else colour or PLAYERS[player] if asked else LINE
    canvas.rectangle(left, top, width, height, Paint("#ffffff", edge, 2.5 if asked or won else 1), 12)
    draw_badge(canvas, player, left + 24, top + 24, 13, colour=colour)
    canvas.text(left + 45, top + 30, f"Player {player}", 17, INK, bold=True)


def draw_story(
    canvas: Canvas, story: Sequence[str], legend: Sequence[str], left: float, top: float, width: float, lines: int
) -> None:
    """The last lines of a story in two columns; without one, the legend: how to read the picture."""
    column_width = width / 2
    letters = int(column_width / 6.7)
    told = story_lines(story or legend, letters)
    for number, line in enumerate(told[-2 * lines :]):
        column, row = divmod(number, lines)
        x, y = left + column * column_width, top + _STORY_LINE * row
        canvas.text(x, y, line, 13, INK if story else FAINT)
