"""What the browser is sent: the state of the session, and positions as the observer may see them. Never a snapshot."""

from dataclasses import asdict
from typing import Any

from strand_env.engine.game import SeatedPlayViews
from strand_env.play.session import Now, Recording, Session

Shown = Session | Recording
Data = dict[str, Any]


def state(shown: Shown, now: Now, views: SeatedPlayViews) -> Data:
    """The session now, with the person's choices."""
    last = len(now.positions) - 1
    seat, live = shown.seat, isinstance(shown, Session)
    choices = views.choices(now.snapshot, seat, now.legal) if seat is not None and now.legal else []
    return {
        "version": now.version,
        "token": now.token,
        "course": now.course,
        "seat": seat,
        "names": shown.names,
        "steps": last,
        "live": live,
        "over": now.over,
        "thinking": list(now.thinking),
        "decided": _decided(now, views, seat),
        "failure": now.failure,
        "choices": [asdict(choice) for choice in choices],
        "hints": list(shown.hints),
        "hint": None if now.hint is None else vars(now.hint),
        "frame": frame(shown, now, views, last),
    }


def _decided(now: Now, views: SeatedPlayViews, seat: int | None) -> str:
    """What the person has decided while others are still deciding, in words."""
    if seat is None or now.chosen is None:
        return ""
    [choice] = views.choices(now.snapshot, seat, [now.chosen])
    return f"You have decided: {choice.words[0].lower()}{choice.words[1:]}"


def frame(shown: Shown, now: Now, views: SeatedPlayViews, number: int) -> Data:
    """The position after `number` steps, and how it was reached."""
    snapshot, actions, _ = now.positions[number]
    seat, players = shown.observer, range(snapshot["players"])
    ended = now.over and number == len(now.positions) - 1
    before = now.positions[number - 1].snapshot if actions is not None else snapshot
    return {
        "number": number,
        "heading": views.heading(snapshot),
        "task": views.task(snapshot, seat),
        "board": views.board(snapshot, seat),
        "players": [views.player(snapshot, player, seat) for player in players],
        "asked": snapshot["to_act"],
        "revealed": "" if actions is None else views.revealed(before, actions, snapshot, seat),
        "story": _story(now, views, number),
        "result": views.result(snapshot, seat) if ended else "",
    }


def _story(now: Now, views: SeatedPlayViews, number: int) -> list[Data]:
    """What happened in this round and the one before: for each step, its round and its sentences."""
    recent = {views.round_of(now.positions[number].snapshot)}
    steps: list[Data] = []
    for step in range(number, 0, -1):
        round_ = views.round_of(now.positions[step - 1].snapshot)
        recent.add(round_)
        if len(recent) > 2:
            break
        steps.append({"step": step, "round": round_, "sentences": now.positions[step].story})
    return steps[::-1]
