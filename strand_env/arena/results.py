"""The results of a run."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from strand_env.arena.plan import Plan
from strand_env.arena.play import Forfeit, Played
from strand_env.arena.ratings import Rating, alpha_rank, rate
from strand_env.arena.statistics import Estimate, Numbers, estimate_means, sums_by_agent, sums_by_pair
from strand_env.engine.checks import one_of, shown
from strand_env.support.extras import MissingExtra


@dataclass(frozen=True)
class Standing:
    """How an agent did, averaged over all its seats."""

    agent: str
    win: Estimate  # share of the win
    score: Estimate  # without forfeited games, like the game's own statistics
    rank: Estimate
    ranks: tuple[Estimate, ...]  # how often it was first, second, …
    statistics: dict[str, Estimate]  # by the game's names
    seats: int  # in all games together
    forfeits: int  # seats in which it failed


class Results:
    """Results of a plan: the standings, in the order of the agents, and cross-play."""

    def __init__(self, plan: Plan, parts: Sequence[Played]) -> None:
        parts = sorted(parts, key=lambda part: part.first)
        self.plan = plan
        self.forfeits: list[Forfeit] = [forfeit for part in parts for forfeit in part.forfeits]
        self._outcomes = {name: np.concatenate([part.outcomes[name] for part in parts]) for name in parts[0].outcomes}
        self._seating = plan.seating(0, plan.deals)

    @cached_property
    def standings(self) -> list[Standing]:
        names, players = self.plan.names, self.plan.players
        ranks = self._outcomes["rank"]
        values = {**self._outcomes, **{f"rank {rank}": ranks == rank for rank in range(1, players + 1)}}
        counted = {name: sums_by_agent(value, self._seating, len(names)) for name, value in values.items()}
        seats = counted["win"][1].sum(0).astype(int).tolist()
        found = self._estimates(*(np.hstack(columns) for columns in zip(*counted.values(), strict=True)))
        by_name = {name: found[index * len(names) :][: len(names)] for index, name in enumerate(counted)}
        own = [name for name in self._outcomes if name not in ("win", "score", "rank")]
        forfeits = [forfeit.agent for forfeit in self.forfeits]
        return [
            Standing(
                agent=name,
                **{kind: by_name[kind][agent] for kind in ("win", "score", "rank")},
                ranks=tuple(by_name[f"rank {rank}"][agent] for rank in range(1, players + 1)),
                statistics={kind: by_name[kind][agent] for kind in own},
                seats=seats[agent],
                forfeits=forfeits.count(agent),
            )
            for agent, name in enumerate(names)
        ]

    def by_deal(self, kind: str) -> tuple[Numbers, Numbers]:
        """(deals, agents): sums and counts of an outcome, as "win" or "score", over each agent's seats."""
        return sums_by_agent(self._outcomes[kind], self._seating, len(self.plan.names))

    @cached_property
    def crossplay(self) -> list[list[Estimate]]:
        """Share of the win of agent i in games with agent j; `[i][i]` is of games with copies of it."""
        wins = self._outcomes["win"]
        return self._by_pair(np.broadcast_to(wins[..., None], (*wins.shape, wins.shape[-1])))

    @cached_property
    def ahead(self) -> list[list[Estimate]]:
        """How often agent i ranks above agent j in the same game; ties count half."""
        ranks = self._outcomes["rank"]
        own, others = ranks[..., :, None], ranks[..., None, :]
        return self._by_pair((own < others) + (own == others) / 2)

    def _by_pair(self, values: Numbers) -> list[list[Estimate]]:
        agents = len(self.plan.names)
        sums, counts = sums_by_pair(values, self._seating, agents)
        found = self._estimates(sums.reshape(len(sums), -1), counts.reshape(len(sums), -1))
        return [found[agent * agents :][:agents] for agent in range(agents)]

    @cached_property
    def ratings(self) -> list[Rating]:
        """OpenSkill ratings, in the order of the agents."""
        players = self.plan.players
        games = self._seating.reshape(-1, players), self._outcomes["rank"].reshape(-1, players)
        return rate(*games, len(self.plan.names))

    @cached_property
    def alpha_ranks(self) -> list[float] | None:
        """α-rank of the cross-play matrix, in the order of the agents; its sum is 1.

        None where OpenSpiel is not installed, or if line-ups do not differ in their agents.
        """
        matrix = [[estimate.mean for estimate in row] for row in self.crossplay] if self.plan.mixes else []
        for agent, row in enumerate(matrix):
            row[agent] = 0.0  # of games with its copies, which there may be none of
        try:
            return alpha_rank(matrix) if matrix else None
        except MissingExtra:
            return None

    @property
    def best_first(self) -> list[int]:
        """The agents by number, sorted by share of the win."""
        return sorted(range(len(self.standings)), key=lambda agent: -self.standings[agent].win.mean)

    def first_agent(self, kind: str, than: "Results | None" = None) -> Estimate:
        """The first agent's mean, or its difference to that of the first agent of another run.

        `kind` is "win", "score", "rank", one of the game's statistics, or "margin": the points less the mean of the
        others'. Runs that are compared must have the same deals; differences are paired by deal.
        """
        means = self._first_means(kind)
        if than is not None:
            if not isinstance(than, Results):
                raise ValueError(f"than: expected the results of another run, got {shown(than)}")
            ours, theirs = ((run.plan.deals, run.plan.seed, run.plan.players) for run in (self, than))
            if ours != theirs:
                raise ValueError(f"than: expected a run with deals, seed, players {ours} as in this one, got {theirs}")
            means = means - than._first_means(kind)
        return self._estimates(np.nan_to_num(means), np.isfinite(means).astype(np.float64))[0]

    def _first_means(self, kind: str) -> Numbers:
        """(deals, 1): the mean over the first agent's seats in each deal."""
        scores = self._outcomes["score"]
        margins = scores - (scores.sum(2, keepdims=True) - scores) / (self.plan.players - 1)
        known = {**self._outcomes, "margin": margins}
        one_of("kind", kind, known)
        sums, counts = sums_by_agent(known[kind], self._seating, len(self.plan.names))
        with np.errstate(invalid="ignore"):  # where all games were forfeited there is no mean
            return (sums / counts)[:, :1]

    def _estimates(self, sums: Numbers, counts: Numbers) -> list[Estimate]:
        return estimate_means(sums, counts, self.plan.seed)
