"""Views that say who looks, and show the seed to those who see everything."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from strand_env.adapters.environments import Environments
from strand_env.engine.protocol import Observer
from strand_env.strand_unter import GAME as STRAND_UNTER

SEATED = Environments(replace(STRAND_UNTER, views_module="seat_views"))

Snapshot = dict[str, Any]


def tell(before: Snapshot, actions: Sequence[int], after: Snapshot, *, seat: Observer = None) -> list[str]:
    return [f"{list(actions)} told to {seat!r}"]


def to_text(snapshot: Snapshot, story: Sequence[str] = (), colour: bool = True, *, seat: Observer = None) -> str:
    return "; ".join([f"{snapshot['phase']} and seed {snapshot['seed']} seen by {seat!r}", *story])


def to_svg(snapshot: Snapshot, story: Sequence[str] = (), *, seat: Observer = None) -> str:
    return f"<svg>{to_text(snapshot, story, seat=seat)}</svg>"


def to_pixels(snapshot: Snapshot, story: Sequence[str] = (), *, seat: Observer = None) -> np.ndarray:
    return np.frombuffer(to_text(snapshot, story, seat=seat).encode(), np.uint8).reshape(1, -1, 1).repeat(3, 2)
