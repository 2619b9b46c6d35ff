"""The worked examples of Maui's rules, section 7, each from a snapshot."""

from typing import Any

import pytest
from maui_positions import (
    BLUE,
    DOLLARS,
    ORANGE,
    PINK,
    PURPLE,
    SPARE,
    STEP,
    TOKEN,
    YELLOW,
    fill,
    finished,
    legal,
    play,
    position,
    start,
    take,
    towel,
)

from strand_env.maui import PASS, Games, IllegalAction
from strand_env.maui.views import tell


def shells(snapshot: dict[str, Any], player: int = 0) -> dict[int, int]:
    """The shells that stand on their tracks."""
    return {track: square for track, square in enumerate(snapshot["shells"][player]) if square}


def test_e1_a_match_on_an_ornament_square() -> None:
    after = play(start("PVY", 1, market={0: "PVB"}, shells=(0, 3, 0, 0, 0)), take())
    assert shells(after) == {PINK: 6, PURPLE: 2}
    assert after["tokens"][0] == [0, 1]
    assert after["supply"] == [2, 1]


def test_e2_the_rulebooks_score() -> None:
    snapshot = finished((12, 12, 12), (60, 1, 0), winner=0)
    snapshot["shells"][0] = [12, 8, 5, 3, 2]
    snapshot |= {"pearls": [[3, 1], [0, 0], [0, 0]], "dollars": [2, 1, 0], "penalties": [3, 0, 0]}
    assert Games.from_snapshots([snapshot]).scores.tolist() == [[60, 1, 0]]
    with pytest.raises(ValueError, match=r"scores: .*60"):
        Games.from_snapshots([snapshot | {"scores": [61, 1, 0]}])


def test_e3_paying_and_refilling_and_the_zone() -> None:
    games = start("YPB", 3, market={1: "YRV"})
    before = games.snapshot(0)
    assert (before["dollars"], before["zones"]) == ([1, 1, 1], [1, 1])
    after = play(games, take(1))
    assert shells(after) == {YELLOW: 1}
    assert after["dollars"] == [0, 1, 1]
    assert after["zones"] == [2, 1]
    assert after["market"] == [*before["market"][:1], before["market"][2], after["drawn"][0][-1], *before["market"][3:]]
    assert after["market"][2] in before["bag"]
    assert after["bag"] == [number for number in before["bag"] if number != after["market"][2]]
    after = play(games, DOLLARS)
    assert after["dollars"] == [0, 3, 1]
    assert after["zones"] == [0, 1]
    assert after["to_act"] == [2]


def test_e4_sticking_out_into_the_water() -> None:
    after = play(start("BRV", 1, market={0: "YPB"}), take(shift=-2))
    assert after["beach"][0][1] == [towel("YPB"), -1, ["water", "water", None]]
    assert shells(after) == {BLUE: 3}
    assert after["penalties"][0] == 2


def test_e5_a_pearl_is_collected_where_it_is_covered() -> None:
    after = play(start("BRV", 3, 2, market={0: "BRY"}, pieces={(2, 3): "pearl1"}), take())
    assert after["pearls"][0] == [0, 1]
    assert shells(after) == {BLUE: 1, ORANGE: 1}
    assert after["lying"][0] == [False] + [True] * 7
    after = play(start("BRV", 3, 3, market={0: "BRY"}, pieces={(3, 6): "pearl1"}), take())
    assert after["pearls"][0] == [0, 0]
    assert after["lying"][0] == [False] * 2 + [True] * 6


def on_an_umbrella(yellow: int, purple: int) -> Games:
    squares = (yellow, 0, 0, 0, purple)
    return start("BRV", 3, 2, market={0: "BRY"}, pieces={(2, 3): "pattern0"}, shells=squares)


def test_e6_a_pattern_umbrella_moves_one_of_two_shells() -> None:
    games = on_an_umbrella(4, 2)
    asked = play(games, take())
    assert (asked["phase"], asked["to_act"], asked["pending"]) == ("umbrella", [0], [0])
    assert asked["shells"][0] == [4, 0, 0, 0, 2]
    assert legal(games) == [STEP + YELLOW, STEP + PURPLE] == [38, 42]
    assert shells(play(games, 38)) == {YELLOW: 5, PURPLE: 2, BLUE: 1, ORANGE: 1}
    not_asked = play(on_an_umbrella(12, 2), take())
    assert shells(not_asked) == {YELLOW: 12, PURPLE: 3, BLUE: 1, ORANGE: 1}
    nothing = play(on_an_umbrella(12, 12), take())
    assert shells(nothing) == {YELLOW: 12, PURPLE: 12, BLUE: 1, ORANGE: 1}
    for after in (not_asked, nothing):
        assert (after["phase"], after["to_act"], after["pending"]) == ("turn", [1], [])
        assert not after["lying"][0][0]


