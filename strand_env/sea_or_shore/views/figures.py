"""The figures: island cards and their covers, treasures, extras, the start card.

Each colour has a sea creature of its own, so that cards can be told apart without colours: a starfish, a fish, a
turtle, a jellyfish.
"""

from math import sin

from strand_env.pictures.canvas import Canvas, Paint, Point, around, mixed, placed, smooth
from strand_env.pictures.style import FOAM, INK, SAND, WET_SAND, points_of

FILLS = ("#cf4f3c", "#2f78b8", "#3f8a4c", "#8250ab")  # red, blue, green, purple
CARD_SHAPE = 1.4  # height of an island card, relative to its width
TREASURE_SHAPE = 1.2  # and of a treasure
KNOWN = "#c98a00"  # marks cards that others know, or that are known of others

_EDGE = "#4c4437"
_WHITE, _BLACK = "#ffffff", "#000000"
_COVER, _COVER_LINE, _DISC = "#b59a76", "#8d7452", "#e4dac9"
_BACK, _BACK_LINE = "#e9dcc0", "#b7a582"
_GOLD, _GOLD_EDGE = "#e9b949", "#8a6410"
NUMBER_INK = "#5a3d0d"
_WAVE_STEPS = 8
_FINE = 12  # size of creatures from which on they have details

_STAR = [point for arm in range(5) for point in (around(arm / 5 - 0.25, 1, 1)[0], around(arm / 5 - 0.15, 1, 1, 0.4)[0])]
_SMALL_FISH = points_of("1,0 .55,-.5 -.05,-.58 -.5,-.14 -.98,-.55 -.8,0 -.98,.55 -.5,.14 -.05,.58 .55,.5")
_FISH = smooth(_SMALL_FISH, 3)
_HEAD = (0.0, -0.82)
_LEGS = ((-0.62, -0.5), (0.62, -0.5), (-0.6, 0.5), (0.6, 0.5))
_PLATE = points_of("0,-.34 .3,-.16 .3,.18 0,.36 -.3,.18 -.3,-.16 0,-.34")
_BELL = [*around(0.5, 1, 12, 0.82), *points_of(".55,.12 .28,-.06 0,.12 -.28,-.06 -.55,.12")]
_TENTACLES = (-0.5, 0.0, 0.5)


def draw_creature(canvas: Canvas, colour: int, x: float, y: float, size: float, ink: str, ground: str) -> None:
    """The sea creature of a colour, around (x, y); `ground` is what shows through it. Small ones are simpler."""
    fine = size >= _FINE
    if colour == 0:
        canvas.polygon(placed(_STAR, x, y + 0.06 * size, size), Paint(ink, ink, 0.16 * size))
        for arm in range(5 if fine else 0):
            [tip] = placed([around(arm / 5 - 0.25, 1, 1, 0.5)[0]], x, y + 0.06 * size, size)
            canvas.ellipse(*tip, 0.09 * size, 0.09 * size, Paint(ground))
    elif colour == 1:
        canvas.polygon(placed(_FISH if fine else _SMALL_FISH, x, y, size), Paint(ink))
        canvas.ellipse(x + 0.55 * size, y - 0.12 * size, 0.11 * size, 0.11 * size, Paint(ground))
        canvas.line(placed(points_of(".22,-.36 .08,0 .22,.36"), x, y, size), ground, 0.09 * size)
    elif colour == 2:
        for across, down in (*_LEGS, _HEAD):
            canvas.ellipse(x + across * size, y + down * size, 0.24 * size, 0.24 * size, Paint(ink))
        canvas.ellipse(x, y, 0.66 * size, 0.66 * size, Paint(ink, ground, 0.08 * size))
        canvas.line(placed(_PLATE, x, y, size), ground, 0.11 * size)
    else:
        canvas.polygon(placed(_BELL, x, y, size), Paint(ink))
        for across in _TENTACLES:
            wavy = [(across + 0.12 * sin(4.2 * step), 0.1 + 0.22 * step) for step in range(5)]
            curve = smooth(wavy, 3, closed=False) if fine else wavy
            canvas.line(placed(curve, x, y, size), ink, 0.17 * size)


# Island cards


def draw_island(
    canvas: Canvas,
    colour: int | None,
    number: int | None,
    left: float,
    top: float,
    width: float,
    covered: str | None = None,
    tint: str | None = None,
) -> None:
    """A card: the sea in its colour above, the shore with its number below; the half `covered` has a cover on it.

    What is known to be under the cover is shown on it. A tint marks the card.
    """
    height, radius, stroke = CARD_SHAPE * width, 0.1 * width, max(0.8, width / 40)
    canvas.rectangle(left, top, width, height, Paint(_COVER if colour is None else FILLS[colour]), radius)
    coast = _coast(left, top + 0.52 * height, width)
    canvas.polygon([*coast, *_lower_edge(left, top, width, height, radius)], Paint(SAND))
    if width > 40:
        canvas.polygon([*coast, *[(x, y + 0.035 * height) for x, y in reversed(coast)]], Paint(WET_SAND))
    canvas.line(coast, FOAM, max(1, width / 26))
    middle = left + width / 2
    if covered is not None:
        draw_cover(canvas, covered, left, top, width)
    if colour is not None:
        under = covered == "colour"
        inks = (FILLS[colour], _DISC) if under else (_WHITE, FILLS[colour])
        draw_creature(canvas, colour, middle, top + 0.25 * height, (0.19 if under else 0.25) * width, *inks)
    elif covered == "colour":
        canvas.text(middle, top + 0.25 * height + 0.12 * width, "?", 0.34 * width, INK, "middle", True)
    size, ink = (0.34 * width, INK) if covered == "number" else (0.52 * width, NUMBER_INK)
    if number is not None or covered == "number":
        words = "?" if number is None else str(number)
        canvas.text(middle, top + 0.745 * height + 0.36 * size, words, size, ink, "middle", True)
    edge = Paint(None, _EDGE, stroke) if tint is None else Paint(None, tint, 2.4 * stroke)
    canvas.rectangle(left, top, width, height, edge, radius)


