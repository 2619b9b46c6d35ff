"""Plays the engine and the literal implementation side by side and compares them.

After every step: who has to decide, and what everybody may do. After the last: everything that a snapshot holds. In
between everything is compared in a random share of the positions, as snapshots take most of the time; a difference that
stays in the game is seen by the end at the latest, one that vanishes again with this probability in each position.
"""

import random
from collections.abc import Callable
from typing import Any

import numpy as np
from subjects.base import Configuration, Policy, Snapshot, Subject, Twin

from strand_env.engine.batch import GameBatch


class Mismatch(AssertionError):
    """The two implementations differ."""


def compare_games(
    subject: Subject, configuration: Configuration, games: int, seed: int, complete: float = 1.0
) -> np.ndarray:
    """Plays so many games of both to the end; how often each action was chosen. Raises `Mismatch`.

    `complete` is the share of positions in which complete snapshots are compared; the games are the same for any.
    """
    rng = random.Random(seed)
    ruleset = subject.ruleset(rng)
    seeds = [rng.getrandbits(64) for _ in range(games)]
    batch = subject.game.batch(games, seed=seeds, ruleset=ruleset, **configuration)
    policies = [_seated(subject, batch.num_players, rng) for _ in range(games)]
    where = [f"{subject.game.name} {configuration} games={games} seed={seed} game={number}" for number in range(games)]
    constant = {"players": batch.num_players, "variant": batch.variant, "ruleset": ruleset.to_dict()}
    told = [_Told(batch, number, constant) for number in range(games)]
    twins = [_literally(where[number], subject.twin, lambda number=number: told[number]) for number in range(games)]
    chosen = np.zeros(batch.num_actions, np.int64)
    passing = [batch.pass_action] * batch.num_players
    playing = list(range(games))
    while playing:
        legal = _legal_actions(batch)
        actions = [passing] * games
        for number in playing:
            twin = twins[number]
            _compare_legal(legal[number], twin, where[number])
            if rng.random() < complete:
                _compare(subject, batch.snapshot(number), twin, where[number])
            seen = _Seen(twin, constant)
            actions[number] = [
                policy(rng, may, seen) if len(may) > 1 else may[0]
                for policy, may in zip(policies[number], legal[number], strict=True)
            ]
        chosen += np.bincount(np.ravel([actions[number] for number in playing]), minlength=batch.num_actions)
        batch.step(actions)
        for number in playing:
            _literally(where[number], twins[number].step, actions[number])
        playing = np.flatnonzero(~batch.over).tolist()
    for number, may in enumerate(_legal_actions(batch)):  # those that ended early have been stepped on
        _compare(subject, batch.snapshot(number), twins[number], f"{where[number]}, at the end")
        _compare_legal(may, twins[number], f"{where[number]}, at the end")
    return chosen


class _Told(dict):
    """What the engine tells of a game now: the snapshot, of which only the entries asked for are written."""

    def __init__(self, batch: GameBatch, number: int, constant: Snapshot) -> None:
        super().__init__(constant, seed=f"{int(batch.seeds[number]):#018x}")
        self._fields = {field.name: field for field in batch.fields}
        self._game, self._rules = batch.state[number], batch.for_kernels[1][0]  # views

    def __missing__(self, key: str) -> Any:
        return self._fields[key].write(self._game, self._rules)


class _Seen(dict):
    """The literal implementation's snapshot, written if any of it is asked for, and what it leaves out."""

    def __init__(self, twin: Twin, constant: Snapshot) -> None:
        super().__init__(constant)
        self._twin = twin

    def __missing__(self, key: str) -> Any:
        self.update(self._twin.snapshot())
        return self[key]


def _seated(subject: Subject, players: int, rng: random.Random) -> list[Policy]:
    """The players of a game: all alike, or anyone."""
    if rng.random() < 0.5:
        return [rng.choice(subject.policies)] * players
    return rng.choices(subject.policies, k=players)


def _literally(where: str, call: Callable[..., Any], *arguments: Any) -> Any:
    """What the literal implementation refuses as impossible is a difference, too."""
    try:
        return call(*arguments)
    except ValueError as impossible:
        raise Mismatch(f"{where}: {impossible}") from impossible


def _legal_actions(batch: GameBatch) -> list[list[list[int]]]:
    """The legal actions by game and player; who has nothing to decide may only pass."""
    masks = batch.legal
    numbers = masks.sum(2, dtype=np.int64)
    wrong = batch.to_act == ((numbers == 1) & masks[:, :, batch.pass_action].astype(np.bool_))
    if wrong.any():
        game, player = np.argwhere(wrong)[0]
        raise Mismatch(f"game {game}, player {player}: to_act does not fit the mask {masks[game, player]}")
    stops = numbers.cumsum().reshape(numbers.shape)
    actions = np.nonzero(masks)[2].tolist()
    rows = zip((stops - numbers).tolist(), stops.tolist(), strict=True)
    return [[actions[start:stop] for start, stop in zip(*row, strict=True)] for row in rows]


def _compare_legal(legal: list[list[int]], twin: Twin, where: str) -> None:
    for player, may in enumerate(legal):
        if may != twin.legal(player):
            raise Mismatch(f"{where}: player {player} may {may}, literally {twin.legal(player)}")


def _compare(subject: Subject, snapshot: Snapshot, twin: Twin, where: str) -> None:
    literally = twin.snapshot()
    for key in snapshot | literally:
        if key not in subject.untold and snapshot.get(key, "missing") != literally.get(key, "missing"):
            raise Mismatch(f"{where}: {key} is {snapshot.get(key)}, literally {literally.get(key)}")
