"""Options that several commands share."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from strand_env.registry import DEFAULT, game_names
from strand_env.support.cluster import LOCAL

if TYPE_CHECKING:
    from strand_env.engine.protocol import Observer

GameName = Annotated[str, typer.Option("--game", help=f"One of {', '.join(game_names())}; see `strand games`.")]

VariantName = Annotated[
    str | None,
    typer.Option("--variant", help="Variant of the rules, in games with variants; `strand games` lists them."),
]

AgentsGame = Annotated[
    str | None,
    typer.Option("--game", help=f"The game; by default that of the agents given as folders, otherwise {DEFAULT}."),
]

Observing = Annotated[
    str,
    typer.Option(
        "--seat",
        metavar="N|all|none",
        help="View to show: a player's (by seat), everything, or public information only.",
    ),
]

RayAddress = Annotated[
    str | None,
    typer.Option(
        "--ray",
        metavar="[ADDRESS]",
        help="Use the Ray cluster at this address (auto: the one running here); without an address, start Ray here.",
    ),
]


def with_address(arguments: Sequence[str]) -> list[str]:
    """The command line, with an address after a `--ray` that has none."""
    following = [*arguments[1:], "--"]
    return [
        f"--ray={LOCAL}" if each == "--ray" and after.startswith("-") else each
        for each, after in zip(arguments, following, strict=False)
    ]


def observer_of(seat: str, players: int) -> "Observer":
    """The observer that `--seat` names."""
    from strand_env.engine.checks import shown
    from strand_env.engine.protocol import EVERYTHING

    seats: dict[str, Observer] = {str(player): player for player in range(players)}
    seats |= {"all": EVERYTHING, "none": None}
    if seat not in seats:
        raise ValueError(f"seat: expected 0 to {players - 1}, all or none; got {shown(seat)}")
    return seats[seat]


def listed(names: str) -> list[str]:
    """Names with commas between them."""
    return [name for name in (each.strip() for each in names.split(",")) if name]
