"""UCT: a tree search over decisions that knows no game's rules and cannot see what is hidden.

Every iteration plays one copy of the game, redealt for the player who searches, to its end. The tree is open-loop: a
node stands for the decisions that led to it, whatever was drawn in between. So which actions are legal in a node, and
even who decides, may change from one iteration to the next (as in information set MCTS).
"""

from functools import cache
from typing import Any

import numpy as np

from strand_env.agents.asking import AnyAgent
from strand_env.agents.base import OPEN, Actions, Masks, Observations, Positions
from strand_env.agents.rollouts import Function, ask_all, rollout_policy
from strand_env.agents.search import Values
from strand_env.engine.jit import Kernel, compiled
from strand_env.engine.kernels import Rules
from strand_env.engine.masks import count_legal, is_legal, nth_legal
from strand_env.engine.randomness import GAMMA, Streams, mixed
from strand_env.engine.rewards import MARGIN, WIN, reward_of

NONE = -1
ROOT = 0
TIE_BREAK = 1e-3  # weight of the mean value beside the visits
_HALF, _ONE = np.uint64(32), np.uint64(1)

NODE = np.dtype(
    [
        ("total", np.float64),  # of the values of its rollouts, for the player who chose it
        ("visits", np.int32),
        ("offered", np.int32),  # how often it was legal when its parent was visited
        ("child", np.int32),  # the one added last, or NONE
        ("sibling", np.int32),  # the one added before, or NONE
        ("player", np.int16),  # who chose it
        ("action", np.int16),
    ],
    align=True,
)


class UCT:
    """Grows a tree by one node per rollout, and takes the action that was visited most.

    In the tree all players choose by upper confidence bounds of their own values (max^n), and after it by the rollout
    policy, whose choice is also the first that a new node tries. Where several players decide at once, the tree
    branches on the searching player's action alone, if it is among them, and the others follow the rollout policy.
    """

    exploration = 0.7
    margin = 2.0  # weight of the margin beside the win: it tells good actions from bad ones after few rollouts

    def __init__(self, rollouts: int, heuristic: AnyAgent) -> None:
        self.rollouts = rollouts
        self.heuristic = heuristic

    def reset(self) -> None:
        self.heuristic.reset()

    def search(self, observation: Observations, mask: Masks, rng: Streams, positions: Positions) -> Actions:
        return self.mixture(mask, rng, positions).argmax(1)

    def mixture(self, mask: Masks, rng: Streams, positions: Positions) -> Values:
        """(rows, actions): how many rollouts began with each action, and a little more for the better of equals."""
        copies, chance = positions.copies(np.ones(len(mask), np.int64), rng)
        games: Any = copies  # a GameBatch, for its compiled rules
        policy = rollout_policy(self.heuristic, games)
        if policy is None:
            raise ValueError(f"{type(self.heuristic).__name__}: UCT needs a rollout policy in compiled form")
        visits = np.zeros(mask.shape)
        tree, path = np.empty(1 + mask.shape[1] + self.rollouts, NODE), np.empty(self.rollouts, np.int64)
        memory = np.empty(1, games.rules.state), np.empty(1, games.rules.choice), np.empty(games.num_players)
        asked = games.for_kernels, positions.seats, chance, self.rollouts
        weights = self.exploration, self.margin / games.most_points(games.ruleset, games.variant)
        kernel = _searching(games.rules, policy.choose)
        kernel(1, len(mask), *asked, *weights, policy.room, (tree, path, *memory), visits)
        return visits


