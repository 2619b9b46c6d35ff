"""A fault planted into one module as it is imported: no file changes, and child processes have it, too."""

import os
import sys
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path
from typing import Any

FAULT = "STRAND_FAULT"  # names a file that holds the module's name, its path, and then its source


class _Loader(SourceFileLoader):
    def __init__(self, name: str, path: str, source: str) -> None:
        super().__init__(name, path)
        self._source = source

    def get_code(self, fullname: str) -> Any:
        return compile(self._source, self.path, "exec", dont_inherit=True)


class _Finder:
    def __init__(self, name: str, path: str, source: str) -> None:
        self._name, self._path, self._source = name, path, source

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if name != self._name:
            return None
        return spec_from_file_location(name, self._path, loader=_Loader(name, self._path, self._source))


def plant() -> None:
    """Plants what the environment names, if it does."""
    if file := os.environ.get(FAULT):
        name, path, source = Path(file).read_text("utf-8").split("\n", 2)
        sys.meta_path.insert(0, _Finder(name, path, source))  # type: ignore[arg-type]
