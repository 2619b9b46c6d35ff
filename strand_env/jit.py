"""Compiled code: what the games' rules and kernels are decorated with.

``compiled`` marks a function of the rules, written for one game. ``Kernel`` marks a loop over a batch: the only
functions Python calls, kept in Numba's cache on disk. With ``NUMBA_DISABLE_JIT=1`` both leave plain Python.
"""

import hashlib
import inspect
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from threading import Lock
from types import FunctionType
from typing import Any, TypeVar

import numba
import numpy as np
from numba.core import config, event
from numba.extending import register_jitable

# Divisions are not looked at for zeros, which would keep them from being vectorised.
_OPTIONS: dict[str, Any] = {"error_model": "numpy"}

Function = TypeVar("Function", bound=Callable[..., Any])


@cache
def _digest_of_sources(folder: Path) -> str:
    """Of all the code that a kernel in this folder may be compiled from: its game's, and what the games share."""
    here = Path(__file__).parent
    shared = [here / f"{name}.py" for name in ("bits", "jit", "randomness")]
    sources = shared + (sorted(folder.glob("*.py")) if folder != here else [])
    return hashlib.sha256(b"".join(source.read_bytes() for source in sources)).hexdigest()[:12]


def compiled(function: Function) -> Function:
    """A function of the rules: compiled into the kernels that call it. For Python it stays as it is."""
    # What calling compiled code from Python would need is left out, which makes compiling faster.
    return register_jitable(forceinline=True, no_cpython_wrapper=True, no_cfunc_wrapper=True, **_OPTIONS)(function)


class Kernel:
    """A loop over games ``start`` to ``stop`` of a batch; the loop's function takes these two first.

    It is compiled once per installation, lets other Python threads run beside it, and can share the games between
    threads: at least `least_games` to each, as fewer are done before another thread is awake. With a `check`, a loop
    with the same arguments, nothing is done unless it finds nothing (returns 0) in all games; the call returns what it
    found.
    """

    def __init__(
        self, function: Callable[..., Any], check: Callable[..., int] | None = None, least_games: int = 256
    ) -> None:
        self._least_games = least_games
        digest = _digest_of_sources(Path(inspect.getfile(function)).parent)
        self._loop = _cached(function, digest)
        self._check = None if check is None else _cached(check, digest)
        # A function of its own for each kernel, which finds the loops among its globals: Numba's cache does not
        # recognise one that finds them in a closure.
        template = _in_chunks if check is None else _checked_in_chunks
        its_globals = {"loop": self._loop, "check": self._check, "prange": numba.prange}
        in_chunks = FunctionType(template.__code__, its_globals, function.__name__)
        in_chunks.__qualname__ = f"{function.__module__.replace('.', '_')}_{function.__name__}_in_chunks"
        in_chunks.__module__ = function.__module__
        self._together = _cached(in_chunks, digest, parallel=True)

    def __call__(self, threads: int, games: int, *arguments: Any) -> int:
        chunks = min(threads, games // self._least_games)
        if chunks >= 2:
            with _one_at_a_time:
                return self._together(games, chunks, arguments)
        found = 0 if self._check is None else self._check(0, games, *arguments)
        if not found:
            self._loop(0, games, *arguments)
        return found


_one_at_a_time = Lock()  # one of Numba's ways to run threads breaks if it is used twice at once


# ruff: noqa: F821
def _in_chunks(games, chunks, arguments):
    for chunk in prange(chunks):
        loop(games * chunk // chunks, games * (chunk + 1) // chunks, *arguments)
    return 0


def _checked_in_chunks(games, chunks, arguments):
    found = 0
    for chunk in prange(chunks):
        found += check(games * chunk // chunks, games * (chunk + 1) // chunks, *arguments)
    if found == 0:  # no thread goes on before all have checked
        for chunk in prange(chunks):
            loop(games * chunk // chunks, games * (chunk + 1) // chunks, *arguments)
    return found


def _cached(function: Any, digest: str, parallel: bool = False) -> Any:
    if config.DISABLE_JIT:  # type: ignore[attr-defined]  # Numba sets it at run time
        return np.errstate(over="ignore")(function)  # the random streams count modulo 2**64
    # Numba's cache notices a change of the file a kernel stands in, but not of the files with the functions it
    # calls. The digest of all of them, in the name that the cache files bear, makes it notice those, too.
    function.__qualname__ = f"{function.__qualname__}_{digest}"
    try:
        return numba.njit(function, cache=True, nogil=True, parallel=parallel, **_OPTIONS)
    except RuntimeError:  # no folder that the cache could be written to: compile in each process
        return numba.njit(function, nogil=True, parallel=parallel, **_OPTIONS)


class _Announcement(event.Listener):
    """Says once why the first use takes a while."""

    said = False

    def on_start(self, compilation: event.Event) -> None:
        module = compilation.data["dispatcher"].py_func.__module__ or ""
        if not self.said and module.startswith(__package__ + "."):
            self.said = True
            print("strand_env: compiling the game's kernels, once per installation (under a minute) …", file=sys.stderr)

    def on_end(self, compilation: event.Event) -> None:
        pass


event.register("numba:compile", _Announcement())
