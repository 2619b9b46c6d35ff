"""Golden playthroughs: whole games in readable text, to see at a glance what a change of the engine changes.

`python tests/playthroughs.py` regenerates them.
"""

import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from subjects import SUBJECTS
from subjects.base import Configuration, Golden, Subject, described, row

FOLDER = Path(__file__).with_name("playthroughs")  # with one folder for each game


def playthrough(
    subject: Subject, configuration: Configuration, seed: int, ruleset: Any, choose: Callable[[Any], list[int]]
) -> Iterator[str]:
    """The lines of one game: everything on the table, who may do what, and what they do."""
    games = subject.game.batch(1, seed=[seed], ruleset=ruleset, **configuration)
    yield from described(configuration)
    yield f"seed {seed}"
    yield "ruleset " + ("default" if ruleset == subject.game.ruleset.default() else json.dumps(ruleset.to_dict()))
    step = 0
    while True:
        snapshot = games.snapshot(0)
        yield ""
        yield from subject.table(step, snapshot)
        if games.over[0]:
            winners = [player for player, won in enumerate(snapshot["winners"]) if won]
            yield f"  scores {row(snapshot['scores'])} | won by {row(winners)}"
            return
        for player in snapshot["to_act"]:
            legal = [action for action, allowed in enumerate(games.legal[0, player]) if allowed]
            yield f"  player {player} may " + " ".join(map(str, legal))
        actions = choose(games)
        for player, action in enumerate(actions):
            if player in snapshot["to_act"] or action != games.pass_action:
                yield f"  > {player}: {action} {subject.game.describe(action, ruleset)}"
        games.step([actions])
        step += 1


def replay(subject: Subject, lines: list[str]) -> Iterator[str]:
    """The lines that the engine writes today for the actions of a playthrough."""
    header = dict(line.split(" ", 1) for line in lines[: lines.index("")])
    seed, ruleset = int(header.pop("seed")), header.pop("ruleset")
    rules = subject.game.ruleset
    configuration = {"num_players": int(header.pop("players")), **header}
    steps: list[list[int]] = []
    for line in lines:
        if line.startswith("step "):
            steps.append([subject.game.batch.rules.pass_action] * configuration["num_players"])
        elif line.startswith("  > "):
            player, action = line.split()[1:3]
            steps[-1][int(player.rstrip(":"))] = int(action)
    recorded = iter(steps)
    played = rules.default() if ruleset == "default" else rules.from_dict(json.loads(ruleset))
    yield from playthrough(subject, configuration, seed, played, lambda games: next(recorded))


def written(subject: Subject, golden: Golden) -> Iterator[str]:
    """The lines of a playthrough that is yet to be played."""
    rng = random.Random(golden.seed)

    def choose(games: Any) -> list[int]:
        snapshot = games.snapshot(0)
        legal = [[action for action, allowed in enumerate(mask) if allowed] for mask in games.legal[0]]
        return [golden.policy(rng, options, snapshot) for options in legal]

    yield from playthrough(subject, golden.configuration, golden.seed, golden.ruleset, choose)


def write_all() -> None:
    for name, subject in SUBJECTS.items():
        (FOLDER / name).mkdir(parents=True, exist_ok=True)
        for golden in subject.goldens():
            path = FOLDER / name / f"{golden.name}.txt"
            path.write_text("\n".join(written(subject, golden)) + "\n", encoding="utf-8")
            print(f"wrote {path.relative_to(FOLDER.parent.parent)}")


if __name__ == "__main__":
    write_all()
