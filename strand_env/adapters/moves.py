"""Who has to be asked for the next moves of many games: the inner loop of a match, compiled."""

import numpy as np

from strand_env.jit import Kernel
from strand_env.randomness import decision_stream


@Kernel
def find_moves(
    start, stop, going, to_act, learners, learners_act, chosen, seeds, moves, pass_action, numbers, games, actions, rows
):
    """The games that go on, with the actions known so far, and the opponents who have to act in them.

    Of the games that are `going`, those go on in which somebody has to decide, and not only the learner (unless
    `learners_act`, by what they have `chosen`). The numbers of games and rows found are put into `numbers`.
    """
    found = found_rows = 0
    players = to_act.shape[1]
    for place in range(start, stop):
        game = going[place]
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
                row = rows[found_rows]
                row["place"] = found
                row["game"] = game
                row["seat"] = player
                row["distance"] = (player - learner) % players
                row["stream"] = decision_stream(seeds[game], moves[game], player)
                found_rows += 1
        moves[game] += 1
        found += 1
    numbers[0] = found
    numbers[1] = found_rows


ROW_DTYPE = np.dtype(
    [
        ("place", np.int64),  # of the game among those that go on
        ("game", np.int64),
        ("seat", np.int64),
        ("distance", np.int64),  # from the learner, in seats
        ("stream", np.uint64),
    ]
)
