"""What a player of Sea or Shore may know, and all that may be behind it: section 5 of the rules, literally and slowly.

Everything here works on snapshots (with their ruleset), whichever implementation they are from.
"""

import math
import random
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import chain, combinations, permutations, product
from typing import Any

Snapshot = Mapping[str, Any]
Deal = tuple[tuple[tuple[int, ...], ...], tuple[int | None, ...]]
"""The hands, and the cards beside or under the covers, of all players."""

COVERED = ("card", "extras")  # the phases in which cards lie covered
OPEN = (
    *("players", "round", "trick", "leader", "phase", "to_act", "aside", "extras", "supply", "open", "under"),
    *("treasures", "points", "wins", "queue", "target", "stack", "shown", "looker", "arranged", "scores", "winners"),
    "ruleset",
)


def face(snapshot: Snapshot, card: int, shows: str) -> int:
    """What is printed on the half that shows."""
    colour, place = divmod(card, 12)
    return colour if shows == "colour" else snapshot["ruleset"]["islands"][colour][place]


def covered(snapshot: Snapshot, player: int) -> int | None:
    """The card under a player's cover."""
    play = snapshot["plays"][player]
    return play["card"] if play and snapshot["phase"] in COVERED else None


def view(snapshot: Snapshot, player: int) -> dict[str, Any]:
    """All that the player may know."""
    seen = {key: snapshot[key] for key in OPEN}
    seen["sizes"] = [len(hand) for hand in snapshot["hands"]], len(snapshot["box"])
    seen["plays"] = list(snapshot["plays"])
    for other, play in enumerate(snapshot["plays"]):
        if other != player and covered(snapshot, other) is not None:
            seen["plays"][other] = (play["shows"], face(snapshot, play["card"], play["shows"]), play["extras"])
    seen["stacks"] = [sorted(stack) for stack in snapshot["stacks"]]
    seen["hand"] = snapshot["hands"][player]
    seen["known"] = snapshot["known"][player], [known[player] for known in snapshot["known"]]
    seen["peeked"] = snapshot["peeked"][player]
    tops = zip(snapshot["stacks"], snapshot["arranged"], snapshot["looker"], strict=True)
    seen["tops"] = [stack[:number] if looker == player else None for stack, number, looker in tops]
    seen["numbers"] = len(snapshot["taken"]), len(snapshot["given"])
    if snapshot["phase"] == "give":
        [doer] = snapshot["to_act"]
        seen["taken"] = snapshot["taken"] if player in (doer, snapshot["target"]) else None
        seen["given"] = snapshot["given"] if player == doer else None
    return seen


def wrong_in_redeal(before: Snapshot, after: Snapshot, observer: int | None) -> list[str]:
    """What is wrong with a redeal for an observer, or for nobody in particular: nothing, if it is valid."""
    wrong = []
    if observer is None:
        wrong += [key for key in before.keys() - {"stacks", "seed", "stream"} if before[key] != after[key]]
        for number, old, new in zip(before["arranged"], before["stacks"], after["stacks"], strict=True):
            if sorted(old) != sorted(new) or old[:number] != new[:number]:
                wrong.append("stacks")
        return wrong
    old_view, new_view = view(before, observer), view(after, observer)
    wrong += [f"view: {key}" for key in old_view if old_view[key] != new_view[key]]
    if sorted(all_cards(after)) != list(range(48)):
        wrong.append("cards: not each of them once")
    others = [player for player in range(before["players"]) if player != observer]
    for other in others:
        if not set(before["known"][observer][other]) <= {*after["hands"][other], covered(after, other)}:
            wrong.append(f"a card that the observer knows to be with player {other} is not")
    for one, other in product(others, repeat=2):
        expected = after["shown"][other] if one != other else []
        if before["phase"] == "give" and before["to_act"] == [other] and before["target"] == one:
            expected = after["taken"]
        if after["known"][one][other] != expected:
            wrong.append(f"known: {one} of {other}")
    for one, (place, stack) in product(others, enumerate(after["stacks"])):
        top = sorted(stack[: after["arranged"][place]])
        if after["peeked"][one][place] != (top if after["looker"][place] == one else []):
            wrong.append(f"peeked: {one} in stack {place}")
    for place, stack in enumerate(after["stacks"]):
        top = stack[: after["arranged"][place]]
        if Counter(map(tuple, after["peeked"][observer][place])) - Counter(map(tuple, top)):
            wrong.append(f"a treasure that the observer knows to be on top of stack {place} is not")
    if before["phase"] == "give":
        [doer] = before["to_act"]
        for key in ("taken", "given"):
            if not set(after[key]) <= set(after["hands"][doer]) or len(set(after[key])) < len(after[key]):
                wrong.append(key)
        if after["taken"] != sorted(after["taken"]):
            wrong.append("taken: not sorted")
    return wrong


