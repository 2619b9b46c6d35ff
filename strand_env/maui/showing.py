"""Entries of `table` and `seats` that follow from others, written when those change.

They are written as 64-bit words, eight entries at a time, where this is shorter. The tests compare the result with a
literal reading of the layout.
"""

import sys

import numpy as np

from strand_env.engine.bits import ONE, count
from strand_env.engine.jit import compiled
from strand_env.engine.masks import SPREAD
from strand_env.maui.actions import TURN
from strand_env.maui.layout import AHEAD
from strand_env.maui.legal import NOTHING, NUMBER, top_of
from strand_env.maui.ruleset import (
    CELLS,
    COLUMNS,
    CRAB_SIDE,
    CRAB_VALUES,
    MAX_PLAYERS,
    MIN_PLAYERS,
    NO_SPOT,
    NUM_PATTERNS,
    NUM_TOWELS,
    PATTERN_UMBRELLAS,
    PEARL_COLOURS,
    PIECES,
    ROWS,
    TOWELS,
    VARIANTS,
)
from strand_env.maui.state import NOT_ACTIVE, WORD

assert sys.byteorder == "little", "strand_env packs entries for little-endian machines"

# The words of the table and of a seat where sections start
BEFORE, MARKET, BAG = 1, 8, 20
LAST, LYING, AHEAD_WORDS = 0, 7, 9

_BYTE = np.uint64(0xFF)
_ROW_WORDS = 5  # with a flag for each pattern in each row, and five entries more
_BAG_WORDS = 8  # with a flag for each towel, and four entries more
_MORE_THAN_ROWS, _MORE_THAN_BAG, _MORE_THAN_SPOTS = (np.uint64(2**64 - 2 ** (8 * used)) for used in (3, 4, 1))
_AHEAD_LENGTH, _AHEAD_REST = divmod(AHEAD * ROWS * (PEARL_COLOURS + PATTERN_UMBRELLAS + 1), WORD)
_MORE_THAN_PHASE, _MORE_THAN_AHEAD = (np.uint64(2**64 - 2 ** (8 * used)) for used in (4, _AHEAD_REST))


def _towel_words() -> np.ndarray:
    """By number: the entries of a towel in the market, as two words."""
    entries = np.zeros((NUM_TOWELS, 2 * WORD), np.uint8)
    for number, towel in enumerate(TOWELS):
        for cell, pattern in enumerate(towel):
            entries[number, NUM_PATTERNS * cell + pattern] = 1
        entries[number, NUMBER] = number
    return entries.view(np.uint64)


def _kinds_ahead() -> tuple[np.ndarray, np.ndarray]:
    """By piece: which entry of its row in `ahead` it sets, and to what."""
    crab = PEARL_COLOURS + PATTERN_UMBRELLAS
    kinds = [min(piece, crab) for piece in range(len(PIECES))]
    values = [1 if piece < crab else CRAB_VALUES[piece - crab] for piece in range(len(PIECES))]
    return np.array([0, *kinds], np.uint8), np.array([0, *values], np.uint8)


TOWEL_WORDS = _towel_words()
_KIND_AHEAD, _VALUE_AHEAD = _kinds_ahead()


@compiled
def show_rows(shown, top, rows):
    """The pattern of each active cell of a towel, one-hot in its row; all rows are zero before."""
    # Without branches, which would be hard to predict: for a cell that is not active, a zero is added to some row.
    for cell in range(CELLS):
        row = min(max(top + cell, 1), ROWS) - 1
        rows[row, max(np.int64(shown[cell]) - 1, 0)] |= shown[cell] != NOT_ACTIVE


@compiled
def clear_rows(start, words):
    """Clears the entries of all rows; the last word has other entries after them."""
    for word in range(start, start + _ROW_WORDS - 1):
        words[word] = NOTHING
    words[start + _ROW_WORDS - 1] &= _MORE_THAN_ROWS


@compiled
def show_last(game, player):
    """After `shown` has changed."""
    seat = game["seats"][player]
    clear_rows(LAST, game["seat_words"][player])
    show_rows(game["shown"][player, 0], top_of(seat), seat["last"])