def test_e7_a_token_from_an_umbrella_waits_for_the_next_turn() -> None:
    after = play(on_an_umbrella(5, 12), take())
    assert shells(after) == {YELLOW: 6, PURPLE: 12, BLUE: 1, ORANGE: 1}
    assert after["tokens"][0] == [1, 0]
    assert (after["phase"], after["to_act"]) == ("turn", [1])


def test_e8_a_token_as_the_only_way_to_a_match() -> None:
    without = start("BYP", 3, market={0: "RVY"})
    assert take() not in legal(without)
    with pytest.raises(IllegalAction, match=r"game 0, player 0, phase 'turn': action 2 "):
        play(without, take())
    after = play(start("BYP", 3, market={0: "RVY"}, tokens=(1, 0)), take())
    assert after["beach"][0][1] == [towel("RVY"), 3, ["token0", None, None]]
    assert shells(after) == {BLUE: 1}
    assert after["tokens"][0] == [0, 0]
    assert (after["phase"], after["to_act"]) == ("turn", [1])


@pytest.mark.parametrize(
    ("action", "moved", "cover", "held"),
    [
        (46, {BLUE: 1, ORANGE: 1}, ["token1", None, None], 0),
        (48, {BLUE: 1}, [None, None, "token1"], 0),
        (49, {BLUE: 1}, [None, None, None], 1),
    ],
)
def test_e9_a_token_may_not_undo_the_only_match(action: int, moved: Any, cover: list[Any], held: int) -> None:
    games = start("RBY", 3, market={0: "VBP"}, tokens=(0, 1))
    asked = play(games, take())
    assert (asked["phase"], asked["to_act"]) == ("token", [0])
    assert legal(games) == [46, 48, 49] == [TOKEN + 3, TOKEN + 5, PASS]
    after = play(games, action)
    assert shells(after) == moved
    assert after["beach"][0][1][2] == cover
    assert after["tokens"][0] == [0, held]


E10 = {"last": "YPB", "top": -1, "column": 2, "market": dict(enumerate(["YPV", "BRY", "PYR", "PRV", "YBP", "RVP"]))}


def test_e10_the_only_dollar_is_taken_without_being_asked() -> None:
    before = position(**E10, dollars=0, zones=(1, 0), pieces={(2, 3): "pearl0"})
    with pytest.raises(ValueError, match="to_act"):
        Games.from_snapshots([before])  # a decision without a choice has been carried out
    # Player 2, before player 0 in the turn order, takes the dollars of the other zone.
    before |= {"first": 2, "to_act": [2], "zones": [1, 1], "dollars": [0, 2, 1]}
    after = play(Games.from_snapshots([before]), DOLLARS + 1)
    assert after["dollars"] == [1, 2, 2]
    assert after["zones"] == [0, 0]
    assert (after["phase"], after["to_act"]) == ("turn", [1])


def test_e10_two_towels_can_be_paid() -> None:
    assert legal(start(**E10, dollars=1, zones=(0, 0))) == [take(1, 2), take(4, 1)] == [9, 23]


def test_e10_the_spare_towel() -> None:
    games = start(**E10, dollars=0, zones=(0, 0), pieces={(2, 3): "pearl0"})
    assert legal(games) == list(range(32, 38))
    after = play(games, SPARE + 1)
    assert after["beach"][0][2] == [towel("BRY"), 3, [None] * 3]
    assert not shells(after)
    assert not after["lying"][0][0]
    assert after["pearls"][0] == [0, 0]
    assert after["dollars"][0] == 0


def test_e11_crabs_cover_cells() -> None:
    crab = {"variant": "crabs", "pieces": {(2, 4): "crab4"}}
    games = start("YPB", 3, 2, market={0: "VPR", 1: "YPR"}, **crab)
    assert take() not in legal(games)
    after = play(games, take(1))
    assert shells(after) == {YELLOW: 1}
    assert after["beach"][0][2] == [towel("YPR"), 3, [None, 4, None]]
    assert after["crab_points"][0] == 4
    # For the next towel, cell 1 is not active.
    after |= {"to_act": [0], "first": 0}
    last = Games.from_snapshots([after])
    for place, number in enumerate(after["market"]):
        letters = "".join("YPBRV"[pattern] for pattern in _patterns(number))
        matches = letters[0] == "Y" or letters[2] == "R"
        payable = place % 3 <= after["dollars"][0]
        assert (take(place) in legal(last)) == (matches and payable)


