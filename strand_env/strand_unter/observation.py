"""Writes observations, as `layout.py` describes them.

It works on 64-bit words, eight entries at a time: this is most of the engine's work, and several times as fast as
writing entry by entry. Where a game's record has entries in the same order as the observation, they are read as words
and half words (`card_words` and so on); the rest comes from lookup tables of words. The tests compare the result with
a literal reading of the layout.
"""

import sys
from itertools import product

import numpy as np

from strand_env.engine.jit import compiled
from strand_env.engine.records import copy_words
from strand_env.strand_unter.actions import FIRST_COMBINATION, NUM_DIAL_POSITIONS
from strand_env.strand_unter.layout import SEAT_SIZE, TABLE_SIZE
from strand_env.strand_unter.legal import PASS_ONLY, in_spell, set_combinations
from strand_env.strand_unter.ruleset import MAX_PLAYERS, MIN_PLAYERS
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


def _castle_words() -> np.ndarray:
    """By the places of two castles, four bits each: their entries; what they add to `built` and `points` as the castles
    of the first two values, and as those of the last two.
    """
    words = np.zeros((1 << 2 * _PLACE_BITS, 3), np.uint64)
    for places in product(range(FLOODED + 1), repeat=2):
        entries: dict[int, int] = {}
        for castle, place in enumerate(places):
            groove = place if HEAP < place <= LAST_GROOVE else 0
            entries |= dict(enumerate((place == HEAP, place == READY, groove, place == FLOODED), 4 * castle))
        built = sum(map(is_built, places))
        points = [sum(map(beach_points, places, values)) for values in ((0, 1), (2, 3))]
        words[places[0] | places[1] << _PLACE_BITS] = [_word(entries), *(_word({6: built, 7: each}) for each in points)]
    return words


def _dial_words() -> tuple[np.ndarray, np.ndarray]:
    """By position + 1: the one-hot dial in two words. By single + 1: the one-hot spell dial in the second of them."""
    dials = [1 << WORD * position for position in range(NUM_DIAL_POSITIONS)]
    two_words = [[0, 0]] + [[dial & 2**64 - 1, dial >> 64] for dial in dials]
    spell = [0] + [_word({NUM_DIAL_POSITIONS - WORD + single: 1}) for single in range(FIRST_COMBINATION)]
    return np.array(two_words, np.uint64), np.array(spell, np.uint64)


_PLACE_BITS = 4
assert FLOODED < 1 << _PLACE_BITS
_CASTLE_WORDS = _castle_words()
_DIAL_WORDS, _SPELL_WORDS = _dial_words()
_HALF = np.uint64(32)
_TO_ACT = np.uint64(0xFF << WORD)
_OPEN = np.uint64(0xFFFFFFFF)  # the entries of a seat's first word before the bucket
_PLACES, _PAIR = np.uint64(0x0F0F0F0F), np.uint64(0xFF)


@compiled
def entry(number, index):
    """A number as the entry at this index in a word."""
    return np.uint64(number) << np.uint64(8 * index)


@compiled
def observe(game, rules, options, players, first, number, index, out):
    """Writes the observations of `number` players, starting with seat `first`, into the records of out[index]."""
    # All see the same, each from their own seat: it is put together once, then copied, which takes fewer stores.
    observe_openly(game, rules, players, first, out[index, 0])
    for place in range(1, number):
        copy_words(out[index, 0]["table"], out[index, place]["table"])
        for seat in range(MAX_PLAYERS):
            turned = seat + place if seat + place < players else seat + place - players
            copy_words(out[index, 0]["seats"][turned if seat < players else seat], out[index, place]["seats"][seat])
    if options[HIDE_BUCKETS]:
        for place in range(number):
            hide_buckets(game, players, first + place, out[index, place])


@compiled
def observe_openly(game, rules, players, observer, out):
    """Writes what a player sees, with all buckets."""
    shells = np.uint64(game["shell_word"])
    buckets = np.uint64(0)
    for player in range(players):
        buckets += np.uint64(game["bucket_words"][player])
    next_fill = rules["next_fill"][np.uint8(game["round"])] if game["phase"] != OVER else 0
    where = entry(game["round"], 0) | entry(game["groove"], 1) | entry(game["sea"], 2)
    where |= entry(game["round"] > TURN_ROUND, 3) | shells << _HALF
    unseen = rules["shell_word"] - shells - buckets  # byte by byte, for each colour
    phase = entry(1, game["phase"])
    table = out["table"]
    table[0] = phase
    table[1] = where
    table[2] = entry(1, 4 + players - MIN_PLAYERS) | entry(next_fill, 7) | unseen

    _, collided = set_combinations(game["dials"])
    for player in range(players):
        # Unsigned indices, as signed ones would be checked for counting from the end; all reads before the writes.
        dial = game["dials"][player]
        flags = entry(1, 0) | entry(game["legal"][player, 0] != PASS_ONLY, 1)
        flags |= entry(in_spell(collided, dial), 2) | entry(game["owed"][player], 3)
        flags |= np.uint64(game["bucket_words"][player]) << _HALF
        places = np.uint64(game["castle_words"][player]) & _PLACES
        pairs = places | places >> np.uint64(_PLACE_BITS)
        pair_0, pair_2 = pairs & _PAIR, pairs >> np.uint64(16) & _PAIR
        dial_0 = _DIAL_WORDS[np.uint8(dial + 1), 0]
        dial_8 = _DIAL_WORDS[np.uint8(dial + 1), 1] | _SPELL_WORDS[np.uint8(game["spell_dials"][player] + 1)]
        dial_8 |= _CASTLE_WORDS[pair_0, 1] + _CASTLE_WORDS[pair_2, 2]
        lasts = entry(game["last_dials"][player] + 1, 2) | entry(game["last_spell_dials"][player] + 1, 3)
        cards_0, cards_2 = game["card_words"][player, 0], game["card_words"][player, 1]
        counts_0, counts_8 = game["count_words"][player, 0], game["count_words"][player, 1]
        castles_0, castles_2 = _CASTLE_WORDS[pair_0, 0], _CASTLE_WORDS[pair_2, 0]
        words = out["seats"][player - observer if player >= observer else player - observer + players]
        words[0] = flags
        words[1] = cards_0
        words[2] = cards_2
        words[3] = castles_0
        words[4] = castles_2
        words[5] = dial_0
        words[6] = dial_8
        words[7] = counts_0
        words[8] = counts_8 | lasts
    for seat in range(players, MAX_PLAYERS):
        out["seats"][seat] = np.uint64(0)


@compiled
def hide_buckets(game, players, observer, out):
    """Takes the others' buckets out of what a player sees, and who of them could build."""
    for player in range(players):
        if player != observer:
            out["table"][2] += np.uint64(game["bucket_words"][player])
    hidden = _OPEN if game["phase"] != BUILD else _OPEN & ~_TO_ACT
    for seat in range(1, players):
        out["seats"][seat][0] &= hidden


@compiled
def observe_table(game, rules, players, index, out):
    """Writes what all players together see, in seating order, with all buckets."""
    observe_openly(game, rules, players, 0, out[index, 0])
