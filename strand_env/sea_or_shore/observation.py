"""Writes observations: what everybody sees is copied, and what the observer knows besides is added."""

import sys

import numpy as np

from strand_env.engine.bits import count
from strand_env.engine.jit import compiled
from strand_env.engine.masks import SPREAD
from strand_env.engine.records import copy_words, with_overlays
from strand_env.sea_or_shore.actions import GIVE
from strand_env.sea_or_shore.layout import (
    PUBLIC_SEAT_SIZE,
    PUBLIC_TABLE_SIZE,
    SEAT_SIZE,
    TABLE_SIZE,
    WORD,
    layout_of,
    table_layout_of,
)
from strand_env.sea_or_shore.legal import NOTHING, set_of
from strand_env.sea_or_shore.redealing import is_covered, own_cards, unseen_cards
from strand_env.sea_or_shore.ruleset import (
    HIGHEST,
    LOOKED_AT,
    MAX_PLAYERS,
    MOST_STACKED,
    MOST_STACKS,
    MOST_TRICKS,
    MOST_TURNED_UP,
    NO_TREASURE,
    NUM_CARDS,
    NUM_COLOURS,
    RANKS,
    Ruleset,
)
from strand_env.sea_or_shore.showing import show_treasure

assert sys.byteorder == "little", "strand_env packs entries for little-endian machines"

