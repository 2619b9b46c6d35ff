"""Writes observations, as `layout.py` describes them.

It works on 64-bit words, eight entries at a time; sections follow each other so that long ones start with a word. The
tests compare the result with a literal reading of the layout.
"""

import sys

import numpy as np

from strand_env.engine.jit import compiled
from strand_env.engine.masks import SPREAD
from strand_env.maui.layout import AHEAD, SEAT_SIZE, TABLE_SIZE
from strand_env.maui.legal import NOTHING, PASS_ONLY
from strand_env.maui.phases import anyone_done
from strand_env.maui.ruleset import (
    CELLS,
    CRAB,
    CRAB_VALUES,
    LOWEST_TOP,
    MARKET_ROWS,
    MAX_PLAYERS,
    MIN_PLAYERS,
    MOST_ORNAMENTS,
    MOST_SPOTS,
    NUM_PATTERNS,
    NUM_TOWELS,
    PEARL,
    PEARL_COLOURS,
    PIECES,
    PLACES,
    ROWS,
    TOKEN_KINDS,
    TOWELS,
)
from strand_env.maui.state import OVER, TURN

assert sys.byteorder == "little", "strand_env packs observations for little-endian machines"

WORD = 8  # entries in a 64-bit word
OBSERVATION_DTYPE = np.dtype(
    [("table", np.uint64, (TABLE_SIZE // WORD,)), ("seats", np.uint64, (MAX_PLAYERS, SEAT_SIZE // WORD))]
)

# The words of the table where its long sections start, and those of a seat
BEFORE, AHEAD_AT, SUPPLY, MARKET, BAG = 1, 6, 15, 16, 28
LAST, TRACKS, SPOTS = 0, 5, 7

_BYTE = np.uint64(0xFF)
_EIGHT, _SEVEN_BYTES = np.uint64(8), np.uint64(56)
_FIRST_ROW = np.uint64(2 * NUM_PATTERNS)  # of the beach, in a set of shown patterns
_ROW_WORDS = 5  # for a flag for each pattern in each row, and five entries more


def _towel_words() -> np.ndarray:
    """By number: a flag for each pattern in each of the three cells, in two words."""
    entries = np.zeros((NUM_TOWELS, 2 * WORD), np.uint8)
    for number, towel in enumerate(TOWELS):
        for cell, pattern in enumerate(towel):
            entries[number, NUM_PATTERNS * cell + pattern] = 1
    return entries.view(np.uint64)


def _pieces_ahead() -> tuple[np.ndarray, np.ndarray]:
    """By piece: which entry of its row in `ahead` it sets, and to what."""
    crab = PEARL_COLOURS + 2
    kinds = [piece if piece < crab else crab for piece in range(len(PIECES))]
    values = [1 if piece < crab else piece - crab + CRAB_VALUES[0] for piece in range(len(PIECES))]
    return np.array([0, *kinds]), np.array([0, *values], np.uint64)


_TOWEL_WORDS = _towel_words()
_KIND_AHEAD, _VALUE_AHEAD = _pieces_ahead()
assert (PEARL, CRAB) == (1, PEARL_COLOURS + 3)


@compiled
def entry(number, index):
    """A number as the entry at this index in a word."""
    return np.uint64(number) << np.uint64(8 * index)


@compiled
def flags(bits, word):
    """Eight bits of a set as the entries of a word."""
    return SPREAD[bits >> np.uint64(WORD * word) & _BYTE]


@compiled
def observe(game, rules, options, players, first, number, index, out):
    """Writes the observations of `number` players, starting with seat `first`, into the records of out[index]."""
    for place in range(number):
        seen = out[index, place]
        write_table(game, rules, players, first + place, seen["table"])
        for seat in range(MAX_PLAYERS):
            player = first + place + seat
            player -= players if player >= players else 0
            if seat < players:
                write_seat(game, rules, player, seen["seats"][seat])
            else:
                seen["seats"][seat] = NOTHING


@compiled
def observe_table(game, rules, players, index, out):
    """Writes what all players see, in seating order."""
    observe(game, rules, (), players, 0, 1, index, out)


@compiled
def write_table(game, rules, players, observer, table):
    phase = game["phase"]
    table[0] = entry(1, phase) | entry(1, 4 + players - MIN_PLAYERS) | entry(game["part"], 7)
    before = NOTHING
    if phase != TURN and phase != OVER:
        for player in range(players):
            if game["legal"][player, 0] != PASS_ONLY:
                before = game["shown"][player, 1] >> _FIRST_ROW
    more = entry(1, 3 + rules["variant"]) | entry(game["round"], 6) | entry(anyone_done(game), 7)
    write_rows(before, more, BEFORE, table)
    write_ahead(game, rules, observer, table)
    supply = NOTHING
    for ornament in range(MOST_ORNAMENTS):
        supply |= entry(game["supply"][ornament], ornament)
    table[SUPPLY] = supply
    write_market(game, table)
    bag = game["bag"]
    for word in range(7):
        table[BAG + word] = flags(bag, word)
    rest = flags(bag, 7)
    for zone in range(MARKET_ROWS):
        rest |= entry(game["zones"][zone], 4 + zone)
    for kind in range(TOKEN_KINDS):
        rest |= entry(game["fresh"][kind], 6 + kind)
    table[BAG + 7] = rest


@compiled
def write_rows(shown, more, start, words):
    """A flag for each pattern in each row of the beach; the last word has more entries after them."""
    for word in range(_ROW_WORDS - 1):
        words[start + word] = flags(shown, word)
    words[start + _ROW_WORDS - 1] = flags(shown, _ROW_WORDS - 1) | more


@compiled
def write_ahead(game, rules, observer, table):
    """What lies in the observer's next columns, and then the pattern umbrellas in use."""
    for word in range(SUPPLY - AHEAD_AT):
        table[AHEAD_AT + word] = NOTHING
    side = rules["side"][game["part"] - 1]
    column = game["laid"][observer]
    for place in range(rules["first_in"][side, column], rules["first_in"][side, column + AHEAD]):
        spot = rules["by_column"][side, place]
        piece = game["pieces"][observer, spot]
        row = ROWS * (rules["spot_column"][side, spot] - column) + rules["spot_row"][side, spot] - 1
        at = NUM_PATTERNS * row + _KIND_AHEAD[piece]
        table[AHEAD_AT + at // WORD] |= _VALUE_AHEAD[piece] << np.uint64(WORD * (at % WORD))
    for place in range(game["num_pending"]):
        table[SUPPLY - 1] |= entry(1 + place, 6 + game["pending"][place])


@compiled
def write_market(game, table):
    """Fifteen flags for each towel, then the towels' numbers: each towel starts one entry before a pair of words."""
    numbers = NOTHING
    for place in range(PLACES):
        numbers |= entry(game["market"][place], place)
    for place in range(PLACES):
        number = game["market"][place]
        start, rest = _TOWEL_WORDS[number, 0], _TOWEL_WORDS[number, 1]
        following = _TOWEL_WORDS[game["market"][place + 1], 0] if place + 1 < PLACES else numbers
        shift = np.uint64(8 * place)
        table[MARKET + 2 * place] = start >> shift | rest << _EIGHT << _SEVEN_BYTES - shift
        table[MARKET + 2 * place + 1] = rest >> shift | following << _SEVEN_BYTES - shift


@compiled
def write_seat(game, rules, player, words):
    laid = game["laid"][player]
    towel = game["beach"][player, laid - 1]
    order = player - game["first"]
    order += game["players"] if order < 0 else 0
    more = entry(1, 3) | entry(game["legal"][player, 0] != PASS_ONLY, 4) | entry(order, 5) | entry(laid, 6)
    more |= entry(towel["top"] - LOWEST_TOP, 7)
    write_rows(game["shown"][player, 0] >> _FIRST_ROW, more, LAST, words)
    tracks, more_tracks = NOTHING, entry(game["dollars"][player], 7)
    for track in range(NUM_PATTERNS):
        square = game["shells"][player, track]
        tracks |= rules["track_words"][track, square, 0]
        more_tracks |= rules["track_words"][track, square, 1]
    words[TRACKS] = tracks
    words[TRACKS + 1] = more_tracks
    side = rules["side"][game["part"] - 1]
    words[SPOTS] = game["piece_words"][player, 0] & rules["lying_words"][side, laid, 0]
    rest = game["piece_words"][player, 1] & rules["lying_words"][side, laid, 1]
    for kind in range(TOKEN_KINDS):
        rest |= entry(game["tokens"][player, kind], 1 + kind)
    for colour in range(PEARL_COLOURS):
        rest |= entry(game["pearls"][player, colour], 3 + colour)
    rest |= entry(game["penalties"][player], 5) | entry(game["crab_points"][player], 6) | entry(towel["number"], 7)
    words[SPOTS + 1] = rest


assert (CELLS * NUM_PATTERNS, MOST_SPOTS) == (2 * WORD - 1, WORD + 1)
