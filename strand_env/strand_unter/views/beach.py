"""The beach upright, for narrow and wide screens alike: the land on top, the sea below."""

from math import sin

from strand_env.canvas import Paint, Point, SvgCanvas, smooth
from strand_env.strand_unter.ruleset import PLAYED_GROOVES
from strand_env.strand_unter.state import LAST_GROOVE
from strand_env.strand_unter.views.figures import (
    castle_width,
    draw_badge,
    draw_castle,
    draw_sandpiper,
    draw_shell,
)
from strand_env.strand_unter.views.words import Snapshot, check_snapshot, standing

WIDTH = 420
_LAND, _ROW, _CURRENT_ROW, _SEA = 34, 37, 88, 14  # heights: of the land, of the grooves, and of the sea beyond
HEIGHT = _LAND + (LAST_GROOVE - 1) * _ROW + _CURRENT_ROW + _SEA
_LEFT, _RIGHT = 46, WIDTH - 14  # between them lies what is in a groove
_CASTLE, _BADGE = 25, 8.0  # sizes

_SAND, _WET_SAND, _HOLLOW, _CURRENT = "#f3e2bd", "#dcc493", "#ead5a8", "#fdf3d9"
_EDGE, _FURROW, _DUNE, _GRASS = "#c99f55", "#d8bd88", "#e6cf9b", "#8d9a5b"
_FOAM, _CREST = "#f6fbfa", "#a5d0d8"
_WATERS = ("#8fc3cc", "#74b1bf", "#5c9fb3", "#4a8ea5")  # from the shore outwards


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
        return self._canvas.to_svg()

    def _top(self, groove: int) -> float:
        return _LAND + (groove - 1) * _ROW + (groove > self._current) * (_CURRENT_ROW - _ROW)

    def _height(self, groove: int) -> float:
        return _CURRENT_ROW if groove == self._current else _ROW

    # The ground

    def _draw_sand(self) -> None:
        canvas = self._canvas
        canvas.rectangle(0, 0, WIDTH, HEIGHT, Paint(_SAND))
        canvas.polygon([(0, 0), *_wavy(_LAND - 8, 4, 30, 1), (WIDTH, 0)], Paint(_DUNE))
        for tuft, x in enumerate((30, 112, 188, 286, 372)):
            y = 24 - 3 * (tuft % 2)
            for blade in range(-2, 3):
                tip = (x + 6 * blade, y - 19 + 3 * abs(blade))
                canvas.line(smooth([(x + blade, y), (x + 3 * blade, y - 10), tip], 4, closed=False), _GRASS, 2)
        for groove in range(1, LAST_GROOVE + 1):
            top, height = self._top(groove), self._height(groove)
            if groove <= PLAYED_GROOVES:
                here = groove == self._current
                paint = Paint(_CURRENT, _EDGE, 2) if here else Paint(_HOLLOW)
                canvas.rectangle(8, top + 3, WIDTH - 16, height - 6, paint, 22 if here else 15)
            else:
                for grain in range(22):
                    x, y = 12 + 18.5 * grain + 5 * sin(5.1 * grain), top + height / 2 + 10 * sin(7.3 * grain + groove)
                    canvas.ellipse(x, y, 1.2, 1.2, Paint(_FURROW))

    def _draw_sea(self) -> None:
        canvas, last_dry = self._canvas, self._snapshot["sea"]
        shore = self._top(last_dry) + self._height(last_dry)
        canvas.polygon(_below(_wavy(shore - 2, 3, 34, 2)), Paint(_WET_SAND))
        canvas.polygon(_below(_wavy(shore + 2, 3.5, 34, 2.3)), Paint(_FOAM))
        for depth, water in enumerate(_WATERS):
            y = shore + 7 + 52 * depth
            if y < HEIGHT:
                canvas.polygon(_below(_wavy(y, 3.5 + depth, 34 + 8 * depth, 2.3 + depth)), Paint(water))
        for groove in range(last_dry + 1, LAST_GROOVE + 1):
            y = self._top(groove) + _ROW / 2
            for crest in range(3):
                x = 108 + 118 * crest + 24 * sin(2.4 * crest + groove)
                points = [(x - 14, y + 4), (x - 7, y), (x, y + 4), (x + 7, y), (x + 14, y + 4)]
                canvas.line(smooth(points, 4, closed=False), _CREST, 1.6)

    # What lies and stands there

    def _draw_number(self, groove: int) -> None:
        colour = "#e4f1f3" if groove > self._snapshot["sea"] else "#7a5a26" if groove == self._current else "#a5834a"
        y = self._top(groove) + self._height(groove) / 2 + 7
        self._canvas.text(28, y, str(groove), 19, colour, "middle", bold=True)

    def _draw_shells(self, top: float) -> None:
        """In rows, with room for the castles that stand in the same groove."""
        colours = [colour for colour, count in enumerate(self._snapshot["shells"]) for _ in range(count)]
        left, right = _LEFT + 80, _RIGHT - self._castles_width(self._current)
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

    def _castles_width(self, groove: int) -> float:
        """What they take at most: in the current groove shells want to be seen, too."""
        there = standing(self._snapshot, groove)
        needed = sum(castle_width(value, _CASTLE) + 2 * _BADGE + 8 for _, value in there)
        return min(needed, (_RIGHT - _LEFT) / (2 if groove == self._current else 1))

    def _draw_castles(self, groove: int) -> None:
        """From the right, each with its owner's badge; smaller if there are many."""
        there = standing(self._snapshot, groove)
        if not there:
            return
        needed = sum(castle_width(value, _CASTLE) + 2 * _BADGE + 8 for _, value in there)
        scale = self._castles_width(groove) / needed
        x, y = _RIGHT, self._top(groove) + self._height(groove) / 2 + 0.5 * _CASTLE * scale
        for player, value in reversed(there):
            width, badge = castle_width(value, _CASTLE) * scale, _BADGE * scale
            draw_castle(self._canvas, player, value, x - width / 2, y, _CASTLE * scale)
            draw_badge(self._canvas, player, x - width - badge - 1, y - badge - 1, badge, hollow=True)
            x -= width + 2 * badge + 8 * scale


def _wavy(y: float, height: float, length: float, shift: float) -> list[Point]:
    """A line from the left to the right that swings to both sides of y."""
    return [(x, y + height * sin(x / length + shift)) for x in range(0, WIDTH + 1, 10)]


def _below(line: list[Point]) -> list[Point]:
    return [*line, (WIDTH, HEIGHT), (0, HEIGHT)]
