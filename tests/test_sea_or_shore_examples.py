"""The worked examples of Sea or Shore's rules, section 7, each from a snapshot, in both implementations."""

import random
from collections.abc import Sequence
from functools import partial
from itertools import product
from typing import Any

import pytest
from sea_or_shore_positions import EnginesPosition, LiteralPosition, Position, Trick, card, treasures

from strand_env.sea_or_shore import Games

BLUE_4, RED_11, GREEN_12 = 15, 10, 35
ONE_EACH = ("blue 1, green 1", "red 5, blue 5, green 5, purple 5")

Begin = Any  # Trick, but for the kind of position


@pytest.fixture(params=[EnginesPosition, LiteralPosition], ids=["engine", "literal"])
def kind(request: pytest.FixtureRequest) -> type[Position]:
    return request.param


@pytest.fixture
def begin(kind: type[Position]) -> Begin:
    return partial(Trick, kind)


def test_e1_stealing(begin: Begin) -> None:
    trick = begin("red 3, purple 2", "red 9, red 4, red 6, green 5", piles=("", "", "blue 2, red 4", ""))
    under = trick.position.snapshot()["under"]
    after = trick.play_cards()
    assert (after["extras"], after["wins"], after["queue"]) == ([0, 3, 0, 0], [[0, 0]], [[3, 3]])
    assert trick.may() == (0, "treasure", [110, 113])
    after = trick.play(110)
    assert after["treasures"] == [treasures("red 4"), [], treasures("blue 2"), []]
    assert trick.may() == (3, "stack", [114, 115])
    assert after["open"] == treasures("red 3, purple 2")
    after = trick.play(114, 116)
    assert after["under"] == [under[0] + treasures("red 3"), under[1] + treasures("purple 2")]
    assert (after["leader"], after["trick"], after["to_act"]) == (1, 5, [1])
    assert after["aside"] == sorted([*trick.old_aside, *trick.cards])


def test_e2_extras_raise_a_card(begin: Begin) -> None:
    trick = begin("blue 5, green 1", "blue 9, blue 7+3, green 2, purple 2", extras=(0, 4, 0, 0))
    after = trick.play_cards()
    assert trick.may() == (3, "stack", [114, 115])
    assert after["treasures"] == [[], treasures("blue 5"), treasures("green 1"), []]
    assert (after["extras"], after["supply"]) == ([2, 1, 0, 0], 16)
    assert after["plays"][1] == {"card": 18, "shows": "colour", "extras": 3}
    assert trick.play(115, 117)["supply"] == 19


def test_e3_two_colours_count_as_one(begin: Begin) -> None:
    trick = begin("red 3", "red 4, purple 7, green 9")
    after = trick.play_cards()
    assert trick.may() == (2, "order", [116, 117, 118, 119, 120, 121])
    assert (after["treasures"], after["extras"]) == ([treasures("red 3"), [], []], [0, 2, 0])
    assert (after["stack"], after["looker"], after["arranged"]) == (0, [2], [3])


@pytest.mark.parametrize(("leader", "doer", "loser"), [(0, 1, 2), (1, 1, 2), (2, 2, 1)])
def test_e4_ties_of_two_colours(begin: Begin, leader: int, doer: int, loser: int) -> None:
    after = begin("red 3", "red 4, purple 7, green 7", leader=leader).play_cards()
    assert (after["queue"], after["extras"]) == ([[doer, 3]], [2 * (seat == loser) for seat in range(3)])


@pytest.mark.parametrize(("leader", "winner", "loser"), [(0, 0, 1), (2, 0, 1), (1, 1, 0)])
def test_e5_nothing_counts_more_than_12(begin: Begin, leader: int, winner: int, loser: int) -> None:
    played, piles = "blue 12, blue 11+3, purple 1, green 1", ("blue 1", "blue 2", "", "")
    trick = begin("blue 5, green 1", played, leader=leader, extras=(0, 3, 0, 0), piles=piles)
    after = trick.play_cards()
    steal = 108 + (loser - winner) % 4
    assert trick.may() == (winner, "treasure", [steal, 113])
    assert after["extras"] == [2 * (seat == loser) for seat in range(4)]
    assert trick.play(steal)["treasures"][loser] == []


