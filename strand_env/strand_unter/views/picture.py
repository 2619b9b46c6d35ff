"""The picture of a game: the beach with the land on the left, the dial, the players, the story."""

from collections.abc import Iterator, Sequence
from math import ceil, sin

import numpy as np
import numpy.typing as npt

from strand_env.engine.protocol import Observer
from strand_env.pictures.canvas import Canvas, Paint, PixelCanvas, Point, SvgCanvas, smooth
from strand_env.pictures.style import (
    CREST,
    FAINT,
    FOAM,
    INK,
    LINE,
    PAPER,
    SAND,
    WATERS,
    WET_SAND,
    draw_badge,
    draw_panel,
    draw_story,
)
from strand_env.strand_unter.ruleset import NUM_COLOURS, NUM_VALUES, PLAYED_GROOVES
from strand_env.strand_unter.state import LAST_GROOVE
from strand_env.strand_unter.views.figures import (
    DUNE,
    FURROW,
    GRASS,
    HOLLOW,
    OPEN_EDGE,
    OPEN_SAND,
    castle_width,
    draw_castle,
    draw_sandpiper,
    draw_shell,
    draw_wild,
    number_colour,
)
from strand_env.strand_unter.views.words import (
    Snapshot,
    check_snapshot,
    dial_words,
    payable,
    points_of,
    progress,
    standing,
    standing_words,
    task_words,
    tide_words,
)

WIDTH, HEIGHT = 1200, 800

_MARGIN = 20
_BEACH_TOP, _BEACH_BOTTOM = 54, 390
_LAND, _GROOVE = 64, 97  # widths
_SHELLS_TOP, _SHELLS_BOTTOM = 132, 212  # within the current groove
_CASTLES_TOP, _CASTLES_BOTTOM = 212, 354
_DIAL_TOP, _DIAL_HEIGHT = 400, 60
_PANELS_TOP, _PANELS_HEIGHT = 470, 222
_STORY_TOP, _STORY_LINES = 715, 6

_DEEP_FURROW = "#5d9db1"

_LEGEND = (
    "A castle on the beach scores its own number and that of its groove.",
    "Each card shows what a castle costs. Pale shells are still missing; the quartered one may have any colour.",
    "A tick: the bucket can pay the card. It must be ready, too: taken from the heap.",
)


def to_svg(snapshot: Snapshot, story: Sequence[str] = (), *, seat: Observer = None) -> str:
    """The picture as the text of an SVG document."""
    canvas = SvgCanvas(WIDTH, HEIGHT)
    draw(snapshot, canvas, story)
    return canvas.to_svg()


def to_pixels(snapshot: Snapshot, story: Sequence[str] = (), *, seat: Observer = None) -> npt.NDArray[np.uint8]:
    """The same picture as (800, 1200, 3) pixels."""
    canvas = PixelCanvas(WIDTH, HEIGHT)
    draw(snapshot, canvas, story)
    return canvas.to_pixels()


def draw(snapshot: Snapshot, canvas: Canvas, story: Sequence[str] = ()) -> None:
    """Draws what all players can see of a game."""
    check_snapshot(snapshot)
    canvas.rectangle(0, 0, WIDTH, HEIGHT, Paint(PAPER))
    _draw_heading(canvas, snapshot)
    _draw_sand(canvas, snapshot["groove"])
    _draw_sea(canvas, snapshot["sea"])
    _draw_groove_numbers(canvas, snapshot)
    for groove in range(1, LAST_GROOVE + 1):
        _draw_castles(canvas, groove, standing(snapshot, groove))
    draw_sandpiper(canvas, _middle(snapshot["groove"]) - 5, _BEACH_TOP + 62, 31)
    _draw_shells(canvas, snapshot["groove"], snapshot["shells"])
    _draw_dial(canvas, snapshot)
    for player in range(snapshot["players"]):
        _draw_player(canvas, snapshot, player)
    draw_story(canvas, story, _LEGEND, _MARGIN + 4, _STORY_TOP, WIDTH - _MARGIN, _STORY_LINES)


