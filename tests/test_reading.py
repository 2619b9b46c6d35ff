"""The one reader of files, atomic writing, and whose code is run."""

import errno
import io
import json
import os
import shutil
import subprocess
import sys
import zipfile
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hostile_files import EVIL, TINY
from typer.testing import CliRunner

from strand_env.agents.encoding import encoding_of
from strand_env.agents.naming import is_code
from strand_env.agents.network import MOST_LAYERS, Network, load_agent, save_agent
from strand_env.cli import app
from strand_env.engine.checks import fields_of
from strand_env.registry import game_names
from strand_env.strand_unter import GAME as STRAND_UNTER
from strand_env.support import files
from strand_env.support.files import sweep, write_together, write_whole
from strand_env.support.reading import check_arrays, parse_json, read_arrays, read_bytes, read_json
from strand_env.train.config import Config
from strand_env.train.run import CHECKPOINT, CONFIG, Run, begin

# Reading


def test_only_regular_files_are_read_and_none_that_is_too_large(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"12345")
    assert read_bytes(file, 5) == b"12345"
    (tmp_path / "link").symlink_to(file)
    assert read_bytes(tmp_path / "link", 5) == b"12345"
    with pytest.raises(ValueError, match=r"file: expected at most 4 bytes, got more"):
        read_bytes(file, 4)
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "pipe", "/dev/zero", "/dev/null"):
        with pytest.raises(ValueError, match="expected a file, got a folder, a pipe or a device"):
            read_bytes(path, 5)
    with pytest.raises(ValueError, match="expected at most 5 bytes"):
        read_bytes("/proc/self/status", 5)  # whose size is said to be 0
    with pytest.raises(FileNotFoundError):
        read_bytes(tmp_path / "nothing", 5)


def test_json_is_read_as_it_is(tmp_path: Path) -> None:
    data = {"a": [1, -2.5, None, True, "\x1b ü 🦀"], "b": {"a": 2**64 - 1}}
    (tmp_path / "file").write_text(json.dumps(data), "utf-8")
    assert read_json(tmp_path / "file") == data
    assert parse_json(json.dumps(data, ensure_ascii=False)) == data
    (tmp_path / "file").write_text("{")
    with pytest.raises(ValueError, match="file: expected JSON"):
        read_json(tmp_path / "file")


@pytest.mark.parametrize(("needed", "expected"), [((), "an object"), (("a", "b"), "an object with the fields a, b")])
def test_what_is_no_object_is_named(needed: tuple[str, ...], expected: str) -> None:
    with pytest.raises(ValueError, match=rf"^options: expected {expected}; got \[1\]$"):
        fields_of("options", [1], needed, ("c",))


def test_arrays_are_read_as_they_are(tmp_path: Path) -> None:
    arrays = {"one": np.arange(6).reshape(2, 3), "two": np.asfortranarray(np.eye(3)), "text": np.array("[]")}
    np.savez(tmp_path / "file", **arrays)
    found = read_arrays(tmp_path / "file.npz", 10_000)
    assert found.keys() == arrays.keys()
    assert all((found[name] == arrays[name]).all() for name in arrays)
    check_arrays(found, {"one": (np.int64, (None, 3)), "two": (np.float64, (3, 3)), "text": ("<U2", ())})
    with pytest.raises(ValueError, match=r"one: expected int64 \(any, 4\), got int64 \(2, 3\)"):
        check_arrays(found, {"one": (np.int64, (None, 4)), "two": (np.float64, (3, 3)), "text": ("<U2", ())})
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("bomb.npy", bytes(20_000))
    (tmp_path / "bomb.npz").write_bytes(content.getvalue())
    with pytest.raises(ValueError, match="expected at most 100 arrays of 10,000 bytes, unpacked; got more"):
        read_arrays(tmp_path / "bomb.npz", 10_000)


# Writing


