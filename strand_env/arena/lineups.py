"""Line-ups: which agents meet, and in which seats."""

from itertools import combinations, combinations_with_replacement, permutations

import numpy as np
import numpy.typing as npt

Tables = list[tuple[int, ...]]  # each lists the agents at it by number


def tables_of_field(agents: int, players: int) -> Tables:
    """All combinations of `players` agents; with fewer agents than players, all that repeat some of them.

    Every agent gets the same number of seats. Tables with copies of a single agent are left out: they measure nothing.
    """
    if agents >= players:
        return list(combinations(range(agents), players))
    return [table for table in combinations_with_replacement(range(agents), players) if len(set(table)) > 1]


def tables_against_copies(agents: int, players: int) -> Tables:
    """Each agent but the last, alone among copies of the last."""
    return [(hero,) + (agents - 1,) * (players - 1) for hero in range(agents - 1)]


def seat_agents(tables: Tables, deals: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """(deals, line-ups, players): the agent in each seat, for deals given by number.

    A deal is played at each table in all rotations, so that each agent has each seat once. The order around the table
    changes from deal to deal, through all permutations.
    """
    players = len(tables[0])
    orders = np.array([(0, *others) for others in permutations(range(1, players))])
    seats = np.arange(players)
    rotations = (seats - seats[:, None]) % players
    around = np.array(tables)[:, orders[deals % len(orders)]]  # (tables, deals, places)
    return around[:, :, rotations].swapaxes(0, 1).reshape(len(deals), len(tables) * players, players)
