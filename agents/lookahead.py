"""Lookahead: a network's values of its best actions, corrected by sampled turns until the player decides again.

Each of the best actions is tried in the same redealt copies of the game. The others play by the game's rollout policy;
further decisions of the same turn, and the value of the position at the player's next turn, are the network's. So is a
prior, the value without looking ahead, which counts for as many samples as the agent says.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from strand_env.agents.asking import AnyAgent, ask
from strand_env.agents.base import Actions, Masks, Observations, Positions
from strand_env.agents.choosing import NEVER
from strand_env.agents.network import Lookahead, NetworkAgent
from strand_env.agents.random import RandomAgent
from strand_env.engine.game import Game
from strand_env.engine.protocol import Batch
from strand_env.engine.randomness import Streams
from strand_env.registry import game_of

CANDIDATES = 5  # actions that are compared, at most
UNLIKELY = 5.0  # logits below the best, from which on an action is not tried
MOST_COPIES = 1 << 13  # played at once


@dataclass(eq=False)
class LookaheadAgent:
    """A network whose logits are values, with what it needs to look ahead."""

    policy: NetworkAgent
    lookahead: Lookahead

    @property
    def in_rollouts(self) -> NetworkAgent:
        """What plays the rollouts of searches in its place, which would take too long otherwise."""
        return self.policy

    @cached_property
    def _game(self) -> Game:
        return game_of(self.policy.game)

    @cached_property
    def _others(self) -> AnyAgent:
        agents = self._game.agents
        made = agents.heuristics.get(agents.rollout_policy)
        return RandomAgent() if made is None else made(None)

    def reset(self) -> None:
        pass

    def search(self, observation: Observations, mask: Masks, rng: Streams, positions: Positions) -> Actions:
        logits = self._logits(observation, mask)
        best = np.argsort(-logits, axis=1, kind="stable")[:, :CANDIDATES]
        likely = np.take_along_axis(logits, best, axis=1)
        tried = likely >= likely[:, :1] - UNLIKELY
        actions = best[:, 0].copy()
        open_rows = np.flatnonzero(tried[:, 1])
        size = max(MOST_COPIES // (CANDIDATES * self.lookahead.samples), 1)
        for start in range(0, len(open_rows), size):
            rows = open_rows[start : start + size]
            values = self._look_ahead(best[rows], tried[rows], rng[rows], positions[rows])
            samples, prior = self.lookahead.samples, self.lookahead.prior
            values = (samples * values + prior * likely[rows]) / (samples + prior)
            actions[rows] = best[rows, values.argmax(axis=1)]
        return actions

    def _logits(self, observations: Observations, masks: Masks) -> npt.NDArray[np.float32]:
        logits = self.policy.network.logits(self.policy.encoding.encode(observations))
        return np.where(masks == 1, logits, NEVER)

    def _look_ahead(
        self, best: npt.NDArray[np.int64], tried: npt.NDArray[np.bool_], rng: Streams, positions: Positions
    ) -> npt.NDArray[np.float64]:
        """(rows, candidates): the mean value of each action that is tried; hugely negative if it is not."""
        samples = self.lookahead.samples
        copies, chance = positions.copies(np.full(len(best), samples), rng, self._others)
        copied, candidates = np.nonzero(np.repeat(tried, samples, axis=0))
        rows = copied // samples
        values = np.where(tried, 0.0, float(NEVER))
        found = self._play_on(copies.select(copied), positions.seats[rows], best[rows, candidates], chance[copied])
        np.add.at(values, (rows, candidates), found / samples)
        return values

    def _play_on(
        self,
        games: Batch,
        own: npt.NDArray[np.int64],
        actions: npt.NDArray[np.int64],
        chance: npt.NDArray[np.uint64],
    ) -> npt.NDArray[np.float64]:
        """(games,): the value for the players `own`, in logits, when they decide again after the others."""
        values = np.zeros(games.num_games)
        going = np.arange(games.num_games)  # those still played
        others_moved = np.zeros(games.num_games, np.bool_)
        moves = 0
        while len(going):
            to_act = games.to_act[going]
            mine = to_act[np.arange(len(going)), own[going]]
            joint = np.full(to_act.shape, games.pass_action, np.int64)
            rows = np.flatnonzero(mine)
            if moves == 0:
                joint[rows, own[going]] = actions
            elif len(rows):
                at = going[rows], own[going[rows]]
                joint[rows, at[1]] = self._logits(*games.look_at_rows(*at)).argmax(axis=1)
            to_act[np.arange(len(going)), own[going]] = False
            rows, seats = np.nonzero(to_act)
            if len(rows):
                rng = Streams.of_decisions(chance[going[rows]], moves, seats)
                joint[rows, seats] = ask(self._others, games, going[rows], seats, rng)
            others_moved[going[rows]] = True
            games.step(joint, going)
            over = games.over[going]
            ended = going[over]
            values[ended] = games.rewards(self.lookahead.reward)[ended, own[ended]] / self.lookahead.unit
            going = going[~over]
            decides = games.to_act[going, own[going]] & others_moved[going]
            leaves = going[decides]
            if len(leaves):
                values[leaves] = self._value(*games.look_at_rows(leaves, own[leaves]))
            going = going[~decides]
            moves += 1
        return values

    def _value(self, observations: Observations, masks: Masks) -> npt.NDArray[np.float64]:
        """(rows,): the value of positions, in logits."""
        values = self._logits(observations, masks).max(axis=1).astype(np.float64)
        if self.lookahead.shaping and self._game.potential is not None:
            values += self.lookahead.shaping * self._game.potential(observations) / self.lookahead.unit
        return values
