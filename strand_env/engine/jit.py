"""Compiled code: what the games' rules and kernels are decorated with.

``compiled`` marks a function of the rules, written for one game. ``Kernel`` marks a loop over a batch: the only
functions Python calls, kept in Numba's cache on disk. With ``NUMBA_DISABLE_JIT=1`` both leave plain Python.
"""

import hashlib
import inspect
import sys
from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path
from threading import Lock
from types import ModuleType
from typing import Any, TypeVar

import numba
import numpy as np
from llvmlite import ir
from numba import prange, types
from numba._dispatcher import compute_fingerprint
from numba.core import cgutils, config, event
from numba.extending import intrinsic, register_jitable

# Divisions are not looked at for zeros, which would keep them from being vectorised.
_OPTIONS: dict[str, Any] = {"error_model": "numpy"}

Function = TypeVar("Function", bound=Callable[..., Any])


@cache
def _digest_of_sources(*folders: Path) -> str:
    """Of all the code that a kernel in the first folder may be compiled from: what lies there and in the others, and
    what the games share.
    """
    here = Path(__file__).parent
    sources = [here / f"{name}.py" for name in ("bits", "jit", "randomness")]
    for folder in folders:
        sources += sorted(folder.glob("*.py")) if folder != here else []
    return hashlib.sha256(b"".join(source.read_bytes() for source in sources)).hexdigest()[:12]


def compiled(function: Function) -> Function:
    """A function of the rules: compiled into the kernels that call it. For Python it stays as it is."""
    # What calling compiled code from Python would need is left out, which makes compiling faster.
    return register_jitable(forceinline=True, no_cpython_wrapper=True, no_cfunc_wrapper=True, **_OPTIONS)(function)


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


class Kernel:
    """A loop over games ``start`` to ``stop`` of a batch; its function takes these two first, and returns nothing.

    It is compiled once per installation, lets other Python threads run beside it, and can share the games between
    threads: at least `least_games` to each, as fewer are done before another thread is awake. With a `check`, a loop
    that takes the first of the same arguments, nothing is done unless it finds nothing (returns 0) in all games; the
    call returns what it found. Modules from other folders that it is compiled from have to be named.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        check: Callable[..., int] | None = None,
        least_games: int = 256,
        modules: Sequence[ModuleType] = (),
    ) -> None:
        self._least_games = least_games
        files = inspect.getfile(function), *(inspect.getfile(module) for module in modules)
        digest = _digest_of_sources(*(Path(file).parent for file in files))
        self._loop = _Loop(function, digest, _run_in_chunks)
        self._check = None if check is None else _Loop(check, digest, _count_in_chunks)

    def __call__(self, threads: int, games: int, *arguments: Any) -> int:
        chunks = min(threads, games // self._least_games)
        found = 0 if self._check is None else self._check(chunks, games, arguments)
        if not found:  # no thread goes on before all have checked
            self._loop(chunks, games, arguments)
        return found


class _Loop:
    """A loop over games, done by one thread or by several.

    To several it is given by its address. Called by its name where threads are started, it would be compiled there once
    more, which takes as long as all the rest.
    """

    def __init__(self, function: Callable[..., Any], digest: str, in_chunks: Callable[..., Any]) -> None:
        self._number_of_arguments = len(inspect.signature(function).parameters) - 2  # besides start and stop
        self._function = _cached(function, digest)
        self._in_chunks = in_chunks
        self._addresses: dict[bytes, int] = {}  # by the types of arguments, for each of which it is compiled apart

    def __call__(self, chunks: int, games: int, arguments: tuple[Any, ...]) -> Any:
        arguments = arguments[: self._number_of_arguments]
        if chunks < 2 or config.DISABLE_JIT:  # type: ignore[attr-defined]
            return self._function(0, games, *arguments)
        types_of_arguments = compute_fingerprint(arguments)
        if types_of_arguments not in self._addresses:
            self._addresses[types_of_arguments] = self._address(arguments)
        with _one_at_a_time:
            return self._in_chunks(self._addresses[types_of_arguments], chunks, games, arguments)

    def _address(self, arguments: tuple[Any, ...]) -> int:
        signature = types.int64, types.int64, *map(numba.typeof, arguments)
        self._function.compile(signature)
        compiled_loop = self._function.overloads[signature]
        return compiled_loop.library.get_pointer_to_function(compiled_loop.fndesc.llvm_cfunc_wrapper_name)


_one_at_a_time = Lock()  # one of Numba's ways to run threads breaks if it is used twice at once


def _call_returning(returned: Any) -> Any:
    """For compiled code, a call of a loop by its address."""

    @intrinsic
    def call(typing_context, address, start, stop, arguments):
        def generate(context, builder, signature, values):
            address, start, stop, arguments = values
            taken = types.int64, types.int64, *signature.args[3]
            loop_type = ir.FunctionType(context.get_value_type(returned), [context.get_value_type(t) for t in taken])
            loop = builder.inttoptr(address, loop_type.as_pointer())
            return builder.call(loop, [start, stop, *cgutils.unpack_tuple(builder, arguments)])

        return returned(types.int64, types.int64, types.int64, arguments), generate

    return call


_run, _count = _call_returning(types.none), _call_returning(types.int64)


@partial(_cached, digest=_digest_of_sources(Path(__file__).parent), parallel=True)
def _run_in_chunks(address, chunks, games, arguments):
    for chunk in prange(chunks):
        _run(address, games * chunk // chunks, games * (chunk + 1) // chunks, arguments)


@partial(_cached, digest=_digest_of_sources(Path(__file__).parent), parallel=True)
def _count_in_chunks(address, chunks, games, arguments):
    found = 0
    for chunk in prange(chunks):
        found += _count(address, games * chunk // chunks, games * (chunk + 1) // chunks, arguments)
    return found


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
