"""Plays the engine and the literal implementation side by side and compares them after every step."""

import random
from collections.abc import Callable

import naive
import numpy as np

from strand_env.strand_unter import Games, Ruleset
from strand_env.strand_unter.actions import BUILD_CASTLE, FIRST_COMBINATION, NUM_DIAL_POSITIONS, PASS, TAKE_CASTLE

ANY_DIAL = list(range(NUM_DIAL_POSITIONS))
Policy = Callable[[random.Random, list[int]], int]


def anything(rng: random.Random, legal: list[int]) -> int:
    return rng.choice(legal)


def builder(rng: random.Random, legal: list[int]) -> int:
    """Builds whenever possible, and otherwise prefers singles, which bring castles: games that end early."""
    builds = [action for action in legal if BUILD_CASTLE <= action < PASS]
    return rng.choice(builds or (legal[:FIRST_COMBINATION] if rng.random() < 0.5 else legal))


def hoarder(rng: random.Random, legal: list[int]) -> int:
    """Never builds and takes shells before castles, many at a time: the bag runs empty."""
    if PASS in legal:
        return PASS
    if legal == ANY_DIAL:
        return rng.randrange(FIRST_COMBINATION, NUM_DIAL_POSITIONS)
    return rng.choice([action for action in legal if action < TAKE_CASTLE] or legal)


def collider(rng: random.Random, legal: list[int]) -> int:
    """Few dial positions: collisions, spells and troves."""
    if legal == ANY_DIAL:
        return rng.choice((0, 6, 8, 9))
    return rng.choice(legal)


POLICIES: tuple[Policy, ...] = (anything, anything, builder, hoarder, collider)


def random_ruleset(rng: random.Random) -> Ruleset:
    """Other shells, cards, fills, another dial: the rules must follow the data."""
    cuts = sorted(rng.sample(range(1, 80), 3))
    shells = [stop - start for start, stop in zip([0, *cuts], [*cuts, 80], strict=True)]
    sizes = sorted(rng.sample(range(1, 9) if rng.random() < 0.8 else range(1, 60), 4))
    cards = [[rng.choices(range(4), k=size) for _ in range(8)] for size in sizes]
    return Ruleset(
        shells=shells,
        cards=[[[card.count(colour) for colour in range(4)] for card in value] for value in cards],
        combinations=rng.sample(Ruleset.default().combinations, 6),
        fills=[[rng.randint(0, 10) for _ in range(8)] for _ in range(3)],
    )


class Mismatch(AssertionError):
    """The two implementations differ."""


def compare_games(players: int, games: int, seed: int) -> np.ndarray:
    """Plays so many games of both to the end; how often each action was chosen. Raises `Mismatch`."""
    rng = random.Random(seed)
    ruleset = random_ruleset(rng) if rng.random() < 0.25 else Ruleset.default()
    batch = Games(games, players, [rng.getrandbits(64) for _ in range(games)], ruleset)
    literal = [naive.Game(players, int(game["seed"]), ruleset.to_dict()) for game in batch.state]
    policies = [[rng.choice(POLICIES) for _ in range(players)] for _ in range(games)]
    chosen = np.zeros(batch.num_actions, np.int64)
    while True:
        legal = batch.legal
        for number, game in enumerate(literal):
            _compare(batch, number, legal[number], game, f"players={players} games={games} seed={seed} game={number}")
        if batch.over.all():
            return chosen
        actions = [
            [policy(rng, game.legal(player)) for player, policy in enumerate(policies[number])]
            for number, game in enumerate(literal)
        ]
        chosen += np.bincount(np.array(actions)[~batch.over].ravel(), minlength=batch.num_actions)
        batch.step(actions)
        for game, row in zip(literal, actions, strict=True):
            game.step(row)


def _compare(batch: Games, number: int, legal: np.ndarray, game: naive.Game, where: str) -> None:
    ours, theirs = batch.snapshot(number), game.snapshot()
    for key in theirs.keys() | ours.keys():
        if ours.get(key, "missing") != theirs.get(key, "missing"):
            raise Mismatch(f"{where}: {key} is {ours.get(key)}, literally {theirs.get(key)}")
    for player, mask in enumerate(legal):
        if np.flatnonzero(mask).tolist() != game.legal(player):
            raise Mismatch(f"{where}: player {player} may {np.flatnonzero(mask)}, literally {game.legal(player)}")
