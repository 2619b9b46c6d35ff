"""Writes observations, as `layout.py` describes them.

It works on 64-bit words, eight entries at a time: this is most of the engine's work, and several times as fast as
writing entry by entry. Where a game's record has entries in the same order as the observation, they are read as words
and half words (`card_words` and so on); the rest comes from lookup tables of words. The tests compare the result with
a literal reading of the layout.
"""

import sys

import numpy as np

from strand_env.engine.jit import compiled
from strand_env.strand_unter.actions import FIRST_COMBINATION, NUM_DIAL_POSITIONS
from strand_env.strand_unter.layout import SEAT_SIZE, TABLE_SIZE
from strand_env.strand_unter.legal import PASS_ONLY, in_spell, set_combinations
from strand_env.strand_unter.ruleset import MAX_PLAYERS, MIN_PLAYERS, NUM_VALUES
from strand_env.strand_unter.scoring import beach_points, is_built
from strand_env.strand_unter.state import (
    BUILD,
    FLOODED,
    HEAP,
    LAST_GROOVE,
    OVER,
    READY,
    TURN_ROUND,
)

assert sys.byteorder == "little", "strand_env packs observations for little-endian machines"

WORD = 8  # entries in a 64-bit word
TABLE_WORDS, SEAT_WORDS = TABLE_SIZE // WORD, SEAT_SIZE // WORD
HIDE_BUCKETS = 0  # the index of the option


OBSERVATION_DTYPE = np.dtype([("table", np.uint64, (TABLE_WORDS,)), ("seats", np.uint64, (MAX_PLAYERS, SEAT_WORDS))])


def _word(entries: dict[int, int]) -> int:
    return sum(entry << 8 * index for index, entry in entries.items())


def _castle_words() -> tuple[np.ndarray, np.ndarray]:
    """By place: the four entries of a castle. By value and place: its contribution to `built` and `points`."""
    entries = np.zeros(FLOODED + 1, np.uint64)
    sums = np.zeros((NUM_VALUES, FLOODED + 1), np.uint64)
    for place in range(FLOODED + 1):
        groove = place if HEAP < place <= LAST_GROOVE else 0
        entries[place] = _word({0: place == HEAP, 1: place == READY, 2: groove, 3: place == FLOODED})
        for value in range(NUM_VALUES):
            sums[value, place] = _word({6: is_built(place), 7: beach_points(place, value)})
    return entries, sums


def _dial_words() -> tuple[np.ndarray, np.ndarray]:
    """By position + 1: the one-hot dial in two words. By single + 1: the one-hot spell dial in the second of them."""
    dials = [1 << WORD * position for position in range(NUM_DIAL_POSITIONS)]
    two_words = [[0, 0]] + [[dial & 2**64 - 1, dial >> 64] for dial in dials]
    spell = [0] + [_word({NUM_DIAL_POSITIONS - WORD + single: 1}) for single in range(FIRST_COMBINATION)]
    return np.array(two_words, np.uint64), np.array(spell, np.uint64)


_CASTLE_ENTRIES, _CASTLE_SUMS = _castle_words()
_DIAL_WORDS, _SPELL_WORDS = _dial_words()
_HALF = np.uint64(32)
_TO_ACT = np.uint64(1 << WORD)


@compiled
def entry(number, index):
    """A number as the entry at this index in a word."""
    return np.uint64(number) << np.uint64(8 * index)


@compiled
def observe(game, rules, options, players, first, number, index, out):
    """Writes the observations of `number` players, starting with seat `first`, into the records of out[index]."""
    hide_buckets = options[HIDE_BUCKETS]
    shells = np.uint64(game["shell_word"])
    elsewhere = rules["shell_word"] - shells  # byte by byte, for each colour
    buckets = np.uint64(0)
    for player in range(players):
        buckets += np.uint64(game["bucket_words"][player])

    phase = entry(1, game["phase"])
    where = entry(game["round"], 0) | entry(game["groove"], 1) | entry(game["sea"], 2)
    where |= entry(game["round"] > TURN_ROUND, 3) | shells << _HALF
    next_fill = rules["next_fill"][game["round"]] if game["phase"] != OVER else 0
    rest = entry(1, 4 + players - MIN_PLAYERS) | entry(next_fill, 7)
    for place in range(number):
        seen = np.uint64(game["bucket_words"][first + place]) if hide_buckets else buckets
        table = out[index, place]["table"]
        table[0] = phase
        table[1] = where
        table[2] = rest | (elsewhere - seen)
        for seat in range(players, MAX_PLAYERS):
            out[index, place]["seats"][seat] = np.uint64(0)

    _, collided = set_combinations(game["dials"])
    for player in range(players):
        castles = game["castles"][player]
        dial = game["dials"][player]
        flags = entry(1, 0) | entry(game["legal"][player, 0] != PASS_ONLY, 1)
        flags |= entry(in_spell(collided, dial), 2) | entry(game["owed"][player], 3)
        own = flags | np.uint64(game["bucket_words"][player]) << _HALF
        others = own
        if hide_buckets:
            others = flags & ~_TO_ACT if game["phase"] == BUILD else flags
        castles_0 = _CASTLE_ENTRIES[castles[0]] | _CASTLE_ENTRIES[castles[1]] << _HALF
        castles_2 = _CASTLE_ENTRIES[castles[2]] | _CASTLE_ENTRIES[castles[3]] << _HALF
        cards_0 = game["card_words"][player, 0]
        cards_2 = game["card_words"][player, 1]
        dial_0 = _DIAL_WORDS[dial + 1, 0]
        dial_8 = _DIAL_WORDS[dial + 1, 1] | _SPELL_WORDS[game["spell_dials"][player] + 1]
        for value in range(NUM_VALUES):
            dial_8 += _CASTLE_SUMS[value, castles[value]]
        lasts = entry(game["last_dials"][player] + 1, 2) | entry(game["last_spell_dials"][player] + 1, 3)
        counts_0 = game["count_words"][player, 0]
        counts_8 = game["count_words"][player, 1] | lasts
        for place in range(number):
            observer = first + place
            seat = player - observer if player >= observer else player - observer + players
            words = out[index, place]["seats"][seat]
            words[0] = own if player == observer else others
            words[1] = cards_0
            words[2] = cards_2
            words[3] = castles_0
            words[4] = castles_2
            words[5] = dial_0
            words[6] = dial_8
            words[7] = counts_0
            words[8] = counts_8


@compiled
def observe_table(game, rules, players, index, out):
    """Writes what all players together see, in seating order, with all buckets."""
    observe(game, rules, (False,), players, 0, 1, index, out)
