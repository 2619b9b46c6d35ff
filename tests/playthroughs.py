"""Golden playthroughs: whole games in readable text, to see at a glance what a change of the engine changes.

`python tests/playthroughs.py` writes them anew.
"""

import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from compare import Policy, anything, builder, collider, hoarder, random_ruleset

from strand_env.strand_unter import PASS, Games, Ruleset, describe

FOLDER = Path(__file__).with_name("playthroughs")


def playthrough(players: int, seed: int, ruleset: Ruleset, choose: Callable[[Games], list[int]]) -> Iterator[str]:
    """The lines of one game: everything on the table, who may do what, and what they do."""
    games = Games(1, players, [seed], ruleset)
    yield f"players {players}"
    yield f"seed {seed}"
    yield "ruleset " + ("default" if ruleset == Ruleset.default() else json.dumps(ruleset.to_dict()))
    step = 0
    while True:
        snapshot = games.snapshot(0)
        yield ""
        yield from table(step, snapshot)
        if games.over[0]:
            return
        for player in snapshot["to_act"]:
            legal = [action for action, allowed in enumerate(games.legal[0, player]) if allowed]
            yield f"  player {player} may " + " ".join(map(str, legal))
        actions = choose(games)
        for player, action in enumerate(actions):
            if player in snapshot["to_act"] or action != PASS:
                yield f"  > {player}: {action} {describe(action, ruleset)}"
        games.step([actions])
        step += 1


def table(step: int, snapshot: dict[str, Any]) -> Iterator[str]:
    yield "step {} | round {round} groove {groove} sea {sea} | {phase}".format(step, **snapshot)
    covered = [f"{groove}: {row(shells)}" for groove, shells in enumerate(snapshot["covered"], 1) if any(shells)]
    yield f"  shells {row(snapshot['shells'])} | bag {row(snapshot['bag'])} | stream {snapshot['stream']}"
    if covered:
        yield "  covered " + ", ".join(covered)
    for player in range(snapshot["players"]):
        cards = " ".join("".join(map(str, card)) for card in snapshot["cards"][player])
        yield "  player {}: bucket {} | cards {} | castles {} | dial {} | spell {}{}".format(
            player,
            row(snapshot["buckets"][player]),
            cards,
            row(snapshot["castles"][player]),
            *("-" if dial is None else dial for dial in (snapshot["dials"][player], snapshot["spell_dials"][player])),
            " | trove owed" if snapshot["owed"][player] else "",
        )
    if snapshot["scores"] is not None:
        winners = [player for player, won in enumerate(snapshot["winners"]) if won]
        yield f"  scores {row(snapshot['scores'])} | won by {row(winners)}"


def row(values: list[Any]) -> str:
    return " ".join(map(str, values))


def replay(lines: list[str]) -> Iterator[str]:
    """The lines that the engine writes today for the actions of a playthrough."""
    header = dict(line.split(" ", 1) for line in lines[:3])
    ruleset = Ruleset.default() if header["ruleset"] == "default" else Ruleset.from_dict(json.loads(header["ruleset"]))
    players = int(header["players"])
    steps: list[list[int]] = []
    for line in lines:
        if line.startswith("step "):
            steps.append([PASS] * players)
        elif line.startswith("  > "):
            player, action = line.split()[1:3]
            steps[-1][int(player.rstrip(":"))] = int(action)
    recorded = iter(steps)
    yield from playthrough(players, int(header["seed"]), ruleset, lambda games: next(recorded))


def chooser(policy: Policy, seed: int) -> Callable[[Games], list[int]]:
    rng = random.Random(seed)
    return lambda games: [policy(rng, [a for a, allowed in enumerate(mask) if allowed]) for mask in games.legal[0]]


def write_all() -> None:
    FOLDER.mkdir(exist_ok=True)
    for policy in (anything, builder, hoarder, collider):
        for players in (2, 3, 4):
            seed = 100 * players + len(policy.__name__)
            write(f"{players}_players_{policy.__name__}", players, seed, Ruleset.default(), policy)
    for players in (2, 4):
        write(f"{players}_players_other_rules", players, players, random_ruleset(random.Random(players)), anything)


def write(name: str, players: int, seed: int, ruleset: Ruleset, policy: Policy) -> None:
    path = FOLDER / f"{name}.txt"
    path.write_text("\n".join(playthrough(players, seed, ruleset, chooser(policy, seed))) + "\n", encoding="utf-8")
    print(f"wrote {path.relative_to(FOLDER.parent.parent)}")


if __name__ == "__main__":
    write_all()
