"""The engine replays the golden playthroughs line by line."""

from itertools import zip_longest
from pathlib import Path

import pytest
from playthroughs import FOLDER, replay
from subjects import SUBJECTS
from subjects.base import described

FILES = sorted(FOLDER.glob("*/*.txt"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_replay(path: Path) -> None:
    written = path.read_text(encoding="utf-8").splitlines()
    for number, (golden, today) in enumerate(zip_longest(written, replay(SUBJECTS[path.parent.name], written)), 1):
        assert today == golden, f"line {number}; if the change is meant: `make playthroughs`, and a new version"


@pytest.mark.parametrize("name", SUBJECTS)
def test_all_phases_and_configurations_are_there(name: str) -> None:
    subject = SUBJECTS[name]
    files = [path for path in FILES if path.parent.name == name]
    assert {path.stem for path in files} == {golden.name for golden in subject.goldens()}
    texts = [path.read_text(encoding="utf-8") for path in files]
    for phase in subject.game.batch.phases:
        assert any(f"| {phase}\n" in text for text in texts)
    for configuration in subject.configurations:
        header = "\n".join([*described(configuration), "seed "])
        assert any(text.startswith(header) for text in texts), configuration
