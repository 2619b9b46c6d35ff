"""Positions set up by hand, and short ways to play from them."""

from collections.abc import Mapping, Sequence
from typing import Any

from strand_env.strand_unter import PASS, Games

WHITE, GRAY, BROWN, BLACK = range(4)
TWO_SAME, TWO_DIFFERENT, THREE_SAME, TWO_AND_ONE, THREE_DIFFERENT, ALL_OF_ONE = range(4, 10)  # on the dial


def position(
    players: int = 4,
    round: int = 1,
    shells: Sequence[int] = (0, 0, 0, 0),
    buckets: Mapping[int, Sequence[int]] | None = None,
    castles: Mapping[int, Sequence[Any]] | None = None,
    cards: Mapping[tuple[int, int], Sequence[int]] | None = None,
    seaward: int = 4,
    **fields: Any,
) -> dict[str, Any]:
    """A snapshot before the dials of a round. What lies neither in the groove nor in a bucket is in the bag.

    `cards` are given by player and value, `seaward` is how far the sea is from the sandpiper at high tide.
    """
    snapshot = Games(1, players).snapshot(0)
    groove = round if round <= 8 else 16 - round
    snapshot |= {"round": round, "groove": groove, "sea": groove if round <= 8 else groove + seaward}
    snapshot["shells"] = list(shells)
    snapshot["covered"] = [[0] * 4 for _ in range(8)]
    for player, bucket in (buckets or {}).items():
        snapshot["buckets"][player] = list(bucket)
    for player, places in (castles or {}).items():
        snapshot["castles"][player] = list(places)
    for (player, value), card in (cards or {}).items():
        swap_in_card(snapshot["cards"], player, value, list(card))
    snapshot["bag"] = [20 - sum(column) for column in zip(shells, *snapshot["buckets"], strict=True)]
    return snapshot | fields


def swap_in_card(cards: list[list[list[int]]], player: int, value: int, card: list[int]) -> None:
    for hand in cards:
        if hand[value] == card:
            hand[value] = cards[player][value]
    cards[player][value] = card


def start(**arguments: Any) -> Games:
    """One game in such a position."""
    return Games.from_snapshots([position(**arguments)])


def play(games: Games, *actions: Mapping[int, int] | Sequence[int]) -> dict[str, Any]:
    """Steps a single game, once for each of the given choices (who is not named passes); the snapshot after it."""
    for choice in actions:
        chosen = dict(enumerate(choice)) if isinstance(choice, Sequence) else choice
        games.step([[chosen.get(player, PASS) for player in range(games.num_players)]])
    return games.snapshot(0)


def play_round(games: Games, dials: Sequence[int]) -> dict[str, Any]:
    """Plays one round with these dials and any decisions, but nobody builds; the snapshot after it."""
    before, now = games.snapshot(0), play(games, dials)
    while now["round"] == before["round"] and now["phase"] != "over":
        now = play(games, [PASS if mask[PASS] else int(mask.argmax()) for mask in games.legal[0]])
    return now
