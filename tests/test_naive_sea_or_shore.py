"""The literal implementation of Sea or Shore alone: the worked examples of the rules, section 7, and refused chance."""

import random
from collections.abc import Sequence
from itertools import chain, product
from typing import Any

import pytest
from naive_sea_or_shore import DEFAULT_RULESET, PASS, Chance, Game, Impossible, Shuffled, random_game

COLOURS = ("red", "blue", "green", "purple")
BLUE_4, RED_11, GREEN_12 = 15, 10, 35


def card(words: str) -> int:
    """The id of a card such as "blue 7"."""
    colour, number = words.split()
    return 12 * COLOURS.index(colour) + int(number) - 1


def treasures(words: str) -> list[list[int]]:
    return [[card(each) // 12, card(each) % 12 + 1] for each in words.split(", ")] if words else []


class Trick:
    """A trick of the examples: what is open, what is played from seat 0 on, and what was there before."""

    def __init__(
        self,
        opened: str,
        played: str,
        leader: int = 0,
        extras: Sequence[int] = (),
        sides: Sequence[int] = (0, 0),
        supply: int | None = None,
        piles: Sequence[str] = (),
        hand: int = 11,
        points: Sequence[Sequence[int]] = (),
    ) -> None:
        words = [each.split("+") for each in played.split(", ")]
        self.cards = [card(each[0]) for each in words]
        self.added = [int(each[1]) if len(each) == 2 else 0 for each in words]
        players = len(words)
        self.game = Game(players, DEFAULT_RULESET | {"sides": sides}, Shuffled(random.Random(1)))
        game = self.game
        game.leader, game.round, game.points = leader, len(points) + 1, [list(each) for each in points]
        rest = [each for each in range(48) if each not in self.cards]
        for player, own in zip(game.players, self.cards, strict=True):
            player.hand = {own, *(rest.pop() for _ in range(hand if players < 5 else min(hand, 8)))}
            player.extras = extras[player.seat] if extras else 0
            player.pile = treasures(piles[player.seat]) if piles else []
        self.old_hands = [player.hand - {own} for player, own in zip(game.players, self.cards, strict=True)]
        game.supply = 22 - sum(extras) if supply is None else supply
        for stack, treasure in zip(game.stacks, treasures(opened), strict=True):
            stack.open = treasure
        game.begin_trick()

    def play_cards(self) -> dict[str, Any]:
        """All cards and extras are played; what comes of it until somebody has to decide something else."""
        for _ in self.cards:
            [seat] = self.game.asked
            self.play(self.cards[seat])
            if self.game.phase == "extras":
                self.play(96 + self.added[seat])
        return self.game.snapshot()

    def play(self, *actions: int) -> dict[str, Any]:
        for action in actions:
            self.game.step([action if seat in self.game.asked else PASS for seat in range(len(self.cards))])
        return self.game.snapshot()

    def may(self) -> tuple[int, str, list[int]]:
        [(seat, actions)] = self.game.asked.items()
        return seat, self.game.phase, actions


def test_e1_stealing() -> None:
    trick = Trick("red 3, purple 2", "red 9, red 4, red 6, green 5", piles=("", "", "blue 2, red 4", ""))
    after = trick.play_cards()
    assert (after["extras"], after["wins"], after["queue"]) == ([0, 3, 0, 0], [[0, 0]], [[3, 3]])
    assert trick.may() == (0, "treasure", [110, 113])
    after = trick.play(110)
    assert after["treasures"] == [treasures("red 4"), [], treasures("blue 2"), []]
    assert trick.may() == (3, "stack", [114, 115])
    assert after["open"] == treasures("red 3, purple 2")
    after = trick.play(114, 116)
    assert after["under"] == [treasures("red 3"), treasures("purple 2")]
    assert (after["leader"], after["trick"], after["to_act"]) == (1, 2, [1])
    assert after["aside"] == sorted(trick.cards)


def test_e2_extras_raise_a_card() -> None:
    trick = Trick("blue 5, green 1", "blue 9, blue 7+3, green 2, purple 2", extras=(0, 4, 0, 0))
    after = trick.play_cards()
    assert trick.may() == (3, "stack", [114, 115])
    assert after["treasures"] == [[], treasures("blue 5"), treasures("green 1"), []]
    assert (after["extras"], after["supply"]) == ([2, 1, 0, 0], 16)
    assert after["plays"][1] == {"card": 18, "shows": "colour", "extras": 3}
    assert trick.play(115, 117)["supply"] == 19


def test_e3_two_colours_count_as_one() -> None:
    trick = Trick("red 3", "red 4, purple 7, green 9")
    after = trick.play_cards()
    assert trick.may() == (2, "order", [116, 117, 118, 119, 120, 121])
    assert (after["treasures"], after["extras"]) == ([treasures("red 3"), [], []], [0, 2, 0])
    assert (after["stack"], after["looker"], after["arranged"]) == (0, [2], [3])


@pytest.mark.parametrize(("leader", "doer", "loser"), [(0, 1, 2), (1, 1, 2), (2, 2, 1)])
def test_e4_ties_of_two_colours(leader: int, doer: int, loser: int) -> None:
    trick = Trick("red 3", "red 4, purple 7, green 7", leader)
    after = trick.play_cards()
    assert (after["queue"], after["extras"]) == ([[doer, 3]], [2 * (seat == loser) for seat in range(3)])


@pytest.mark.parametrize(("leader", "winner", "loser"), [(0, 0, 1), (2, 0, 1), (1, 1, 0)])
def test_e5_nothing_counts_more_than_12(leader: int, winner: int, loser: int) -> None:
    played, piles = "blue 12, blue 11+3, purple 1, green 1", ("blue 1", "blue 2", "", "")
    trick = Trick("blue 5, green 1", played, leader, extras=(0, 3, 0, 0), piles=piles)
    after = trick.play_cards()
    steal = 108 + (loser - winner) % 4
    assert trick.may() == (winner, "treasure", [steal, 113])
    assert after["extras"] == [2 * (seat == loser) for seat in range(4)]
    assert trick.play(steal)["treasures"][loser] == []


def test_e6_equal_losers() -> None:
    trick = Trick("red 1, green 1", "red 10, red 5, red 3+2, green 5", extras=(0, 0, 2, 0))
    after = trick.play_cards()
    assert after["extras"] == [0, 3, 0, 0]
    assert (after["treasures"], after["trick"]) == ([treasures("red 1"), [], [], treasures("green 1")], 2)


@pytest.mark.parametrize(("leader", "extras"), [(0, [0, 0, 3, 0, 0]), (3, [0, 0, 1, 0, 2])])
def test_e7_a_short_supply(leader: int, extras: list[int]) -> None:
    after = Trick("red 1, green 1", "red 10, red 8, red 3, green 9, green 2", leader, supply=3).play_cards()
    assert (after["extras"], after["supply"]) == (extras, 0)


ONE_EACH = ("blue 1, green 1", "red 5, blue 5, green 5, purple 5")


@pytest.mark.parametrize(
    ("extras", "supply", "after"),
    [
        ((5, 1, 2, 0), 14, [7, 1, 0, 0]),
        ((5, 1, 1, 0), 15, [7, 1, 1, 0]),
        ((5, 1, 1, 0), 1, [6, 1, 1, 0]),
    ],
)
def test_e8_action_1_unasked(extras: Sequence[int], supply: int, after: list[int]) -> None:
    trick = Trick(*ONE_EACH, extras=extras, sides=(0, 1), supply=supply)
    assert trick.play_cards()["extras"] == after
    assert trick.may() == (3, "pick", [108, 109, 110, 111])


def test_e8_action_1_with_a_choice() -> None:
    trick = Trick(*ONE_EACH, extras=(0, 3, 1, 2), sides=(0, 1))
    trick.play_cards()
    assert trick.may() == (0, "target", [109, 111])
    assert trick.play(111)["extras"] == [2, 3, 1, 0]
    assert trick.may() == (3, "pick", [108, 109, 110, 111])


def test_e9_action_4_keeps_what_it_picks() -> None:
    trick = Trick(*ONE_EACH, sides=(0, 1))
    trick.play_cards()
    assert trick.play(109)["plays"][0] == {"card": None, "shows": "colour", "extras": 0}
    old, red_5 = trick.old_hands[3], card("red 5")
    assert trick.may() == (3, "discard", sorted({*old, red_5}))
    after = trick.play(min(old))
    assert after["hands"][3] == sorted({*old, red_5} - {min(old)})
    assert after["shown"] == [[], [], [], [red_5]]
    assert after["known"] == [[[], [], [], [red_5]]] * 3 + [[[]] * 4]
    assert after["aside"] == sorted([min(old), *trick.cards[1:]])


def test_e9_action_4_discards_what_it_picks() -> None:
    trick = Trick(*ONE_EACH, sides=(0, 1))
    trick.play_cards()
    after = trick.play(108, card("purple 5"))
    assert after["hands"][3] == sorted(trick.old_hands[3])
    assert after["aside"] == sorted(trick.cards)
    assert after["shown"] == [[]] * 4
    assert after["known"] == [[[]] * 4] * 4


def test_e10_action_2() -> None:
    trick = Trick(*ONE_EACH, sides=(1, 0))
    game, hands = trick.game, trick.old_hands
    for one, other in product(game.players, repeat=2):  # everybody remembers something of everybody
        if one is not other:
            one.known[other.seat] = {min(hands[other.seat])}
    game.players[0].shown, game.players[1].shown = {min(hands[0])}, {min(hands[1])}
    trick.play_cards()
    assert trick.may() == (0, "target", [109, 110, 111])
    asked = trick.play(110)
    first, second = asked["taken"]
    own = max(hands[0])
    assert {first, second} <= hands[2]
    assert trick.may() == (0, "give", sorted({*hands[0], first, second}))
    assert (asked["target"], asked["queue"]) == (2, [[0, 2], [3, 3]])
    assert asked["known"][2][0] == sorted({min(hands[0]), first, second})
    asked = trick.play(first)
    assert (asked["given"], first in asked["hands"][0]) == ([first], True)
    assert trick.may() == (0, "give", sorted({*hands[0], second}))
    after = trick.play(own)
    assert (trick.may()[:2], after["target"], after["taken"], after["given"]) == ((3, "stack"), None, [], [])
    assert after["hands"][0] == sorted(hands[0] - {own} | {second})
    assert after["hands"][2] == sorted(hands[2] - {second} | {own})
    assert after["known"][0][2] == sorted({min(hands[2])} - {second} | {first, own})
    assert after["known"][2][0] == sorted({min(hands[0]), second})
    for third, (other, of_it) in product((1, 3), enumerate(hands)):
        kept = other not in (third, 0, 2)
        assert after["known"][third][other] == ([min(of_it)] if kept else [])
    assert after["shown"] == [[], [min(hands[1])], [], []]


def test_e10_action_2_with_one_card() -> None:
    trick = Trick(*ONE_EACH, sides=(1, 0), hand=1)
    trick.play_cards()
    [drawn] = trick.play(110)["taken"]
    assert trick.may() == (0, "give", sorted({*trick.old_hands[0], drawn}))
    after = trick.play(*trick.old_hands[0])
    assert after["hands"][0] == [drawn]
    assert after["hands"][2] == [*trick.old_hands[0]] == after["known"][0][2]


def test_e11_the_last_trick_of_round_1() -> None:
    piles = ("red 5, green 4", "purple 1", "", "")
    after = Trick(*ONE_EACH, extras=(3, 1, 1, 1), piles=piles, hand=0).play_cards()
    assert after["points"] == [[11, 2, 1, 0]]
    assert (after["round"], after["trick"], after["phase"], after["leader"]) == (2, 1, "gift", 1)
    assert after["to_act"] == [0, 1, 2, 3]


def test_e12_the_end() -> None:
    after = Trick(*ONE_EACH, leader=2, hand=0, points=[(5, 6, 6, 5)]).play_cards()
    assert (after["scores"], after["winners"]) == ([6, 7, 7, 5], [False, False, True, False])
    assert (after["phase"], after["to_act"], after["leader"], after["open"]) == ("over", [], 2, [None, None])


def test_e13_gifts() -> None:
    hands = ([*range(4), *range(12, 16), 24, 25, 36, 37], [*range(4, 11), *range(16, 21)], [38, 11, *range(26, 36)])
    start = Game(3, DEFAULT_RULESET, Shuffled(random.Random(1))).snapshot()
    told = start | {"hands": [sorted(hand) for hand in hands]}
    game = Game(3, DEFAULT_RULESET, Chance(lambda: told))
    assert game.asked == {0: [card("red 4"), BLUE_4], 1: [RED_11], 2: [GREEN_12]}
    assert game.snapshot()["box"] == [each for each in range(48) if not any(each in hand for hand in hands)]
    game.step([BLUE_4, RED_11, GREEN_12])
    after = game.snapshot()
    assert BLUE_4 in after["hands"][2]
    assert RED_11 in after["hands"][0]
    assert GREEN_12 in after["hands"][1]
    assert after["known"] == [[[], [], [BLUE_4]], [[RED_11], [], []], [[], [GREEN_12], []]]
    assert (after["phase"], after["to_act"]) == ("card", [0])


def test_what_lookers_remember() -> None:
    """An earlier looker keeps which cards are among the top ones, until they are turned up."""
    trick = Trick("red 3", "red 4, purple 7, green 9")
    [stack] = trick.game.stacks
    a, b, c, d = [0, 1], [1, 1], [1, 5], [3, 2]
    stack.cards[:4] = [a, b, c, d]
    assert trick.play_cards()["peeked"] == [[[]], [[]], [[a, b, c]]]
    after = trick.play(121)  # from the last to the first: c is turned up
    assert (after["open"], after["stacks"][0][:3]) == ([c], [b, a, d])
    assert (after["looker"], after["arranged"], after["peeked"]) == ([2], [2], [[[]], [[]], [[a, b]]])
    game = trick.game
    doer = game.players[0]
    next(game.action_3(doer))  # as far as the choice of the order
    assert (stack.looker, stack.arranged) == (0, 3)
    assert stack.peeked == {0: [a, b, d], 1: [], 2: [a, b]}
    for left, known in ((2, [a]), (1, []), (0, [])):
        stack.turn_up()
        assert (stack.arranged, stack.looker, stack.peeked[2]) == (left, 0 if left else None, known)
    assert stack.peeked == {0: [], 1: [], 2: []}


@pytest.mark.parametrize(
    ("key", "wrong"),
    [
        ("hands", [[*range(12)]] * 3),
        ("hands", [[*range(11)], [*range(12, 24)], [*range(24, 36)]]),
        ("open", [[0, 9]]),
    ],
)
def test_impossible_chance_is_refused(key: str, wrong: Any) -> None:
    start = Game(3, DEFAULT_RULESET, Shuffled(random.Random(1))).snapshot()
    assert Game(3, DEFAULT_RULESET, Chance(lambda: start)).snapshot() == start
    with pytest.raises(Impossible, match="hands" if key == "hands" else "stacks"):
        Game(3, DEFAULT_RULESET, Chance(lambda: start | {key: wrong}))


@pytest.mark.parametrize("taken", [[], [1], [1, 1], [0, 47]])
def test_impossible_draws_are_refused(taken: list[int]) -> None:
    trick = Trick(*ONE_EACH, sides=(1, 0))
    trick.play_cards()
    trick.game.players[2].hand = {1, 2, 3}
    trick.game.chance = Chance(lambda: {"taken": taken})
    with pytest.raises(Impossible, match="taken"):
        trick.play(110)


@pytest.mark.parametrize("players", [3, 4, 5])
@pytest.mark.parametrize("sides", [(0, 0), (0, 1), (1, 0), (1, 1)])
def test_random_games_keep_all_material(players: int, sides: tuple[int, int]) -> None:
    for snapshot in random_game(players, seed=players, ruleset=DEFAULT_RULESET | {"sides": list(sides)}):
        on_table = [play["card"] for play in snapshot["plays"] if play and play["card"] is not None]
        cards = [*chain(*snapshot["hands"]), *snapshot["box"], *snapshot["aside"], *on_table]
        assert sorted(cards) == list(range(48))
        beside = sum(play["extras"] for play in snapshot["plays"] if play)
        assert sum(snapshot["extras"]) + snapshot["supply"] + beside == 22
        piles = [*snapshot["stacks"], *snapshot["under"], *snapshot["treasures"]]
        assert sum(map(len, piles)) + sum(each is not None for each in snapshot["open"]) == (20 if players == 3 else 32)
    assert snapshot["phase"] == "over"
    assert sum(snapshot["winners"]) == 1
