"""Strand Unter with views that draw in no time, using words that a page must not mistake for its own."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from strand_env.engine.protocol import Observer, Snapshot
from strand_env.strand_unter import GAME as STRAND_UNTER

NASTY = "</script><b>&\"'\u2028"
FAKE = replace(STRAND_UNTER, views_module=__name__)


def tell(before: Snapshot, actions: Sequence[int | None], after: Snapshot, *, seat: Observer = None) -> list[str]:
    return [f"from round {before['round']} to {after['round']} by {list(actions)} {NASTY}"]


def to_pixels(snapshot: Snapshot, story: Sequence[str] = (), *, seat: Observer = None) -> np.ndarray:
    pixels = np.full((60, 1000, 3), 255, np.uint8)
    pixels[:, : 40 * snapshot["round"]] = 0, 0, 99
    pixels[: sum(snapshot["shells"])] = 200, 150, 0
    return pixels


def to_svg(snapshot: Snapshot, story: Sequence[str] = (), *, seat: Observer = None) -> str:
    return f'<svg xmlns="http://www.w3.org/2000/svg"><text>{snapshot["round"]}</text></svg>'


def to_text(snapshot: Snapshot, story: Sequence[str] = (), colour: bool = True, *, seat: Observer = None) -> str:
    board = f"shells {snapshot['shells']}"
    return "\n".join([f"\x1b[31m{board}\x1b[0m" if colour else board, *story])
