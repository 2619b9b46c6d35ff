"""The figures: towels, umbrellas, pearls, crabs, tokens, dollars, the players' shells.

Each pattern has a glyph of its own, so that towels can be told apart without colours: stripes, a fish, dots, a zigzag,
lozenges.
"""

from collections.abc import Sequence
from math import pi, sin

from strand_env.maui.ruleset import CELLS
from strand_env.pictures.canvas import Canvas, Paint, Point, around, mixed, placed, smooth
from strand_env.pictures.style import PLAYERS, SCALLOP, points_of

FILLS = ("#fadb5f", "#f7b3c8", "#b5e1f2", "#f4a25c", "#bda3e6")  # yellow, pink, light blue, orange, purple
GLYPHS = ("#8a6100", "#a3235a", "#14658e", "#8a3503", "#4a2590")
PEARLS = ("#ffffff", "#3a3f4a")
WATER_TOKEN, TREES_TOKEN = "#2b6f92", "#3d6b37"
CRAB, CRAB_EDGE = "#d2573b", "#7d2413"
DOLLAR, DOLLAR_EDGE = "#f4ead2", "#8a744a"
_WHITE, _BLACK = "#ffffff", "#000000"

_FISH = smooth(points_of("1,0 .55,-.5 -.05,-.55 -.5,-.12 -.95,-.5 -.82,0 -.95,.5 -.5,.12 -.05,.55 .55,.5"), 2)
_STRIPES = (0.2, 0.5, 0.8)
_DOTS = ((0.2, 0.3), (0.5, 0.3), (0.8, 0.3), (0.35, 0.7), (0.65, 0.7))
_ZIGZAG = ((0.04, 0.68), (0.27, 0.3), (0.5, 0.68), (0.73, 0.3), (0.96, 0.68))
_LOZENGES = (0.27, 0.73)


def draw_glyph(canvas: Canvas, pattern: int, left: float, top: float, width: float, height: float) -> None:
    """What makes a pattern: dark shapes in a box."""
    ink = GLYPHS[pattern]
    x, y, size = left + width / 2, top + height / 2, min(width, height)
    if pattern == 0:
        for across in _STRIPES:
            canvas.rectangle(left + (across - 0.07) * width, top, 0.14 * width, height, Paint(ink))
    elif pattern == 1:
        length = min(0.42 * width, 0.7 * height)
        canvas.polygon(placed(_FISH, x, y, length), Paint(ink))
        canvas.ellipse(x + 0.55 * length, y - 0.12 * length, 0.1 * length, 0.1 * length, Paint(FILLS[pattern]))
    elif pattern == 2:
        for across, down in _DOTS:
            canvas.ellipse(left + across * width, top + down * height, 0.14 * size, 0.14 * size, Paint(ink))
    elif pattern == 3:
        canvas.line([(left + across * width, top + down * height) for across, down in _ZIGZAG], ink, 0.17 * size)
    else:
        for across in _LOZENGES:
            middle, half = left + across * width, 0.2 * width
            edge = [
                (middle, top + 0.12 * height),
                (middle + half, y),
                (middle, top + 0.88 * height),
                (middle - half, y),
            ]
            canvas.polygon(edge, Paint(ink))


def draw_cell(canvas: Canvas, pattern: int, left: float, top: float, width: float, height: float) -> None:
    canvas.rectangle(left, top, width, height, Paint(FILLS[pattern]))
    draw_glyph(canvas, pattern, left, top, width, height)


def draw_towel(canvas: Canvas, patterns: Sequence[int], left: float, top: float, width: float, cell: float) -> None:
    """A towel of three cells of this height, with fringes at its ends."""
    edge, fringe = "#5b4a3a", 0.12 * cell
    for end, out in ((top, -fringe), (top + CELLS * cell, fringe)):
        tassels = [(left + width * step / 14, end + out * (step % 2)) for step in range(15)]
        canvas.line(tassels, edge, max(0.6, cell / 30))
    for number, pattern in enumerate(patterns):
        draw_cell(canvas, pattern, left, top + number * cell, width, cell)
    canvas.rectangle(left, top, width, CELLS * cell, Paint(None, edge, max(0.8, cell / 22)))


def draw_token(canvas: Canvas, pattern: int, x: float, y: float, size: float) -> None:
    """A towel token: a disc that shows a pattern."""
    canvas.ellipse(x, y, size, size, Paint(FILLS[pattern], _WHITE, 0.22 * size))
    canvas.ellipse(x, y, 1.1 * size, 1.1 * size, Paint(None, "#40372b", 0.09 * size))
    draw_glyph(canvas, pattern, x - 0.62 * size, y - 0.52 * size, 1.24 * size, 1.04 * size)


def draw_penalty(canvas: Canvas, where: str, points: int, x: float, y: float, size: float) -> None:
    """A penalty token, with what it costs."""
    colour = WATER_TOKEN if where == "water" else TREES_TOKEN
    canvas.ellipse(x, y, size, size, Paint(colour, _WHITE, 0.16 * size))
    canvas.text(x, y + 0.4 * size, f"-{points}", 1.15 * size, _WHITE, "middle", bold=True)


_CLAW = smooth(points_of(".62,-.3 .8,-.72 1.12,-.86 1.04,-.6 .9,-.52 1.16,-.5 .96,-.22"), 3)
_LEGS = (points_of(".62,.2 1.02,.08 1.16,.3"), points_of(".56,.4 .92,.42 1.0,.68"), points_of(".44,.54 .7,.7 .72,.92"))