_LAYOUT = layout_of(Ruleset.default())
OBSERVATION_DTYPE = with_overlays(
    _LAYOUT.record,
    {
        "table_words": ("phase", np.dtype((np.uint64, (TABLE_SIZE // WORD,)))),
        "seat_words": ("seats", np.dtype((np.uint64, (MAX_PLAYERS, SEAT_SIZE // WORD)))),
    },
)
_CRITICS = table_layout_of(Ruleset.default())
CRITIC_DTYPE = with_overlays(
    _CRITICS.record,
    {
        "table_bytes": ("phase", np.dtype((np.uint8, (_CRITICS.table_size,)))),
        "seat_bytes": ("seats", np.dtype((np.uint8, (MAX_PLAYERS, _CRITICS.seat_size)))),
    },
)

SET_WORDS = NUM_CARDS // WORD
PUBLIC_SEAT_WORDS = PUBLIC_SEAT_SIZE // WORD
# The words of the table and of a seat where sections start
LOOKED, SEEN, HAND = (_LAYOUT[name].start // WORD for name in ("arranged", "seen_colours", "hand"))
UNSEEN, ASIDE, TAKEN, GIVEN = (HAND + SET_WORDS * place for place in range(1, 5))
HELD, KNOWS, SHOWN = (PUBLIC_SEAT_WORDS + SET_WORDS * place for place in range(3))
assert PUBLIC_TABLE_SIZE // WORD == LOOKED

_BYTE, _NIBBLE = np.uint64(0xFF), np.uint64(0xF)
_HALF_WORD = np.uint64(32)


@compiled
def write_set(cards, start, words):
    """A flag for each card."""
    for word in range(SET_WORDS):
        words[start + word] = SPREAD[cards >> np.uint64(WORD * word) & _BYTE]


@compiled
def given_cards(game):
    """The cards chosen so far in phase give."""
    given = NOTHING
    for place in range(np.int64(game["table"]["given_number"])):
        given |= set_of(game["given"][place])
    return given


@compiled
def observe(game, rules, options, players, first, number, index, out):
    """Writes the observations of `number` players, starting with seat `first`, into the records of out[index]."""
    for place in range(number):
        observe_as(game, rules, players, first + place, out[index, place])


@compiled
def observe_as(game, rules, players, observer, seen):
    words = seen["table_words"]
    copy_words(game["table_words"], words)
    unseen = unseen_cards(game, observer)
    write_looks(game, observer, seen)
    seen["box"] = count(game["box"])
    seen["unseen_number"] = count(unseen)
    write_counts(~unseen, words)
    write_set(game["hands"][observer], HAND, words)
    write_set(unseen, UNSEEN, words)
    write_set(game["aside"], ASIDE, words)
    taken = given = NOTHING
    if game["phase"] == GIVE:
        doer = game["turn"] == observer
        taken = game["taken"] if doer or game["target"] == observer else NOTHING
        given = given_cards(game) if doer else NOTHING
    write_set(taken, TAKEN, words)
    write_set(given, GIVEN, words)
    write_seat(game, observer, own_cards(game, observer), NOTHING, seen["seat_words"][0])
    for seat in range(1, MAX_PLAYERS):
        player = observer + seat
        player -= players if player >= players else 0
        player = player if seat < players else seat  # an empty seat
        write_seat(
            game, player, game["known"][observer, player], game["known"][player, observer], seen["seat_words"][seat]
        )
    if is_covered(game, observer):
        show_own_card(game, rules, observer, seen["seats"][0])


@compiled
def write_seat(game, player, held, knows, words):
    copy_words(game["seat_words"][player], words)
    write_set(held, HELD, words)
    write_set(knows, KNOWS, words)
    write_set(game["shown"][player], SHOWN, words)


@compiled
def show_own_card(game, rules, player, seat):
    """The covered half, too."""
    card = np.int64(game["cards"][player])
    for colour in range(NUM_COLOURS):
        seat["colour"][colour] = card // RANKS == colour
    number = np.int64(rules["number"][card])
    seat["number"] = number
    seat["count"] = min(number + np.int64(seat["added"]), HIGHEST)


@compiled
def write_counts(cards, words):
    """How many of the cards there are of each colour and rank."""
    # Flags of the same rank are added up as the bytes of words: of ranks 1 to 8, and of the others.
    low = high = colours = NOTHING
    for colour in range(NUM_COLOURS):
        own = cards >> np.uint64(RANKS * colour)
        low += SPREAD[own & _BYTE]
        high += SPREAD[own >> np.uint64(WORD) & _NIBBLE]
        colours |= count(own & np.uint64((1 << RANKS) - 1)) << np.uint64(8 * colour)
    words[SEEN] = colours | low << _HALF_WORD
    words[SEEN + 1] = low >> _HALF_WORD | high << _HALF_WORD


@compiled
def write_looks(game, observer, seen):
    """The treasures that the observer knows on top of the stacks."""
    words = seen["table_words"]
    for word in range(LOOKED, SEEN):
        words[word] = NOTHING
    for stack in range(MOST_STACKS):
        number = np.int64(game["arranged"][stack])
        seen["arranged"][stack] = number
        if game["looker"][stack] == observer:
            top = np.int64(game["num_stacked"][stack]) - 1
            for place in range(number):
                show_treasure(seen["next"][stack, place], game["stacks"][stack, top - place])
        for place in range(game["num_peeked"][observer, stack]):
            show_treasure(seen["among_next"][stack, place], game["peeked"][observer, stack, place])


# For centralised critics


@compiled
def write_flags(cards, entries):
    for card in range(NUM_CARDS):
        entries[card] = cards >> np.uint64(card) & np.uint64(1)


@compiled
def observe_table(game, rules, players, index, out):
    """Writes everything, in seating order."""
    seen = out[index, 0]
    for entry in range(PUBLIC_TABLE_SIZE):
        seen["table_bytes"][entry] = game["table_bytes"][entry]
    for stack in range(MOST_STACKS):
        seen["arranged"][stack] = game["arranged"][stack]
        size = np.int64(game["num_stacked"][stack])
        for place in range(MOST_STACKED):
            treasure = game["stacks"][stack, size - 1 - place] if place < size else NO_TREASURE
            show_treasure(seen["stacks"][stack, place], treasure)
        for place in range(MOST_TRICKS):
            treasure = game["under"][stack, place] if place < game["num_under"][stack] else NO_TREASURE
            show_treasure(seen["under"][stack, place], treasure)
    write_flags(game["box"], seen["box"])
    write_flags(game["aside"], seen["aside"])
    write_flags(game["taken"], seen["taken"])
    write_flags(given_cards(game), seen["given"])
    for player in range(MAX_PLAYERS):
        seat = seen["seats"][player]
        for entry in range(PUBLIC_SEAT_SIZE):
            seen["seat_bytes"][player, entry] = game["seat_bytes"][player, entry]
        if player < players and is_covered(game, player):
            show_own_card(game, rules, player, seat)
        write_flags(game["hands"][player], seat["hand"])
        write_flags(game["shown"][player], seat["shown"])
        for other in range(MAX_PLAYERS):
            write_flags(game["known"][player, other], seat["known"][other])
        for stack in range(MOST_STACKS):
            for place in range(LOOKED_AT):
                show_treasure(seat["peeked"][stack, place], game["peeked"][player, stack, place])
        size = np.int64(game["seats"][player]["pile_size"])
        for place in range(MOST_TURNED_UP):
            treasure = game["treasures"][player, size - 1 - place] if place < size else NO_TREASURE
            show_treasure(seat["treasures"][place], treasure)
