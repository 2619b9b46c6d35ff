"""Random draws: shells from the bag, cards from the deck."""

import numpy as np

from strand_env.engine.jit import compiled
from strand_env.engine.randomness import below, mixed
from strand_env.strand_unter.ruleset import CARDS_PER_VALUE, NUM_COLOURS, NUM_VALUES, PLAYED_GROOVES

# Small lists are packed into the bytes of a word: arrays inside compiled code are slow to compile.
_BYTE = np.uint64(0xFF)
_CARD_NUMBERS = np.uint64(sum(number << 8 * number for number in range(CARDS_PER_VALUE)))


@compiled
def byte(word, index):
    return word >> np.uint64(8 * index) & _BYTE


@compiled
def deal_cards(game, rules):
    """Deals each player one of the eight cards of each value."""
    for value in range(NUM_VALUES):
        deck = _CARD_NUMBERS
        for player in range(game["players"]):
            drawn, game["stream"] = below(game["stream"], CARDS_PER_VALUE - player)
            drawn += player
            card = byte(deck, drawn)
            changed = card ^ byte(deck, player)
            deck ^= changed << np.uint64(8 * drawn) | changed << np.uint64(8 * player)  # swaps the two
            for colour in range(NUM_COLOURS):
                game["cards"][player, value, colour] = rules["cards"][value, card, colour]


@compiled
def draw_shells(game, amount, target):
    """Draws shells from the bag at random, or all that are left in it."""
    bag = game["bag"]
    # Cumulative counts of colours: comparisons instead of branches, which would be hard to predict.
    first = np.int64(bag[0])
    first_two = first + bag[1]
    first_three = first_two + bag[2]
    left = first_three + bag[3]
    stream = game["stream"]
    for _ in range(min(np.int64(amount), left)):
        drawn, stream = below(stream, left)
        first -= drawn < first
        first_two -= drawn < first_two
        first_three -= drawn < first_three
        left -= 1
    game["stream"] = stream
    move_shells(bag, 0, bag[0] - first, target)
    move_shells(bag, 1, bag[1] - (first_two - first), target)
    move_shells(bag, 2, bag[2] - (first_three - first_two), target)
    move_shells(bag, 3, bag[3] - (left - first_three), target)


@compiled
def move_shells(source, colour, amount, target):
    source[colour] -= amount
    target[colour] += amount


@compiled
def redeal(game, rules, seed, observer):
    """Redeals the bag and the covered grooves; later draws come from a new stream.

    These are hidden from all players alike, so the observer makes no difference.
    """
    game["seed"] = seed
    game["stream"] = mixed(seed)
    sizes = np.uint64(0)
    for groove in range(PLAYED_GROOVES):
        for colour in range(NUM_COLOURS):
            sizes += np.uint64(game["covered"][groove, colour]) << np.uint64(8 * groove)
            game["bag"][colour] += game["covered"][groove, colour]
            game["covered"][groove, colour] = 0
    for groove in range(PLAYED_GROOVES):
        draw_shells(game, byte(sizes, groove), game["covered"][groove])
