"""How commands print: names, messages and paths come from outside, and nothing in them acts on the terminal."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from strand_env.engine.checks import printable

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

LONGEST_LINE = 1000  # characters
LONGEST_CELL = 300


def console(stderr: bool = False) -> "Console":
    """A console that takes text as it is: brackets and colons in a name are no markup."""
    from rich.console import Console

    return Console(stderr=stderr, markup=False, emoji=False, highlight=False)


def line(words: object) -> str:
    """A whole line to print, whatever is in it."""
    return printable(words, LONGEST_LINE)


def add_row(table: "Table", cells: Iterable[object]) -> None:
    """A row of a table, whatever is in it."""
    table.add_row(*(printable(cell, LONGEST_CELL) for cell in cells))
