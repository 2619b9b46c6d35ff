"""The middle of the table: stacks with their open treasures, the two action cards, and the island cards seen so far."""

from textwrap import wrap

from strand_env.pictures.canvas import Canvas, Paint, mixed
from strand_env.pictures.style import FAINT, INK, LINE, PAPER
from strand_env.sea_or_shore.ruleset import COLOURS, RANKS
from strand_env.sea_or_shore.views.figures import (
    FILLS,
    KNOWN,
    TREASURE_SHAPE,
    draw_back,
    draw_creature,
    draw_eye,
    draw_treasure,
)
from strand_env.sea_or_shore.views.table import Table
from strand_env.sea_or_shore.views.trick import PAIRS
from strand_env.sea_or_shore.views.words import ACTION_TITLES, ACTION_WORDS, LETTERS, treasure_words

_MAT, _EMPTY = "#f8f1df", "#f1e8d2"
_LINE = 15  # height of a line of treasures


def draw_stack(canvas: Canvas, table: Table, stack: int, left: float, top: float, width: float, height: float) -> None:
    """A stack, its open treasure, and which treasures are in it and under it."""
    snapshot = table.snapshot
    canvas.rectangle(left, top, width, height, Paint(_MAT, LINE), 10)
    size = min(66.0, 0.24 * width)
    draw_back(canvas, left + 12, top + 12, size, TREASURE_SHAPE)
    count = len(snapshot["stacks"][stack])
    canvas.ellipse(left + 12 + size / 2, top + 12 + 0.6 * size, 0.3 * size, 0.3 * size, Paint(PAPER))
    canvas.text(left + 12 + size / 2, top + 12 + 0.74 * size, str(count), 0.4 * size, INK, "middle", bold=True)
    treasure = snapshot["open"][stack]
    x = left + 22 + size
    if treasure is None:
        canvas.rectangle(x, top + 12, size, TREASURE_SHAPE * size, Paint(_EMPTY, LINE, 1.2), 0.12 * size)
    else:
        colour, value = treasure
        draw_treasure(canvas, colour, value, x, top + 12, size)
    _draw_contents(canvas, table, stack, x + size + 14, top + 24, left + width - 8)
    below = top + 12 + TREASURE_SHAPE * size + 22
    _draw_looked(canvas, table, stack, left + 12, below)
    _draw_under(canvas, table, stack, left + 12, top + height - 10, width - 20)


def _draw_contents(canvas: Canvas, table: Table, stack: int, left: float, y: float, right: float) -> None:
    """The treasures never turned up, a line for each colour."""
    canvas.text(left, y, "in the stack", 12, FAINT)
    for colour in colours_of(table, stack):
        y += _LINE + 1
        values = [value for of, value in table.remaining(stack) if of == colour]
        draw_creature(canvas, colour, left + 6, y - 4, 6, FILLS[colour], _MAT)
        step = min(13.0, (right - left - 16) / max(1, len(values)))
        for number, value in enumerate(values):
            canvas.text(left + 18 + number * step, y, str(value), 13, INK)


def colours_of(table: Table, stack: int) -> tuple[int, ...]:
    """The colours of the treasures that a stack can have."""
    return tuple(range(len(COLOURS))) if len(table.snapshot["stacks"]) == 1 else PAIRS[stack]


def _draw_looked(canvas: Canvas, table: Table, stack: int, left: float, y: float) -> None:
    """Who knows the next treasures, and what the observer knows of them."""
    looker, arranged = table.snapshot["looker"][stack], table.snapshot["arranged"][stack]
    if not arranged:
        return
    draw_eye(canvas, left + 6, y - 4, 6)
    canvas.text(left + 18, y, f"player {looker} knows the next {arranged}", 12, INK)
    seen, words = table.next_up(stack), "next:"
    if not seen and table.peeked(stack):
        seen, words = table.peeked(stack), "among them:"
    if seen:
        canvas.text(left, y + _LINE + 2, words, 12, FAINT)
        x = left + 8 + 6.2 * len(words)
        for colour, value in seen:
            draw_creature(canvas, colour, x + 6, y + _LINE - 2, 6, FILLS[colour], _MAT)
            canvas.text(x + 15, y + _LINE + 2, str(value), 13, INK, bold=True)
            x += 30


