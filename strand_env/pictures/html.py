"""Parts of a page that the games' views share."""

from collections.abc import Iterable, Mapping
from typing import Any

from strand_env.pictures.words import signed


def figure(symbol: str, kind: str) -> str:
    """A symbol of the page, of a CSS class; screen readers pass over it."""
    return f'<svg class="{kind}" aria-hidden="true"><use href="#{symbol}"></use></svg>'


def accounts(snapshot: Mapping[str, Any], rows: Iterable[str], tie: str) -> str:
    """The tables of a finished game, the winner's first, and what broke a tie; `rows` are each player's table rows.

    A row has the points in its third column.
    """
    winners, scores = snapshot["winners"], snapshot["scores"]
    tables = [
        _account(player, content, won, points)
        for player, (content, won, points) in enumerate(zip(rows, winners, scores, strict=True))
    ]
    order = sorted(range(len(tables)), key=lambda player: (not winners[player], -scores[player]))
    html = "".join(tables[player] for player in order)
    return f'<div class="accounts">{html}</div>' + (f'<p class="tie">{tie}</p>' if tie else "")


def _account(player: int, rows: str, won: bool, points: int) -> str:
    crown = ' <span class="won">wins</span>' if won else ""
    return (
        f'<table class="account seat-{player}{" winner" if won else ""}"><caption><span class="badge">{player}</span> '
        f'Player {player} <small data-player="{player}"></small>{crown}</caption>'
        f"<tbody>{rows}</tbody>"
        f'<tfoot><tr><td colspan="2">Points</td><td>{signed(points)}</td></tr></tfoot></table>'
    )
