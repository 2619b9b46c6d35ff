"""The ruleset: checked, frozen, and obeyed by the games."""

import dataclasses
import json
from typing import Any

import numpy as np
import pytest
from playing import whole_games

from strand_env.strand_unter import PASS, Games, Ruleset, describe

DEFAULT = Ruleset.default()
SCARCE_FILLS = ((1, 2, 3, 4, 5, 6, 7, 8), (0,) * 8, (2, 1) * 4)
ONE_COLOUR_CARDS = [[[3 + value, 0, 0, 0]] * 8 for value in range(4)]


def with_card(value: int, card: Any) -> list[Any]:
    cards = DEFAULT.to_dict()["cards"]
    cards[value][5] = card
    return cards


# The facts of the rules page


def test_default_shells_and_dial() -> None:
    assert DEFAULT.shells == (20, 20, 20, 20)
    assert DEFAULT.combinations == (
        "two_same",
        "two_different",
        "three_same",
        "two_and_one",
        "three_different",
        "all_of_one",
    )
    assert DEFAULT.fills == ((5, 6, 5, 6, 5, 6, 5, 6), (8,) * 8, (9,) * 8)


@pytest.mark.parametrize(("value", "patterns"), list(enumerate(["1110 2100", "2110 2200", "3110 2210", "3210 2211"])))
def test_default_cards(value: int, patterns: str) -> None:
    assert len(DEFAULT.cards[value]) == 8
    for k, pattern in enumerate(patterns.split()):
        x = [int(digit) for digit in pattern]
        assert sum(x) == 3 + value
        for r in range(4):
            assert DEFAULT.cards[value][4 * k + r] == tuple(x[(c - r) % 4] for c in range(4))
    assert len(set(map(sum, zip(*DEFAULT.cards[value], strict=True)))) == 1, "a colour is favoured"


# Validation


NO_CARDS = (None, 5, [3, 1, 1], [5, 0, 0, 0, 0], [6, -1, 0, 0], [5.0, 0, 0, 0], [True, 4, 0, 0], [81, 0, 0, 0])
NO_FILLS = (None, 9, [9] * 7, [9] * 9, [-1] + [9] * 7, [9.0] * 8, [True] * 8, [10] * 7 + [11])
REFUSED = [
    *[("shells", value, "shells") for value in (None, 80, "20202020", {}, [], [80], [20] * 5, [[20] * 4])],
    *[("shells", [20, 20, 20, value], "shells") for value in (21, 20.0, "20", True, None)],
    *[("shells", value, "shells") for value in ([-1, 21, 30, 30], [81, -1, 0, 0], np.full(4, 20.0))],
    *[("cards", value, "cards") for value in (None, 5, "cards", {}, [], DEFAULT.cards[:3], (*DEFAULT.cards, ()))],
    *[("cards", [value, *DEFAULT.cards[1:]], "cards[0]") for value in (None, [], DEFAULT.cards[0][:7])],
    *[("cards", with_card(2, value), "cards[2][5]") for value in NO_CARDS],
    # more shells, more value
    ("cards", with_card(0, [0, 0, 0, 0]), "cards[0][5]"),
    ("cards", with_card(0, [4, 0, 0, 0]), "cards[1][0]"),
    ("cards", with_card(2, [4, 0, 0, 0]), "cards[2][5]"),
    *[("combinations", value, "combinations") for value in (None, 5, "two_same", [], DEFAULT.combinations[:5])],
    ("combinations", (*DEFAULT.combinations, "two_same"), "combinations"),
    ("combinations", (*DEFAULT.combinations[:5], "two_same"), "combinations"),
    ("combinations", (*DEFAULT.combinations[:5], "All_of_one"), "combinations"),
    ("combinations", [*DEFAULT.combinations[:5], ["all_of_one"]], "combinations"),
    ("combinations", dict.fromkeys(DEFAULT.combinations), "combinations"),
    ("combinations", set(DEFAULT.combinations), "combinations"),
    *[("fills", value, "fills") for value in (None, 9, {}, [], DEFAULT.fills[:2], (*DEFAULT.fills, (9,) * 8))],
    *[("fills", [*DEFAULT.fills[:2], value], "fills[2]") for value in NO_FILLS],
    *[("rounds", value, "rounds") for value in (None, 0, 16, 3.0, True, "3", [3])],
    *[("dial", value, "dial") for value in (None, 4, [], [0], [0, 0], [1, 0], [0, 10], [-1, 0], [0, 4, 5], [0, 1.0])],
    *[("castles", value, "castles") for value in (None, 4, [], [4], [1, 0], [1, 1], [True], "0")],
]


@pytest.mark.parametrize(("field", "value", "named"), REFUSED)
def test_bad_rules_are_refused(field: str, value: Any, named: str) -> None:
    with pytest.raises(ValueError, match="ruleset") as refused:
        Ruleset(**{field: value})
    assert str(refused.value).startswith(f"ruleset.{named}: ")


