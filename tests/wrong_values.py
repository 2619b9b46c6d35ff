"""Values of all types, most of them wrong wherever they are given, and arguments that know which ones are right."""

import datetime
import decimal
import enum
import fractions
import math
import random
from collections import OrderedDict, UserDict, UserList
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType, SimpleNamespace
from typing import Any

import numpy as np

from strand_env.engine.checks import is_whole

ESCAPES = "\x1b[2J\nstrand: forged\u202e\udcff"


class Unspeakable:
    """Cannot be described."""

    def __repr__(self) -> str:
        raise RuntimeError("never")


class Hostile:
    """Fails in whatever it is asked, in words that must not be shown as ours."""

    def __getattr__(self, name: str) -> Any:
        raise RuntimeError(f"no {name}")

    def __bool__(self) -> bool:
        raise RuntimeError("neither")

    def __len__(self) -> int:
        raise RuntimeError("no length")

    def __iter__(self) -> Any:
        raise RuntimeError("no items")

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("not comparable")

    def __hash__(self) -> int:
        raise RuntimeError("no hash")


class Indexed:
    def __index__(self) -> int:
        return 1


class Colour(enum.IntEnum):
    RED = 1


class Word(str):
    __slots__ = ()


class Number(int):
    pass


def deep(levels: int = 2000) -> list[Any]:
    nested: list[Any] = []
    for _ in range(levels):
        nested = [nested]
    return nested


def recursive() -> list[Any]:
    itself: list[Any] = []
    itself.append(itself)
    return itself


NUMBERS = (
    *(-1, 0, 1, 2, 3, 4, 5, 7, 57, 2**31, 2**63, 2**64 - 1, 2**64, -(2**63) - 1, 10**5000, Number(99), True, False),
    *(-0.0, 1.0, 1.5, math.nan, math.inf, -math.inf, 1e300, 1j, decimal.Decimal(1), fractions.Fraction(1, 2)),
    *(np.int8(-1), np.uint64(2**64 - 1), np.float32(0.5), np.float64("nan"), np.timedelta64(1, "D")),
)
TEXTS = (
    *("", " ", "x", "0", "1", "player_0", "all", ESCAPES, "x" * 100_000, "\0", Word("win?"), "../..", "file.py:Class"),
    *(b"", b"x", bytearray(b"12"), memoryview(b"123"), b"\xff" * 10, np.str_("x"), np.bytes_(b"x"), Path("nowhere")),
)
COLLECTIONS = (
    *([], [None], ["x"], [ESCAPES], [0.5], [math.nan], [[0]], [[0], [0, 0]], [[]], [True], [2**70], [-1], [99]),
    *((), (None,), ("x",), (1.5, 2), range(0), range(3), range(10**6), slice(None), UserList([1])),
    *({}, {"x": 1}, {1: 2}, {None: None}, {ESCAPES: ESCAPES}, {"snapshot": 1}, {"snapshot": {}}, {"seed": "x"}),
    *(set(), {1, 2}, frozenset(["x"]), OrderedDict(a=1), UserDict(a=1), MappingProxyType({"a": 1})),
)
ARRAYS = (
    *(np.array(0.5), np.array(None), np.array("x"), np.void(b"x"), np.array([None, 1]), np.array(["a", "b"])),
    *(np.empty(0), np.zeros((0, 3), int), np.zeros(3), np.zeros((2, 2)), np.zeros((2, 3, 4), np.int8)),
    *(np.full(4, np.nan), np.array([2**63], np.uint64), np.zeros(2, "i4,f8"), np.ma.masked_array([1, 2], [0, 1])),
    *(np.array([1j]), np.zeros(3, "M8[s]"), np.array([1, 2], object)),
)
OBJECTS = (
    *(None, Ellipsis, NotImplemented, int, object, len, math, lambda: 0, type("X", (), {}), datetime.date(2024, 1, 1)),
    *(Unspeakable(), Hostile(), Indexed(), Colour.RED, SimpleNamespace(act=1), ValueError("x")),
    *(np.datetime64("2024-01-01"), open.__class__),
)


def _giving(value: Any) -> Callable[[], Any]:
    return lambda: value


# Functions, since iterators are used up.
SINGLE: tuple[Callable[[], Any], ...] = (
    *map(_giving, (*NUMBERS, *TEXTS, *COLLECTIONS, *ARRAYS, *OBJECTS)),
    *(deep, recursive, lambda: iter([0]), lambda: (each for each in (0, 1))),
)


def some_value(rng: random.Random, depth: int = 0) -> Any:
    """A single value, or a list, tuple, dict or array of such."""
    if depth > 2 or rng.random() < 0.5:
        return rng.choice(SINGLE)()
    items = [some_value(rng, depth + 1) for _ in range(rng.randrange(5))]
    kind = rng.randrange(4)
    if kind == 0:
        return items
    if kind == 1:
        return tuple(items)
    if kind == 2:
        names = ["snapshot", "seed", "players", "x", ESCAPES, "0", "action_mask", "player_0", "games", "moves"]
        return {rng.choice(names): item for item in items}
    shape = tuple(rng.randrange(4) for _ in range(rng.randrange(1, 4)))
    dtype = rng.choice([np.int8, np.int64, np.uint64, np.float32, np.float64, np.bool_, object, "U3", ">i4"])
    return np.full(shape, rng.choice([0, 1, 3]), dtype)


