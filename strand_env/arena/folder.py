"""The files of a run: its description, the pieces finished so far, and replays.

Files are written atomically, so that a run can be interrupted at any moment.
"""

import errno
import hashlib
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from strand_env import __version__, agents
from strand_env.arena.parts import as_bytes, read_part
from strand_env.arena.plan import Plan
from strand_env.arena.play import Played
from strand_env.engine.checks import printable, shown
from strand_env.support.files import sweep, write_whole
from strand_env.support.reading import read_bytes, read_json

if TYPE_CHECKING:
    from strand_env.replays.replay import Replay

RUN = "run.json"
LARGEST_ORIGIN = 1 << 29  # bytes of a file that an agent is made of


class Folder:
    """The folder of a new run, or with `resume` of one to continue, if it is the same run."""

    def __init__(self, path: str | os.PathLike[str], plan: Plan, resume: bool) -> None:
        self.path = Path(path)
        self._plan = plan
        self.path.mkdir(parents=True, exist_ok=True)
        if not os.access(self.path, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
        described = describe(plan)
        run = self.path / RUN
        if os.path.lexists(run):
            if not resume:
                raise ValueError(
                    f"{printable(path)}: there is a run already; continue it by --resume, or choose another folder"
                )
            _check_same(run, described)
            sweep(self.path, self.path / "parts", self.path / "replays")
        else:
            write_whole(run, as_json(described))

    def parts(self) -> list[Played]:
        """The finished pieces; each deal once, even if two runs wrote to the folder at the same time."""
        found: list[Played] = []
        for file in sorted((self.path / "parts").glob("*.npz")):
            try:
                part = read_part(file, self._plan)
            except ValueError as error:
                raise ValueError(f"{error}; delete this file to play its deals again") from None
            if not found or part.first >= found[-1].first + found[-1].deals:
                found.append(part)
        return found

    def keep(self, part: Played, replays: Sequence["Replay"]) -> None:
        for number, replay in enumerate(replays, part.first * self._plan.games_per_deal):
            replay.save(self.path / replay_name(self._plan, number))
        last = part.first + part.deals - 1
        write_whole(self.path / "parts" / f"deals-{part.first:08}-{last:08}.npz", as_bytes(part))


def game_of_run(path: str | os.PathLike[str]) -> str | None:
    """The game of the run in a folder; None if there is no run."""
    run = Path(path, RUN)
    return _read(run)["game"] if os.path.lexists(run) else None


def replay_name(plan: Plan, number: int) -> str:
    """The file with the replay of a game, by the game's number."""
    deal, lineup = divmod(number, plan.games_per_deal)
    return f"replays/deal-{deal}-line-up-{lineup}.json"


def describe(plan: Plan) -> dict[str, Any]:
    """Everything the results depend on, as plain data."""
    named = [agent for agent in plan.agents if isinstance(agent, str)]
    return {
        "format": "strand_env arena",
        "strand_env": __version__,
        "strand_env.agents": _digest(Path(agents.__file__).parent),
        "game": plan.game.id,
        "agents": list(plan.given_names[:-1] if plan.against_last else plan.given_names),
        "versus": plan.given_names[-1] if plan.against_last else None,
        "players": plan.players,
        **({"variant": plan.variant} if plan.game.variants else {}),
        "deals": plan.deals,
        "seed": plan.seed,
        "record": plan.record,
        "files": {agent: _digest(*origins) for agent in named if (origins := agents.origins_of(agent, plan.game))},
    }


def _digest(origin: Path, *more: Path) -> str:
    """Digest of a file, or of all code and weights in a folder except trained agents in subfolders; or of several."""
    if more:
        return hashlib.sha256("".join(_digest(each) for each in (origin, *more)).encode()).hexdigest()
    kinds = "*.py", "*.json", "*.safetensors"
    files = [origin] if origin.is_file() else sorted(file for kind in kinds for file in origin.rglob(kind))
    trained = {file.parent for file in files if file.suffix == ".safetensors"} - {origin}
    files = [file for file in files if file.parent not in trained]
    contents = (read_bytes(file, LARGEST_ORIGIN) for file in files)
    return hashlib.sha256(b"".join(hashlib.sha256(content).digest() for content in contents)).hexdigest()


def _check_same(run: Path, wanted: dict[str, Any]) -> None:
    there = _read(run)
    both = {key: (there.get(key, "nothing"), wanted.get(key, "nothing")) for key in {**wanted, **there}}
    # As JSON, in which 1, 1.0 and true are different.
    differing = {key: values for key, values in both.items() if as_json(values[0]) != as_json(values[1])}
    if differing:
        told = "; ".join(
            f"{shown(key)[1:-1]}: {shown(old)} there, {shown(new)} here" for key, (old, new) in differing.items()
        )
        raise ValueError(f"{printable(run.parent)}: holds another run, which this one cannot resume: {told:.1000}")


def _read(run: Path) -> dict[str, Any]:
    described = read_json(run)
    if not isinstance(described, dict) or not isinstance(described.get("game"), str):
        raise ValueError(f"{printable(run)}: expected the description of a run, got {shown(described)}")
    return described


def as_json(data: Any) -> bytes:
    return (json.dumps(data, indent=1, allow_nan=False) + "\n").encode()
