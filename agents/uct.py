"""UCT: a tree search over a player's own decisions that knows no game's rules and cannot see what is hidden.

Every iteration plays one copy of the game, redealt for the player who searches, to its end. The tree is open-loop: a
node stands for the player's decisions that led to it, whatever was drawn or done by others in between. So which actions
are legal in a node may change from one iteration to the next (as in information set MCTS).
"""

from functools import cache
from typing import Any

import numpy as np

from strand_env.agents.asking import AnyAgent
from strand_env.agents.base import Actions, Masks, Observations, Positions
from strand_env.agents.rollouts import Function, ask_all, rollout_policy
from strand_env.agents.search import Values
from strand_env.engine.jit import Kernel, compiled
from strand_env.engine.kernels import Rules
from strand_env.engine.masks import count_legal, is_legal, nth_legal
from strand_env.engine.protocol import OPEN, Batch
from strand_env.engine.randomness import GAMMA, Streams, mixed
from strand_env.engine.rewards import MARGIN, WIN, reward_of

NONE = -1
ROOT = 0
FEWEST = 4  # rollouts of a contender in a stage, if there are enough: fewer say little
TIE_BREAK = 1e-3  # weight of the mean value relative to the visits
_HALF, _ONE = np.uint64(32), np.uint64(1)

NODE = np.dtype(
    [
        ("total", np.float64),  # of the values of the rollouts that count
        ("counted", np.int32),  # how many these are
        ("visits", np.int32),
        ("child", np.int32),  # the one added last, or NONE
        ("sibling", np.int32),  # the one added before, or NONE
        ("action", np.int32),  # OPEN: whatever the rollout policy chooses
    ],
    align=True,
)


class UCT:
    """Grows a tree of the player's decisions, and takes the action that was visited most.

    At the root, sequential halving: all legal actions get equally many rollouts, then the better half of them, and so
    on; a heuristic's ratings, if it has any, count like a few rollouts. Further down, upper confidence bounds. A node's
    first child follows the rollout policy, as the other players do everywhere; fixed actions join it as the node is
    visited. A rollout that tries what does not look best counts for what it tries, but not for the nodes above:
    otherwise the more was tried after an action, the worse it would look.
    """

    exploration = 0.3
    patience = 32  # visits before a node gets children: below that, what they show is noise
    widening = 0.5  # a node has room for 1 + widening · √visits children
    margin = 10.0  # weight of the margin relative to the win: it separates good from bad actions after few rollouts
    trust = 12  # rollouts that the rating of a first action by the heuristic counts for

    def __init__(self, rollouts: int, heuristic: AnyAgent) -> None:
        self.rollouts = rollouts
        self.heuristic = heuristic

    @property
    def asks(self) -> tuple[AnyAgent, ...]:
        """The agent that plays the rollouts."""
        return (self.heuristic,)

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
        memory = np.empty(1, games.rules.state), np.empty(1, games.rules.choice), np.empty(mask.shape[1], np.int64)
        margin = self.margin / games.most_points(games.ruleset, games.variant)
        asked = games.for_kernels, positions.seats, chance, self.rollouts, *self._ratings(copies, positions, margin)
        weights = self.exploration, self.patience, self.widening, margin
        kernel = _searching(games.rules, policy.choose)
        kernel(1, len(mask), *asked, weights, policy.room, (tree, path, *memory), visits)
        return visits

    def _ratings(self, copies: Batch, positions: Positions, margin: float) -> tuple[Values, int]:
        """(rows, actions): the heuristic's ratings as values, and for how many rollouts each of them counts."""
        rows = np.arange(len(positions))
        observations, masks = copies.look_at_rows(rows, positions.seats)
        if not hasattr(self.heuristic, "rate"):
            return np.zeros(masks.shape), 0
        return margin * self.heuristic.rate(observations, masks).astype(np.float64), self.trust