@pytest.mark.parametrize("data", [None, [], "", {}, {**DEFAULT.to_dict(), "sea": 1}, {"shells": [20] * 4}])
def test_bad_data_is_refused(data: Any) -> None:
    with pytest.raises(ValueError, match=r"^ruleset: expected the keys"):
        Ruleset.from_dict(data)


# A value like others


def test_frozen_and_hashable() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        DEFAULT.shells = (80, 0, 0, 0)  # type: ignore[misc]
    assert Ruleset() == DEFAULT
    assert {Ruleset(): "same"}[DEFAULT] == "same"
    assert Ruleset(shells=(80, 0, 0, 0)) != DEFAULT


def test_lists_and_arrays_will_do() -> None:
    given = Ruleset(
        shells=np.array([10, 20, 20, 30], np.int8),
        cards=np.array(DEFAULT.cards),
        combinations=list(DEFAULT.combinations),
        fills=[list(fill) for fill in DEFAULT.fills],
    )
    assert given == Ruleset(shells=(10, 20, 20, 30))
    assert hash(given) == hash(Ruleset(shells=(10, 20, 20, 30)))


def test_what_was_given_may_change_later() -> None:
    shells = [10, 20, 20, 30]
    ruleset = Ruleset(shells=shells)
    shells[0] = 0
    ruleset.to_dict()["shells"][0] = 0
    assert ruleset.shells == (10, 20, 20, 30)


@pytest.mark.parametrize(
    "ruleset", [DEFAULT, Ruleset((8, 9, 3, 60), ONE_COLOUR_CARDS, DEFAULT.combinations[::-1], SCARCE_FILLS)]
)
def test_through_json(ruleset: Ruleset) -> None:
    assert Ruleset.from_dict(json.loads(json.dumps(ruleset.to_dict()))) == ruleset


# Obeyed


def totals(snapshot: dict[str, Any]) -> list[int]:
    places = [snapshot["shells"], snapshot["bag"], *snapshot["covered"], *snapshot["buckets"]]
    return [sum(colour) for colour in zip(*places, strict=True)]


@pytest.mark.parametrize("shells", [[80, 0, 0, 0], [1, 2, 3, 74], [40, 0, 40, 0]])
def test_shells_act(shells: list[int]) -> None:
    for games in whole_games(Games(20, 3, ruleset=Ruleset(shells=shells))):
        assert all(totals(games.snapshot(number)) == shells for number in range(20))


@pytest.mark.parametrize("players", [2, 3, 4])
def test_fills_act(players: int) -> None:
    fill = SCARCE_FILLS[players - 2]
    rounds = set()
    for games in whole_games(Games(1, players, ruleset=Ruleset(fills=SCARCE_FILLS))):
        snapshot = games.snapshot(0)
        if snapshot["phase"] == "dial":
            rounds.add(snapshot["round"])
            assert sum(snapshot["shells"]) == fill[snapshot["groove"] - 1]
            hidden = [0 if groove <= snapshot["round"] else fill[groove - 1] for groove in range(1, 9)]
            assert [sum(row) for row in snapshot["covered"]] == hidden
    assert rounds == set(range(1, 16)), "without shells to build with, all rounds are played"


def test_cards_act() -> None:
    cards = [[[0, 0, 9 * value + 1, number] for number in range(8)] for value in range(4)]
    games = Games(500, 4, ruleset=Ruleset(cards=cards))
    for value in range(4):
        dealt = [tuple(map(tuple, hands[:, value].tolist())) for hands in games.state["cards"]]
        assert all(len(set(hands)) == 4 for hands in dealt), "without replacement"
        assert set().union(*dealt) == set(map(tuple, cards[value]))


TAKEN = {
    "two_same": [0, 0, 0, 2],
    "two_different": [0, 0, 1, 1],
    "three_same": [0, 0, 0, 3],
    "two_and_one": [0, 0, 1, 2],
    "three_different": [0, 1, 1, 1],
    "all_of_one": [0, 0, 0, 5],
}


@pytest.mark.parametrize("turn", range(6))
def test_combinations_act(turn: int) -> None:
    combinations = DEFAULT.combinations[turn:] + DEFAULT.combinations[:turn]
    ruleset = Ruleset(combinations=combinations)
    start = Games(1, 2, ruleset=ruleset).snapshot(0)
    start.update(shells=[5] * 4, bag=[15] * 4, covered=[[0] * 4] * 8)
    for position, kind in enumerate(combinations, 4):
        assert describe(position, ruleset) == describe(4 + DEFAULT.combinations.index(kind))
        games = Games.from_snapshots([start])
        games.step([[position, 3]])
        games.step([[PASS, 36]])
        games.step([[np.flatnonzero(games.legal[0, 0])[0], PASS]])
        assert sorted(games.snapshot(0)["buckets"][0]) == TAKEN[kind]


