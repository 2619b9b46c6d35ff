"""Which opponents decide next in many games: the inner loop of a match, compiled."""

from strand_env.engine.jit import Kernel
from strand_env.engine.protocol import OPEN
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
    """Finds the games that go on, with the actions known so far, and the opponents who have to act in them.

    Of the games that are `going`, those go on in which somebody has to decide; but not if it is the learner, unless
    its action is `chosen` already and not `OPEN`. Writes how many games and opponents were found into `numbers`.
    """
    found = found_rows = 0
    players = to_act.shape[1]
    for index in range(start, stop):
        game = going[index]
        learner = learners[game]
        learner_acts = chosen[game] != OPEN
        anybody = False
        for player in range(players):
            anybody |= to_act[game, player]
        if not anybody or (to_act[game, learner] and not learner_acts):
            continue
        games[found] = game
        for player in range(players):
            actions[found, player] = pass_action
            if player == learner:
                if learner_acts:
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


# The rows of `asked`: an opponent's game, its seat, its distance in seats from the learner, and the flat index of its
# action in `actions`.
GAME, SEAT, DISTANCE, PLACE = range(4)
