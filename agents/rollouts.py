"""Rollouts: games played to their end by a compiled policy, one after the other, while each is in the cache."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from strand_env.engine.jit import Kernel, compiled
from strand_env.engine.kernels import Rules
from strand_env.engine.masks import has_to_act, is_legal, pick_legal
from strand_env.engine.protocol import OPEN, Batch
from strand_env.engine.randomness import decision_stream, mixed

Function = Callable[..., Any]

_HALF = np.uint64(32)
_ENDLESS = 1 << 62


class RolloutPolicy(NamedTuple):
    """An agent in compiled form, playing all seats: it must choose as the agent would if it were asked.

    `choose` replaces every `OPEN` in `actions` by its choice for that player. The random bits of a player's choice are
    `mixed(decision_stream(bits, move, player))`. `room` is a tuple of the arrays it needs: weights, working memory.
    """

    choose: Function  # @compiled (game, rules, options, players, bits, move, room, actions)
    room: tuple[Any, ...] = ()


class Compiled(Protocol):
    """Optional for agents: a compiled form for the rollouts of searches."""

    def rollout_policy(self, batch: Any) -> RolloutPolicy | None:
        """The policy for games like these, with working memory of its own; None if the agent must be asked."""


def rollout_policy(agent: Any, batch: Batch) -> RolloutPolicy | None:
    """An agent's compiled form for games like these, if it has one."""
    return agent.rollout_policy(batch) if hasattr(agent, "rollout_policy") else None


def finish(
    games: Any,
    policies: Sequence[RolloutPolicy],
    chance: npt.NDArray[np.uint64],
    first: npt.NDArray[np.int64],
    cast: npt.NDArray[np.int64] | None = None,
    most: int | None = None,
) -> bool:
    """Plays all games of a `GameBatch` to the end exactly as `search.play_by_asking` would, and returns True.

    Or for at most `most` moves. `cast` (games, players) says which of the policies plays each seat, by default the
    first; they differ only in their rooms. Or returns False and changes nothing if a first action is illegal.
    """
    cast = np.zeros(first.shape, np.int64) if cast is None else cast
    kernel = _finishing(games.rules, policies[0].choose, len(policies) > 1)
    chosen = np.empty(2, games.rules.choice)
    rooms = tuple(policy.room for policy in policies) if len(policies) > 1 else policies[0].room
    moves = _ENDLESS if most is None else most
    return not kernel(1, games.num_games, games.for_kernels, first, chance, cast, moves, chosen, rooms)


@cache
def _finishing(rules: Rules, choose: Function, several: bool) -> Kernel:
    step, over, num_actions, pass_action = rules.step, rules.over, rules.num_actions, rules.pass_action
    words = rules.mask_words

    def check_first(start, stop, batch, first):
        """Counts the illegal ones among the first actions."""
        state, _, _, players = batch
        found = 0
        for index in range(start, stop):
            for player in range(players):
                action = first[index, player]
                if action != OPEN and has_to_act(state[index], player, words, pass_action):
                    found += not (0 <= action < num_actions and is_legal(state[index], player, action, words))
        return found

    def finish_games(start, stop, batch, first, chance, cast, most, chosen, room):
        """With one policy for all seats. Not a case of the other loop: that one would be an eighth slower."""
        state, rules, options, players = batch
        actions = chosen[0]["actions"]
        for index in range(start, stop):
            game = state[index]
            move = 0
            while game["phase"] != over and move < most:
                ask_all(game, players, words, pass_action, actions)
                if move == 0:
                    put_first(first[index], players, actions)
                choose(game, rules[0], options, players, chance[index], move, room, actions)
                step(game, rules[0], actions)
                move += 1

    def finish_cast(start, stop, batch, first, chance, cast, most, chosen, rooms):
        state, rules, options, players = batch
        actions, asked = chosen[0]["actions"], chosen[1]["actions"]
        for index in range(start, stop):
            game = state[index]
            move = 0
            while game["phase"] != over and move < most:
                ask_all(game, players, words, pass_action, actions)
                if move == 0:
                    put_first(first[index], players, actions)
                for member in range(len(rooms)):
                    if is_cast(cast[index], member, players, pass_action, actions, asked):
                        choose(game, rules[0], options, players, chance[index], move, rooms[member], asked)
                        for player in range(players):
                            if actions[player] == OPEN and cast[index, player] == member:
                                actions[player] = asked[player]
                step(game, rules[0], actions)
                move += 1

    return Kernel(finish_cast if several else finish_games, check_first)


@compiled
def put_first(first, players, actions):
    """Takes over the first actions of players who have to decide."""
    for player in range(players):
        if actions[player] == OPEN:
            actions[player] = first[player]


@compiled
def ask_all(game, players, words, pass_action, actions):
    """Makes the action of each player who has to decide `OPEN`; the others pass."""
    for player in range(len(actions)):
        asked = player < players and has_to_act(game, player, words, pass_action)
        actions[player] = OPEN if asked else pass_action


@compiled
def is_cast(cast, member, players, pass_action, actions, asked):
    """Leaves only this member's actions `OPEN` in `asked`, and returns whether there are any."""
    found = False
    for player in range(len(actions)):
        mine = player < players and actions[player] == OPEN and cast[player] == member
        asked[player] = OPEN if mine else pass_action
        found |= mine
    return found


@cache
def random_policy(rules: Rules) -> RolloutPolicy:
    """Uniformly random legal actions: the compiled form of `RandomAgent`."""
    words = rules.mask_words

    @compiled
    def choose_randomly(game, rules, options, players, bits, move, room, actions):
        for player in range(players):
            if actions[player] == OPEN:
                half = mixed(decision_stream(bits, move, player)) >> _HALF
                actions[player] = pick_legal(game, player, half, words)

    return RolloutPolicy(choose_randomly)
