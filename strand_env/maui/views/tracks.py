"""The five score tracks with everybody's shells, and the ornament squares with the tokens left on them."""

from math import ceil

from strand_env.maui.ruleset import NUM_PATTERNS
from strand_env.maui.views.figures import FILLS, draw_cell, draw_shell, draw_token
from strand_env.maui.views.table import Table
from strand_env.maui.views.words import LETTERS
from strand_env.pictures.canvas import Canvas, Paint, mixed
from strand_env.pictures.style import INK, PAPER

_START = 2.3  # width of a track's name and its start, in squares


class Tracks:
    """The tracks in a box; those with more squares than `per_line` go on in another line."""

    def __init__(self, canvas: Canvas, table: Table, left: float, top: float, width: float, per_line: int = 24) -> None:
        self._canvas, self._table = canvas, table
        self._left, self._top, self._width = left, top, width
        longest = max(len(squares) - 1 for squares in table.squares)
        self._per_line = min(longest, per_line)
        self._lines = ceil(longest / self._per_line)
        self._square = width / (self._per_line + _START)

    @property
    def lines(self) -> int:
        """The number of lines of all tracks."""
        return NUM_PATTERNS * self._lines

    def draw(self, line: float) -> None:
        """Draws them with lines of this height."""
        for track, points in enumerate(self._table.squares):
            top = self._top + track * self._lines * line
            self._draw_start(track, top, line)
            for square in range(1, len(points)):
                row, column = divmod(square - 1, self._per_line)
                left = self._left + (_START + column) * self._square
                self._draw_square(track, square, left, top + row * line, line)

    def _draw_start(self, track: int, top: float, line: float) -> None:
        """The pattern and its letter; shells that are not on the track yet wait here."""
        name = 1.25 * self._square
        self._canvas.rectangle(
            self._left, top + 1, _START * self._square - 2, line - 3, Paint("#ffffff", "#d9cfb8", 0.8), 5
        )
        draw_cell(self._canvas, track, self._left + 3, top + 4, name - 16, line - 9)
        self._canvas.text(
            self._left + name - 6, top + 0.66 * line, LETTERS[track], 0.42 * line, INK, "middle", bold=True
        )
        self._draw_shells(track, 0, self._left + name + 1, top + 2, _START * self._square - name - 4, line - 5, line)

    def _draw_square(self, track: int, square: int, left: float, top: float, line: float) -> None:
        width, height = self._square - 2, line - 3
        tokens = [
            (kind, self._table.snapshot["supply"][number])
            for number, (pattern, at, kind) in enumerate(self._table.ruleset.ornaments)
            if (pattern, at) == (track, square)
        ]
        fill = mixed(FILLS[track], PAPER, 0.62)
        edge, stroke = ("#b8860b", 2.2) if tokens else (mixed(FILLS[track], INK, 0.25), 0.8)
        self._canvas.rectangle(left, top + 1, width, height, Paint(fill, edge, stroke), 4)
        size = min(0.34 * line, 0.42 * self._square)
        points = str(self._table.squares[track][square])
        self._canvas.text(left + 2.5, top + 1 + 0.95 * size, points, size, "#5a5346", "start")
        for kind, count in tokens:
            pattern = self._table.ruleset.token_patterns[kind]
            radius = min(0.16 * line, 0.18 * self._square)
            for number in range(count):
                y = top + 3 + radius * (1 + 2.2 * number)
                draw_token(self._canvas, pattern, left + width - 1.4 * radius, y, radius)
        self._draw_shells(track, square, left, top + 1 + 0.95 * size, width, height - 0.95 * size, line)

    def _draw_shells(
        self, track: int, square: int, left: float, top: float, width: float, height: float, line: float
    ) -> None:
        """The shells on a square, as large as they fit."""
        there = [player for player in self._table.players if self._table.snapshot["shells"][player][track] == square]
        if not there:
            return
        count = len(there)
        columns = max(range(1, count + 1), key=lambda columns: min(width / columns, height / ceil(count / columns)))
        rows = ceil(count / columns)
        size = min(width / columns, height / rows, 24, 0.7 * line)
        for number, player in enumerate(there):
            row, column = divmod(number, columns)
            x = left + width / 2 + (column - (min(columns, count) - 1) / 2) * size
            y = top + height / 2 + (row - (rows - 1) / 2) * size
            draw_shell(self._canvas, player, x, y, 0.5 * size)
