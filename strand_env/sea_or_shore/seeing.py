"""Snapshots and actions as an observer sees them: section 5 of the rules. What is hidden is null, in its place."""

from collections.abc import Sequence
from typing import Any

from strand_env.engine.protocol import EVERYTHING, Observer, Snapshot
from strand_env.sea_or_shore.ruleset import RANKS
from strand_env.sea_or_shore.snapshot import COVERED

Hidden = list[Any]


def hidden(entries: Sequence[Any]) -> Hidden:
    """Only how many there are."""
    return [None] * len(entries)


def seen_by(snapshot: Snapshot, observer: Observer) -> Snapshot:
    """The snapshot, from which seed and stream are gone already, as an observer sees it."""
    seen = {**snapshot, "remaining": remaining(snapshot)}
    if observer == EVERYTHING:
        return seen
    everybody = range(snapshot["players"])
    doer = snapshot["to_act"][0] if snapshot["to_act"] else None
    parties = (doer, snapshot["target"]) if snapshot["phase"] == "give" else ()
    seen["hands"] = [hand if player == observer else hidden(hand) for player, hand in enumerate(snapshot["hands"])]
    seen["box"] = hidden(snapshot["box"])
    if snapshot["phase"] in COVERED:
        plays = enumerate(snapshot["plays"])
        seen["plays"] = [play if player == observer else covered(snapshot, play) for player, play in plays]
    tops = zip(snapshot["stacks"], snapshot["looker"], snapshot["arranged"], strict=True)
    seen["stacks"] = [
        [*(stack[:number] if looker == observer else hidden(stack[:number])), *hidden(stack[number:])]
        for stack, looker, number in tops
    ]
    seen["known"] = [
        [
            known if observer in (one, other) or one == other else None
            for other, known in zip(everybody, row, strict=True)
        ]
        for one, row in enumerate(snapshot["known"])
    ]
    seen["peeked"] = [row if player == observer else None for player, row in enumerate(snapshot["peeked"])]
    seen["taken"] = snapshot["taken"] if observer in parties else hidden(snapshot["taken"])
    seen["given"] = snapshot["given"] if observer == doer else hidden(snapshot["given"])
    return seen


def covered(snapshot: Snapshot, play: dict[str, Any] | None) -> dict[str, Any] | None:
    """What shows of a play under its cover."""
    if play is None or play["card"] is None:
        return play
    colour, rank = divmod(play["card"], RANKS)
    face = colour if play["shows"] == "colour" else snapshot["ruleset"]["islands"][colour][rank]
    return {**play, "card": None, "face": face}


def remaining(snapshot: Snapshot) -> list[list[list[int]]]:
    """For each stack the treasures that were never turned up, sorted: open to all."""
    if "remaining" in snapshot:
        return snapshot["remaining"]
    return [sorted(each for each in stack if each is not None) for stack in snapshot["stacks"]]


def actions_seen_by(before: Snapshot, actions: Sequence[int | None], observer: Observer) -> list[int | None]:
    """The players' actions, with None in place of those that an observer may not know."""
    if observer == EVERYTHING:
        return list(actions)
    asked = before["to_act"]
    return [
        action if player not in asked or knows_action(before, player, observer) else None
        for player, action in enumerate(actions)
    ]


def knows_action(before: Snapshot, player: int, observer: Observer) -> bool:
    """Whether an observer sees what a player does."""
    if player == observer:
        return True
    phase, players = before["phase"], before["players"]
    if phase == "gift":
        return observer == (player - 1) % players
    if phase == "card":  # the last one is revealed at once, if no extras can be added
        others = sum(play is not None for play in before["plays"])
        return others == players - 1 and before["extras"][player] == 0
    return phase not in ("give", "order")
