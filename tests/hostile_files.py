"""Hostile files of all kinds and games: each a copy of a good file, or folder, with something wrong in it.

`cases(folder)` makes good ones in that folder and yields what to try: `run` raises `ValueError` or `OSError` if the
file is refused clearly and everything is as it was before, and returns if it is accepted, which only those that are
`harmless` may be. Anything else is a fault.
"""

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import hostile_archives
from arena_agents import Failing
from fuzz import checked as progress
from hostile_damages import WRONG, Damage, Damages, as_json, of_any_file, of_json
from toy_game import STONES

from strand_env import registry
from strand_env.agents import agent_of
from strand_env.agents.network import FIELDS, FOR_READERS
from strand_env.agents.weights import read_weights
from strand_env.arena import exploit, run_arena, strangers
from strand_env.engine.game import Game
from strand_env.replays.replay import Replay
from strand_env.train.config import Config
from strand_env.train.learner import export_saved
from strand_env.train.run import Run, begin

LONGEST = 1500  # characters of a refusal

TINY: dict[str, Any] = {
    "imitate": 0,
    "total_timesteps": 128,
    "n_envs": 8,
    "n_steps": 8,
    "batch_size": 32,
    "n_epochs": 2,
    "hidden": "8",
    "pool": 2,
    "pool_every": 64,
    "evaluate_every": 10**6,
    "deals": 2,
    "final_deals": 2,
    "opponents": "self=1,past=1,random=1",
    "checkpoint_seconds": 0.0,
    "reference": "random",
    "reward": "win",
    "shaping": 0.0,
}


@dataclass(frozen=True)
class Case:
    kind: str
    name: str
    run: Callable[[], None]
    harmless: bool = False  # it may be accepted


@dataclass(frozen=True)
class Kind:
    """Something that is read: a folder of good files, the one of them to damage, and how all of it is handed over."""

    name: str
    good: Path
    file: str
    hand_over: Callable[[Path], object]
    damages: Callable[["Kind"], Damages]

    @property
    def content(self) -> bytes:
        return (self.good / self.file).read_bytes()


def cases(folder: Path, only: str = "", every: int = 1) -> Iterator[Case]:
    """All of them, or those of one kind; of the further games perhaps only one of `every` so many damages.

    While they are tried, the toy game is one of the registered games.
    """
    registry._others[STONES.id] = STONES
    try:
        for name, make in KINDS.items():
            if only in ("", name):
                for number, game in enumerate(map(registry.game_of, registry.game_ids())):
                    kind = make(folder / "good", game)
                    chosen = slice(number % every, None, every) if number else slice(None)
                    if kind is not None:
                        yield from _cases_of(kind, folder, chosen)
    finally:
        del registry._others[STONES.id]


def _cases_of(kind: Kind, folder: Path, chosen: slice) -> Iterator[Case]:
    yield Case(kind.name, "nothing is wrong", partial(_accept, kind, folder / "tried" / "it"), True)
    places = {"a name with escapes": "\x1b[31mred\nstrand: all is well\x07" + "x" * 150}
    for name, damage, harmless in [*kind.damages(kind)][chosen]:
        place = folder / "tried" / places.get(name, "it")
        yield Case(kind.name, name, partial(_try, kind, damage, place, folder / "executed"), harmless)


def _try(kind: Kind, damage: Damage, place: Path, executed: Path) -> None:
    shutil.copytree(kind.good, place)
    os.environ["STRAND_TEST_EXECUTED"] = str(executed)
    try:
        damage(place / kind.file)
        before = _contents(place)
        try:
            kind.hand_over(place)
        except (ValueError, OSError) as refusal:
            _check(refusal, _contents(place) == before)
            raise
        finally:
            if executed.exists():
                raise AssertionError("code was executed")
    finally:
        executed.unlink(missing_ok=True)
        shutil.rmtree(place)


def _accept(kind: Kind, place: Path) -> None:
    """If good files were refused, refusing the others would show nothing."""
    shutil.copytree(kind.good, place)
    try:
        kind.hand_over(place)
    except (ValueError, OSError) as refusal:
        raise AssertionError(f"good files are refused: {refusal}") from None
    finally:
        shutil.rmtree(place)


def _check(refusal: Exception, unchanged: bool) -> None:
    if not unchanged:
        raise AssertionError(f"refused, but files were changed: {refusal}")
    if len(str(refusal)) > LONGEST:
        raise AssertionError(f"a refusal of {len(str(refusal))} letters: {str(refusal)[:200]}")


