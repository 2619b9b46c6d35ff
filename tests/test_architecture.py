"""The direction of imports: rules know no API, adapters and shared modules no game, and nothing heavy is loaded."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = {"strand_env": "strand_env", "agents": "strand_env.agents", "train": "strand_env.train"}

SHARED = ("strand_env.jit", "strand_env.randomness", "strand_env.bits")
OUTERMOST = ("strand_env.agents", "strand_env.train", "strand_env.bench", "strand_env.cli")

# All that a package or module may import besides the standard library and itself.
ALLOWED = {
    "strand_env.strand_unter": (*SHARED, "strand_env.game", "strand_env.outcome", "strand_env.canvas", "numpy"),
    **dict.fromkeys(SHARED, (*SHARED, "numpy")),
    "strand_env.jit": ("numpy", "numba"),
    "strand_env.game": (*SHARED, "numpy", "importlib"),
    "strand_env.outcome": ("strand_env.game", "numpy"),
    "strand_env.canvas": ("numpy", "PIL"),
    "strand_env.replay": ("strand_env.game", "strand_env.catalogue", "strand_env.__version__", "numpy"),
    "strand_env.animation": ("strand_env.game", "strand_env.replay", "PIL"),
    "strand_env.adapters": (*SHARED, "strand_env.game", "strand_env.replay", "numpy", "gymnasium", "pettingzoo"),
    "strand_env.registration": ("gymnasium", "pettingzoo"),
}
# What a package, its outermost parts not counted, must not import.
FORBIDDEN = {"strand_env": OUTERMOST, "strand_env.agents": ("strand_env.train",)}

HEAVY = {"torch", "stable_baselines3", "matplotlib", "rich", "typer", "PIL", "pygame", "hypothesis"}


def modules() -> dict[str, Path]:
    """All modules by the name that they are imported by."""
    found = {}
    for folder, package in FOLDERS.items():
        for path in (ROOT / folder).rglob("*.py"):
            inner = path.relative_to(ROOT / folder).with_suffix("").parts
            found[".".join((package, *inner)).removesuffix(".__init__")] = path
    return found


def imports(source: str, package: str) -> Iterator[str]:
    """What a source text of this package imports, wherever in it; `from a import b` counts as a.b."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parents = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            origin = ".".join([*parents, *([node.module] if node.module else [])])
            yield from (f"{origin}.{alias.name}" for alias in node.names)


def inside(name: str, packages: tuple[str, ...]) -> bool:
    return any(name == package or name.startswith(package + ".") for package in packages)


MODULES = modules()
IMPORTS = {
    name: set(imports(path.read_text("utf-8"), name if path.name == "__init__.py" else name.rpartition(".")[0]))
    for name, path in MODULES.items()
}


def imported_by(package: str, besides: tuple[str, ...] = ()) -> list[tuple[str, str]]:
    """Who in the package, but for some parts of it, imports what."""
    names = [name for name in IMPORTS if inside(name, (package,)) and not inside(name, besides)]
    return [(name, other) for name in names for other in sorted(IMPORTS[name])]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("import numba.core as core, os", {"numba.core", "os"}),
        ("from strand_env import bench", {"strand_env.bench"}),
        ("from .. import train", {"strand_env.train"}),
        ("from ..agents.base import Agent", {"strand_env.agents.base.Agent"}),
        ("from .state import DIAL", {"strand_env.strand_unter.state.DIAL"}),
        ("def f():\n    if True:\n        import torch", {"torch"}),
    ],
)
def test_imports_are_found(source: str, expected: set[str]) -> None:
    assert set(imports(source, "strand_env.strand_unter")) == expected


def test_everything_named_here_is_there() -> None:
    assert {*ALLOWED, *FORBIDDEN, *OUTERMOST} <= set(MODULES)


def standard(name: str) -> bool:
    # importlib could load anything past this test
    return name.partition(".")[0] in sys.stdlib_module_names - {"importlib"}


@pytest.mark.parametrize("package", ALLOWED)
def test_rules_and_shared_modules_import_only_what_they_may(package: str) -> None:
    allowed = (package, *ALLOWED[package])
    assert [pair for pair in imported_by(package) if not inside(pair[1], allowed) and not standard(pair[1])] == []


@pytest.mark.parametrize("package", FORBIDDEN)
def test_nothing_imports_what_is_built_on_it(package: str) -> None:
    besides = tuple(other for other in OUTERMOST if other != package)
    assert [pair for pair in imported_by(package, besides) if inside(pair[1], FORBIDDEN[package])] == []


@pytest.mark.parametrize(
    ("module", "heavy"),
    [
        # The registries that it registers with are loaded, but neither a game nor the compiler.
        ("strand_env", HEAVY | {"numba", "strand_env.strand_unter", "strand_env.adapters"}),
        ("strand_env.strand_unter", HEAVY | {"strand_env.adapters"}),
        ("strand_env.strand_unter_v0", HEAVY | {"strand_env.replay"}),
    ],
)
def test_nothing_heavy_is_loaded(module: str, heavy: set[str]) -> None:
    program = f"import sys, {module}; print(sorted({heavy} & set(sys.modules)))"
    run = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
