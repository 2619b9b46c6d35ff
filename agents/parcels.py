"""Agents by name on their way to other machines: users' own agents with the files that they are made of."""

import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir

from strand_env.agents.naming import is_bundled, origin_of, renamed
from strand_env.engine.checks import printable
from strand_env.engine.game import Game
from strand_env.support.reading import read_bytes

MOST_BYTES, MOST_FILES = 1 << 26, 10_000  # in the folder of an agent
MODULES = "modules"  # the folder of what is imported by name
PREFIX = "strand_env-"
ROOT = "\0"  # which is in no name


@dataclass(frozen=True)
class Parcel:
    """Agents with their files, by their places in a folder that whoever receives them makes."""

    names: tuple[str, ...]  # of the agents, with `ROOT` for that folder
    files: Mapping[str, bytes]


def pack(agents: Iterable[str], game: Game) -> Parcel:
    """Agents by name. A trained one takes its folder along; code the folder that its file is in."""
    places: dict[Path, str] = {}

    def place_of(folder: Path) -> str:
        return f"{ROOT}/{places.setdefault(folder.resolve(), str(len(places)))}"

    def packed(name: str) -> str:
        origin = None if is_bundled(name, game) else origin_of(name, game)
        if origin is None:
            return name
        if origin.is_dir():
            return place_of(origin)
        module, _, given = name.rpartition(":")
        if module.endswith(".py"):
            return f"{place_of(origin.parent)}/{origin.name}:{given}"
        if Path.cwd() in origin.resolve().parents and not _is_installed(origin):
            places[Path.cwd()] = MODULES
        return name

    names = tuple(renamed(agent, packed) for agent in agents)
    files = {f"{place}/{path}": content for folder, place in places.items() for path, content in _files_in(folder)}
    return Parcel(names, files)


def _is_installed(origin: Path) -> bool:
    return Path(sys.prefix).resolve() in origin.resolve().parents


def _files_in(folder: Path) -> Iterator[tuple[str, bytes]]:
    """All files in a folder and below, except hidden ones and what Python has compiled."""
    left, number = MOST_BYTES, 0
    for path, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if name[0] != "." and name != "__pycache__")
        for file in (Path(path, name) for name in sorted(files) if name[0] != "."):
            if not file.is_file():
                continue  # a pipe, or a link to nowhere
            number, left = number + 1, left - file.stat().st_size
            if number > MOST_FILES or left < 0:
                raise ValueError(
                    f"{printable(folder)}: everything in an agent's folder is sent with it, and here this is more than "
                    f"{MOST_BYTES >> 20} MB or {MOST_FILES:,} files; move the agent to a folder of its own"
                )
            yield file.relative_to(folder).as_posix(), read_bytes(file, MOST_BYTES)


_unpacked: list[TemporaryDirectory[str]] = []  # which are there for as long as the process is


def unpack(parcel: Parcel) -> tuple[str, ...]:
    """The names by which these agents can be made here."""
    root = Path()
    if parcel.files:
        _sweep()
        _unpacked.append(TemporaryDirectory(prefix=f"{PREFIX}{os.getpid()}-"))
        root = Path(_unpacked[-1].name)
    for path, content in parcel.files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(content)
    if parcel.files and (root / MODULES).is_dir():
        sys.path.append(str(root / MODULES))  # found, but in place of no installed ones
    return tuple(name.replace(ROOT, str(root)) for name in parcel.names)


def _sweep() -> None:
    """Removes the folders of processes that were killed, as those of a cluster often are."""
    for left in Path(gettempdir()).glob(f"{PREFIX}*-*"):
        number = left.name.removeprefix(PREFIX).partition("-")[0]
        try:
            if number.isdecimal():
                os.kill(int(number), 0)
        except ProcessLookupError:
            shutil.rmtree(left, ignore_errors=True)
        except (OSError, OverflowError):
            pass  # it is there, and somebody else's; or no process has such a number
