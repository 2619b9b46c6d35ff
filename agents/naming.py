"""Agents by name: as they are given on the command line, and wherever else a name is handier than an object.

- `random`, and those that come with a game, as Strand Unter's `tide`; `learned` is a trained network
- `mc:256`, `rm:256`, `uct:256`: a search with that many rollouts per decision; `cheater:256` also sees the future
- `mc:256@AGENT`: the same with rollouts played by another agent, by name; `mc:256/4@AGENT`: only their first 4 moves,
  and by the game's usual policy to the end, if the agent has no compiled form: much faster
- `mc:256@AGENT+AGENT`, `rm:256@AGENT+AGENT`: the others are drawn from these agents for each rollout
- `prior:256`: `mc` with all heuristics and networks of the game as that population; `posterior:256`: the same, but it
  remembers what each seat did, and infers who sits there; both also with a population of your own, `@AGENT+AGENT`
- `openspiel-mcts:256`, `openspiel-ismcts:256`: OpenSpiel's searches, where it is installed
- `file.py:Class`, `package.module:Class`: an agent of your own, whose code is run; a file may import its neighbours
- `path/to/model`: a folder with a trained agent, which knows its game

A name that comes with strand_env is never a file or a folder that happens to be called the same.
"""

import difflib
import hashlib
import importlib
import importlib.util
import inspect
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

from strand_env.agents.asking import AnyAgent
from strand_env.agents.base import Searcher
from strand_env.agents.policy import is_policy
from strand_env.agents.population import Posterior
from strand_env.agents.random import RandomAgent
from strand_env.agents.search import Cutoff, MonteCarlo, RegretMatching
from strand_env.agents.uct import UCT
from strand_env.engine.checks import printable, reason, shown, whole_number
from strand_env.engine.game import Game
from strand_env.registry import DEFAULT, game_ids, game_of

RANDOM, CHEATER, MONTE_CARLO, REGRETS, PRIOR, POSTERIOR = "random", "cheater", "mc", "rm", "prior", "posterior"
MOST_ROLLOUTS = MOST_MOVES = 1_000_000
MOST_MEMBERS = 32  # of a population
MOVES = 4  # that networks play in the rollouts of a population, if nothing else is asked for

# Each of a game, for a number of rollouts, with the agent that plays them; some take options.
SEARCHES: Mapping[str, Callable[..., AnyAgent]] = {
    MONTE_CARLO: MonteCarlo.of_game,
    REGRETS: lambda _, rollouts, policy, **options: RegretMatching(rollouts, policy, **options),
    "uct": lambda _, rollouts, policy: UCT(rollouts, policy),
    CHEATER: partial(MonteCarlo.of_game, sees_hidden=True),
    PRIOR: MonteCarlo.of_game,
    POSTERIOR: MonteCarlo.of_game,
}
CUT_OFF = (MONTE_CARLO, REGRETS, PRIOR, POSTERIOR)  # those whose rollouts may be, and that may have a population


# OpenSpiel's, each for a number of simulations and a game; found by name, as they need more packages.
OPENSPIEL = {"openspiel-mcts": "MCTS", "openspiel-ismcts": "ISMCTS"}


def agent_names(game: str | Game = DEFAULT) -> list[str]:
    """The agents that come with a game, searches apart."""
    agents = game_of(game).agents
    return [RANDOM, *agents.heuristics, *agents.trained, CHEATER]


