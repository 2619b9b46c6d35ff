"""The toy game with views that repeat everything they are given: whatever reaches them reaches those who look."""

import json
from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from html import escape
from typing import Any

import numpy as np
from toy_game import STONES, StoneGames

from strand_env.engine.protocol import Choice, Observer, Snapshot


class TattlingGames(StoneGames):
    """Besides the cards, what the others do is private here, too."""

    @classmethod
    def actions_as_seen(cls, before: Snapshot, actions: Sequence[int], observer: Observer) -> list[int | None]:
        return [action if observer in (player, "all") else None for player, action in enumerate(actions)]


TATTLING = replace(STONES, name="tattling", batch=TattlingGames, views_module=__name__)


def said(*given: Any) -> str:
    return json.dumps(given)


def to_svg(snapshot: Snapshot, story: Sequence[str] = (), *, seat: Observer = None) -> str:
    return f'<svg xmlns="http://www.w3.org/2000/svg"><text>{escape(said(snapshot, story, seat))}</text></svg>'


def to_pixels(snapshot: Snapshot, story: Sequence[str] = (), *, seat: Observer = None) -> np.ndarray:
    digest = sha256(said(snapshot, story, seat).encode()).digest()
    return np.frombuffer(digest[:30], np.uint8).reshape(2, 5, 3).repeat(8, 0).repeat(8, 1)


def to_text(snapshot: Snapshot, story: Sequence[str] = (), colour: bool = True, *, seat: Observer = None) -> str:
    return said(snapshot, story, seat)


def tell(before: Snapshot, actions: Sequence[int | None], after: Snapshot, *, seat: Observer = None) -> list[str]:
    return [said(before, actions, after, seat)]


class TattlingPlay:
    style = ""
    symbols = '<svg xmlns="http://www.w3.org/2000/svg"></svg>'

    def round_of(self, snapshot: Snapshot) -> int | None:
        return None

    def heading(self, snapshot: Snapshot) -> str:
        return said(snapshot)

    def task(self, snapshot: Snapshot, seat: Observer) -> str:
        return said(snapshot, seat)

    def board(self, snapshot: Snapshot, seat: Observer) -> str:
        return said(snapshot, seat)

    def player(self, snapshot: Snapshot, player: int, seat: Observer) -> str:
        return said(snapshot, player, seat)

    def revealed(self, before: Snapshot, actions: Sequence[int | None], after: Snapshot, seat: Observer) -> str:
        return said(before, actions, after, seat)

    def choices(self, snapshot: Snapshot, seat: int, legal: Sequence[int]) -> list[Choice]:
        return [Choice(action, said(snapshot, seat, action)) for action in legal]

    def result(self, snapshot: Snapshot) -> str:
        return said(snapshot)

    def result_words(self, snapshot: Snapshot) -> list[str]:
        return [said(snapshot)]


play = TattlingPlay()
