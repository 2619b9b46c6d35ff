"""What all views say about a snapshot in the same words, and the little that they work out."""

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from reprlib import repr as shortened
from typing import Any

from strand_env.pictures.canvas import printable
from strand_env.strand_unter.actions import FIRST_COMBINATION, NUM_DIAL_POSITIONS
from strand_env.strand_unter.ruleset import (
    COLOURS,
    MAX_PLAYERS,
    MIN_PLAYERS,
    NUM_COLOURS,
    NUM_SHELLS,
    NUM_VALUES,
    PLAYED_GROOVES,
    Ruleset,
)
from strand_env.strand_unter.state import LAST_GROOVE, LAST_ROUND, PHASES, TURN_ROUND

Snapshot = Mapping[str, Any]

DIAL_WORDS = {
    "two_same": "2 same",
    "two_different": "2 different",
    "three_same": "3 same",
    "two_and_one": "2 + 1",
    "three_different": "3 different",
    "all_of_one": "all of one",
}

_TASKS = {
    "dial": ("sets the dial in secret", "set their dials in secret"),
    "pick": ("takes a castle from the heap", "take a castle each from the heap"),
    "collect": ("collects shells", "collect shells"),
    "spell": ("sets one shell in secret", "set one shell each in secret, in a shell-spell"),
    "spell_pick": ("takes a castle from the heap", "take a castle each from the heap"),
    "trove": ("takes a consolation trove: a shell or a castle", "take consolation troves"),
    "build": ("may build a castle", "may build a castle each"),
}

# Of each field the lengths of its lists, outermost first, and what may stand in them; the players come first, since
# other lengths follow from them. Whether all this can come about in a game does not matter to the views.
_EACH_PLAYER = -1
_COUNTS = range(NUM_SHELLS + 1)
_GROOVES = range(1, PLAYED_GROOVES + 1)
_FIELDS: dict[str, tuple[tuple[int, ...], Sequence[Any]]] = {
    "players": ((), range(MIN_PLAYERS, MAX_PLAYERS + 1)),
    "round": ((), range(1, LAST_ROUND + 1)),
    "groove": ((), _GROOVES),
    "sea": ((), range(1, LAST_GROOVE + 1)),
    "phase": ((), PHASES),
    "shells": ((NUM_COLOURS,), _COUNTS),
    "buckets": ((_EACH_PLAYER, NUM_COLOURS), _COUNTS),
    "cards": ((_EACH_PLAYER, NUM_VALUES, NUM_COLOURS), _COUNTS),
    "castles": ((_EACH_PLAYER, NUM_VALUES), ("heap", "ready", "flooded", *_GROOVES)),
    "dials": ((_EACH_PLAYER,), (None, *range(NUM_DIAL_POSITIONS))),
    "spell_dials": ((_EACH_PLAYER,), (None, *range(NUM_COLOURS))),
    "owed": ((_EACH_PLAYER,), (False, True)),
    "scores": ((_EACH_PLAYER,), range(-NUM_SHELLS, NUM_SHELLS + 1)),
    "winners": ((_EACH_PLAYER,), (False, True)),
}
_RESULT = ("scores", "winners")  # may be None until the game is over
_NEEDED = (*_FIELDS, "to_act", "ruleset")


def check_snapshot(snapshot: Snapshot) -> None:
    """Refuses what the views could not show; positions that no game comes to are fine."""
    if not isinstance(snapshot, Mapping):
        raise ValueError(f"snapshot: expected a dict as `games.snapshot(i)` gives it, got {shortened(snapshot)}")
    missing = [key for key in _NEEDED if key not in snapshot]
    if missing:
        raise ValueError(f"snapshot: expected all the keys that `games.snapshot(i)` gives, but {missing} are missing")
    for name, (lengths, allowed) in _FIELDS.items():
        if name in _RESULT and snapshot[name] is None and snapshot["phase"] != "over":
            continue
        known = [snapshot["players"] if length == _EACH_PLAYER else length for length in lengths]
        _check_field(f"snapshot: {name}", snapshot[name], known, allowed)
    _check_to_act(snapshot)
    if snapshot["phase"] == "over" and not any(snapshot["winners"]):
        raise ValueError(f"snapshot: winners: expected somebody to have won in the end, got {snapshot['winners']}")
    Ruleset.from_dict(snapshot["ruleset"])


def _check_field(name: str, value: Any, lengths: Sequence[int], allowed: Sequence[Any]) -> None:
    if lengths:
        if not isinstance(value, (list, tuple)) or len(value) != lengths[0]:
            raise ValueError(f"{name}: expected a list of {lengths[0]}, got {shortened(value)}")
        for index, item in enumerate(value):
            _check_field(f"{name}[{index}]", item, lengths[1:], allowed)
    # To Python 1, 1.0 and True are equal, but they do not look alike.
    elif not any(type(value) is type(option) and value == option for option in allowed):
        is_range = isinstance(allowed, range)
        expected = f"a whole number from {allowed[0]} to {allowed[-1]}" if is_range else f"one of {allowed}"
        raise ValueError(f"{name}: expected {expected}, got {shortened(value)}")


