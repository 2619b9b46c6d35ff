"""How the points of a game that is over come about: castle by castle, and the shells that find no place."""

from collections.abc import Sequence
from dataclasses import dataclass

from strand_env.strand_unter.ruleset import NUM_COLOURS, PLAYED_GROOVES
from strand_env.strand_unter.views.words import (
    Snapshot,
    beach_points,
    counted,
    players_named,
    points_named,
    sentence,
)


@dataclass(frozen=True)
class Account:
    """What one player has in the end."""

    castles: Sequence[str | int]  # where each is, by its value
    fit: Sequence[int]  # shells of each colour that find a place on cards not built
    unfit: Sequence[int]  # and those that do not

    @property
    def points(self) -> int:
        return beach_points(self.castles) - sum(self.unfit)


def account_of(snapshot: Snapshot, player: int) -> Account:
    """Shells go on spaces of their colour first, what is left over on the wild ones."""
    castles, bucket = snapshot["castles"][player], snapshot["buckets"][player]
    not_built = [value for value, place in enumerate(castles) if place in ("heap", "ready")]
    wild = len(not_built)
    fit = []
    for colour in range(NUM_COLOURS):
        spaces = sum(snapshot["cards"][player][value][colour] for value in not_built)
        coloured = min(bucket[colour], spaces)
        on_wild = min(bucket[colour] - coloured, wild)
        wild -= on_wild
        fit.append(coloured + on_wild)
    return Account(castles, fit, [there - placed for there, placed in zip(bucket, fit, strict=True)])


def account_words(snapshot: Snapshot, player: int) -> list[str]:
    """The same in sentences."""
    account = account_of(snapshot, player)
    sentences = [f"player {player}: {points_named(account.points)}"]
    for value, place in enumerate(account.castles):
        sentences.append(f"castle {value} {castle_words(value, place)}")
    if sum(account.unfit):
        sentences.append(f"{counted(account.unfit)} unfit, with no place on a card: −{sum(account.unfit)}")
    return list(map(sentence, sentences))


def castle_words(value: int, place: str | int) -> str:
    if isinstance(place, int):
        return f"in groove {place}: {place} + {value} = {place + value}"
    return "was flooded: 0" if place == "flooded" else "was not built: 0"


def tie_words(snapshot: Snapshot) -> str:
    """Why some of those with the most points have won, and others have not; nothing if all or one of them have."""
    best = max(snapshot["scores"])
    tied = [player for player, score in enumerate(snapshot["scores"]) if score == best]
    if len(tied) == 1:
        return ""
    winners = [player for player in tied if snapshot["winners"][player]]
    if winners == tied:
        return sentence(f"{players_named(tied)} have {points_named(best)} each, and the same in every groove")
    left = tied
    for groove in range(PLAYED_GROOVES, 0, -1):
        there = {player: _points_in(snapshot, player, groove) for player in left}
        ahead = [player for player in left if there[player] == max(there.values())]
        if ahead == winners:
            break
        left = ahead
    more = sentence(f"the tie goes to {players_named(winners)}, with more points in groove {groove}")
    return f"{sentence(f'{players_named(tied)} have {points_named(best)} each')} {more}"


def _points_in(snapshot: Snapshot, player: int, groove: int) -> int:
    castles = snapshot["castles"][player]
    return sum(groove + value for value, place in enumerate(castles) if place == groove)


def result_words(snapshot: Snapshot) -> list[str]:
    """Everybody's points, and what decided a tie."""
    told = [words for player in range(snapshot["players"]) for words in account_words(snapshot, player)]
    tie = tie_words(snapshot)
    return [*told, tie] if tie else told
