"""Mutants that change nothing that can be observed, each by its path, its line and the change, with the reason."""

EQUIVALENT = {
    (
        "strand_env/engine/masks.py",
        "word = action >> _SHIFT if words > 1 else 0",
        "Gt to GtE",
    ): "with one word, the shifted action is 0, too",
    (
        "strand_env/engine/randomness.py",
        "draw_bits(1, len(self), self._streams, drawn)",
        "1 to 2",
    ): "the number of threads changes no result",
    (
        "strand_env/engine/snapshots.py",
        "least: int = 0",
        "0 to 1",
    ): "only fields without numbers leave it out",
    (
        "strand_env/maui/snapshot.py",
        "piece = pieces.get((column, top + cell), 0)",
        "0 to 1",
    ): "no crab either: those begin at 5",
    (
        "strand_env/strand_unter/chance.py",
        "rest = pools[owner] - np.array(drawn, np.int64).reshape(-1, NUM_COLOURS)",
        "1 to 2",
    ): "NumPy infers the length from any negative number",
    (
        "strand_env/strand_unter/state.py",
        "HEAP, READY, FLOODED = 0, 12, 13",
        "13 to 14",
    ): "the number is only told apart from other places, never shown",
}
