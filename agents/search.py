"""Searching agents: they play many copies of a position to the end, all at once, and take the action that did best.

They know no game's rules. What is hidden is redealt in each copy, so they cannot see it. A heuristic plays all seats in
the rollouts, or the others are drawn from a population. If the heuristic knows how likely it is to act as the others
did, likely redeals are more frequent.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from strand_env.agents.asking import AnyAgent, ask, policies_of
from strand_env.agents.base import Actions, Masks, Observations, Positions
from strand_env.agents.memory import Memory
from strand_env.agents.rollouts import finish, rollout_policy
from strand_env.engine.checks import whole_number
from strand_env.engine.game import Game, Potential
from strand_env.engine.protocol import OPEN, Batch
from strand_env.engine.randomness import Streams

MOST_GAMES = 32_768  # played at once: more is no faster
MARGIN = 0.5  # weight of the margin relative to the win: it separates actions that win equally often

Values = npt.NDArray[np.float64]
Joint = npt.NDArray[np.int64]


class Decisions(NamedTuple):
    """The decisions that a search is asked for, one per row."""

    mask: Masks
    rng: Streams
    positions: Positions
    weights: Values | None  # (rows, players, members): how likely each member has a seat; None: all equally

    def select(self, rows: npt.NDArray[np.int64]) -> "Decisions":
        weights = None if self.weights is None else self.weights[rows]
        return Decisions(self.mask[rows], self.rng[rows], self.positions[rows], weights)


class Cutoff(NamedTuple):
    """Agents without a compiled form play this many moves of a rollout; a faster policy plays the rest."""

    moves: int
    policy: AnyAgent


class Horizon(NamedTuple):
    """Rollouts that stop after this many moves; the potential then counts in place of the outcome."""

    moves: int
    potential: Potential


class Cast(NamedTuple):
    """Who plays rollouts: some agents, and which of them has each seat of each game."""

    agents: Sequence[AnyAgent]
    seats: npt.NDArray[np.int64]  # (games, players): by number


class MonteCarlo:
    """Tries each legal action in the same redealt games, played to the end, and takes the best on average.

    The rollouts are split evenly over a few stages; each stage keeps the better half of the remaining actions. With
    `doubt`, the heuristic's own choice stays among them, and another action is taken only if it was better by more than
    this many standard errors of the difference, in the same games. The heuristic plays all seats in the rollouts. With
    a `population`, each other seat is played by a member, drawn for each copy.
    """

    stages = 3

    def __init__(
        self,
        rollouts: int,
        heuristic: AnyAgent,
        sees_hidden: bool = False,
        cutoff: Cutoff | None = None,
        population: Sequence[AnyAgent] = (),
        horizon: Horizon | None = None,
        doubt: float | None = None,
    ) -> None:
        self.rollouts = whole_number("rollouts", rollouts, 1)
        self.heuristic = heuristic
        self.sees_hidden = sees_hidden  # exact copies: it sees the future, which is cheating
        self.cutoff = cutoff
        self.population = tuple(population)
        self.horizon = horizon
        self.doubt = doubt

    @classmethod
    def of_game(cls, game: Game, rollouts: int, heuristic: AnyAgent, **options: Any) -> "MonteCarlo":
        """The search as it is set up for a game."""
        setup = game.agents.search
        horizon = None if setup.moves is None or game.potential is None else Horizon(setup.moves, game.potential)
        return cls(rollouts, heuristic, horizon=horizon, doubt=setup.doubt, **options)

    @property
    def asks(self) -> tuple[AnyAgent, ...]:
        """The agents that play the rollouts."""
        last = () if self.cutoff is None else (self.cutoff.policy,)
        return (self.heuristic, *self.population, *last)

    def reset(self) -> None:
        for agent in (self.heuristic, *self.population):
            agent.reset()

    def search(
        self, observation: Observations, mask: Masks, rng: Streams, positions: Positions, weights: Values | None = None
    ) -> Actions:
        decisions, chosen = Decisions(mask, rng, positions, weights), np.empty(len(mask), np.int64)
        for rows in _in_parts(np.arange(len(mask)), self.rollouts):
            _, means = self.narrow(decisions.select(rows), self.rollouts, self.stages)
            chosen[rows] = means.argmax(1)
        return chosen

    def mixture(self, mask: Masks, rng: Streams, positions: Positions, weights: Values | None = None) -> Values:
        """(rows, actions): action probabilities; one-hot, since the search decides on one action."""
        _, means = self.narrow(Decisions(mask, rng, positions, weights), self.rollouts, self.stages)
        return np.eye(mask.shape[1])[means.argmax(1)]

    def cast(
        self, decisions: Decisions, rows: npt.NDArray[np.int64], chance: npt.NDArray[np.uint64], players: int
    ) -> Cast:
        """Assigns agents to seats: the heuristic plays for the searcher, the population for everyone else."""
        agents, weights = (self.heuristic, *self.population), decisions.weights
        seats = np.zeros((len(rows), players), np.int64)
        if not self.population:
            return Cast(agents, seats)
        draws = Streams(~chance)
        for player in range(players):
            likely = np.ones((len(rows), len(self.population))) if weights is None else weights[rows, player]
            seats[:, player] = 1 + _sampled(likely, draws.random())
        seats[np.arange(len(rows)), decisions.positions.seats[rows]] = 0
        return Cast(agents, seats)

    def narrow(self, decisions: Decisions, rollouts: int, stages: int) -> tuple[npt.NDArray[np.bool_], Values]:
        """Halves the legal actions in each stage; returns what remains, and each action's mean value.

        The mean is over all stages for actions that were in the last one, otherwise minus infinity. With `doubt`, it is
        that of the difference from the heuristic's choice, minus `doubt` standard errors.
        """
        left = decisions.mask == 1
        totals, squares, tried = np.zeros(left.shape), np.zeros(left.shape), np.zeros(left.shape)
        means = np.where(left, 0, -np.inf)
        own = None if self.doubt is None else self._heuristics_choice(decisions)
        for _ in range(stages):
            options = left.sum(1)
            if options.max() == 1:
                break
            deals = np.maximum(rollouts // (stages * options), 1)
            rows, actions, values, copies = self._try(left, np.where(options > 1, deals, 0), decisions)
            if own is not None:
                chosen = own[rows, actions]
                values = values - values[chosen][np.searchsorted(copies[chosen], copies)]
            np.add.at(totals, (rows, actions), values)
            np.add.at(squares, (rows, actions), values * values)
            np.add.at(tried, (rows, actions), 1)
            means = np.where(left, totals / np.maximum(tried, 1), -np.inf)
            ranked = means if own is None else np.where(own, np.inf, means)
            ranks = np.argsort(np.argsort(-ranked, axis=1, kind="stable"), axis=1, kind="stable")
            left = left & (ranks < (options[:, None] + 1) // 2)
        if own is not None and self.doubt is not None:
            # One variance for all actions of a row: each of them is tried too seldom to estimate its own.
            others = np.where(own, 0, tried).sum(1, keepdims=True)
            variance = squares.sum(1, keepdims=True) / np.maximum(others, 1)
            means = means - np.where(own, 0, self.doubt * np.sqrt(variance / np.maximum(tried, 1)))
        return left, means

    def _heuristics_choice(self, decisions: Decisions) -> npt.NDArray[np.bool_]:
        """(rows, actions): its likeliest action. It is asked in redealt copies, which look the same to the player."""
        positions = decisions.positions
        copies, chance = positions.copies(np.ones(len(positions), np.int64), decisions.rng)
        games = np.arange(len(positions))
        likely = policies_of(self.heuristic, copies, games, positions.seats, Streams(chance))
        return np.arange(likely.shape[1]) == likely.argmax(1)[:, np.newaxis]

    def _try(
        self, left: npt.NDArray[np.bool_], deals: npt.NDArray[np.int64], decisions: Decisions
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], Values, npt.NDArray[np.int64]]:
        """Rolls out each action left in `deals[i]` redealt copies of row i.

        Returns rows, actions, values and the number of the copy, which ascends.
        """
        copies, chance = decisions.positions.copies(deals, decisions.rng, self.heuristic)
        row_of_copy = np.repeat(np.arange(len(left)), deals)
        made_in, actions = np.nonzero(left[row_of_copy])
        rows = row_of_copy[made_in]
        games, seats = copies.select(made_in), decisions.positions.seats[rows]
        first = np.full((games.num_games, games.num_players), OPEN)
        first[np.arange(len(rows)), seats] = actions
        cast = self.cast(decisions, row_of_copy, chance, games.num_players)
        played = Cast(cast.agents, cast.seats[made_in])
        return rows, actions, self._play_out(games, played, chance[made_in], first, seats), made_in

    def _play_out(
        self, games: Batch, cast: Cast, chance: npt.NDArray[np.uint64], first: Joint, seats: npt.NDArray[np.int64]
    ) -> Values:
        """(games,): the values for the players who search."""
        at = np.arange(len(seats)), seats
        if self.horizon is None:
            return play_out(games, cast, chance, first, self.cutoff)[at]
        play_on(games, cast, chance, first, self.cutoff, self.horizon.moves)
        potentials = self.horizon.potential(games.look_at_rows(*at)[0])
        return np.where(games.over, games.rewards("margin")[at], potentials).astype(np.float64)


class RegretMatching:
    """For simultaneous decisions: looks for a mixed strategy that opponents cannot foresee and exploit.

    Half of the rollouts, in two stages as in `MonteCarlo`, narrow down its own actions. The rest run regret matching:
    these actions are tried against whatever the others may do, and each player's next mixture favours the actions it
    regrets not having played. It plays the average of its own mixtures, without their rare actions. In every other
    rollout the others follow the heuristic, or the population, since they may be as simple as that. Where nobody else
    decides, it searches like `MonteCarlo`.
    """

    stages = 2
    iterations = 6
    exploration = 0.3  # share of uniformly random actions
    memory = 0.8  # decay of earlier results from one iteration to the next
    seldom = 0.4  # actions below this share of the most frequent one are dropped

    def __init__(
        self,
        rollouts: int,
        heuristic: AnyAgent,
        cutoff: Cutoff | None = None,
        population: Sequence[AnyAgent] = (),
    ) -> None:
        self.rollouts = rollouts
        self.heuristic = heuristic
        self.alone = MonteCarlo(rollouts, heuristic, cutoff=cutoff, population=population)
        self.population = self.alone.population

    @property
    def asks(self) -> tuple[AnyAgent, ...]:
        """The agents that play the rollouts."""
        return self.alone.asks

    def reset(self) -> None:
        self.alone.reset()

    def search(
        self, observation: Observations, mask: Masks, rng: Streams, positions: Positions, weights: Values | None = None
    ) -> Actions:
        decisions, chosen = Decisions(mask, rng, positions, weights), np.empty(len(mask), np.int64)
        together = positions.to_act.sum(1) > 1
        rows = np.flatnonzero(~together)
        if len(rows):
            chosen[rows] = self.alone.search(observation[rows], *decisions.select(rows))
        for rows in _in_parts(np.flatnonzero(together), self.rollouts):
            part = decisions.select(rows)
            chosen[rows] = _sampled(self._mixture(part), part.rng.random())
        return chosen

    def mixture(self, mask: Masks, rng: Streams, positions: Positions, weights: Values | None = None) -> Values:
        """(rows, actions): the weights of the mixed strategy, which need not add up to 1."""
        decisions, mixture = Decisions(mask, rng, positions, weights), np.empty(mask.shape)
        together = positions.to_act.sum(1) > 1
        alone, others = np.flatnonzero(~together), np.flatnonzero(together)
        if len(alone):
            mixture[alone] = self.alone.mixture(*decisions.select(alone))
        if len(others):
            mixture[others] = self._mixture(decisions.select(others))
        return mixture

    def _mixture(self, decisions: Decisions) -> Values:
        """The same for rows where others decide at the same time."""
        left, _ = self.alone.narrow(decisions, self.rollouts // 2, self.stages)
        positions = decisions.positions
        rows, to_act = np.arange(len(positions)), positions.to_act
        shape = (*to_act.shape, left.shape[1])
        regrets, totals, tried = np.zeros(shape), np.zeros(shape), np.zeros(shape)
        legal = np.zeros(shape, np.bool_)  # in any copy so far: what the others may do can be hidden
        average = np.zeros(left.shape)
        number = max(self.rollouts // (2 * self.iterations), 1)
        for iteration in range(1, self.iterations + 1):
            games, chance = positions.copies(np.full(len(rows), number), decisions.rng)
            row = np.repeat(rows, number)
            legal_here = games.legal == 1
            legal_here[np.arange(len(row)), positions.seats[row]] = left[row]
            legal |= legal_here.reshape(len(rows), number, *shape[1:]).any(1)
            uniform = legal / legal.sum(2, keepdims=True)
            total = regrets.sum(2, keepdims=True)
            mixtures = np.where(total > 0, regrets / np.where(total > 0, total, 1), uniform)
            average += iteration * mixtures[rows, positions.seats]
            explored = ((1 - self.exploration) * mixtures + self.exploration * uniform)[row] * legal_here

            draws = Streams(chance.copy())
            first = np.stack([_sampled(explored[:, player], draws.random()) for player in range(shape[1])], axis=1)
            mine = np.arange(games.num_players) == positions.seats[row, None]
            by_heuristic = ~mine & np.tile(np.arange(number) % 2 == 0, len(rows))[:, None]
            first[by_heuristic] = OPEN
            cast = self.alone.cast(decisions, row, chance, games.num_players)
            values = play_out(games, cast, chance, first, self.alone.cutoff)

            game, player = np.nonzero(to_act[row] & ~by_heuristic)
            at = row[game], player, first[game, player]
            np.add.at(totals, at, values[game, player])
            np.add.at(tried, at, 1)
            # Actions not tried yet get the mean value of the others.
            mean = totals.sum(2, keepdims=True) / np.maximum(tried.sum(2, keepdims=True), 1)
            means = np.where(tried > 0, totals / np.maximum(tried, 1), mean)
            regrets = np.maximum(regrets + legal * (means - (mixtures * means).sum(2, keepdims=True)), 0)
            totals *= self.memory  # since everybody's mixtures change
            tried *= self.memory
        return np.where(average >= self.seldom * average.max(1, keepdims=True), average, 0)


def play_out(
    games: Batch,
    players: AnyAgent | Cast,
    chance: npt.NDArray[np.uint64],
    first: Joint,
    cutoff: Cutoff | None = None,
) -> Values:
    """Plays games to the end, as `play_on` does; returns all players' values, (games, players)."""
    play_on(games, players, chance, first, cutoff)
    return games.rewards("win") + MARGIN * games.rewards("margin").astype(np.float64)