def test_the_order_of_combinations_acts() -> None:
    """With a single pair of white shells, whoever stands further left on the dial gets it."""
    for combinations, taker in ((DEFAULT.combinations, 0), (DEFAULT.combinations[::-1], 1)):
        start = Games(1, 2, ruleset=Ruleset(combinations=combinations)).snapshot(0)
        start.update(shells=[2, 0, 0, 0], bag=[18, 20, 20, 20], covered=[[0] * 4] * 8)
        games = Games.from_snapshots([start])
        games.step([[4 + combinations.index("two_same"), 4 + combinations.index("all_of_one")]])
        snapshot = games.snapshot(0)
        assert [sum(bucket) for bucket in snapshot["buckets"]] == [2 * (taker == player) for player in (0, 1)]
        assert snapshot["owed"] == [taker != player for player in (0, 1)]


# Small games


def test_small_games_use_what_is_in_play_alone() -> None:
    ruleset = Ruleset(shells=(9, 0, 7, 2), rounds=4, dial=(1, 2, 5, 9), castles=(1, 3))
    games = Games(200, 3, seed=2, ruleset=ruleset)
    seen = set()
    for number in range(60):
        to_act, legal = games.to_act, games.legal
        for game, player in np.argwhere(to_act).tolist():
            snapshot = games.state[game]
            allowed = set(np.flatnonzero(legal[game, player]).tolist())
            phase = games.phases[snapshot["phase"]]
            seen.add(phase)
            if phase in ("dial", "spell"):
                assert allowed == ({1, 2, 5, 9} if phase == "dial" else {1, 2})
            assert not allowed & {36, 38, *range(40, 44), *range(48, 52)}  # castles 0 and 2
        assert (games.state["round"] <= 4).all()
        games.step(games.random_actions(number))
    assert games.over.all()
    assert {"dial", "spell", "pick"} <= seen
    assert (games.state["castles"][:, :3, [0, 2]] == 13).all()
    everything = games.statistics(np.arange(200), np.zeros(200, int))
    assert everything["castles built"].max() <= 2
    assert everything["flooded"].max() == 0
    assert (everything["rounds"] <= 4).all()


def test_building_all_castles_in_play_ends_a_small_game() -> None:
    ruleset = Ruleset(shells=(40, 0, 0, 0), cards=ONE_COLOUR_CARDS, castles=(0,), fills=((8,) * 8,) * 3)
    games = Games(300, 2, seed=1, ruleset=ruleset)
    while not games.over.all():
        legal = games.legal
        builds = legal[:, :, 40:44].any(2)
        actions = games.random_actions(int(games.state["round"].sum()))
        actions[builds] = 40 + legal[:, :, 40:44].argmax(2)[builds]
        games.step(actions)
    ended_early = games.state["round"] < 15
    assert ended_early.mean() > 0.9
    built = (games.state["castles"][:, :2, 0] != 0) & (games.state["castles"][:, :2, 0] != 12)
    assert built.any(1)[ended_early].all()


def test_snapshots_of_small_games_keep_their_rules() -> None:
    ruleset = Ruleset.small()
    games = Games(1, 2, seed=3, ruleset=ruleset)
    snapshot = json.loads(json.dumps(games.snapshot(0)))
    assert snapshot["ruleset"]["rounds"] == 3
    assert snapshot["castles"] == [["heap", "heap", "flooded", "flooded"]] * 2
    again = Games.from_snapshots([snapshot])
    assert again.ruleset == ruleset
    assert (again.state == games.state).all()
    for change, named in (
        ({"round": 4, "groove": 4, "sea": 4}, "round"),
        ({"castles": [["heap", "heap", "heap", "flooded"], snapshot["castles"][1]]}, "castles"),
        ({"castles": [["heap", "flooded", "flooded", "flooded"], snapshot["castles"][1]]}, "castles"),
        ({"phase": "spell", "dials": [5, 6], "to_act": [0, 1]}, "dials"),
    ):
        with pytest.raises(ValueError, match=f"snapshot 0: {named}"):
            Games.from_snapshots([snapshot | change])


def test_rulesets_from_before_small_games_are_read() -> None:
    data = DEFAULT.to_dict()
    assert set(data) == {"shells", "cards", "combinations", "fills"}
    assert Ruleset.from_dict(data) == DEFAULT
    assert Ruleset.from_dict({**data, "rounds": 5}).rounds == 5
    with pytest.raises(ValueError, match="perhaps"):
        Ruleset.from_dict({**data, "round": 5})


def test_the_next_round_is_filled_as_its_groove_says() -> None:
    """With the default of two players, grooves before and behind are filled alike."""
    rules = Ruleset(fills=(tuple(range(1, 9)), *DEFAULT.fills[1:])).for_kernels(2)
    assert rules["next_fill"][0].tolist() == [0, 2, 3, 4, 5, 6, 7, 8, 7, 6, 5, 4, 3, 2, 1, 0]
