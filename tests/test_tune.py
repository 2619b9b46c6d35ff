"""The tuning of heuristics."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.progress import Progress
from toy_game import STONES
from typer.testing import CliRunner, Result

from strand_env.agents.strand_unter.heuristics import Dodger, Greedy, Heuristic, Tide
from strand_env.engine.game import Tuning, TuningTables
from strand_env.registry import game_names, game_of
from strand_env.strand_unter import GAME
from strand_env.train import tune

TUNING = GAME.training.tuning
assert TUNING is not None
SMALL = replace(TUNING, tables=tuple(replace(tables, number=2, deals=3) for tables in TUNING.tables))
FEW = tune.Settings(generations=3, population=4, every=1)


class Taker:
    """Takes all stones of the toy game with a card of at least this value, or else as few as possible."""

    def __init__(self, weights: dict[str, Any]) -> None:
        (self.least_card,) = weights["least card"]

    def reset(self) -> None:
        pass

    def act(self, observation: Any, mask: Any, rng: Any) -> Any:
        highest = mask.shape[1] - 1 - mask[:, ::-1].argmax(1)
        return np.where(observation[:, 0] >= self.least_card, highest, mask.argmax(1))


STONES_TUNING = Tuning(
    agent=Taker,
    start={"least card": [190.0]},
    tables=(TuningTables(5, 2, 8, 0.5), TuningTables(2, 2, 8, 0.5)),
    factors={"least card": 1.0},
    bounds={"least card": (20, 200)},
    lead=0.0,
)


@pytest.mark.parametrize("kind", [Greedy, Dodger, Tide])
def test_weights_survive_the_way_to_the_optimiser_and_back(kind: type[Heuristic]) -> None:
    there_and_back = tune.to_weights(SMALL, tune.to_vector(SMALL, kind.weights))
    assert there_and_back.keys() == kind.weights.keys()
    for name, value in kind.weights.items():
        assert np.asarray(there_and_back[name]) == pytest.approx(np.asarray(value), rel=0.01), name


@pytest.mark.parametrize("name", game_names())
def test_what_a_game_declares_can_be_tuned(name: str) -> None:
    game = game_of(name)
    tuning = game.training.tuning
    if tuning is None:
        return
    assert sum(tables.share for tables in tuning.tables) == pytest.approx(1)
    assert {tables.players for tables in tuning.tables} <= set(game.player_counts)
    assert {*tuning.steps, *tuning.factors, *tuning.bounds} <= set(tuning.start)
    moved = tune.to_weights(tuning, tune.to_vector(tuning, dict(tuning.start)) + 1)
    assert all(
        (np.asarray(moved[each]) != tuning.start[each]).any() for each in tuning.start if each not in tuning.bounds
    )
    agent = tuning.agent(moved)
    lineup = [agent, *[tuning.agent(dict(tuning.start))] * (game.default_players - 1)]
    assert np.isfinite(tune.rate(game, agent, [lineup], 3, seed=1, lead=tuning.lead))


def test_the_better_one_is_rated_higher() -> None:
    def rate(agent: Heuristic, tables: list[list[Heuristic]], deals: int) -> float:
        return tune.rate(GAME, agent, tables, deals, seed=1, lead=SMALL.lead)

    tide, greedy = Tide(), Greedy()
    assert rate(tide, [[tide, greedy, greedy], [tide, tide, greedy]], 100) > 1.3
    assert rate(greedy, [[greedy, tide, tide], [greedy, greedy, tide]], 100) < 0.7
    assert rate(tide, [[tide, Tide()]], 400) == pytest.approx(1, abs=0.1)


def test_tuning_improves_the_heuristic_of_any_game() -> None:
    """Whoever takes all stones first wins, so it pays to wait for no better card."""
    with Progress(disable=True) as progress:
        weights, _ = tune.tune(STONES, STONES_TUNING, tune.Settings(generations=8, population=6, every=4), progress)
    tuned, start = Taker(weights), Taker({"least card": [190.0]})
    assert 20 <= tuned.least_card < 150
    assert tune.rate(STONES, tuned, [[tuned, start], [start, tuned]], 50, seed=1, lead=0) > 1.2


@pytest.mark.slow
def test_equal_seeds_come_to_equal_weights() -> None:
    with Progress(disable=True) as progress:
        first, again = (tune.tune(GAME, SMALL, FEW, progress) for _ in range(2))
        other = tune.tune(GAME, SMALL, replace(FEW, seed=2), progress)
    assert first == again
    assert first[0] != other[0]
    assert first[0] != Dodger.weights


def run_command(*arguments: object) -> Result:
    app = tune.typer.Typer()
    app.command()(tune.main)
    return CliRunner().invoke(app, [*map(str, arguments)], env={"COLUMNS": "200", "NO_COLOR": "1"})


def test_the_command_writes_what_an_agent_can_be_made_of(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(vars(GAME), "training", replace(GAME.training, tuning=SMALL))
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


def test_a_game_without_weights_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(vars(GAME), "training", replace(GAME.training, tuning=None))
    for game, message in (("strand_unter", "Strand Unter declares no weights"), ("chess", "game: expected one of")):
        run = run_command(tmp_path / "mine.json", "--game", game)
        assert run.exit_code == 2
        assert message in run.output
