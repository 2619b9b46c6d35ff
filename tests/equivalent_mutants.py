"""Mutants that change nothing that can be observed, each by its path, its line and the change, with the reason."""

EQUIVALENT = {
    (
        "strand_env/strand_unter/state.py",
        "HEAP, READY, FLOODED = 0, 12, 13",
        "13 to 14",
    ): "only told apart from other places, never shown",
}