def _patterns(number: int) -> tuple[int, ...]:
    from strand_env.maui.ruleset import TOWELS

    return TOWELS[number]


def test_e12_ties_are_broken_completely() -> None:
    seven = {"shells": [[4, 0, 0, 0, 0] for _ in range(4)]}  # 6 points, and a dollar each
    assert Games.from_snapshots([finished((12,) * 4, (7,) * 4, winner=3, **seven)]).winners.tolist()[0][3]
    more_towels = finished((11, 11, 11, 12), (7,) * 4, winner=2, **seven)
    assert Games.from_snapshots([more_towels]).winners.tolist()[0][2]
    more_dollars = finished((11, 11, 11, 12), (7,) * 4, winner=0, **seven)
    more_dollars |= {"dollars": [2, 1, 1, 1], "zones": [1, 0], "penalties": [1, 0, 0, 0]}
    assert Games.from_snapshots([more_dollars]).winners.tolist()[0][0]
    for wrong in range(1, 4):
        winners = [player == wrong for player in range(4)]
        with pytest.raises(ValueError, match="winners"):
            Games.from_snapshots([more_dollars | {"winners": winners}])


def test_e12_the_turn_order_begins_with_the_first_player() -> None:
    seven = {"shells": [[4, 0, 0, 0, 0] for _ in range(4)], "first": 2}
    assert Games.from_snapshots([finished((12,) * 4, (7,) * 4, winner=1, **seven)]).winners.tolist()[0][1]


def test_e13_the_round_is_finished() -> None:
    games = Games.from_snapshots([fill(position("YPB", 3, 12, market={0: "YRV"}), (11, 10, 10))])
    after = play(games, take())
    assert len(after["beach"][0]) == 13
    assert after["to_act"] == [1]
    assert play(games, DOLLARS)["to_act"] == [2]
    assert play(games, DOLLARS + 1)["phase"] == "over"


def test_e14_the_second_part() -> None:
    snapshot = fill(position(players=2, variant="base"), (12, 11))
    snapshot |= {
        "variant": "combined",
        "to_act": [1],
        "shells": [[7, 0, 1, 1, 0], [6, 0, 0, 0, 0]],
        "dollars": [1, 1],
        "zones": [1, 1],
        "pearls": [[3, 1], [0, 0]],
        "penalties": [5, 0],
    }
    after = play(Games.from_snapshots([snapshot]), DOLLARS)
    assert tell(snapshot, [PASS, DOLLARS], after)[-3:] == [
        "Player 0 has filled the beach: part 1 is over.",
        "Shells and dollars make 15 for player 0 and 12 for player 1.",
        "The beaches are set up again with crabs, and player 1 begins part 2.",
    ]
    assert (after["part"], after["round"], after["first"], after["to_act"]) == (2, 1, 1, [1])
    for kept in ("shells", "pearls", "penalties", "tokens", "supply"):
        assert after[kept] == snapshot[kept]
    assert after["dollars"] == [1, 1]
    assert after["zones"] == [1, 1]
    assert len(after["bag"]) == 52
    assert after["drawn"][0] == snapshot["drawn"][0]
    assert len(after["drawn"][1]) == 8


@pytest.mark.parametrize(("players", "dollars", "tokens", "bag"), [(2, 4, 2, 52), (3, 5, 4, 51), (4, 6, 4, 50)])
@pytest.mark.parametrize("variant", ["base", "crabs", "combined"])
def test_e15_set_up(players: int, dollars: int, tokens: int, bag: int, variant: str) -> None:
    snapshot = Games(1, players, seed=players, variant=variant).snapshot(0)
    assert sum(snapshot["dollars"]) + sum(snapshot["zones"]) == dollars
    assert snapshot["dollars"] == [1] * players
    assert sum(snapshot["supply"]) == tokens
    assert len(snapshot["bag"]) == bag
    assert snapshot["shells"] == [[0] * 5] * players
    assert all(row[0][1:] == [3, [None] * 3] and len(row) == 1 for row in snapshot["beach"])
