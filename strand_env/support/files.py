"""Atomic writing of files."""

import os
import secrets
from pathlib import Path


def write_whole(path: str | os.PathLike[str], content: bytes) -> None:
    """Writes a file atomically: it appears, or replaces an older one, only when it is complete."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f".{secrets.token_hex(8)}.unfinished")
    try:
        with unfinished.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(unfinished, path)
    except OSError as error:
        if error.errno is None:
            raise
        raise OSError(error.errno, error.strerror, os.fspath(path)) from error  # with the intended name
    finally:
        unfinished.unlink(missing_ok=True)
