"""Who has to be asked for the next moves of many games: the inner loop of a match, compiled."""

import numpy as np

from strand_env.engine.jit import Kernel
from strand_env.engine.randomness import decision_stream


@Kernel
def find_moves(
    start,
    stop,
    going,
    to_act,
    learners,
    chosen,
    seeds,
    moves,
    pass_action,
    numbers,
    games,
    actions,
    asked,
    streams,
):
    """The games that go on, with the actions known so far, and the opponents who have to act in them.

    Of the games that are `going`, those go on in which somebody has to decide, and not the learner, unless it has
    `chosen` what to do; an empty array if none has. The numbers of games and opponents found are put into `numbers`.
    """
    found = found_rows = 0
    players = to_act.shape[1]
    learners_act = len(chosen) > 0
    for index in range(start, stop):
        game = going[index]
        learner = learners[game]
        anybody = False
        for player in range(players):
            anybody |= to_act[game, player]
        if not anybody or (to_act[game, learner] and not learners_act):
            continue
        games[found] = game
        for player in range(players):
            actions[found, player] = pass_action
            if player == learner:
                if learners_act:
                    actions[found, player] = chosen[game]
            elif to_act[game, player]:
                asked[GAME, found_rows] = game
                asked[SEAT, found_rows] = player
                asked[DISTANCE, found_rows] = player - learner if player > learner else player - learner + players
                asked[PLACE, found_rows] = found * players + player
                streams[found_rows] = decision_stream(seeds[game], moves[game], player)
                found_rows += 1
        moves[game] += 1
        found += 1
    numbers[0] = found
    numbers[1] = found_rows


# What is told of each opponent who is asked: the game, the seat, how many seats after the learner's that is, and where
# the action belongs among those of the games that go on.
GAME, SEAT, DISTANCE, PLACE = range(4)
NOTHING_CHOSEN = np.empty(0, np.int64)
