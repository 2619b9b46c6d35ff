"""How a game is shown to people whose views offer nothing for it: its picture, its sentences, a button per action."""

from collections.abc import Sequence
from html import escape
from typing import Any
from urllib.parse import quote

from strand_env.engine.game import Game, SeatedPlayViews
from strand_env.engine.protocol import Choice, Observer

Snapshot = dict[str, Any]


class PlainViews:
    """The `PlayViews` of any game."""

    style = ""
    symbols = '<svg xmlns="http://www.w3.org/2000/svg"></svg>'

    def __init__(self, game: Game) -> None:
        self._game = game

    def round_of(self, snapshot: Snapshot) -> int | None:
        return None

    def heading(self, snapshot: Snapshot) -> str:
        return f"{snapshot['players']} players"

    def task(self, snapshot: Snapshot, seat: Observer) -> str:
        asked = snapshot["to_act"]
        return f"To decide: {', '.join(f'player {player}' for player in asked)}." if asked else "The game is over."

    def board(self, snapshot: Snapshot, seat: Observer) -> str:
        return f'<img alt="The game" src="data:image/svg+xml,{quote(self._game.views.to_svg(snapshot, seat=seat))}">'

    def player(self, snapshot: Snapshot, player: int, seat: Observer) -> str:
        return ""

    def revealed(self, before: Snapshot, actions: Sequence[int | None], seat: Observer) -> str:
        return ""

    def choices(self, snapshot: Snapshot, seat: int, legal: Sequence[int]) -> list[Choice]:
        return [Choice(action, self._game.describe(action)) for action in legal]

    def result(self, snapshot: Snapshot) -> str:
        return "".join(f"<p>{escape(words)}</p>" for words in self.result_words(snapshot))

    def result_words(self, snapshot: Snapshot) -> list[str]:
        return [f"Player {player}: {score} points." for player, score in enumerate(snapshot["scores"])]


def play_views(game: Game) -> SeatedPlayViews:
    """What the game's views offer to people who play, or plain ones."""
    return game.views.play or SeatedPlayViews(PlainViews(game), game.batch)
