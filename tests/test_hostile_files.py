"""Files of strangers, and of disks that failed: refused in a sentence or harmless; nothing is lost, nothing is run."""

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import attack_faults
import pytest
from hostile_files import KINDS, cases

SECONDS = 2.0  # of the processor's time
EVERY = 9  # damages of further games that are left to `make attack`, but for one; replays hold the rules of their game


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("hostile")


@contextmanager
def in_time(seconds: int) -> Iterator[None]:
    """Raises an error in what hangs."""

    def stop(*_: Any) -> None:
        raise RuntimeError("it hangs")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_hostile_files_are_refused_or_harmless(kind: str, folder: Path) -> None:
    tried, faults = 0, []
    for case in cases(folder, kind, 1 if kind == "replays" else EVERY):
        tried += 1
        began = time.process_time()
        try:
            with in_time(60):
                case.run()
            if not case.harmless:
                faults.append((case.kind, case.name, "accepted"))
        except (ValueError, OSError):
            pass
        except BaseException as error:
            faults.append((case.kind, case.name, repr(error)))
        if time.process_time() - began > SECONDS:
            faults.append((case.kind, case.name, "took too long"))
    assert faults == []
    assert tried >= 40


@pytest.mark.heavy
def test_full_disks_lose_nothing(tmp_path: Path) -> None:
    """Some of what `make attack` tries. Kills are tested where training and the arena are."""
    for case in attack_faults.cases(tmp_path, kills=0, faults=2):
        case.run()
