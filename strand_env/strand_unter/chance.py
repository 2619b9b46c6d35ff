"""Chance in full: all that can lie in the next groove, and how likely it is. For exact study; play draws by streams."""

from functools import lru_cache
from itertools import product
from math import comb, prod

import numpy as np
import numpy.typing as npt

from strand_env.strand_unter.games import Games
from strand_env.strand_unter.ruleset import MIN_PLAYERS, NUM_COLOURS, PLAYED_GROOVES, TURN_ROUND

Expanded = tuple[Games, npt.NDArray[np.int64], npt.NDArray[np.float64]]
Counts = tuple[int, ...]


def outcomes(before: Games, after: Games) -> Expanded:
    """For games after a step: the games as they can be, which of the given ones each is, and its probability."""
    return turned_up(after, after.state["round"] != before.state["round"])


def turned_up(games: Games, which: npt.NDArray[np.bool_] | None = None) -> Expanded:
    """Some games, by default all, with everything that can lie in the groove of a round that has just begun.

    At low tide that is exact only if all shells lie in the grooves from the deal on: those that come back into the bag
    would be told apart from those that never left it.
    """
    state = games.state
    chosen = np.ones(games.num_games, np.bool_) if which is None else which
    low = state["round"] <= TURN_ROUND
    dealt = sum(games.ruleset.fills[games.num_players - MIN_PLAYERS])
    if (chosen & low).any() and dealt < sum(games.ruleset.shells):
        raise ValueError("games: at low tide, expected a ruleset by which all shells are dealt into the grooves")
    hidden = np.where(low[:, None], state["covered"].sum(1), state["bag"])
    pools = state["shells"] + hidden
    owners: list[int] = []
    drawn: list[Counts] = []
    chances: list[float] = []
    for game in range(games.num_games):
        shells = tuple(state["shells"][game].tolist())
        draws = _draws(tuple(pools[game].tolist()), sum(shells)) if chosen[game] else ((shells, 1.0),)
        owners += [game] * len(draws)
        drawn += [draw for draw, _ in draws]
        chances += [chance for _, chance in draws]
    owner = np.array(owners, np.int64)
    expanded = games.select(owner)
    rest = pools[owner] - np.array(drawn, np.int64).reshape(-1, NUM_COLOURS)
    expanded.state["shells"] = drawn
    high = chosen[owner] & ~low[owner]
    expanded.state["bag"][high] = rest[high]
    for row in np.flatnonzero(chosen[owner] & low[owner]).tolist():
        expanded.state["covered"][row] = _laid_out(rest[row], state["covered"][owner[row]].sum(1))
    return expanded, owner, np.array(chances)


@lru_cache(maxsize=100_000)
def _draws(pool: Counts, number: int) -> tuple[tuple[Counts, float], ...]:
    """Every handful of that many shells from a pool, and its probability."""
    ways = comb(sum(pool), number)
    handfuls = (each for each in product(*(range(count + 1) for count in pool)) if sum(each) == number)
    return tuple((each, prod(map(comb, pool, each)) / ways) for each in handfuls)


def _laid_out(shells: npt.NDArray[np.int64], sizes: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Shells that nobody has seen, in grooves of these sizes; always in one order, so equal positions look alike."""
    rows = np.zeros((PLAYED_GROOVES, NUM_COLOURS), np.int64)
    colours = np.repeat(np.arange(NUM_COLOURS), shells)
    np.add.at(rows, (np.repeat(np.arange(PLAYED_GROOVES), sizes), colours), 1)
    return rows