def draw_crab(canvas: Canvas, value: int | str, x: float, y: float, size: float) -> None:
    """With its value on its back."""
    for side in (1, -1):
        for leg in _LEGS:
            canvas.line([(x + side * px * size, y + py * size) for px, py in leg], CRAB_EDGE, 0.1 * size)
        claw = [(x + side * px * size, y + py * size) for px, py in _CLAW]
        canvas.polygon(claw, Paint(CRAB, CRAB_EDGE, 0.06 * size))
        canvas.line(
            [(x + side * 0.2 * size, y - 0.5 * size), (x + side * 0.26 * size, y - 0.78 * size)], CRAB_EDGE, 0.08 * size
        )
        canvas.ellipse(x + side * 0.27 * size, y - 0.82 * size, 0.1 * size, 0.1 * size, Paint(CRAB_EDGE))
    canvas.ellipse(x, y + 0.06 * size, 0.74 * size, 0.62 * size, Paint(CRAB, CRAB_EDGE, 0.08 * size))
    canvas.text(x, y + 0.36 * size, str(value), 0.9 * size, _WHITE, "middle", bold=True)


def draw_pearl(canvas: Canvas, colour: int, x: float, y: float, size: float) -> None:
    canvas.ellipse(x, y, size, size, Paint(PEARLS[colour], "#4d4a45", 0.14 * size))
    shine = mixed(PEARLS[colour], _WHITE if colour else "#b9a9c9", 0.6)
    canvas.ellipse(x - 0.32 * size, y - 0.34 * size, 0.26 * size, 0.22 * size, Paint(shine))


def _wedge(start: float, stop: float) -> list[Point]:
    """A part of a canopy seen from above; angles in turns, from the top clockwise."""
    return [(0.0, 0.0), *around(start - 0.25, stop - 0.25, max(1, round(8 * (stop - start))))]


def draw_pearl_umbrella(canvas: Canvas, colour: int, x: float, y: float, size: float) -> None:
    """Seen from above, with its pearl in the middle."""
    for number in range(8):
        fill = "#fffaf0" if number % 2 else ("#e98f9d" if colour == 0 else "#7f8fa8")
        canvas.polygon(placed(_wedge(number / 8, (number + 1) / 8), x, y, size), Paint(fill))
    canvas.polygon(placed(around(0, 1, 8)[:-1], x, y, size), Paint(None, "#4d4a45", 0.09 * size))
    draw_pearl(canvas, colour, x, y, 0.48 * size)


def draw_pattern_umbrella(
    canvas: Canvas, patterns: Sequence[int], letters: Sequence[str], x: float, y: float, size: float
) -> None:
    """A half for each of its two tracks, with the pattern's letter."""
    for half, pattern in enumerate(reversed(patterns)):
        canvas.polygon(placed(_wedge(half / 2, half / 2 + 0.5), x, y, size), Paint(FILLS[pattern]))
    for number in range(8):
        tip = placed(around(number / 8, 1, 1), x, y, size)[0]
        canvas.line(
            [(x, y), tip],
            mixed("#4d4a45", _WHITE, 0.3) if number % 4 == 2 else mixed("#4d4a45", _WHITE, 0.75),
            0.06 * size,
        )
    canvas.polygon(placed(around(0, 1, 8)[:-1], x, y, size), Paint(None, "#4d4a45", 0.11 * size))
    for side, pattern, letter in zip((-1, 1), patterns, letters, strict=True):
        canvas.text(
            x + side * 0.46 * size,
            y + 0.32 * size,
            letter,
            0.9 * size,
            mixed(GLYPHS[pattern], _BLACK, 0.3),
            "middle",
            bold=True,
        )


def draw_dollar(canvas: Canvas, x: float, y: float, size: float) -> None:
    """A sand dollar with its star of five petals."""
    canvas.ellipse(x, y, size, size, Paint(DOLLAR, DOLLAR_EDGE, 0.12 * size))
    for petal in range(5):
        turn = 2 * pi * petal / 5
        leaf = smooth(points_of("0,-.12 .16,-.44 0,-.72 -.16,-.44"), 3)
        canvas.polygon(placed(leaf, x, y, size, turn), Paint("#c9b485", DOLLAR_EDGE, 0.05 * size))


def draw_shell(canvas: Canvas, player: int, x: float, y: float, size: float) -> None:
    """A player's shell on a track, with the player's number."""
    colour = PLAYERS[player]
    canvas.polygon(placed(SCALLOP, x, y, size), Paint(colour, mixed(colour, _BLACK, 0.4), 0.1 * size))
    canvas.text(x, y + 0.4 * size, str(player), 1.15 * size, _WHITE, "middle", bold=True)


_BLADE = points_of("0,0 .2,-.4 .14,-.8 0,-1 -.14,-.8 -.2,-.4")


def draw_palm(canvas: Canvas, x: float, y: float, size: float, shade: int = 0) -> None:
    """The crown of a palm seen from above."""
    for leaf in range(6):
        turn = 2 * pi * (leaf / 6 + 0.04 * sin(3.0 * leaf + shade))
        colour = ("#6f9a54", "#5e8a4a", "#7aa65c")[(leaf + shade) % 3]
        canvas.polygon(placed(_BLADE, x, y, size, turn), Paint(colour))
    canvas.ellipse(x, y, 0.14 * size, 0.14 * size, Paint("#8a6a3c"))