def _draw_heading(canvas: Canvas, snapshot: Snapshot) -> None:
    canvas.text(_MARGIN, 36, "Strand Unter", 26, INK, bold=True)
    canvas.text(240, 35, tide_words(snapshot), 16, FAINT)
    canvas.text(WIDTH - _MARGIN, 35, task_words(snapshot), 16, INK, "end", bold=True)


# The beach


def _middle(groove: int) -> float:
    return _LAND + _GROOVE * (groove - 0.5)


def _wavy(x: float, height: float, length: float, shift: float) -> list[Point]:
    """A wave around x, from the top of the beach to its bottom."""
    return [(x + height * sin(y / length + shift), y) for y in range(_BEACH_TOP, _BEACH_BOTTOM + 1, 8)]


def _right_of(line: Sequence[Point]) -> list[Point]:
    return [*line, (WIDTH, _BEACH_BOTTOM), (WIDTH, _BEACH_TOP)]


def _draw_sand(canvas: Canvas, current: int) -> None:
    canvas.rectangle(0, _BEACH_TOP, WIDTH, _BEACH_BOTTOM - _BEACH_TOP, Paint(SAND))
    for groove in range(1, LAST_GROOVE + 1):
        if groove <= PLAYED_GROOVES:
            paint = Paint(OPEN_SAND, OPEN_EDGE, 2) if groove == current else Paint(HOLLOW)
            left, height = _middle(groove) - _GROOVE / 2 + 7, _BEACH_BOTTOM - _BEACH_TOP - 20
            canvas.rectangle(left, _BEACH_TOP + 10, _GROOVE - 14, height, paint, 26)
        canvas.line(_wavy(_LAND + _GROOVE * groove, 3, 30, groove), FURROW, 2)
        for grain in range(0 if groove <= PLAYED_GROOVES else 24):
            x = _middle(groove) + 38 * sin(7.3 * grain + groove)
            y = _BEACH_TOP + 14 + 11.5 * grain + 6 * sin(3.1 * grain)
            canvas.ellipse(x, y, 1.3, 1.3, Paint(FURROW))
    dune = _wavy(_LAND - 8, 6, 40, 1)
    canvas.polygon([*dune, (0, _BEACH_BOTTOM), (0, _BEACH_TOP)], Paint(DUNE))
    for tuft, (x, y) in enumerate([(22, 110), (34, 176), (16, 236), (30, 300), (20, 364)]):
        for blade in range(-2, 3):
            tip = (x + 7 * blade, y - 26 + 4 * abs(blade) - 3 * (tuft % 2))
            canvas.line(smooth([(x + blade, y), (x + 3 * blade, y - 14), tip], 4, closed=False), GRASS, 2)


def _draw_sea(canvas: Canvas, last_dry: int) -> None:
    shore = _LAND + _GROOVE * last_dry + 9  # clear of the last dry groove
    canvas.polygon(_right_of(_wavy(shore - 10, 5, 34, 2)), Paint(WET_SAND))
    canvas.polygon(_right_of(_wavy(shore - 1, 6, 34, 2.3)), Paint(FOAM))
    for depth, water in enumerate(WATERS):
        start = shore + 6 + depth * 62
        if start < WIDTH - 10:
            canvas.polygon(_right_of(_wavy(start, 6 + 2 * depth, 34 + 8 * depth, 2.3 + depth)), Paint(water))
    for groove in range(last_dry + 1, LAST_GROOVE + 1):
        canvas.line(_wavy(_LAND + _GROOVE * groove, 3, 30, groove), _DEEP_FURROW, 1.5)
        for row in range(4):
            x = _middle(groove) + 22 * sin(2.4 * row + groove)
            y = _BEACH_TOP + 62 + 68 * row + 14 * sin(groove + row)
            crest = smooth([(x - 16, y), (x - 8, y - 5), (x, y), (x + 8, y - 5), (x + 16, y)], 4, closed=False)
            canvas.line(crest, CREST, 1.6)


