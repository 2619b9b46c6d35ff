"""A trick once its covers are off: who plays against whom, who wins, who gets extras."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from strand_env.sea_or_shore.views.table import Play, Table

PAIRS = ((0, 1), (2, 3))


class Group(NamedTuple):
    """Players who play against each other, clockwise from the leader."""

    colours: Sequence[int]  # two that count as one, or one
    players: Sequence[int]
    winner: int
    lowest: int | None  # the loser who gets extras
    tied: bool  # whether others count as much as the winner


class Trick:
    """The plays of all players, the leader, and the colours of the treasures that were open."""

    def __init__(self, leader: int, plays: Sequence[Play], open_colours: Sequence[int]) -> None:
        self.leader, self.plays, self.open_colours = leader, plays, open_colours
        self.order = [(leader + step) % len(plays) for step in range(len(plays))]
        self.groups = [self._group(colours, players) for colours, players in self._sides().items() if players]

    def count(self, player: int) -> int:
        count = self.plays[player].count
        assert count is not None
        return count

    def _sides(self) -> Mapping[tuple[int, ...], list[int]]:
        """Who played which colour, or either of two that count as one."""
        colours: list[tuple[int, ...]] = []
        for pair in PAIRS:
            as_one = len(self.plays) == 3 and not set(pair) & set(self.open_colours)
            colours += [pair] if as_one else [(colour,) for colour in pair]
        return {each: [player for player in self.order if self.plays[player].colour in each] for each in colours}

    def _group(self, colours: Sequence[int], players: Sequence[int]) -> Group:
        winner = max(players, key=self.count)  # of equal ones, the first: the nearest to the leader
        losers = [player for player in players if player != winner]
        lowest = min(losers, key=self.count) if losers else None
        tied = any(self.count(loser) == self.count(winner) for loser in losers)
        return Group(colours, players, winner, lowest, tied)

    def group_of(self, player: int) -> Group:
        return next(group for group in self.groups if player in group.players)

    @property
    def winners(self) -> list[int]:
        """Clockwise from the leader."""
        return [player for player in self.order if self.group_of(player).winner == player]

    @property
    def served(self) -> list[tuple[int, int]]:
        """The players who get extras, in order, and how many they would get from a full supply."""
        return [(p, len(self.group_of(p).players)) for p in self.order if self.group_of(p).lowest == p]

    def wins_treasure(self, winner: int) -> bool:
        return self.plays[winner].colour in self.open_colours


def last_trick(before: Table, after: Table) -> Trick | None:
    """The trick that was under way before a step, if it is revealed after it."""
    plays = [play for player in after.players if (play := after.last_play(player))]
    if len(plays) < len(after.players):
        return None
    colours = [treasure[0] for treasure in before.snapshot["open"] if treasure is not None]
    if len(plays) == 3 and not colours:
        # The treasure was taken by a player of its colour, who has it on top. Only with 3 players it matters which.
        tops = {player: pile[-1][0] for player, pile in enumerate(before.snapshot["treasures"]) if pile}
        colours = list({plays[player].colour for player, colour in tops.items() if plays[player].colour == colour})
        if len(colours) > 1:
            return None
    return Trick(before.snapshot["leader"], plays, colours)
