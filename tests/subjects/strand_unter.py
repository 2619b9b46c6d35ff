"""Strand Unter for `compare` and `playthroughs`."""

import random
from collections.abc import Callable, Iterator
from dataclasses import replace

import naive

from strand_env.strand_unter import GAME, Ruleset
from strand_env.strand_unter.actions import BUILD_CASTLE, FIRST_COMBINATION, NUM_DIAL_POSITIONS, PASS, TAKE_CASTLE
from subjects.base import Golden, Policy, Snapshot, Subject, anything, row

ANY_DIAL = list(range(NUM_DIAL_POSITIONS))


def builder(rng: random.Random, legal: list[int], snapshot: Snapshot) -> int:
    """Builds whenever possible, and otherwise prefers singles, which bring castles: games that end early."""
    builds = [action for action in legal if BUILD_CASTLE <= action < PASS]
    return rng.choice(builds or (legal[:FIRST_COMBINATION] if rng.random() < 0.5 else legal))


def hoarder(rng: random.Random, legal: list[int], snapshot: Snapshot) -> int:
    """Never builds and takes shells before castles, many at a time: the bag runs empty."""
    if PASS in legal:
        return PASS
    if legal == ANY_DIAL:
        return rng.randrange(FIRST_COMBINATION, NUM_DIAL_POSITIONS)
    return rng.choice([action for action in legal if action < TAKE_CASTLE] or legal)


def collider(rng: random.Random, legal: list[int], snapshot: Snapshot) -> int:
    """Few dial positions: collisions, spells and troves."""
    if legal == ANY_DIAL:
        return rng.choice((0, 6, 8, 9))
    return rng.choice(legal)


POLICIES: tuple[Policy, ...] = (anything, anything, builder, hoarder, collider)


def random_ruleset(rng: random.Random) -> Ruleset:
    """Other numbers, and half of the time a small game: the rules must follow the data."""
    ruleset = other_numbers(rng)
    if rng.random() < 0.5:
        return ruleset
    singles = rng.sample(range(FIRST_COMBINATION), rng.randint(2, 4))
    combinations = rng.sample(range(FIRST_COMBINATION, NUM_DIAL_POSITIONS), rng.randint(0, 6))
    return replace(
        ruleset,
        shells=[rng.randint(0, shells) for shells in ruleset.shells],
        rounds=rng.randint(1, 15),
        dial=sorted(singles + combinations),
        castles=sorted(rng.sample(range(4), rng.randint(1, 4))),
    )


def other_numbers(rng: random.Random) -> Ruleset:
    """Other shells, cards, fills, another order of the dial."""
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


def twin(look: Callable[[], Snapshot]) -> naive.Game:
    start = look()
    return naive.Game(start["players"], int(start["seed"], 16), start["ruleset"])


def table(step: int, snapshot: Snapshot) -> Iterator[str]:
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


def goldens() -> Iterator[Golden]:
    for policy in (anything, builder, hoarder, collider):
        for players in (2, 3, 4):
            name = f"{players}_players_{policy.__name__}"
            seed = 100 * players + len(policy.__name__)
            yield Golden(name, {"num_players": players}, seed, Ruleset.default(), policy)
    for players in (2, 4):
        ruleset = other_numbers(random.Random(players))
        yield Golden(f"{players}_players_other_rules", {"num_players": players}, players, ruleset, anything)


SUBJECT = Subject(
    game=GAME,
    configurations=[{"num_players": players} for players in GAME.player_counts],
    twin=twin,
    policies=POLICIES,
    random_ruleset=random_ruleset,
    table=table,
    goldens=goldens,
)
