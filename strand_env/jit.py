"""Compiled code: what the games' rules and kernels are decorated with.

``compiled`` marks a function of the rules, written for one game. ``kernel`` marks a loop over a batch: the only
functions Python calls, kept in Numba's cache on disk. With ``NUMBA_DISABLE_JIT=1`` both leave plain Python.
"""

import hashlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numba
import numpy as np
from numba.core import config, event

Function = TypeVar("Function", bound=Callable[..., Any])


def _digest_of_sources() -> str:
    sources = sorted(Path(__file__).parent.rglob("*.py"))
    return hashlib.sha256(b"".join(source.read_bytes() for source in sources)).hexdigest()[:12]


_SOURCES = _digest_of_sources()


def compiled(function: Function) -> Function:
    """A function of the rules: compiled into the kernels that call it."""
    return numba.njit(function, forceinline=True)


def kernel(function: Function) -> Function:
    """A loop over a batch: compiled once per machine; other Python threads run beside it."""
    if config.DISABLE_JIT:  # type: ignore[attr-defined]  # Numba sets it at run time
        return np.errstate(over="ignore")(function)  # the random streams count modulo 2**64
    # Numba's cache notices a change of the file a kernel stands in, but not of the files with the functions it
    # calls. The digest of all of them, in the name that the cache files bear, makes it notice those, too.
    function.__qualname__ = f"{function.__qualname__}_{_SOURCES}"
    try:
        return numba.njit(function, cache=True, nogil=True)
    except RuntimeError:  # no folder that the cache could be written to: compile in each process
        return numba.njit(function, nogil=True)


class _Announcement(event.Listener):
    """Says once why the first use takes a while."""

    said = False

    def on_start(self, compilation: event.Event) -> None:
        module = compilation.data["dispatcher"].py_func.__module__
        if not self.said and module.startswith(__package__ + "."):
            self.said = True
            print("strand_env: compiling the game's kernels, once per machine (under a minute) …", file=sys.stderr)

    def on_end(self, compilation: event.Event) -> None:
        pass


event.register("numba:compile", _Announcement())
