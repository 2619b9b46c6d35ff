"""A small canvas: the same drawing code gives SVG or pixels.

Coordinates are in units of the picture, with y pointing down; colours are "#rrggbb".
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from math import cos, pi, sin
from typing import Any, Literal, Protocol
from xml.sax.saxutils import escape

import numpy as np
import numpy.typing as npt

from strand_env.engine.checks import printable
from strand_env.support.extras import from_extra

Point = tuple[float, float]
Anchor = Literal["start", "middle", "end"]

LONGEST_TEXT = 1000  # characters

_SHARPNESS = 2  # supersampling factor
_BOLDER = 0.02  # extra stroke width of bold letters, relative to their size


@dataclass(frozen=True)
class Paint:
    """Fill and outline of a shape; either may be missing."""

    fill: str | None = None
    outline: str | None = None
    stroke: float = 1  # width of the outline


class Canvas(Protocol):
    """What drawing code can use."""

    def rectangle(self, x: float, y: float, width: float, height: float, paint: Paint, radius: float = 0) -> None: ...

    def ellipse(self, x: float, y: float, across: float, down: float, paint: Paint) -> None:
        """Given by its centre and its two radii."""

    def polygon(self, points: Sequence[Point], paint: Paint) -> None: ...

    def line(self, points: Sequence[Point], colour: str, stroke: float = 1) -> None: ...

    def text(
        self, x: float, y: float, words: str, size: float, colour: str, anchor: Anchor = "start", bold: bool = False
    ) -> None:
        """One line of text with its baseline at y."""


class SvgCanvas:
    """Collects the elements of a self-contained SVG document."""

    def __init__(self, width: int, height: int) -> None:
        self._size = width, height
        self._elements: list[str] = []

    def rectangle(self, x: float, y: float, width: float, height: float, paint: Paint, radius: float = 0) -> None:
        self._add("rect", x=x, y=y, width=width, height=height, rx=radius or None, **_svg_paint(paint))

    def ellipse(self, x: float, y: float, across: float, down: float, paint: Paint) -> None:
        self._add("ellipse", cx=x, cy=y, rx=across, ry=down, **_svg_paint(paint))

    def polygon(self, points: Sequence[Point], paint: Paint) -> None:
        self._add("polygon", points=_svg_points(points), **_svg_paint(paint))

    def line(self, points: Sequence[Point], colour: str, stroke: float = 1) -> None:
        self._add("polyline", points=_svg_points(points), **_svg_paint(Paint(None, colour, stroke)))

    def text(
        self, x: float, y: float, words: str, size: float, colour: str, anchor: Anchor = "start", bold: bool = False
    ) -> None:
        anchored = None if anchor == "start" else anchor
        weight = "bold" if bold else None
        attributes = {"x": x, "y": y, "font-size": size, "fill": colour, "text-anchor": anchored, "font-weight": weight}
        self._elements.append(f"<text{_svg_attributes(attributes)}>{escape(printable(words, LONGEST_TEXT))}</text>")

    @contextmanager
    def group(self, **attributes: str) -> Iterator[None]:
        """Puts what is drawn inside into one element; `data_place="x"` becomes data-place="x"."""
        named = {name.rstrip("_").replace("_", "-"): value for name, value in attributes.items()}
        self._elements.append(f"<g{_svg_attributes(named)}>")
        yield
        self._elements.append("</g>")

    def use(self, symbol: str, x: float, y: float, width: float, height: float) -> None:
        """A symbol of the page that the document will be part of."""
        self._add("use", href=f"#{symbol}", x=x, y=y, width=width, height=height)

    def to_svg(self, shrinks: bool = True) -> str:
        """The document. If it shrinks, a page or notebook can scale it down to the available width.

        Otherwise it has no inline style, for pages whose policy forbids them.
        """
        width, height = self._size
        style = ' style="max-width: 100%; height: auto"' if shrinks else ""
        opening = (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
            f'viewBox="0 0 {width} {height}"{style} font-family="sans-serif" '
            'stroke-linejoin="round" stroke-linecap="round">'
        )
        return "\n".join([opening, *self._elements, "</svg>\n"])

    def to_symbol(self, name: str) -> str:
        """The drawing as a symbol that other documents can use by name."""
        width, height = self._size
        return f'<symbol id="{name}" viewBox="0 0 {width} {height}">{"".join(self._elements)}</symbol>'

    def _add(self, element: str, **attributes: Any) -> None:
        self._elements.append(f"<{element}{_svg_attributes(attributes)}/>")


def _svg_paint(paint: Paint) -> dict[str, Any]:
    width = paint.stroke if paint.outline else None
    return {"fill": paint.fill or "none", "stroke": paint.outline, "stroke-width": width}


def _svg_points(points: Sequence[Point]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)


def _svg_attributes(attributes: dict[str, Any]) -> str:
    shown = ((name, f"{value:.4g}" if isinstance(value, float) else value) for name, value in attributes.items())
    return "".join(f' {name}="{value}"' for name, value in shown if value is not None)


class PixelCanvas:
    """Draws with Pillow in its built-in font, supersampled for smooth edges."""

    def __init__(self, width: int, height: int) -> None:
        with from_extra("cli", "a picture in pixels"):
            from PIL import Image, ImageDraw
        self._image = Image.new("RGB", (width * _SHARPNESS, height * _SHARPNESS))
        self._draw = ImageDraw.Draw(self._image)

    def rectangle(self, x: float, y: float, width: float, height: float, paint: Paint, radius: float = 0) -> None:
        box = _box(x, y, x + width, y + height, paint)
        self._draw.rounded_rectangle(box, radius * _SHARPNESS, paint.fill, paint.outline, _thick(paint.stroke))

    def ellipse(self, x: float, y: float, across: float, down: float, paint: Paint) -> None:
        box = _box(x - across, y - down, x + across, y + down, paint)
        self._draw.ellipse(box, paint.fill, paint.outline, _thick(paint.stroke))

    def polygon(self, points: Sequence[Point], paint: Paint) -> None:
        if paint.fill:
            self._draw.polygon(_larger(points), paint.fill)
        if paint.outline:
            # Past the first corner again, for a round joint there, too.
            self.line([*points, *points[:2]], paint.outline, paint.stroke)

    def line(self, points: Sequence[Point], colour: str, stroke: float = 1) -> None:
        self._draw.line(_larger(points), colour, _thick(stroke), joint="curve")

    def text(
        self, x: float, y: float, words: str, size: float, colour: str, anchor: Anchor = "start", bold: bool = False
    ) -> None:
        self._draw.text(
            (x * _SHARPNESS, y * _SHARPNESS),
            printable(words, LONGEST_TEXT),
            colour,
            _font(size * _SHARPNESS),
            anchor={"start": "ls", "middle": "ms", "end": "rs"}[anchor],
            stroke_width=size * _SHARPNESS * _BOLDER if bold else 0,
        )

    def to_pixels(self) -> npt.NDArray[np.uint8]:
        """(height, width, 3)"""
        return np.array(self._image.reduce(_SHARPNESS))


def _larger(points: Sequence[Point]) -> list[Point]:
    """Pillow puts whole numbers at the centres of pixels, this canvas at their edges."""
    return [(x * _SHARPNESS - 0.5, y * _SHARPNESS - 0.5) for x, y in points]


def _box(left: float, top: float, right: float, bottom: float, paint: Paint) -> tuple[float, float, float, float]:
    """Pillow's box, last pixels included, for an outline that lies half outside, as in SVG."""
    half = paint.stroke / 2 if paint.outline else 0
    last = 1 / _SHARPNESS
    corners = (left - half, top - half, right + half - last, bottom + half - last)
    return tuple(round(corner * _SHARPNESS) for corner in corners)  # type: ignore[return-value]  # four of them