@cache
def _searching(rules: Rules, choose: Function) -> Kernel:
    step, redeal, over = rules.step, rules.redeal, rules.over
    pass_action, words = rules.pass_action, rules.mask_words

    def search_rows(start, stop, batch, seats, chance, rollouts, ratings, trust, weights, policy_room, room, out):
        """Searches from each row's game; writes how often its first actions were visited."""
        state, rules, options, players = batch
        tree, path, copies, chosen, contenders = room
        exploration, patience, widening, margin = weights
        actions = chosen[0]["actions"]
        for row in range(start, stop):
            observer = seats[row]
            left = plant(tree, state[row], observer, words, ratings[row], trust, contenders)
            if trust > 0:
                better_half(tree, contenders, left)  # so that few rollouts go to what is rated best
            size = 1 + left
            stages = np.int64(np.ceil(np.log2(np.float64(left))))
            due = stage_rollouts(rollouts, stages, left)
            for _ in range(rollouts):
                if due == 0:
                    left = better_half(tree, contenders, left)
                    due = stage_rollouts(rollouts, stages, left)
                first = contenders[-due % left]
                due -= 1
                # The n-th rollouts of all first actions share their draws, so that luck matters less.
                bits = mixed(chance[row] + GAMMA * np.uint64(tree[first]["visits"]))
                copies[0] = state[row]
                game = copies[0]
                redeal(game, rules[0], bits, observer)
                node, depth, counts_from, move, growing = ROOT, 0, 0, 0, True
                while game["phase"] != over:
                    ask_all(game, players, words, pass_action, actions)
                    if growing and actions[observer] == OPEN:
                        if depth == 0:
                            child = first
                        else:
                            child, best = best_child(tree, node, game, observer, words, exploration, widening)
                            if child == NONE:
                                child, size = size, size + 1
                                action = OPEN
                                if tree[node]["child"] != NONE:
                                    half = mixed(bits ^ np.uint64(move)) >> _HALF
                                    action = untried_action(tree, node, game, observer, words, half)
                                add_child(tree, child, node, action)
                            if best not in (NONE, child):
                                counts_from = depth
                        actions[observer] = tree[child]["action"]
                        node = path[depth] = child
                        depth += 1
                        growing = tree[node]["visits"] >= patience
                    choose(game, rules[0], options, players, bits, move, policy_room, actions)
                    step(game, rules[0], actions)
                    move += 1
                value = reward_of(WIN, game["scores"], game["winners"], players, observer, 1)
                value += margin * reward_of(MARGIN, game["scores"], game["winners"], players, observer, 1)
                for place in range(depth):
                    passed = tree[path[place]]
                    passed["visits"] += 1
                    if place >= counts_from:
                        passed["counted"] += 1
                        passed["total"] += value
            for child in range(1, 1 + np.int64(count_legal(state[row], observer, words))):
                tried = tree[child]
                if tried["visits"] > 0:
                    out[row, tried["action"]] = tried["visits"] + TIE_BREAK * mean(tried)

    return Kernel(search_rows)


@compiled
def plant(tree, game, player, words, ratings, trust, contenders):
    """A new tree, with a child for each of the player's legal actions; returns how many these are."""
    tree[ROOT]["child"] = NONE
    number = np.int64(count_legal(game, player, words))
    for nth in range(number):
        contenders[nth] = 1 + nth
        action = nth_legal(game, player, np.uint64(nth), words)
        add_child(tree, 1 + nth, ROOT, action)
        tree[1 + nth]["counted"], tree[1 + nth]["total"] = trust, trust * ratings[action]
    return number


@compiled
def add_child(tree, child, node, action):
    new = tree[child]
    new["total"] = new["counted"] = new["visits"] = 0
    new["child"], new["sibling"], new["action"] = NONE, tree[node]["child"], action
    tree[node]["child"] = child


@compiled
def mean(node):
    return node["total"] / node["counted"]


@compiled
def stage_rollouts(rollouts, stages, left):
    """Rollouts of one stage of sequential halving: equally many for each contender; the last one left gets the rest."""
    if left == 1:
        return rollouts
    enough = min(rollouts // (2 * left), FEWEST)  # within half of all rollouts
    return max(rollouts // (stages * left), enough, 1) * left


@compiled
def better_half(tree, contenders, left):
    """Sorts the contenders left by their means; returns how many stay."""
    for end in range(1, left):
        place = end
        while place > 0 and mean(tree[contenders[place]]) > mean(tree[contenders[place - 1]]):
            contenders[place], contenders[place - 1] = contenders[place - 1], contenders[place]
            place -= 1
    return (left + 1) // 2


@compiled
def best_child(tree, node, game, player, words, exploration, widening):
    """Of the children legal now, the one with the highest upper confidence bound, and the one that looks best.

    NONE for the first if the node should get another one (progressive widening).
    """
    tried, chosen, highest, best, most = 0, NONE, -np.inf, NONE, -np.inf
    child = tree[node]["child"]
    wide = np.log(np.float64(tree[node]["visits"]))
    while child != NONE:
        known = tree[child]
        if known["action"] == OPEN or is_legal(game, player, np.int64(known["action"]), words):
            tried += 1
            value = mean(known)
            bound = value + exploration * np.sqrt(wide / known["visits"])
            if bound > highest:
                chosen, highest = child, bound
            if value > most:
                best, most = child, value
        child = known["sibling"]
    room = min(np.float64(count_legal(game, player, words)), widening * np.sqrt(np.float64(tree[node]["visits"])))
    return chosen if tried >= 1 + room else NONE, best


@compiled
def untried_action(tree, node, game, player, words, half):
    """A legal action without a child, by 32 random bits."""
    number = count_legal(game, player, words)
    nth = half * number >> _HALF
    action = nth_legal(game, player, nth, words)
    while has_child(tree, node, action):
        nth = nth + _ONE if nth + _ONE < number else np.uint64(0)
        action = nth_legal(game, player, nth, words)
    return action


@compiled
def has_child(tree, node, action):
    child = tree[node]["child"]
    while child != NONE:
        if tree[child]["action"] == action:
            return True
        child = tree[child]["sibling"]
    return False
