"""The market: two rows of three towels with their prices, each with its zone of sand dollars."""

from strand_env.maui.ruleset import CELLS, MARKET_ROWS, PLACES, PLACES_PER_ROW, PRICES, TOWELS
from strand_env.maui.views.figures import draw_dollar, draw_towel
from strand_env.maui.views.table import Table
from strand_env.pictures.canvas import Canvas, Paint
from strand_env.pictures.style import FAINT, INK, LINE

_MAT, _ZONE = "#f8f1df", "#e8f1f1"


class Market:
    """Both rows side by side in a box."""

    def __init__(self, canvas: Canvas, table: Table, left: float, top: float, width: float, height: float) -> None:
        self._canvas, self._table = canvas, table
        self._left, self._top, self._height = left, top, height
        self._row = (width - 0.02 * width) / MARKET_ROWS  # width of a market row
        self._gap = 0.02 * width
        self._zone = 0.18 * self._row
        self._place = (self._row - self._zone) / PLACES_PER_ROW
        self._cell = (height - 0.34 * height) / CELLS

    def draw(self) -> None:
        for row in range(MARKET_ROWS):
            self.draw_mat(row)
            self.draw_zone(row)
        for place in range(PLACES):
            self.draw_place(place)

    def _left_of(self, row: int) -> float:
        return self._left + row * (self._row + self._gap)

    def place_box(self, place: int) -> tuple[float, float, float, float]:
        """Left, top, width and height of a place."""
        row, number = divmod(place, PLACES_PER_ROW)
        left = self._left_of(row) + self._zone + number * self._place
        return left + 0.04 * self._place, self._top + 3, 0.92 * self._place, self._height - 6

    def zone_box(self, row: int) -> tuple[float, float, float, float]:
        """The same of a zone."""
        return self._left_of(row) + 4, self._top + 4, self._zone - 4, self._height - 8

    def draw_mat(self, row: int) -> None:
        self._canvas.rectangle(self._left_of(row), self._top, self._row, self._height, Paint(_MAT, LINE), 10)

    def draw_zone(self, row: int) -> None:
        """The dollars of a row, one above the other; a number if there are many."""
        left, top, width, height = self.zone_box(row)
        self._canvas.rectangle(left, top, width, height, Paint(_ZONE, "#b9cdcf"), 8)
        count, x = self._table.snapshot["zones"][row], left + width / 2
        size = min(0.36 * width, 0.09 * height)
        for number in range(count):
            y = top + 0.42 * height + (number - (count - 1) / 2) * min(2.15 * size, 0.7 * height / max(count, 1))
            draw_dollar(self._canvas, x, y, size)
        self._canvas.text(x, top + height - 0.07 * height, str(count), 0.13 * height, INK, "middle", bold=True)

    def draw_place(self, place: int) -> None:
        left, top, width, height = self.place_box(place)
        towel = 0.74 * width
        patterns = TOWELS[self._table.snapshot["market"][place]]
        draw_towel(self._canvas, patterns, left + (width - towel) / 2, top + 0.07 * height, towel, self._cell)
        price, y = PRICES[place], top + 0.91 * height
        if price:
            size = min(0.1 * height, 0.2 * width)
            start = left + width / 2 - (price - 1) * 1.1 * size
            for number in range(price):
                draw_dollar(self._canvas, start + 2.2 * number * size, y - 0.4 * size, size)
        else:
            self._canvas.text(left + width / 2, y + 0.02 * height, "free", 0.13 * height, FAINT, "middle", bold=True)
