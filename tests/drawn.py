"""Reads pictures that were drawn."""

from pathlib import Path

import numpy as np
from PIL import Image


def share_of(colour: str, path: Path) -> float:
    """The share of the pixels of a picture that have a colour, as "#rrggbb"."""
    pixels = np.asarray(Image.open(path).convert("RGB"))
    return float((pixels == tuple(bytes.fromhex(colour[1:]))).all(2).mean())