def play_on(
    games: Batch,
    players: AnyAgent | Cast,
    chance: npt.NDArray[np.uint64],
    first: Joint,
    cutoff: Cutoff | None = None,
    most: int | None = None,
) -> None:
    """Plays games to the end, as `play_to_end` does, or for at most `most` moves."""
    cast = _cast_of(players, first)
    slow = [rollout_policy(agent, games) is None for agent in cast.agents]
    if cutoff is None or not any(slow):
        play_to_end(games, cast, chance, first, most)
    else:
        moves = cutoff.moves if most is None else min(cutoff.moves, most)
        play_by_asking(games, cast, chance, first, moves)
        left = np.where(np.array(slow)[cast.seats], len(slow), cast.seats)
        faster = Cast((*cast.agents, cutoff.policy), left)
        most = None if most is None else most - moves
        play_to_end(games, faster, ~chance, np.full_like(first, OPEN), most)  # other streams than before


def play_to_end(
    games: Batch,
    players: AnyAgent | Cast,
    chance: npt.NDArray[np.uint64],
    first: Joint,
    most: int | None = None,
) -> None:
    """Plays games to the end, or for at most `most` moves, starting with the actions in `first`.

    First actions that are `OPEN` are filled in. All choices in a game depend only on its bits in `chance`.
    """
    cast = _cast_of(players, first)
    policies = [rollout_policy(agent, games) for agent in cast.agents]
    known = [policy for policy in policies if policy is not None]
    number_of = np.cumsum([policy is not None for policy in policies]) - 1
    compiled = all(policies[number] is not None for number in np.unique(cast.seats))
    compiled &= len({policy.choose for policy in known}) == 1
    if not compiled or not finish(games, known, chance, first, number_of[cast.seats], most):
        play_by_asking(games, cast, chance, first, most)


