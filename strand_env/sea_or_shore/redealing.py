"""Redeals: what a player cannot know is drawn again, all cases that fit the player's view being equally likely."""

import numpy as np

from strand_env.engine.bits import count, has, nth
from strand_env.engine.jit import compiled
from strand_env.engine.randomness import below, mixed
from strand_env.sea_or_shore.actions import EXTRAS, GIVE, OVER
from strand_env.sea_or_shore.drawing import ALL_CARDS, draw_card, draw_cards, shuffle
from strand_env.sea_or_shore.four_actions import remember_top
from strand_env.sea_or_shore.legal import COLOUR_SETS, NOTHING, set_of
from strand_env.sea_or_shore.restoring import offer
from strand_env.sea_or_shore.ruleset import LOOKED_AT, MOST_STACKS, NO_TREASURE, RANKS
from strand_env.sea_or_shore.showing import SHOWS_COLOUR
from strand_env.sea_or_shore.state import NO_CARD

_BYTE = np.uint64(0xFF)


@compiled
def redeal(game, rules, seed, observer):
    """Draws again what is hidden from the observer, or without one (-1), from everybody; with a new random stream."""
    game["seed"] = seed
    game["stream"] = mixed(seed)
    if observer < 0:
        for stack in range(MOST_STACKS):
            reshuffle(game, game["stacks"][stack], below_the_top(game, stack))
        return
    if game["phase"] != OVER:
        redeal_cards(game, rules, observer)
    for stack in range(MOST_STACKS):
        redeal_stack(game, stack, observer)
    forget_what_others_know(game, observer)
    if game["phase"] == GIVE:
        redeal_gifts(game, np.int64(game["turn"]), np.int64(game["target"]), observer)
    offer(game, game["turn"])


# Island cards


@compiled
def is_covered(game, player):
    return game["phase"] <= EXTRAS and game["cards"][player] != NO_CARD


@compiled
def own_cards(game, player):
    """The hand, and what lies under the cover."""
    return game["hands"][player] | (set_of(game["cards"][player]) if is_covered(game, player) else NOTHING)


@compiled
def unseen_cards(game, observer):
    """The cards that a player cannot place."""
    seen = game["aside"] | own_cards(game, observer)
    for player in range(game["players"]):
        seen |= game["known"][observer, player]
        if game["cards"][player] != NO_CARD and not is_covered(game, player):
            seen |= set_of(game["cards"][player])
    return ALL_CARDS & ~seen


@compiled
def redeal_cards(game, rules, observer):
    """The unseen cards go to the other hands, the other covers and the box."""
    unseen = unseen_cards(game, observer)
    left = redeal_covers(game, rules, observer, unseen)
    for player in range(game["players"]):
        if player != observer:
            known = game["known"][observer, player]
            if is_covered(game, player):
                known &= ~set_of(game["cards"][player])
            size = np.int64(count(game["hands"][player])) - np.int64(count(known))
            drawn = draw_cards(game, left, size)
            game["hands"][player] = known | drawn
            left &= ~drawn
    game["box"] = left


@compiled
def redeal_covers(game, rules, observer, unseen):
    """Draws the cards under the others' covers; returns the unseen cards that are left.

    Each is drawn by itself, with weights that make all deals equally likely once those are dropped in which a card
    was drawn twice, and some of those with few unseen cards.
    """
    number = np.int64(count(unseen))
    while True:
        left, covers, hidden, distinct = unseen, NOTHING, 0, True
        for player in range(game["players"]):
            if player != observer and is_covered(game, player):
                card = draw_cover(game, rules, observer, player, unseen, number)
                distinct &= not has(unseen, card) or has(left, card)
                left &= ~set_of(card)
                covers |= np.uint64(card) << np.uint64(8 * player)  # a byte for each
                hidden += 1
        if distinct and goes_on(game, number, number - np.int64(count(left)), min(hidden, number)):
            break
    for player in range(game["players"]):
        if player != observer and is_covered(game, player):
            game["cards"][player] = covers >> np.uint64(8 * player) & _BYTE
    return left


