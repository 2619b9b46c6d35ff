"""Strangers: frozen, as many as promised, and unknown to whatever learns."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_architecture import IMPORTS
from toy_game import STONES
from typer.testing import CliRunner

from strand_env.agents import agent_of, ask
from strand_env.agents.strangers import Juggler, has_strangers, strangers_of
from strand_env.arena import Estimate, strangers, versus
from strand_env.arena.strangers import judge, rows_of, worst_of
from strand_env.cli import app
from strand_env.engine.randomness import Streams
from strand_env.registry import game_ids, game_of
from strand_env.strand_unter import GAME as STRAND_UNTER

every_game_with_strangers = pytest.mark.parametrize(
    "name", [game.id for game in map(game_of, game_ids()) if has_strangers(game)]
)


def decisions_of(stranger: Any, game: Any) -> list[int]:
    """What a stranger does in all seats of a few games."""
    batch = game.batch(8, game.default_players, 3)
    made: list[int] = []
    for move in range(40):
        rows, seats = np.nonzero(batch.to_act)
        actions = np.full(batch.to_act.shape, batch.pass_action)
        actions[rows, seats] = ask(stranger, batch, rows, seats, Streams.of_decisions(batch.seeds[rows], move, seats))
        batch.step(actions)
        made += actions.ravel().tolist()
    return made


@every_game_with_strangers
def test_each_game_has_eight_of_them_and_half_are_the_reference_perturbed(name: str) -> None:
    game = game_of(name)
    found = strangers_of(game)
    perturbed = [each for each in found if each.startswith("perturbed")]
    assert len(found) >= 8
    assert len(perturbed) >= 4
    reference = agent_of(game.agents.reference, game=game)
    for each in perturbed:
        weights = [np.ravel(value) for value in found[each].own_weights.values()]
        own = [np.ravel(value) for value in reference.own_weights.values()]
        assert (np.concatenate(weights) * np.concatenate(own) >= 0).all()
        assert not np.isclose(np.concatenate(weights), np.concatenate(own), rtol=0.01).all()


@every_game_with_strangers
def test_they_are_frozen_and_all_different(name: str) -> None:
    game = game_of(name)
    one, other = ({each: decisions_of(agent, game) for each, agent in strangers_of(game).items()} for _ in range(2))
    assert one == other
    assert len({tuple(made) for made in one.values()}) == len(one)
    assert decisions_of(strangers_of(game, 1)["perturbed 1"], game) != one["perturbed 1"]


@pytest.mark.parametrize("name", strangers_of(STRAND_UNTER))
def test_they_know_how_to_play(name: str) -> None:
    assert versus(strangers_of(STRAND_UNTER)[name], "random", 60).win.mean > 0.6


def test_a_juggler_plays_its_best_three_equally_often_unless_they_are_bad() -> None:
    class Rated:
        def rate(self, observation: Any, mask: Any) -> Any:
            return np.where(mask == 1, np.array([2.0, 5.0, 4.5, 4.1, 4.4]), -1e9)

    mask = np.ones((3000, 5), np.int8)
    mask[1000:2000, 2] = 0
    mask[2000:, 2:] = 0
    rng = Streams.of_decisions(np.arange(3000, dtype=np.uint64), 0, np.zeros(3000, np.int64))
    actions = Juggler(Rated()).act(np.zeros((3000, 1)), mask, rng)  # type: ignore[arg-type]
    counts = [np.bincount(actions[start : start + 1000], minlength=5) for start in (0, 1000, 2000)]
    assert ((counts[0] > 0) == [0, 1, 1, 0, 1]).all()
    assert ((counts[1] > 0) == [0, 1, 0, 1, 1]).all()
    assert counts[2].tolist() == [0, 1000, 0, 0, 0]
    assert counts[0][1:3].min() > 280


def test_a_game_whose_reference_has_no_weights_has_none() -> None:
    assert not has_strangers(STONES)
    with pytest.raises(ValueError, match="has no strangers"):
        strangers_of(STONES)


def test_nothing_but_the_arena_imports_them() -> None:
    for name, imported in IMPORTS.items():
        if any("strangers" in part for other in imported for part in other.split(".")):
            assert name in ("strand_env.agents.strangers", "strand_env.arena.strangers", "strand_env.cli"), name


@pytest.mark.slow
def test_training_does_not_load_them(tmp_path: Path) -> None:
    program = """
