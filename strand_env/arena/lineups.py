"""Which agents meet, and where they sit."""

from itertools import combinations, combinations_with_replacement, permutations

import numpy as np
import numpy.typing as npt

Tables = list[tuple[int, ...]]  # each the agents who sit at it, by their numbers


def tables_of_field(agents: int, players: int) -> Tables:
    """Everybody with everybody: all choices of so many agents, or with too few agents all that repeat some of them.

    Each agent has equally many seats. A table of one agent alone would tell nothing.
    """
    if agents >= players:
        return list(combinations(range(agents), players))
    return [table for table in combinations_with_replacement(range(agents), players) if len(set(table)) > 1]


def tables_against_copies(agents: int, players: int) -> Tables:
    """Each agent but the last on its own among copies of the last."""
    return [(hero,) + (agents - 1,) * (players - 1) for hero in range(agents - 1)]


def seat_agents(tables: Tables, deals: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """(deals, line-ups, players): who sits where, in each game of these deals by number.

    A deal is played at each table in all rotations, so that each agent has each seat once. Who sits next to whom
    changes from deal to deal, through all orders around the table.
    """
    players = len(tables[0])
    orders = np.array([(0, *others) for others in permutations(range(1, players))])
    seats = np.arange(players)
    rotations = (seats - seats[:, None]) % players
    around = np.array(tables)[:, orders[deals % len(orders)]]  # (tables, deals, places)
    return around[:, :, rotations].swapaxes(0, 1).reshape(len(deals), len(tables) * players, players)
