"""Numba's cache of compiled kernels, with checksums: files that were cut off or garbled are compiled again.

Numba itself unpickles whatever it finds, and every command would fail after a power cut at the wrong moment. And of
processes that start at the same time, it would have each compile the same kernels: here one does, and others wait.
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

try:
    import fcntl
except ImportError:  # as on Windows: there, each process compiles for itself
    fcntl = None  # type: ignore[assignment]

_DIGEST_BYTES = hashlib.sha256().digest_size


class CheckedCache(FunctionCache):
    """The cache of one kernel. If it cannot be written, as on a full disk, the next process compiles again."""

    def __init__(self, function: Any) -> None:
        super().__init__(function)
        stamp = self._impl.locator.get_source_stamp()
        self._cache_file = CheckedFile(self._cache_path, self._impl.filename_base, stamp)
        self._lock = Lock(os.path.join(self._cache_path, f"{self._impl.filename_base}.lock"))

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """What was compiled before; if nothing was, None, and the lock is held until it is saved."""
        found = super().load_overload(sig, target_context)
        if found is None:
            with suppress(OSError):
                self._impl.locator.ensure_cache_path()
            self._lock.acquire()
            found = super().load_overload(sig, target_context)  # perhaps by the process that had the lock
            if found is not None:
                self._lock.release()
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            with suppress(OSError):
                super().save_overload(sig, data)
        finally:
            self._lock.release()


class Lock:
    """A lock between processes: a file, gone when the lock is released. A process that dies releases its locks.

    Where it cannot be had (a full disk, a file system without locks), nothing is locked.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._file: int | None = None

    def acquire(self) -> None:
        """Waits for the lock. Whoever has it keeps it, which is how a failed compilation leaves it."""
        if fcntl is None or self._file is not None:
            return
        with suppress(OSError):
            file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
            try:
                fcntl.flock(file, fcntl.LOCK_EX)
            except OSError:
                os.close(file)
            else:
                self._file = file

    def release(self) -> None:
        """Those who wait for a removed file, and those who make a new one, find what was compiled: none compiles."""
        if self._file is not None:
            with suppress(OSError):
                os.unlink(self._path)
            os.close(self._file)
            self._file = None


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
