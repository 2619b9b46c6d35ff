"""The notebooks show what their sources do, and nothing of the machine that they were executed on."""

import re
from pathlib import Path
from typing import Any

import nbformat
import pytest
from execute import FOLDER, METADATA, SOURCES, execute, read, shown

pytestmark = pytest.mark.slow

EACH = pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.stem)
LONG = ("03_", "04_", "05_", "06_")  # to execute

# Learning is arithmetic with fractions, with the same results on one kind of machine only. Since its results are not
# compared, a shorter run does.
LEARNING = {"03_train_and_inspect": {"imitate=480_000": "imitate=24_000", "final_deals=300": "final_deals=30"}}
# Plots are the same only with the same version of matplotlib and the same fonts.
PICTURES = {"image/png", "image/jpeg"}

PATH = re.compile(r"(?<![\w.<])/(?:bin|home|mnt|opt|private|root|tmp|usr|Users|var|work)/|[A-Z]:\\\\", re.ASCII)
MOST_BYTES = 450_000


def kept(source: Path) -> Any:
    return nbformat.read(shown(source), as_version=4)


def code_cells(notebook: Any) -> list[Any]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def told(notebook: Any, learning: bool) -> list[list[Any]]:
    """For each cell what it put out, as far as it has to be the same each time."""
    return [
        [
            (each.output_type, each.get("name"), *sorted(each.get("data", {})))
            + (() if learning else (each.get("text"), words(each)))
            for each in cell.outputs
        ]
        for cell in code_cells(notebook)
    ]


def words(output: Any) -> dict[str, str]:
    return {kind: data for kind, data in output.get("data", {}).items() if kind not in PICTURES}


def test_there_are_seven_and_no_others() -> None:
    assert [source.stem[:3] for source in SOURCES] == ["01_", "02_", "03_", "04_", "05_", "06_", "07_"]
    assert sorted(FOLDER.glob("*.ipynb")) == [shown(source) for source in SOURCES]


@EACH
def test_what_is_shown_is_the_source(source: Path) -> None:
    cells = [[(cell.id, cell.cell_type, cell.source) for cell in each.cells] for each in (kept(source), read(source))]
    assert cells[0] == cells[1], "make notebooks"


@EACH
def test_every_cell_was_executed_in_order_and_went_well(source: Path) -> None:
    notebook = kept(source)
    nbformat.validate(notebook)
    cells = code_cells(notebook)
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    assert any(PICTURES & set(output.get("data", {})) for cell in cells for output in cell.outputs)
    for output in (output for cell in cells for output in cell.outputs):
        assert output.output_type != "error"
        assert output.get("name") != "stderr", output.text  # warnings are no part of a result


@EACH
def test_nothing_of_the_machine_is_kept(source: Path) -> None:
    assert shown(source).stat().st_size < MOST_BYTES
    notebook = kept(source)
    assert notebook.metadata == METADATA
    for cell in notebook.cells:
        assert not cell.metadata
        for output in cell.get("outputs", []):
            text = output.get("text", "") + "".join(words(output).values())
            assert not PATH.search(text)


@pytest.mark.parametrize(
    "source",
    [
        pytest.param(each, id=each.stem, marks=[pytest.mark.heavy] if each.stem.startswith(LONG) else [])
        for each in SOURCES
    ],
)
def test_executed_again_it_shows_the_same(source: Path, tmp_path: Path) -> None:
    learning, text = LEARNING.get(source.stem, {}), source.read_text("utf-8")
    for number, fewer in learning.items():
        assert text.count(number) == 1
        text = text.replace(number, fewer)
    shorter = tmp_path / source.name
    shorter.write_text(text, "utf-8")
    again = told(execute(shorter), bool(learning))
    assert again == told(kept(source), bool(learning)), "if the change is meant: make notebooks"


def test_paths_are_found() -> None:
    assert all(PATH.search(text) for text in ("in /home/me/x.py", '"/tmp/y"', "/usr/lib/z", r"C:\\Users"))
    assert not any(PATH.search(text) for text in ("../docs/agents.md", "https://a.org/home/x", "</usr>", "1/tmp"))
