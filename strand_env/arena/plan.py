"""The plan of a run: everything the results depend on."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from strand_env.agents import AnyAgent, agent_of, label_of
from strand_env.arena.lineups import Tables, seat_agents, tables_against_copies, tables_of_field
from strand_env.arena.play import Played, play_deals
from strand_env.engine.checks import checked_variant, printable, reason, seed_number, whole_number
from strand_env.engine.game import Game
from strand_env.engine.randomness import spread_seeds

if TYPE_CHECKING:
    from strand_env.replays.replay import Replay

MOST_DEALS, MOST_RECORDED = 1_000_000, 10**18
WIDEST = 20  # characters


@dataclass(frozen=True)
class Plan:
    """Deals that agents play in all line-ups: of all agents, or of each against copies of the last.

    A deal follows from the seed and its number. The first `record` games are recorded as replays.
    """

    game: Game
    agents: tuple[str | AnyAgent, ...]
    players: int
    deals: int
    seed: int = 0
    against_last: bool = False
    record: int = 0
    variant: str | None = None  # by default the game's first

    def __post_init__(self) -> None:
        counts = self.game.player_counts
        whole_number("players", self.players, counts[0], counts[-1])
        whole_number("deals", self.deals, 1, MOST_DEALS)
        whole_number("record", self.record, 0, MOST_RECORDED)
        seed_number("seed", self.seed)
        object.__setattr__(self, "variant", checked_variant(self.variant, self.game.variants))
        if len(self.agents) < 2:
            needed = "one, and one to play against" if self.against_last else "two, or one and --versus another"
            raise ValueError(f"agents: expected at least {needed}; got {len(self.agents)}")

    @cached_property
    def given_names(self) -> tuple[str, ...]:
        return tuple(agent if isinstance(agent, str) else label_of(agent) for agent in self.agents)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the agents, made unique by numbers."""
        given = self.given_names
        before = [given[:index].count(name) for index, name in enumerate(given)]
        return tuple(name + f" ({count + 1})" * (count > 0) for name, count in zip(given, before, strict=True))

    @property
    def labels(self) -> tuple[str, ...]:
        """Names for tables and pictures: without files and modules, unless that would be ambiguous."""
        apart = [name.rpartition(":") for name in self.names]
        short = [last if "." in place else place + colon + last for place, colon, last in apart]
        clear = short if len(set(short)) == len(short) else self.names
        plain = [printable(name) for name in clear]
        return tuple(name if len(name) <= WIDEST else "…" + name[1 - WIDEST :] for name in plain)

    @cached_property
    def tables(self) -> Tables:
        find = tables_against_copies if self.against_last else tables_of_field
        return find(len(self.agents), self.players)

    @property
    def mixes(self) -> bool:
        """Whether line-ups differ in their agents, so that a cross-play matrix has something to show."""
        return not self.against_last and (len(self.tables) > 1 or self.players == 2)

    @property
    def games_per_deal(self) -> int:
        return len(self.tables) * self.players

    @property
    def games(self) -> int:
        return self.deals * self.games_per_deal

    @property
    def title(self) -> str:
        """The plan in a few words."""
        who = (
            f"each against copies of {printable(self.names[-1], 60)}"
            if self.against_last
            else "everybody with everybody"
        )
        games = f"games of {self.players} players" + (f", {self.variant}" if self.variant else "")
        return f"{self.deals:,} deals, {self.games:,} {games}, {who}"

    def seating(self, first: int, deals: int) -> npt.NDArray[np.int64]:
        """(deals, line-ups, players): the agents by number, for `deals` deals from number `first` on."""
        return seat_agents(self.tables, np.arange(first, first + deals))

    def make_agents(self) -> list[AnyAgent]:
        """New agents, ready to play."""
        return [_made(agent, name, self.game) for agent, name in zip(self.agents, self.names, strict=True)]

    def play(self, agents: Sequence[AnyAgent], first: int, deals: int) -> tuple[Played, list["Replay"]]:
        """Plays `deals` deals from number `first` on."""
        seeds = spread_seeds(self.seed, np.arange(first, first + deals))
        record = min(max(self.record - first * self.games_per_deal, 0), deals * self.games_per_deal)
        return play_deals(self.game, agents, self.seating(first, deals), seeds, first, record, self.variant)


def _made(given: str | AnyAgent, name: str, game: Game) -> AnyAgent:
    agent = None
    try:
        agent = agent_of(given, game.ruleset.default(), game=game)
        agent.reset()
    except (Exception, SystemExit) as error:
        if agent is None and isinstance(error, ValueError):
            raise  # which names the agent
        raise ValueError(f"{printable(name)}: cannot begin to play: {reason(error)}") from error
    return agent
