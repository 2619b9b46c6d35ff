"""Exact answers where the rest of a game between two players is finite: equilibrium values, best responses.

All information has to be open, except what is decided at the same time. Then a position is a matrix game over the
values of the positions that follow, and everything comes out by backward induction.

    tree = GameTree(games)  # of positions after which nothing is drawn
    value, _ = tree.equilibrium()  # for player 0
    tree.best_response("tide", seat=1)  # what player 0 gets against tide, knowing it
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from strand_env.agents.asking import AnyAgent, policies_of
from strand_env.engine.checks import whole_number
from strand_env.engine.protocol import RewardKind
from strand_env.engine.randomness import Streams

Values = npt.NDArray[np.float64]
Numbers = npt.NDArray[np.int64]
Outcomes = Callable[[Any, Any], tuple[Any, Numbers, Values]]
"""From games before and after a step: the games as they can be, the number of the game each belongs to, and how likely
it is. For steps in which something is drawn, or turned up."""

PLAYERS = 2
_UNSEEN = ("seed", "stream")  # of a record: no part of a position
_GAP = 1e-9


@dataclass(frozen=True)
class Level:
    """Positions after the same number of steps; those that are equal are one."""

    games: Any
    actions: tuple[Numbers, ...]  # by player: the legal actions of all positions, concatenated
    counts: npt.NDArray[np.int64]  # (positions, players); 0 if the game is over
    joints: Numbers  # (positions + 1,): where each position's joint actions begin; player 1's vary fastest
    following: Numbers  # (edges,): positions of the next level
    joint_of: Numbers  # (edges,): the joint action that leads there
    chances: Values  # (edges,): how likely it then does

    def matrix(self, place: int, values: Values) -> Values:
        """The values of a position's joint actions, by player 0's and player 1's action."""
        start, stop = self.joints[place : place + 2]
        return values[start:stop].reshape(self.counts[place])

    def starts(self, player: int) -> Numbers:
        return np.concatenate([[0], np.cumsum(self.counts[:, player])])


