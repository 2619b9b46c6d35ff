"""The weights of heuristics: how much each idea counts. Different weights make different agents."""

import numpy as np

from strand_env.sea_or_shore.ruleset import ACTIONS

KNOTS = 4  # numbers from 1 to 12, evenly spaced, between which the value of a card is interpolated

WEIGHTS_DTYPE = np.dtype(
    [
        # What is at stake, besides points
        ("extra", np.float32),  # an extra before the last tricks, besides the half point that it scores
        ("action", np.float32, (len(ACTIONS),)),  # each action, besides the extras that action 1 takes
        ("keep", np.float32, (KNOTS,)),  # a card of number 1, …, 12 that stays in the hand
        ("rich", np.float32),  # more of it if the stacks hold more points of its colour than of others
        ("guard", np.float32),  # a point of the own pile that a winner of the colour could steal
        ("spite", np.float32),  # a point that another player loses
        ("leader", np.float32),  # more of it if that player is ahead of the others
        # What others play: the likelihood of a card grows by exp(stake · (tempt + lean · number / 12))
        ("tempt", np.float32),  # they play for what is worth most
        ("lean", np.float32),  # and with high cards
        ("boost", np.float32),  # probability that those still to play add all their extras
        # Which half is covered, before others play: the number shows rather than the colour
        ("veil", np.float32),  # for each point expected by winning
        ("scare", np.float32),  # more of it the higher the number
        ("lure", np.float32),  # for each point expected by losing as the lowest
        # Choosing
        ("late", np.float32),  # action 3: a point that is turned up when the player plays last
        ("heat", np.float32),  # softmax temperature, in points
    ]
)
