"""Sea or Shore for `compare` and `playthroughs`."""

import random
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import naive_sea_or_shore
from naive_sea_or_shore import EXTRAS, NUMBER, ORDER, PASS, SEAT, STACK, TAKE, Chance

from strand_env.sea_or_shore import GAME, Ruleset
from subjects.base import Configuration, Golden, Policy, Snapshot, Subject, anything, row

SIDES = tuple(product(range(2), repeat=2))
COLOURS = "RBGP"


def number_of(snapshot: Snapshot, card: int) -> int:
    return snapshot["ruleset"]["islands"][card // 12][card % 12]


def saver(rng: random.Random, legal: list[int], snapshot: Snapshot) -> int:
    """Never adds extras, and takes those of others: the supply runs out."""
    return EXTRAS if EXTRAS in legal else rng.choice(legal)


def spender(rng: random.Random, legal: list[int], snapshot: Snapshot) -> int:
    """Plays low cards, which bring extras, and when it has many adds nearly all of them."""
    if legal[0] < NUMBER and snapshot["phase"] == "card":
        lowest = min(number_of(snapshot, action % 48) for action in legal)
        return rng.choice([action for action in legal if number_of(snapshot, action % 48) == lowest])
    if EXTRAS in legal:
        return rng.choice(legal[-4:]) if len(legal) == 12 or rng.random() < 0.05 else EXTRAS
    return rng.choice(legal)


def thief(rng: random.Random, legal: list[int], snapshot: Snapshot) -> int:
    """Plays the colours of open treasures, high cards first, and steals whenever it can."""
    if snapshot["phase"] == "treasure" and TAKE in legal:
        return rng.choice(legal[:-1])
    if snapshot["phase"] == "card" and legal != [PASS]:
        wanted = [treasure[0] for treasure in snapshot["open"]]
        return max(
            rng.sample(legal, len(legal)),
            key=lambda action: (action % 48 // 12 in wanted, number_of(snapshot, action % 48)),
        )
    return rng.choice(legal)


def follower(rng: random.Random, legal: list[int], snapshot: Snapshot) -> int:
    """Plays cards of equal numbers and of few colours: large groups, and ties."""
    if snapshot["phase"] == "card" and legal != [PASS]:
        shown = [play["card"] for play in snapshot["plays"] if play]
        if shown:
            number, colour = number_of(snapshot, shown[0]), shown[0] // 12
            return max(
                rng.sample(legal, len(legal)),
                key=lambda action: (action % 48 // 12 == colour, -abs(number_of(snapshot, action % 48) - number)),
            )
    return rng.choice(legal)


def doer(rng: random.Random, legal: list[int], snapshot: Snapshot) -> int:
    """Plays high cards of colours that bring actions, and looks at the same stack again and again."""
    if snapshot["phase"] == "card" and legal != [PASS]:
        taken = [treasure[0] for treasure in snapshot["open"]]
        return max(
            rng.sample(legal, len(legal)),
            key=lambda action: (action % 48 // 12 not in taken, number_of(snapshot, action % 48)),
        )
    if STACK in legal and rng.random() < 0.8:
        return STACK
    return rng.choice(legal)


POLICIES: tuple[Policy, ...] = (anything, anything, saver, spender, thief, follower, doer)


def usual_ruleset(rng: random.Random) -> Ruleset:
    return Ruleset(sides=rng.choice(SIDES))


def random_ruleset(rng: random.Random) -> Ruleset:
    """Other numbers and values, several cards alike, and actions on other cards."""
    actions = rng.sample(range(1, 5), 4)
    return Ruleset(
        islands=[sorted(rng.choices(range(1, 13), k=12)) for _ in range(4)],
        treasures=[rng.sample([2, 3, 4, *rng.choices(range(1, 10), k=5)], 8) for _ in range(4)],
        actions=[actions[:2], actions[2:]],
        sides=rng.choice(SIDES),
    )


def impossible(configuration: Configuration) -> set[int]:
    """Seats that are not there, and with one stack to choose between stacks."""
    players = configuration["num_players"]
    return {*range(SEAT + players, TAKE), *(range(STACK, ORDER) if players == 3 else ())}


def twin(look: Callable[[], Snapshot]) -> naive_sea_or_shore.Game:
    start = look()
    return naive_sea_or_shore.Game(start["players"], start["ruleset"], Chance(look))


def table(step: int, snapshot: Snapshot) -> Iterator[str]:
    """Stacks, box and cards aside are told where they change."""
    yield "step {} | round {round} trick {trick} leader {leader} | {phase}".format(step, **snapshot)
    if not any(snapshot["plays"]) or snapshot["phase"] == "order":
        for number, stack in enumerate(snapshot["stacks"]):
            looked = f"{snapshot['arranged'][number]} arranged by {snapshot['looker'][number]}"
            yield f"  stack {number}: {treasures(stack)} | {looked} | under {treasures(snapshot['under'][number])}"
        yield f"  box {cards(snapshot, snapshot['box'])} | aside {cards(snapshot, snapshot['aside'])}"
    opened = treasures([treasure for treasure in snapshot["open"] if treasure])
    yield f"  open {opened} | supply {snapshot['supply']} | stream {snapshot['stream']}"
    under_way = {name: snapshot[name] for name in ("wins", "queue", "target", "stack", "taken", "given", "points")}
    if told := [f"{name} {value}" for name, value in under_way.items() if value not in (None, [])]:
        yield "  " + " | ".join(told)
    for player in range(snapshot["players"]):
        play = snapshot["plays"][player]
        played = "-"
        if play:
            card = "picked up" if play["card"] is None else cards(snapshot, [play["card"]])
            played = f"{card} ({play['shows']}) + {play['extras']}"
        yield "  player {}: {} | play {} | extras {} | pile {}".format(
            player,
            cards(snapshot, snapshot["hands"][player]),
            played,
            snapshot["extras"][player],
            treasures(snapshot["treasures"][player]),
        )
        known = [f"{other}: {cards(snapshot, of)}" for other, of in enumerate(snapshot["known"][player]) if of]
        peeked = [f"stack {stack}: {treasures(of)}" for stack, of in enumerate(snapshot["peeked"][player]) if of]
        shown = [f"shown {cards(snapshot, snapshot['shown'][player])}"] if snapshot["shown"][player] else []
        if known or peeked or shown:
            yield "    knows " + " | ".join([*known, *peeked, *shown])


def cards(snapshot: Snapshot, ids: list[int]) -> str:
    return row([f"{COLOURS[card // 12]}{number_of(snapshot, card)}" for card in ids]) or "-"


def treasures(those: list[Any]) -> str:
    return row([f"{COLOURS[colour]}{value}" for colour, value in those]) or "-"


def goldens() -> Iterator[Golden]:
    policies = (anything, saver, spender, thief, follower, doer)
    for number, players in enumerate(sorted([*GAME.player_counts] * 3)):
        sides, policy = SIDES[number % len(SIDES)], policies[number % len(policies)]
        name = f"{players}_players_sides_{sides[0]}{sides[1]}_{policy.__name__}"
        yield Golden(name, {"num_players": players}, 100 * players + number, Ruleset(sides=sides), policy)
    ruleset = random_ruleset(random.Random(4))
    yield Golden("4_players_other_rules", {"num_players": 4}, 4, ruleset, anything)


SUBJECT = Subject(
    game=GAME,
    configurations=[{"num_players": players} for players in GAME.player_counts],
    twin=twin,
    policies=POLICIES,
    random_ruleset=random_ruleset,
    usual_ruleset=usual_ruleset,
    other_rulesets=[Ruleset(sides=(1, 1))],  # target, give, pick, discard
    impossible=impossible,
    table=table,
    goldens=goldens,
    untold=frozenset(("seed", "stream", "ruleset", "revealed")),  # it does not draw itself
)
