"""The base of rulesets: a game's parameters, as frozen data."""

from collections.abc import Mapping
from dataclasses import Field, fields
from typing import Any, Self, TypeVar

import numpy as np

from strand_env.engine.checks import is_whole, shown
from strand_env.engine.protocol import Ruleset

ADDED_LATER = {"added later": True}

R = TypeVar("R", bound=Ruleset)


def _added_later(field: Field[Any]) -> bool:
    return "added later" in field.metadata


class RulesetBase:
    """For frozen dataclasses of plain data: lists become tuples; `to_dict` and `from_dict` convert to and from JSON.

    A game adds its checks, in a `__post_init__` that calls this one, and `for_kernels(num_players, variant)`: an array
    of one record with everything that its compiled rules read. A field with the metadata `ADDED_LATER` may be missing
    in data, as in files from before it was there, and is left out of them while it has its default.
    """

    def __post_init__(self) -> None:
        for each in fields(self):  # type: ignore[arg-type]
            object.__setattr__(self, each.name, _frozen(getattr(self, each.name)))

    @classmethod
    def default(cls) -> Self:
        """The standard rules."""
        return cls()

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The ruleset that `to_dict` wrote."""
        names = {each.name for each in fields(cls)}  # type: ignore[arg-type]
        later = {each.name for each in fields(cls) if _added_later(each)}  # type: ignore[arg-type]
        if not isinstance(data, Mapping) or not names - later <= set(data) <= names:
            got = sorted(map(str, data)) if isinstance(data, Mapping) else data
            may = f" and perhaps {sorted(later)}" if later else ""
            raise ValueError(f"ruleset: expected the keys {sorted(names - later)}{may}, got {shown(got)}")
        return cls(**data)

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON."""
        return {
            each.name: _thawed(getattr(self, each.name))
            for each in fields(self)  # type: ignore[arg-type]
            if not (_added_later(each) and getattr(self, each.name) == each.default)
        }


def checked_ruleset(given: Any, kind: type[R]) -> R:
    """The given ruleset, if it is of this kind; without one the default."""
    if given is None:
        return kind.default()
    if not isinstance(given, kind):
        raise ValueError(f"ruleset: expected a {kind.__name__} of this game or None, got {shown(given)}")
    return given


def check_length(name: str, value: Any, length: int) -> None:
    if not isinstance(value, tuple) or len(value) != length:
        raise ValueError(f"ruleset.{name}: expected {length} entries, got {shown(value)}")


def check_counts(name: str, value: Any, length: int, most: int) -> None:
    """Raises `ValueError` unless the value is a tuple of `length` integers from 0 to `most`."""
    check_length(name, value, length)
    if not all(is_whole(count) and 0 <= count <= most for count in value):
        raise ValueError(f"ruleset.{name}: expected whole numbers from 0 to {most}, got {shown(value)}")


def check_choice(name: str, value: Any, most: int, least: int) -> None:
    """Raises `ValueError` unless the value is a tuple of at least `least` numbers from 0 to `most`, ascending."""
    numbers = isinstance(value, tuple) and all(is_whole(each) and 0 <= each <= most for each in value)
    if not numbers or list(value) != sorted(set(value)) or len(value) < least:
        raise ValueError(
            f"ruleset.{name}: expected at least {least} different numbers from 0 to {most} in ascending order, "
            f"got {shown(value)}"
        )


def _frozen(value: Any) -> Any:
    if isinstance(value, (np.ndarray, np.integer)):
        value = value.tolist()
    return tuple(map(_frozen, value)) if isinstance(value, (list, tuple)) else value


def _thawed(value: Any) -> Any:
    return [_thawed(item) for item in value] if isinstance(value, tuple) else value
