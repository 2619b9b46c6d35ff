"""Plays a plan: in this process or several, with or without files."""

from strand_env.agents import AnyAgent
from strand_env.arena.plan import Plan
from strand_env.arena.results import Results, Standing
from strand_env.catalogue import STRAND_UNTER
from strand_env.game import Game


def versus(
    hero: str | AnyAgent,
    opponent: str | AnyAgent,
    deals: int,
    players: int = 4,
    seed: int = 0,
    game: Game = STRAND_UNTER,
) -> Standing:
    """How an agent does against copies of another: each deal is played with it in each seat.

    Quick and quiet, for use in training. An agent that fails is an error here.
    """
    plan = Plan(game, (hero, opponent), players, deals, seed, against_last=True)
    agents = plan.make_agents()
    at_once = max(1, MOST_GAMES // plan.games_per_deal)
    parts = [plan.play(agents, first, min(at_once, deals - first))[0] for first in range(0, deals, at_once)]
    results = Results(plan, parts)
    for forfeit in results.forfeits:
        raise RuntimeError(f"{plan.names[forfeit.agent]} failed: {forfeit.error}: {forfeit.message}")
    return results.standings[0]


MOST_GAMES = 8192  # at once
