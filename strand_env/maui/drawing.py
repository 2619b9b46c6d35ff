"""Random draws: towels from the bag, pieces onto the beaches."""

import numpy as np

from strand_env.engine.bits import ONE, nth
from strand_env.engine.jit import compiled
from strand_env.engine.randomness import below, mixed
from strand_env.maui.ruleset import CRAB_SIDE, MOST_SPOTS, NUM_CRABS, NUM_TOWELS

ALL_TOWELS = np.uint64((1 << NUM_TOWELS) - 1)


@compiled
def draw_towel(game):
    """Draws a towel from the bag; returns its number."""
    bag, table = game["bag"], game["table"]
    part = table["part"] - 1
    drawn, game["stream"] = below(game["stream"], table["bag_left"])
    number = nth(bag, np.uint64(drawn))
    game["bag"] = bag & ~(ONE << np.uint64(number))
    table["bag"][number] = 0
    table["bag_left"] -= 1
    game["drawn"][part, game["num_drawn"][part]] = number
    game["num_drawn"][part] += 1
    return number


@compiled
def deal_pieces(game, rules, player):
    """Shuffles a player's pieces onto the spots; on the crab side crabs and umbrellas each onto their own."""
    side = rules["side"][game["table"]["part"] - 1]
    pieces = game["pieces"][player]
    for spot in range(MOST_SPOTS):
        pieces[spot] = rules["piece"][side, spot]
    crabs = NUM_CRABS if side == CRAB_SIDE else 0
    shuffle(game, pieces, 0, crabs)
    shuffle(game, pieces, crabs, rules["num_spots"][side])


@compiled
def shuffle(game, entries, start, stop):
    for index in range(start, stop - 1):
        drawn, game["stream"] = below(game["stream"], stop - index)
        entries[index], entries[index + drawn] = entries[index + drawn], entries[index]


@compiled
def redeal(game, rules, seed, observer):
    """All later draws come from a new stream: nothing else is hidden, from nobody."""
    game["seed"] = seed
    game["stream"] = mixed(seed)
