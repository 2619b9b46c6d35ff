"""Records whose bytes compiled code reads in more than one way."""

from collections.abc import Mapping

import numpy as np

from strand_env.engine.jit import compiled


def with_overlays(record: np.dtype, overlays: Mapping[str, tuple[str, np.dtype]]) -> np.dtype:
    """The record with some fields also readable under another name, their bytes as larger integers.

    `overlays` gives for each new name the field that it lies over, and its type.
    """
    fields = {name: record.fields[name][:2] for name in record.names or ()}  # type: ignore[index]
    for name, (over, kind) in overlays.items():
        offset = fields[over][1]
        assert offset % kind.base.alignment == 0
        fields[name] = kind, offset
    formats, offsets = zip(*fields.values(), strict=True)
    return np.dtype(
        {"names": list(fields), "formats": formats, "offsets": offsets, "itemsize": record.itemsize}, align=True
    )


@compiled
def copy_words(source, target):
    """Copies an array of words."""
    # Four at a time, all read before they are written: the compiler makes one wide move of them.
    size = source.shape[0]
    for first in range(0, size - 3, 4):
        a, b, c, d = source[first], source[first + 1], source[first + 2], source[first + 3]
        target[first], target[first + 1], target[first + 2], target[first + 3] = a, b, c, d
    for word in range(size & ~3, size):
        target[word] = source[word]
