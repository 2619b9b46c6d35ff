"""The clock of recipes, runs that are kept, and the pages made from them."""

import json
import os
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import benchmarks
import numpy as np
import pytest
import running
from drawn import share_of
from toy_game import STONES

from strand_env import registry

ROOT = Path(__file__).parents[1]
PPO, SELFPLAY = benchmarks.RECIPES[:2]


def first_legal(_: np.ndarray, masks: np.ndarray) -> np.ndarray:
    return masks.argmax(axis=1)


def test_recipes_are_told_to_stop_and_evaluated_on_the_way() -> None:
    report = running.Report(running.Task(frames=100, evaluations=2, deals=2))
    assert [report(frames, first_legal) for frames in (0, 49, 50, 99, 100)] == [True, True, True, True, False]
    assert [point["frames"] for point in report.curve] == [50, 100]
    assert all(0 <= point["tide"]["mean"] <= 1 for point in report.curve)
    assert report.progress == 1
    assert ["strangers" in point for point in report.curve] == [False, True]
    assert 0 <= report.curve[-1]["strangers"]["worst"] <= report.curve[-1]["strangers"]["mean"] <= 1


def test_the_budget_is_the_cpu_time_of_learning_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0

    def evaluated(*_: Any, **__: Any) -> Any:
        nonlocal now
        now += 1000
        return standing

    standing = SimpleNamespace(win=SimpleNamespace(mean=0.5, _asdict=lambda: {"mean": 0.5}))
    monkeypatch.setattr(running.time, "process_time", lambda: now)
    monkeypatch.setattr(running, "versus", evaluated)
    report = running.Report(running.Task(minutes=1, evaluations=2))
    going = []
    for _ in range(3):
        now += 20
        going.append(report(0, first_legal))
    assert going == [True, True, False]
    assert [point["seconds"] for point in report.curve] == [40, 60]


def curve(win: float) -> dict[str, Any]:
    shares = {"mean": win, "low": win - 0.01, "high": win + 0.01}
    points = [{"seconds": at, "frames": 1000 * at, "random": shares, "tide": shares} for at in (300, 600)]
    return {"curve": [points[0], {**points[1], "strangers": {"mean": win, "worst": 0.2}}]}


def keep(run: benchmarks.Run, folder: Path, win: float) -> None:
    (folder / run.file).write_text(json.dumps(curve(win)))


def test_finished_runs_are_not_run_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commands: list[list[str]] = []
    monkeypatch.setattr(benchmarks.subprocess, "run", lambda command, **_: commands.append([str(c) for c in command]))
    monkeypatch.setattr(benchmarks, "_warm", set())
    recipe = benchmarks.Recipe("maskable_ppo", "PPO", os.path.relpath(sys.prefix, ROOT), 1)
    runs = [benchmarks.Run(recipe, "strand_unter", seed, minutes=10) for seed in range(3)]
    keep(runs[1], tmp_path, 0.5)
    benchmarks.carry_out(runs, tmp_path)
    outs = [command[-1] for command in commands if "--out" in command]
    assert outs == [str(tmp_path / runs[0].file), str(tmp_path / runs[2].file)]
    assert len(commands) == 3  # the first of them to compile


def _changed(**changes: Any) -> bytes:
    first, last = curve(0.5)["curve"]
    return json.dumps({"curve": [first, {**last, **changes}]}).encode()


@pytest.mark.parametrize(
    "content",
    [
        *(b"", b"{", b"[" * 100_000, b'{"curve": [], "curve": []}', b"[]", b"{}", b'{"curve": []}', b'{"curve": [1]}'),
        *(
            _changed(frames=-1),
            _changed(seconds="1"),
            _changed(random=0.5),
            _changed(tide={"mean": 2}),
            _changed(more=1),
        ),
        *(
            _changed(strangers={}),
            _changed(frames=float("nan")),
            json.dumps({"curve": curve(0.5)["curve"][:1]}).encode(),
        ),
    ],
    ids=lambda content: content[-40:].decode("ascii"),
)
def test_damaged_runs_are_named(tmp_path: Path, content: bytes) -> None:
    run = benchmarks.Run(PPO, "strand_unter", 0, minutes=10)
    (tmp_path / run.file).write_bytes(content)
    with pytest.raises(ValueError, match=f"{run.file}: ") as refusal:
        benchmarks.result_of(run, tmp_path)
    assert str(refusal.value).isprintable()
    assert (tmp_path / run.file).read_bytes() == content


