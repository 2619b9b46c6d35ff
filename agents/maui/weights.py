"""The weights of heuristics: how much each idea counts. Different weights make different agents."""

import numpy as np

HEIGHTS = 5  # distances of a top from the middle one
DRAWS = 3  # numbers of dollars that make a difference for new towels
DOLLARS = 4  # dollars held that have a weight of their own

WEIGHTS_DTYPE = np.dtype(
    [
        # This turn, besides its points
        ("dollar", np.float32, (DOLLARS,)),  # the first dollar held, the second, the third, each further one
        ("tempo", np.float32),  # the cost of a turn without a towel
        ("race", np.float32),  # more of it for each point of lead; less if behind
        ("token", np.float32),  # a towel token received
        ("lay", np.float32),  # the cost of laying one
        ("climb", np.float32),  # a point that the next steps on a track will bring, from where a shell stands then
        ("pearl", np.float32),  # a pearl collected, for each of its colour still to come
        # The next turn
        ("next", np.float32),  # a point expected from it
        ("chance", np.float32, (DRAWS,)),  # new towels to choose from then, per player, with no, one or more dollars
        ("others", np.float32),  # how far to expect that others take the towels they gain most by, from 0 to 1
        ("guess", np.float32),  # softmax temperature of their predicted choices, in points
        ("sinks", np.float32),  # probability that a towel's price sinks by a dollar until then
        # Later turns: for the towel laid now, and for the one after it
        ("soon", np.float32, (2,)),  # a point that pieces in the following column bring, in each way to cover them
        ("height", np.float32, (HEIGHTS,)),  # a top in the middle, one row off, and so on
        # Choosing
        ("heat", np.float32),  # softmax temperature, in points
    ]
)

DIVISORS = ("guess", "heat")
