"""Replays: one JSON file with the start of a game and everybody's actions.

A replay stores no positions; it replays the game and verifies it on the way: every action must be legal, and the scores
must match. Files are untrusted input: anything wrong with one raises a `BrokenReplay` that names the field.
"""

import json
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from strand_env import __version__
from strand_env.engine.checks import checked_seat, checked_variant, is_whole, one_of, printable, shown
from strand_env.engine.game import Game
from strand_env.engine.protocol import EVERYTHING, Batch, Observer, Ruleset
from strand_env.registry import FORMER, game_ids, game_of
from strand_env.support.files import write_whole
from strand_env.support.reading import MAX_BYTES, naming, parse_json, read_bytes

FORMAT = "strand_env replay"
VERSION = 1

MAX_STEPS, LONGEST_VERSION = 10_000, 80

_KEYS = frozenset(("format", "version", "strand_env", "game", "players", "ruleset", "seed", "actions", "scores"))
_OPTIONAL = frozenset(("variant", "start"))


class BrokenReplay(ValueError):
    """A replay that cannot be read, or that breaks the rules of its game."""


class Position(NamedTuple):
    """One moment of a game, the actions that led to it, and the same in sentences.

    The snapshot and the actions hold all that is hidden; show them through `game.views` alone.
    """

    snapshot: dict[str, Any]
    actions: tuple[int, ...] | None  # None at the start
    story: list[str]


@dataclass(frozen=True)
class Replay:
    """A game from its start to its end, or as far as it got.

        for position in Replay.load("game.json").positions():
            print(position.snapshot["phase"], *position.story)

    `load` replays the game and raises `BrokenReplay` if anything in the file is wrong.
    """

    game: Game
    players: int
    ruleset: Ruleset
    seed: int
    actions: tuple[tuple[int, ...], ...]  # for each step, one per player
    scores: tuple[int, ...] | None  # None if the game is not over
    variant: str | None = None  # of the rules, in games that have variants
    start: dict[str, Any] | None = None  # the first position, unless the seed deals it
    made_by: str = __version__  # the version of strand_env that recorded it

    @classmethod
    def of(
        cls, game: Game, start: dict[str, Any], actions: Sequence[Sequence[int]], scores: Sequence[int] | None
    ) -> "Replay":
        """The replay of a game that started from this snapshot. The scores are None if the game is not over."""
        game = game_of(game)
        began = _plain("start", start)
        if not isinstance(began, dict):
            raise BrokenReplay(f"start: expected the snapshot of a game, got {shown(start)}")
        data = {
            "format": FORMAT,
            "version": VERSION,
            "strand_env": __version__,
            "game": game.id,
            **{key: began.get(key) for key in ("players", "ruleset", "seed")},
            **({"variant": began.get("variant")} if game.variants else {}),
            "actions": _plain("actions", actions),
            "scores": _plain("scores", scores),
            "start": began,
        }
        replay = _read(data, game)
        dealt = replace(replay, start=None)
        return dealt if dealt._first_position().snapshot(0) == replay.start else replay

    @classmethod
    def from_json(cls, text: str | bytes) -> "Replay":
        try:
            return _read(parse_json(text))
        except ValueError as error:
            raise BrokenReplay(str(error)) from None

    def to_json(self) -> str:
        data = {
            "format": FORMAT,
            "version": VERSION,
            "strand_env": self.made_by,
            "game": self.game.id,
            "players": self.players,
            **({} if self.variant is None else {"variant": self.variant}),
            "ruleset": self.ruleset.to_dict(),
            "seed": f"{self.seed:#018x}",
            **({} if self.start is None else {"start": self.start}),
            "actions": self.actions,
            "scores": self.scores,
        }
        lines = (f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in data.items())
        return "{\n" + ",\n".join(lines) + "\n}\n"

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "Replay":
        try:
            content = read_bytes(path, MAX_BYTES)
            with naming(path):
                return cls.from_json(content)
        except ValueError as error:
            raise BrokenReplay(str(error)) from None

    def save(self, path: str | os.PathLike[str]) -> None:
        write_whole(path, self.to_json().encode())

    def positions(self, seat: Observer = EVERYTHING) -> Iterator[Position]:
        """Replays the game: its first position, and the one after each step. Raises `BrokenReplay` at an error.

        The stories hold only what the player in this seat can know; for None what is open to all, for "all" everything.
        """
        checked_seat("seat", seat, self.players, (None, "all"))
        before: dict[str, Any] = {}
        for snapshot, actions in self._played():
            story = [] if actions is None else self.game.views.tell(before, actions, snapshot, seat=seat)
            yield Position(snapshot, actions, story)
            before = snapshot

    def check(self) -> None:
        """Replays the game without showing it. Raises `BrokenReplay` at an error."""
        for _ in self._played():
            pass

    def _played(self) -> Iterator[tuple[dict[str, Any], tuple[int, ...] | None]]:
        batch = self._first_position()
        yield batch.snapshot(0), None
        for step, actions in enumerate(self.actions):
            if batch.over[0]:
                raise BrokenReplay(f"actions[{step}]: expected no more actions, as the game is over")
            legal = [np.flatnonzero(mask).tolist() for mask in batch.legal[0]]
            for player, action in enumerate(actions):
                if action not in legal[player]:
                    expected = f"expected a legal action of player {player}, one of {shown(legal[player])}"
                    raise BrokenReplay(f"actions[{step}]: {expected}; got {action}")
            batch.step([actions])
            yield batch.snapshot(0), actions
        counted = tuple(batch.scores[0].tolist()) if batch.over[0] else None
        if self.scores != counted:
            expected = f"{list(counted)}, as the game ends" if counted else "null, as the game is not over"
            steps = f"after {len(self.actions)} steps"
            raise BrokenReplay(f"scores: expected {expected} {steps}; got {shown(self.scores)}")

    def _first_position(self) -> Batch:
        if self.start is None:
            seed = np.array([self.seed], np.uint64)
            return self.game.batch(1, self.players, seed, self.ruleset, variant=self.variant)
        try:
            return self.game.batch.from_snapshots([self.start])
        except ValueError as error:
            raise BrokenReplay(f"start: {printable(error, 300)}") from None


