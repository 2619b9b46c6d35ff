"""Records whose bytes compiled code reads in more than one way."""

from collections.abc import Mapping

import numpy as np


def with_overlays(record: np.dtype, overlays: Mapping[str, tuple[str, np.dtype]]) -> np.dtype:
    """The record with some fields also readable under another name, their bytes as larger integers.

    `overlays` gives for each new name the field that it lies over, and its type.
    """
    known = record.fields or {}
    fields = {name: known[name][:2] for name in record.names or ()}
    for name, (over, kind) in overlays.items():
        offset = fields[over][1]
        assert offset % kind.base.alignment == 0
        fields[name] = kind, offset
    formats, offsets = zip(*fields.values(), strict=True)
    return np.dtype(
        {"names": list(fields), "formats": formats, "offsets": offsets, "itemsize": record.itemsize}, align=True
    )
