"""How people play a game whose views lack `play`: its picture, its sentences, a button for each action."""

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
        return f"{self._game.title} · {snapshot['players']} players"

    def task(self, snapshot: Snapshot, seat: Observer) -> str:
        asked = snapshot["to_act"]
        if not asked:
            return "The game is over."
        return "Your turn." if seat in asked else f"To act: {', '.join(f'player {player}' for player in asked)}."

    def board(self, snapshot: Snapshot, seat: Observer) -> str:
        return f'<img alt="The game" src="data:image/svg+xml,{quote(self._game.views.to_svg(snapshot, seat=seat))}">'

    def player(self, snapshot: Snapshot, player: int, seat: Observer) -> str:
        return ""

    def revealed(self, before: Snapshot, actions: Sequence[int | None], after: Snapshot, seat: Observer) -> str:
        return ""

    def choices(self, snapshot: Snapshot, seat: int, legal: Sequence[int]) -> list[Choice]:
        ruleset = self._game.ruleset.from_dict(snapshot["ruleset"])
        return [Choice(action, self._game.describe(action, ruleset)) for action in legal]

    def result(self, snapshot: Snapshot) -> str:
        return "".join(f"<p>{escape(words)}</p>" for words in self.result_words(snapshot))

    def result_words(self, snapshot: Snapshot) -> list[str]:
        scores = enumerate(snapshot["scores"])
        return [f"Player {player}: {score} point{'' if score == 1 else 's'}." for player, score in scores]


def play_views(game: Game) -> SeatedPlayViews:
    """The views a game offers to people who play it, or plain ones."""
    return game.views.play or SeatedPlayViews(PlainViews(game), game.batch)