def _check_to_act(snapshot: Snapshot) -> None:
    name, asked, players = "snapshot: to_act", snapshot["to_act"], range(snapshot["players"])
    if not isinstance(asked, (list, tuple)) or not (asked or snapshot["phase"] == "over"):
        raise ValueError(f"{name}: expected a list of the players who are asked, got {shortened(asked)}")
    for index, player in enumerate(asked):
        _check_field(f"{name}[{index}]", player, (), players)
        if player in asked[:index]:
            raise ValueError(f"{name}: expected each player once, got {shortened(asked)}")


def story_lines(story: Sequence[str], width: int, indent: str = "") -> list[str]:
    """A story in lines of at most this width, as nothing but printable text; what goes on is indented."""
    if not isinstance(story, (list, tuple)) or not all(isinstance(words, str) for words in story):
        raise ValueError(f"story: expected a list of sentences, got {shortened(story)}")
    return [line for words in story for line in textwrap.wrap(printable(words), width, subsequent_indent=indent)]


def listed(items: Iterable[Any]) -> str:
    """a, b and c"""
    *first, last = map(str, items)
    return f"{', '.join(first)} and {last}" if first else last


def counted(shells: Sequence[int]) -> str:
    """2 white and 1 black shell"""
    amounts = [(count, colour) for colour, count in zip(COLOURS, shells, strict=True) if count]
    if not amounts:
        return "no shells"
    return listed(f"{count} {colour}" for count, colour in amounts) + (" shell" if amounts[-1][0] == 1 else " shells")


def players_named(players: Sequence[int]) -> str:
    return f"player{'s' if len(players) > 1 else ''} {listed(players)}"


def points_named(points: int) -> str:
    return f"{points} point{'' if points == 1 else 's'}"


def sentence(words: str) -> str:
    return words[0].upper() + words[1:] + "."


def dial_words(snapshot: Snapshot) -> list[str]:
    """The ten positions of the dial from left to right, in short."""
    return [*COLOURS, *(DIAL_WORDS[kind] for kind in snapshot["ruleset"]["combinations"])]


def tide_words(snapshot: Snapshot) -> str:
    if snapshot["phase"] == "over":
        return f"The game ended in round {snapshot['round']}"
    tide = "low tide, the sea goes out" if snapshot["round"] <= TURN_ROUND else "high tide, the sea comes back"
    return f"Round {snapshot['round']} of {LAST_ROUND} · {tide}"


def task_words(snapshot: Snapshot) -> str:
    """Who has to do what now; in the end, who has won."""
    if snapshot["phase"] == "over":
        return result_words(snapshot)
    asked = snapshot["to_act"]
    return sentence(f"{players_named(asked)} {_TASKS[snapshot['phase']][len(asked) > 1]}")


def result_words(snapshot: Snapshot) -> str:
    winners = [player for player, won in enumerate(snapshot["winners"]) if won]
    points = points_named(snapshot["scores"][winners[0]])
    if len(winners) == 1:
        return sentence(f"{players_named(winners)} wins with {points}")
    return sentence(f"{players_named(winners)} share the win with {points} each")


def in_spell(dials: Sequence[int | None]) -> list[int]:
    """The players whose combinations collided."""
    return [
        player
        for player, dial in enumerate(dials)
        if dial is not None and dial >= FIRST_COMBINATION and dials.count(dial) > 1
    ]


def progress(card: Sequence[int], bucket: Sequence[int]) -> tuple[list[int], bool]:
    """How many of a card's shells of each colour the bucket could pay, and whether it could pay the wild one, too."""
    paid = [min(needed, there) for needed, there in zip(card, bucket, strict=True)]
    return paid, sum(bucket) > sum(paid)


def payable(card: Sequence[int], bucket: Sequence[int]) -> bool:
    paid, wild = progress(card, bucket)
    return wild and paid == list(card)


def place_words(place: str | int) -> str:
    """Where a castle is."""
    return place if isinstance(place, str) else f"groove {place}"


def beach_points(castles: Sequence[str | int]) -> int:
    """What the castles that stand are worth now."""
    return sum(place + value for value, place in enumerate(castles) if isinstance(place, int))


def standing(snapshot: Snapshot, groove: int) -> list[tuple[int, int]]:
    """The castles in a groove, as pairs of their owner and their value."""
    return [
        (player, value)
        for player, castles in enumerate(snapshot["castles"])
        for value, place in enumerate(castles)
        if place == groove
    ]


def standing_words(snapshot: Snapshot, player: int) -> str:
    """How a player is doing: the points, in the end; a trove to come; or what the castles are worth so far."""
    if snapshot["scores"]:
        return points_named(snapshot["scores"][player])
    if snapshot["owed"][player]:
        return "owed a trove"
    return f"{beach_points(snapshot['castles'][player])} on the beach"
