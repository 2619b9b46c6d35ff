"""Everything that strangers and accidents may do to strand_env: `make attack`, a few minutes.

Hostile files of all kinds and games, names that act on terminals, garbage for the page's server, kills and full disks,
wrong calls of the API. The table counts what was tried, what was refused clearly or was harmless, and anything else; if
there is anything else, the command fails.
"""

import argparse
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import attack_faults
import fuzz_server
import hostile_files
import hostile_names
from fuzz_api import Hangs, fuzz, known_games, time_limit
from hostile_files import Case
from rich.box import SIMPLE
from rich.table import Table

from strand_env.engine.checks import reason
from strand_env.registry import game_names
from strand_env.support.printing import add_row, console, line

SLOWEST = 2.0  # seconds of the processor's time that a refusal may take
WIDTH = 140  # of the table in a file
LONGEST = 120  # seconds that anything may take
FAULTS = ("tracebacks", "hangs", "executed", "accepted wrongly", "escapes", "slow")


@dataclass
class Row:
    tried: int = 0
    refused: int = 0
    harmless: int = 0  # accepted, and nothing is wrong with that; or a kill that lost nothing
    faults: Counter[str] = field(default_factory=Counter)


@dataclass
class Attack:
    """All that was tried so far, by kind, and how long the rest will take."""

    planned: dict[str, float]  # seconds of each part, as measured on two cores
    rows: dict[str, Row] = field(default_factory=dict)
    examples: list[tuple[str, str, str]] = field(default_factory=list)
    _part: str = ""
    _began: float = 0.0

    def begin(self, part: str) -> None:
        self._part, self._began = part, time.monotonic()

    def row(self, kind: str) -> Row:
        return self.rows.setdefault(kind, Row())

    def add(self, kind: str, fault: str | None, example: str = "", harmless: bool = False) -> None:
        row = self.row(kind)
        row.tried += 1
        if fault is None:
            row.refused += not harmless
            row.harmless += harmless
        else:
            row.faults[fault] += 1
            self.examples.append((kind, fault, example))
        self.tell()

    def tell(self) -> None:
        """One line on a terminal that is written again and again."""
        if sys.stderr.isatty():
            parts = list(self.planned)
            later = sum(self.planned[part] for part in parts[parts.index(self._part) + 1 :])
            left = max(self.planned[self._part] - (time.monotonic() - self._began), 0) + later
            tried = sum(row.tried for row in self.rows.values())
            told = f"{parts.index(self._part) + 1} of {len(parts)}, {self._part}: {tried:,} tried in all"
            print(f"\r{told}, about {left:.0f} s left      ", end="", file=sys.stderr, flush=True)


def try_case(attack: Attack, case: Case) -> None:
    """A file, a name, a kill: `ValueError` and `OSError` refuse it, returning accepts it."""
    began = time.process_time()
    fault, example, accepted = None, "", False
    try:
        with time_limit(LONGEST):
            case.run()
        accepted = True
        if not case.harmless:
            fault = "accepted wrongly"
    except (ValueError, OSError) as refusal:
        if not str(refusal).isprintable():
            fault, example = "escapes", str(refusal)
    except Hangs:
        fault = "hangs"
    except AssertionError as error:
        told = str(error)
        known = {"executed": "executed", "escapes": "escapes", "forged": "escapes", "letters": "escapes"}
        fault = next((fault for words, fault in known.items() if words in told), "accepted wrongly")
        example = told
    except BaseException as error:
        fault, example = "tracebacks", reason(error)
    if fault is None and not accepted and time.process_time() - began > SLOWEST:
        fault = "slow"
    attack.add(case.kind, fault, f"{case.name}: {example}", accepted)


def of_cases(make: Callable[[Path], Iterator[Case]]) -> Callable[[Attack, Path], None]:
    def run(attack: Attack, folder: Path) -> None:
        for case in make(folder):
            try_case(attack, case)

    return run


def on_the_server(attack: Attack, folder: Path) -> None:
    for game in game_names():
        outcomes = fuzz_server.attack(game, REQUESTS, CLIENTS, SEED, folder, lambda number: attack.tell())
        for what, outcome in zip(("requests to the page", "half-sent requests, held"), outcomes, strict=True):
            kind = f"{what}, {game}"
            row = attack.row(kind)
            row.tried, row.refused, row.harmless = outcome.tried, outcome.refused, outcome.harmless
            for fault, example in outcome.faults:
                row.faults[fault] += 1
                attack.examples.append((kind, fault, example))


def on_the_api(attack: Attack, folder: Path) -> None:
    games = known_games()
    for game in games:
        report = fuzz(game, API_SECONDS / len(games), SEED, lambda share: attack.tell())
        row = attack.row(f"wrong calls of the API, {game.name}")
        row.tried, row.refused = report.tried, report.refused
        for (target, argument, kind), example in report.problems.items():
            fault = {"hangs": "hangs", "slow": "slow", "not one printable line": "escapes"}.get(kind, "tracebacks")
            fault = "accepted wrongly" if kind in ("accepted wrongly", "changed") else fault
            row.faults[fault] += 1
            attack.examples.append((f"{target}, {argument}", kind, example))


REQUESTS, CLIENTS, API_SECONDS = 5000, 8, 60.0
KILLS, FULL_DISKS = 3, 2  # of training and of the arena each, in each game
SEED = 0
PARTS: dict[str, tuple[float, Callable[[Attack, Path], None]]] = {
    "files": (90, of_cases(hostile_files.cases)),
    "names": (20, of_cases(hostile_names.cases)),
    "server": (80, on_the_server),
    "faults": (180, of_cases(lambda folder: attack_faults.cases(folder, KILLS, FULL_DISKS, game_names(), SEED))),
    "api": (API_SECONDS, on_the_api),
}


def show(attack: Attack) -> bool:
    """Prints the table; whether all is well."""
    table = Table(box=SIMPLE, title="Attacks and faults", title_justify="left")
    for name in ("kind", "tried", "refused clearly", "harmless, or survived", *FAULTS):
        table.add_column(name, justify="left" if name == "kind" else "right", overflow="fold")
    total = Row()
    for row in attack.rows.values():
        total.tried, total.refused = total.tried + row.tried, total.refused + row.refused
        total.harmless, total.faults = total.harmless + row.harmless, total.faults + row.faults
    for kind, row in [*attack.rows.items(), ("all", total)]:
        numbers = row.tried, row.refused, row.harmless, *(row.faults[fault] for fault in FAULTS)
        add_row(table, (kind, *(f"{number:,}" for number in numbers)))
    out = console()
    if not out.is_terminal:
        out.width = WIDTH
    out.print(table)
    for kind, fault, example in attack.examples[:50]:
        print(line(f"{fault}: {kind}: {example}"))
    return not total.faults.total()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=PARTS, help="one part")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    options = parser.parse_args()
    global SEED
    SEED = options.seed
    print(f"seed {SEED}")
    chosen = {name: part for name, part in PARTS.items() if options.only in (None, name)}
    attack = Attack({name: seconds for name, (seconds, _) in chosen.items()})
    began = time.monotonic()
    for name, (_, run) in chosen.items():
        attack.begin(name)
        with tempfile.TemporaryDirectory() as folder:
            run(attack, Path(folder))
        print(f"\r{name}: {time.monotonic() - attack._began:.0f} s" + " " * 60, file=sys.stderr)
    well = show(attack)
    print(f"{time.monotonic() - began:.0f} s in all")
    sys.exit(not well)


if __name__ == "__main__":
    main()
