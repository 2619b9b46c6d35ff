"""Packages that only some need: who lacks one is told the extra that brings it."""

from collections.abc import Iterator
from contextlib import contextmanager


class MissingExtra(ImportError):
    """A package is not installed that an extra of strand_env brings."""


@contextmanager
def from_extra(extra: str, purpose: str) -> Iterator[None]:
    """Put around imports of packages that come with an extra."""
    try:
        yield
    except ModuleNotFoundError as missing:
        if (missing.name or "").startswith("strand_env"):
            raise  # an error of ours
        message = f"{missing}: {purpose} needs more; in a checkout of strand_env: pip install '.[{extra}]'"
        raise MissingExtra(message, name=missing.name) from None