def play_by_asking(
    games: Batch,
    players: AnyAgent | Cast,
    chance: npt.NDArray[np.uint64],
    first: Joint,
    most: int | None = None,
) -> None:
    """Plays games in lockstep, to the end or for the given number of moves at most.

    Agents that remember begin with nothing: what the players of the searched game remember is not known.
    """
    cast, memory = _cast_of(players, first), Memory(*first.shape)
    actions, moves = first, 0
    while not games.over.all() and moves != most:
        actions = np.where(games.to_act, actions, games.pass_action)
        for number, agent in enumerate(cast.agents):
            going, seats = np.nonzero((actions == OPEN) & (cast.seats == number))
            if len(going):
                rng = Streams.of_decisions(chance[going], moves, seats)
                actions[going, seats] = ask(agent, games, going, seats, rng, memory)
        games.step(actions)
        actions, moves = np.full_like(first, OPEN), moves + 1


def _cast_of(players: AnyAgent | Cast, first: Joint) -> Cast:
    return players if isinstance(players, Cast) else Cast((players,), np.zeros(first.shape, np.int64))


def _in_parts(rows: npt.NDArray[np.int64], rollouts: int) -> Iterator[npt.NDArray[np.int64]]:
    """Chunks of rows, so that not too many games are played at once."""
    size = max(MOST_GAMES // rollouts, 1)
    for start in range(0, len(rows), size):
        yield rows[start : start + size]


def _sampled(weights: Values, uniform: Values) -> npt.NDArray[np.int64]:
    """Samples one action per row by its weights, given a uniform number from 0 to 1."""
    sums = weights.cumsum(1)
    return (sums > (uniform * sums[:, -1])[:, None]).argmax(1)
