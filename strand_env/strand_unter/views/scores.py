"""How the scores of a finished game add up: castle by castle, less the unfit shells."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from strand_env.pictures.words import players_named, points_named, sentence
from strand_env.strand_unter.ruleset import NUM_COLOURS, PLAYED_GROOVES
from strand_env.strand_unter.scoring import castles_to_build, lacking, player_score, points_in, unfit_shells
from strand_env.strand_unter.views.words import Snapshot, counted, places, points_of


@dataclass(frozen=True)
class Account:
    """What one player has in the end."""

    castles: Sequence[str | int]  # where each is, by value
    castle_points: Sequence[int]  # what each is worth, by value
    fit: Sequence[int]  # shells of each colour that fit on cards not built
    unfit: Sequence[int]  # and those that do not
    points: int


def account_of(snapshot: Snapshot, player: int) -> Account:
    """How a player's score adds up."""
    castles, bucket = snapshot["castles"][player], snapshot["buckets"][player]
    numbers, cards = places(castles), np.array(snapshot["cards"][player])
    values, left = castles_to_build(numbers), unfit_shells(numbers, cards, bucket)
    unfit = []
    for colour in reversed(range(NUM_COLOURS)):  # wild spaces go to the first colours, which matters to nobody
        unfit.append(min(max(-int(lacking(values, cards, bucket, colour)), 0), left))
        left -= unfit[-1]
    unfit.reverse()
    fit = [there - not_fit for there, not_fit in zip(bucket, unfit, strict=True)]
    return Account(castles, points_of(castles), fit, unfit, int(player_score(numbers, cards, bucket)))


def account_words(snapshot: Snapshot, player: int) -> list[str]:
    """The same in sentences."""
    account = account_of(snapshot, player)
    sentences = [f"player {player}: {points_named(account.points)}"]
    for value, (place, points) in enumerate(zip(account.castles, account.castle_points, strict=True)):
        sentences.append(f"castle {value} {castle_words(value, place, points)}")
    if sum(account.unfit):
        sentences.append(f"{counted(account.unfit)} unfit, with no place on a card: −{sum(account.unfit)}")
    return list(map(sentence, sentences))


def castle_words(value: int, place: str | int, points: int) -> str:
    if not isinstance(place, str):
        return f"in groove {place}: {place} + {value} = {points}"
    return "was flooded: 0" if place == "flooded" else "was not built: 0"


def tie_words(snapshot: Snapshot) -> str:
    """What broke a tie for the most points, or that nothing did; empty without a tie."""
    best = max(snapshot["scores"])
    tied = [player for player, score in enumerate(snapshot["scores"]) if score == best]
    if len(tied) == 1:
        return ""
    winners = [player for player in tied if snapshot["winners"][player]]
    if winners == tied:
        return sentence(f"{players_named(tied)} have {points_named(best)} each, and the same in every groove")
    left = tied
    for groove in range(PLAYED_GROOVES, 0, -1):
        there = {player: points_in(groove, places(snapshot["castles"][player])) for player in left}
        ahead = [player for player in left if there[player] == max(there.values())]
        if ahead == winners:
            break
        left = ahead
    more = sentence(f"the tie goes to {players_named(winners)}, with more points in groove {groove}")
    return f"{sentence(f'{players_named(tied)} have {points_named(best)} each')} {more}"


def result_words(snapshot: Snapshot) -> list[str]:
    """Everybody's scores, and what broke a tie."""
    told = [words for player in range(snapshot["players"]) for words in account_words(snapshot, player)]
    tie = tie_words(snapshot)
    return [*told, tie] if tie else told
