"""Damages of any file, and of JSON: each has a name, what it does to a file, and whether that may still be accepted."""

import json
import os
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

Damage = Callable[[Path], None]
Damages = Iterator[tuple[str, Damage, bool]]


# Damages of any file


def writing(content: bytes) -> Damage:
    return lambda path: path.write_bytes(content) and None


def _instead(make: Callable[[Path], object]) -> Damage:
    def damage(path: Path) -> None:
        path.unlink()
        make(path)

    return damage


def _sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(2**40)


NO_FILES: dict[str, Callable[[Path], object]] = {
    "a folder": Path.mkdir,
    "a pipe": os.mkfifo,
    "a link to /dev/zero": lambda path: path.symlink_to("/dev/zero"),
    "a link to nowhere": lambda path: path.symlink_to("nowhere"),
    "a link to itself": lambda path: path.symlink_to(path.name),
    "a terabyte of nothing": _sparse,
}


def of_any_file(content: bytes, flips: int = 6, tolerant: bool = False) -> Damages:
    """Damages that need not know what is in a file; `tolerant` formats may have something before or after them."""
    rng = random.Random(len(content))
    yield from ((name, _instead(make), False) for name, make in NO_FILES.items())
    yield "a name with escapes", writing(content[: len(content) // 2]), False
    for share in (0, 0.01, 0.25, 0.5, 0.75, 0.99):
        cut = content[: int(share * len(content))]
        yield f"cut off after {share:.0%}", writing(cut), False
        yield f"zeros after {share:.0%}", writing(cut.ljust(len(content), b"\0")), False
    yield "the end cut off", writing(content[:-3]), False
    yield "twice", writing(content * 2), tolerant
    yield "garbage", writing(rng.randbytes(5000)), False
    yield "garbage of letters", writing(bytes(rng.choices(b'{}[]",:0123456789.-eE truefalsn\\', k=5000))), False
    for number in range(flips):
        flipped = bytearray(content)
        flipped[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
        yield f"bit flip {number}", writing(bytes(flipped)), True


# Damages of JSON


WRONG: dict[str, Any] = {
    "null": None,
    "true": True,
    "-1": -1,
    "1e300": 1e300,
    "a text": "\x1b[2Jx",
    "an empty list": [],
    "an object": {"a": 1},
    "5,000 letters": "x" * 5000,
}


def of_json(content: bytes, wrong: Any = WRONG, free: Any = (), flips: int = 6) -> Damages:
    """All of any file, and wrong values for each field; the `free` fields may be anything."""
    yield from of_any_file(content, flips)
    data = json.loads(content)
    yield from _texts(json.dumps(data), next(iter(data)))
    for field, good in data.items():
        left = {name: value for name, value in data.items() if name != field}
        yield f"{field}: missing", as_json(left), field in free
        for name, value in wrong.items():
            if type(value) is not type(good) or value != good:
                yield f"{field}: {name}", as_json({**data, field: value}), field in free
    yield "a field more", as_json({**data, "\x1b[2Jmore": 1}), False
    yield "100,000 fields more", as_json({**data, **dict.fromkeys(map(str, range(100_000)), 0)}), False


def as_json(data: Any) -> Damage:
    return writing(json.dumps(data).encode())


def _texts(good: str, field: str) -> Damages:
    first = good.index(":") + 1
    value = json.dumps(json.loads(good)[field])
    texts = {
        "a key twice": good[:-1] + f', "{field}": {value}}}',
        "a number of 5,000 digits": good[:first] + "9" * 5000 + good[first + len(value) + 1 :],
        "NaN": good[:first] + "NaN" + good[first + len(value) + 1 :],
        "-Infinity": good[:first] + "-Infinity" + good[first + len(value) + 1 :],
        "1e999": good[:first] + "1e999" + good[first + len(value) + 1 :],
        "lists, deep": "[" * 100_000,
        "objects, deep": '{"a":' * 100_000,
        "a deep value": good[:-1] + ', "more": ' + "[" * 5000 + "]" * 5000 + "}",
        "100 MB": good + " " * 10**8,
        "a list": f"[{good}]",
        "null": "null",
        "a text": '"' + r"\ud800" * 1000 + '"',
        "another encoding": good.encode("utf-16").decode("latin-1"),
    }
    return ((name, writing(text.encode("latin-1")), False) for name, text in texts.items())