def _thick(stroke: float) -> int:
    return max(1, round(stroke * _SHARPNESS))


@lru_cache(maxsize=64)
def _font(size: float) -> Any:
    from PIL import ImageFont

    return ImageFont.load_default(size)


# Shapes


def smooth(points: Sequence[Point], steps: int = 6, closed: bool = True) -> list[Point]:
    """A Catmull-Rom curve through all points, with `steps` short lines between each two."""
    count = len(points)
    curve: list[Point] = []
    for start in range(count if closed else count - 1):
        around = (start - 1, start, start + 1, start + 2)
        p, q, r, s = (points[i % count if closed else min(max(i, 0), count - 1)] for i in around)
        for step in range(steps):
            t = step / steps
            a, b, c, d = -t + 2 * t**2 - t**3, 2 - 5 * t**2 + 3 * t**3, t + 4 * t**2 - 3 * t**3, t**3 - t**2
            x, y = ((a * p[axis] + b * q[axis] + c * r[axis] + d * s[axis]) / 2 for axis in (0, 1))
            curve.append((x, y))
    return curve if closed else [*curve, points[-1]]


def placed(points: Sequence[Point], x: float, y: float, size: float, turn: float = 0) -> list[Point]:
    """Points around (0, 0), scaled, rotated by an angle in radians, and moved."""
    c, s = size * cos(turn), size * sin(turn)
    return [(x + px * c - py * s, y + px * s + py * c) for px, py in points]


def around(start: float, stop: float, steps: int, radius: float = 1) -> list[Point]:
    """Points along an arc around (0, 0); angles in turns, clockwise from the right."""
    angles = (2 * pi * (start + (stop - start) * step / steps) for step in range(steps + 1))
    return [(radius * cos(angle), radius * sin(angle)) for angle in angles]


def mixed(colour: str, other: str, share: float) -> str:
    """A colour blended with a share of another."""
    parts = [(int(colour[i : i + 2], 16), int(other[i : i + 2], 16)) for i in (1, 3, 5)]
    return "#" + "".join(f"{round(one + (two - one) * share):02x}" for one, two in parts)
