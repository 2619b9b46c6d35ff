"""The observation, written down entry by entry from a snapshot: what the engine's packed one must equal."""

from collections import Counter
from typing import Any

PHASES = ["dial", "pick", "collect", "spell", "spell_pick", "trove", "build", "over"]


def one_hot(index: int | None, size: int) -> list[int]:
    return [int(index == entry) for entry in range(size)]


def observe(snapshot: dict[str, Any], observer: int, hide_buckets: bool = False) -> list[int]:
    players = snapshot["players"]
    seats = [(observer + offset) % players for offset in range(players)]
    seen = seats[:1] if hide_buckets else seats
    total, fill = snapshot["ruleset"]["shells"], snapshot["ruleset"]["fills"][players - 2]
    unseen = [
        total[colour] - snapshot["shells"][colour] - sum(snapshot["buckets"][seat][colour] for seat in seen)
        for colour in range(4)
    ]
    groove, round_ = snapshot["groove"], snapshot["round"]
    last = round_ == 15 or snapshot["phase"] == "over"
    entries = one_hot(PHASES.index(snapshot["phase"]), 8)
    entries += [round_, groove, snapshot["sea"], int(round_ > 8)]
    entries += snapshot["shells"] + unseen
    entries += one_hot(players - 2, 3)
    entries += [0 if last else fill[groove] if round_ < 8 else fill[groove - 2]]
    for seat in seats:
        entries += seat_entries(snapshot, seat, hidden=seat not in seen)
    return entries + [0] * (72 * (4 - players))


def seat_entries(snapshot: dict[str, Any], seat: int, hidden: bool) -> list[int]:
    dial = snapshot["dials"][seat]
    castles = snapshot["castles"][seat]
    acts = seat in snapshot["to_act"] and not (hidden and snapshot["phase"] == "build")
    collides = dial is not None and dial >= 4 and Counter(snapshot["dials"])[dial] > 1
    entries = [1, int(acts), int(collides), int(snapshot["owed"][seat])]
    entries += [0] * 4 if hidden else snapshot["buckets"][seat]
    for card in snapshot["cards"][seat]:
        entries += card
    for place in castles:
        entries += [int(place == "heap"), int(place == "ready"), place if isinstance(place, int) else 0]
        entries += [int(place == "flooded")]
    entries += one_hot(dial, 10) + one_hot(snapshot["spell_dials"][seat], 4)
    standing = [(place, value) for value, place in enumerate(castles) if isinstance(place, int)]
    entries += [len(standing) + castles.count("flooded"), sum(place + value for place, value in standing)]
    entries += snapshot["dials_set"][seat]
    entries += [last_dial(snapshot, key, seat) for key in ("last_dials", "last_spell_dials")]
    entries += snapshot["spell_dials_set"][seat]
    return entries


def last_dial(snapshot: dict[str, Any], key: str, seat: int) -> int:
    dial = snapshot[key][seat]
    return 0 if dial is None else dial + 1
