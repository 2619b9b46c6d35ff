"""The deals of a run in pieces: large ones play faster, small ones show progress and lose little if interrupted."""

from collections.abc import Iterable

SECONDS = 3.0  # that a piece should take
MOST_GAMES = 8192  # at once
GROWTH = 8


class Pieces:
    """Hands out the deals that are not done yet. The first piece has `size` deals, the next as many as can be done."""

    def __init__(
        self, deals: int, done: Iterable[range], games_per_deal: int, processes: int = 1, size: int = 1
    ) -> None:
        self._open: list[range] = []
        start = 0
        for span in [*sorted(done, key=lambda span: span.start), range(deals, deals)]:
            if span.start > start:
                self._open.append(range(start, span.start))
            start = span.stop
        self._most = max(1, MOST_GAMES // games_per_deal)
        self._processes = processes
        self._size = min(size, self._most)

    def __len__(self) -> int:
        """How many deals are left."""
        return sum(map(len, self._open))

    def take(self) -> range | None:
        """Deals to be played next; None if there are no more."""
        if not self._open:
            return None
        size = self._size
        if self._processes > 1:  # towards the end they get smaller, so that none is left alone with a large one
            size = min(size, max(1, len(self) // (2 * self._processes), size // GROWTH))
        span = self._open.pop(0)
        if size < len(span):
            self._open.insert(0, span[size:])
        return span[:size]

    def learn(self, deals: int, seconds: float) -> None:
        """So many deals took so long."""
        fitting = int(SECONDS * deals / max(seconds, 1e-9))
        self._size = max(1, min(fitting, GROWTH * deals, self._most))
