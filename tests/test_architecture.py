"""The direction of imports: rules know no API, generic code knows no game, and nothing heavy is loaded by surprise."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from strand_env import registry

ROOT = Path(__file__).parents[1]
FOLDERS = {"strand_env": "strand_env", "agents": "strand_env.agents", "train": "strand_env.train"}

MODULE_OF = {package.rpartition(".")[2]: game for game, package in registry._modules.items()}  # that users import
GAMES = tuple(MODULE_OF)
FORMER = tuple(registry.FORMER)  # modules that only say what has taken their place
ENGINE, SUPPORT, REGISTRY = "strand_env.engine", "strand_env.support", "strand_env.registry"
AGENTS, ADAPTERS, REPLAYS = "strand_env.agents", "strand_env.adapters", "strand_env.replays"
PICTURES, OPTIONS = "strand_env.pictures", "strand_env.support.options"
CLUSTER = "strand_env.support.cluster"
READING = "strand_env.support.reading"
PRINTING = "strand_env.support.printing"

# What the parts of strand_env may import besides the standard library and themselves. A module belongs to the smallest
# part that it lies in: the rules of a game may not import its views, nor other adapters what brings PyTorch.
ALLOWED = {
    "strand_env": (REGISTRY,),
    REGISTRY: (ENGINE, "gymnasium", "pettingzoo", "importlib"),
    ENGINE: ("llvmlite", "numba", "numpy", "importlib"),  # a game's views and agents are found by name
    SUPPORT: (ENGINE,),
    CLUSTER: ("strand_env", ENGINE, SUPPORT, "importlib", "ray"),  # other nodes' versions of everything are compared
    OPTIONS: (CLUSTER, ENGINE, REGISTRY, "typer"),
    READING: (ENGINE, SUPPORT, "numpy", "safetensors"),
    PRINTING: (ENGINE, "rich"),
    PICTURES: (ENGINE, SUPPORT, "numpy", "PIL", "matplotlib"),
    REPLAYS: ("strand_env", ENGINE, REGISTRY, SUPPORT, READING, "numpy", "PIL"),
    AGENTS: (ENGINE, "strand_env.agents.network", REGISTRY, READING, "numpy", "importlib"),
    "strand_env.agents.network": (
        *("strand_env", AGENTS, ENGINE, REGISTRY, SUPPORT, READING),
        *("numpy", "safetensors"),
    ),
    ADAPTERS: (
        *(ENGINE, AGENTS, REPLAYS, SUPPORT),
        *("numpy", "gymnasium", "pettingzoo"),
    ),
    "strand_env.adapters.sb3": (
        *(ADAPTERS, ENGINE, REPLAYS),
        *("numpy", "gymnasium", "stable_baselines3"),
    ),
    "strand_env.adapters.selfplay": (
        *(ADAPTERS, "strand_env.adapters.sb3", ENGINE),
        *("numpy", "sb3_contrib", "torch"),
    ),
    "strand_env.adapters.openspiel": (ADAPTERS, ENGINE, REGISTRY, SUPPORT, READING, "numpy", "pyspiel"),
    "strand_env.adapters.openspiel_bots": (
        *("strand_env.adapters.openspiel", AGENTS, ENGINE, REGISTRY, SUPPORT),
        *("numpy", "open_spiel"),
    ),
    "strand_env.adapters.environments": (
        *(ADAPTERS, "strand_env.adapters.sb3", "strand_env.adapters.selfplay", AGENTS, ENGINE, SUPPORT),
        *("gymnasium", "pettingzoo"),
    ),
    "strand_env.arena": (
        *("strand_env", ENGINE, AGENTS, ADAPTERS, REGISTRY, REPLAYS, SUPPORT, CLUSTER, READING, PRINTING, PICTURES),
        *("numpy", "openskill", "open_spiel", "rich", "matplotlib"),
    ),
    "strand_env.play": (ENGINE, AGENTS, REPLAYS, "numpy"),
    "strand_env.play.server": ("strand_env.play", "strand_env.play.connections", READING, "importlib", "starlette"),
    "strand_env.play.connections": ("h11", "uvicorn"),
    "strand_env.play.terminal": ("strand_env.play", ENGINE, PRINTING),
    "strand_env.play.commands": (
        *("strand_env.play", "strand_env.play.server", "strand_env.play.terminal"),
        *(ENGINE, AGENTS, REGISTRY, REPLAYS, SUPPORT, OPTIONS, "typer"),
    ),
}
for game in GAMES:
    rules, views = f"strand_env.{game}", f"strand_env.{game}.views"
    agents, training = f"strand_env.agents.{game}", f"strand_env.train.{game}"
    ALLOWED |= {
        rules: (ENGINE, "numpy"),
        views: (rules, ENGINE, PICTURES, "numpy", "importlib"),  # a style is read from a file
        f"strand_env.{MODULE_OF[game]}": (rules, "strand_env.adapters.environments"),
    }
    if (ROOT / "agents" / game).exists():
        ALLOWED[agents] = (rules, AGENTS, ENGINE, "numpy", "importlib")
    if (ROOT / "train" / f"{game}.py").exists():
        ALLOWED[training] = (rules, agents, "strand_env.train", ENGINE, PICTURES, "numpy")
# These import what they like, and nothing else imports them; but they know no game by name, except where listed.
OUTERMOST = ("strand_env.bench", "strand_env.cli", "strand_env.train")
KNOW_A_GAME = ("strand_env.bench.literal",)
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
    "pyspiel",
    "open_spiel",
    "ray",
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
        ("strand_env.strand_unter_v1.env", "strand_env.strand_unter_v1"),
        ("strand_env.engine.batch.GameBatch", "strand_env.engine"),
        ("strand_env.new_module", "strand_env"),
        ("numpy.typing", "numpy"),
    ],
)
def test_parts_are_found(name: str, part: str) -> None:
    assert part_of(name) == part


def test_everything_named_here_is_there() -> None:
    named = {*PARTS, *KNOW_A_GAME, *(name for names in ALLOWED.values() for name in names if name.startswith("strand"))}
    assert named <= set(MODULES)


@pytest.mark.parametrize("part", ALLOWED)
def test_a_part_imports_only_what_it_may(part: str) -> None:
    standard = sys.stdlib_module_names - {"importlib"}  # which could load anything past this test
    allowed = {part, *ALLOWED[part], *standard}
    modules = [name for name in IMPORTS if part_of(name) == part]
    assert modules
    assert [(name, other) for name in modules for other in IMPORTS[name] if part_of(other) not in allowed] == []


def test_only_a_games_own_modules_know_it_by_name() -> None:
    own = [f"strand_env.{place}{game}" for game in GAMES for place in ("", "agents.", "train.")]
    own += [f"strand_env.{module}" for module in MODULE_OF.values()]

    def within(name: str, parts: list[str]) -> bool:
        return any(name == part or name.startswith(part + ".") for part in parts)

    generic = [name for name in IMPORTS if not within(name, own) and name not in KNOW_A_GAME]
    assert [(name, other) for name in generic for other in IMPORTS[name] if within(other, own)] == []


def test_the_loose_modules_are_few() -> None:
    loose = {path.stem for path in (ROOT / "strand_env").glob("*.py")}
    assert loose == {"__init__", "registry", "cli", *MODULE_OF.values(), *FORMER}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("module", "heavy"),
    [
        # The registries that it registers with are loaded, but neither a game nor the compiler.
        ("strand_env", HEAVY | {"numba", "strand_env.strand_unter", "strand_env.adapters"}),
        ("strand_env.strand_unter", HEAVY | {"strand_env.adapters", "strand_env.agents"}),
        ("strand_env.strand_unter_v1", HEAVY | {"strand_env.replays.replay", "strand_env.agents.strand_unter"}),
        ("strand_env.arena", HEAVY | {"openskill"}),
        ("strand_env.play.session", HEAVY),
    ],
)
def test_nothing_heavy_is_loaded(module: str, heavy: set[str]) -> None:
    program = f"import sys, {module}; print(sorted({heavy} & set(sys.modules)))"
    run = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
