"""Agents by their names: as they are given on the command line, and wherever else a name is more handy than an object.

- `random`, `tide` and so on: those that come with strand_env
- `mc:256`, `rm:256`: a search with so many rollouts for each decision; `cheater:256` sees the future besides
- `file.py:Class`, `package.module:Class`: an agent of your own, whose code is run
- `path/to/model`: a folder with a trained agent
"""

import difflib
import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from strand_env.agents.asking import AnyAgent
from strand_env.agents.base import Searcher
from strand_env.agents.random import RandomAgent
from strand_env.agents.search import MonteCarlo, RegretMatching
from strand_env.agents.strand_unter.heuristics import Dodger, Greedy, Mason, Sprinter, Tide

NAMED: dict[str, Callable[[], AnyAgent]] = {
    "random": RandomAgent,
    "greedy": Greedy,
    "dodger": Dodger,
    "sprinter": Sprinter,
    "mason": Mason,
    "tide": Tide,
    "cheater": lambda: SEARCHES["cheater"](256),
}
SEARCHES: dict[str, Callable[[int], AnyAgent]] = {
    "mc": lambda rollouts: MonteCarlo(rollouts, Tide()),
    "rm": lambda rollouts: RegretMatching(rollouts, Tide()),
    "cheater": lambda rollouts: MonteCarlo(rollouts, Tide(), sees_hidden=True),
}


def agent_of(agent: Any) -> AnyAgent:
    """An agent by its name, or the given one if it is an agent already."""
    if not isinstance(agent, str):
        return _checked(agent, f"{agent!r:.80}")
    if agent in NAMED:
        return NAMED[agent]()
    if Path(agent).is_dir():
        from strand_env.agents.network import load_agent  # which needs more than the others

        return load_agent(agent)
    before, colon, after = agent.rpartition(":")
    if colon and before in SEARCHES:
        if not after.isdecimal() or not 1 <= int(after) <= 1_000_000:
            raise ValueError(
                f"{agent}: expected a number of rollouts from 1 to 1000000 after the colon, as {before}:256"
            )
        return SEARCHES[before](int(after))
    if colon and before.endswith(".py"):
        return _of_class(agent, _module_of_file(Path(before)), after)
    if colon and all(part.isidentifier() for part in (*before.split("."), after)):
        return _of_class(agent, _module_by_name(agent, before), after)
    raise ValueError(_unknown(agent))


def _checked(agent: Any, shown: str) -> AnyAgent:
    plays = isinstance(agent, Searcher) or callable(getattr(agent, "act", None))
    if isinstance(agent, type) or not plays or not callable(getattr(agent, "reset", None)):
        raise ValueError(f"expected an agent (with methods reset and act) or the name of one, got {shown}")
    return agent


def _unknown(name: str) -> str:
    known = [*sorted(NAMED), *(f"{search}:N" for search in sorted(SEARCHES))]
    near = difflib.get_close_matches(name.partition(":")[0], [*NAMED, *SEARCHES], n=1)
    hint = f"; did you mean {near[0] + ':256' * (near[0] in SEARCHES)!r}?" if near else ""
    return (
        f"no agent is called {name!r}; there are: {', '.join(known)}, your own as file.py:Class or module:Class, and "
        f"folders with trained ones{hint}"
    )


def _module_of_file(path: Path) -> ModuleType:
    if not path.is_file():
        raise ValueError(f"{path}: there is no such file")
    name = f"strand_env_agent_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # so that its objects can be pickled, and its dataclasses work
    spec.loader.exec_module(module)
    return module


def _module_by_name(agent: str, name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        raise ValueError(f"{agent}: {error}") from None


def _of_class(name: str, module: ModuleType, class_name: str) -> AnyAgent:
    kind = getattr(module, class_name, None)
    if not isinstance(kind, type):
        classes = [key for key, value in vars(module).items() if isinstance(value, type)]
        raise ValueError(f"{name}: no class {class_name!r} there; there are: {', '.join(classes) or 'none'}")
    try:
        agent = kind()
    except TypeError as error:
        raise ValueError(f"{name}: {error}; an agent is made without arguments") from None
    return _checked(agent, name)
