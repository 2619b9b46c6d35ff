"""Optional packages: if one is missing, the error names the extra to install."""

from collections.abc import Iterator
from contextlib import contextmanager


class MissingExtra(ImportError):
    """A package of one of strand_env's extras is not installed."""


@contextmanager
def from_extra(extra: str, purpose: str) -> Iterator[None]:
    """Wraps imports of packages that come with an extra."""
    try:
        yield
    except ModuleNotFoundError as missing:
        if (missing.name or "").startswith("strand_env"):
            raise  # our own error, not a missing package
        installed = f"pip install 'strand-env[{extra}]' (in a checkout: pip install '.[{extra}]')"
        message = f"{missing}: {purpose} needs more: {installed}"
        raise MissingExtra(message, name=missing.name) from None