def _contents(place: Path) -> dict[str, bytes]:
    """All that is in a folder; of what is no regular file, or large, only what it is."""
    found = {}
    for path in place.rglob("*"):
        status = path.lstat()
        plain = path.is_file() and not path.is_symlink() and status.st_size < 10**7
        told = f"{status.st_mode} {status.st_size}".encode()
        found[str(path.relative_to(place))] = hashlib.sha256(path.read_bytes()).digest() if plain else told
    return found


# Kinds


def _made(folder: Path, make: Callable[[Path], object]) -> Path:
    """A folder of good files, made once."""
    if not folder.exists():
        unfinished = folder.with_name("unfinished")
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(parents=True)
        make(unfinished)
        unfinished.rename(folder)
    return folder


def _train(game: Game, folder: Path) -> None:
    begin(folder, Config(**TINY, game=game.name, players=str(game.player_counts[0])))
    Run(folder).learn()
    shutil.rmtree(folder / "log")
    (folder / "learning_curve.png").unlink()


def _run(folder: Path, game: Game) -> Path:
    return _made(folder / f"run-{game.name}", partial(_train, game))


def replays(folder: Path, game: Game) -> Kind:
    def play(folder: Path) -> None:
        run_arena(["random", "random"], 1, game.player_counts[0], game=game, out=folder / "arena", record=1)
        shutil.copy(next(folder.glob("arena/replays/*.json")), folder / "replay.json")
        shutil.rmtree(folder / "arena")

    good = _made(folder / f"replay-{game.name}", play)
    name = f"replay ({game.name})"
    return Kind(name, good, "replay.json", lambda place: Replay.load(place / "replay.json").check(), _of_replays)


def _of_replays(kind: Kind) -> Damages:
    for name, damage, harmless in of_json(kind.content):
        yield name, damage, harmless or name == "strand_env: a text"  # whose version it was
    data = json.loads(kind.content)
    rows = data["actions"]
    for name, actions in {
        "an illegal action": [[-1 for _ in rows[0]], *rows[1:]],
        "an action of 2**63": [[2**63 for _ in rows[0]], *rows[1:]],
        "an action too few": [rows[0][:-1], *rows[1:]],
        "actions that are true": [[True for _ in rows[0]], *rows[1:]],
        "a step more": [*rows, rows[-1]],
        "a step less": rows[:-1],
        "no steps": [],
        "a million steps": rows[:1] * 100_000,
    }.items():
        yield name, as_json({**data, "actions": actions}), False
    for field in data["ruleset"]:
        for name in ("null", "-1", "1e300", "a text", "an empty list"):
            yield (
                f"ruleset {field}: {name}",
                as_json({**data, "ruleset": {**data["ruleset"], field: WRONG[name]}}),
                False,
            )


def agents(folder: Path, game: Game) -> Kind:
    good = _run(folder, game) / "agent"
    return Kind(f"agent ({game.name})", good, "agent.json", lambda place: agent_of(str(place), game=game), _of_agents)


def _of_agents(kind: Kind) -> Damages:
    for name, damage, harmless in of_json(kind.content, free=("evaluation",)):
        field, _, how = name.partition(": ")
        accepted = field in FOR_READERS and how == "missing"
        yield name, damage, harmless or accepted or name in ("strand_env: a text", "training: an object")
    data = json.loads(kind.content)
    assert set(data) == {*FIELDS, *FOR_READERS}
    for name, changes in {
        "format 1.0": {"format": 1.0},
        "format 2": {"format": 2},
        "players of 1.0": {"players": [float(data["players"][0])]},
        "another game": {"game": "chess_v0"},
        "15 layers more": {"layers": [data["layers"][0], *[8] * 15, data["layers"][-1]]},
        "a layer of 10**9": {"layers": [data["layers"][0], 10**9, data["layers"][-1]]},
        "layers of gigabytes": {"layers": [data["layers"][0], *[8192] * 9, data["layers"][-1]]},
        "another encoding": {"encoding": "needs 99"},
        "another activation": {"activation": "eval"},
        "colder than cold": {"temperature": 1e-30},
        "another digest": {"sha256": "0" * 64},
        "its former name, too": {"sight": data["encoding"]},
    }.items():
        yield name, as_json({**data, **changes}), False


