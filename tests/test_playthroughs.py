"""The engine replays the golden playthroughs line by line."""

from itertools import zip_longest
from pathlib import Path

import pytest
from playthroughs import FOLDER, replay

from strand_env.strand_unter import PHASES

FILES = sorted(FOLDER.glob("*.txt"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_replay(path: Path) -> None:
    written = path.read_text(encoding="utf-8").splitlines()
    for number, (golden, today) in enumerate(zip_longest(written, replay(written)), 1):
        assert today == golden, f"line {number}; if the change is meant: `make playthroughs`, and a new version"


def test_all_phases_and_numbers_of_players_are_there() -> None:
    assert len(FILES) >= 12
    text = "\n".join(path.read_text(encoding="utf-8") for path in FILES)
    for phase in PHASES:
        assert f"| {phase}\n" in text
    for players in (2, 3, 4):
        assert f"players {players}\n" in text
