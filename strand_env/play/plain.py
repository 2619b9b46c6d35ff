"""How a game is shown to people whose views offer nothing for it: its picture, its sentences, a button per action."""

from collections.abc import Sequence
from html import escape
from typing import Any
from urllib.parse import quote

from strand_env.engine.protocol import Choice, Game, PlayViews, Views

Snapshot = dict[str, Any]


class PlainViews:
    """The `PlayViews` of any game."""

    style = ""
    symbols = '<svg xmlns="http://www.w3.org/2000/svg"></svg>'

    def __init__(self, views: Views) -> None:
        self._views = views

    def round_of(self, snapshot: Snapshot) -> int | None:
        return None

    def heading(self, snapshot: Snapshot) -> str:
        return f"{snapshot['players']} players"

    def task(self, snapshot: Snapshot, seat: int | None) -> str:
        asked = snapshot["to_act"]
        return f"To decide: {', '.join(f'player {player}' for player in asked)}." if asked else "The game is over."

    def board(self, snapshot: Snapshot, seat: int | None) -> str:
        return f'<img alt="The game" src="data:image/svg+xml,{quote(self._views.to_svg(snapshot))}">'

    def player(self, snapshot: Snapshot, player: int, seat: int | None) -> str:
        return ""

    def revealed(self, before: Snapshot, actions: Sequence[int], seat: int | None) -> str:
        return ""

    def choices(self, snapshot: Snapshot, seat: int, legal: Sequence[int]) -> list[Choice]:
        return [Choice(action, f"Action {action}") for action in legal]

    def result(self, snapshot: Snapshot) -> str:
        return "".join(f"<p>{escape(words)}</p>" for words in self.result_words(snapshot))

    def result_words(self, snapshot: Snapshot) -> list[str]:
        return [f"Player {player}: {score} points." for player, score in enumerate(snapshot["scores"])]


def play_views(game: Game) -> PlayViews:
    """What the game's views offer to people who play, or plain ones."""
    views = game.views
    offered: PlayViews | None = getattr(views, "play", None)
    return PlainViews(views) if offered is None else offered
