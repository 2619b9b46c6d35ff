"""Plays the engine and the literal implementation side by side and compares them after every step."""

import random
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from subjects.base import Configuration, Policy, Snapshot, Subject, Twin


class Mismatch(AssertionError):
    """The two implementations differ."""


def compare_games(subject: Subject, configuration: Configuration, games: int, seed: int) -> np.ndarray:
    """Plays so many games of both to the end; how often each action was chosen. Raises `Mismatch`."""
    rng = random.Random(seed)
    ruleset = subject.ruleset(rng)
    seeds = [rng.getrandbits(64) for _ in range(games)]
    batch = subject.game.batch(games, seed=seeds, ruleset=ruleset, **configuration)
    policies = [_seated(subject, batch.num_players, rng) for _ in range(games)]
    where = f"{subject.game.name} {configuration} games={games} seed={seed} game="
    snapshots = [batch.snapshot(number) for number in range(games)]
    twins = []
    for number in range(games):
        with _refusals(f"{where}{number}"):
            twins.append(subject.twin(lambda number=number: snapshots[number]))
    chosen = np.zeros(batch.num_actions, np.int64)
    playing = list(range(games))
    while playing:
        legal = batch.legal
        for number in playing:
            _compare(subject, snapshots[number], legal[number], twins[number], f"{where}{number}")
        playing = np.flatnonzero(~batch.over).tolist()
        actions = np.full((games, batch.num_players), batch.pass_action)
        for number in playing:
            actions[number] = [
                policy(rng, twins[number].legal(player), snapshots[number])
                for player, policy in enumerate(policies[number])
            ]
        chosen += np.bincount(actions[playing].ravel(), minlength=batch.num_actions)
        batch.step(actions)
        for number in playing:
            snapshots[number] = batch.snapshot(number)
            with _refusals(f"{where}{number}"):
                twins[number].step(actions[number].tolist())
    for number in range(games):
        _compare(subject, batch.snapshot(number), batch.legal[number], twins[number], f"{where}{number}, stepped on")
    return chosen


def _seated(subject: Subject, players: int, rng: random.Random) -> list[Policy]:
    """The players of a game: all alike, or anyone."""
    if rng.random() < 0.5:
        return [rng.choice(subject.policies)] * players
    return rng.choices(subject.policies, k=players)


@contextmanager
def _refusals(where: str) -> Iterator[None]:
    """What the literal implementation refuses as impossible is a difference, too."""
    try:
        yield
    except ValueError as impossible:
        raise Mismatch(f"{where}: {impossible}") from impossible


def _compare(subject: Subject, snapshot: Snapshot, legal: np.ndarray, twin: Twin, where: str) -> None:
    literally = twin.snapshot()
    for key in (literally.keys() | snapshot.keys()) - subject.untold:
        if snapshot.get(key, "missing") != literally.get(key, "missing"):
            raise Mismatch(f"{where}: {key} is {snapshot.get(key)}, literally {literally.get(key)}")
    for player, mask in enumerate(legal):
        if np.flatnonzero(mask).tolist() != twin.legal(player):
            raise Mismatch(f"{where}: player {player} may {np.flatnonzero(mask)}, literally {twin.legal(player)}")
