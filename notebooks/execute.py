"""Executes the notebooks and writes them with their outputs: `make notebooks`.

The source of each is a Python file, cell by cell as Jupytext reads it. What is shown, the `.ipynb` beside it, follows
from it and is never changed by hand.
"""

import os
import tempfile
from pathlib import Path
from typing import Any

import jupytext
import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).parent
SOURCES = sorted(FOLDER.glob("[0-9]*.py"))

METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"file_extension": ".py", "mimetype": "text/x-python", "name": "python"},
}
FIRST_USE = "strand_env: compiling the game's kernels"  # printed once per installation, in any cell


def shown(source: Path) -> Path:
    return source.with_suffix(".ipynb")


def read(source: Path) -> Any:
    """The cells of a source, without outputs."""
    notebook = jupytext.read(source, fmt="py:percent")
    notebook.metadata = nbformat.from_dict(METADATA)
    for number, cell in enumerate(notebook.cells):
        cell.id = f"cell-{number}"  # by itself it would be another one each time
        cell.metadata = nbformat.from_dict({})
    return notebook


def execute(source: Path) -> Any:
    """The same with what the cells print and show, executed where nothing of the user's is read or overwritten."""
    notebook = read(source)
    with tempfile.TemporaryDirectory() as folder:
        client = NotebookClient(
            notebook,
            timeout=1800,  # for each cell
            kernel_name="python3",
            resources={"metadata": {"path": folder}},
            record_timing=False,
            coalesce_streams=True,  # how it is cut into pieces depends on how busy the machine is
            extra_arguments=["--log-level=ERROR"],  # it would warn of every kernel that talks over loopback
        )
        client.execute(env={**os.environ, "IPYTHONDIR": folder})
    notebook.metadata = nbformat.from_dict(METADATA)
    for cell in notebook.cells:
        cell.metadata = nbformat.from_dict({})
        if cell.cell_type == "code":
            cell.outputs = [output for output in cell.outputs if not _is_first_use(output)]
    return notebook


def _is_first_use(output: Any) -> bool:
    """Whether it says that kernels are compiled, and nothing else."""
    return output.get("name") == "stderr" and all(line.startswith(FIRST_USE) for line in output.text.splitlines())


def write_all() -> None:
    for source in SOURCES:
        nbformat.write(execute(source), shown(source))
        print(f"wrote {shown(source).relative_to(FOLDER.parent)}", flush=True)


if __name__ == "__main__":
    write_all()
