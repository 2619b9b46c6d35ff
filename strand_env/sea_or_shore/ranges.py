"""What the fields of a snapshot may hold, hidden or not: numbers in their ranges, lists of the right length.

Whatever may be hidden from an observer may be null. Positions that no game can reach are fine.
"""

from collections.abc import Callable, Mapping
from typing import Any

from strand_env.engine.checks import entries, fields_of, one_of, truth, whole_number
from strand_env.sea_or_shore.actions import PHASES
from strand_env.sea_or_shore.ruleset import (
    ACTIONS,
    ALL_EXTRAS,
    HIGHEST,
    HIGHEST_VALUE,
    MOST_TRICKS,
    NUM_CARDS,
    NUM_COLOURS,
    ROUNDS,
    Ruleset,
)

_MOST_POINTS = 10**4

Check = Callable[[str, Any, int], object]
"""Refuses a value that does not fit: called with its name, the value and the number of players."""


def check_fields(snapshot: Mapping[str, Any], players: int) -> None:
    """Refuses fields by name; those that are not there have to be missed by the caller."""
    for key, check in _CHECKS.items():
        if key in snapshot:
            check(f"snapshot: {key}", snapshot[key], players)


def _whole(least: int, most: int) -> Check:
    return lambda name, given, players: whole_number(name, given, least, most)


def _or_null(check: Check) -> Check:
    return lambda name, given, players: given is None or check(name, given, players)


def _listed(check: Check, least: int = 0, most: int | None = NUM_CARDS) -> Check:
    """A list of `least` entries, or of `least` to `most`."""

    def checked(name: str, given: Any, players: int) -> None:
        for index, each in enumerate(entries(name, given, least, most)):
            check(f"{name}[{index}]", each, players)

    return checked


def _per_player(check: Check) -> Check:
    return lambda name, given, players: _listed(check, players, None)(name, given, players)


def _per_stack(check: Check) -> Check:
    return lambda name, given, players: _listed(check, 1 if players == 3 else 2, None)(name, given, players)


def _pair(first: Check, second: Check) -> Check:
    def checked(name: str, given: Any, players: int) -> None:
        one, other = entries(name, given, 2)
        first(f"{name}[0]", one, players)
        second(f"{name}[1]", other, players)

    return checked


def _seat(name: str, given: Any, players: int) -> None:
    whole_number(name, given, 0, players - 1)


def _play(name: str, given: Any, players: int) -> None:
    play = fields_of(name, given, ("card", "shows", "extras"), ("face",))
    _or_null(_card)(f"{name}: card", play["card"], players)
    one_of(f"{name}: shows", play["shows"], ("colour", "number"))
    _extras(f"{name}: extras", play["extras"], players)
    face = _colour if play["shows"] == "colour" else _whole(1, HIGHEST)
    _or_null(face)(f"{name}: face", play.get("face"), players)


_card = _whole(0, NUM_CARDS - 1)
_cards, _seen_cards = _listed(_card), _listed(_or_null(_card))
_colour = _whole(0, NUM_COLOURS - 1)
_treasure = _pair(_colour, _whole(1, HIGHEST_VALUE))
_treasures = _listed(_treasure)
_extras = _whole(0, ALL_EXTRAS)
_points = _per_player(_whole(0, _MOST_POINTS))

_CHECKS: Mapping[str, Check] = {
    "phase": lambda name, given, players: one_of(name, given, PHASES),
    "to_act": _listed(_seat),
    "round": _whole(1, ROUNDS),
    "trick": _whole(1, MOST_TRICKS),
    "leader": _seat,
    "hands": _per_player(_seen_cards),
    "box": _seen_cards,
    "aside": _cards,
    "plays": _per_player(_or_null(_play)),
    "revealed": _per_player(_or_null(_play)),
    "extras": _per_player(_extras),
    "supply": _extras,
    "open": _per_stack(_or_null(_treasure)),
    "stacks": _per_stack(_listed(_or_null(_treasure))),
    "under": _per_stack(_treasures),
    "treasures": _per_player(_treasures),
    "points": _listed(_points, 0, ROUNDS),
    "wins": _listed(_pair(_seat, _colour)),
    "queue": _listed(_pair(_seat, _whole(ACTIONS[0], ACTIONS[-1]))),
    "target": _or_null(_seat),
    "stack": _or_null(_whole(0, 1)),
    "taken": _seen_cards,
    "given": _seen_cards,
    "known": _per_player(_per_player(_or_null(_cards))),
    "shown": _per_player(_cards),
    "looker": _per_stack(_or_null(_seat)),
    "arranged": _per_stack(_whole(0, 3)),
    "peeked": _per_player(_or_null(_per_stack(_treasures))),
    "scores": _or_null(_points),
    "winners": _or_null(_per_player(lambda name, given, players: truth(name, given))),
    "remaining": _per_stack(_treasures),
    "ruleset": lambda name, given, players: Ruleset.from_dict(given),
}

REQUIRED = tuple(key for key in _CHECKS if key != "remaining")  # which only seen snapshots have
