"""Lookahead: a network's values of its best actions, corrected by sampled turns to come.

Each of the best actions is tried in the same redealt copies of the game. The others play by the game's rollout policy,
the player's further decisions are the network's, and so is the value of the position whenever it is the player's turn
again. The lambda-return mixes the values of several such turns: later ones depend less on the network's errors and more
on luck. If values are taken as win probabilities, the end of a game counts by who wins it. A prior, the network's value
without looking ahead, counts for as many samples as the agent says.

Actions race: those that are clearly behind after some samples get no more of them.
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
FIRST_SAMPLES = 16  # of each action; then there are twice as many, and so on, of those that may still be the best
DOUBT = 1.0  # standard errors by which an action may be behind the best, and stay in the race
LAMBDA = 0.8  # weight of all later turns relative to the value at one
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
            if self.lookahead.prior:
                share = self.lookahead.prior / (self.lookahead.prior + self.lookahead.samples)
                priors = self._priors(likely[rows], observation[rows], positions.to_act.shape[1])
                values = share * priors + (1 - share) * values
            actions[rows] = best[rows, values.argmax(axis=1)]
        return actions

    def _priors(
        self, logits: npt.NDArray[np.float32], observations: Observations, players: int
    ) -> npt.NDArray[np.float64]:
        """(rows, candidates): the values of actions without looking ahead."""
        seen = np.repeat(observations, logits.shape[1], axis=0)
        return self._values(logits.ravel(), seen, players).reshape(logits.shape)

    def _logits(self, observations: Observations, masks: Masks) -> npt.NDArray[np.float32]:
        logits = self.policy.network.logits(self.policy.encoding.encode(observations))
        return np.where(masks == 1, logits, NEVER)

    def _look_ahead(
        self, best: npt.NDArray[np.int64], tried: npt.NDArray[np.bool_], rng: Streams, positions: Positions
    ) -> npt.NDArray[np.float64]:
        """(rows, candidates): the mean value of each action that stays in the race; hugely negative of the others."""
        left = tried.copy()
        values = np.zeros((*tried.shape, self.lookahead.samples))
        done = 0
        while done < self.lookahead.samples:
            more = min(max(done, FIRST_SAMPLES), self.lookahead.samples - done)
            numbers = np.where(left.sum(axis=1) > 1, more, 0)
            copies, chance = positions.copies(numbers, rng, self._others)
            row_of_copy = np.repeat(np.arange(len(best)), numbers)
            sample_of_copy = done + np.tile(np.arange(more), np.count_nonzero(numbers))
            made_in, candidates = np.nonzero(left[row_of_copy])
            rows, samples = row_of_copy[made_in], sample_of_copy[made_in]
            found = self._play_on(
                copies.select(made_in), positions.seats[rows], best[rows, candidates], chance[made_in]
            )
            values[rows, candidates, samples] = found
            done += more
            if done < self.lookahead.samples:
                left = _in_the_race(values[:, :, :done], left)
            if not (left.sum(axis=1) > 1).any():
                break
        return np.where(left, values[:, :, :done].mean(axis=2), float(NEVER))

    def _play_on(
        self,
        games: Batch,
        own: npt.NDArray[np.int64],
        actions: npt.NDArray[np.int64],
        chance: npt.NDArray[np.uint64],
    ) -> npt.NDArray[np.float64]:
        """(games,): the lambda-return for the players `own`, over their turns to come."""
        values = np.zeros(games.num_games)
        weights = np.ones(games.num_games)  # of what is still to come
        turns = np.zeros(games.num_games, np.int64)  # that the players have had again
        others_moved = np.zeros(games.num_games, np.bool_)
        going = np.arange(games.num_games)  # those still played
        moves = 0
        while len(going):
            chosen = np.full(len(going), games.pass_action, np.int64)
            rows = np.flatnonzero(games.to_act[going, own[going]])
            if moves == 0:
                chosen = actions
            elif len(rows):
                at = going[rows]
                observations, masks = games.look_at_rows(at, own[at])
                logits = self._logits(observations, masks)
                chosen[rows] = logits.argmax(axis=1)
                again = np.flatnonzero(others_moved[at])
                new = at[again]
                others_moved[new] = False
                turns[new] += 1
                last = turns[new] == self.lookahead.turns
                share = np.where(last, 1, 1 - LAMBDA)
                found = self._values(logits[again].max(axis=1), observations[again], games.num_players)
                values[new] += share * weights[new] * found
                weights[new] *= 1 - share
                kept = np.ones(len(going), np.bool_)
                kept[rows[again[last]]] = False
                going, chosen = going[kept], chosen[kept]
            if not len(going):
                break
            joint = np.full((len(going), games.num_players), games.pass_action, np.int64)
            joint[np.arange(len(going)), own[going]] = chosen
            to_act = games.to_act[going]
            to_act[np.arange(len(going)), own[going]] = False
            rows, seats = np.nonzero(to_act)
            if len(rows):
                rng = Streams.of_decisions(chance[going[rows]], moves, seats)
                joint[rows, seats] = ask(self._others, games, going[rows], seats, rng)
                others_moved[going[rows]] = True
            games.step(joint, going)
            over = games.over[going]
            ended = going[over]
            if len(ended):
                values[ended] += weights[ended] * self._outcomes(games)[ended, own[ended]]
            going = going[~over]
            moves += 1
        return values

    def _values(
        self, logits: npt.NDArray[np.float32], observations: Observations, players: int
    ) -> npt.NDArray[np.float64]:
        """(rows,): the values of positions, given those of their best actions, in logits or as win probabilities."""
        values = logits.astype(np.float64)
        if self.lookahead.shaping and self._game.potential is not None:
            values += self.lookahead.shaping * self._game.potential(observations) / self.lookahead.unit
        if not self.lookahead.steepness:
            return values
        return 1 / (1 + (players - 1) * np.exp(-self.lookahead.steepness * values))

    def _outcomes(self, games: Batch) -> npt.NDArray[np.float64]:
        """(games, players): what `_values` foresees, where games are over."""
        if self.lookahead.steepness:
            return games.rewards("win").astype(np.float64) + 1 / games.num_players
        return games.rewards(self.lookahead.reward).astype(np.float64) / self.lookahead.unit


def _in_the_race(values: npt.NDArray[np.float64], left: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """(rows, candidates): those left that may still be the best, by samples (rows, candidates, samples) they share."""
    means = np.where(left, values.mean(axis=2), -np.inf)
    behind = values[np.arange(len(values)), means.argmax(axis=1)][:, np.newaxis] - values
    error = behind.std(axis=2) / np.sqrt(values.shape[2])
    return left & (behind.mean(axis=2) <= DOUBT * error)
