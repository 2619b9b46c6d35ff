"""What all views say about a snapshot in the same words, and what they ask the rules about it."""

from collections.abc import Mapping, Sequence
from typing import Any

from strand_env.engine.snapshots import Field
from strand_env.pictures.words import (
    check_keys,
    check_to_act,
    check_winners,
    listed,
    players_named,
    points_named,
    sentence,
    win_words,
)
from strand_env.strand_unter.legal import in_spell, set_combinations, wild_colours
from strand_env.strand_unter.ruleset import COLOURS, MAX_PLAYERS, NUM_SHELLS, PLAYER_COUNTS, Ruleset
from strand_env.strand_unter.scoring import beach_points
from strand_env.strand_unter.snapshot import FIELDS, PLACE_NAMES
from strand_env.strand_unter.state import GAME_DTYPE, LAST_ROUND, PHASES, TURN_ROUND, UNSET

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

# Null until the game is over. At worst all shells of the game are unfit, and castles bring fewer points than that.
_RESULT = (
    Field("scores", -NUM_SHELLS, NUM_SHELLS, per_player=True),
    Field("winners", per_player=True, truth=True),
)
_SHOWN = tuple(each for each in FIELDS if each.seen_by != "nobody" and not each.optional)
_NEEDED = ("players", "phase", "to_act", "ruleset", *(each.name for each in (*_SHOWN, *_RESULT)))
_PLACES = {name: place for place, name in PLACE_NAMES.items()}


def check_snapshot(snapshot: Snapshot) -> None:
    """Refuses what the views cannot show. Positions that no game can reach are fine."""
    players = check_keys(snapshot, _NEEDED, PLAYER_COUNTS, PHASES)
    over = snapshot["phase"] == "over"
    for field in (*_SHOWN, *_RESULT):
        if field in _RESULT and snapshot[field.name] is None and not over:
            continue
        shape = GAME_DTYPE[field.name].shape
        expected = (players, *shape[1:]) if field.per_player else shape
        field.numbers(f"snapshot: {field.name}", snapshot[field.name], expected)
    check_to_act(snapshot["to_act"], players, over)
    check_winners(snapshot)
    Ruleset.from_dict(snapshot["ruleset"])


def counted(shells: Sequence[int]) -> str:
    """2 white and 1 black shell"""
    amounts = [(count, colour) for colour, count in zip(COLOURS, shells, strict=True) if count]
    if not amounts:
        return "no shells"
    return listed(f"{count} {colour}" for count, colour in amounts) + (" shell" if amounts[-1][0] == 1 else " shells")


def dial_words(snapshot: Snapshot) -> list[str]:
    """The ten positions of the dial from left to right, in short."""
    return [*COLOURS, *(DIAL_WORDS[kind] for kind in snapshot["ruleset"]["combinations"])]


def tide_words(snapshot: Snapshot) -> str:
    if snapshot["phase"] == "over":
        return f"The game ended in round {snapshot['round']}"
    tide = "low tide, the sea goes out" if snapshot["round"] <= TURN_ROUND else "high tide, the sea comes back"
    return f"Round {snapshot['round']} of {snapshot['ruleset'].get('rounds', LAST_ROUND)} · {tide}"


def task_words(snapshot: Snapshot) -> str:
    """Who has to decide what; in the end, who has won."""
    if snapshot["phase"] == "over":
        return win_words(snapshot)
    asked = snapshot["to_act"]
    return sentence(f"{players_named(asked)} {_TASKS[snapshot['phase']][len(asked) > 1]}")


# What the rules say about a snapshot


def places(castles: Sequence[str | int]) -> list[int]:
    """A player's castles as the rules number their places."""
    return [_PLACES[place] if isinstance(place, str) else place for place in castles]


def collided(dials: Sequence[int | None]) -> list[int]:
    """The players whose combinations collided: those in the shell-spell."""
    positions = [UNSET if dial is None else dial for dial in dials]
    _, several = set_combinations(positions + [UNSET] * (MAX_PLAYERS - len(positions)))
    return [player for player, position in enumerate(positions) if in_spell(several, position)]


def payable(card: Sequence[int], bucket: Sequence[int]) -> bool:
    """Whether the bucket can pay the card and its wild shell."""
    return bool(wild_colours(card, bucket))


def points_of(castles: Sequence[str | int]) -> list[int]:
    """What each castle is worth now, by value."""
    return [int(beach_points(place, value)) for value, place in enumerate(places(castles))]


def progress(card: Sequence[int], bucket: Sequence[int]) -> tuple[list[int], bool]:
    """How many of a card's shells of each colour the bucket could pay, and whether one is left for the wild space."""
    paid = [min(needed, there) for needed, there in zip(card, bucket, strict=True)]
    return paid, sum(bucket) > sum(paid)


def place_words(place: str | int) -> str:
    """Where a castle is."""
    return place if isinstance(place, str) else f"groove {place}"


def standing(snapshot: Snapshot, groove: int) -> list[tuple[int, int]]:
    """The castles in a groove, as pairs of owner and value."""
    return [
        (player, value)
        for player, castles in enumerate(snapshot["castles"])
        for value, place in enumerate(castles)
        if place == groove
    ]


def standing_words(snapshot: Snapshot, player: int) -> str:
    """How a player is doing: the final score, a trove still owed, or what the castles are worth so far."""
    if snapshot["scores"]:
        return points_named(snapshot["scores"][player])
    if snapshot["owed"][player]:
        return "owed a trove"
    return f"{sum(points_of(snapshot['castles'][player]))} on the beach"
