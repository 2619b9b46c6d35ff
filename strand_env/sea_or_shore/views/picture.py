"""The picture of a game: the middle of the table on top, then everybody's cards, the story."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from strand_env.engine.protocol import Observer
from strand_env.pictures.canvas import Canvas, Paint, PixelCanvas, SvgCanvas
from strand_env.pictures.style import FAINT, INK, PAPER, draw_panel, draw_story
from strand_env.pictures.words import points_named
from strand_env.sea_or_shore.views.figures import CARD_SHAPE, TREASURE_SHAPE, draw_boat, draw_extra
from strand_env.sea_or_shore.views.hands import draw_hand, draw_pile, draw_play
from strand_env.sea_or_shore.views.stacks import draw_action, draw_seen_cards, draw_stack
from strand_env.sea_or_shore.views.table import Snapshot, Table
from strand_env.sea_or_shore.views.words import heading_words, outcome_words, standing_words, task_words

WIDTH, HEIGHT = 1200, 800

_MARGIN, _GAP = 16, 10
_TOP, _MIDDLE = 52, 186  # where the middle of the table begins, and its height
_PANELS = _TOP + _MIDDLE + 12
_PANEL = 442  # height
_STACKS, _ACTIONS = 560, 260  # widths
_STORY_LINES = 6
_SEAT = "#54606a"  # of all badges: here colours mean cards
_TREASURE = 34  # width

_LEGEND = (
    "Players of one colour play against each other: the highest wins, the lowest loser gets extras. With 3 players the "
    "two colours of the pair without the open treasure count as one.",
    "A winner in the colour of an open treasure takes it, or steals one of that colour from the top of a loser's pile.",
    "Other winners carry out the action of their colour. Extras add 1 each, up to 12; two left over are worth a point.",
    "Crossed out: cards out of the round. An eye marks what was seen of a hand or a stack. The boat marks the leader.",
)


def to_svg(snapshot: Snapshot, story: Sequence[str] = (), *, seat: Observer = None) -> str:
    """The picture as the text of an SVG document."""
    canvas = SvgCanvas(WIDTH, HEIGHT)
    draw(Table(snapshot, seat), canvas, story)
    return canvas.to_svg()


def to_pixels(snapshot: Snapshot, story: Sequence[str] = (), *, seat: Observer = None) -> npt.NDArray[np.uint8]:
    """The same picture as (800, 1200, 3) pixels."""
    canvas = PixelCanvas(WIDTH, HEIGHT)
    draw(Table(snapshot, seat), canvas, story)
    return canvas.to_pixels()


def draw(table: Table, canvas: Canvas, story: Sequence[str] = ()) -> None:
    """Draws what the observer sees of the whole table."""
    canvas.rectangle(0, 0, WIDTH, HEIGHT, Paint(PAPER))
    canvas.text(_MARGIN, 36, "Sea or Shore", 26, INK, bold=True)
    canvas.text(192, 35, heading_words(table), 16, FAINT)
    canvas.text(WIDTH - _MARGIN, 35, task_words(table), 16, INK, "end", bold=True)
    _draw_middle(canvas, table)
    number = len(table.players)
    width = (WIDTH - 2 * _MARGIN - (number - 1) * _GAP) / number
    for player in table.players:
        _draw_player(canvas, table, player, _MARGIN + player * (width + _GAP), width)
    draw_story(canvas, story, _LEGEND, _MARGIN, _PANELS + _PANEL + 20, WIDTH - _MARGIN, _STORY_LINES)


def _draw_middle(canvas: Canvas, table: Table) -> None:
    snapshot = table.snapshot
    stacks = len(snapshot["stacks"])
    width = (_STACKS - (stacks - 1) * _GAP) / stacks
    for stack in range(stacks):
        draw_stack(canvas, table, stack, _MARGIN + stack * (width + _GAP), _TOP, width, _MIDDLE)
    left = _MARGIN + _STACKS + _GAP
    height = (_MIDDLE - _GAP) / 2
    for pair in range(2):
        draw_action(canvas, table, pair, left, _TOP + pair * (height + _GAP), _ACTIONS, height)
    left += _ACTIONS + 2 * _GAP
    width = WIDTH - _MARGIN - left
    draw_seen_cards(canvas, table, left, _TOP, width, 32)
    y = _TOP + _MIDDLE - 18
    draw_extra(canvas, left + 12, y, 13)
    canvas.text(left + 30, y + 6, f"{snapshot['supply']} extras in the supply", 14, INK)
    if snapshot["box"]:
        canvas.text(left + width, y + 6, f"{len(snapshot['box'])} unseen in the box", 14, FAINT, "end")


def _draw_player(canvas: Canvas, table: Table, player: int, left: float, width: float) -> None:
    """A panel with the card played, the extras and treasures owned, and the hand."""
    snapshot = table.snapshot
    asked, won = player in snapshot["to_act"], bool(snapshot["winners"] and snapshot["winners"][player])
    top = _PANELS
    draw_panel(canvas, player, left, top, width, _PANEL, asked, won, _SEAT)
    canvas.text(left + width - 12, top + 30, standing_words(table, player), 14, INK, "end", bold=won)
    inside, x = width - 24, left + 12
    card, y = min(0.41 * width, 104), top + 50.0
    draw_play(canvas, table.play(player), x, y, card)
    for number, words in enumerate(outcome_words(table, player)):
        canvas.text(x + card + 12, y + 0.75 * card + 18 * number, words, 14, INK, bold=number == 0)
    if player == snapshot["leader"] and not table.over:
        draw_boat(canvas, x + 1.22 * card, y + 1.26 * card, 11)
        canvas.text(x + 1.22 * card + 16, y + 1.26 * card + 6, "leads", 13, FAINT)
    _draw_last(canvas, table, player, x + 1.55 * card, y + 0.5 * card, 0.36 * card)
    y += CARD_SHAPE * card + 14
    draw_extra(canvas, x + 10, y + 14, 12)
    canvas.text(x + 26, y + 20, str(snapshot["extras"][player]), 17, INK, bold=True)
    canvas.text(x + 50, y + 20, "extras", 13, FAINT)
    y += 38
    draw_pile(canvas, table, player, x, y, inside, _TREASURE)
    y += TREASURE_SHAPE * _TREASURE + 14
    draw_hand(canvas, table, player, x, y, inside, top + _PANEL - y - 8)
    for number, points in enumerate(table.points(player) if table.over else (), 1):
        canvas.text(x, y + 20 * number, f"round {number}: {points_named(points)}", 14, INK)


def _draw_last(canvas: Canvas, table: Table, player: int, left: float, top: float, size: float) -> None:
    """The card that a player has played in the last trick, while the next one goes on."""
    if play := table.earlier_play(player):
        canvas.text(left, top - 6, "last trick", 12, FAINT)
        draw_play(canvas, play, left, top, size)