def test_e6_equal_losers(begin: Begin) -> None:
    after = begin("red 1, green 1", "red 10, red 5, red 3+2, green 5", extras=(0, 0, 2, 0)).play_cards()
    assert after["extras"] == [0, 3, 0, 0]
    assert (after["treasures"], after["trick"]) == ([treasures("red 1"), [], [], treasures("green 1")], 5)


@pytest.mark.parametrize(("leader", "extras"), [(0, [19, 0, 3, 0, 0]), (3, [19, 0, 1, 0, 2])])
def test_e7_a_short_supply(begin: Begin, leader: int, extras: list[int]) -> None:
    played = "red 10, red 8, red 3, green 9, green 2"
    after = begin("red 1, green 1", played, leader=leader, extras=(19, 0, 0, 0, 0)).play_cards()
    assert (after["extras"], after["supply"]) == (extras, 0)


@pytest.mark.parametrize(
    ("extras", "added", "after", "supply"),
    [
        ((5, 1, 2, 0), 0, [7, 1, 0, 0], 14),
        ((5, 1, 1, 0), 0, [7, 1, 1, 0], 13),
        ((5, 8, 8, 0), 7, [6, 1, 1, 0], 0),  # before the action the supply is 1, and the others own one each
    ],
)
def test_e8_action_1_unasked(begin: Begin, extras: Sequence[int], added: int, after: list[int], supply: int) -> None:
    trick = begin(ONE_EACH[0], f"red 5, blue 5+{added}, green 5+{added}, purple 5", extras=extras, sides=(0, 1))
    seen = trick.play_cards()
    assert (seen["extras"], seen["supply"]) == (after, supply)
    assert trick.may() == (3, "pick", [108, 109, 110, 111])


def test_e8_action_1_with_a_choice(begin: Begin) -> None:
    trick = begin(*ONE_EACH, extras=(0, 3, 1, 2), sides=(0, 1))
    trick.play_cards()
    assert trick.may() == (0, "target", [109, 111])
    assert trick.play(111)["extras"] == [2, 3, 1, 0]
    assert trick.may() == (3, "pick", [108, 109, 110, 111])


def test_e9_action_4_keeps_what_it_picks(begin: Begin) -> None:
    trick = begin(*ONE_EACH, sides=(0, 1))
    trick.play_cards()
    assert trick.play(109)["plays"][0] == {"card": None, "shows": "colour", "extras": 0}
    old, red_5 = trick.old_hands[3], card("red 5")
    assert trick.may() == (3, "discard", sorted({*old, red_5}))
    after = trick.play(min(old))
    assert after["hands"][3] == sorted({*old, red_5} - {min(old)})
    assert after["shown"] == [[], [], [], [red_5]]
    assert after["known"] == [[[], [], [], [red_5]]] * 3 + [[[]] * 4]
    assert after["aside"] == sorted([*trick.old_aside, min(old), *trick.cards[1:]])


def test_e9_action_4_discards_what_it_picks(begin: Begin) -> None:
    trick = begin(*ONE_EACH, sides=(0, 1))
    trick.play_cards()
    after = trick.play(108, card("purple 5"))
    assert after["hands"][3] == sorted(trick.old_hands[3])
    assert after["aside"] == sorted([*trick.old_aside, *trick.cards])
    assert after["shown"] == [[]] * 4
    assert after["known"] == [[[]] * 4] * 4