def _draw_groove_numbers(canvas: Canvas, snapshot: Snapshot) -> None:
    for groove in range(1, LAST_GROOVE + 1):
        colour = number_colour(groove, snapshot["groove"], snapshot["sea"])
        canvas.text(_middle(groove), _BEACH_BOTTOM - 16, str(groove), 18, colour, "middle", bold=True)


def _grid(count: int, left: float, top: float, width: float, height: float, columns: int) -> Iterator[Point]:
    """The centres of `count` equal cells in a box, filled row by row; with more columns if they are needed to fit."""
    while ceil(count / columns) * width / columns > height:
        columns += 1
    cell = width / columns
    for index in range(count):
        row, column = divmod(index, columns)
        yield left + cell * (column + 0.5), top + cell * (row + 0.5)


def _draw_shells(canvas: Canvas, groove: int, shells: Sequence[int]) -> None:
    colours = [colour for colour, count in enumerate(shells) for _ in range(count)]
    width, height = _GROOVE - 22, _SHELLS_BOTTOM - _SHELLS_TOP
    places = list(_grid(len(colours), _middle(groove) - width / 2, _SHELLS_TOP, width, height, 3))
    size = 0.42 * (places[1][0] - places[0][0]) if len(places) > 1 else 10.5
    for number, (colour, (x, y)) in enumerate(zip(colours, places, strict=True)):
        draw_shell(canvas, colour, x, y, size, 0.3 * sin(5.0 * number + groove))


def _draw_castles(canvas: Canvas, groove: int, castles: Sequence[tuple[int, int]]) -> None:
    """Stacked; in two columns if there are more than three."""
    columns = 1 if len(castles) <= 3 else 2
    rows = ceil(len(castles) / columns)
    height = (_CASTLES_BOTTOM - _CASTLES_TOP) / max(rows, 2)
    size = min(height / 1.5, (_GROOVE - 20) / columns / castle_width(NUM_VALUES - 1, 1))
    for number, (player, value) in enumerate(castles):
        row, column = divmod(number, columns)
        x = _middle(groove) + (column - (columns - 1) / 2) * (_GROOVE - 14) / 2
        draw_castle(canvas, player, value, x, _CASTLES_BOTTOM - (rows - 1 - row) * height, size, groove)


# The dial


def _draw_dial(canvas: Canvas, snapshot: Snapshot) -> None:
    names = dial_words(snapshot)
    label = 48
    width = (WIDTH - 2 * _MARGIN - label) / len(names)
    canvas.text(_MARGIN + 4, _DIAL_TOP + 36, "Dial", 17, INK, bold=True)
    for position, name in enumerate(names):
        left = _MARGIN + label + position * width
        middle = left + width / 2
        setters = [player for player, dial in enumerate(snapshot["dials"]) if dial == position]
        spellers = [player for player, dial in enumerate(snapshot["spell_dials"]) if dial == position]
        fill = "#f2ead6" if setters or spellers else "#f8f2e4"
        canvas.rectangle(left + 2, _DIAL_TOP, width - 4, _DIAL_HEIGHT, Paint(fill, LINE), 9)
        if position < NUM_COLOURS:
            draw_shell(canvas, position, middle - 28, _DIAL_TOP + 16, 8.5)
            canvas.text(middle - 14, _DIAL_TOP + 21, name, 14, INK)
        else:
            canvas.text(middle, _DIAL_TOP + 21, name, 14, INK, "middle")
        badges = [(player, False) for player in setters] + [(player, True) for player in spellers]
        for number, (player, in_spell) in enumerate(badges):
            x = middle + 24 * (number - (len(badges) - 1) / 2)
            draw_badge(canvas, player, x, _DIAL_TOP + 43, 10, hollow=in_spell)


# The players