import sys
from pathlib import Path
from strand_env.train.config import Config
from strand_env.train.run import Run, begin
folder = Path(sys.argv[1])
small = {"imitate": 64, "total_timesteps": 64, "n_envs": 4, "n_steps": 8, "batch_size": 16, "deals": 2}
begin(folder, Config(hidden="8", final_deals=2, **small))
Run(folder).learn()
print([name for name in sys.modules if "strangers" in name])
"""
    run = subprocess.run([sys.executable, "-c", program, str(tmp_path / "run")], capture_output=True, text=True)
    assert run.stdout.strip().splitlines()[-1:] == ["[]"], run.stderr


@pytest.mark.parametrize("name", ["miser", "perturbed 1", "mixer"])
def test_no_configuration_can_name_them(name: str) -> None:
    with pytest.raises(ValueError, match="no agent is called"):
        agent_of(name)


def test_the_worst_is_in_bold() -> None:
    wins = {"mine": {"one": Estimate(0.5, 0.4, 0.6), "two": Estimate(0.3, 0.25, 0.35)}}
    assert worst_of(wins["mine"]) == "two"
    assert rows_of(wins, {}, lambda text: f"**{text}**") == [
        ["stranger", "mine"],
        ["one", "50.0 ±10.0"],
        ["two", "**30.0 ±5.0**"],
    ]


def test_finished_pairs_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "strangers.json"
    first, _ = judge(["tide"], STRAND_UNTER, 4, 4, out=out)
    data = json.loads(out.read_text())
    assert data["wins"]["tide against echo"] == list(first["tide"]["echo"])
    assert first["tide"]["echo"] == versus("tide", strangers_of(STRAND_UNTER)["echo"], 4).win

    played: list[int] = []
    real = strangers.versus
    monkeypatch.setattr(strangers, "versus", lambda *given: played.append(given[2]) or real(*given))
    assert judge(["tide"], STRAND_UNTER, 4, 4, out=out)[0] == first
    assert played == []
    before = out.read_bytes()
    with pytest.raises(ValueError, match=r"strangers\.json: these are results of other deals"):
        judge(["tide"], STRAND_UNTER, 5, 4, out=out)
    assert out.read_bytes() == before


@pytest.mark.parametrize(
    "wins", [[], {"tide against echo": 3}, {"tide against echo": [0.5, 0.4, float("nan")]}, {"x": [0.5, 0.4, 1e300]}]
)
def test_damaged_results_are_refused_and_kept(tmp_path: Path, wins: Any) -> None:
    out = tmp_path / "strangers.json"
    setting = {"game": STRAND_UNTER.id, "players": 4, "deals": 4, "seed": 0, "drawn": 0}
    out.write_text(json.dumps({**setting, "wins": wins}))
    before = out.read_bytes()
    with pytest.raises(ValueError, match=r"strangers\.json: "):
        judge(["tide"], STRAND_UNTER, 4, 4, out=out)
    assert out.read_bytes() == before


def test_the_command_shows_them(tmp_path: Path) -> None:
    out = tmp_path / "strangers.json"
    result = CliRunner().invoke(app, ["strangers", "random", "--deals", "3", "--strength", "--out", str(out)])
    assert result.exit_code == 0, result.output
    assert "outbuilder" in result.output
    assert "random: worst" in result.output
    assert set(json.loads(out.read_text())) == {"game", "players", "deals", "seed", "drawn", "wins"}
