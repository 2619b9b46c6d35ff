"""Snapshots: one game as plain data for JSON, and back.

A game lists the fields of its record that a snapshot holds, with their ranges and who may see them; reading, writing,
checking and hiding follow from that table. A snapshot must be complete and possible: otherwise it is refused with the
name of the offending field.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Literal

import numpy as np

from strand_env.engine.checks import checked_seat, entries, is_whole, one_of, shown, whole_number
from strand_env.engine.kernels import Rules
from strand_env.engine.protocol import EVERYTHING, Observer, Snapshot

COMMON = ("players", "phase", "to_act", "scores", "winners", "seed", "stream", "ruleset")
_HIDDEN_FROM_ALL = ("seed", "stream")  # all future draws follow from them


@dataclass(frozen=True)
class Field:
    """A field of the record in a snapshot: nested lists of its shape, or a single number.

    `per_player` arrays are cut to the players present. Numbers range from `least` to `most`, or are written as `words`;
    the number `null` is written as null; `truth` fields are true or false. `seen_by` "owner" shows each row to its
    player alone. An `optional` field may be missing, as in snapshots of earlier versions: it is empty then. Subclasses
    write and read it in another way; `rules` is the record that kernels take.
    """

    name: str
    least: int = 0
    most: int = 1
    per_player: bool = False
    truth: bool = False
    words: Mapping[int, str] = field(default_factory=dict)
    null: int | None = None
    seen_by: Literal["all", "owner", "nobody"] = "all"
    inside: str = ""  # a record in the record
    optional: bool = False

    def holder(self, game: np.void) -> Any:
        """The record, or the array of records, that has the field."""
        return game[self.inside] if self.inside else game

    def shape(self, game: np.void, rules: np.void) -> tuple[int, ...]:
        """The part of the array that is in use; the rest is `null`, or 0."""
        whole = self.holder(game)[self.name].shape
        return (int(game["players"]), *whole[1:]) if self.per_player else whole

    def write(self, game: np.void, rules: np.void) -> Any:
        """The field as plain data."""
        used = tuple(map(slice, self.shape(game, rules)))
        return self.data(self.holder(game)[self.name][used].tolist())

    def read(self, game: np.void, rules: np.void, given: Any) -> None:
        """Sets the field from plain data; fields listed before this one are set already."""
        shape = self.shape(game, rules)
        values = self.numbers(self.name, given, shape)
        holder = self.holder(game)
        if shape:
            self.clear(game)
            holder[self.name][tuple(map(slice, shape))] = values
        else:
            holder[self.name] = values

    def clear(self, game: np.void) -> None:
        """Sets the field to what it is without any data."""
        self.holder(game)[self.name][...] = 0 if self.null is None else self.null

    def data(self, value: Any) -> Any:
        """Plain data from the result of NumPy's tolist."""
        if not (self.truth or self.words or self.null is not None):
            return value
        if isinstance(value, list):
            return [self.data(each) for each in value]
        if self.truth:
            return bool(value)
        if self.null is not None and value == self.null:
            return None
        return self.words.get(value, value)

    def numbers(self, name: str, given: Any, shape: tuple[int, ...] = ()) -> Any:
        """The record's numbers, in lists of this shape."""
        if shape:
            rows = enumerate(entries(name, given, shape[0]))
            return [self.numbers(f"{name}[{index}]", each, shape[1:]) for index, each in rows]
        if self.truth:
            if not isinstance(given, bool):
                raise ValueError(f"{name}: expected true or false, got {shown(given)}")
            return int(given)
        if self.null is not None and given is None:
            return self.null
        if self.words and not (is_whole(given) and self.least <= self.most):
            named = {word: number for number, word in self.words.items()}
            if not isinstance(given, str) or given not in named:
                numbers = f"a whole number from {self.least} to {self.most} or " if self.least <= self.most else ""
                null = " or null" if self.null is not None else ""
                raise ValueError(f"{name}: expected {numbers}one of {sorted(named)}{null}, got {shown(given)}")
            return named[given]
        return whole_number(name, given, self.least, self.most)


