"""Random draws: the deal, shuffled stacks, the cards of action 2."""

import numpy as np

from strand_env.engine.bits import count, nth
from strand_env.engine.jit import compiled
from strand_env.engine.randomness import below
from strand_env.sea_or_shore.legal import NOTHING, set_of
from strand_env.sea_or_shore.ruleset import NUM_CARDS

ALL_CARDS = np.uint64((1 << NUM_CARDS) - 1)


@compiled
def draw_cards(game, cards, number):
    """A random subset of that many cards."""
    drawn = NOTHING
    left = np.int64(count(cards))
    for _ in range(number):
        place, game["stream"] = below(game["stream"], left)
        card = set_of(nth(cards, np.uint64(place)))
        drawn |= card
        cards &= ~card
        left -= 1
    return drawn


@compiled
def draw_card(game, cards):
    """A random one of these cards."""
    place, game["stream"] = below(game["stream"], np.int64(count(cards)))
    return nth(cards, np.uint64(place))


@compiled
def shuffle(game, entries, start, stop):
    for index in range(start, stop - 1):
        drawn, game["stream"] = below(game["stream"], stop - index)
        entries[index], entries[index + drawn] = entries[index + drawn], entries[index]


@compiled
def deal_cards(game, rules):
    """New hands, and the box."""
    left = ALL_CARDS
    for player in range(game["players"]):
        hand = draw_cards(game, left, np.int64(rules["tricks"]))
        game["hands"][player] = hand
        left &= ~hand
    game["box"] = left


@compiled
def fill_stacks(game, rules):
    """All treasures, shuffled."""
    for stack in range(rules["num_stacks"]):
        size = np.int64(rules["stack_size"])
        for place in range(size):
            game["stacks"][stack, place] = rules["stacks"][stack, place]
        game["num_stacked"][stack] = size
        shuffle(game, game["stacks"][stack], 0, size)
