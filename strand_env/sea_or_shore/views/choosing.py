"""What a player may do, in words and pictures."""

from collections.abc import Sequence

from strand_env.engine.protocol import Choice, Stage
from strand_env.pictures.html import figure
from strand_env.sea_or_shore.actions import ADD, ARRANGE, CHOOSE_STACK, ORDERS, SEAT, SHOW_NUMBER, TAKE
from strand_env.sea_or_shore.ruleset import COLOURS, HIGHEST, NUM_CARDS, RANKS
from strand_env.sea_or_shore.views.pieces import card, extras, tile, treasure, treasures
from strand_env.sea_or_shore.views.stacks import colours_of
from strand_env.sea_or_shore.views.table import Table
from strand_env.sea_or_shore.views.words import (
    card_words,
    cards_named,
    extras_named,
    stack_words,
    treasure_words,
    treasures_words,
)

DRAWN = 2  # cards that action 2 draws, if there are enough

_CARD_WORDS = {
    "gift": "Give {} to player {}.",
    "give": "Give {} back to player {}.",
    "discard": "Discard {}.",
}


def choices(table: Table, seat: int, legal: Sequence[int]) -> list[Choice]:
    """The legal actions of a player who has to decide."""
    return [_choice(table, seat, action) for action in legal]


def _choice(table: Table, seat: int, action: int) -> Choice:
    if table.snapshot["phase"] == "card":
        return _play(table, action)
    if action < NUM_CARDS:
        return _card(table, seat, action)
    if action < SEAT:
        return _extras(table, seat, action)
    if action < TAKE:
        return _seat(table, seat, action)
    if action == TAKE:
        colour = table.snapshot["wins"][0][1]
        [which] = [each for each in table.snapshot["open"] if each is not None and each[0] == colour]
        words = f"Take the open treasure {treasure_words(which)}."
        return Choice(action, words, treasure(which), f"take {treasure_words(which)}")
    if action < ARRANGE:
        return _stack(table, action)
    return _order(table, action)


def _play(table: Table, action: int) -> Choice:
    """A card is chosen first, then the half that shows."""
    number = action % NUM_CARDS
    name = card_words(table, number)
    covered, shows = ("number", COLOURS[number // RANKS]) if action < SHOW_NUMBER else ("colour", table.number(number))
    return Choice(
        action,
        f"Play {name} with its {covered} covered.",
        card(table, number, covered, kind="large"),
        f"show {shows}",
        "Which half shows?",
        (Stage(f"card-{number}", name.capitalize(), card(table, number), name),),
    )


def _card(table: Table, seat: int, number: int) -> Choice:
    name, phase = card_words(table, number), table.snapshot["phase"]
    receiver = (seat - 1) % len(table.players) if phase == "gift" else table.snapshot["target"]
    return Choice(number, _CARD_WORDS[phase].format(name, receiver), card(table, number), name)


def _extras(table: Table, seat: int, action: int) -> Choice:
    play, added = table.play(seat), action - ADD
    assert play is not None
    assert play.card is not None
    assert play.number is not None
    count = min(HIGHEST, play.number + added)
    name = card_words(table, play.card)
    words = f"Add {extras_named(added) if added else 'no extras'}: {name} counts {count}."
    return Choice(action, words, extras(added), f"counts {count}")


def _seat(table: Table, seat: int, action: int) -> Choice:
    other, snapshot = table.named_by(seat, action - SEAT), table.snapshot
    badge = f'<span class="badge">{other}</span>'
    if snapshot["phase"] == "treasure":
        which = snapshot["treasures"][other][-1]
        words = f"Steal {treasure_words(which)} from player {other}."
        return Choice(action, words, treasure(which), f"steal from {other}")
    if snapshot["phase"] == "pick":
        played = snapshot["plays"][other]["card"]
        whose = "your own card" if other == seat else f"the card of player {other},"
        words = f"Take {whose} {card_words(table, played)} into your hand."
        return Choice(action, words, card(table, played), card_words(table, played))
    if table.action == 1:
        words = f"Take 2 extras from player {other}, who has {snapshot['extras'][other]}."
        return Choice(action, words, f"{badge}{extras(snapshot['extras'][other])}", f"player {other}")
    number = len(snapshot["hands"][other])
    words = f"Draw {cards_named(min(DRAWN, number))} from the hand of player {other}."
    backs = f"{figure('card-back', 'back-of-card')}<b>{number}</b>"
    return Choice(action, words, f'{badge}<span class="extras">{backs}</span>', f"player {other}")


def _stack(table: Table, action: int) -> Choice:
    stack = action - CHOOSE_STACK
    name, tiles = stack_words(table, stack), "".join(map(tile, colours_of(table, stack)))
    words, picture = f"Look at the next three treasures of {name}.", f'<span class="treasures">{tiles}</span>'
    return Choice(action, words, picture, name.removeprefix("the stack of "))


def _order(table: Table, action: int) -> Choice:
    old = ORDERS[action - ARRANGE]
    seen = table.next_up(table.snapshot["stack"])
    order = [seen[place] for place in old]
    places = ", ".join(str(place + 1) for place in old)
    words = f"Put them back as {treasures_words(order)}, the next one first (now {places})."
    return Choice(action, words, treasures(order), places)