def all_cards(snapshot: Snapshot) -> list[int]:
    on_table = [play["card"] for play in snapshot["plays"] if play and play["card"] is not None]
    return [*on_table, *snapshot["box"], *snapshot["aside"], *chain(*snapshot["hands"])]


def unseen(snapshot: Snapshot, observer: int) -> list[int]:
    seen = {
        *snapshot["aside"],
        *snapshot["hands"][observer],
        *(c for known in snapshot["known"][observer] for c in known),
    }
    for player, play in enumerate(snapshot["plays"]):
        if play and (player == observer or snapshot["phase"] not in COVERED):
            seen.add(play["card"])
    return [card for card in range(48) if card not in seen]


def deal_of(snapshot: Snapshot) -> Deal:
    plays = snapshot["plays"]
    return tuple(map(tuple, snapshot["hands"])), tuple(play["card"] if play else None for play in plays)


def all_deals(snapshot: Snapshot, observer: int) -> Iterator[Deal]:
    """All deals of the island cards that fit the observer's view, each once: they are equally likely."""
    free = set(unseen(snapshot, observer))
    others = [player for player in range(snapshot["players"]) if player != observer]
    hidden = [player for player in others if covered(snapshot, player) is not None]
    known = {player: set(snapshot["known"][observer][player]) for player in others}
    fitting = []
    for player in hidden:
        shows = snapshot["plays"][player]["shows"]
        shown = face(snapshot, snapshot["plays"][player]["card"], shows)
        fitting.append([card for card in free | known[player] if face(snapshot, card, shows) == shown])
    plays = list(deal_of(snapshot)[1])
    for covers in product(*fitting):
        if len(set(covers)) == len(covers):
            for player, card in zip(hidden, covers, strict=True):
                plays[player] = card
            kept = {player: known[player] - set(covers) for player in others}
            for hands in _all_hands(snapshot, others, kept, free - set(covers)):
                hands[observer] = tuple(snapshot["hands"][observer])
                yield tuple(hands[player] for player in sorted(hands)), tuple(plays)


def _all_hands(
    snapshot: Snapshot, players: list[int], kept: dict[int, set[int]], free: set[int]
) -> Iterator[dict[int, tuple[int, ...]]]:
    """The ways to fill the hands of these players from the free cards; the rest is the box."""
    if not players:
        yield {}
        return
    first, *rest = players
    missing = len(snapshot["hands"][first]) - len(kept[first])
    for more in combinations(sorted(free), missing) if missing >= 0 else ():
        for hands in _all_hands(snapshot, rest, kept, free - set(more)):
            yield {first: tuple(sorted(kept[first] | set(more))), **hands}


def all_orders(snapshot: Snapshot, observer: int | None, place: int) -> Counter[tuple[tuple[int, ...], ...]]:
    """The orders of a stack that fit the observer's view, and in how many ways each comes about."""
    stack, arranged = snapshot["stacks"][place], snapshot["arranged"][place]
    fixed = observer is None or snapshot["looker"][place] == observer
    peeked = Counter() if observer is None else Counter(map(tuple, snapshot["peeked"][observer][place]))
    orders: Counter[tuple[tuple[int, ...], ...]] = Counter()
    for order in permutations(map(tuple, stack)):
        if fixed:
            orders[order] += list(order[:arranged]) == [tuple(card) for card in stack[:arranged]]
        else:
            orders[order] += not peeked - Counter(order[:arranged])
    return +orders