def weights_of_agents(folder: Path, game: Game) -> Kind:
    good = _run(folder, game) / "agent"
    name = f"weights ({game.name})"
    return Kind(name, good, "agent.safetensors", lambda place: agent_of(str(place), game=game), _of_weights)


def _of_weights(kind: Kind) -> Damages:
    yield from of_any_file(kind.content)
    yield from hostile_archives.of_weights(kind.content)


def configurations(folder: Path, game: Game) -> Kind:
    return Kind(f"config.json ({game.name})", _run(folder, game), "config.json", Run, _of_configurations)


EVIL = """import os, pathlib
pathlib.Path(os.environ["STRAND_TEST_EXECUTED"]).touch()
from strand_env.agents import RandomAgent as Evil
"""


def _naming_code(data: dict[str, Any], field: str, name: str) -> Damage:
    def damage(path: Path) -> None:
        path.with_name("strand_test_evil.py").write_text(EVIL)
        agent = name.format(path.parent)
        path.write_text(json.dumps({**data, field: agent if field == "reference" else f"random=1,{agent}=1"}))

    return damage


def _of_configurations(kind: Kind) -> Damages:
    wrong = {name: value for name, value in WRONG.items() if name != "an object"}
    for name, damage, harmless in of_json(kind.content, wrong, flips=3):
        yield name, damage, harmless or name.endswith(": missing")  # it has its default
    data = json.loads(kind.content)
    for name, changes in {
        "100,000 hidden layers": {"hidden": ",".join(["1"] * 100_000)},
        "15 hidden layers": {"hidden": ",".join(["8"] * 15)},
        "hidden layers of gigabytes": {"hidden": ",".join(["8192"] * 14)},
        "a layer of 5,000 digits": {"hidden": "9" * 5000},
        "rollouts of terabytes": {"n_envs": 100_000, "n_steps": 100_000},
        "10**19 frames": {"total_timesteps": 10**19},
        "a field by both its names": {"frames": 128},
        "another game": {"game": "chess"},
        "99 players": {"players": "99"},
        "opponents without end": {"opponents": ",".join(f"random{number}=1" for number in range(10_000))},
        "opponents of 1e308": {"opponents": "random=1e308,self=1e308"},
        "opponents of NaN": {"opponents": "random=nan"},
    }.items():
        yield name, as_json({**data, **changes}), False
    for field in ("opponents", "reference"):
        for agent in (
            "{}/strand_test_evil.py:Evil",
            "strand_test_evil:Evil",
            "tests.arena_agents:Plain",
            "os:_Environ",
            "mc:1@{}/strand_test_evil.py:Evil",
            "posterior:1@random+strand_test_evil:Evil",
        ):
            yield f"{field} are code: {agent}", _naming_code(data, field, agent), False


def checkpoints(folder: Path, game: Game) -> Kind:
    good = _run(folder, game)
    return Kind(f"checkpoint ({game.name})", good, "checkpoint.safetensors", Run, _of_checkpoints)


def _of_checkpoints(kind: Kind) -> Damages:
    yield from of_any_file(kind.content)
    yield from hostile_archives.of_checkpoints(kind.content, WRONG)


def _arena(game: Game, folder: Path, resume: bool = True) -> None:
    run_arena(["random", Failing()], 6, game.player_counts[0], game=game, out=folder, resume=resume)


def arena_runs(folder: Path, game: Game) -> Kind:
    good = _made(folder / f"arena-{game.name}", partial(_arena, game, resume=False))
    return Kind(f"run.json ({game.name})", good, "run.json", partial(_arena, game), lambda kind: of_json(kind.content))


def arena_parts(folder: Path, game: Game) -> Kind:
    good = _made(folder / f"arena-{game.name}", partial(_arena, game, resume=False))
    part = max(good.glob("parts/*.npz")).relative_to(good)
    return Kind(f"arena part ({game.name})", good, str(part), partial(_arena, game), _of_parts)


def _of_parts(kind: Kind) -> Damages:
    yield from of_any_file(kind.content, flips=20, tolerant=True)
    yield from hostile_archives.of_parts(kind.content)


def exploitations(folder: Path, game: Game) -> Kind:
    """Their folder is the arena's, with agents that the command makes of the one it is about."""

    def measure(folder: Path, resume: bool = True) -> None:
        exploit("random", 2, game.player_counts[0], rollouts=[1], game=game, out=folder, resume=resume)

    good = _made(folder / f"exploit-{game.name}", partial(measure, resume=False))
    return Kind(f"run.json of exploit ({game.name})", good, "run.json", measure, lambda kind: of_json(kind.content))


