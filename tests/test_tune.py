"""The tuning of the reference heuristic."""

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from rich.progress import Progress
from typer.testing import CliRunner, Result

from strand_env.agents.strand_unter.heuristics import Dodger, Greedy, Heuristic, Tide
from strand_env.train import tune


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> tune.Settings:
    monkeypatch.setattr(tune, "SIZES", tuple(replace(sizes, tables=2, deals=3) for sizes in tune.SIZES))
    return tune.Settings(generations=3, population=4, every=1)


@pytest.mark.parametrize("kind", [Greedy, Dodger, Tide])
def test_weights_survive_the_way_to_the_optimiser_and_back(kind: type[Heuristic]) -> None:
    there_and_back = tune.to_weights(tune.to_vector(kind.weights))
    assert there_and_back.keys() == kind.weights.keys()
    for name, value in kind.weights.items():
        assert np.asarray(there_and_back[name]) == pytest.approx(np.asarray(value), rel=0.01), name


def test_the_better_one_is_rated_higher() -> None:
    tide, greedy = Tide(), Greedy()
    assert tune.rate(tide, [[tide, greedy, greedy], [tide, tide, greedy]], 100, seed=1) > 1.3
    assert tune.rate(greedy, [[greedy, tide, tide], [greedy, greedy, tide]], 100, seed=1) < 0.7
    assert tune.rate(tide, [[tide, Tide()]], 400, seed=1) == pytest.approx(1, abs=0.1)


@pytest.mark.slow
def test_equal_seeds_come_to_equal_weights(small: tune.Settings) -> None:
    with Progress(disable=True) as progress:
        first, again = (tune.tune(small, progress) for _ in range(2))
        other = tune.tune(replace(small, seed=2), progress)
    assert first == again
    assert first[0] != other[0]
    assert first[0] != Dodger.weights


def run_command(*arguments: object) -> Result:
    app = tune.typer.Typer()
    app.command()(tune.main)
    return CliRunner().invoke(app, [*map(str, arguments)], env={"COLUMNS": "200", "NO_COLOR": "1"})


def test_the_command_writes_what_an_agent_can_be_made_of(small: tune.Settings, tmp_path: Path) -> None:
    out = tmp_path / "mine.json"
    run = run_command(out, "--generations", 1, "--population", 4, "--every", 1)
    assert run.exit_code == 0, run.output
    written = json.loads(out.read_text())
    assert written["name"] == "mine"
    assert written["settings"]["generations"] == 1
    Heuristic(written["weights"])


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("generations", 0),
        ("generations", 5),
        ("every", 0),
        ("population", 3),
        ("spread", -1),
        ("spread", 0),
        ("seed", -1),
    ],
)
def test_settings_that_cannot_be_are_refused(option: str, value: int, tmp_path: Path) -> None:
    run = run_command(tmp_path / "mine.json", f"--{option}", value)
    assert run.exit_code == 2
    assert f"Invalid value for {option}" in re.sub("['-]", "", run.output)