def test_files_that_belong_together_change_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one, two = tmp_path / "one", tmp_path / "deep" / "two"
    write_together({one: b"1", two: b"2"})
    calls: list[int] = []

    def fsync(descriptor: int) -> None:
        calls.append(descriptor)
        if len(calls) == 2:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(files.os, "fsync", fsync)
    with pytest.raises(OSError, match=r"No space left on device: '.*two'"):
        write_together({one: b"new", two: b"new"})
    assert (one.read_bytes(), two.read_bytes()) == (b"1", b"2")
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["deep", "one", "two"]


def test_leftovers_are_swept(tmp_path: Path) -> None:
    write_whole(tmp_path / "kept", b"")
    (tmp_path / f".0123{files.UNFINISHED}").touch()
    sweep(tmp_path, tmp_path / "nowhere")
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]


# Agents and checkpoints that must not be


def network(depth: int = 2, value: float = 0.0) -> Network:
    sizes = [encoding_of(STRAND_UNTER, 4).size, *[8] * (depth - 1), STRAND_UNTER.num_actions]
    layers = [(np.full(shape, value, np.float32), np.zeros(shape[1], np.float32)) for shape in pairwise(sizes)]
    return Network(layers, "relu")


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (network(value=np.nan), "0.weight: holds numbers that are not finite"),
        (network(depth=MOST_LAYERS), f"layers: expected a list of 2 to {MOST_LAYERS} entries, got one of"),
    ],
)
def test_an_agent_that_would_be_refused_is_not_saved(broken: Network, message: str, tmp_path: Path) -> None:
    details = STRAND_UNTER, [4], encoding_of(STRAND_UNTER, 4)
    save_agent(tmp_path, network(), *details)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(ValueError, match=message):
        save_agent(tmp_path, broken, *details)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
    load_agent(tmp_path)


def test_networks_that_no_agent_may_have_are_refused_before_training(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=f"hidden: expected at most {MOST_LAYERS - 2} layers, got 15"):
        Config(**{**TINY, "hidden": ",".join(["8"] * 15)})
    with pytest.raises(ValueError, match="hidden: expected at most 67,108,864 weights"):
        begin(tmp_path / "run", Config(**{**TINY, "hidden": "8192,8192"}))
    assert not (tmp_path / "run").exists()


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "run"
    begin(folder, Config(**TINY))
    Run(folder).learn()
    return folder


