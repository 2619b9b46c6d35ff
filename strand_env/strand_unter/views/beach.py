"""The beach in portrait format for the page: land on top, sea below."""

from math import sin

from strand_env.pictures.canvas import Paint, Point, SvgCanvas, smooth
from strand_env.pictures.style import CREST, FOAM, SAND, WATERS, WET_SAND, draw_badge
from strand_env.strand_unter.ruleset import PLAYED_GROOVES
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
    number_colour,
)
from strand_env.strand_unter.views.words import Snapshot, check_snapshot, standing

WIDTH = 420
_LAND, _ROW, _CURRENT_ROW, _SEA = 32, 34, 84, 12  # heights
HEIGHT = _LAND + (LAST_GROOVE - 1) * _ROW + _CURRENT_ROW + _SEA
_LEFT, _RIGHT = 46, WIDTH - 14  # of the contents of a groove
_BIRD = 80  # width reserved for the sandpiper in the current groove
_CASTLE, _BADGE, _GAP = 25, 8.0, 8  # sizes of a castle and its owner's badge, and the gap between castles


def draw_beach(snapshot: Snapshot) -> str:
    """The text of an SVG document."""
    check_snapshot(snapshot)
    return _Beach(snapshot).drawn()


class _Beach:
    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._current = snapshot["groove"]
        self._canvas = SvgCanvas(WIDTH, HEIGHT)

    def drawn(self) -> str:
        self._draw_sand()
        self._draw_sea()
        for groove in range(1, LAST_GROOVE + 1):
            self._draw_number(groove)
            self._draw_castles(groove)
        top = self._top(self._current)
        draw_sandpiper(self._canvas, _LEFT + 32, top + _CURRENT_ROW - 22, 34)
        self._draw_shells(top)
        return self._canvas.to_svg(shrinks=False)

    def _top(self, groove: int) -> float:
        return _LAND + (groove - 1) * _ROW + (groove > self._current) * (_CURRENT_ROW - _ROW)

    def _height(self, groove: int) -> float:
        return _CURRENT_ROW if groove == self._current else _ROW

    # The ground

    def _draw_sand(self) -> None:
        canvas = self._canvas
        canvas.rectangle(0, 0, WIDTH, HEIGHT, Paint(SAND))
        canvas.polygon([(0, 0), *_wavy(_LAND - 8, 4, 30, 1), (WIDTH, 0)], Paint(DUNE))
        for tuft, x in enumerate((30, 112, 188, 286, 372)):
            y = 24 - 3 * (tuft % 2)
            for blade in range(-2, 3):
                tip = (x + 6 * blade, y - 19 + 3 * abs(blade))
                canvas.line(smooth([(x + blade, y), (x + 3 * blade, y - 10), tip], 4, closed=False), GRASS, 2)
        for groove in range(1, LAST_GROOVE + 1):
            top, height = self._top(groove), self._height(groove)
            if groove <= PLAYED_GROOVES:
                here = groove == self._current
                paint = Paint(OPEN_SAND, OPEN_EDGE, 2) if here else Paint(HOLLOW)
                canvas.rectangle(8, top + 3, WIDTH - 16, height - 6, paint, 22 if here else 15)
            else:
                for grain in range(22):
                    across = 12 + 18.5 * grain + 5 * sin(5.1 * grain)
                    down = top + height / 2 + 10 * sin(7.3 * grain + groove)
                    canvas.ellipse(across, down, 1.2, 1.2, Paint(FURROW))

    def _draw_sea(self) -> None:
        canvas, last_dry = self._canvas, self._snapshot["sea"]
        shore = self._top(last_dry) + self._height(last_dry)
        canvas.polygon(_below(_wavy(shore - 2, 3, 34, 2)), Paint(WET_SAND))
        canvas.polygon(_below(_wavy(shore + 2, 3.5, 34, 2.3)), Paint(FOAM))
        for depth, water in enumerate(WATERS):
            y = shore + 7 + 52 * depth
            if y < HEIGHT:
                canvas.polygon(_below(_wavy(y, 3.5 + depth, 34 + 8 * depth, 2.3 + depth)), Paint(water))
        for groove in range(last_dry + 1, LAST_GROOVE + 1):
            y = self._top(groove) + _ROW / 2
            for crest in range(3):
                x = 108 + 118 * crest + 24 * sin(2.4 * crest + groove)
                points = [(x - 14, y + 4), (x - 7, y), (x, y + 4), (x + 7, y), (x + 14, y + 4)]
                canvas.line(smooth(points, 4, closed=False), CREST, 1.6)

    # Contents

    def _draw_number(self, groove: int) -> None:
        y = self._top(groove) + self._height(groove) / 2 + 7
        self._canvas.text(
            28, y, str(groove), 19, number_colour(groove, self._current, self._snapshot["sea"]), "middle", bold=True
        )

    def _draw_shells(self, top: float) -> None:
        """In rows, leaving room for the castles in the same groove."""
        colours = [colour for colour, count in enumerate(self._snapshot["shells"]) for _ in range(count)]
        left, right = _LEFT + _BIRD, _RIGHT - self._full_width(self._current) * self._scale(self._current)
        columns = 5
        while -(-len(colours) // columns) * (right - left) / columns > _CURRENT_ROW - 16:
            columns += 1
        cell = min((right - left) / columns, 36)
        rows = -(-len(colours) // columns)
        for number, colour in enumerate(colours):
            row, column = divmod(number, columns)
            x = left + cell * (column + 0.5)
            y = top + _CURRENT_ROW / 2 + cell * (row - (rows - 1) / 2)
            draw_shell(self._canvas, colour, x, y, 0.4 * cell, 0.3 * sin(5.0 * number + self._current))

    def _scale(self, groove: int) -> float:
        """Scale of the castles: smaller if there are many, above all where they share the groove with shells."""
        here = groove == self._current
        room = (_RIGHT - _LEFT - _BIRD * here) / (2 if here and any(self._snapshot["shells"]) else 1)
        return min(room / max(self._full_width(groove), 1), 1)

    def _full_width(self, groove: int) -> float:
        return sum(castle_width(value, _CASTLE) + 2 * _BADGE + _GAP for _, value in standing(self._snapshot, groove))

    def _draw_castles(self, groove: int) -> None:
        """From right to left, each with its owner's badge."""
        scale = self._scale(groove)
        x, y = float(_RIGHT), self._top(groove) + self._height(groove) / 2 + 0.5 * _CASTLE * scale
        for player, value in reversed(standing(self._snapshot, groove)):
            width, badge = castle_width(value, _CASTLE) * scale, _BADGE * scale
            draw_castle(self._canvas, player, value, x - width / 2, y, _CASTLE * scale)
            draw_badge(self._canvas, player, x - width - badge - 1, y - badge - 1, badge, hollow=True)
            x -= width + 2 * badge + _GAP * scale


def _wavy(y: float, height: float, length: float, shift: float) -> list[Point]:
    """A wave around y, from left to right."""
    return [(x, y + height * sin(x / length + shift)) for x in range(0, WIDTH + 1, 10)]


def _below(line: list[Point]) -> list[Point]:
    return [*line, (WIDTH, HEIGHT), (0, HEIGHT)]
