"""A player's beach: the water on top, the trees below, seven rows of sand, and the towels in their columns."""

from collections.abc import Sequence
from math import sin
from typing import Any

from strand_env.maui.ruleset import CELLS, COLUMNS, ROW_VALUES, ROWS, TOWELS
from strand_env.maui.views.figures import (
    draw_crab,
    draw_palm,
    draw_pattern_umbrella,
    draw_pearl_umbrella,
    draw_penalty,
    draw_token,
    draw_towel,
)
from strand_env.maui.views.table import Cover, Piece, Table
from strand_env.maui.views.words import LETTERS
from strand_env.pictures.canvas import Canvas, Paint, Point, smooth
from strand_env.pictures.style import CREST, FOAM, WATERS, WET_SAND

OUTSIDE = CELLS - 1  # rows of water, and of trees, that towels can reach
ALL_ROWS = OUTSIDE + ROWS + OUTSIDE
FRINGE = 0.2  # room above and below them, in rows
MARGIN = 0.62  # left and right of the columns, for the row values, in columns

_SANDS = {1: "#f7e9c8", 2: "#efdbae", 3: "#e5cb93"}  # by row value
_VALUE_INK = "#6b4d16"
_FOREST, _UNDERGROWTH = "#4f7d46", "#86a866"
_FURROW = "#d8bd88"


def beach_size(column: float, row: float) -> tuple[int, int]:
    """Width and height of a beach with columns and rows of these sizes."""
    return round((COLUMNS + 1 + 2 * MARGIN) * column), round((ALL_ROWS + 2 * FRINGE) * row)