@compiled
def show_shell(game, rules, player, track):
    """After a shell has moved."""
    seat = game["seats"][player]
    square = seat["shells"][track]
    seat["points"][track] = rules["points"][track, square]
    seat["to_ornament"][track] = rules["to_ornament"][track, square]
    seat["to_end"][track] = rules["last"][track] - square


@compiled
def show_pieces(game, rules, player):
    """After a column has been filled: what still lies on the beach, and in the next columns row by row."""
    seat, words = game["seats"][player], game["seat_words"][player]
    column = np.int64(seat["laid"])
    side = rules["side"][game["table"]["part"] - 1]
    words[LYING] = game["piece_words"][player, 0] & rules["lying_words"][side, column, 0]
    ninth = game["piece_words"][player, 1] & rules["lying_words"][side, column, 1]
    words[LYING + 1] = words[LYING + 1] & _MORE_THAN_SPOTS | ninth
    for word in range(_AHEAD_LENGTH):
        words[AHEAD_WORDS + word] = NOTHING
    words[AHEAD_WORDS + _AHEAD_LENGTH] &= _MORE_THAN_AHEAD
    for ahead in range(AHEAD):
        spot = rules["first_spot"][side, column + ahead]
        while True:
            piece = game["pieces"][player, spot]
            seat["ahead"][ahead, rules["spot_row"][side, spot] - 1, _KIND_AHEAD[piece]] |= _VALUE_AHEAD[piece]
            spot = rules["next_spot"][side, spot]
            if spot == NO_SPOT:
                break
    seat["done"] = column > COLUMNS
    game["table"]["columns_left"] = min(game["table"]["columns_left"], COLUMNS + 1 - column)


@compiled
def show_bag(game):
    """After `bag` has been filled or restored."""
    words = game["table_words"]
    for word in range(_BAG_WORDS - 1):
        words[BAG + word] = SPREAD[game["bag"] >> np.uint64(WORD * word) & _BYTE]
    last = BAG + _BAG_WORDS - 1
    words[last] = words[last] & _MORE_THAN_BAG | SPREAD[game["bag"] >> np.uint64(WORD * (_BAG_WORDS - 1))]
    game["table"]["bag_left"] = count(game["bag"])


@compiled
def set_market(game, place, number):
    game["table_words"][MARKET + 2 * place] = TOWEL_WORDS[number, 0]
    game["table_words"][MARKET + 2 * place + 1] = TOWEL_WORDS[number, 1]


@compiled
def show_players(game, rules):
    """At the start of a part: what stays the same in it."""
    table = game["table"]
    for number in range(MIN_PLAYERS, MAX_PLAYERS + 1):
        table["players"][number - MIN_PLAYERS] = game["players"] == number
    for variant in range(len(VARIANTS)):
        table["variant"][variant] = rules["variant"] == variant
    table["crab_side"] = rules["side"][table["part"] - 1] == CRAB_SIDE
    for player in range(game["players"]):
        seat = game["seats"][player]
        seat["present"] = 1
        seat["first"] = player == game["first"]
        seat["order"] = (player - game["first"]) % game["players"]


@compiled
def show_question(game, asked):
    """Before a player is asked: whose turn it is, and the towels that are being matched."""
    table, seat, phase = game["table"], game["seats"][asked], game["phase"]
    show_phase(game)
    seat["to_act"] = 1
    table["last_round"] = table["columns_left"] == 0
    table["turns_left"] = game["players"] - 1 - seat["order"]
    if phase != TURN:
        before = game["beach"][asked, seat["laid"] - 2]
        show_rows(game["shown"][asked, 1], before["top"], table["before"])
        for place in range(game["num_pending"]):
            table["pending"][game["pending"][place]] = 1 + place


@compiled
def show_end(game):
    """At the end of the game."""
    show_phase(game)
    game["table"]["last_round"] = 1
    game["table"]["turns_left"] = 0


@compiled
def show_phase(game):
    words = game["table_words"]
    words[0] = words[0] & _MORE_THAN_PHASE | ONE << np.uint64(WORD * game["phase"])


@compiled
def hide_question(game, asked):
    """After a player has decided."""
    table = game["table"]
    game["seats"][asked]["to_act"] = 0
    if game["phase"] != TURN:
        clear_rows(BEFORE, game["table_words"])
        for number in range(PATTERN_UMBRELLAS):
            table["pending"][number] = 0
