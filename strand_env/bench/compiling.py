"""Compiles the kernels of a game before they are needed, by using each of them once.

Kernels are compiled for the types that they are called with, so calling them is how to name these types once.
"""

import numpy as np

from strand_env.adapters.environments import Environments
from strand_env.agents import SEARCHES, agent_names, agent_of, joint_actions
from strand_env.agents.encoding import encodings_of
from strand_env.agents.rollouts import rollout_policy
from strand_env.arena.plan import Plan
from strand_env.arena.results import Results
from strand_env.engine.batch import GameBatch
from strand_env.engine.game import Game


def compile_kernels(game: Game) -> None:
    """Compiles the kernels of a game, its environments, its agents and the arena, or loads them from the cache."""
    batch = game.batch(2, game.default_players, seed=0)
    if not isinstance(batch, GameBatch):
        return  # a game of another kind, without kernels
    one = np.zeros(1, np.int64)
    _ = batch.to_act, batch.legal
    for encoding in encodings_of(game, batch.num_players).values():
        encoding.encode(batch.observe()[:, 0])
    batch.observe_table()
    batch.look_at_rows(one, one)
    batch.step(batch.random_actions(0))
    batch.advance(batch.random_actions(1), batch.turn())
    decisions = batch.decision_turn()
    batch.advance(batch.random_decisions(decisions, 2), decisions)
    game.batch.from_snapshots([batch.snapshot(0)])
    batch.redeal(3)
    batch.play_on()
    batch.rewards()
    for name in agent_names(game):
        batch.reset()
        agent = agent_of(name, game=game)
        joint_actions(agent, batch, 0)
        if rollout_policy(agent, batch) is not None:
            for search in SEARCHES:
                joint_actions(agent_of(f"{search}:1@{name}", game=game), batch, 0)
    env = Environments(game).learner_vector_env(num_envs=2, opponents=["random"] * (batch.num_players - 1))
    env.reset(seed=0)
    agents = *game.agents.heuristics, *game.agents.trained, "mc:1", "uct:1", "random", "random"
    plan = Plan(game, agents, game.player_counts[-1], 1, against_last=True)
    _ = Results(plan, [plan.play(plan.make_agents(), 0, 1)[0]]).standings
