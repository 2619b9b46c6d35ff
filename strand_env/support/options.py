"""Options that several commands share."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from strand_env.registry import DEFAULT, game_names
from strand_env.support.cluster import LOCAL

if TYPE_CHECKING:
    from strand_env.engine.protocol import Observer

GameName = Annotated[str, typer.Option("--game", help=f"One of {', '.join(game_names())}; `strand games` shows more.")]

VariantName = Annotated[
    str | None,
    typer.Option("--variant", help="Variant of the rules, in games that have some; `strand games` lists them."),
]

AgentsGame = Annotated[
    str | None,
    typer.Option(
        "--game", help=f"The game; by default that of the trained agents given as folders, or else {DEFAULT}."
    ),
]

Observing = Annotated[
    str,
    typer.Option(
        "--seat",
        metavar="N|all|none",
        help="Whose view to show: a player's by seat, everything, or only what is open to all.",
    ),
]

RayAddress = Annotated[
    str | None,
    typer.Option(
        "--ray",
        metavar="[ADDRESS]",
        help="Use the Ray cluster at this address (auto: one running here); without an address, Ray is started here.",
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