@dataclass(frozen=True)
class ListField(Field):
    """A list of varying length: the first entries of an array, as many as the field `count` says.

    If the array has two axes, there is a list for each player (`per_player`), or for each row in use. With `parts` its
    entries are records, written as lists of their parts. No list is shorter than `shortest`.
    """

    count: str = ""
    count_inside: str = ""
    parts: Sequence[Field] = ()
    shortest: int = 0

    def write(self, game: np.void, rules: np.void) -> Any:
        array, counts = game[self.name], self._counts(game)[self.count].tolist()
        if not isinstance(counts, list):
            return self._entries(array[:counts])
        rows = int(game["players"]) if self.per_player else sum(count > 0 for count in counts)
        return [self._entries(array[row, : counts[row]]) for row in range(rows)]

    def read(self, game: np.void, rules: np.void, given: Any) -> None:
        array, counts = game[self.name], self._counts(game)
        array[...] = np.zeros((), array.dtype)
        counts[self.count] = 0
        if array.ndim == 1:
            counts[self.count] = self._read_list(self.name, given, array)
            return
        most = int(game["players"]) if self.per_player else len(array)
        for row, each in enumerate(entries(self.name, given, most if self.per_player else 1, most)):
            counts[self.count][row] = self._read_list(f"{self.name}[{row}]", each, array[row])

    def _counts(self, game: np.void) -> Any:
        return game[self.count_inside] if self.count_inside else game

    def _read_list(self, name: str, given: Any, array: np.ndarray) -> int:
        found = entries(name, given, self.shortest, len(array))
        for index, each in enumerate(found):
            if not self.parts:
                array[index] = self.numbers(f"{name}[{index}]", each)
                continue
            values = entries(f"{name}[{index}]", each, len(self.parts))
            for place, (part, value) in enumerate(zip(self.parts, values, strict=True)):
                shape = array.dtype[part.name].shape
                array[part.name][index] = part.numbers(f"{name}[{index}][{place}]", value, shape)
        return len(found)

    def _entries(self, array: np.ndarray) -> list[Any]:
        if not self.parts:
            return self.data(array.tolist())
        columns = [part.data(array[part.name].tolist()) for part in self.parts]
        return [list(entry) for entry in zip(*columns, strict=True)]


@dataclass(frozen=True)
class SetField(Field):
    """Sets of numbers as the bits of words, each written as a list in ascending order."""

    def data(self, value: Any) -> Any:
        if isinstance(value, list):
            return [self.data(each) for each in value]
        members = []
        while value:
            members.append((value & -value).bit_length() - 1)
            value &= value - 1
        return members

    def numbers(self, name: str, given: Any, shape: tuple[int, ...] = ()) -> Any:
        if shape:
            return super().numbers(name, given, shape)
        listed = enumerate(entries(name, given, 0, self.most + 1))
        members = [super(SetField, self).numbers(f"{name}[{index}]", each) for index, each in listed]
        if any(after <= before for before, after in pairwise(members)):
            raise ValueError(f"{name}: expected different numbers in ascending order, got {shown(given)}")
        return sum(1 << number for number in members)


