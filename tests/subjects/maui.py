"""Maui for `compare` and `playthroughs`."""

import random
from collections.abc import Callable, Iterator, Sequence
from itertools import cycle, product
from typing import Any

import naive_maui
from naive_maui import DOLLARS, PASS, ROW_VALUES, SPARE, STEP, TOKEN, Chance, Towel

from strand_env.maui import GAME, VARIANTS, Ruleset
from subjects.base import Golden, Policy, Snapshot, Subject, anything, row

CONFIGURATIONS = [{"num_players": n, "variant": variant} for variant, n in product(VARIANTS, GAME.player_counts)]
LETTERS = "YPBRV"
MIDDLE = 3  # the top of a towel in the middle of the beach


def best(rng: random.Random, actions: Sequence[int], value: Callable[[int], Any]) -> int:
    return max(rng.sample(actions, len(actions)), key=value)


def takes(legal: list[int]) -> list[int]:
    return [action for action in legal if action < DOLLARS]


def last_towel(snapshot: Snapshot) -> Towel:
    number, top, cover = snapshot["beach"][snapshot["to_act"][0]][-1]
    towel = Towel(number, top)
    towel.cover = cover
    return towel


def taken(snapshot: Snapshot, action: int, last_top: int) -> Towel:
    """The towel of an action that takes one, where it would lie."""
    place, shift = divmod(action, 5)
    return Towel(snapshot["market"][place], last_top + shift - 2)


