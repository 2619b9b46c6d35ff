"""Writes observations: copies of `table` and `seats`, the observer's own seat first."""

import numpy as np

from strand_env.engine.jit import compiled
from strand_env.engine.records import copy_words
from strand_env.maui.layout import SEAT_SIZE, TABLE_SIZE
from strand_env.maui.ruleset import MAX_PLAYERS
from strand_env.maui.state import WORD

TABLE_WORDS, SEAT_WORDS = TABLE_SIZE // WORD, SEAT_SIZE // WORD
OBSERVATION_DTYPE = np.dtype([("table", np.uint64, (TABLE_WORDS,)), ("seats", np.uint64, (MAX_PLAYERS, SEAT_WORDS))])


@compiled
def observe(game, rules, options, players, first, number, index, out):
    """Writes the observations of `number` players, starting with seat `first`, into the records of out[index]."""
    for place in range(number):
        seen = out[index, place]
        copy_words(game["table_words"], seen["table"])
        for seat in range(MAX_PLAYERS):
            player = first + place + seat
            player -= players if player >= players else 0
            player = player if seat < players else seat  # an empty seat
            copy_words(game["seat_words"][player], seen["seats"][seat])


@compiled
def observe_table(game, rules, players, index, out):
    """Writes what all players see, in seating order."""
    observe(game, rules, (), players, 0, 1, index, out)