@cache
def _searching(rules: Rules, choose: Function) -> Kernel:
    step, redeal, over = rules.step, rules.redeal, rules.over
    pass_action, words = rules.pass_action, rules.mask_words

    def search_rows(start, stop, batch, seats, chance, rollouts, exploration, margin, policy_room, room, out):
        """Searches from each row's game; writes how often its first actions were visited."""
        state, rules, options, players = batch
        tree, path, copies, chosen, values = room
        actions = chosen[0]["actions"]
        for row in range(start, stop):
            observer = seats[row]
            size = plant(tree, state[row], observer, words)
            for _ in range(rollouts):
                node, depth, move, growing = ROOT, 0, 0, True
                first = best_child(tree, ROOT, state[row], observer, words, exploration)
                # The n-th rollouts of all first actions share their draws, so that luck matters less.
                bits = mixed(chance[row] + GAMMA * np.uint64(tree[first]["visits"]))
                copies[0] = state[row]
                game = copies[0]
                redeal(game, rules[0], bits, observer)
                while game["phase"] != over:
                    ask_all(game, players, words, pass_action, actions)
                    player = deciding(actions, observer, players) if growing else NONE
                    child = NONE
                    if player != NONE:
                        child = best_child(tree, node, game, player, words, exploration) if move > 0 else first
                        if child != NONE:
                            actions[player] = tree[child]["action"]
                        elif tree[node]["child"] != NONE:
                            half = mixed(bits ^ np.uint64(move)) >> _HALF
                            actions[player] = untried_action(tree, node, game, player, words, half)
                    choose(game, rules[0], options, players, bits, move, policy_room, actions)
                    if player != NONE:
                        if child == NONE:
                            child, size = size, size + 1
                            add_child(tree, child, node, player, actions[player])
                        node = path[depth] = child
                        depth += 1
                        growing = tree[node]["visits"] > 0
                    step(game, rules[0], actions)
                    move += 1
                for player in range(players):
                    won = reward_of(WIN, game["scores"], game["winners"], players, player, 1)
                    ahead = reward_of(MARGIN, game["scores"], game["winners"], players, player, 1)
                    values[player] = won + margin * ahead
                for place in range(depth):
                    passed = tree[path[place]]
                    passed["visits"] += 1
                    passed["total"] += values[passed["player"]]
            for child in range(1, 1 + np.int64(count_legal(state[row], observer, words))):
                tried = tree[child]
                if tried["visits"] > 0:
                    out[row, tried["action"]] = tried["visits"] + TIE_BREAK * tried["total"] / tried["visits"]

    return Kernel(search_rows)


@compiled
def deciding(actions, observer, players):
    """The player on whose decision the tree branches: the observer, or the only one to decide; or NONE."""
    if actions[observer] == OPEN:
        return observer
    found = NONE
    for player in range(players):
        if actions[player] == OPEN:
            if found != NONE:
                return NONE
            found = player
    return found


@compiled
def plant(tree, game, player, words):
    """A new tree, with a child for each of the player's legal actions; returns its size."""
    tree[ROOT]["child"], tree[ROOT]["visits"] = NONE, 0
    number = np.int64(count_legal(game, player, words))
    for nth in range(number):
        add_child(tree, 1 + nth, ROOT, player, nth_legal(game, player, np.uint64(nth), words))
    return 1 + number


@compiled
def add_child(tree, child, node, player, action):
    new = tree[child]
    new["total"] = new["visits"] = new["offered"] = 0
    new["child"], new["sibling"] = NONE, tree[node]["child"]
    new["player"], new["action"] = player, action
    tree[node]["child"] = child


@compiled
def best_child(tree, node, game, player, words, exploration):
    """The child with the highest upper confidence bound, of those legal now; NONE if the node should get another one.

    A node has room for 1 + √visits children (progressive widening), so that the tree grows deep where it is visited.
    """
    tried, best, highest = 0, NONE, -np.inf
    child = tree[node]["child"]
    while child != NONE:
        known = tree[child]
        if known["player"] == player and is_legal(game, player, np.int64(known["action"]), words):
            if known["visits"] == 0:
                return child
            tried += 1
            known["offered"] += 1
            bound = known["total"] / known["visits"]
            bound += exploration * np.sqrt(np.log(np.float64(known["offered"])) / known["visits"])
            if bound > highest:
                best, highest = child, bound
        child = known["sibling"]
    full = min(np.float64(count_legal(game, player, words)), 1 + np.sqrt(np.float64(tree[node]["visits"])))
    return best if tried >= full else NONE


@compiled
def untried_action(tree, node, game, player, words, half):
    """A legal action without a child, by 32 random bits."""
    number = count_legal(game, player, words)
    nth = half * number >> _HALF
    action = nth_legal(game, player, nth, words)
    while has_child(tree, node, player, action):
        nth = nth + _ONE if nth + _ONE < number else np.uint64(0)
        action = nth_legal(game, player, nth, words)
    return action


@compiled
def has_child(tree, node, player, action):
    child = tree[node]["child"]
    while child != NONE:
        if tree[child]["player"] == player and tree[child]["action"] == action:
            return True
        child = tree[child]["sibling"]
    return False
