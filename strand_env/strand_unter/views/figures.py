"""The figures: shells, castles, the sandpiper.

Outlines are defined around (0, 0) in a box from -1 to 1, or standing on (0, 0), and placed when drawn.
"""

from strand_env.pictures.canvas import Canvas, Paint, Point, around, mixed, placed, smooth
from strand_env.pictures.style import FAINT, INK, PAPER, PLAYERS, SCALLOP, SEA, points_of
from strand_env.strand_unter.ruleset import NUM_COLOURS

HOLLOW, FURROW, DUNE = "#ead5a8", "#d8bd88", "#e6cf9b"
OPEN_SAND, OPEN_EDGE = "#fbf0d3", "#c99f55"  # of the current groove
GRASS = "#8d9a5b"

_SHELL_FILLS = ("#fffef9", "#a8adb3", "#a8632f", "#2d3136")  # white, gray, brown, black
_SHELL_LINES = ("#a39a86", "#6a7078", "#643613", "#0e1012")
_RIBS = ("#cdc4b0", "#6a7078", "#6f3d18", "#808890")


# Each colour has a shape of its own: a scallop, a round snail, a pointed turret, a mussel.
_SHELL_OUTLINES = (
    SCALLOP,
    around(0, 1, 32, 0.88)[:-1],
    smooth(points_of("0,-1.1 .34,-.3 .62,.4 .4,.9 -.4,.9 -.62,.4 -.34,-.3"), 3),
    smooth(points_of("-.85,.9 -.55,-.1 0,-.75 .6,-.85 .88,-.4 .65,.3 .05,.75"), 3),
)
_SPIRAL = [around(step / 20, 1, 1, 0.06 + 0.0215 * step)[0] for step in range(2, 34)]
_SHELL_RIBS = (
    [[(0.0, 0.75), tip] for tip in points_of("-.66,-.3 -.32,-.62 0,-.72 .32,-.62 .66,-.3")],
    [_SPIRAL],
    [points_of("-.24,-.4 .3,-.25"), points_of("-.42,.05 .5,.22"), points_of("-.52,.5 .52,.66")],
    [smooth(points_of("-.6,.55 -.3,0 .1,-.38 .55,-.5"), 3, closed=False)],
)


def draw_shell(
    canvas: Canvas, colour: int, x: float, y: float, size: float, turn: float = 0, there: bool = True
) -> None:
    """One that is not there is drawn as a pale space."""
    outline = placed(_SHELL_OUTLINES[colour], x, y, size, turn)
    if not there:
        edge = mixed(_SHELL_LINES[colour], PAPER, 0.4)
        canvas.polygon(outline, Paint(mixed(_SHELL_FILLS[colour], PAPER, 0.82), edge, size / 11))
        return
    canvas.polygon(outline, Paint(_SHELL_FILLS[colour], _SHELL_LINES[colour], size / 9))
    for rib in _SHELL_RIBS[colour]:
        canvas.line(placed(rib, x, y, size, turn), _RIBS[colour], size / 10)


def draw_wild(canvas: Canvas, x: float, y: float, size: float, there: bool = True) -> None:
    """The space for a shell of any colour, with a quarter in each."""
    for colour in range(NUM_COLOURS):
        quarter = [(0.0, 0.0), *around(0.5 + colour / 4, 0.75 + colour / 4, 6, 0.85)]
        fill = _SHELL_FILLS[colour] if there else mixed(_SHELL_FILLS[colour], PAPER, 0.82)
        canvas.polygon(placed(quarter, x, y, size), Paint(fill))
    edge = FAINT if there else mixed(FAINT, PAPER, 0.5)
    canvas.ellipse(x, y, 0.85 * size, 0.85 * size, Paint(None, edge, size / 9))


def _castle_outline(value: int) -> list[Point]:
    """One tower more for each value, inner ones higher, with lower walls between them."""
    towers = value + 1
    tower, wall = 0.34, 0.06
    width = towers * tower + value * wall
    points: list[Point] = [(-width / 2 - 0.06, 0)]
    for number in range(towers):
        left = -width / 2 + number * (tower + wall)
        inner = 0 < number < value
        top = -1.0 if inner else -0.82
        steps = ((0, 0), (0.3, 0), (0.3, 0.13), (0.7, 0.13), (0.7, 0), (1, 0))
        points += [(left + tower * along, top + down) for along, down in steps]
        if number < value:
            points += [(left + tower, -0.56), (left + tower + wall, -0.56)]
    return [*points, (width / 2 + 0.06, 0)]


