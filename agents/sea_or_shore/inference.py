"""Reading covered cards by Bayes' rule: how likely others are to play as they did, given their hands.

A redeal gives all hands that fit what shows the same chance. Those in which a player like the heuristic would have
played what lies on the table are likelier than others.
"""

import numpy as np

from strand_env.agents.choosing import softmax
from strand_env.agents.sea_or_shore.appraisal import rate
from strand_env.engine.jit import Kernel, compiled
from strand_env.sea_or_shore.actions import ADD, CARD, EXTRAS, NUM_ACTIONS, SHOW_NUMBER
from strand_env.sea_or_shore.legal import set_of
from strand_env.sea_or_shore.observation import observe
from strand_env.sea_or_shore.phases import clear_play
from strand_env.sea_or_shore.ruleset import MOST_ADDED, NUM_CARDS
from strand_env.sea_or_shore.showing import SHOWS_NUMBER, set_phase, show_card, show_hand
from strand_env.sea_or_shore.state import NO_CARD

ERROR = 0.05  # how often somebody is taken to play anything, since not everybody plays like the heuristic


@Kernel
def weigh_games(start, stop, batch, observers, room, out):
    """How likely the plays of the trick are, but for the observer's; 1 if none lies covered. Undoes them."""
    state, rules, options, players = batch
    for index in range(start, stop):
        out[index] = 1
        if state[index]["phase"] in (CARD, EXTRAS):
            out[index] = likelihood_of_plays(state[index], rules[0], options, players, observers[index], room)


@compiled
def likelihood_of_plays(game, rules, options, players, observer, room):
    """Takes the plays back, the last one first: everybody decided by what lay there before."""
    likelihood = 1.0
    for place in range(players - 1, -1, -1):
        player = (np.int64(game["leader"]) + place) % players
        if game["cards"][player] != NO_CARD:
            added = take_extras_back(game, rules, player)
            if player != observer:
                set_phase(game, EXTRAS)
                likelihood *= chance_of(game, rules, options, players, player, ADD + added, room)
            action = take_card_back(game, player)
            if player != observer:
                set_phase(game, CARD)
                likelihood *= chance_of(game, rules, options, players, player, action, room)
    return likelihood


@compiled
def take_extras_back(game, rules, player):
    """Returns how many they were."""
    seat = game["seats"][player]
    added = np.int64(seat["added"])
    seat["added"] = 0
    seat["extras"] += added
    show_card(game, rules, player)
    return added


@compiled
def take_card_back(game, player):
    """Returns the action by which it was played."""
    card = np.int64(game["cards"][player])
    action = card + SHOW_NUMBER * np.int64(game["seats"][player]["shows"][SHOWS_NUMBER])
    game["hands"][player] |= set_of(card)
    clear_play(game, player)
    show_hand(game, player)
    game["table"]["played"] -= 1
    return action


@compiled
def chance_of(game, rules, options, players, player, action, room):
    """The probability of an action of the heuristic, in phases card and extras."""
    weights, numbers, observations, tables, seats, working, legal, ratings = room
    for each in range(NUM_ACTIONS):
        legal[each] = 0
    if action >= ADD:
        for added in range(min(np.int64(game["seats"][player]["extras"]), MOST_ADDED) + 1):
            legal[ADD + added] = 1
    else:
        for card in range(NUM_CARDS):
            held = game["hands"][player] >> np.uint64(card) & np.uint64(1)
            legal[card] = legal[SHOW_NUMBER + card] = held
    observe(game, rules, options, players, player, 1, 0, observations)
    rate(tables[0], seats[0], legal, numbers, weights[0], working[0], ratings)
    softmax(ratings, 0, NUM_ACTIONS, weights[0]["heat"])
    options = np.float64(legal.sum())
    return (1 - ERROR) * ratings[action] + ERROR / options