@pytest.mark.slow
def test_training_that_diverges_keeps_what_was_good(trained: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    shutil.copytree(trained, folder)
    before = (folder / CHECKPOINT).read_bytes()
    run = Run(folder)
    with torch.no_grad():
        run.model.policy.action_net.bias[0] = float("nan")
    with pytest.raises(ValueError, match="training diverged before timestep 128: weights are no longer finite"):
        run.learn()
    with pytest.raises(ValueError, match=r"policy/action_net.bias: holds numbers that are not finite"):
        run.checkpoint()
    with pytest.raises(ValueError, match=r"agent: 1.bias: holds numbers that are not finite"):
        run.export()
    assert (folder / CHECKPOINT).read_bytes() == before
    load_agent(folder / "agent")


def test_checkpoints_of_earlier_versions_are_read(trained: Path, tmp_path: Path) -> None:
    """They hold no digest."""
    from safetensors.numpy import load_file, save_file

    folder = tmp_path / "run"
    shutil.copytree(trained, folder)
    tensors = load_file(folder / CHECKPOINT)
    data = json.loads(tensors["data"].tobytes())
    del data["sha256"]
    save_file({**tensors, "data": np.frombuffer(json.dumps(data).encode(), np.uint8)}, folder / CHECKPOINT)
    assert Run(folder).frames == 128


def test_a_killed_export_is_swept_up(trained: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    shutil.copytree(trained, folder)
    for place in (folder, folder / "agent"):
        (place / f".0123{files.UNFINISHED}").touch()
    Run(folder)
    assert not [*folder.rglob(f".*{files.UNFINISHED}")]


# Whose code is run


@pytest.mark.parametrize("agent", ["own.py:Own", "folder/own.py:Own", "module:Own", "a.b:Own", "os:system"])
def test_code_is_told_from_data(agent: str) -> None:
    assert is_code(agent)


@pytest.mark.parametrize("agent", ["random", "tide", "mc:256", "cheater:2", "runs/agent", ""])
def test_data_is_told_from_code(agent: str) -> None:
    assert not is_code(agent)


def strand(*arguments: object) -> Any:
    return CliRunner().invoke(app, [*map(str, arguments)], env={"COLUMNS": "200"})


@pytest.mark.slow
@pytest.mark.parametrize("field", ["opponents", "reference"])
def test_code_that_a_folder_names_is_run_only_if_trusted(
    field: str, trained: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "run"
    shutil.copytree(trained, folder)
    code = tmp_path / f"strand_test_{field}.py"
    code.write_text(EVIL)
    monkeypatch.setenv("STRAND_TEST_EXECUTED", str(tmp_path / "executed"))
    monkeypatch.chdir(tmp_path)
    for agent in (f"{code}:Evil", f"{code.stem}:Evil"):
        named = agent if field == "reference" else f"random=1,{agent}=1"
        (folder / CONFIG).write_text(json.dumps({**TINY, field: named}))
        refused = strand("train", "--resume", folder)
        assert refused.exit_code == 1
        assert str(refused.exception).startswith(f"{folder / CONFIG}: it names '{agent[:40]}")
        assert str(refused.exception).endswith("code would be run; if you trust whoever made this folder: --trust")
        assert not (tmp_path / "executed").exists()
    told = strand("train", "--resume", folder, "--trust")
    assert told.exit_code == 0, told.exception
    assert (tmp_path / "executed").exists()
    assert f"strand train --resume {folder} --trust continues" in told.output


@pytest.mark.parametrize("game", game_names())
def test_code_that_a_folder_of_the_arena_names_is_not_run(
    game: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Agents are those of the command; what the folder says of them is only compared."""
    folder, code = tmp_path / "results", tmp_path / "strand_test_arena.py"
    code.write_text(EVIL)
    monkeypatch.setenv("STRAND_TEST_EXECUTED", str(tmp_path / "executed"))
    command = ["arena", "random", "random", "--game", game, "--deals", 1, "--processes", 1, "--out", folder]
    assert strand(*command).exit_code == 0
    run = json.loads((folder / "run.json").read_text())
    (folder / "run.json").write_text(json.dumps({**run, "agents": [f"{code}:Evil", "random"]}))
    refused = strand(*command, "--resume")
    assert refused.exit_code == 1
    assert "holds another run, which this one cannot resume" in str(refused.exception)
    assert not (tmp_path / "executed").exists()


@pytest.mark.slow
def test_agents_typed_by_the_user_are_the_users_word(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = tmp_path / "strand_test_typed.py"
    code.write_text(EVIL)
    monkeypatch.setenv("STRAND_TEST_EXECUTED", str(tmp_path / "executed"))
    options = {**TINY, "opponents": f"{code}:Evil=1", "total_timesteps": 64}
    given = [text for name, value in options.items() for text in (f"--{name.replace('_', '-')}", value)]
    told = strand("train", "--run", tmp_path / "run", *given)
    assert told.exit_code == 0, told.exception
    assert "--trust continues" in told.output


@pytest.mark.slow
def test_the_current_folder_is_searched_for_agents_alone(tmp_path: Path) -> None:
    """A file there called like a package is not what commands import."""
    (tmp_path / "numba.py").write_text("raise SystemExit('ran the code of a stranger')")
    (tmp_path / "strand_test_here.py").write_text("from strand_env.agents import RandomAgent as Own")
    program = [sys.executable, "-P", "-c", "from strand_env.cli import main; main()"]  # as the installed command
    for arguments in (["games"], ["arena", "random", "strand_test_here:Own", "--deals", "1", "--processes", "1"]):
        run = subprocess.run([*program, *arguments], cwd=tmp_path, capture_output=True, text=True)
        assert run.returncode == 0, run.stderr
