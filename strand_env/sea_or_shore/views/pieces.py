"""Cards, treasures and extras as parts of a page, made of its symbols."""

from collections.abc import Callable, Sequence
from typing import Any

from strand_env.pictures.canvas import Paint, SvgCanvas
from strand_env.pictures.html import figure
from strand_env.sea_or_shore.ruleset import COLOURS, NUM_COLOURS, RANKS
from strand_env.sea_or_shore.views.figures import (
    CARD_SHAPE,
    FILLS,
    NUMBER_INK,
    TREASURE_SHAPE,
    draw_back,
    draw_boat,
    draw_cover,
    draw_creature,
    draw_extra,
    draw_eye,
    draw_island,
    draw_tick,
    draw_treasure,
)
from strand_env.sea_or_shore.views.table import Play, Table, Treasure

WIDTH = 50
HEIGHT = round(CARD_SHAPE * WIDTH)
_TREASURE_HEIGHT = round(TREASURE_SHAPE * WIDTH)
_BOX = f"0 0 {WIDTH} {HEIGHT}"


def symbols() -> str:
    """All figures as SVG symbols."""
    figures = []

    def add(name: str, width: int, height: int, draw: Callable[..., None], *arguments: Any) -> None:
        canvas = SvgCanvas(width, height)
        draw(canvas, *arguments)
        figures.append(canvas.to_symbol(name))

    for colour in range(NUM_COLOURS):
        add(f"island-{colour}", WIDTH, HEIGHT, draw_island, colour, None, 1, 1, WIDTH - 2)
        add(f"creature-{colour}", 24, 24, draw_creature, colour, 12, 12, 11, FILLS[colour], "#ffffff")
        add(f"treasure-{colour}", WIDTH, _TREASURE_HEIGHT, draw_treasure, colour, "", 1, 1, WIDTH - 2)
        add(f"sea-{colour}", 24, 24, _draw_sea, colour)
    add("island", WIDTH, HEIGHT, draw_island, None, None, 1, 1, WIDTH - 2)
    for half in ("colour", "number"):
        add(f"cover-{half}", WIDTH, HEIGHT, draw_cover, half, 1, 1, WIDTH - 2)
    add("card-back", WIDTH, HEIGHT, draw_back, 1, 1, WIDTH - 2)
    add("treasure-back", WIDTH, _TREASURE_HEIGHT, draw_back, 1, 1, WIDTH - 2, TREASURE_SHAPE)
    add("extra", 24, 28, draw_extra, 12, 14, 12.5)
    add("boat", 24, 24, draw_boat, 12, 12, 11)
    add("eye", 24, 16, draw_eye, 12, 8, 10)
    add("tick", 24, 24, draw_tick, 12, 12, 11)
    return f'<svg xmlns="http://www.w3.org/2000/svg" font-family="sans-serif">{"".join(figures)}</svg>'


def _draw_sea(canvas: SvgCanvas, colour: int) -> None:
    """A creature on a tile of its colour."""
    canvas.rectangle(0, 0, 24, 24, Paint(FILLS[colour]), 6)
    draw_creature(canvas, colour, 12, 12, 8.5, "#ffffff", FILLS[colour])


# Island cards


def island(colour: int | None, number: int | None, covered: str | None = None, more: str = "", kind: str = "") -> str:
    """An island card, as `figures.draw_island` draws it, with more elements on top."""
    name = f"island-{colour}" if colour is not None and covered != "colour" else "island"
    parts = [f'<use href="#{name}"></use>']
    if number is not None and covered != "number":
        parts.append(_words(str(number), 0.745, 0.5, NUMBER_INK))
    if covered is not None:
        parts.append(f'<use class="cover" href="#cover-{covered}"></use>')
        under = number if covered == "number" else colour
        if under is None or covered == "number":
            parts.append(_words("?" if under is None else str(under), 0.745 if covered == "number" else 0.25, 0.33))
        else:
            size = 0.42 * WIDTH
            place = f'x="{(WIDTH - size) / 2}" y="{0.25 * HEIGHT - size / 2}" width="{size}" height="{size}"'
            parts.append(f'<use href="#creature-{colour}" {place}></use>')
    kinds = f"island {kind}".strip()
    return f'<svg class="{kinds}" viewBox="{_BOX}" aria-hidden="true">{"".join(parts)}{more}</svg>'


def _words(words: str, down: float, size: float, ink: str = "#33414a") -> str:
    """Bold words around a height, as large as this share of the card's width."""
    y, height = down * HEIGHT + 0.36 * size * WIDTH, size * WIDTH
    return (
        f'<text x="{WIDTH / 2:g}" y="{y:g}" font-size="{height:g}" font-weight="bold" text-anchor="middle" '
        f'fill="{ink}">{words}</text>'
    )


def card(table: Table, number: int, covered: str | None = None, more: str = "", kind: str = "") -> str:
    """A card by its id."""
    return island(number // RANKS, table.number(number), covered, more, kind)


def played(play: Play) -> str:
    """A card on the table, with its extras."""
    card = island(play.colour, play.number, play.covered)
    return ('<span class="slot">taken up</span>' if play.picked else card) + (
        extras(play.extras) if play.extras else ""
    )


def extras(count: int) -> str:
    return f'<span class="extras">{figure("extra", "icon")}<b>{count}</b></span>'


# Treasures


def treasure(which: Treasure, kind: str = "") -> str:
    colour, value = which
    text = _words(str(value), 0.63, 0.42, "#ffffff")
    return (
        f'<svg class="{f"treasure {kind}".strip()}" viewBox="0 0 {WIDTH} {_TREASURE_HEIGHT}" aria-hidden="true">'
        f'<use href="#treasure-{colour}"></use>{text}</svg>'
    )


def treasures(those: Sequence[Treasure]) -> str:
    return f'<span class="treasures">{"".join(map(treasure, those))}</span>'


def tile(colour: int) -> str:
    """The sign of a colour, with its name for screen readers."""
    return f'{figure(f"sea-{colour}", "tile")}<span class="unseen">{COLOURS[colour]}</span>'