def _plain(name: str, value: object) -> Any:
    """A value as JSON would give it back, NumPy's numbers and arrays included."""
    try:
        return json.loads(json.dumps(value, default=lambda each: each.tolist()))
    except Exception:  # whatever JSON cannot hold
        raise BrokenReplay(f"{name}: expected plain data for JSON, got {shown(value)}") from None


# Reading untrusted input


def _read(data: Any, game: Game | None = None) -> Replay:
    """A replay of this game, or of any known one."""
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise BrokenReplay(f'format: expected an object with "format": "{FORMAT}"')
    if not is_whole(data.get("version")) or data["version"] != VERSION:
        raise BrokenReplay(f"version: expected {VERSION}, got {shown(data.get('version'))}")
    keys = data.keys() - _OPTIONAL
    if keys != _KEYS:
        raise BrokenReplay(f"keys: missing {sorted(_KEYS - keys)}, unknown {shown(sorted(keys - _KEYS))}")
    if not isinstance(data["strand_env"], str) or len(data["strand_env"]) > LONGEST_VERSION:
        raise BrokenReplay(f"strand_env: expected a version as text, got {shown(data['strand_env'])}")
    known = game_ids() if game is None else [game.id]
    name = data["game"]
    if not isinstance(name, str) or FORMER.get(name, name) not in known:
        raise BrokenReplay(f"game: expected one of {sorted(known)}, got {shown(name)}")
    game, players = game or game_of(FORMER.get(name, name)), data["players"]
    if not is_whole(players) or players not in game.player_counts:
        raise BrokenReplay(f"players: expected one of {list(game.player_counts)}, got {shown(players)}")
    seed = data["seed"]
    if not isinstance(seed, str) or not re.fullmatch("0x[0-9a-f]{16}", seed):
        raise BrokenReplay(f"seed: expected 64 bits as '0x' and 16 hexadecimal digits, got {shown(seed)}")
    try:
        ruleset = game.ruleset.from_dict(data["ruleset"])
    except ValueError as error:
        raise BrokenReplay(printable(error, 300)) from None  # it begins with the field
    if game.variants and "variant" not in data:
        raise BrokenReplay("keys: missing ['variant'], unknown []")
    try:
        if game.variants:
            one_of("variant", data["variant"], game.variants)
        variant = checked_variant(data.get("variant"), game.variants)
    except ValueError as error:
        raise BrokenReplay(printable(error, 300)) from None
    steps = data["actions"]
    if not isinstance(steps, list) or len(steps) > MAX_STEPS:
        raise BrokenReplay(f"actions: expected a list of at most {MAX_STEPS:,} steps, got {shown(steps)}")
    replay = Replay(
        game=game,
        players=players,
        ruleset=ruleset,
        seed=int(seed, 16),
        actions=tuple(_whole_numbers(f"actions[{step}]", row, players) for step, row in enumerate(steps)),
        scores=None if data["scores"] is None else _whole_numbers("scores", data["scores"], players),
        variant=variant,
        start=_start(data, variant) if "start" in data else None,
        made_by=data["strand_env"],
    )
    replay._first_position()
    return replay


def _start(data: dict[str, Any], variant: str | None) -> dict[str, Any]:
    start = data["start"]
    if not isinstance(start, dict):
        raise BrokenReplay(f"start: expected the snapshot of a game, got {shown(start)}")
    for key, value in {"variant": variant, **{key: data[key] for key in ("players", "ruleset", "seed")}}.items():
        if start.get(key) != value:
            raise BrokenReplay(f"start: expected the same {key} as in the replay, got {shown(start.get(key))}")
    return start


def _whole_numbers(name: str, row: Any, length: int) -> tuple[int, ...]:
    if not isinstance(row, list) or len(row) != length or not all(map(is_whole, row)):
        raise BrokenReplay(f"{name}: expected {length} whole numbers, one for each player, got {shown(row)}")
    return tuple(row)