def _draw_under(canvas: Canvas, table: Table, stack: int, left: float, y: float, width: float) -> None:
    """The treasures put under a stack, the first one first."""
    under = table.snapshot["under"][stack]
    canvas.text(left, y, "under it:" if under else "nothing under it", 12, FAINT)
    step = min(26.0, (width - 54) / max(1, len(under)))
    for number, (colour, value) in enumerate(under):
        x = left + 54 + number * step
        draw_creature(canvas, colour, x + 5, y - 4, 5, FILLS[colour], _MAT)
        canvas.text(x + 12, y, str(value), 12, INK)


def draw_action(canvas: Canvas, table: Table, pair: int, left: float, top: float, width: float, height: float) -> None:
    """The action card of a pair of colours, with the action that lies up."""
    action = table.action_up(pair)
    under_way = bool(table.snapshot["queue"]) and table.action == action and not table.snapshot["wins"]
    edge = Paint("#ffffff", KNOWN if under_way else LINE, 2.5 if under_way else 1)
    canvas.rectangle(left, top, width, height, edge, 10)
    for number, colour in enumerate(PAIRS[pair]):
        x = left + 20 + 28 * number
        canvas.rectangle(x - 12, top + 8, 24, 24, Paint(FILLS[colour]), 6)
        draw_creature(canvas, colour, x, top + 20, 8.5, "#ffffff", FILLS[colour])
    canvas.text(left + 70, top + 26, ACTION_TITLES[action], 15, INK, bold=True)
    if table.counts_as_one(pair):
        canvas.text(left + width - 10, top + 26, "one colour", 12, INK, "end")
    for number, line in enumerate(wrap(ACTION_WORDS[action], int(width / 5.9))):
        canvas.text(left + 10, top + 48 + 14 * number, line, 11.5, FAINT)


def draw_seen_cards(canvas: Canvas, table: Table, left: float, top: float, width: float, line: float) -> None:
    """All island cards, a line for each colour: those out of the round crossed out, those the observer has filled."""
    snapshot, cell = table.snapshot, (width - 22) / RANKS
    own = set(snapshot["hands"][table.seat]) if isinstance(table.seat, int) else set()
    played = {play["card"] for play in snapshot["plays"] if play is not None}
    for colour in range(len(COLOURS)):
        y = top + colour * line
        draw_creature(canvas, colour, left + 8, y + line / 2, 0.32 * line, FILLS[colour], PAPER)
        for place in range(RANKS):
            card = RANKS * colour + place
            x = left + 22 + place * cell
            gone, held = card in snapshot["aside"] or card in played, card in own
            fill = FILLS[colour] if held else mixed(FILLS[colour], PAPER, 0.97 if gone else 0.8)
            canvas.rectangle(x + 1, y + 1, cell - 2, line - 2, Paint(fill), 4)
            ink = "#ffffff" if held else mixed(FAINT, PAPER, 0.45) if gone else mixed(FILLS[colour], INK, 0.5)
            size = 0.58 * line
            canvas.text(
                x + cell / 2, y + line / 2 + 0.36 * size, str(table.number(card)), size, ink, "middle", not gone
            )
            if gone:
                canvas.line([(x + 4, y + line - 5), (x + cell - 4, y + 5)], mixed(FAINT, PAPER, 0.3), 1.2)


def stack_label(table: Table, stack: int) -> str:
    """A stack in words, for screen readers."""
    treasure = table.snapshot["open"][stack]
    left = ", ".join(f"{LETTERS[colour]}{value}" for colour, value in table.remaining(stack))
    told = [f"open: {treasure_words(treasure) if treasure else 'nothing'}", f"in the stack, in any order: {left}"]
    under = table.snapshot["under"][stack]
    told.append(f"under it: {', '.join(map(treasure_words, under)) or 'nothing'}")
    return "; ".join(told)