# Arguments


@dataclass(frozen=True)
class Argument:
    """A right value, and whether a value may be right, too: such ones are not tried."""

    good: Any
    may_be_right: Callable[[Any], bool]
    named: str = ""  # what else errors may call it, as a regular expression


def number(good: int | None, least: int, most: int | None = None, named: str = "") -> Argument:
    def right(value: Any) -> bool:
        if value is None:
            return good is None
        if isinstance(value, np.ndarray):
            return value.ndim == 0 and value.dtype.kind in "iu"
        return is_whole(value) and value >= least and (most is None or value <= most)

    return Argument(good, right, named)


def seed(good: Any = 1, optional: bool = True, several: int = 0) -> Argument:
    """A seed, or with `several` also that many."""
    one = number(1, 0, 2**64 - 1).may_be_right

    def right(value: Any) -> bool:
        if one(value) or (value is None and optional):
            return True
        items = list_of(value)
        return bool(several) and items is not None and len(items) == several and all(map(one, items))

    return Argument(good, right)


def choice(good: Any, *known: Any, named: str = "") -> Argument:
    def right(value: Any) -> bool:
        plain = value is None or isinstance(value, (str, int, np.integer))
        return plain and not isinstance(value, (bool, np.bool_)) and value in (good, *known)

    return Argument(good, right, named)


def flag(good: bool = False) -> Argument:
    return Argument(good, lambda value: isinstance(value, (bool, np.bool_)))


def anything(good: Any) -> Argument:
    """An argument of which no value is wrong."""
    return Argument(good, lambda value: True)


def instance(good: Any, *kinds: type, named: str = "") -> Argument:
    return Argument(good, lambda value: isinstance(value, kinds), named)


def array_of(value: Any) -> np.ndarray | None:
    """A value as an array, if it is one or a list of one; no iterators, nor what fails."""
    kinds = (list, tuple, range, int, float, memoryview, bytearray, UserList, np.generic, np.ndarray)
    if isinstance(value, kinds):
        try:
            return np.asarray(value)
        except Exception:
            return None
    return None


def list_of(value: Any) -> list[Any] | None:
    if isinstance(value, np.ndarray):
        return value.tolist() if value.ndim == 1 else None
    return list(value) if isinstance(value, (list, tuple, range, bytearray, memoryview, UserList)) else None


def whole_array(good: Any, shape: tuple[int, ...], named: str = "") -> Argument:
    """Integers of a shape; which of them are accepted is not decided here."""

    def right(value: Any) -> bool:
        array = array_of(value)
        return (value is None and good is None) or (
            array is not None and array.dtype.kind in "iu" and array.shape == shape
        )

    return Argument(good, right, named)


def rows(good: Any, most: int, named: str = "", least: int = 0) -> Argument:
    """A list of as many integers from `least` to `most` as are good."""

    def right(value: Any) -> bool:
        array = array_of(value)
        whole = array is not None and array.ndim == 1 and (array.dtype.kind in "iu" or array.size == 0)
        return (
            whole
            and array is not None
            and len(array) == len(good)
            and all(least <= int(each) <= most for each in array)
        )

    return Argument(good, right, named)


def which(good: Any, games: int) -> Argument:
    """A mask, or a list of numbers of games."""

    def right(value: Any) -> bool:
        array = array_of(value)
        if value is None or array is None or array.ndim != 1:
            return value is None
        if array.dtype == np.bool_:
            return array.shape == (games,)
        return array.size == 0 or (array.dtype.kind in "iu" and all(0 <= int(each) < games for each in array))

    return Argument(good, right)


def out(good: np.ndarray | None, shape: tuple[int, ...], dtype: Any) -> Argument:
    def right(value: Any) -> bool:
        same = isinstance(value, np.ndarray) and value.shape == shape and value.dtype == dtype
        return (value is None and good is None) or same

    return Argument(good, right)


def options(good: Any, known: Collection[str]) -> Argument:
    """A mapping or None; others than the known names change nothing."""

    def right(value: Any) -> bool:
        if value is None:
            return True
        return isinstance(value, Mapping) and all(value.get(name) is None for name in ("snapshot", *known))

    return Argument(good, right, named="options|snapshot|" + "|".join(known))


def agent(good: Any, names: Sequence[str], named: str = "agent") -> Argument:
    """The name of an agent; that of a folder may be one."""

    def right(value: Any) -> bool:
        return isinstance(value, str) and (value in names or value == "../..")

    return Argument(good, right, f"{named}|no such file")


def path(good: Any) -> Argument:
    return Argument(good, lambda value: isinstance(value, (str, Path)) and "\0" not in str(value))
