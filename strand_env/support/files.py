"""Atomic writing of files."""

import os
import secrets
from collections.abc import Mapping
from pathlib import Path

from strand_env.engine.checks import checked_path

UNFINISHED = ".unfinished"


def write_whole(path: str | os.PathLike[str], content: bytes) -> None:
    """Writes a file atomically: it appears, or replaces an older one, only when it is complete."""
    write_together({checked_path("path", path): content})


def write_together(contents: Mapping[Path, bytes]) -> None:
    """Writes files that belong together: none replaces an older one before all of them are complete."""
    unfinished: dict[Path, Path] = {}
    path = Path()
    try:
        for path, content in contents.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            unfinished[path] = path.with_name(f".{secrets.token_hex(8)}{UNFINISHED}")
            with unfinished[path].open("xb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
        for path, written in unfinished.items():
            os.replace(written, path)
    except OSError as error:
        if error.errno is None:
            raise
        raise OSError(error.errno, error.strerror, os.fspath(path)) from error  # with the intended name
    finally:
        for written in unfinished.values():
            written.unlink(missing_ok=True)


def sweep(*folders: Path) -> None:
    """Removes what processes that were killed while writing left behind in these folders."""
    for folder in folders:
        for left in folder.glob(f".*{UNFINISHED}"):
            left.unlink(missing_ok=True)