def agent_of(agent: Any, ruleset: Any = None, *, game: str | Game = DEFAULT) -> AnyAgent:
    """An agent of a game by its name, or the given one if it is an agent already.

    Those that come with strand_env are made for this ruleset, None being the usual one; an agent that is given, or
    loaded, has to know it itself.

        agent_of("tide"), agent_of("mc:256"), agent_of("my_agent.py:MyAgent"), agent_of("runs/first/agent")
    """
    if not isinstance(agent, str):
        return _checked(agent, shown(agent))
    of_game = game_of(game)
    known = of_game.agents
    before, colon, after = agent.rpartition(":")
    if agent == RANDOM:
        return RandomAgent()
    if agent in known.heuristics:
        return known.heuristics[agent](ruleset)
    if agent in known.trained:
        if ruleset not in (None, of_game.ruleset.default()):
            raise ValueError(
                f"{printable(agent)}: it was trained for the usual rules of {of_game.title}, and plays no others"
            )
        return _loaded(known.trained[agent], of_game)
    if agent == CHEATER:
        before, after = CHEATER, "256"
    if before in SEARCHES or searching_with(agent) is not None:
        return _search(agent if agent != CHEATER else f"{before}:{after}", ruleset, of_game)
    if before in OPENSPIEL:
        simulations = whole_number(f"{printable(agent)}: simulations", _number(after), 2, MOST_ROLLOUTS)
        bots = importlib.import_module("strand_env.adapters.openspiel_bots")
        return getattr(bots, OPENSPIEL[before])(simulations, of_game)
    if (folder := _own_folder(agent, of_game)) is not None:
        return _loaded(folder, of_game)
    file = agent.removesuffix(":")
    if file.endswith(".py"):
        raise ValueError(f"{printable(agent)}: expected a class of that file, as {printable(file)}:Class")
    if before.endswith(".py"):
        return _of_class(agent, _module_of_file(agent, Path(before)), after)
    if colon and all(part.isidentifier() for part in (*before.split("."), after)):
        return _of_class(agent, _module_of_name(agent, before), after)
    raise ValueError(_unknown(agent, of_game))


def searching_with(agent: str) -> str | None:
    """The names of the agents whose rollouts a search by name uses, joined by +, if it names any."""
    search, at, policy = agent.partition("@")
    return policy if at and search.partition(":")[0] in SEARCHES and ":" in search else None


def _playing(agent: str) -> list[str]:
    """The agents that play the rollouts if others than the usual are named, otherwise the given one."""
    found, left = [], [agent]
    while left:
        name = left.pop()
        policy = searching_with(name)
        found += [name] if policy is None else []
        left += [] if policy is None else _members(policy)
    return found


def renamed(agent: str, rename: Callable[[str], str]) -> str:
    """The name with the agents that play the rollouts renamed, or itself if there are none."""
    policy = searching_with(agent)
    if policy is None:
        return rename(agent)
    return agent.removesuffix(policy) + "+".join(renamed(member, rename) for member in _members(policy))


def _members(policy: str) -> list[str]:
    return [policy] if _own_folder(policy) is not None else policy.split("+")


def _population(game: Game, ruleset: Any = None) -> list[str]:
    """The population that comes with a game; networks know only the usual rules."""
    trained = game.agents.trained if ruleset in (None, game.ruleset.default()) else ()
    return [*game.agents.heuristics, *trained] or [RANDOM]


def _search(agent: str, ruleset: Any, game: Game) -> AnyAgent:
    own, policy = game.agents.rollout_policy, searching_with(agent)
    kind, _, numbers = agent.partition("@")[0].partition(":")
    first, slash, moves = numbers.partition("/")
    rollouts = whole_number(f"{printable(agent)}: rollouts", _number(first), 1, MOST_ROLLOUTS)
    members = [] if policy is None else _members(policy)
    if any(searching_with(member) is not None for member in members):
        raise ValueError(f"{printable(agent)}: rollouts by a search whose rollouts are another agent's take forever")
    if kind in (PRIOR, POSTERIOR) and policy is None:
        members = _population(game, ruleset)
    if len(members) > MOST_MEMBERS:
        raise ValueError(f"{printable(agent)}: expected at most {MOST_MEMBERS} agents, got {len(members)}")
    usual = agent_of(own, ruleset, game=game)
    playing = [agent_of(member, ruleset, game=game) for member in members]
    playing = [getattr(each, "in_rollouts", each) for each in playing]
    population = len(playing) > 1 or kind in (PRIOR, POSTERIOR)
    if (kind not in CUT_OFF and (population or slash)) or (slash and not playing):
        raise ValueError(
            f"{printable(agent)}: rollouts are cut off, and have a population, only in {', '.join(CUT_OFF)}, "
            f"as {MONTE_CARLO}:N/MOVES@AGENT+AGENT"
        )
    if not population and not slash:
        return SEARCHES[kind](game, rollouts, playing[0] if playing else usual)
    most = whole_number(f"{printable(agent)}: moves", _number(moves), 1, MOST_MOVES) if slash else MOVES
    cutoff = Cutoff(most, usual)
    if not population:
        return SEARCHES[kind](game, rollouts, playing[0], cutoff=cutoff)
    search: Any = SEARCHES[kind](game, rollouts, usual, cutoff=cutoff, population=playing)
    return Posterior(search, game.agents.watching) if kind == POSTERIOR else search


