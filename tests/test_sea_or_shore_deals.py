"""What may lie behind a player's view of Sea or Shore: redeals, and how likely each is."""

import copy
import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from itertools import product
from typing import Any

import pytest
from naive_sea_or_shore import DEFAULT_RULESET, random_game
from sea_or_shore_deals import (
    all_deals,
    all_orders,
    covered,
    deal_of,
    redealt,
    shuffled_deal,
    shuffled_stack,
    too_rare,
    wrong_in_redeal,
)

Snapshot = Mapping[str, Any]


def positions(players: int, sides: tuple[int, int], seed: int) -> Iterator[Snapshot]:
    return random_game(players, seed, DEFAULT_RULESET | {"sides": list(sides)})


@pytest.mark.slow
@pytest.mark.parametrize("players", [3, 4, 5])
@pytest.mark.parametrize("sides", [(0, 0), (0, 1), (1, 0), (1, 1)])
def test_redeals_by_trial_and_error_are_valid(players: int, sides: tuple[int, int]) -> None:
    rng = random.Random(1)
    for snapshot in positions(players, sides, seed=7):
        assert wrong_in_redeal(snapshot, snapshot, None) == []
        observer = rng.randrange(players)
        assert wrong_in_redeal(snapshot, redealt(snapshot, observer, rng), observer) == []


def first(players: int, sides: tuple[int, int], wanted: Callable[[Snapshot], Any]) -> Snapshot:
    everything = (snapshot for seed in range(100) for snapshot in positions(players, sides, seed))
    return next(snapshot for snapshot in everything if wanted(snapshot))


def exchange(snapshot: dict[str, Any], one: int, other: int) -> None:
    """Two players' lowest cards change places."""
    hands = snapshot["hands"]
    hands[one][0], hands[other][0] = hands[other][0], hands[one][0]
    hands[one].sort()
    hands[other].sort()


def exchange_known(snapshot: dict[str, Any]) -> None:
    """A card that player 0 gave to player 3 is with player 1 instead."""
    [card] = snapshot["known"][0][3]
    hands = snapshot["hands"]
    hands[3].remove(card)
    hands[3].append(hands[1].pop())
    hands[1].append(card)


def turn_round(snapshot: dict[str, Any]) -> None:
    snapshot["stacks"][0].reverse()


DAMAGES: dict[str, Callable[[dict[str, Any]], Any]] = {
    "view: hand": lambda after: exchange(after, 0, 1),
    "view: sizes": lambda after: after["hands"][1].pop(),
    "cards": lambda after: after["hands"][1].__setitem__(0, after["hands"][2][0]),
    "a card that the observer knows": exchange_known,
    "view: known": lambda after: after["known"][0][3].clear(),
    "known: 1 of 2": lambda after: after["known"][1][2].append(after["hands"][2][0]),
    "view: stacks": lambda after: after["stacks"][0].append([0, 1]),
    "view: shown": lambda after: after["shown"][2].append(after["hands"][2][0]),
    "view: extras": lambda after: after["extras"].reverse(),
    "view: phase": lambda after: after.update(phase="treasure"),
    "view: plays": lambda after: after["plays"][1].update(shows="neither"),
    "view: peeked": lambda after: after["peeked"][0][0].append([0, 1]),
    "peeked: 1 in stack 1": lambda after: after["peeked"][1][1].append([0, 1]),
}


@pytest.mark.parametrize("wrong", DAMAGES)
def test_wrong_redeals_are_noticed(wrong: str) -> None:
    before = first(4, (0, 0), lambda seen: seen["phase"] == "extras" and seen["trick"] == 2 and seen["known"][0][3])
    after = copy.deepcopy(redealt(before, 0, random.Random(1)))
    DAMAGES[wrong](after)
    assert any(each.startswith(wrong) for each in wrong_in_redeal(before, after, 0))


