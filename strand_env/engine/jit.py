"""Compilation: the decorators of rules and kernels.

``compiled`` marks a function of the rules, written for one game. ``Kernel`` marks a loop over a batch: the only
functions called from Python, cached on disk by Numba. With ``NUMBA_DISABLE_JIT=1`` both stay plain Python.
"""

import hashlib
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache, cached_property
from itertools import pairwise
from queue import SimpleQueue
from threading import Thread
from types import CodeType, FunctionType, ModuleType
from typing import Any, TypeVar

import numba
import numpy as np
from numba.core import config, event
from numba.extending import register_jitable

from strand_env.engine.cache import CheckedCache

# NumPy's error model skips checks for division by zero, which would prevent vectorisation.
_OPTIONS: dict[str, Any] = {"error_model": "numpy"}
_LOOP_OPTIONS: dict[str, Any] = {"nogil": True, "no_cfunc_wrapper": True}
# Without the wrappers for calls from Python functions compile faster.
_UNWRAPPED: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, **_OPTIONS}
_PROJECT = __name__.partition(".")[0] + "."

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function) -> Function:
    """A function of the rules: compiled into the kernels that call it, unchanged when called from Python."""
    _compiled.add(function)
    return register_jitable(forceinline=True, **_UNWRAPPED)(function)


def compiled_apart(function: Function) -> Function:
    """The same, but called by the kernels, not made part of them: LLVM optimises very large functions less well."""
    _compiled.add(function)
    return register_jitable(**_UNWRAPPED)(function)


_compiled: set[Callable[..., Any]] = set()
_CONSTANTS = (int, float, str, tuple, np.generic, np.ndarray, np.dtype)


class Kernel:
    """A loop over rows ``start`` to ``stop`` of a batch: its function takes these two first and returns nothing.

    It is compiled on first use and cached on disk, releases the GIL, and can split its rows between threads, at least
    `least_rows` for each: handing rows to a thread costs about 30 µs, so smaller chunks do not pay. A `check` is a loop
    over the first of the same arguments that counts errors: if it finds any in any row, the kernel does nothing. The
    call returns that count.
    """

    def __init__(
        self, function: Callable[..., Any], check: Callable[..., int] | None = None, least_rows: int = 2048
    ) -> None:
        self._function = function
        self._checking = check
        self._least_rows = least_rows

    def __call__(self, threads: int, rows: int, *arguments: Any) -> int:
        chunks = min(threads, rows // self._least_rows, _CORES)
        if self._check is not None:  # all rows, before any is changed
            check, number = self._check
            if found := _run(check, chunks, rows, arguments[:number]):
                return found
        return _run(self._loop, chunks, rows, arguments)

    @cached_property
    def _loop(self) -> Any:
        return _cached(self._function)

    @cached_property
    def _check(self) -> tuple[Any, int] | None:
        if self._checking is None:
            return None
        return _cached(self._checking), self._checking.__code__.co_argcount - 2  # besides start and stop


def _run(loop: Any, chunks: int, rows: int, arguments: tuple[Any, ...]) -> int:
    """Runs a loop over all rows, in parallel chunks; returns the sum of its results."""
    if chunks < 2:
        return loop(0, rows, *arguments) or 0
    # A chunk belongs to the same thread in every call, so that its rows stay in the cache of one core.
    bounds = [rows * chunk // chunks for chunk in range(chunks + 1)]
    while len(_workers) < chunks - 1:
        _workers.append(_start_worker())
    results: SimpleQueue[Any] = SimpleQueue()
    for tasks, span in zip(_workers, pairwise(bounds[1:]), strict=False):
        tasks.put((results, loop, (*span, *arguments)))
    try:
        own = loop(0, bounds[1], *arguments) or 0
    finally:
        others = [results.get() for _ in range(chunks - 1)]
    for other in others:
        if isinstance(other, BaseException):
            raise other
    return own + sum(others)


_workers: list["SimpleQueue[Any]"] = []  # what each thread is given to do
_CORES = max(os.cpu_count() or 1, 2)


def _start_worker() -> "SimpleQueue[Any]":
    tasks: SimpleQueue[Any] = SimpleQueue()
    Thread(target=_work, args=(tasks,), daemon=True, name="strand_env").start()
    return tasks


def _work(tasks: "SimpleQueue[Any]") -> None:
    while True:
        results, loop, arguments = tasks.get()
        try:
            results.put(loop(*arguments) or 0)
        except BaseException as error:
            results.put(error)
        del results, arguments  # else a batch would live until the next task


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_workers.clear)  # threads do not survive a fork


@cache
def _cached(function: Any) -> Any:
    if config.DISABLE_JIT:  # type: ignore[attr-defined]  # Numba sets it at run time
        return np.errstate(over="ignore")(function)  # random streams wrap modulo 2**64
    # Numba's cache notices changes to a kernel's own file, but not to the functions it calls. A digest of all of them
    # in the name of the cache files covers those, too.
    function.__qualname__ = f"{function.__name__}_{digest_of(function)}"
    loop = numba.njit(function, **_OPTIONS, **_LOOP_OPTIONS)
    with suppress(RuntimeError):  # the cache folder is not writeable: compile in each process
        loop._cache = CheckedCache(function)
    return loop


def digest_of(function: Callable[..., Any]) -> str:
    """A digest of all that a function is compiled from: its code and the functions and constants it refers to."""
    digest = hashlib.sha256()
    seen: set[Any] = {function}

    def add(value: Any, code: CodeType) -> None:
        if isinstance(value, ModuleType):
            for name in code.co_names:  # which include the attributes read
                if isinstance(getattr(value, name, None), (*_CONSTANTS, FunctionType)):
                    add(getattr(value, name), code)
        elif isinstance(value, np.ndarray):
            digest.update(f"{value.dtype} {value.shape}".encode() + value.tobytes())
        elif isinstance(value, _CONSTANTS):
            digest.update(repr(value).encode())
        elif isinstance(value, FunctionType) and value in _compiled and value not in seen:
            seen.add(value)
            add_function(value)

    def add_function(written: Any) -> None:
        code = written.__code__
        digest.update(code.co_code + repr((code.co_consts, code.co_names, code.co_varnames)).encode())
        for name in code.co_names:
            if name in written.__globals__:
                digest.update(name.encode())
                add(written.__globals__[name], code)
        for cell in written.__closure__ or ():
            add(cell.cell_contents, code)

    add_function(function)
    return digest.hexdigest()[:12]


class _Announcement(event.Listener):
    """Explains once why the first use takes a while."""

    said = False

    def on_start(self, compilation: event.Event) -> None:
        module = compilation.data["dispatcher"].py_func.__module__ or ""
        if not self.said and module.startswith(_PROJECT):
            self.said = True
            print("strand_env: compiling the game's kernels, once per installation (under a minute) …", file=sys.stderr)

    def on_end(self, compilation: event.Event) -> None:
        pass


event.register("numba:compile", _Announcement())