def _number(text: str) -> int | str:
    """The number that a text is, unless it is longer than any that is accepted."""
    return int(text) if text.isdecimal() and len(text) < 20 else text


def _loaded(folder: Path, game: Game) -> AnyAgent:
    # These need more packages than the others.
    from strand_env.agents.lookahead import LookaheadAgent
    from strand_env.agents.network import load_agent

    agent = load_agent(folder)
    if agent.game != game.id:
        raise ValueError(f"{printable(folder)}: it plays {agent.game}, not {game.id}")
    return LookaheadAgent(agent, agent.lookahead) if agent.lookahead else agent


def is_code(agent: str, game: str | Game = DEFAULT) -> bool:
    """Whether `agent_of` would run code from outside for this name. A trained agent in a folder is data."""
    return any(
        ":" in each and not is_bundled(each, game) and _own_folder(each, game) is None for each in _playing(agent)
    )


def refuse_code(agents: Iterable[str], where: str | os.PathLike[str], game: str | Game = DEFAULT) -> None:
    """For agents that a file names: raises `ValueError` if any of them is code."""
    for agent in agents:
        if is_code(agent, game):
            raise ValueError(
                f"{os.fspath(where)}: it names {shown(agent)}, an agent whose code would be run; if you trust whoever "
                "made this folder: --trust"
            )


def game_of_agents(agents: Iterable[str], game: str | None = None) -> Game:
    """The game that agents by name are to play: the given one, or the one that a trained agent among them knows."""
    if game is not None:
        return game_of(game)
    for agent in agents:
        for folder in map(_own_folder, _playing(agent)):
            if folder is not None:
                from strand_env.agents.network import load_agent

                return game_of(load_agent(folder).game)
    return game_of()


def origins_of(agent: str, game: str | Game = DEFAULT) -> list[Path]:
    """The files and folders that `agent_of` loads this agent from; none if it is made by code here, or in no file."""
    if not isinstance(agent, str):
        raise ValueError(f"agent: expected the name of one, got {shown(agent)}")
    playing = _playing(agent)
    if any(each.partition(":")[0] in (PRIOR, POSTERIOR) for each in playing):
        playing += _population(game_of(game))
    return [origin for each in sorted({*playing}) if (origin := origin_of(each, game)) is not None]


def origin_of(agent: str, game: str | Game = DEFAULT) -> Path | None:
    """The file or folder of an agent whose rollouts no other agent plays."""
    known = game_of(game).agents
    if agent in known.trained:
        return known.trained[agent]
    if is_bundled(agent, game):
        return None
    if (folder := _own_folder(agent, game)) is not None:
        return folder
    module = agent.rpartition(":")[0]
    if module.endswith(".py"):
        return Path(module)
    try:
        file = getattr(importlib.import_module(module), "__file__", None)
    except (ImportError, ValueError):
        raise ValueError(_unknown(agent, game_of(game))) from None
    return None if file is None else Path(file)


def is_bundled(agent: str, game: str | Game = DEFAULT) -> bool:
    """Whether strand_env itself has an agent of this name."""
    known = agent in agent_names(game) or agent.rpartition(":")[0] in {*SEARCHES, *OPENSPIEL}
    return known or searching_with(agent) is not None


def _own_folder(agent: str, game: str | Game = DEFAULT) -> Path | None:
    """The folder of a user's trained agent, if that is what the name is."""
    if not agent or is_bundled(agent, game):
        return None
    with suppress(OSError, ValueError):  # as of names that are too long for one, or have a null in them
        return Path(agent) if Path(agent).is_dir() else None
    return None