@pytest.mark.parametrize("observer", range(4))
def test_what_the_looker_saw_stays(observer: int) -> None:
    before = first(4, (0, 0), lambda seen: seen["phase"] == "order" and seen["stack"] == 0)
    after = copy.deepcopy(redealt(before, observer, random.Random(1)))
    turn_round(after)
    wrong = wrong_in_redeal(before, after, observer)
    assert wrong[0] == ("view: tops" if observer in before["looker"] else f"peeked: {before['to_act'][0]} in stack 0")
    assert wrong_in_redeal(before, {**before, "stacks": after["stacks"]}, None) == ["stacks"]


@pytest.mark.parametrize("observer", range(4))
def test_cards_of_action_2_stay_with_the_doer(observer: int) -> None:
    before = first(4, (1, 0), lambda seen: seen["given"])
    after = copy.deepcopy(redealt(before, observer, random.Random(1)))
    [doer], target = before["to_act"], before["target"]
    after["given"] = [after["hands"][target][0]]
    assert wrong_in_redeal(before, after, observer) == (["view: given", "given"] if observer == doer else ["given"])
    after = copy.deepcopy(redealt(before, observer, random.Random(1)))
    after["taken"] = after["hands"][target][:2]
    noticed = wrong_in_redeal(before, after, observer)
    assert ("view: taken" in noticed) == (observer in (doer, target))
    assert "taken" in noticed


@pytest.mark.slow
@pytest.mark.parametrize("players", [3, 4, 5])
def test_all_deals_are_equally_likely(players: int) -> None:
    """Shuffled until they fit, the unseen cards come in every deal that is counted, equally often."""
    rng, compared = random.Random(2), 0
    for seed, (sides, observer) in enumerate(product(((0, 1), (1, 1)), range(players))):
        for snapshot in positions(players, sides, seed):
            left = [len(hand) for player, hand in enumerate(snapshot["hands"]) if player != observer]
            hidden = sum(covered(snapshot, player) is not None for player in range(players) if player != observer)
            if snapshot["round"] == 1 and sum(left) <= players and hidden == 2:
                deals = list(all_deals(snapshot, observer))
                assert len(set(deals)) == len(deals)
                assert deal_of(snapshot) in deals
                if 1 < len(deals) <= 100:
                    compared += 1
                    drawn = Counter(shuffled_deal(snapshot, observer, rng) for _ in range(30 * len(deals)))
                    assert not too_rare(drawn, dict.fromkeys(deals, 1))
    assert compared >= 3


def test_all_orders_are_equally_likely() -> None:
    rng, kinds = random.Random(3), Counter[str]()
    for seed in range(12):
        for snapshot in positions(4, (0, 0), seed):
            if snapshot["trick"] != 12 or snapshot["phase"] != "card":
                continue
            for observer, place in product(range(4), range(2)):
                kind = "looker" if snapshot["looker"][place] == observer else "peeked"
                kind = kind if snapshot["peeked"][observer][place] else "blind"
                kinds[kind] += 1
                if kinds[kind] > 3:
                    continue
                orders = all_orders(snapshot, observer, place)
                drawn = Counter(
                    tuple(map(tuple, shuffled_stack(snapshot, observer, place, rng))) for _ in range(30 * len(orders))
                )
                assert not too_rare(drawn, orders)
    assert min(kinds[kind] for kind in ("looker", "peeked", "blind")) >= 3


def test_rare_frequencies_are_noticed() -> None:
    ways = dict.fromkeys(range(10), 1)
    assert not too_rare(dict.fromkeys(range(10), 100), ways)
    assert not too_rare({case: 95 + case for case in ways}, ways)
    assert too_rare({case: 100 + 80 * (case == 3) for case in ways}, ways)
    assert too_rare(dict.fromkeys(range(9), 100), ways)
    assert too_rare({10: 1}, ways)
    rng = random.Random(4)
    assert sum(too_rare(Counter(rng.choices(range(10), k=300)), ways) for _ in range(500)) <= 1
