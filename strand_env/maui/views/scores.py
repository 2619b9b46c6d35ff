"""How the scores of a finished game add up: track by track, pearls, dollars, less penalty tokens and crabs."""

from collections.abc import Callable

from strand_env.maui.ruleset import PATTERNS
from strand_env.maui.views.table import Account, Snapshot, Table
from strand_env.maui.views.words import PEARL_NAMES, dollars_named
from strand_env.pictures.words import listed, number_of, players_named, points_named, sentence, signed


def account_words(account: Account) -> str:
    """Such as "41 on the tracks, 7 for pearls, 2 for dollars, less 3 for penalty tokens"."""
    parts = [f"{sum(account.tracks)} on the tracks"]
    parts += [f"{sum(account.pearls)} for pearls"] if sum(account.pearls) else []
    parts += [f"{account.dollars} for dollars"] if account.dollars else []
    parts += [f"less {account.penalties} for penalty tokens"] if account.penalties else []
    parts += [f"less {account.crabs} for crabs"] if account.crabs else []
    return ", ".join(parts)


def tie_words(table: Table) -> str:
    """What broke a tie for the most points; empty without a tie."""
    snapshot = table.snapshot
    best = max(snapshot["scores"])
    tied = [player for player in table.players if snapshot["scores"][player] == best]
    if len(tied) == 1:
        return ""
    criteria: list[tuple[str, Callable[[int], int]]] = [
        ("fewer towels", lambda player: -table.laid(player)),
        ("more dollars", lambda player: snapshot["dollars"][player]),
        ("the later turn", lambda player: (player - snapshot["first"]) % len(table.players)),
    ]
    left = tied
    for name, value in criteria:
        ahead = [player for player in left if value(player) == max(map(value, left))]
        if len(ahead) == 1:
            return f"of {players_named(tied)}, player {ahead[0]} has {name}"
        left = ahead
    raise AssertionError("two players with the same place in the turn order")


def result_words(snapshot: Snapshot) -> list[str]:
    """Everybody's scores track by track, and what broke a tie."""
    table, told = Table(snapshot), []
    for player in table.players:
        account = table.account(player)
        tracks = [
            f"{PATTERNS[track]} {snapshot['shells'][player][track]}: {points}"
            for track, points in enumerate(account.tracks)
        ]
        told += [
            f"player {player}: {points_named(snapshot['scores'][player])}",
            f"squares and points: {listed(tracks)}",
        ]
        for colour, points in enumerate(account.pearls):
            if points:
                told.append(
                    f"{number_of(snapshot['pearls'][player][colour], f'{PEARL_NAMES[colour]} pearl')}: {points}"
                )
        told.append(f"{dollars_named(account.dollars)}: {account.dollars}")
        if account.penalties:
            told.append(f"{number_of(snapshot['penalties'][player], 'penalty token')}: {signed(-account.penalties)}")
        if account.crabs:
            told.append(f"crabs: {signed(-account.crabs)}")
    if tie := tie_words(table):
        told.append(f"{points_named(max(snapshot['scores']))} each: {tie}")
    return list(map(sentence, told))
