"""The literal implementation of Maui alone: the worked examples of the rules, section 7, and chance that it refuses."""

import random
from typing import Any

import pytest
from naive_maui import DEFAULT_RULESET, NO_PATTERN, PASS, TOWELS, Chance, Game, Impossible, Piece, Towel

from strand_env.maui import Ruleset

PATTERNS = "YPBRV"


class Shuffled(Chance):
    """Draws at random."""

    def __init__(self, seed: int = 0) -> None:
        self.rng = random.Random(seed)

    def towel(self, part: int, number: int, bag: list[int]) -> int:
        return self.rng.choice(bag)

    def pieces(self, seat: int, pieces: list[str], first_spot: int) -> list[str]:
        return self.rng.sample(pieces, len(pieces))

    def first(self, candidates: list[int]) -> int:
        return self.rng.choice(candidates)


def number(word: str) -> int:
    return TOWELS.index(tuple(PATTERNS.index(letter) for letter in word))


def shown_by(towel: Towel) -> dict[int, int]:
    """The pattern in each row in which the towel has an active cell."""
    shown = {row: towel.shows(row, DEFAULT_RULESET["token_patterns"]) for row in range(-1, 10)}
    return {row: pattern for row, pattern in shown.items() if pattern != NO_PATTERN}


def position(
    last: str = "YPB",
    top: int = 3,
    market: str = "",
    column: int = 1,
    pieces: dict[tuple[int, int], str] | None = None,
    players: int = 3,
    variant: str = "base",
    zones: tuple[int, int] = (1, 1),
    **fields: Any,
) -> Game:
    """Player 0's turn: the last towel, what is on the market, the next column, what lies on spots, fields of theirs."""
    game = Game(players, variant, DEFAULT_RULESET, Shuffled())
    game.first = game.seat = 0
    for place, word in enumerate(market.split()):
        game.market[place // 3][place % 3] = number(word)
    game.zones = list(zones)
    player = game.players[0]
    player.towels = [Towel(0, 3)] * (column - 1) + [Towel(number(last), top)]
    player.pieces = [Piece(name, spot) for spot, name in (pieces or {}).items()]
    for name, value in fields.items():
        setattr(player, name, value)
    game.ask_again()
    return game


def play(game: Game, action: int) -> dict[str, Any]:
    game.step([action if player == game.asked else PASS for player in range(len(game.players))])
    return game.snapshot()


def test_e1_a_match_moves_shells_and_brings_a_token() -> None:
    after = play(position("PVY", 1, "PVB", shells=[0, 3, 0, 0, 0]), 2)
    assert after["shells"][0] == [0, 6, 0, 0, 2]
    assert after["tokens"][0] == [0, 1]
    assert after["supply"] == [2, 1]


def test_e2_scoring() -> None:
    game = position(shells=[12, 8, 5, 3, 2], pearls=[3, 1], dollars=2, penalties=3)
    assert game.shell_points(game.players[0]) == 50
    assert game.score(game.players[0]) == 60


def test_e3_paying_closing_up_and_dollars() -> None:
    game = position("YPB", 3, "RYP YRV PYR")
    after = play(game, 5 + 2)
    assert after["shells"][0] == [1, 0, 0, 0, 0]
    assert (after["dollars"][0], after["zones"]) == (0, [2, 1])
    assert after["market"][:3] == [number("RYP"), number("PYR"), after["drawn"][0][-1]]
    after = play(game, 30)
    assert (after["dollars"][1], after["zones"]) == (3, [0, 1])


def test_e4_sticking_out() -> None:
    game = position("BRV", 1, "YPB")
    after = play(game, 0)
    assert after["beach"][0][-1] == [number("YPB"), -1, ["water", "water", None]]
    assert after["shells"][0] == [0, 0, 3, 0, 0]
    assert after["penalties"][0] == 2
    assert shown_by(game.players[0].last) == {1: 2}


def test_e5_pearls() -> None:
    after = play(position("BRV", 3, "BRY", column=2, pieces={(2, 3): "pearl0"}), 2)
    assert (after["pearls"][0], after["lying"][0]) == ([1, 0], [False])
    assert after["shells"][0] == [0, 0, 1, 1, 0]
    after = play(position("BRV", 3, "BRY", column=3, pieces={(3, 6): "pearl0"}), 2)
    assert (after["pearls"][0], after["lying"][0]) == ([0, 0], [False])


def test_e6_umbrellas() -> None:
    e6 = {"last": "BRV", "top": 3, "market": "BRY", "column": 2, "pieces": {(2, 3): "pattern0"}}
    game = position(**e6, shells=[4, 0, 0, 0, 2])
    asked = play(game, 2)
    assert (asked["phase"], asked["pending"], game.legal(0)) == ("umbrella", [0], [38, 42])
    assert play(game, 38)["shells"][0] == [5, 0, 1, 1, 2]
    assert play(position(**e6, shells=[12, 0, 0, 0, 2]), 2)["shells"][0] == [12, 0, 1, 1, 3]
    after = play(position(**e6, shells=[12, 0, 0, 0, 12]), 2)
    assert (after["shells"][0], after["lying"][0]) == ([12, 0, 1, 1, 12], [False])


def test_e7_a_fresh_token_waits() -> None:
    game = position("BRV", 3, "BRY", column=2, pieces={(2, 3): "pattern0"}, shells=[5, 0, 0, 0, 12])
    after = play(game, 2)
    assert (after["shells"][0], after["tokens"][0]) == ([6, 0, 1, 1, 12], [1, 0])
    assert (after["phase"], after["to_act"], after["fresh"]) == ("turn", [1], [0, 0])


def test_e8_a_token_may_be_the_only_way() -> None:
    assert 2 not in position("BYP", 3, "RVY").legal(0)
    after = play(position("BYP", 3, "RVY", tokens=[1, 0]), 2)
    assert after["beach"][0][-1] == [number("RVY"), 3, ["token0", None, None]]
    assert (after["shells"][0], after["tokens"][0], after["to_act"]) == ([0, 0, 1, 0, 0], [0, 0], [1])


@pytest.mark.parametrize(("action", "shells"), [(46, [0, 0, 1, 1, 0]), (48, [0, 0, 1, 0, 0]), (49, [0, 0, 1, 0, 0])])
def test_e9_tokens_must_leave_a_match(action: int, shells: list[int]) -> None:
    game = position("RBY", 3, "VBP", tokens=[0, 1])
    play(game, 2)
    assert (game.phase, game.legal(0)) == ("token", [46, 48, 49])
    after = play(game, action)
    assert (after["shells"][0], after["tokens"][0]) == (shells, [0, int(action == 49)])


def test_e10_the_spare_towel() -> None:
    e10 = {"last": "YPB", "top": -1, "column": 2, "market": "YPV BRY PYR PRV YBP RVP", "pieces": {(2, 3): "pattern0"}}
    assert position(**e10, dollars=0, zones=(1, 0)).players[0].dollars == 1
    assert position(**e10, dollars=1, zones=(0, 0)).legal(0) == [9, 23]
    game = position(**e10, dollars=0, zones=(0, 0))
    assert game.legal(0) == [32, 33, 34, 35, 36, 37]
    after = play(game, 33)
    assert after["beach"][0][-1] == [number("BRY"), 3, [None, None, None]]
    assert (after["shells"][0], after["lying"][0], after["zones"]) == ([0] * 5, [False], [0, 0])


def test_e11_crabs() -> None:
    game = position("YPB", 3, "VPR YPR", column=2, pieces={(2, 4): "crab4"}, variant="crabs")
    assert 2 not in game.legal(0)
    after = play(game, 5 + 2)
    assert (after["shells"][0], after["crab_points"][0]) == ([1, 0, 0, 0, 0], 4)
    assert after["beach"][0][-1] == [number("YPR"), 3, [None, 4, None]]
    assert shown_by(game.players[0].last) == {3: 0, 5: 3}


def test_e12_ties() -> None:
    game = position(players=4)
    for player in game.players:
        player.dollars, player.towels = 7, [Towel(0, 3)] * 10
    game.finish()
    assert game.winners == [False, False, False, True]
    game.players[3].towels = [Towel(0, 3)] * 11
    game.finish()
    assert game.winners == [False, False, True, False]
    game.players[0].dollars, game.players[0].penalties = 8, 1
    game.finish()
    assert (game.scores, game.winners) == ([7] * 4, [True, False, False, False])


def test_e13_the_round_is_finished() -> None:
    game = position("YPB", 3, "YPR", column=12)
    assert play(game, 2)["to_act"] == [1]
    for _turn in (1, 2):
        assert play(game, next(zone for zone in (30, 31) if game.zones[zone - 30]))["round"] == 1
    assert game.over


def test_rounds_are_counted_up_to_40() -> None:
    game, rng = position(players=2), random.Random(1)
    game.round = 40
    while not game.over:
        assert play(game, rng.choice(game.legal(game.asked)))["round"] == 40


def test_e14_part_2() -> None:
    game = position("YPB", 3, "YPR", column=12, players=2, variant="combined", dollars=1, pearls=[3, 1], penalties=5)
    game.players[0].shells = [6, 0, 1, 1, 0]  # the towel brings yellow and pink one step
    game.players[1].shells, game.players[1].dollars = [6, 0, 0, 0, 0], 1
    game.players[0].towels[-1].cover[1] = 4  # not pink, that is
    play(game, 2)
    after = play(game, 30)
    assert (after["part"], after["round"], after["first"], after["to_act"]) == (2, 1, 1, [1])
    assert after["shells"] == [[7, 0, 1, 1, 0], [6, 0, 0, 0, 0]]
    assert (after["pearls"][0], after["penalties"][0]) == ([3, 1], 5)
    assert (after["dollars"], after["zones"], len(after["bag"])) == ([1, 1], [1, 1], 52)


@pytest.mark.parametrize(("players", "dollars", "tokens", "bag"), [(2, 4, 2, 52), (3, 5, 4, 51), (4, 6, 4, 50)])
def test_e15_set_up(players: int, dollars: int, tokens: int, bag: int) -> None:
    start = Game(players, "base", DEFAULT_RULESET, Shuffled()).snapshot()
    assert sum(start["dollars"]) + sum(start["zones"]) == dollars
    assert sum(start["supply"]) == tokens
    assert len(start["bag"]) == bag


@pytest.mark.parametrize(
    ("key", "wrong"),
    [("first", 3), ("drawn", [[5] * 9]), ("drawn", [[0, 1, 2]]), ("drawn", []), ("pieces", [["pearl0"] * 8] * 3)],
)
def test_impossible_chance_is_refused(key: str, wrong: Any) -> None:
    start = Game(3, "base", DEFAULT_RULESET, Shuffled()).snapshot()
    assert Game(3, "base", DEFAULT_RULESET, Chance(lambda: start)).snapshot() == start
    with pytest.raises(Impossible, match=key):
        Game(3, "base", DEFAULT_RULESET, Chance(lambda: start | {key: wrong}))


def test_both_implementations_read_the_same_numbers() -> None:
    assert Ruleset.default().to_dict() == DEFAULT_RULESET
