"""The direction of imports: rules know no API, adapters and shared modules no game, and nothing heavy is loaded."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = {"strand_env": "strand_env", "agents": "strand_env.agents", "train": "strand_env.train"}

SHARED = ("strand_env.engine.jit", "strand_env.engine.randomness", "strand_env.engine.bits")
PROTOCOL = ("strand_env.engine.protocol", "strand_env.engine.rewards")
AGENTS = ("strand_env.agents", *SHARED, "strand_env.engine.protocol", "strand_env.strand_unter", "numpy")
VIEWS = (
    "strand_env.strand_unter",
    "strand_env.strand_unter.views",
    "strand_env.strand_unter.views.play",
    "strand_env.pictures.canvas",
    "numpy",
)
PLAY = (
    "strand_env.play",
    "strand_env.agents",
    "strand_env.engine.protocol",
    "strand_env.engine.randomness",
    "strand_env.replays.replay",
)
ADAPTERS = (
    *SHARED,
    *PROTOCOL,
    "strand_env.adapters",
    "strand_env.agents",
    "strand_env.replays.replay",
    "numpy",
    "gymnasium",
)

# All that the parts of strand_env may import besides the standard library and themselves. A module belongs to the
# smallest part that it lies in: the rules of a game may not import its views, nor other adapters what brings PyTorch.
ALLOWED = {
    "strand_env": ("strand_env.registration",),
    "strand_env.registration": ("gymnasium", "pettingzoo"),
    **dict.fromkeys(SHARED, (*SHARED, "numpy")),
    "strand_env.engine.jit": ("llvmlite", "numba", "numpy"),
    "strand_env.engine.protocol": ("strand_env.engine.randomness", "numpy", "importlib"),
    "strand_env.engine.rewards": ("strand_env.engine.jit", "strand_env.engine.protocol", "numpy"),
    "strand_env.strand_unter": (*SHARED, *PROTOCOL, "numpy"),
    "strand_env.strand_unter.views": VIEWS,
    "strand_env.strand_unter.views.play": (
        *VIEWS,
        "strand_env.engine.protocol",
        "importlib",
    ),  # it reads a style from a file
    "strand_env.support.files": (),
    "strand_env.support.extras": (),
    "strand_env.pictures.canvas": ("strand_env.support.extras", "numpy", "PIL"),
    "strand_env.registry": ("strand_env.strand_unter", "strand_env.engine.protocol"),
    "strand_env.replays.replay": (
        "strand_env",
        "strand_env.engine.protocol",
        "strand_env.registry",
        "strand_env.support.files",
        "numpy",
    ),
    "strand_env.replays.animation": (
        "strand_env.engine.protocol",
        "strand_env.replays.replay",
        "strand_env.support.extras",
        "strand_env.support.files",
        "PIL",
    ),
    "strand_env.agents": (*AGENTS, "strand_env.agents.naming"),
    "strand_env.agents.naming": (
        "strand_env.agents",
        "strand_env.agents.network",
        "strand_env.agents.strand_unter.heuristics",
        "strand_env.strand_unter",
        "importlib",
    ),
    "strand_env.agents.strand_unter.heuristics": (*AGENTS, "importlib"),  # it reads weights from a file
    "strand_env.agents.strand_unter.guesses": (*AGENTS, "strand_env.agents.strand_unter.heuristics"),
    "strand_env.agents.sight": (*AGENTS, "strand_env.agents.strand_unter.guesses", "strand_env.registry"),
    "strand_env.agents.network": (
        "strand_env.agents.sight",
        *SHARED,
        "strand_env",
        "strand_env.agents",
        "strand_env.registry",
        "strand_env.support.extras",
        "strand_env.support.files",
        "strand_env.engine.protocol",
        "numpy",
        "safetensors",
        "threadpoolctl",
    ),
    "strand_env.adapters": (*ADAPTERS, "pettingzoo"),
    "strand_env.adapters.sb3": (*ADAPTERS, "stable_baselines3"),
    "strand_env.adapters.selfplay": (*ADAPTERS, "strand_env.adapters.sb3", "sb3_contrib", "torch"),
    "strand_env.arena": (
        *SHARED,
        "strand_env",
        "strand_env.engine.protocol",
        "strand_env.registry",
        "strand_env.agents",
        "strand_env.adapters",
        "strand_env.replays.replay",
        "strand_env.support.extras",
        "strand_env.support.files",
        "strand_env.arena.picture",
        "numpy",
        "openskill",
    ),
    "strand_env.arena.picture": ("strand_env.arena", "strand_env.pictures.plots", "numpy", "matplotlib"),
    "strand_env.arena.terminal": ("strand_env.arena", "rich"),
    "strand_env.pictures.plots": ("strand_env.support.extras", "strand_env.support.files", "matplotlib"),
    "strand_env.play": (*PLAY, "numpy"),
    "strand_env.play.server": (*PLAY, "importlib", "starlette", "uvicorn"),
    "strand_env.play.terminal": (*PLAY, "rich"),
    "strand_env.play.commands": (
        *PLAY,
        "strand_env.play.server",
        "strand_env.play.terminal",
        "strand_env.registry",
        "strand_env.support.extras",
        "typer",
    ),
    "strand_env.strand_unter_v0": (
        "strand_env.strand_unter",
        "strand_env.registry",
        "strand_env.adapters",
        "strand_env.adapters.sb3",
        "strand_env.adapters.selfplay",
        "strand_env.agents",
        "strand_env.support.extras",
        "strand_env.engine.protocol",
        "strand_env.engine.randomness",
        "pettingzoo",
    ),
}
# These import what they like, and nothing else imports them.
OUTERMOST = ("strand_env.bench", "strand_env.cli", "strand_env.train")
PARTS = (*ALLOWED, *OUTERMOST)

HEAVY = {
    "safetensors",
    "torch",
    "stable_baselines3",
    "sb3_contrib",
    "matplotlib",
    "rich",
    "typer",
    "PIL",
    "pygame",
    "hypothesis",
    "starlette",
    "uvicorn",
}


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


def part_of(name: str) -> str:
    """The smallest part of strand_env that a name lies in, or the package that it comes from."""
    around = [part for part in PARTS if name == part or name.startswith(part + ".")]
    return max(around, key=len, default=name.partition(".")[0])


MODULES = modules()
IMPORTS = {
    name: set(imports(path.read_text("utf-8"), name if path.name == "__init__.py" else name.rpartition(".")[0]))
    for name, path in MODULES.items()
}


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


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("strand_env.strand_unter.phases", "strand_env.strand_unter"),
        ("strand_env.strand_unter.views.text", "strand_env.strand_unter.views"),
        ("strand_env.strand_unter_v0.env", "strand_env.strand_unter_v0"),
        ("strand_env.new_module", "strand_env"),
        ("numpy.typing", "numpy"),
    ],
)
def test_parts_are_found(name: str, part: str) -> None:
    assert part_of(name) == part


def test_everything_named_here_is_there() -> None:
    named = {*PARTS, *(name for names in ALLOWED.values() for name in names if name.startswith("strand_env"))}
    assert named <= set(MODULES)
    assert named <= set(PARTS)


@pytest.mark.parametrize("part", ALLOWED)
def test_a_part_imports_only_what_it_may(part: str) -> None:
    standard = sys.stdlib_module_names - {"importlib"}  # which could load anything past this test
    allowed = {part, *ALLOWED[part], *standard}
    modules = [name for name in IMPORTS if part_of(name) == part]
    assert [(name, other) for name in modules for other in IMPORTS[name] if part_of(other) not in allowed] == []


@pytest.mark.parametrize(
    ("module", "heavy"),
    [
        # The registries that it registers with are loaded, but neither a game nor the compiler.
        ("strand_env", HEAVY | {"numba", "strand_env.strand_unter", "strand_env.adapters"}),
        ("strand_env.strand_unter", HEAVY | {"strand_env.adapters"}),
        ("strand_env.strand_unter_v0", HEAVY | {"strand_env.replays.replay"}),
        ("strand_env.arena", HEAVY | {"openskill"}),
        ("strand_env.play.session", HEAVY),
    ],
)
def test_nothing_heavy_is_loaded(module: str, heavy: set[str]) -> None:
    program = f"import sys, {module}; print(sorted({heavy} & set(sys.modules)))"
    run = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
