"""Where a player who has to act may click on their own beach, and what that would bring."""

from strand_env.maui.actions import DOLLARS, TOKEN
from strand_env.maui.ruleset import CELLS, TOKEN_KINDS
from strand_env.maui.views.beach import Beach
from strand_env.maui.views.gains import chips_of
from strand_env.maui.views.rehearsal import Gain, Rehearsal
from strand_env.maui.views.table import Table
from strand_env.pictures.canvas import Paint, SvgCanvas
from strand_env.pictures.style import INK

OPEN, OPEN_INK, BAD = "#1f6f86", "#14566a", "#a3290f"
FRAME = Paint(None, OPEN, 3)

_BOX = 1.9  # width of what a placement brings, in columns


def draw_places(canvas: SvgCanvas, beach: Beach, table: Table, player: int) -> None:
    if table.snapshot["phase"] == "turn":
        rehearsal = Rehearsal(table)
        gains = {action: rehearsal.gain(action) for action in rehearsal.legal if action < DOLLARS}
        for action, gain in gains.items():
            _draw_ghost(canvas, beach, table, action, gain)
        for action, gain in gains.items():
            _draw_height(canvas, beach, action, gain, len(table.snapshot["beach"][player]))
    elif table.snapshot["phase"] == "token":
        column, top = table.laid(player), table.snapshot["beach"][player][-1][1]
        for cell in range(CELLS):
            names = " ".join(f"action-{TOKEN + CELLS * kind + cell}" for kind in range(TOKEN_KINDS))
            with canvas.group(class_="place", data_place=names), canvas.group(class_="frame"):
                left, width = beach.x(column) + 2, beach.column - 4
                canvas.rectangle(left, beach.y(top + cell) + 1, width, beach.row - 2, FRAME, 4)


def _draw_ghost(canvas: SvgCanvas, beach: Beach, table: Table, action: int, gain: Gain) -> None:
    """The towel as it would lie, its matches, and what it brings: shown while it is pointed at."""
    assert table.asked is not None
    column = len(table.snapshot["beach"][table.asked])
    with canvas.group(class_="ghost", data_ghost=f"action-{action}"):
        beach.draw_towel(column, gain.towel)
        for row in gain.matches:
            beach.draw_match(column, row)
        _draw_chips(canvas, beach, table, gain, column)


def _draw_chips(canvas: SvgCanvas, beach: Beach, table: Table, gain: Gain, column: int) -> None:
    """What a placement brings, in a box next to the towel."""
    chips = chips_of(table, gain)
    line, width = 0.8 * beach.row, _BOX * beach.column
    left = beach.x(column + 1) + 6 if column < 10 else beach.x(column) - width - 6
    height = line * len(chips) + 8
    middle = beach.y(gain.towel[1]) + CELLS * beach.row / 2
    top = min(max(middle - height / 2, beach.top + 2), beach.top + beach.height - height - 2)
    canvas.rectangle(left, top, width, height, Paint("#ffffff", OPEN, 1.5), 7)
    for number, chip in enumerate(chips):
        x, y = left + 6, top + 4 + line * number
        canvas.use(chip.symbol, x, y + 0.1 * line, line, 0.8 * line)
        canvas.text(x + 1.25 * line, y + 0.74 * line, chip.amount, 0.7 * line, BAD if chip.bad else INK, bold=True)


def _draw_height(canvas: SvgCanvas, beach: Beach, action: int, gain: Gain, column: int) -> None:
    """A disc in the middle row of a towel that can be laid there, with its points."""
    row = gain.towel[1] + 1
    x, y, size = beach.x(column) + beach.column / 2, beach.y(row) + beach.row / 2, 0.46 * beach.row
    with canvas.group(class_="height", data_place=f"action-{action}"):
        canvas.rectangle(beach.x(column), beach.y(row), beach.column, beach.row, Paint("#ffffff"), 4)
        canvas.ellipse(x, y, size, size, Paint("#ffffff", OPEN, 2))
        ink = BAD if gain.points < 0 else OPEN_INK
        canvas.text(x, y + 0.37 * size, f"{gain.points:+}", size, ink, "middle", bold=True)
