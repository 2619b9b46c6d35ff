"""What can be seen of a game: text of pictures and terminals, plain surfaces, snapshots that cannot be shown."""

import copy
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

WRONG = (None, True, 1.0, 10**9, -1000, "x", "\x1b[31m", [], [[]], {}, {"x": 1}, np.arange(4), [0] * 10**6)


def visible(text: str) -> str:
    return "\n".join(line.rstrip() for line in re.sub("\x1b\\[[0-9;]*m", "", text).split("\n"))


def words_of(svg: str) -> list[str]:
    return [element.text or "" for element in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]


def around(element: ElementTree.Element) -> tuple[float, float, float, float]:
    """Left, top, right and bottom of what an element of a picture can cover."""
    kind = element.tag.rpartition("}")[2]
    if kind in ("polygon", "polyline"):
        points = np.array([pair.split(",") for pair in element.get("points", "").split()], float)
        return *points.min(axis=0), *points.max(axis=0)
    names = {"rect": "x y width height", "ellipse": "cx cy rx ry", "text": "x y font-size font-size"}[kind]
    x, y, width, height = (float(element.get(name, "")) for name in names.split())
    if kind == "rect":
        return x, y, x + width, y + height
    if kind == "text":
        width *= len(element.text or "")
    return x - width, y - height, x + width, y + height


def plain_surfaces(svg: str) -> np.ndarray:
    """The colours of a picture where it shows the inside of a rectangle and nothing is near; -1 elsewhere."""
    root = ElementTree.fromstring(svg)
    colours = np.full((int(root.get("height", "")), int(root.get("width", "")), 3), -1)

    def paint(left: float, top: float, right: float, bottom: float, colour: Sequence[int]) -> None:
        colours[max(0, round(top)) : max(0, round(bottom)), max(0, round(left)) : max(0, round(right))] = colour

    for element in root:
        left, top, right, bottom = around(element)
        paint(left - 3, top - 3, right + 3, bottom + 3, [-1])
        fill = element.get("fill", "none")
        if element.tag.endswith("rect") and fill != "none":
            edge = 2 + float(element.get("rx", 0))
            colour = [int(fill[i : i + 2], 16) for i in (1, 3, 5)]
            paint(left + edge, top + edge, right - edge, bottom - edge, colour)
    return colours


def assert_same_surfaces(svg: str, pixels: np.ndarray, colours: int = 6) -> None:
    """Pixels are those of a picture wherever it is plain, in at least so many colours."""
    expected = plain_surfaces(svg)
    assert pixels.shape == expected.shape
    assert pixels.dtype == np.uint8
    known = (expected >= 0).all(axis=2)
    assert known.mean() > 0.1
    assert len(np.unique(expected[known], axis=0)) >= colours
    assert (pixels[known] == expected[known]).all()


def spoiled(snapshot: dict[str, Any], field: str, wrong: Any) -> Iterator[dict[str, Any]]:
    """With something wrong in place of the field, then of its first entry, then of the first one in that."""
    yield {**snapshot, field: wrong}
    entry = snapshot[field]
    depth = 0
    while isinstance(entry, list) and entry:
        changed = copy.deepcopy(snapshot)
        holder = changed[field]
        for _ in range(depth):
            holder = holder[0]
        holder[0] = wrong
        yield changed
        entry, depth = entry[0], depth + 1