def _checked(agent: Any, name: str) -> AnyAgent:
    plays = False
    with suppress(Exception):  # whatever its attributes do
        plays = isinstance(agent, Searcher) or callable(getattr(agent, "act", None))
        plays = plays and callable(getattr(agent, "reset", None)) and not isinstance(agent, type)
    if not plays:
        hint = ""
        if callable(agent) and not isinstance(agent, type):
            may = "plays as PolicyAgent(function)" if is_policy(agent) else "has to take an observation and a mask"
            hint = f"; a function {may}"
        expected = "an agent (with methods reset and act) or the name of one"
        raise ValueError(f"expected {expected}, got {printable(name)}{hint}")
    return agent


def _unknown(name: str, game: Game) -> str:
    names = agent_names(game)
    known = [*sorted(names), *(f"{search}:N" for search in sorted({*SEARCHES, *OPENSPIEL}))]
    others = list(
        dict.fromkeys(game_of(other).title for other in game_ids() if other != game.id and name in agent_names(other))
    )
    if others:
        titles = " and ".join([*([", ".join(others[:-1])] if others[1:] else []), others[-1]])
        return f"{printable(name)} plays {titles}; the agents of {game.title} are: {', '.join(known)}"
    near = difflib.get_close_matches(name.partition(":")[0].lower(), [*names, *SEARCHES, *OPENSPIEL], n=1)
    hint = f"; did you mean {near[0] + ':256' * (near[0] not in names)!r}?" if near else ""
    return (
        f"no agent is called {shown(name)}; there are: {', '.join(known)}, your own as file.py:Class or module:Class, "
        f"and folders with trained ones{hint}"
    )


@contextmanager
def blaming(agent: str) -> Iterator[None]:
    """Reports any error in the code of a user's agent with the agent's name."""
    try:
        yield
    except (Exception, SystemExit) as error:
        raise ValueError(f"{printable(agent)}: {reason(error)}") from error


def _module_of_name(agent: str, name: str) -> ModuleType:
    if "" not in sys.path:
        sys.path.append("")  # modules of the current folder are found, but replace no installed ones
    with blaming(agent):
        return importlib.import_module(name)


def _module_of_file(agent: str, path: Path) -> ModuleType:
    if not path.is_file():
        raise ValueError(f"{printable(path)}: there is no such file")
    path = path.resolve()
    # Each file is a module of its own, even if others share its name, and a new one after each change.
    digest = hashlib.sha256(os.fsencode(path) + path.read_bytes()).hexdigest()
    name = f"strand_env_agent_{path.stem}_{digest[:12]}"
    if name in sys.modules:
        return sys.modules[name]
    if str(path.parent) not in sys.path:
        sys.path.append(str(path.parent))  # a file finds its neighbours, but no installed module is replaced by one
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # so that its objects can be pickled, and its dataclasses work
    try:
        with blaming(agent):
            spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


_folders: set[Path] = set()  # of the modules that agents came from


def _check_neighbours(agent: str, module: ModuleType) -> None:
    """Refuses an agent whose neighbours have the name of another agent's, or of a file of the current folder.

    There is one module of a name: it would play with the other's.
    """
    file = getattr(module, "__file__", None)
    if module.__package__ or file is None:
        return  # it imports others by the names of their packages, or has none next to it
    folder = Path(file).resolve().parent
    others = {*_folders, Path.cwd()} - {folder}
    for neighbour in folder.glob("*.py"):
        loaded = getattr(sys.modules.get(neighbour.stem), "__file__", None)
        if loaded and Path(loaded).resolve().parent in others:
            both = f"{printable(neighbour)} has the name of {printable(loaded)}"
            raise ValueError(f"{printable(agent)}: {both}, which is imported already; rename one")
    _folders.add(folder)


def _of_class(name: str, module: ModuleType, class_name: str) -> AnyAgent:
    kind = getattr(module, class_name, None)
    if not isinstance(kind, type):
        own = [
            key
            for key, value in vars(module).items()
            if isinstance(value, type) and value.__module__ == module.__name__
        ]
        classes = printable(", ".join(own) or "none")
        raise ValueError(f"{printable(name)}: no class {shown(class_name)} there; there are: {classes}")
    try:
        inspect.signature(kind).bind()
    except TypeError as error:
        raise ValueError(f"{printable(name)}: {printable(error)}; an agent is made without arguments") from None
    except ValueError:
        pass  # classes written in C need not reveal their signature
    _check_neighbours(name, module)
    with blaming(name):
        agent = kind()
    return _checked(agent, name)
