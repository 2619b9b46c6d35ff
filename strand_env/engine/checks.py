"""Input checks, written once: every error names the argument, what was expected and what was given.

Whatever comes from outside is quoted by `shown` (values), `printable` (names and sentences) or `reason` (exceptions).
"""

import os
import re
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt


def shown(value: object) -> str:
    """A value for an error message: one printable line, not too long."""
    try:
        text = ascii(value)
    except Exception:  # as of numbers with thousands of digits, and of objects that fail to describe themselves
        text = f"<{type(value).__name__}>"
    text = _escaped(re.sub(r"\n\s*", " ", text[:2000]))  # arrays take several lines
    return text if len(text) <= 80 else text[:77] + "..."


def printable(text: object, longest: int = 200) -> str:
    """A name or a sentence from outside as one line of letters, for a terminal, a picture or a page.

    Escape sequences, line breaks and marks that turn the direction of writing are shown as escapes such as \\x1b; the
    middle of a long text is left out.
    """
    try:
        words = str(text)
    except Exception:
        words = f"<{type(text).__name__}>"
    if len(words) > 2 * longest:
        words = words[:longest] + words[-longest:]  # before the rest is escaped: it may be of any length
    return _cut(_escaped(words), longest)


def reason(error: BaseException) -> str:
    """An exception of anybody's code: its class and its message."""
    return f"{printable(type(error).__name__, 80)}: {printable(error, 300)}"


def _escaped(text: str) -> str:
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() else each.encode("unicode_escape").decode() for each in text)


def _cut(text: str, longest: int) -> str:
    ends = (longest - 1) // 2
    return text if len(text) <= longest else f"{text[: longest - 1 - ends]}…{text[-ends:]}"


def is_whole(value: object) -> bool:
    """Whether a value is an integer; True and False are not, nor NumPy's spans of time."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, (bool, np.timedelta64))


def whole_number(name: str, value: Any, least: int, most: int | None = None) -> int:
    """The value, if it is an integer within these bounds."""
    if is_whole(value) and value >= least and (most is None or value <= most):
        return int(value)
    bounds = f"of at least {least}" if most is None else f"from {least} to {most}"
    expected = f"a whole number {bounds}" if least != most else str(least)
    raise ValueError(f"{name}: expected {expected}, got {shown(value)}")


def seed_number(name: str, value: Any) -> int:
    """The value, if it is a seed."""
    if is_whole(value) and 0 <= value < 2**64:
        return int(value)
    raise ValueError(f"{name}: expected a whole number from 0 to 2**64 - 1, got {shown(value)}")


def real_number(name: str, value: Any, least: float, most: float) -> float:
    """The value, if it is a number within these finite bounds; True and False are not."""
    if isinstance(value, (int, float)) and not isinstance(value, bool) and least <= value <= most:
        return float(value)
    raise ValueError(f"{name}: expected a number from {least:,} to {most:,}, got {shown(value)}")


def text(name: str, value: Any, most: int) -> str:
    """The value, if it is a text of at most this many characters."""
    if isinstance(value, str) and len(value) <= most:
        return value
    raise ValueError(f"{name}: expected a text of at most {most:,} characters, got {shown(value)}")


def entries(name: str, value: Any, least: int, most: int | None = None) -> list[Any]:
    """The entries, if the value is a list or a tuple of `least` of them, or of `least` to `most`."""
    is_list, most = isinstance(value, (list, tuple)), least if most is None else most
    if is_list and least <= len(value) <= most:
        return list(value)
    number = f"{least:,}" if least == most else f"{least:,} to {most:,}"
    got = f"one of {len(value):,}" if is_list else shown(value)
    raise ValueError(f"{name}: expected a list of {number} {'entry' if most == 1 else 'entries'}, got {got}")


def fields_of(name: str, value: Any, needed: Collection[str], optional: Collection[str] = ()) -> dict[str, Any]:
    """The value, if it is a dict with all the needed fields, and no others than those and the optional ones."""
    if not isinstance(value, dict):
        fields = f" with the fields {', '.join(needed)}" * bool(needed)
        raise ValueError(f"{name}: expected an object{fields}; got {shown(value)}")
    missing, unknown = sorted(set(needed) - set(value)), sorted(map(str, set(value) - {*needed, *optional}))
    if missing or unknown:
        raise ValueError(f"{name}: expected other fields; missing: {shown(missing)}, unknown: {shown(unknown)}")
    return value


def checked_seat(name: str, seat: Any, num_players: int, words: tuple[str | None, ...]) -> Any:
    """The seat of a player, or one of the words that may stand in its place."""
    if is_whole(seat) and 0 <= seat < num_players:
        return int(seat)
    if (seat is None or isinstance(seat, str)) and seat in words:
        return seat
    others = "".join(f" or {word!r}" for word in words)
    raise ValueError(f"{name}: expected a number from 0 to {num_players - 1}{others}, got {shown(seat)}")


def checked_path(name: str, value: Any) -> Path:
    """The value, if it can be a path."""
    path = os.fspath(value) if isinstance(value, (str, os.PathLike)) else None
    if isinstance(path, str) and "\0" not in path:
        return Path(path)
    raise ValueError(f"{name}: expected a path, got {shown(value)}")


def one_of(name: str, value: Any, known: Collection[Any]) -> None:
    """Raises `ValueError` if the value is not among the known ones."""
    try:
        found = not isinstance(value, (bool, np.ndarray)) and value in known
    except Exception:  # not hashable, or anything else that cannot be compared
        found = False
    if not found:
        raise ValueError(f"{name}: expected one of {', '.join(map(repr, known))}; got {shown(value)}")


def checked_variant(given: Any, variants: Sequence[str]) -> str | None:
    """The given variant of a game's rules; without one the usual one, which is the first."""
    if given is None:
        return variants[0] if variants else None
    if not variants:
        raise ValueError(f"variant: this game has no variants; expected None, got {shown(given)}")
    one_of("variant", given, variants)
    return str(given)