@pytest.mark.parametrize(("action", "phase"), [(3, "stack"), (4, "pick")])
def test_e10_action_2(begin: Begin, action: int, phase: str) -> None:
    """With action 4 as the other one, cards may have been picked up before."""
    sides = 1, action - 3
    hands = begin(*ONE_EACH, sides=sides, trick=1).old_hands
    remembered = [min(hand) for hand in hands]  # everybody remembers something of everybody
    shown = [[remembered[0]], [remembered[1]], [], []] if action == 4 else [[]] * 4
    memory = {
        "known": [[[remembered[of]] if of != one else [] for of in range(4)] for one in range(4)],
        "shown": shown,
    }
    trick = begin(*ONE_EACH, memory, sides=sides, trick=1)
    trick.play_cards()
    assert trick.may() == (0, "target", [109, 110, 111])
    asked = trick.play(110)
    first, second = asked["taken"]
    own = max(hands[0])
    assert {first, second} <= hands[2]
    assert trick.may() == (0, "give", sorted({*hands[0], first, second}))
    assert (asked["target"], asked["queue"]) == (2, [[0, 2], [3, action]])
    assert asked["known"][2][0] == sorted({min(hands[0]), first, second})
    asked = trick.play(first)
    assert (asked["given"], first in asked["hands"][0]) == ([first], True)
    assert trick.may() == (0, "give", sorted({*hands[0], second}))
    after = trick.play(own)
    assert (trick.may()[:2], after["target"], after["taken"], after["given"]) == ((3, phase), None, [], [])
    assert after["hands"][0] == sorted(hands[0] - {own} | {second})
    assert after["hands"][2] == sorted(hands[2] - {second} | {own})
    assert after["known"][0][2] == sorted({min(hands[2])} - {second} | {first, own})
    assert after["known"][2][0] == sorted({min(hands[0]), second})
    for third, (other, of_it) in product((1, 3), enumerate(hands)):
        kept = other not in (third, 0, 2)
        assert after["known"][third][other] == ([min(of_it)] if kept else [])
    assert after["shown"] == [[], shown[1], [], []]


def test_e10_action_2_with_one_card(begin: Begin) -> None:
    trick = begin(*ONE_EACH, sides=(1, 0), trick=11)
    trick.play_cards()
    [drawn] = trick.play(110)["taken"]
    assert trick.may() == (0, "give", sorted({*trick.old_hands[0], drawn}))
    after = trick.play(*trick.old_hands[0])
    assert after["hands"][0] == [drawn]
    assert after["hands"][2] == [*trick.old_hands[0]] == after["known"][0][2]


def test_e11_the_last_trick_of_round_1(begin: Begin) -> None:
    piles = ("red 5, green 4", "purple 1", "", "")
    after = begin(*ONE_EACH, extras=(3, 1, 1, 1), piles=piles, trick=12).play_cards()
    assert after["points"] == [[11, 2, 1, 0]]
    assert (after["round"], after["trick"], after["phase"], after["leader"]) == (2, 1, "gift", 1)
    assert after["to_act"] == [0, 1, 2, 3]


def test_e12_the_end(begin: Begin) -> None:
    after = begin(*ONE_EACH, leader=2, trick=12, points=[(5, 6, 6, 5)]).play_cards()
    assert (after["scores"], after["winners"]) == ([6, 7, 7, 5], [False, False, True, False])
    assert (after["phase"], after["to_act"], after["leader"], after["open"]) == ("over", [], 2, [None, None])


def test_e13_gifts(kind: type[Position]) -> None:
    hands = ([*range(4), *range(12, 16), 24, 25, 36, 37], [*range(4, 11), *range(16, 21)], [11, *range(26, 36), 38])
    start = Games(1, 3, seed=random.Random(1).getrandbits(64)).snapshot(0)
    box = [each for each in range(48) if not any(each in hand for hand in hands)]
    game = kind(start | {"hands": [list(hand) for hand in hands], "box": box})
    assert game.asked() == {0: [card("red 4"), BLUE_4], 1: [RED_11], 2: [GREEN_12]}
    game.step([BLUE_4, RED_11, GREEN_12])
    after = game.snapshot()
    assert BLUE_4 in after["hands"][2]
    assert RED_11 in after["hands"][0]
    assert GREEN_12 in after["hands"][1]
    assert after["known"] == [[[], [], [BLUE_4]], [[RED_11], [], []], [[], [GREEN_12], []]]
    assert (after["phase"], after["to_act"]) == ("card", [0])
