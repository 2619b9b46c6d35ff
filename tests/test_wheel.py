"""What others install: a wheel with all of strand_env in it, and no other name to import."""

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from strand_env import __version__

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
FOLDERS = {"strand_env": "strand_env", "agents": "strand_env/agents", "train": "strand_env/train"}
COMPILED = shutil.ignore_patterns("__pycache__")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The unpacked wheel, built from a copy, since building leaves files behind."""
    source, built, unpacked = (tmp_path_factory.mktemp(name) for name in ("source", "built", "unpacked"))
    for name in FOLDERS:
        shutil.copytree(ROOT / name, source / name, ignore=COMPILED)
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    build = ["wheel", "--verbose", "--no-deps", "--no-index", "--no-build-isolation", "--wheel-dir", built, source]
    run = subprocess.run([sys.executable, "-m", "pip", *build], check=True, capture_output=True, text=True)
    assert "Warning: " not in run.stdout + run.stderr  # as setuptools writes them, apart from "warning: byte-compiling"
    (file,) = built.iterdir()
    zipfile.ZipFile(file).extractall(unpacked)
    return unpacked


def test_only_strand_env_can_be_imported(wheel: Path) -> None:
    assert {path.name for path in wheel.iterdir()} == {"strand_env", f"strand_env-{__version__}.dist-info"}


def test_nothing_is_forgotten(wheel: Path) -> None:
    there = {str(path.relative_to(wheel)) for path in (wheel / "strand_env").rglob("*") if path.is_file()}
    expected = {
        f"{package}/{path.relative_to(ROOT / folder)}"
        for folder, package in FOLDERS.items()
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert there == expected
    assert expected >= {"strand_env/py.typed", "strand_env/strand_unter/rules.md", "strand_env/agents/base.py"}


def test_the_command_works_from_it(wheel: Path) -> None:
    program = f"import sys; sys.path.insert(0, {str(wheel)!r}); from strand_env import cli; cli.main()"
    run = subprocess.run([sys.executable, "-c", program, "rules"], cwd=wheel, capture_output=True, check=True)
    assert run.stdout == (ROOT / "strand_env/strand_unter/rules.md").read_bytes()