def hoarder(rng: random.Random, legal: list[int], snapshot: Snapshot) -> int:
    """Takes dollars and spends few, and sticks out as far as it can: among such players the spare towel is needed."""
    if dollars := [action for action in legal if DOLLARS <= action < SPARE]:
        return rng.choice(dollars)
    if towels := takes(legal):
        last_top = last_towel(snapshot).top
        return best(rng, towels, lambda action: (abs(last_top + action % 5 - 2 - MIDDLE), -(action // 5 % 3)))
    return rng.choice(legal)


def climber(rng: random.Random, legal: list[int], snapshot: Snapshot) -> int:
    """Moves the shells on the tracks of one umbrella before all others: to the ornament squares and the track's end."""
    if legal == [PASS]:
        return PASS
    favourites = snapshot["ruleset"]["pattern_umbrellas"][snapshot["to_act"][0] % 2]
    if steps := [action for action in legal if STEP <= action < TOKEN]:
        return best(rng, steps, lambda action: snapshot["shells"][snapshot["to_act"][0]][action - STEP])
    if towels := takes(legal):
        tokens = snapshot["ruleset"]["token_patterns"]
        last = last_towel(snapshot)

        def gain(action: int) -> int:
            towel, gained = taken(snapshot, action, last.top), 0
            for line in towel.rows():
                shown = towel.shows(line, tokens)
                if shown in favourites and shown == last.shows(line, tokens):
                    gained += ROW_VALUES[line]
            return gained

        return best(rng, towels, gain)
    return rng.choice(legal)


def keeper(rng: random.Random, legal: list[int], snapshot: Snapshot) -> int:
    """Keeps tokens to lay several onto one towel, sooner or later."""
    return PASS if PASS in legal and rng.random() < 0.9 else climber(rng, legal, snapshot)


def layer(rng: random.Random, legal: list[int], snapshot: Snapshot) -> int:
    """Lays all tokens as soon as it has them."""
    tokens = [action for action in legal if TOKEN <= action < PASS]
    return rng.choice(tokens) if tokens else climber(rng, legal, snapshot)


def collector(rng: random.Random, legal: list[int], snapshot: Snapshot) -> int:
    """Covers what lies ahead: umbrellas, and crabs too."""
    towels = takes(legal)
    if not towels:
        return rng.choice(legal)
    player = snapshot["to_act"][0]
    column = len(snapshot["beach"][player])
    lying = zip(spots_of(snapshot), snapshot["lying"][player], strict=True)
    rows = [spot[1] for spot, there in lying if there and spot[0] == column]
    last_top = last_towel(snapshot).top
    return best(rng, towels, lambda action: len(set(rows) & set(taken(snapshot, action, last_top).rows())))


POLICIES: tuple[Policy, ...] = (anything, anything, hoarder, hoarder, climber, keeper, layer, collector)


def spots_of(snapshot: Snapshot) -> list[list[int]]:
    """The spots of the side of the beach that is up, in the order of the pieces."""
    rules = snapshot["ruleset"]
    if snapshot["variant"] == "crabs" or snapshot["part"] == 2:
        return rules["crab_spots"] + rules["crab_umbrella_spots"]
    return rules["umbrella_spots"]


def random_ruleset(rng: random.Random) -> Ruleset:
    """Other tracks, tokens, umbrellas, crabs; several spots in a column and several ornament squares on a track."""
    columns = rng.sample(range(1, 13), rng.randint(3, 12))
    spots = list(product(columns, range(1, 8)))
    crab_side = rng.sample(spots, 9)
    tracks = [sorted(rng.choices(range(20), k=rng.randint(1, 16))) for _ in range(5)]
    squares = [(pattern, square) for pattern, track in enumerate(tracks) for square in range(1, len(track) + 1)]
    return Ruleset(
        start_top=rng.randint(1, 5),
        tracks=tracks,
        extensions=[sorted(rng.choices(range(20, 101), k=rng.randint(0, 16))) for _ in range(5)],
        ornaments=[(*square, rng.randrange(2)) for square in rng.sample(squares, rng.randint(0, min(8, len(squares))))],
        token_patterns=rng.choices(range(5), k=2),
        pattern_umbrellas=[rng.sample(range(5), 2) for _ in range(2)],
        penalty=rng.choice((0, 1, 2, 100)),
        crabs=[rng.randint(2, 4) for _ in range(7)],
        umbrella_spots=rng.sample(spots, 8),
        crab_spots=crab_side[:7],
        crab_umbrella_spots=crab_side[7:],
    )


def twin(look: Callable[[], Snapshot]) -> naive_maui.Game:
    start = look()
    return naive_maui.Game(start["players"], start["variant"], start["ruleset"], Chance(look))


def table(step: int, snapshot: Snapshot) -> Iterator[str]:
    yield "step {} | part {part} round {round} first {first} | {phase}".format(step, **snapshot)
    market = [word(number) for number in snapshot["market"]]
    yield "  market {} / {} | zones {} | supply {} | bag {} | stream {}".format(
        row(market[:3]),
        row(market[3:]),
        *(row(snapshot[name]) for name in ("zones", "supply")),
        len(snapshot["bag"]),
        snapshot["stream"],
    )
    if any(snapshot["fresh"]) or snapshot["pending"]:
        yield f"  fresh {row(snapshot['fresh'])} | pending {row(snapshot['pending'])}"
    for player in range(snapshot["players"]):
        values = [(name, snapshot[name][player]) for name in ("shells", "dollars", "tokens", "pearls")]
        values += [("penalties", snapshot["penalties"][player]), ("crabs", snapshot["crab_points"][player])]
        told = (f"{name} {row(value) if isinstance(value, list) else value}" for name, value in values)
        yield f"  player {player}: " + " | ".join(told)
        yield "    towels " + " ".join(laid(*towel) for towel in snapshot["beach"][player])
        pieces = zip(spots_of(snapshot), snapshot["pieces"][player], snapshot["lying"][player], strict=True)
        if lying := [f"{column},{line} {name}" for (column, line), name, there in sorted(pieces) if there]:
            yield "    ahead " + " | ".join(lying)


def word(number: int) -> str:
    return "".join(LETTERS[pattern] for pattern in naive_maui.TOWELS[number])


def laid(number: int, top: int, cover: list[Any]) -> str:
    """A towel and its top; then what lies on it: ~ water, ^ trees, t and u tokens, or a crab's value."""
    signs = {None: ".", "water": "~", "trees": "^", "token0": "t", "token1": "u"}
    lies = "".join(signs.get(each, str(each)) for each in cover)
    return f"{word(number)}@{top}" + (f"[{lies}]" if lies != "..." else "")


def goldens() -> Iterator[Golden]:
    for configuration, policy in zip(CONFIGURATIONS, cycle(dict.fromkeys(POLICIES)), strict=False):
        name = "{num_players}_players_{variant}".format(**configuration)
        seed = 10 * configuration["num_players"] + 6  # with spare towels among the hoarders
        yield Golden(f"{name}_{policy.__name__}", configuration, seed, Ruleset.default(), policy)
    for players, variant in ((2, "combined"), (3, "base"), (4, "crabs")):
        ruleset = random_ruleset(random.Random(players))
        configuration = {"num_players": players, "variant": variant}
        yield Golden(f"{players}_players_{variant}_other_rules", configuration, players, ruleset, anything)


SUBJECT = Subject(
    game=GAME,
    configurations=CONFIGURATIONS,
    twin=twin,
    policies=POLICIES,
    random_ruleset=random_ruleset,
    table=table,
    goldens=goldens,
    untold=frozenset(("seed", "stream", "ruleset")),  # it does not draw itself
)
