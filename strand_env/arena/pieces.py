"""A run in pieces of some deals each: large ones play faster, small ones lose little when a run is interrupted."""

from collections.abc import Iterable

SECONDS = 3.0  # per piece, about
MOST_GAMES = 8192  # per piece
GROWTH = 8  # of the next piece, at most


class Pieces:
    """Hands out unplayed deals. The first piece has `size` deals; later sizes adapt to the measured speed."""

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
        self.processes = processes  # that play at once, which may change
        self._size = min(size, self._most)

    def __len__(self) -> int:
        """The number of deals left."""
        return sum(map(len, self._open))

    def take(self) -> range | None:
        """The deals to play next; None if none are left."""
        if not self._open:
            return None
        size = self._size
        if self.processes > 1:  # smaller towards the end, so that no process is left alone with a large one
            size = min(size, max(1, len(self) // (2 * self.processes), size // GROWTH))
        span = self._open.pop(0)
        if size < len(span):
            self._open.insert(0, span[size:])
        return span[:size]

    def learn(self, deals: int, seconds: float) -> None:
        """Adapts the size of pieces to a measurement."""
        fitting = int(SECONDS * deals / max(seconds, 1e-9))
        self._size = max(1, min(fitting, GROWTH * deals, self._most))
