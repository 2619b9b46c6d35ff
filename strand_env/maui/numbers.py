"""The numbers of a ruleset, for each variant, as features and heuristics read them."""

import numpy as np

from strand_env.maui.ruleset import (
    CRAB_SIDE,
    MOST_ORNAMENTS,
    MOST_SPOTS,
    MOST_SQUARES,
    NUM_PATTERNS,
    PATTERN_UMBRELLAS,
    TOKEN_KINDS,
    UMBRELLA_SIDE,
    VARIANTS,
    Ruleset,
)

NUMBERS_DTYPE = np.dtype(
    [
        ("points", np.int64, (NUM_PATTERNS, MOST_SQUARES + 1)),  # by track and square
        ("last", np.int64, (NUM_PATTERNS,)),  # square of each track
        ("ornament_track", np.int64, (MOST_ORNAMENTS,)),  # -1 if there is no such ornament square
        ("ornament_square", np.int64, (MOST_ORNAMENTS,)),
        ("token_pattern", np.int64, (TOKEN_KINDS,)),
        ("umbrella_tracks", np.int64, (PATTERN_UMBRELLAS, 2)),
        ("penalty", np.int64),
        (
            "spot_column",
            np.int64,
            (2, MOST_SPOTS),
        ),  # by side and spot; 0 if there is none
        ("spot_row", np.int64, (2, MOST_SPOTS)),
    ],
    align=True,
)


def numbers_of(ruleset: Ruleset) -> np.ndarray:
    """(variants,): the numbers of a ruleset for each variant."""
    numbers = np.zeros(len(VARIANTS), NUMBERS_DTYPE)
    for record, variant in zip(numbers, VARIANTS, strict=True):
        for track, points in enumerate(ruleset.squares(variant)):
            record["points"][track, : len(points)] = points
            record["last"][track] = len(points) - 1
        record["ornament_track"] = -1
        for index, (track, square, _) in enumerate(ruleset.ornaments):
            record["ornament_track"][index], record["ornament_square"][index] = track, square
        record["token_pattern"] = ruleset.token_patterns
        record["umbrella_tracks"] = ruleset.pattern_umbrellas
        record["penalty"] = ruleset.penalty
        for side in (UMBRELLA_SIDE, CRAB_SIDE):
            for spot, (column, row) in enumerate(ruleset.spots(side)):
                record["spot_column"][side, spot], record["spot_row"][side, spot] = column, row
    return numbers
