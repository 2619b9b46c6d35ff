"""What a player may do, in words and pictures, with what it brings."""

from collections.abc import Sequence

from strand_env.engine.protocol import Choice, Stage
from strand_env.maui.actions import DOLLARS, NO_SHIFT, PASS, SHIFTS, SPARE, STEP, TOKEN
from strand_env.maui.ruleset import CELLS, PATTERNS, PRICES, ROWS, SPARE_TOP, TOWELS
from strand_env.maui.views.gains import chips_html, gain_words
from strand_env.maui.views.rehearsal import Gain, Rehearsal
from strand_env.maui.views.table import Cell, Table
from strand_env.maui.views.words import dollars_named, price_words, rows_words, towel_letters, towel_words
from strand_env.pictures.canvas import Paint, SvgCanvas
from strand_env.pictures.html import figure
from strand_env.pictures.words import with_sign

_ROW, _COLUMN, _GAP = 13, 16, 6  # of the little picture of two towels
_WINDOW = SHIFTS + CELLS - 1  # rows that a new towel can reach


def choices(table: Table, legal: Sequence[int]) -> list[Choice]:
    """The legal actions of the player to act."""
    kinds = {(action - TOKEN) // CELLS for action in legal if TOKEN <= action < PASS}
    rehearsal = Rehearsal(table)
    return [_choice(table, action, rehearsal.gain(action), len(kinds) > 1) for action in legal]


def _choice(table: Table, action: int, gain: Gain, several_kinds: bool) -> Choice:
    if action < DOLLARS:
        return _take(table, action, gain)
    if action < SPARE:
        zone, label = action - DOLLARS, dollars_named(gain.dollars)
        picture = figure("dollar", "icon large")
        return Choice(action, f"Take {label} from zone {zone}.", picture, f"{label}, zone {zone}", "Or dollars")
    if action < STEP:
        number = table.snapshot["market"][action - SPARE]
        words = f"Take {towel_letters(number)} as a spare towel, {rows_words(SPARE_TOP)}: it brings nothing."
        return Choice(action, words, towel_figure(number), towel_letters(number))
    if action < TOKEN:
        return _step(table, action - STEP, action, gain)
    if action < PASS:
        return _token(table, action, gain, several_kinds)
    label = f"no token: {with_sign(gain.points)}"
    return Choice(action, f"Lay no token: {gain_words(table, gain)}.", chips_html(table, gain), label, "Or as it lies")


def _take(table: Table, action: int, gain: Gain) -> Choice:
    place = action // SHIFTS
    number, top, _ = gain.towel
    letters, price = towel_letters(number), price_words(PRICES[place])
    words = f"Towel {letters} ({towel_words(number)}), {price}"
    stage = Stage(f"market-{place}", words, towel_figure(number), price, "A towel")
    return Choice(
        action,
        f"Take {letters}, {price}, {rows_words(top)}: {gain_words(table, gain)}.",
        f'<span class="placement">{_placement(table, gain)}{chips_html(table, gain)}</span>',
        f"{rows_words(top)}: {with_sign(gain.points)}",
        "At which height?",
        (stage,),
    )


def _step(table: Table, track: int, action: int, gain: Gain) -> Choice:
    assert table.asked is not None
    square = table.snapshot["shells"][table.asked][track] + 1
    words = f"Move the {PATTERNS[track]} shell to square {square}: in this turn {gain_words(table, gain)}."
    picture = figure(f"cell-{track}", "swatch") + chips_html(table, gain)
    return Choice(action, words, picture, f"{PATTERNS[track]}, square {square}: {with_sign(gain.points)}")


def _token(table: Table, action: int, gain: Gain, several_kinds: bool) -> Choice:
    assert table.asked is not None
    kind, cell = divmod(action - TOKEN, CELLS)
    pattern = table.ruleset.token_patterns[kind]
    name, symbol = PATTERNS[pattern], figure(f"token-{pattern}", "icon large")
    number, top, _ = table.snapshot["beach"][table.asked][-1]
    printed = PATTERNS[TOWELS[number][cell]]
    return Choice(
        action,
        f"Lay a {name} token onto {printed} in row {top + cell}: {gain_words(table, gain)}.",
        f'<span class="placement">{symbol}{chips_html(table, gain)}</span>',
        f"on {printed}, row {top + cell}: {with_sign(gain.points)}",
        "A token onto the new towel",
        (Stage(f"token-{kind}", f"A {name} token", symbol, name, "A token"),) if several_kinds else (),
    )


# Little pictures


def towel_figure(number: int) -> str:
    """A towel, of the page's symbols."""
    patterns = enumerate(TOWELS[number])
    cells = "".join(
        f'<use href="#cell-{each}" y="{26 * cell}" width="32" height="26"></use>' for cell, each in patterns
    )
    return f'<svg class="towel" viewBox="0 0 32 78" aria-hidden="true">{cells}</svg>'


def _placement(table: Table, gain: Gain) -> str:
    """The last towel and the new one beside it, with their matches, on sand, water or trees."""
    assert table.asked is not None
    last = table.snapshot["beach"][table.asked][-1]
    first = last[1] - NO_SHIFT
    width = 2 * _COLUMN + 2 * _GAP
    canvas = SvgCanvas(width, _WINDOW * _ROW)
    for row in range(first, first + _WINDOW):
        ground = "#74b1bf" if row < 1 else "#4f7d46" if row > ROWS else "#f3e2bd"
        canvas.rectangle(0, _ROW * (row - first), width, _ROW + 0.5, Paint(ground))
    for left, towel in ((_GAP / 2, last), (1.5 * _GAP + _COLUMN, gain.towel)):
        for cell in table.cells(towel):
            _draw_small_cell(canvas, cell, left, _ROW * (cell.row - first))
    for row in gain.matches:
        y = _ROW * (row - first + 0.5)
        canvas.rectangle(width / 2 - 5, y - 2.5, 10, 5, Paint("#ffffff", "#40372b"), 2.5)
    return canvas.to_svg(shrinks=False).replace("<svg ", '<svg class="heights" aria-hidden="true" ', 1)


def _draw_small_cell(canvas: SvgCanvas, cell: Cell, left: float, top: float) -> None:
    """Gray if it is not active."""
    if cell.shows is None:
        canvas.rectangle(left, top, _COLUMN, _ROW, Paint("#8d8d86"))
        symbol = "crab" if isinstance(cell.cover, int) else "penalty"
        canvas.use(symbol, left + 2, top + 1, _COLUMN - 4, _ROW - 2)
    else:
        canvas.use(f"cell-{cell.shows}", left, top, _COLUMN, _ROW)