_CASTLES = tuple(_castle_outline(value) for value in range(4))


def castle_width(value: int, size: float) -> float:
    return 2 * size * _CASTLES[value][-1][0]


def draw_castle(
    canvas: Canvas, player: int, value: int, x: float, y: float, size: float, place: str | int = "ready"
) -> None:
    """Standing on y, `size` high without its flag; pale on the heap, blue once flooded."""
    colour = PLAYERS[player]
    fill, edge, ink = colour, mixed(colour, "#000000", 0.4), "#ffffff"
    if place == "heap":
        fill, edge, ink = mixed(colour, PAPER, 0.9), mixed(colour, PAPER, 0.45), mixed(colour, PAPER, 0.2)
    elif place == "flooded":
        fill, edge, ink = mixed(SEA, PAPER, 0.55), mixed(SEA, INK, 0.2), mixed(SEA, INK, 0.5)
    if not isinstance(place, str):
        _draw_flag(canvas, player, x, y - size * (1.0 if value > 1 else 0.82), size)
    canvas.polygon(placed(_CASTLES[value], x, y, size), Paint(fill, edge, size / 28))
    canvas.text(x, y - 0.12 * size, str(value), 0.44 * size, ink, "middle", bold=True)
    if place == "flooded":
        half = castle_width(value, size) / 2 + 2
        wave = [(x + half * (step / 4 - 1), y - size * (0.03 + 0.09 * (step % 2))) for step in range(9)]
        canvas.line(smooth(wave, 4, closed=False), SEA, size / 10)


def _draw_flag(canvas: Canvas, player: int, x: float, y: float, size: float) -> None:
    """The owner's number, on a pole that stands on y."""
    left, top, width, height = x, y - 0.44 * size, 0.36 * size, 0.31 * size
    edge = mixed(PLAYERS[player], "#000000", 0.4)
    canvas.line([(x, y + 0.1 * size), (x, top)], edge, size / 22)
    canvas.rectangle(left, top, width, height, Paint(PAPER, edge, size / 28))
    canvas.text(left + width / 2, top + 0.82 * height, str(player), 0.88 * height, PLAYERS[player], "middle", bold=True)


def number_colour(groove: int, current: int, sea: int) -> str:
    """Colour of a groove's number: dark enough to read on its ground."""
    return "#0b2f3c" if groove > sea else "#4f3710" if groove == current else "#7a5a26"


_BIRD = smooth(
    points_of(
        "-1,-.44 -.55,-.63 -.05,-.78 .33,-.92 .5,-1.13 .7,-1.16 .8,-1.02 .68,-.86 .58,-.55 .3,-.3 -.2,-.26 -.6,-.34"
    )
)
_BELLY = smooth(points_of(".64,-.84 .55,-.54 .28,-.32 -.2,-.28 -.5,-.36 0,-.46 .38,-.6"))
_WING = smooth(points_of("-.98,-.43 -.45,-.65 .05,-.72 .3,-.6 .05,-.44 -.45,-.41"))
_LEGS = (points_of(".12,-.32 .06,0 .2,0"), points_of("-.12,-.3 -.26,-.04 -.12,-.02"))
_BEAK = points_of(".76,-1.09 1.36,-.93 .77,-.97")


def draw_sandpiper(canvas: Canvas, x: float, y: float, size: float) -> None:
    """Looking out to sea, with its feet at y."""
    canvas.ellipse(x, y + 0.02 * size, 0.6 * size, 0.07 * size, Paint("#cfae74"))
    for leg in _LEGS:
        canvas.line(placed(leg, x, y, size), INK, 0.05 * size)
    canvas.polygon(placed(_BEAK, x, y, size), Paint(INK))
    canvas.polygon(placed(_BIRD, x, y, size), Paint("#a57f55", "#5d4630", 0.03 * size))
    canvas.polygon(placed(_BELLY, x, y, size), Paint("#f7efdf"))
    canvas.polygon(placed(_WING, x, y, size), Paint("#7f5f3e"))
    canvas.ellipse(x + 0.64 * size, y - 1.05 * size, 0.045 * size, 0.045 * size, Paint("#1d1d1d"))