def _coast(left: float, y: float, width: float) -> list[Point]:
    steps = range(_WAVE_STEPS + 1)
    return [(left + width * step / _WAVE_STEPS, y + 0.035 * width * sin(1.7 * step)) for step in steps]


def _lower_edge(left: float, top: float, width: float, height: float, radius: float) -> list[Point]:
    """From right to left, with round corners."""
    right, bottom = left + width - radius, top + height - radius
    return [
        *((right + x, bottom + y) for x, y in around(0, 0.25, 4, radius)),
        *((left + radius + x, bottom + y) for x, y in around(0.25, 0.5, 4, radius)),
    ]


def draw_cover(canvas: Canvas, half: str, left: float, top: float, width: float) -> None:
    """The cover card: planks, and a disc for what is known to be under it."""
    height = 0.53 * CARD_SHAPE * width
    box = top + (CARD_SHAPE * width - height if half == "number" else 0)
    canvas.rectangle(left, box, width, height, Paint(_COVER, _COVER_LINE, max(0.8, width / 40)), 0.08 * width)
    for plank in (1, 2, 3):
        y = box + height * plank / 4
        canvas.line([(left + 0.05 * width, y), (left + 0.95 * width, y)], _COVER_LINE, max(0.6, width / 70))
    middle = top + CARD_SHAPE * width * (0.745 if half == "number" else 0.25)
    canvas.ellipse(left + width / 2, middle, 0.27 * width, 0.27 * width, Paint(_DISC))


def draw_back(canvas: Canvas, left: float, top: float, width: float, shape: float = CARD_SHAPE) -> None:
    """A card face down."""
    height = shape * width
    canvas.rectangle(left, top, width, height, Paint(_BACK, _EDGE, max(0.8, width / 40)), 0.1 * width)
    inner = 0.12 * width
    canvas.rectangle(
        left + inner, top + inner, width - 2 * inner, height - 2 * inner, Paint(None, _BACK_LINE, 0.8), inner / 2
    )
    for step in (0.34, 0.5, 0.66):
        wave = [(left + width * (0.24 + 0.13 * k), top + height * (step + 0.025 * (-1) ** k)) for k in range(5)]
        canvas.line(smooth(wave, 3, closed=False), _BACK_LINE, max(0.8, width / 30))


# Treasures and extras


def draw_treasure(canvas: Canvas, colour: int, value: int | str, left: float, top: float, width: float) -> None:
    """A treasure card: a golden frame, the creature of its colour, its value."""
    height = TREASURE_SHAPE * width
    canvas.rectangle(left, top, width, height, Paint(_GOLD, _GOLD_EDGE, max(0.8, width / 36)), 0.12 * width)
    edge = 0.1 * width
    canvas.rectangle(left + edge, top + edge, width - 2 * edge, height - 2 * edge, Paint(FILLS[colour]), 0.08 * width)
    size = 0.2 * width
    draw_creature(canvas, colour, left + width / 2, top + 0.32 * height, size, _WHITE, FILLS[colour])
    size = 0.46 * width
    canvas.text(left + width / 2, top + 0.83 * height, str(value), size, _WHITE, "middle", True)


def draw_extra(canvas: Canvas, x: float, y: float, size: float) -> None:
    """An extra card, around (x, y)."""
    width, height = 1.5 * size, 2 * size
    canvas.rectangle(
        x - width / 2, y - height / 2, width, height, Paint("#fff3cf", "#9a7423", 0.14 * size), 0.25 * size
    )
    canvas.text(x, y + 0.38 * size, "+1", 1.05 * size, "#7a5200", "middle", True)


_HULL = points_of("-.95,.3 .95,.3 .6,.85 -.6,.85")
_SAIL = points_of("-.05,-.95 -.05,.12 .75,.12")
_JIB = points_of("-.2,-.6 -.2,.12 -.7,.12")


def draw_boat(canvas: Canvas, x: float, y: float, size: float) -> None:
    """The start card's boat: it marks the leader."""
    canvas.polygon(placed(_HULL, x, y, size), Paint("#8a5a2b"))
    canvas.polygon(placed(_SAIL, x, y, size), Paint("#d9a521"))
    canvas.polygon(placed(_JIB, x, y, size), Paint(mixed("#d9a521", _WHITE, 0.4)))


def draw_eye(canvas: Canvas, x: float, y: float, size: float) -> None:
    """Marks what somebody has seen."""
    lid = smooth([(-1.0, 0.0), (0.0, -0.62), (1.0, 0.0), (0.0, 0.62)], 5)
    canvas.polygon(placed(lid, x, y, size), Paint(_WHITE, KNOWN, 0.28 * size))
    canvas.ellipse(x, y, 0.32 * size, 0.32 * size, Paint(mixed(KNOWN, _BLACK, 0.35)))


def draw_tick(canvas: Canvas, x: float, y: float, size: float) -> None:
    """Marks what is chosen."""
    canvas.ellipse(x, y, size, size, Paint("#1e7a36", _WHITE, 0.2 * size))
    canvas.line(placed(points_of("-.45,.02 -.1,.38 .48,-.36"), x, y, size), _WHITE, 0.26 * size)
