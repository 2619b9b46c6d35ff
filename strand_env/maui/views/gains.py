"""What an action brings, for people: a sign, an amount and words for each part of it."""

from collections.abc import Iterator
from typing import NamedTuple

from strand_env.maui.ruleset import PATTERNS
from strand_env.maui.views.rehearsal import Gain
from strand_env.maui.views.table import Table
from strand_env.maui.views.words import LETTERS, PEARL_NAMES, dollars_named, piece_words
from strand_env.pictures.html import figure
from strand_env.pictures.words import number_of, with_sign


class Chip(NamedTuple):
    """A part of a gain: a symbol of the page, an amount, and both in words."""

    symbol: str
    amount: str
    words: str
    bad: bool = False


def chips_of(table: Table, gain: Gain) -> list[Chip]:
    """Everything that an action brings or costs."""
    return [*_tracks(table, gain), *_tokens(table, gain), *_costs(gain)]


def _tracks(table: Table, gain: Gain) -> Iterator[Chip]:
    for track, steps in enumerate(gain.steps):
        if steps:
            yield Chip(f"cell-{track}", f"+{steps}", f"{PATTERNS[track]} +{steps}")
    for umbrella in gain.umbrellas:
        letters = "/".join(LETTERS[track] for track in table.ruleset.pattern_umbrellas[umbrella])
        yield Chip("umbrella", f"{letters} +1", piece_words(table, f"pattern{umbrella}"))
    for colour, count in enumerate(gain.pearls):
        if count:
            yield Chip(f"pearl-{colour}", f"+{count}", number_of(count, f"{PEARL_NAMES[colour]} pearl"))


def _tokens(table: Table, gain: Gain) -> Iterator[Chip]:
    for kind, count in enumerate(gain.tokens):
        pattern = table.ruleset.token_patterns[kind]
        words = number_of(abs(count), f"{PATTERNS[pattern]} token")
        if count:
            yield Chip(f"token-{pattern}", with_sign(count), words if count > 0 else f"lays {words}")


def _costs(gain: Gain) -> Iterator[Chip]:
    if gain.dollars:
        words = dollars_named(abs(gain.dollars))
        paid = gain.dollars < 0
        yield Chip("dollar", with_sign(gain.dollars), f"costs {words}" if paid else words, paid)
    if gain.penalties:
        yield Chip("penalty", f"×{gain.penalties}", number_of(gain.penalties, "penalty token"), True)
    if gain.crabs:
        yield Chip("crab", with_sign(-gain.crabs), f"crabs {with_sign(-gain.crabs)}", True)


def gain_words(table: Table, gain: Gain) -> str:
    """Such as "yellow +3, 2 penalty tokens; +2 points"."""
    parts = [chip.words for chip in chips_of(table, gain)]
    parts += [f"passes {piece_words(table, piece.name)}" for piece in gain.passed if piece.kind != "crab"]
    parts += ["a token has to make the match"] if gain.lacks_match else []
    points = f"{with_sign(gain.points)} point{'' if abs(gain.points) == 1 else 's'}"
    return f"{', '.join(parts) or 'nothing'}; {points}"


def chips_html(table: Table, gain: Gain) -> str:
    chips = "".join(
        f'<span class="chip{" bad" if chip.bad else ""}">{figure(chip.symbol, "icon")}{chip.amount}</span>'
        for chip in chips_of(table, gain)
    )
    return f'<span class="chips">{chips}</span>'