class SnapshotFormat:
    """Writes and reads the snapshots of one game.

    `check(game, snapshot, ruleset)` refuses what ranges cannot: fields that contradict each other. It is called before
    `legal` is recomputed, when `snapshot["to_act"]` is known to be a list of players.
    """

    def __init__(
        self,
        rules: Rules,
        phases: Sequence[str],
        player_counts: range,
        ruleset: Any,
        variants: Sequence[str],
        *,
        fields: Sequence[Field],
        derived: Sequence[str],
        options: Mapping[str, bool],
        check: Callable[[np.void, Snapshot, Any], None],
    ) -> None:
        self._rules = rules
        self._phases = tuple(phases)
        self._counts = player_counts
        self._ruleset = ruleset
        self._fields = tuple(fields)
        self._options = tuple(options.values())
        self._check = check
        self._variants = tuple(variants)
        self._derived = tuple(derived)
        self.keys = frozenset((*COMMON, *(("variant",) if variants else ()), *(each.name for each in fields)))
        self.optional_keys = frozenset(each.name for each in fields if each.optional)

    def write(
        self, game: np.void, rules: np.void, ruleset: Any, variant: str | None, to_act: Sequence[int]
    ) -> Snapshot:
        """The snapshot of one record."""
        players, over = int(game["players"]), game["phase"] == self._rules.over
        snapshot: Snapshot = {"players": players, **({"variant": variant} if self._variants else {})}
        snapshot |= {"phase": self._phases[game["phase"]], "to_act": list(to_act)}
        snapshot |= {each.name: each.write(game, rules) for each in self._fields}
        snapshot["scores"] = game["scores"][:players].tolist() if over else None
        snapshot["winners"] = [bool(won) for won in game["winners"][:players]] if over else None
        snapshot |= {name: f"{int(game[name]):#018x}" for name in ("seed", "stream")}
        return snapshot | {"ruleset": ruleset.to_dict()}

    def as_seen(self, snapshot: Snapshot, observer: Observer) -> Snapshot:
        """The snapshot with null in place of what an observer may not see."""
        if not isinstance(snapshot, Mapping) or not self.keys - self.optional_keys <= snapshot.keys():
            raise ValueError(f"snapshot: expected one of this game, got {shown(snapshot)}")
        players = whole_number("players", snapshot["players"], self._counts[0], self._counts[-1])
        if checked_seat("observer", observer, players, (None, "all")) == EVERYTHING:
            return snapshot
        seen = {**snapshot, **dict.fromkeys(_HIDDEN_FROM_ALL)}
        for each in self._fields:
            if each.seen_by == "nobody":
                seen[each.name] = None
            elif each.seen_by == "owner" and snapshot.get(each.name) is not None:
                rows = enumerate(entries(each.name, snapshot[each.name], players))
                seen[each.name] = [row if player == observer else None for player, row in rows]
        return seen

    def read(self, snapshots: Sequence[Mapping[str, Any]], reopen: Any) -> tuple[np.ndarray, int, Any, str | None]:
        """The games' records, player count, ruleset and variant; `reopen` is the kernel that recomputes `legal`."""
        if not isinstance(snapshots, Sequence) or isinstance(snapshots, (str, bytes)) or not snapshots:
            raise ValueError(f"snapshots: expected a list of at least one snapshot, got {shown(snapshots)}")
        games = []
        for number, snapshot in enumerate(snapshots):
            try:
                games.append(self._read(snapshot, reopen))
            except ValueError as error:
                raise ValueError(f"snapshot {number}: {error}") from None
        players, ruleset, variant = int(games[0][0]["players"][0]), games[0][1], snapshots[0].get("variant")
        for number, (game, other_ruleset) in enumerate(games):
            if (other := snapshots[number].get("variant")) != variant:
                raise ValueError(f"snapshot {number}: variant: {other!r}, but snapshot 0 has {variant!r}")
            if game["players"][0] != players:
                raise ValueError(f"snapshot {number}: players: {game['players'][0]}, but snapshot 0 has {players}")
            if other_ruleset != ruleset:
                raise ValueError(f"snapshot {number}: ruleset: not that of snapshot 0")
        # Filled one by one: np.concatenate would give overlapping fields separate bytes.
        state = np.zeros(len(games), self._rules.state)
        for number, (game, _) in enumerate(games):
            state[number] = game[0]
        return state, players, ruleset, variant

    def _read(self, snapshot: Any, reopen: Any) -> tuple[np.ndarray, Any]:
        """One snapshot as an array of one record, and its ruleset."""
        if not isinstance(snapshot, Mapping):
            raise ValueError(f"expected a dict, got {shown(snapshot)}")
        needed = self.keys - self.optional_keys
        if not needed <= snapshot.keys() <= self.keys:
            missing, unknown = sorted(needed - set(snapshot)), sorted(map(str, set(snapshot) - self.keys))
            raise ValueError(f"keys: missing {missing}, unknown {shown(unknown)}")
        ruleset = self._ruleset.from_dict(snapshot["ruleset"])
        games = np.zeros(1, self._rules.state)
        game = games[0]
        players = whole_number("players", snapshot["players"], self._counts[0], self._counts[-1])
        game["players"] = players
        variant = None
        if self._variants:
            variant = snapshot["variant"]
            one_of("variant", variant, self._variants)
        if not isinstance(snapshot["phase"], str) or snapshot["phase"] not in self._phases:
            raise ValueError(f"phase: expected one of {self._phases}, got {shown(snapshot['phase'])}")
        game["phase"] = self._phases.index(snapshot["phase"])
        rules = ruleset.for_kernels(players, variant)
        for each in self._fields:
            if each.name in snapshot:
                each.read(game, rules[0], snapshot[each.name])
            else:
                each.clear(game)
        self._read_result(game, snapshot, players)
        for name in ("seed", "stream"):
            game[name] = _bits(name, snapshot[name])
        _check_to_act(snapshot["to_act"], players, over=game["phase"] == self._rules.over, phase=snapshot["phase"])
        self._check(game, dict(snapshot), ruleset)
        self._reopen(games, snapshot, rules, reopen)
        return games, ruleset

    def _read_result(self, game: np.void, snapshot: Mapping[str, Any], players: int) -> None:
        points = np.iinfo(game["scores"].dtype)
        result = (
            Field("scores", points.min, points.max, per_player=True),
            Field("winners", truth=True, per_player=True),
        )
        for each in result:
            value = snapshot[each.name]
            if game["phase"] != self._rules.over:
                if value is not None:
                    raise ValueError(f"{each.name}: expected null until the game is over, got {shown(value)}")
            else:
                game[each.name][:players] = each.numbers(each.name, value, (players,))

    def _reopen(self, games: np.ndarray, snapshot: Mapping[str, Any], rules: np.ndarray, reopen: Any) -> None:
        """Recomputes `legal` by entering the phase again; an inconsistent game would ask other players, or play on."""
        before, game, players = games.copy(), games[0], int(games[0]["players"])
        phase, to_act = snapshot["phase"], list(snapshot["to_act"])
        batch = (games, rules, self._options, players)
        reopen(1, 1, batch, np.array([to_act[0] if to_act else 0]))
        if not to_act:
            for name in ("scores", "winners"):
                if (game[name] != before[0][name]).any():
                    raise ValueError(f"{name}: {before[0][name][:players]}, but the game counts {game[name][:players]}")
        asked = asked_players(game, self._rules)
        if asked != to_act:
            raise ValueError(f"to_act: {to_act} does not fit; in phase {phase!r} of this game {asked} would be asked")
        for name in ("legal", *self._derived):
            before[name] = games[name]
        if not (before == games).all():
            raise ValueError(f"phase: {phase!r} does not fit; decisions that leave no choice have not been carried out")


def asked_players(game: np.void, rules: Rules) -> list[int]:
    """The players who have to decide in one game."""
    only_pass = [0] * rules.mask_words
    only_pass[rules.pass_action // 64] = 1 << rules.pass_action % 64
    masks = game["legal"][: int(game["players"])].tolist()
    return [player for player, mask in enumerate(masks) if mask != only_pass]


def _check_to_act(to_act: Any, players: int, over: bool, phase: str) -> None:
    if not isinstance(to_act, (list, tuple)):
        raise ValueError(f"to_act: expected a list of players, got {shown(to_act)}")
    for player in to_act:
        whole_number("to_act", player, 0, players - 1)
    if over == bool(to_act):
        expected = "[]" if over else "the players who have to decide"
        raise ValueError(f"to_act: {list(to_act)} does not fit phase {phase!r}; expected {expected}")


def _bits(name: str, value: Any) -> int:
    if isinstance(value, str) and re.fullmatch("0x[0-9a-f]{16}", value):
        return int(value, 16)
    raise ValueError(f"{name}: expected 64 bits as '0x' and 16 hexadecimal digits, got {shown(value)}")
