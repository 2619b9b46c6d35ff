"""Positions of Maui set up by hand, and short ways to play from them."""

from collections.abc import Mapping, Sequence
from typing import Any

from strand_env.maui import PASS, Games, Ruleset
from strand_env.maui.ruleset import TOWELS

YELLOW, PINK, BLUE, ORANGE, PURPLE = range(5)
LETTERS = "YPBRV"
ORNAMENT_SQUARES = {0: 0, 1: 1}  # by kind of the tokens


def towel(letters: str) -> int:
    """The number of the towel with these patterns, such as "PVY"."""
    return TOWELS.index(tuple(LETTERS.index(letter) for letter in letters))


def cover_of(top: int) -> list[str | None]:
    """What lies on a towel because of its top alone."""
    return ["water" if row < 1 else "trees" if row > 7 else None for row in range(top, top + 3)]


def swap(snapshot: dict[str, Any], one: int, other: int) -> None:
    """Two towels change places, wherever they are, in what was drawn, too."""
    names = {one: other, other: one}
    snapshot["market"] = [names.get(number, number) for number in snapshot["market"]]
    snapshot["bag"] = sorted(names.get(number, number) for number in snapshot["bag"])
    snapshot["drawn"] = [[names.get(number, number) for number in part] for part in snapshot["drawn"]]
    for row in snapshot["beach"]:
        for each in row:
            each[0] = names.get(each[0], each[0])


def position(
    last: str = "YPB",
    top: int = 3,
    column: int = 1,
    market: Mapping[int, str] | None = None,
    pieces: Mapping[tuple[int, int], str] | None = None,
    tokens: Sequence[int] = (0, 0),
    shells: Sequence[int] = (0, 0, 0, 0, 0),
    dollars: int = 1,
    zones: Sequence[int] = (1, 1),
    players: int = 3,
    variant: str = "base",
    ruleset: Ruleset | None = None,
    **fields: Any,
) -> dict[str, Any]:
    """A snapshot in which player 0, who is the first player, has to take a turn.

    The player's last towel, with this top, lies before this column; the columns before it were filled with spare
    towels. What is not said is as the examples of the rules have it.
    """
    snapshot = Games(1, players, seed=5, ruleset=ruleset, variant=variant).snapshot(0)
    snapshot |= {"first": 0, "to_act": [0], "round": column}
    for _ in range(1, column):
        number = snapshot["bag"].pop(0)
        snapshot["drawn"][0].append(number)
        snapshot["beach"][0].append([number, 3, [None] * 3])
    beach = snapshot["beach"][0]
    beach[-1][1:] = [top, cover_of(top)]
    swap(snapshot, beach[-1][0], towel(last))
    for place, letters in (market or {}).items():
        swap(snapshot, snapshot["market"][place], towel(letters))
    spots = (ruleset or Ruleset()).spots(0 if variant == "base" else 1)
    for spot, piece in (pieces or {}).items():
        dealt, at = snapshot["pieces"][0], spots.index(spot)
        there = dealt.index(piece)
        dealt[at], dealt[there] = dealt[there], dealt[at]
    snapshot["lying"] = [[at >= len(row) for at, _ in spots] for row in snapshot["beach"]]
    snapshot["shells"][0] = list(shells)
    snapshot["tokens"][0] = list(tokens)
    for kind, held in enumerate(tokens):
        snapshot["supply"][ORNAMENT_SQUARES[kind]] -= held
    snapshot["zones"] = list(zones)
    snapshot["dollars"] = [dollars, *shared(players + 2 - dollars - sum(zones), players - 1)]
    return snapshot | fields


def shared(dollars: int, players: int) -> list[int]:
    """One for each, as far as they go; the first player has what is left."""
    held = [int(player < dollars) for player in range(players)]
    held[0] += dollars - sum(held)
    return held


def start(*arguments: Any, **named: Any) -> Games:
    """One game in such a position."""
    return Games.from_snapshots([position(*arguments, **named)])


def legal(games: Games, player: int = 0) -> list[int]:
    return games.legal[0, player].nonzero()[0].tolist()


def play(games: Games, *actions: int) -> dict[str, Any]:
    """Steps a single game with these actions of whoever is asked; the snapshot after them."""
    for action in actions:
        [asked] = games.snapshot(0)["to_act"]
        games.step([[action if player == asked else PASS for player in range(games.num_players)]])
    return games.snapshot(0)


def take(place: int = 0, shift: int = 0) -> int:
    return 5 * place + shift + 2


DOLLARS, SPARE, STEP, TOKEN = 30, 32, 38, 43


def fill(snapshot: dict[str, Any], towels: Sequence[int]) -> dict[str, Any]:
    """Lays spare towels until each player has so many, the start towel not counted."""
    for row, number in zip(snapshot["beach"], towels, strict=True):
        while len(row) <= number:
            snapshot["drawn"][-1].append(snapshot["bag"][0])
            row.append([snapshot["bag"].pop(0), 3, [None] * 3])
    ruleset = Ruleset.from_dict(snapshot["ruleset"])
    crab_side = snapshot["variant"] == "crabs" or snapshot["part"] == 2
    spots = ruleset.spots(int(crab_side))
    snapshot["lying"] = [[at >= len(row) for at, _ in spots] for row in snapshot["beach"]]
    snapshot["round"] = max(towels)
    return snapshot


def finished(towels: Sequence[int], points: Sequence[int], winner: int, **fields: Any) -> dict[str, Any]:
    """The snapshot of a finished game with these numbers of towels, these scores and this winner."""
    players = len(towels)
    snapshot = fill(position(players=players), towels)
    snapshot |= {"phase": "over", "to_act": [], "dollars": [1] * players, "zones": [1, 1], "scores": list(points)}
    return snapshot | {"winners": [player == winner for player in range(players)]} | fields
