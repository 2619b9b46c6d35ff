"""The picture of a game: market and tracks on top, then everybody's beach, the story."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from strand_env.engine.protocol import Observer
from strand_env.maui.ruleset import COLUMNS, PEARL_COLOURS
from strand_env.maui.views.beach import ALL_ROWS, FRINGE, MARGIN, Beach
from strand_env.maui.views.figures import draw_crab, draw_dollar, draw_pearl, draw_penalty, draw_token
from strand_env.maui.views.market import Market
from strand_env.maui.views.table import Snapshot, Table
from strand_env.maui.views.tracks import Tracks
from strand_env.maui.views.words import FIRST_WORDS, heading_words, standing_words, task_words, towel_letters
from strand_env.pictures.canvas import Canvas, Paint, PixelCanvas, SvgCanvas
from strand_env.pictures.style import FAINT, INK, LINE, PAPER, draw_panel, draw_story

WIDTH, HEIGHT = 1200, 900

_MARGIN, _GAP = 16, 12
_BOARD_TOP, _BOARD_HEIGHT = 52, 218
_MARKET_WIDTH = 392
_PANELS_TOP, _PANELS_BOTTOM = _BOARD_TOP + _BOARD_HEIGHT + _GAP, 822
_TASK_WIDTH = 1130  # in letters of size 1
_HEAD = 46  # of a panel, above the beach
_STORY_LINE = 15
_TALLEST_ROW = 0.72  # in columns
_ROWS = ALL_ROWS + 2 * FRINGE  # height of a beach in rows

_LEGEND = (
    "A new towel must match the last one: the same pattern in the same row. A match moves the pattern's shell by the "
    "row's value.",
    "Y yellow, stripes · P pink, fish · B light blue, dots · R orange, zigzag · V purple, lozenges.",
    "An umbrella with two letters moves one of these shells. Pearls of a colour bring 2, 5, 9 points.",
    "Cells over water or trees cost points, and so do crabs; they match nothing. Golden squares give tokens.",
)


def to_svg(snapshot: Snapshot, story: Sequence[str] = (), *, seat: Observer = None) -> str:
    """The picture as the text of an SVG document."""
    canvas = SvgCanvas(WIDTH, HEIGHT)
    draw(snapshot, canvas, story)
    return canvas.to_svg()


def to_pixels(snapshot: Snapshot, story: Sequence[str] = (), *, seat: Observer = None) -> npt.NDArray[np.uint8]:
    """The same picture as (900, 1200, 3) pixels."""
    canvas = PixelCanvas(WIDTH, HEIGHT)
    draw(snapshot, canvas, story)
    return canvas.to_pixels()


def draw(snapshot: Snapshot, canvas: Canvas, story: Sequence[str] = ()) -> None:
    """Draws the whole table: everything is open."""
    table = Table(snapshot)
    canvas.rectangle(0, 0, WIDTH, HEIGHT, Paint(PAPER))
    canvas.text(_MARGIN, 36, "Maui", 26, INK, bold=True)
    canvas.text(100, 35, heading_words(snapshot), 16, FAINT)
    _draw_task(canvas, task_words(table))
    _draw_market(canvas, table)
    _draw_tracks(canvas, table)
    boxes = _panels(len(table.players))
    for player, box in enumerate(boxes[: len(table.players)]):
        _draw_player(canvas, table, player, *box)
    left, top, width, height = boxes[-1]
    draw_story(canvas, story, _LEGEND, left, top + 12, width, int(height / _STORY_LINE))


def _draw_task(canvas: Canvas, task: str) -> None:
    """At the top right, in one or two lines, as large as they fit next to the heading."""
    lines = task.replace("; ", ";\n").split("\n")
    for number, line in enumerate(lines):
        y, size = 35 + 9 * (2 * number + 1 - len(lines)), min(16, _TASK_WIDTH / len(line))
        canvas.text(WIDTH - _MARGIN, y, line, size, INK, "end", bold=True)


def _panels(players: int) -> list[tuple[float, float, float, float]]:
    """Left, top, width and height of the players' panels, two side by side, and of the story, where there is room."""
    width = (WIDTH - 2 * _MARGIN - _GAP) / 2
    column, rows = _column(width), 1 if players == 2 else 2
    room = (_PANELS_BOTTOM - _PANELS_TOP - (rows - 1) * _GAP) / rows
    height = min(room, _HEAD + _TALLEST_ROW * column * _ROWS + 8)
    boxes = [
        (_MARGIN + number % 2 * (width + _GAP), _PANELS_TOP + number // 2 * (height + _GAP), width, height)
        for number in range(2 * rows)
    ]
    if players == 3:
        return boxes
    below = _PANELS_TOP + rows * (height + _GAP)
    return [*boxes, (_MARGIN, below, WIDTH - _MARGIN, HEIGHT - below - 4)]


def _column(width: float) -> float:
    """Width of a beach's columns in a panel of this width."""
    return (width - 16) / (COLUMNS + 1 + 2 * MARGIN)


def _draw_market(canvas: Canvas, table: Table) -> None:
    Market(canvas, table, _MARGIN, _BOARD_TOP, _MARKET_WIDTH, 150).draw()
    bag = table.snapshot["bag"]
    canvas.text(_MARGIN, _BOARD_TOP + 168, f"{len(bag)} towels in the bag", 12.5, INK, bold=True)
    per_line = 18
    for line in range(0, len(bag), per_line):
        for number, towel in enumerate(bag[line : line + per_line]):
            x = _MARGIN + number * _MARKET_WIDTH / per_line
            canvas.text(x, _BOARD_TOP + 184 + 13 * line / per_line, towel_letters(towel), 9, FAINT)


def _draw_tracks(canvas: Canvas, table: Table) -> None:
    left = _MARGIN + _MARKET_WIDTH + 16
    width = WIDTH - _MARGIN - left
    canvas.rectangle(left, _BOARD_TOP, width, _BOARD_HEIGHT, Paint("#ffffff", LINE), 10)
    tracks = Tracks(canvas, table, left + 8, _BOARD_TOP + 7, width - 16, per_line=32)
    tracks.draw((_BOARD_HEIGHT - 12) / tracks.lines)


def _draw_player(
    canvas: Canvas, table: Table, player: int, left: float, top: float, width: float, height: float
) -> None:
    """A panel with what a player has, and the beach."""
    snapshot = table.snapshot
    asked, won = player in snapshot["to_act"], bool(snapshot["winners"] and snapshot["winners"][player])
    draw_panel(canvas, player, left, top, width, height, asked, won)
    if player == snapshot["first"]:
        canvas.text(left + 45, top + 42.5, FIRST_WORDS, 10.5, FAINT)
    _draw_belongings(canvas, table, player, left + 138, top + 24)
    words = standing_words(table, player)
    canvas.text(left + width - 12, top + 30, words, 15, INK, "end", bold=won)
    Beach(canvas, table, player, left + 8, top + _HEAD, _column(width), (height - _HEAD - 8) / _ROWS).draw()


def _draw_belongings(canvas: Canvas, table: Table, player: int, x: float, y: float) -> None:
    """Dollars, tokens, pearls, penalty tokens and crabs, each with its number."""
    snapshot = table.snapshot
    step = 44

    def amount(number: int) -> None:
        canvas.text(x + 12, y + 6, str(number), 15, INK if number else FAINT, bold=number > 0)

    draw_dollar(canvas, x, y, 10)
    amount(snapshot["dollars"][player])
    for kind, count in enumerate(snapshot["tokens"][player]):
        x += step
        draw_token(canvas, table.ruleset.token_patterns[kind], x, y, 8.5)
        amount(count)
    if snapshot["variant"] != "crabs":
        for colour in range(PEARL_COLOURS):
            x += step
            draw_pearl(canvas, colour, x, y, 8)
            amount(snapshot["pearls"][player][colour])
    x += step
    draw_penalty(canvas, "water", table.ruleset.penalty, x, y, 9.5)
    amount(snapshot["penalties"][player])
    if table.crab_side:
        x += step
        draw_crab(canvas, "", x, y, 10)
        amount(snapshot["crab_points"][player])
