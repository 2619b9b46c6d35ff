"""The layout of an observation, or of a feature encoding: numbers in named sections."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True)
class Section:
    """A run of consecutive entries of an observation."""

    name: str
    start: int
    maximum: tuple[float, ...]  # upper bound of each entry
    meaning: str
    shape: tuple[int, ...] = ()  # in records; () for a single number
    minimum: float = 0  # of all entries; in observations it is always 0

    @property
    def slice(self) -> slice:
        return slice(self.start, self.start + len(self.maximum))


@dataclass(frozen=True)
class Part:
    """A section before it is laid out: the upper bounds of its entries, and their meaning."""

    name: str
    maximum: float | Sequence[float]
    meaning: str
    shape: tuple[int, ...] = ()  # to repeat a single maximum over, or to give several maxima
    minimum: float = 0

    def section(self, start: int, prefix: str = "", whose: str = "") -> Section:
        if isinstance(self.maximum, (int, float)):
            maximum = (self.maximum,) * prod(self.shape)
            shape = self.shape
        else:
            maximum = tuple(self.maximum)
            shape = self.shape or (len(maximum),)
        # At least 1, since users divide by it.
        most = tuple(max(1, each) for each in maximum)
        return Section(prefix + self.name, start, most, whose + self.meaning, shape, self.minimum)


class Layout:
    """The sections of an observation in order. Iterate over them, or look one up: ``layout["shells"].slice``.

    An observation is the table, then the seats, if there are parts for them: the observer's own first, the others in
    seating order. `dtype` is the type of its entries, the same for all rulesets of a game: integers, or float32 for the
    features of an encoding.
    """

    def __init__(
        self, table: Sequence[Part], seat: Sequence[Part] = (), seats: int = 0, dtype: npt.DTypeLike = np.int8
    ) -> None:
        self.dtype = np.dtype(dtype)
        self.sections: list[Section] = []
        for part in table:
            self.sections.append(part.section(self.size))
        self.table_size = self.size
        for number in range(seats):
            whose = "the observer's own seat" if number == 0 else f"player {number} after the observer"
            for part in seat:
                self.sections.append(part.section(self.size, f"seat_{number}.", f"{whose}: "))
        self.seats = seats
        self.seat_size = (self.size - self.table_size) // seats if seats else 0
        most = [entry for section in self.sections for entry in section.maximum]
        for section in self.sections:
            if self.dtype.kind != "f" and max(section.maximum) > np.iinfo(self.dtype).max:
                raise ValueError(f"{section.name}: {max(section.maximum)} is more than {self.dtype} holds")
        self.maximum: npt.NDArray[Any] = np.array(most, self.dtype)
        self.maximum.setflags(write=False)
        least = [section.minimum for section in self.sections for _ in section.maximum]
        self.minimum: npt.NDArray[Any] = np.array(least, self.dtype)
        self.minimum.setflags(write=False)

    @property
    def size(self) -> int:
        """Number of entries of an observation."""
        return self.sections[-1].slice.stop if self.sections else 0

    def __iter__(self) -> Iterator[Section]:
        return iter(self.sections)

    def __len__(self) -> int:
        return len(self.sections)

    def __getitem__(self, name: str) -> Section:
        for section in self.sections:
            if section.name == name:
                return section
        raise KeyError(f"no section {name!r}; there are {', '.join(section.name for section in self.sections)}")

    # Views of an observation by name, for compiled code: one record for the table and one for each seat

    @cached_property
    def record(self) -> np.dtype:
        """One observation: the table's sections by name, and the seats' records as `seats`."""
        fields: dict[str, tuple[np.dtype, int]] = {}
        for name, known in (self.table_record.fields or {}).items():
            fields[name] = known[0], known[1]
        if self.seats:
            fields["seats"] = np.dtype((self.seat_record, (self.seats,))), self.table_size * self.dtype.itemsize
        return _record(fields, self.size * self.dtype.itemsize)

    @cached_property
    def table_record(self) -> np.dtype:
        """The table's sections by name."""
        return self._part_record(0, self.table_size)

    @cached_property
    def seat_record(self) -> np.dtype:
        """A seat's sections by name."""
        return self._part_record(self.table_size, self.seat_size)

    def by_name(self, observations: npt.NDArray[Any]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Views of observations over the same bytes: (rows, size) entries, (rows,) tables, (rows, seats) seats."""
        if observations.ndim != 2 or observations.shape[1] != self.size:
            raise ValueError(f"observation: expected shape (rows, {self.size}), got {observations.shape}")
        entries = np.ascontiguousarray(observations, self.dtype)
        rows, width = len(entries), self.dtype.itemsize
        if not rows:  # of no bytes there are no views
            return entries, np.empty(0, self.table_record), np.empty((0, self.seats), self.seat_record)
        tables = np.ndarray(rows, self.table_record, entries, 0, (self.size * width,))
        strides = self.size * width, self.seat_size * width
        seats = np.ndarray((rows, self.seats), self.seat_record, entries, self.table_size * width, strides)
        return entries, tables, seats

    def filled(
        self, kernel: Callable[..., Any], observed: "Layout", observations: npt.NDArray[np.integer], *numbers: Any
    ) -> npt.NDArray[np.float32]:
        """(rows, size): the features that a kernel writes into records of this layout.

        It gets the tables and seats of observations in their own layout, whatever numbers it needs, and what it has to
        fill: entries (rows, size), and the same as records (rows,).
        """
        _, tables, seats = observed.by_name(observations)
        shown = np.empty(len(tables), self.record)
        entries = shown.view(self.dtype).reshape(len(shown), self.size)
        kernel(1, len(shown), tables, seats, *numbers, entries, shown)
        return entries

    def _part_record(self, first: int, size: int) -> np.dtype:
        fields = {}
        for section in self.sections:
            if first <= section.start < first + size:
                kind = np.dtype((self.dtype, section.shape)) if section.shape else self.dtype
                fields[section.name.rpartition(".")[2]] = kind, (section.start - first) * self.dtype.itemsize
        return _record(fields, size * self.dtype.itemsize)


def _record(fields: dict[str, tuple[np.dtype, int]], itemsize: int) -> np.dtype:
    kinds, offsets = zip(*fields.values(), strict=True)
    return np.dtype({"names": list(fields), "formats": list(kinds), "offsets": list(offsets), "itemsize": itemsize})