def judgements(folder: Path, game: Game) -> Kind | None:
    """What `strand strangers --out` keeps."""
    if game.training.tuning is None:
        return None  # its heuristics cannot be perturbed
    setting = {"game": game.id, "players": 2, "deals": 2, "seed": 0, "drawn": 0}
    wins = {"random against echo": [0.5, 0.25, 0.75], "random against moody": [0.0, 0.0, 0.5]}
    told = json.dumps({**setting, "wins": wins})
    good = _made(folder / f"strangers-{game.name}", lambda folder: (folder / "kept.json").write_text(told))
    name = f"results of strangers ({game.name})"
    return Kind(name, good, "kept.json", lambda place: strangers._kept(place / "kept.json", setting), _of_judgements)


def _of_judgements(kind: Kind) -> Damages:
    yield from of_json(kind.content)
    data = json.loads(kind.content)
    for name, win in {
        "NaN": [float("nan"), 0, 1],
        "1e300": [1e300, 0, 1],
        "-1": [0.5, -1, 1],
        "two numbers": [0.5, 0.5],
        "four numbers": [0.5, 0.5, 0.5, 0.5],
        "texts": ["0.5", "0", "1"],
        "true": [True, False, True],
        "an object": {"mean": 0.5},
        "a million numbers": [0.5] * 10**6,
    }.items():
        yield f"wins of {name}", as_json({**data, "wins": {**data["wins"], "\x1b[2J": win}}), False


def heuristics(folder: Path, game: Game) -> Kind | None:
    tuning = game.training.tuning
    if tuning is None:
        return None
    file = f"{game.agents.reference}.json"
    own = Path(agent_of.__code__.co_filename).parent / game.name / file
    good = _made(folder / f"weights-{game.name}", lambda folder: shutil.copy(own, folder))
    name = f"heuristic's weights ({game.name})"
    return Kind(name, good, file, lambda place: tuning.agent(read_weights(place / file)), _of_heuristics)


def _of_heuristics(kind: Kind) -> Damages:
    yield from of_json(kind.content, free=("name", "version", "settings"))
    data = json.loads(kind.content)
    for field in data["weights"]:
        for name in ("null", "true", "1e300", "a text", "an empty list", "an object"):
            yield f"{field}: {name}", as_json({**data, "weights": {**data["weights"], field: WRONG[name]}}), False


def fuzzing(folder: Path, game: Game) -> Kind | None:
    if game.name != registry.DEFAULT:
        return None  # one file tells of all games
    done = {"games": 1000, "names": [game.name], "code": "0" * 64, "seed": 1, "done": [[game.name, 0, 1]]}
    good = _made(folder / "fuzz", lambda folder: (folder / "progress.json").write_text(json.dumps(done)))
    return Kind(
        "progress of make fuzz", good, "progress.json", lambda place: progress(place / "progress.json"), _of_fuzzing
    )


def _of_fuzzing(kind: Kind) -> Damages:
    for name, damage, harmless in of_json(kind.content):
        yield name, damage, harmless or name in ("code: a text", "done: an empty list")
    data = json.loads(kind.content)
    for name, done in {
        "chunks of two": [[0, 0]],
        "a chunk of another game": [["chess", 0, 0]],
        "a chunk of configuration 99": [[registry.DEFAULT, 99, 0]],
        "a chunk beyond the end": [[registry.DEFAULT, 0, 10**6]],
        "a chunk of texts": [[registry.DEFAULT, "0", "0"]],
    }.items():
        yield name, as_json({**data, "done": done}), False


def saved_models(folder: Path, game: Game) -> Kind:
    def export(place: Path) -> None:
        export_saved(place / "model.zip", place / "agent", game.name, game.default_players)

    good = _made(folder / f"sb3-{game.name}", partial(hostile_archives.save_model, game))
    return Kind(f"trusted zip of SB3 ({game.name})", good, "model.zip", export, _of_models)


def _of_models(kind: Kind) -> Damages:
    yield from of_any_file(kind.content, tolerant=True)
    yield from hostile_archives.of_models(kind.content)


KINDS: dict[str, Callable[[Path, Game], Kind | None]] = {
    make.__name__: make
    for make in (
        *(replays, agents, weights_of_agents, checkpoints, arena_parts),
        *(configurations, arena_runs, exploitations, judgements, heuristics, fuzzing, saved_models),
    )
}
