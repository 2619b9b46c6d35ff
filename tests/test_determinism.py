"""The same seed is the same game: in another process, without compilation. (In years to come: the playthroughs.)"""

import os
import subprocess
import sys

PLAY = """
import hashlib
from strand_env.strand_unter import Games

for players in (2, 3, 4):
    games = Games(2, players, seed=6)
    digest, number = hashlib.sha256(), 0
    while not games.over.all():
        games.step(games.random_actions(number))
        games.redeal(number) if number % 10 == 5 else None
        digest.update(games.observe().tobytes() + games.legal.tobytes() + str(games.snapshot(0)).encode())
        number += 1
    games.reset()
    games = Games.from_snapshots([games.snapshot(1)])
    print(players, number, digest.hexdigest(), games.snapshot(0)["stream"])
"""


def output_of(code: str, **environment: str) -> str:
    command = [sys.executable, "-W", "error", "-c", code]
    return subprocess.run(command, env=os.environ | environment, check=True, capture_output=True, text=True).stdout


def test_the_same_in_other_processes_and_without_compilation() -> None:
    compiled = output_of(PLAY)
    assert len(compiled.splitlines()) == 3
    assert output_of(PLAY, PYTHONHASHSEED="1", NUMBA_NUM_THREADS="1") == compiled
    assert output_of(PLAY, NUMBA_DISABLE_JIT="1") == compiled
