"""What the views expect of a snapshot."""

from typing import Any

from strand_env.engine.checks import entries
from strand_env.pictures.words import check_keys, check_to_act, check_winners
from strand_env.sea_or_shore.actions import PHASES
from strand_env.sea_or_shore.ranges import REQUIRED, check_fields
from strand_env.sea_or_shore.ruleset import PLAYER_COUNTS


def check_snapshot(snapshot: Any) -> None:
    """Refuses what the views cannot show. Positions that no game can reach are fine."""
    players = check_keys(snapshot, ("players", *REQUIRED), PLAYER_COUNTS, PHASES)
    check_fields(snapshot, players)
    check_to_act(snapshot["to_act"], players, snapshot["phase"] == "over")
    if snapshot["phase"] == "over":
        for key in ("scores", "winners"):
            entries(f"snapshot: {key}", snapshot[key], players)
    check_winners(snapshot)
