"""The same seed is the same game: in another process, without compilation. (In years to come: the playthroughs.)"""

import os
import subprocess
import sys

import pytest

PLAY = """
import hashlib
from strand_env.strand_unter import Games, IllegalAction, Ruleset

heavy = Ruleset(shells=(77, 1, 1, 1), cards=[[[20 * value + 1, 0, 0, 0]] * 8 for value in range(4)])
for players, ruleset in ((2, None), (3, None), (4, None), (4, heavy)):
    games = Games(2, players, 6, ruleset)
    try:
        games.step([[300] * players] * games.num_games)
    except IllegalAction as error:
        print(error)
    digest, number = hashlib.sha256(), 0
    while not games.over.all():
        games.step(games.random_actions(number))
        games.redeal(number) if number % 10 == 5 else None
        digest.update(games.observe()[:4].tobytes() + games.legal[:4].tobytes() + str(games.snapshot(0)).encode())
        number += 1
    games.reset()
    games = Games.from_snapshots([games.snapshot(1)])
    print(players, number, digest.hexdigest(), games.snapshot(0)["stream"])
"""


PLAY_MAUI = """
import hashlib
from strand_env.maui import VARIANTS, Games

for variant in VARIANTS:
    for players in (2, 4):
        games = Games(3, players, 6, variant=variant)
        digest, number = hashlib.sha256(), 0
        while not games.over.all():
            games.step(games.random_actions(number))
            games.redeal(number) if number % 10 == 5 else None
            digest.update(games.observe().tobytes() + games.legal.tobytes() + str(games.snapshot(0)).encode())
            number += 1
            if number % 20 == 0:
                games = Games.from_snapshots([games.snapshot(index) for index in range(3)])
        print(variant, players, number, digest.hexdigest(), games.scores.tolist())
"""


def output_of(code: str, **environment: str) -> str:
    command = [sys.executable, "-W", "error", "-c", code]
    return subprocess.run(command, env=os.environ | environment, check=True, capture_output=True, text=True).stdout


@pytest.mark.slow
@pytest.mark.parametrize(("play", "lines"), [(PLAY, 8), (PLAY_MAUI, 6)], ids=["strand_unter", "maui"])
def test_the_same_in_other_processes_and_without_compilation(play: str, lines: int) -> None:
    compiled = output_of(play)
    assert len(compiled.splitlines()) == lines
    assert output_of(play, PYTHONHASHSEED="1", NUMBA_NUM_THREADS="1") == compiled
    assert output_of(play, NUMBA_DISABLE_JIT="1") == compiled
