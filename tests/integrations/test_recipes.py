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
