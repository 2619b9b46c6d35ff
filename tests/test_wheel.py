"""What others install: a wheel with all of strand_env in it and no other name to import, and its sources."""

import os
import subprocess
import sys
import tarfile
import zipfile
from email import message_from_bytes
from email.message import Message
from pathlib import Path

import pytest
import release
from test_docs import FENCED, LINK

from strand_env import __version__

ROOT = Path(__file__).parents[1]
FOLDERS = {"strand_env": "strand_env", "agents": "strand_env/agents", "train": "strand_env/train"}
ADDRESS = "https://host.example/owner/strand_env"

slow = pytest.mark.slow


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with wheel and source distribution, made for a public address."""
    out = tmp_path_factory.mktemp("built")
    said = release.build(out, ADDRESS)
    assert "Warning: " not in said  # as setuptools writes them, apart from "warning: byte-compiling"
    return out


@pytest.fixture(scope="module")
def wheel(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The unpacked wheel."""
    unpacked = tmp_path_factory.mktemp("unpacked")
    (file,) = built.glob("*.whl")
    zipfile.ZipFile(file).extractall(unpacked)
    return unpacked


def metadata(wheel: Path) -> Message:
    return message_from_bytes((wheel / f"strand_env-{__version__}.dist-info/METADATA").read_bytes())


@slow
def test_only_strand_env_can_be_imported(wheel: Path) -> None:
    assert {path.name for path in wheel.iterdir()} == {"strand_env", f"strand_env-{__version__}.dist-info"}


@slow
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


@slow
def test_the_sources_hold_the_whole_repository(built: Path) -> None:
    """Documentation, tests, changelog and citation included: what is tracked, apart from hosts' settings."""
    (file,) = built.glob("*.tar.gz")
    with tarfile.open(file) as archive:
        there = {member.name.partition("/")[2] for member in archive.getmembers() if member.isfile()}
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    if tracked.returncode:
        pytest.skip("this is no Git repository")
    hosts = (".ci/", ".github/")
    expected = {name for name in tracked.stdout.splitlines() if (ROOT / name).exists() and not name.startswith(hosts)}
    assert expected <= there, expected - there
    assert there >= {"CHANGELOG.md", "CITATION.cff", "docs/training.md", "tests/test_wheel.py"}


@slow
def test_links_of_the_packages_are_absolute(built: Path, wheel: Path) -> None:
    shown = metadata(wheel)
    links = [target for target in LINK.findall(str(shown.get_payload())) if not target.startswith("#")]
    assert links
    assert all(target.startswith("https://") for target in links)
    (file,) = built.glob("*.tar.gz")
    with tarfile.open(file) as archive:
        citation = archive.extractfile(f"strand_env-{__version__}/CITATION.cff")
        assert citation is not None
        assert f'repository-code: "{ADDRESS}"'.encode() in citation.read()
    assert f"Source, {ADDRESS}" in shown.get_all("Project-URL", [])


def test_each_link_leads_to_its_file() -> None:
    page = "![board](docs/board.png) [a](docs/arena.md#agents), [b](#here) and [c](https://c.example/)"
    made = release.absolute(page, ADDRESS, "1.0")
    pictured, read = f"{ADDRESS}/raw/v1.0/docs/board.png", f"{ADDRESS}/blob/v1.0/docs/arena.md#agents"
    assert made == f"![board]({pictured}) [a]({read}), [b](#here) and [c](https://c.example/)"


def test_the_citation_is_of_this_version() -> None:
    assert f"\nversion: {__version__}\n" in (ROOT / "CITATION.cff").read_text("utf-8")


@slow
def test_it_works_where_it_is_installed(built: Path, tmp_path: Path) -> None:
    """In a new environment, which has the packages of this one but not the repository: the command, README's lines."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "env"], check=True)
    python = tmp_path / "env/bin/python"
    (file,) = built.glob("*.whl")
    install = ["install", "--no-deps", "--no-index", "--disable-pip-version-check", "--quiet", file]
    subprocess.run([sys.executable, "-m", "pip", "--python", python, *install], check=True)
    (packages,) = (tmp_path / "env").glob("lib/*/site-packages")
    # Folders in such a file are searched for modules, but not for further such files: the editable one stays out.
    (packages / "others.pth").write_text("\n".join(path for path in sys.path if path.endswith("site-packages")))

    def output(*command: str | Path) -> str:
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        return subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, check=True, text=True).stdout

    assert str(packages) in output(python, "-c", "import strand_env; print(strand_env.__file__)")
    rules = (ROOT / "strand_env/strand_unter/rules.md").read_text("utf-8")
    assert output(tmp_path / "env/bin/strand", "rules") == rules
    readme = (ROOT / "README.md").read_text("utf-8")
    lines = [body for language, _, body in FENCED.findall(readme) if language == "python" and "sb3" not in body]
    assert len(lines) == 3
    assert "Build castle 1" in output(python, "-c", "\n".join(lines).replace("deals=500", "deals=10"))
    assert "Strand Unter" in output(tmp_path / "env/bin/strand", "replay", "game.json", "--delay", "0")
