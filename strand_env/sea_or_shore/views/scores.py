"""How the scores of a finished game add up, round by round."""

from strand_env.pictures.words import players_named, points_named, sentence
from strand_env.sea_or_shore.views.table import Table


def last_round(table: Table, player: int) -> tuple[int, int]:
    """The points of the round that lies on the table: for treasures, and for extras."""
    treasures = sum(value for _, value in table.snapshot["treasures"][player])
    return treasures, table.worth(player) - treasures


def tie_words(table: Table) -> str:
    """What broke a tie for the most points; empty without a tie."""
    scores = table.snapshot["scores"]
    tied = [player for player in table.clockwise(table.snapshot["leader"]) if scores[player] == max(scores)]
    if len(tied) == 1:
        return ""
    return f"of {players_named(sorted(tied))}, player {tied[0]} is nearest to the leader of the last trick"


def result_words(table: Table) -> list[str]:
    """Everybody's points round by round, and what broke a tie."""
    told = []
    for player in table.players:
        told.append(f"player {player}: {points_named(table.snapshot['scores'][player])}")
        told += [f"round {number}: {points}" for number, points in enumerate(table.points(player), 1)]
        treasures, extras = last_round(table, player)
        told[-1] += f", of these {treasures} for treasures and {extras} for extras"
    if tie := tie_words(table):
        told.append(f"{points_named(max(table.snapshot['scores']))} each: {tie}")
    return list(map(sentence, told))