class Beach:
    """A beach in a box: its size follows from the width of a column and the height of a row."""

    def __init__(self, canvas: Canvas, table: Table, player: int, left: float, top: float, column: float, row: float):
        self.canvas, self.table, self.player = canvas, table, player
        self.left, self.top, self.column, self.row = left, top, column, row
        self.width = (COLUMNS + 1 + 2 * MARGIN) * column
        self.height = (ALL_ROWS + 2 * FRINGE) * row

    def x(self, column: int) -> float:
        """The left edge of a column."""
        return self.left + (column + MARGIN) * self.column

    def y(self, row: int) -> float:
        """The upper edge of a row."""
        return self.top + (FRINGE + row + OUTSIDE - 1) * self.row

    def draw(self) -> None:
        self._draw_sand()
        self._draw_water()
        self._draw_trees()
        self._draw_row_values()
        for piece in self.table.lying(self.player):
            self._draw_piece(piece)
        for column, towel in enumerate(self.table.snapshot["beach"][self.player]):
            self.draw_towel(column, towel)
        for column in range(1, self.table.laid(self.player) + 1):
            for row, _ in self.table.matches(self.player, column):
                self.draw_match(column, row)

    # The ground

    def _draw_sand(self) -> None:
        self.canvas.rectangle(self.left, self.top, self.width, self.height, Paint(_SANDS[3]))
        for number, value in enumerate(ROW_VALUES, 1):
            self.canvas.rectangle(self.left, self.y(number), self.width, self.row, Paint(_SANDS[value]))
        for number in range(2, ROWS + 1):
            y = self.y(number)
            line = [
                (self.left + self.width * step / 30, y + 0.04 * self.row * sin(1.7 * step + number))
                for step in range(31)
            ]
            self.canvas.line(line, _FURROW, 0.8)
        open_column = self.table.next_column(self.player)
        if open_column is not None and self.table.asked == self.player and self.table.snapshot["phase"] == "turn":
            height = ROWS * self.row
            self.canvas.rectangle(
                self.x(open_column) + 1, self.y(1), self.column - 2, height, Paint("#fdf5dd", "#c99f55", 1.2), 3
            )

    def _wave(self, y: float, height: float, length: float, shift: float) -> list[Point]:
        steps = 40
        return [
            (self.left + self.width * step / steps, y + height * sin(self.width * step / steps / length + shift))
            for step in range(steps + 1)
        ]

    def _draw_water(self) -> None:
        shore, row = self.y(1), self.row
        corners = [(self.left + self.width, self.top), (self.left, self.top)]
        self.canvas.polygon([*self._wave(shore + 0.1 * row, 0.05 * row, 1.1 * row, 2), *corners], Paint(WET_SAND))
        self.canvas.polygon([*self._wave(shore - 0.02 * row, 0.06 * row, 1.1 * row, 2.3), *corners], Paint(FOAM))
        for depth, water in enumerate(WATERS[:3]):
            y = shore - (0.16 + 0.62 * depth) * row
            self.canvas.polygon(
                [*self._wave(y, 0.07 * row, (1.1 + 0.3 * depth) * row, 2.3 + depth), *corners], Paint(water)
            )
        for number in range(9):
            x = self.left + self.width * (number + 0.7) / 9.4 + 0.5 * row * sin(4.1 * number)
            y = self.y(0) + row * (0.1 + 0.5 * sin(2.7 * number))
            crest = [
                (x - 0.5 * row, y),
                (x - 0.25 * row, y - 0.14 * row),
                (x, y),
                (x + 0.25 * row, y - 0.14 * row),
                (x + 0.5 * row, y),
            ]
            self.canvas.line(smooth(crest, 3, closed=False), CREST, max(0.8, row / 18))

    def _draw_trees(self) -> None:
        edge, row = self.y(ROWS + 1), self.row
        bottom = self.top + self.height
        corners = [(self.left + self.width, bottom), (self.left, bottom)]
        self.canvas.polygon([*self._wave(edge + 0.02 * row, 0.1 * row, 0.5 * row, 1), *corners], Paint(_UNDERGROWTH))
        self.canvas.polygon([*self._wave(edge + 0.5 * row, 0.14 * row, 0.7 * row, 0), *corners], Paint(_FOREST))
        palms = 12
        for number in range(palms):
            x = self.left + self.width * (number + 0.7) / (palms + 0.4) + 0.15 * row * sin(5.0 * number)
            y = edge + row * (1.1 + 0.22 * sin(2.9 * number))
            draw_palm(self.canvas, x, y, 0.72 * row, number)

    def _draw_row_values(self) -> None:
        size = 0.62 * self.row
        for number, value in enumerate(ROW_VALUES, 1):
            y = self.y(number) + self.row / 2 + 0.36 * size
            for x in (self.left + MARGIN * self.column / 2, self.left + self.width - MARGIN * self.column / 2):
                self.canvas.text(x, y, str(value), size, _VALUE_INK, "middle", bold=True)

    # What lies on it

    def _middle(self, column: int, row: int) -> Point:
        return self.x(column) + self.column / 2, self.y(row) + self.row / 2

    def _draw_piece(self, piece: Piece) -> None:
        x, y = self._middle(piece.column, piece.row)
        size = min(0.46 * self.column, 0.62 * self.row)
        if piece.kind == "crab":
            draw_crab(self.canvas, piece.number, x, y, 0.86 * size)
        elif piece.kind == "pearl":
            draw_pearl_umbrella(self.canvas, piece.number, x, y, size)
        else:
            patterns = self.table.ruleset.pattern_umbrellas[piece.number]
            draw_pattern_umbrella(self.canvas, patterns, [LETTERS[each] for each in patterns], x, y, size)

    def draw_towel(self, column: int, towel: Sequence[Any]) -> None:
        """A towel of a snapshot, with what lies on it."""
        number, top, cover = towel
        left, width = self.x(column) + 0.1 * self.column, 0.8 * self.column
        draw_towel(self.canvas, TOWELS[number], left, self.y(top), width, self.row)
        for cell in range(CELLS):
            self._draw_cover(column, top + cell, cover[cell])

    def _draw_cover(self, column: int, row: int, cover: Cover) -> None:
        x, y = self._middle(column, row)
        size = min(0.4 * self.column, 0.44 * self.row)
        if isinstance(cover, int):
            draw_crab(self.canvas, cover, x, y, min(0.42 * self.column, 0.56 * self.row))
        elif cover in ("water", "trees"):
            draw_penalty(self.canvas, cover, self.table.ruleset.penalty, x, y, size)
        elif cover is not None:
            draw_token(self.canvas, self.table.token_pattern(cover), x, y, 0.9 * size)

    def draw_match(self, column: int, row: int) -> None:
        """A clip that joins two matching cells."""
        x, y = self.x(column), self.y(row) + self.row / 2
        width, height = 0.3 * self.column, 0.3 * self.row
        self.canvas.rectangle(
            x - width / 2,
            y - height / 2,
            width,
            height,
            Paint("#ffffff", "#40372b", max(0.8, self.row / 24)),
            height / 2,
        )