def test_a_table_tells_mean_and_spread_and_what_is_missing(tmp_path: Path) -> None:
    for seed, win in enumerate((0.5, 0.7)):
        keep(benchmarks.Run(PPO, "strand_unter", seed, minutes=10), tmp_path, win)
    lines = benchmarks.strength("strand_unter", 10, 3, tmp_path)
    (row,) = (line for line in lines if line.startswith(f"| {PPO.title}"))
    assert row.startswith(f"| {PPO.title} | 2 | 1,000 |" + 3 * " 60.0 % (50.0 to 70.0) |")
    assert row.endswith("| 20.0 % (20.0 to 20.0) |")
    assert f"{PPO.title} (1 of 3 seeds); {SELFPLAY.title} (3 of 3 seeds)" in lines[-1]
    path = tmp_path / "curves.png"
    benchmarks.draw("strand_unter", 10, 3, tmp_path, path)
    colour, next_colour = benchmarks.COLOURS[:2]
    assert share_of(colour, path) > 0.001 > share_of(next_colour, path), "a curve of the first recipe alone"
    assert benchmarks.strength("maui", 10, 3, tmp_path)[-1].startswith("Not run yet: ")


def test_a_game_without_agents_is_judged_by_random_players_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(registry._others, STONES.id, STONES)
    report = running.Report(running.Task(game="stones", frames=100, evaluations=1, deals=2))
    report(100, first_legal)
    assert report.curve[0].keys() == {"seconds", "frames", "random"}
    run = benchmarks.Run(PPO, "stones", 0, minutes=10)
    points = [{key: point[key] for key in report.curve[0]} for point in curve(0.5)["curve"]]
    (tmp_path / run.file).write_text(json.dumps({"curve": points}))
    head, _, row, *_ = benchmarks.strength("stones", 10, 1, tmp_path)[2:]
    assert head == "| | seeds | frames per CPU second | `random` |"
    assert row.count("|") == head.count("|")
    benchmarks.draw("stones", 10, 1, tmp_path, tmp_path / "curves.png")
    assert share_of(benchmarks.COLOURS[0], tmp_path / "curves.png") > 0.001


def test_short_runs_are_told_with_their_intervals(tmp_path: Path) -> None:
    keep(benchmarks.short(SELFPLAY), tmp_path, 0.9)
    row, _, missing = benchmarks.learned(tmp_path)[2:]
    assert row == f"| {SELFPLAY.title} (`docs/benchmarks/selfplay_ppo.py`) | 600,000 | 600 s | 90.0 % ± 1.0 |"
    assert missing.startswith(f"Not run yet: {PPO.title} (`docs/benchmarks/maskable_ppo.py`); ")


def test_the_pages_are_made_from_the_runs_that_are_kept() -> None:
    folder = ROOT / "docs" / "benchmarks" / "finished"
    text = (ROOT / "docs" / "benchmarks.md").read_text("utf-8")
    for game in benchmarks.game_names():
        lines = benchmarks.strength(game, 10, 3, folder)
        assert benchmarks.filled(text, f"benchmarks of {game}", "make benchmarks", lines) == text
    text = (ROOT / "docs" / "training-libraries.md").read_text("utf-8")
    assert benchmarks.filled(text, "libraries", "make libraries", benchmarks.learned(folder)) == text


def test_every_recipe_is_there_and_has_an_environment() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    for recipe in benchmarks.RECIPES:
        assert (ROOT / "docs" / "benchmarks" / f"{recipe.name}.py").exists()
        assert f":= {recipe.environment}\n" in makefile


@pytest.mark.heavy
def test_a_moment_of_a_benchmark(tmp_path: Path) -> None:
    """With what is installed here; other libraries: tests/integrations/test_recipes.py."""
    here = os.path.relpath(sys.prefix, ROOT)
    run = benchmarks.Run(benchmarks.Recipe(PPO.name, PPO.title, here, 1), "maui", seed=1, frames=2000)
    benchmarks.carry_out([run], tmp_path, ("--deals", "2"))
    kept = json.loads((tmp_path / run.file).read_text("utf-8"))
    assert kept["task"]["seed"] == 1
    assert kept["curve"][-1]["frames"] >= 2000