def _draw_player(canvas: Canvas, snapshot: Snapshot, player: int) -> None:
    gap = 14
    width = (WIDTH - 2 * _MARGIN + gap) / snapshot["players"] - gap
    left = _MARGIN + player * (width + gap)
    asked, won = player in snapshot["to_act"], bool(snapshot["winners"] and snapshot["winners"][player])
    draw_panel(canvas, player, left, _PANELS_TOP, width, _PANELS_HEIGHT, asked, won)
    standing_size, standing_colour = (17, INK) if snapshot["scores"] else (14, FAINT)
    words = standing_words(snapshot, player)
    canvas.text(left + width - 14, _PANELS_TOP + 30, words, standing_size, standing_colour, "end", bold=won)
    _draw_bucket(canvas, left + 12, _PANELS_TOP + 46, width - 24, snapshot["buckets"][player])
    for value in range(NUM_VALUES):
        _draw_card(canvas, snapshot, player, value, left + 12, _PANELS_TOP + 84 + 34 * value, width - 24)


def _draw_bucket(canvas: Canvas, left: float, top: float, width: float, shells: Sequence[int]) -> None:
    canvas.rectangle(left, top, width, 30, Paint("#eef4f4"), 9)
    pail = [(left + 9, top + 10), (left + 31, top + 10), (left + 28, top + 26), (left + 12, top + 26)]
    handle = [(left + 10, top + 10), (left + 14, top + 4.5), (left + 26, top + 4.5), (left + 30, top + 10)]
    canvas.line(smooth(handle, 4, closed=False), FAINT, 1.6)
    canvas.polygon(pail, Paint("#9dbcc2", FAINT, 1.2))
    step = (width - 44) / NUM_COLOURS
    for colour, count in enumerate(shells):
        x = left + 44 + step * (colour + 0.5)
        draw_shell(canvas, colour, x - 12, top + 15, 9.5, there=count > 0)
        canvas.text(x + 3, top + 21, str(count), 16, INK if count else FAINT, bold=count > 0)


def _draw_card(
    canvas: Canvas, snapshot: Snapshot, player: int, value: int, left: float, top: float, width: float
) -> None:
    """The castle and its price, with the shells the bucket could pay; or what became of it."""
    place, card = snapshot["castles"][player][value], snapshot["cards"][player][value]
    bucket = snapshot["buckets"][player]
    middle, right = top + 21, left + width
    if value:
        canvas.line([(left, top + 2), (right, top + 2)], "#efe7d4")
    draw_castle(canvas, player, value, left + 24, top + 31, 25, place if isinstance(place, str) else "ready")
    if not isinstance(place, str):
        canvas.text(left + 54, middle, f"stands in groove {place}", 13.5, INK)
        canvas.text(right, middle, f"+{points_of(snapshot['castles'][player])[value]}", 16, INK, "end", bold=True)
        return
    if place == "flooded":
        canvas.text(left + 54, middle, "was flooded", 13.5, FAINT)
        canvas.text(right, middle, "+0", 16, FAINT, "end")
        return
    _draw_price(canvas, card, bucket, left + 64, top + 17, width - 64 - 56)
    canvas.text(right, middle, place, 13.5, INK if place == "ready" else FAINT, "end", bold=place == "ready")
    if payable(card, bucket):
        tick = [(right - 62, middle - 5), (right - 58, middle), (right - 50, middle - 10)]
        canvas.line(tick, "#3f8f4f", 2.4)


def _draw_price(
    canvas: Canvas, card: Sequence[int], bucket: Sequence[int], left: float, middle: float, width: float
) -> None:
    """A space for each shell; on cards with too many, a number for each colour."""
    paid, wild = progress(card, bucket)
    if sum(card) < 7:
        spaces = [(colour, number < paid[colour]) for colour in range(NUM_COLOURS) for number in range(card[colour])]
        step = min(46, width / 7)
        size = min(10.5, 0.42 * step)
        for number, (colour, there) in enumerate(spaces):
            draw_shell(canvas, colour, left + step * number, middle, size, there=there)
        draw_wild(canvas, left + step * len(spaces), middle, size, wild)
        return
    step = width / (NUM_COLOURS + 1)
    for colour in range(NUM_COLOURS):
        draw_shell(canvas, colour, left + step * colour, middle - 5, 6.5, there=paid[colour] > 0)
        canvas.text(left + step * colour, middle + 13, f"{paid[colour]}/{card[colour]}", 10, INK, "middle")
    draw_wild(canvas, left + step * NUM_COLOURS, middle - 5, 7, wild)
