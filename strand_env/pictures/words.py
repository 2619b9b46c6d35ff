"""Words and checks that the views of all games share."""

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from strand_env.engine.checks import checked_story, one_of, printable, shown, whole_number


def story_lines(story: Sequence[str], width: int, indent: str = "") -> list[str]:
    """A story in printable lines of at most this width; continuation lines are indented."""
    return [
        line
        for words in checked_story(story)
        for line in textwrap.wrap(printable(words, 1000), width, subsequent_indent=indent)
    ]


def listed(items: Iterable[Any]) -> str:
    """a, b and c"""
    *first, last = map(str, items)
    return f"{', '.join(first)} and {last}" if first else last


def number_of(count: int, name: str) -> str:
    """1 point, 2 points"""
    return f"{count} {name}{'' if count == 1 else 's'}"


def players_named(players: Sequence[int]) -> str:
    return f"player{'s' if len(players) > 1 else ''} {listed(players)}"


def points_named(points: int) -> str:
    return number_of(points, "point")


def signed(points: int) -> str:
    """With a proper minus sign."""
    return f"−{-points}" if points < 0 else str(points)


def with_sign(number: int) -> str:
    """+3, or −3 with a proper minus sign."""
    return f"+{number}" if number >= 0 else signed(number)


def sentence(words: str) -> str:
    return words[0].upper() + words[1:] + "."


def win_words(snapshot: Mapping[str, Any]) -> str:
    """Who has won a finished game."""
    winners = [player for player, won in enumerate(snapshot["winners"]) if won]
    points = points_named(snapshot["scores"][winners[0]])
    if len(winners) == 1:
        return sentence(f"{players_named(winners)} wins with {points}")
    return sentence(f"{players_named(winners)} share the win with {points} each")


# Checks


def check_keys(snapshot: Any, needed: Iterable[str], players: range, phases: Sequence[str]) -> int:
    """The number of players, if a snapshot has what views need to start with."""
    if not isinstance(snapshot, Mapping):
        raise ValueError(f"snapshot: expected a dict as `games.snapshot(i)` returns it, got {shown(snapshot)}")
    missing = [key for key in needed if key not in snapshot]
    if missing:
        raise ValueError(f"snapshot: expected all keys of `games.snapshot(i)`, but {missing} are missing")
    number = whole_number("snapshot: players", snapshot["players"], players[0], players[-1])
    one_of("snapshot: phase", snapshot["phase"], phases)
    return number


def check_to_act(asked: Any, players: int, over: bool) -> None:
    name = "snapshot: to_act"
    if not isinstance(asked, (list, tuple)) or not (asked or over):
        raise ValueError(f"{name}: expected a list of the players to act, got {shown(asked)}")
    for index, player in enumerate(asked):
        whole_number(f"{name}[{index}]", player, 0, players - 1)
        if player in asked[:index]:
            raise ValueError(f"{name}: expected each player once, got {shown(asked)}")


def check_winners(snapshot: Mapping[str, Any]) -> None:
    if snapshot["phase"] == "over" and not any(snapshot["winners"]):
        raise ValueError(f"snapshot: winners: expected at least one winner in the end, got {snapshot['winners']}")


def check_same_players(before: Mapping[str, Any], after: Mapping[str, Any]) -> None:
    if after["players"] != before["players"]:
        expected = f"a game of {before['players']} players as before"
        raise ValueError(f"after: expected {expected}, got one of {after['players']}")
