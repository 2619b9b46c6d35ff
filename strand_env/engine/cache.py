"""Numba's cache of compiled kernels, with checksums: files that were cut off or garbled are compiled again.

Numba itself unpickles whatever it finds, and every command would fail after a power cut at the wrong moment.
"""

import hashlib
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

from numba.core.caching import FunctionCache, IndexDataCacheFile

_DIGEST_BYTES = hashlib.sha256().digest_size


class CheckedCache(FunctionCache):
    """The cache of one kernel. If it cannot be written, as on a full disk, the next process compiles again."""

    def __init__(self, function: Any) -> None:
        super().__init__(function)
        stamp = self._impl.locator.get_source_stamp()
        self._cache_file = CheckedFile(self._cache_path, self._impl.filename_base, stamp)

    def save_overload(self, sig: Any, data: Any) -> None:
        with suppress(OSError):
            super().save_overload(sig, data)


class CheckedFile(IndexDataCacheFile):
    """Index and data files that end in the digest of the rest. Pickles end by themselves, so Numba can read them."""

    said = False

    def _load_index(self) -> Any:
        return super()._load_index() if self._is_whole(self._index_path) else {}

    def _load_data(self, name: str) -> Any:
        if not self._is_whole(self._data_path(name)):
            raise FileNotFoundError(name)  # after which Numba compiles
        return super()._load_data(name)

    @contextmanager
    def _open_for_write(self, filepath: str) -> Iterator[BinaryIO]:
        with super()._open_for_write(filepath) as file:
            content = BytesIO()
            yield content
            file.write(content.getvalue() + hashlib.sha256(content.getvalue()).digest())

    def _is_whole(self, path: str) -> bool:
        """Whether a file is there as it was written. One that is not is removed."""
        try:
            content = Path(path).read_bytes()
        except OSError:
            return False
        if hashlib.sha256(content[:-_DIGEST_BYTES]).digest() == content[-_DIGEST_BYTES:]:
            return True
        if not CheckedFile.said:
            CheckedFile.said = True
            print("strand_env: a damaged cache of compiled kernels is discarded; compiling again …", file=sys.stderr)
        with suppress(OSError):
            os.unlink(path)
        return False