def redealt(snapshot: Snapshot, observer: int, rng: random.Random) -> dict[str, Any]:
    """A redeal by trial and error: everything unseen is shuffled until it fits."""
    after = dict(snapshot)
    others = [player for player in range(snapshot["players"]) if player != observer]
    after["known"] = [[list(known) for known in of_one] for of_one in snapshot["known"]]
    after["peeked"] = [[list(peeked) for peeked in of_one] for of_one in snapshot["peeked"]]
    hands, plays = shuffled_deal(snapshot, observer, rng)
    after["hands"] = [list(hand) for hand in hands]
    after["plays"] = [play and play | {"card": card} for play, card in zip(snapshot["plays"], plays, strict=True)]
    gone = {*snapshot["aside"], *chain(*hands), *plays}
    after["box"] = [card for card in range(48) if card not in gone]
    after["stacks"] = [shuffled_stack(snapshot, observer, place, rng) for place in range(len(snapshot["stacks"]))]
    for one, other in product(others, repeat=2):
        after["known"][one][other] = list(snapshot["shown"][other]) if one != other else []
    for one, (place, stack) in product(others, enumerate(after["stacks"])):
        top = sorted(stack[: snapshot["arranged"][place]])
        after["peeked"][one][place] = top if snapshot["looker"][place] == one else []
    if snapshot["phase"] == "give":
        [doer], target = snapshot["to_act"], snapshot["target"]
        if observer not in (doer, target):
            after["taken"] = sorted(rng.sample(after["hands"][doer], len(snapshot["taken"])))
            after["known"][target][doer] = after["taken"]
        if observer != doer:
            after["given"] = rng.sample(after["hands"][doer], len(snapshot["given"]))
    return after


def shuffled_deal(snapshot: Snapshot, observer: int, rng: random.Random) -> Deal:
    free = unseen(snapshot, observer)
    while True:
        rng.shuffle(free)
        left, hands, plays = list(free), list(snapshot["hands"]), list(deal_of(snapshot)[1])
        for player in range(snapshot["players"]):
            if player != observer:
                known = snapshot["known"][observer][player]
                hidden = covered(snapshot, player) is not None
                size = len(snapshot["hands"][player]) + hidden
                own = [*known, *(left.pop() for _ in range(size - len(known)))]
                if hidden:
                    plays[player] = own.pop(rng.randrange(size))
                hands[player] = sorted(own)
        after = [play and play | {"card": card} for play, card in zip(snapshot["plays"], plays, strict=True)]
        if view({**snapshot, "plays": after}, observer)["plays"] == view(snapshot, observer)["plays"]:
            return tuple(map(tuple, hands)), tuple(plays)


def shuffled_stack(snapshot: Snapshot, observer: int, place: int, rng: random.Random) -> list[list[int]]:
    stack, number = list(snapshot["stacks"][place]), snapshot["arranged"][place]
    if snapshot["looker"][place] == observer:
        return stack[:number] + rng.sample(stack[number:], len(stack) - number)
    while True:
        rng.shuffle(stack)
        if not Counter(map(tuple, snapshot["peeked"][observer][place])) - Counter(map(tuple, stack[:number])):
            return stack


def too_rare(drawn: Mapping[Any, int], ways: Mapping[Any, int]) -> bool:
    """Whether frequencies are so far from what these numbers of ways say that it happens once in 30,000 cases."""
    return rarity(drawn, ways) > 4


def rarity(drawn: Mapping[Any, int], ways: Mapping[Any, int]) -> float:
    """How far frequencies are from what these numbers of ways say, in standard deviations.

    Chi-squared, made normal by the approximation of Wilson and Hilferty.
    """
    if drawn.keys() - ways.keys():
        return math.inf
    number = sum(drawn.values()) / sum(ways.values())
    chi_squared = sum((drawn.get(case, 0) - number * way) ** 2 / (number * way) for case, way in ways.items())
    freedom = len(ways) - 1
    if freedom == 0:
        return 0.0
    spread = 2 / (9 * freedom)
    return ((chi_squared / freedom) ** (1 / 3) - 1 + spread) / spread**0.5