@compiled
def draw_cover(game, rules, observer, player, unseen, number):
    """A card that fits what shows of a player's: a known one, or more or less likely an unseen one."""
    card = game["cards"][player]
    by_colour = game["seats"][player]["shows"][SHOWS_COLOUR] == 1
    fitting = COLOUR_SETS[card // RANKS] if by_colour else rules["number_set"][rules["number"][card]]
    known = game["known"][observer, player]
    weight_of_known = max(number, 1)
    weight_of_unseen = np.int64(count(own_cards(game, player))) - np.int64(count(known))
    known_weights = weight_of_known * np.int64(count(known & fitting))
    drawn, game["stream"] = below(game["stream"], known_weights + weight_of_unseen * np.int64(count(unseen & fitting)))
    if drawn < known_weights:
        return nth(known & fitting, np.uint64(drawn // weight_of_known))
    return nth(unseen & fitting, np.uint64((drawn - known_weights) // weight_of_unseen))


@compiled
def goes_on(game, number, first, last):
    """With the probability of the product of (number - i) / number from first to last - 1."""
    for each in range(first, last):
        drawn, game["stream"] = below(game["stream"], number)
        if drawn >= number - each:
            return False
    return True


# Treasures


@compiled
def below_the_top(game, stack):
    """The number of cards below those that were arranged."""
    return np.int64(game["num_stacked"][stack]) - game["arranged"][stack]


@compiled
def reshuffle(game, cards, size):
    """Shuffles cards, whatever their order was: a redeal follows from the seed and what the observer knows."""
    for place in range(1, size):
        card, at = cards[place], place
        while at > 0 and cards[at - 1] > card:
            cards[at] = cards[at - 1]
            at -= 1
        cards[at] = card
    shuffle(game, cards, 0, size)


@compiled
def redeal_stack(game, stack, observer):
    """Shuffles what the observer has not seen; what is known to be among the top cards stays there."""
    cards, size, rest = game["stacks"][stack], np.int64(game["num_stacked"][stack]), below_the_top(game, stack)
    if game["looker"][stack] == observer:
        reshuffle(game, cards, rest)
        return
    peeked, number = game["peeked"][observer, stack], np.int64(game["num_peeked"][observer, stack])
    while True:
        reshuffle(game, cards, size)
        # Cards of each kind that is known change places with random ones of the top.
        for place in range(number):
            bring_to_top(game, cards, peeked[place], size, place)
        # Top cards that hold what is known in several ways come about more often: just as often they are dropped.
        ways, game["stream"] = below(game["stream"], ways_to_hold(cards, rest, size, peeked, number))
        if ways == 0:
            break
    shuffle(game, cards, rest, size)


@compiled
def bring_to_top(game, cards, treasure, size, taken):
    """A random treasure of this kind comes to the top, below those brought there before."""
    top = size - taken
    there = 0
    for place in range(top):
        there += cards[place] == treasure
    chosen, game["stream"] = below(game["stream"], there)
    for place in range(top):
        if cards[place] == treasure:
            if chosen == 0:
                cards[place], cards[top - 1] = cards[top - 1], cards[place]
                return
            chosen -= 1


@compiled
def ways_to_hold(cards, start, stop, peeked, number):
    """In how many ways these cards hold those that are known, equal treasures being different cards."""
    ways = 1
    for place in range(number):
        there = same = 0
        for each in range(start, stop):
            there += cards[each] == peeked[place]
        for before in range(place):
            same += peeked[before] == peeked[place]
        # A binomial coefficient, factor by factor
        ways = ways * (there - same) // (same + 1)
    return ways


# What others know


@compiled
def forget_what_others_know(game, observer):
    """They know what the observer can be sure of, and no more."""
    for one in range(game["players"]):
        if one == observer:
            continue
        for other in range(game["players"]):
            if other != observer and other != one:
                game["known"][one, other] = game["shown"][other]
        for stack in range(MOST_STACKS):
            if game["looker"][stack] == one:
                remember_top(game, one, stack)
            else:
                game["num_peeked"][one, stack] = 0
                for place in range(LOOKED_AT):
                    game["peeked"][one, stack, place] = NO_TREASURE


@compiled
def redeal_gifts(game, doer, target, observer):
    """In phase give: the cards drawn, and those chosen so far."""
    if observer == doer:
        return
    if observer != target:
        game["taken"] = draw_cards(game, game["hands"][doer], np.int64(game["table"]["taken_number"]))
        game["known"][target, doer] = game["taken"]
    for place in range(np.int64(game["table"]["given_number"])):
        game["given"][place] = draw_card(game, game["hands"][doer])
