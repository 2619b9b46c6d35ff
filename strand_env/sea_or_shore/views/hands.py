"""Cards in the hands and on the table: what an observer sees of them."""

from math import ceil
from typing import NamedTuple

from strand_env.pictures.canvas import Canvas, Paint
from strand_env.pictures.style import FAINT, INK, LINE
from strand_env.sea_or_shore.ruleset import RANKS
from strand_env.sea_or_shore.views.figures import (
    CARD_SHAPE,
    KNOWN,
    TREASURE_SHAPE,
    draw_back,
    draw_extra,
    draw_eye,
    draw_island,
    draw_tick,
    draw_treasure,
)
from strand_env.sea_or_shore.views.table import Play, Table

_GAP = 0.12  # between cards, relative to their width


class Place(NamedTuple):
    """A card in a hand, and its upper left corner."""

    card: int
    x: float
    y: float


def card_width(count: int, width: float, rows: int, widest: float) -> float:
    """The width of `count` cards in that many rows."""
    columns = max(1, ceil(count / rows))
    return min(widest, width / (columns * (1 + _GAP)))


def places(cards: list[int], left: float, top: float, width: float, size: float) -> list[Place]:
    """Where the cards of a hand lie, row by row."""
    columns = max(1, int((width + 0.01) / (size * (1 + _GAP))))
    found = []
    for number, card in enumerate(cards):
        row, column = divmod(number, columns)
        found.append(Place(card, left + column * size * (1 + _GAP), top + row * size * (CARD_SHAPE + _GAP)))
    return found


def draw_held(canvas: Canvas, table: Table, player: int, place: Place, size: float) -> None:
    """A card in a hand that the observer sees: marked if others know it, or if it will be given back."""
    card, x, y = place
    known, snapshot = bool(table.knowers(player, card)), table.snapshot
    draw_island(canvas, card // RANKS, table.number(card), x, y, size, tint=KNOWN if known else None)
    if known:
        draw_eye(canvas, x + 0.84 * size, y + 0.1 * size, max(4.5, 0.17 * size))
    if player in snapshot["to_act"] and card in snapshot["given"]:
        draw_tick(canvas, x + 0.16 * size, y + 0.12 * size, max(4.5, 0.18 * size))


def draw_hand(
    canvas: Canvas, table: Table, player: int, left: float, top: float, width: float, height: float, widest: float = 44
) -> None:
    """A hand in a box: the cards that the observer sees, or their backs, with those that the observer knows."""
    hand = table.snapshot["hands"][player]
    seen = [card for card in hand if card is not None]
    if len(seen) == len(hand):
        size = min(card_width(len(seen), width, 2, widest), (height / 2) / (CARD_SHAPE + _GAP))
        for place in places(seen, left, top, width, size):
            draw_held(canvas, table, player, place, size)
    else:
        size = min(widest, 0.8 * height / 2 / CARD_SHAPE)
        draw_backs(canvas, len(hand), left, top, width, size)
    known = table.known_of(player)
    if known:
        below = top + height / 2 + 2
        size = min(card_width(len(known), width - 52, 1, widest), 0.8 * height / 2 / CARD_SHAPE)
        canvas.text(left, below + 0.75 * size, "known", 12, FAINT)
        draw_eye(canvas, left + 10, below + 1.1 * size, 6)
        for card, x, y in places(known, left + 46, below, width, size):
            draw_island(canvas, card // RANKS, table.number(card), x, y, size, tint=KNOWN)


def draw_backs(canvas: Canvas, count: int, left: float, top: float, width: float, size: float) -> None:
    """Cards face down, one partly over the other, and their number."""
    step = min(0.5 * size, (width - size - 30) / max(1, count - 1))
    for number in range(count):
        draw_back(canvas, left + number * step, top, size)
    end = left + (count - 1) * step + size if count else left
    words = str(count) if count else "no cards"
    canvas.text(end + (8 if count else 0), top + 0.85 * size, words, 15, INK if count else FAINT, bold=count > 0)


# On the table


def draw_play(canvas: Canvas, play: Play | None, left: float, top: float, size: float) -> None:
    """A card played, or the empty place for it; the extras lie beside it, with what it counts."""
    height = CARD_SHAPE * size
    if play is None or play.picked:
        canvas.rectangle(left, top, size, height, Paint("#f7f1e3", LINE, 1.2), 0.1 * size)
        if play is not None:
            canvas.text(left + size / 2, top + 0.5 * height, "taken", 0.2 * size, FAINT, "middle")
            canvas.text(left + size / 2, top + 0.66 * height, "up", 0.2 * size, FAINT, "middle")
    else:
        draw_island(canvas, play.colour, play.number, left, top, size, play.covered)
    if play is not None and play.extras:
        draw_extra(canvas, left + 1.22 * size, top + 0.2 * size, 0.16 * size)
        canvas.text(left + 1.4 * size, top + 0.29 * size, str(play.extras), 0.25 * size, INK, bold=True)


def draw_pile(canvas: Canvas, table: Table, player: int, left: float, top: float, width: float, size: float) -> None:
    """A player's treasures, the top one last and whole."""
    pile = table.snapshot["treasures"][player]
    step = min(1.08 * size, (width - size) / max(1, len(pile) - 1))
    for number, (colour, value) in enumerate(pile):
        draw_treasure(canvas, colour, value, left + number * step, top, size)
    if not pile:
        canvas.rectangle(left, top, size, TREASURE_SHAPE * size, Paint("#f7f1e3", LINE, 1.2), 0.12 * size)
