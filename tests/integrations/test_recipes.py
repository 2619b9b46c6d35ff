"""Each recipe of docs/benchmarks/ learns for a moment with its library and plays legal games: `-k` a library."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from benchmarks import RECIPES

from strand_env.registry import game_names, game_of

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("game", game_names())
@pytest.mark.parametrize("name", [recipe.name for recipe in RECIPES])
def test_a_moment_of_learning(name: str, game: str, tmp_path: Path) -> None:
    out = tmp_path / "run.json"
    options = ["--game", game, "--frames", "1", "--evaluations", "1", "--deals", "2", "--out", out]
    # In a process of its own, as libraries warn of this and that; an illegal action in the evaluation is an error.
    program = [sys.executable, "-W", "ignore", ROOT / "docs" / "benchmarks" / f"{name}.py"]
    run = subprocess.run([*program, *options], cwd=tmp_path, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    (end,) = json.loads(out.read_text("utf-8"))["curve"]
    assert end["frames"] >= 1
    assert end["seconds"] > 0
    for opponent in ("random", game_of(game).agents.reference):
        assert 0 <= end[opponent]["low"] <= end[opponent]["mean"] <= end[opponent]["high"] <= 1


MADDPG = """
from agilerl.algorithms import MADDPG
from strand_env.registry import game_of
from strand_env.adapters.environments import Environments

env = Environments(game_of("{game}")).parallel_env(observation="array", illegal="raise")
observations, infos = env.reset(seed=1)
agents = env.possible_agents
spaces = [[space(agent) for agent in agents] for space in (env.observation_space, env.action_space)]
learner = MADDPG(*spaces, agent_ids=agents)
while env.agents:
    actions, _ = learner.get_action(obs=observations, infos=infos)
    observations, *_, infos = env.step({{agent: int(action[0]) for agent, action in actions.items()}})
"""


@pytest.mark.parametrize("game", game_names())
def test_maddpg_of_agilerl_plays_legal_games(game: str) -> None:
    """It takes arrays alone, with the masks in the infos."""
    pytest.importorskip("agilerl")
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", MADDPG.format(game=game)], capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