def checked_story(story: Any) -> list[str]:
    """The sentences of a story, if it is a list of such."""
    if isinstance(story, (list, tuple)) and all(isinstance(words, str) for words in story):
        return list(story)
    raise ValueError(f"story: expected a list of sentences, got {shown(story)}")


def truth(name: str, value: Any) -> bool:
    """The value, if it is True or False."""
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    raise ValueError(f"{name}: expected True or False, got {shown(value)}")


def any_array(name: str, values: npt.ArrayLike, expected: str, dtype: npt.DTypeLike | None = None) -> npt.NDArray[Any]:
    """The values as an array of whatever shape."""
    try:
        return np.asarray(values, dtype)
    except Exception:
        raise ValueError(f"{name}: expected {expected}, got {shown(values)}") from None


def as_int64(numbers: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """The numbers in the one form that kernels are compiled for; the array itself, if it is of that form."""
    return numbers if numbers.dtype == np.int64 and numbers.flags.carray else np.array(numbers, np.int64, order="C")


def whole_numbers(name: str, values: npt.ArrayLike, expected: str = "a list of whole numbers") -> npt.NDArray[np.int64]:
    """A list of integers in the form that kernels take."""
    given = any_array(name, values, expected)
    whole = given.dtype.kind in "iu" and (given.dtype != np.uint64 or not (given >> 63).any())  # which would wrap
    if given.ndim != 1 or (given.size and not whole):
        raise ValueError(f"{name}: expected {expected}, got {shown(values)}")
    return as_int64(given)


def joint_actions(
    actions: npt.ArrayLike, shape: tuple[int, ...], meaning: str = "one action for each player of each game"
) -> npt.NDArray[np.integer]:
    """The actions as an integer array, if they have this shape."""
    if type(actions) is np.ndarray:  # without preparing a message, in each step
        given = actions
    else:
        given = any_array("actions", actions, f"an array of shape {shape}, {meaning}")
    if given.dtype.kind not in "iu":
        raise ValueError(f"actions: expected whole numbers, got dtype {given.dtype}")
    if given.shape != shape:
        raise ValueError(f"actions: expected shape {shape}, {meaning}; got {given.shape}")
    return given


def actions_of_players(actions: Any, players: int, number: int) -> list[int]:
    """One action for each player, if there are that many and all are below `number`."""
    plain = isinstance(actions, np.ndarray) and actions.ndim == 1 and actions.dtype.kind in "iu"
    chosen = list(actions) if plain or isinstance(actions, (list, tuple)) else []
    if len(chosen) != players or not all(is_whole(action) and 0 <= action < number for action in chosen):
        raise ValueError(f"actions: expected {players} from 0 to {number - 1}, one per player, got {shown(actions)}")
    return list(map(int, chosen))


def is_plain(array: Any, dtype: npt.DTypeLike, shape: tuple[int, ...]) -> bool:
    """Whether kernels can take an array: contiguous, aligned and writeable."""
    return isinstance(array, np.ndarray) and array.dtype == dtype and array.shape == shape and array.flags.carray


def plain_array(name: str, array: Any, dtype: npt.DTypeLike, shape: tuple[int, ...]) -> Any:
    """The array, if kernels can fill it."""
    if not is_plain(array, dtype, shape):
        got = f"{array.dtype} {array.shape}" if isinstance(array, np.ndarray) else shown(array)
        raise ValueError(
            f"{name}: expected a contiguous, writeable, aligned {np.dtype(dtype)} array of shape {shape}, got {got}"
        )
    return array