class GameTree:
    """All that can come of some positions, the games of a batch with two players.

    Without `outcomes` nothing may be drawn any more. Positions that differ only in the fields to `forget` are taken for
    one: only for agents that do not look at these. The value of a position is player 0's `reward`. There may be at most
    `most` positions; they take some kB of memory each, most of it before equal ones are merged.
    """

    def __init__(
        self,
        games: Any,
        *,
        outcomes: Outcomes | None = None,
        forget: Sequence[str] = (),
        reward: RewardKind = "win",
        most: int = 5_000_000,
    ) -> None:
        whole_number("games.num_players", games.num_players, PLAYERS, PLAYERS)
        self._forgotten = (*_UNSEEN, *forget)
        self.levels: list[Level] = []
        self.num_positions = 0
        while games is not None:
            self.num_positions += games.num_games
            if self.num_positions > most:
                raise ValueError(f"games: more than {most:,} positions follow; expected fewer games, or later ones")
            level, games = self._level(games, outcomes)
            self.levels.append(level)
        self._ends = [level.games.rewards(reward)[:, 0].astype(np.float64) for level in self.levels]

    def _level(self, games: Any, outcomes: Outcomes | None) -> tuple[Level, Any]:
        legal = games.legal.astype(np.bool_) & ~games.over[:, None, None]
        counts = legal.sum(2)
        actions = tuple(np.nonzero(legal[:, player])[1] for player in range(PLAYERS))
        number = counts.prod(1)
        joints = np.concatenate([[0], np.cumsum(number)])
        owner = np.repeat(np.arange(len(number)), number)
        within = np.arange(len(owner)) - joints[owner]
        starts = np.cumsum(counts, axis=0) - counts
        chosen = np.stack(
            [
                actions[0][starts[owner, 0] + within // counts[owner, 1]],
                actions[1][starts[owner, 1] + within % counts[owner, 1]],
            ],
            axis=1,
        )
        if not len(owner):
            nothing = np.empty(0, np.int64)
            return Level(games, actions, counts, joints, nothing, nothing, np.empty(0)), None
        before = games.select(owner)
        after = before.clone()
        after.step(chosen)
        joint_of, chances = np.arange(len(owner)), np.ones(len(owner))
        if outcomes is not None:
            after, joint_of, chances = outcomes(before, after)
        elif after.has_drawn(before).any():
            raise ValueError("games: something is still drawn afterwards; expected later positions, or `outcomes`")
        first, following = self._merged(after.state)
        return Level(games, actions, counts, joints, following, joint_of, chances), after.select(first)

    def _merged(self, state: np.ndarray) -> tuple[Numbers, Numbers]:
        """The first record of each kind, and the kind of each record."""
        keys = np.frombuffer(bytearray(state.tobytes()), state.dtype)  # copying records would not copy their padding
        for name in self._forgotten:
            keys[name] = np.zeros((), keys[name].dtype)
        _, first, kinds = np.unique(keys.view(f"V{state.itemsize}"), return_index=True, return_inverse=True)
        return first, kinds

    def equilibrium(self) -> tuple[Values, list[list[tuple[Values, Values]]]]:
        """Player 0's value of each game when both play best, and by level and position the players' mixtures."""
        mixtures: list[list[tuple[Values, Values]]] = [[] for _ in self.levels]

        def solve(number: int, place: int, matrix: Values) -> float:
            value, *both = solve_matrix_game(matrix)
            mixtures[number].append((both[0], both[1]))
            return value

        return self._backwards(solve), mixtures

    def best_response(self, agent: AnyAgent, seat: int, seed: int = 0) -> Values:
        """Player 0's value of each game when `agent` plays in `seat`, and the other player knows how."""
        whole_number("seat", seat, 0, PLAYERS - 1)
        known = [self._policy(number, agent, seat, seed) for number in range(len(self.levels))]

        def respond(number: int, place: int, matrix: Values) -> float:
            weights, starts = known[number]
            weights = weights[starts[place] : starts[place] + matrix.shape[seat]]
            return float((weights @ matrix).min() if seat == 0 else (matrix @ weights).max())

        return self._backwards(respond)

    def between(self, agents: Sequence[AnyAgent], seed: int = 0) -> Values:
        """Player 0's value of each game when these two agents play it."""
        known = [
            [self._policy(number, agent, seat, seed) for number in range(len(self.levels))]
            for seat, agent in enumerate(agents)
        ]

        def play(number: int, place: int, matrix: Values) -> float:
            first, second = (
                weights[starts[place] : starts[place] + matrix.shape[seat]]
                for seat, (weights, starts) in enumerate(each[number] for each in known)
            )
            return float(first @ matrix @ second)

        return self._backwards(play)

    def _policy(self, number: int, agent: AnyAgent, seat: int, seed: int) -> tuple[Values, Numbers]:
        """The probabilities of all legal actions of a player, concatenated over positions, and where each begins."""
        level = self.levels[number]
        places = np.repeat(np.arange(len(level.counts)), level.counts[:, seat])
        weights = np.ones(len(places))
        asked = np.flatnonzero(level.games.to_act[:, seat])
        if len(asked):
            seats = np.full(len(asked), seat)
            seeds = np.arange(len(asked), dtype=np.uint64) + np.uint64(seed)
            rng = Streams.of_decisions(seeds, number, seats)
            table = np.ones((len(level.counts), level.games.num_actions))
            table[asked] = policies_of(agent, level.games, asked, seats, rng)
            weights = table[places, level.actions[seat]]
        return weights, level.starts(seat)

    def _backwards(self, value_of: Callable[[int, int, Values], float]) -> Values:
        later: Values = np.empty(0)
        for number in reversed(range(len(self.levels))):
            level = self.levels[number]
            values = self._ends[number].copy()
            joint = np.zeros(level.joints[-1])
            np.add.at(joint, level.joint_of, level.chances * later[level.following])
            for place in np.flatnonzero(level.counts[:, 0]).tolist():
                values[place] = value_of(number, place, level.matrix(place, joint))
            later = values
        return later


def solve_matrix_game(matrix: Values) -> tuple[float, Values, Values]:
    """The value of a zero-sum game for the player who chooses the row and maximises, and both players' mixtures."""
    rows, columns = matrix.shape
    worst, best = matrix.min(1), matrix.max(0)
    if worst.max() >= best.min():  # a saddle point
        return float(worst.max()), np.eye(rows)[worst.argmax()], np.eye(columns)[best.argmin()]
    lowest = matrix.min()
    scale = matrix.max() - lowest
    # The simplex method, by Bland's rule, for the column player: maximise sum(y) where positive @ y <= 1.
    table = np.zeros((rows + 1, columns + rows + 1))
    table[:rows, :columns] = (matrix - lowest) / scale + 1
    table[:rows, columns:-1] = np.eye(rows)
    table[:rows, -1] = 1
    table[rows, :columns] = -1
    basis = np.arange(columns, columns + rows)
    while True:
        entering = np.flatnonzero(table[rows, :-1] < -1e-12)
        if not len(entering):
            break
        column = entering[0]
        usable = np.flatnonzero(table[:rows, column] > 1e-12)
        ratios = table[usable, -1] / table[usable, column]
        tied = usable[ratios <= ratios.min() + 1e-15]
        row = tied[basis[tied].argmin()]
        table[row] /= table[row, column]
        others = np.arange(rows + 1) != row
        table[others] -= np.outer(table[others, column], table[row])
        basis[row] = column
    total = table[rows, -1]
    solution = np.zeros(columns + rows)
    solution[basis] = table[:rows, -1]
    second, first = solution[:columns].clip(0) / total, table[rows, columns:-1].clip(0) / total
    low, high = (first @ matrix).min(), (matrix @ second).max()
    if high - low > _GAP * max(1.0, scale):
        raise ArithmeticError(f"a matrix game of {matrix.shape} was not solved: the gap is {high - low}")
    return float((low + high) / 2), first, second
