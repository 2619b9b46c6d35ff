"""The worked examples of the rules page, E1 to E11, each from a position set up by hand."""

import numpy as np
import pytest
from positions import (
    ALL_OF_ONE,
    BROWN,
    GRAY,
    THREE_DIFFERENT,
    TWO_DIFFERENT,
    TWO_SAME,
    WHITE,
    play,
    play_round,
    position,
    start,
)

from strand_env.strand_unter import PASS, Games

CASTLE = 36
BUILD = 40


def test_e1_enough_for_all_who_want_a_colour_or_none_for_any() -> None:
    games = start(shells=[3, 2, 1, 3])
    after = play(games, [GRAY, GRAY, BROWN, BROWN])
    assert after["buckets"] == [[0, 1, 0, 0], [0, 1, 0, 0], [0] * 4, [0] * 4]
    assert after["shells"] == [3, 0, 1, 3]
    assert (after["phase"], after["to_act"]) == ("pick", [0, 1, 2, 3])
    after = play(games, [CASTLE + 3, CASTLE + 1, CASTLE + 0, CASTLE + 2])
    assert after["round"] == 2
    ready = [[value for value, place in enumerate(castles) if place == "ready"] for castles in after["castles"]]
    assert ready == [[3], [1], [0], [2]]


def test_e2_never_a_part_of_a_combination() -> None:
    b, s, k, h = range(4)
    games = start(shells=[1, 2, 3, 1])
    after = play(games, {b: TWO_SAME, s: TWO_SAME, k: TWO_DIFFERENT, h: THREE_DIFFERENT})
    assert (after["phase"], after["to_act"]) == ("collect", [k])
    after = play(games, {k: 16})  # the only white and the only black
    assert after["buckets"] == [[0] * 4, [0] * 4, [1, 0, 0, 1], [0] * 4]
    assert after["owed"] == [False, False, False, True]
    assert (after["phase"], after["to_act"]) == ("spell", [b, s])
    after = play(games, {b: GRAY, s: BROWN}, {b: CASTLE, s: CASTLE})
    assert after["buckets"][b] == [0, 1, 0, 0]
    assert after["buckets"][s] == [0, 0, 1, 0]
    assert (after["phase"], after["to_act"]) == ("trove", [h])
    assert np.flatnonzero(games.legal[0, h]).tolist() == [11, 12, 36, 37, 38, 39]
    after = play(games, {h: 12})
    assert after["buckets"][h] == [0, 0, 1, 0]


def test_e3_left_before_right() -> None:
    k, h, w, s = range(4)
    games = start(shells=[1, 2, 3, 3])
    after = play(games, {k: GRAY, h: TWO_DIFFERENT, w: THREE_DIFFERENT, s: ALL_OF_ONE})
    assert after["buckets"][k] == [0, 1, 0, 0]
    assert (after["phase"], after["to_act"]) == ("pick", [k])
    after = play(games, {k: CASTLE + 2})
    assert after["castles"][k] == ["heap", "heap", "ready", "heap"]
    assert (after["phase"], after["to_act"]) == ("collect", [h])
    after = play(games, {h: 14})  # white and gray: brown and black are left for W, who needs three colours
    assert after["buckets"][w] == [0] * 4
    assert (after["phase"], after["to_act"]) == ("collect", [s])
    assert np.flatnonzero(games.legal[0, s]).tolist() == [12, 13]
    after = play(games, {s: 12})
    assert after["buckets"][s] == [0, 0, 3, 0]
    assert (after["phase"], after["to_act"]) == ("trove", [w])
    assert np.flatnonzero(games.legal[0, w]).tolist() == [13, 36, 37, 38, 39]


def test_e4_singles_take_no_part_in_the_spell() -> None:
    c, w, h, s = range(4)
    games = start(shells=[1, 2, 2, 2])
    after = play(games, {c: WHITE, w: WHITE, h: TWO_SAME, s: TWO_SAME})
    assert after["buckets"][c] == after["buckets"][w] == [0] * 4
    assert (after["phase"], after["to_act"]) == ("pick", [c, w])
    after = play(games, {c: CASTLE, w: CASTLE})
    assert (after["phase"], after["to_act"]) == ("spell", [h, s])
    after = play(games, {h: BROWN, s: BROWN})
    assert after["buckets"] == [[0] * 4, [0] * 4, [0, 0, 1, 0], [0, 0, 1, 0]]
    assert (after["phase"], after["to_act"]) == ("spell_pick", [h, s])
    after = play(games, {h: CASTLE + 3, s: CASTLE + 3})
    assert after["castles"] == [["ready", "heap", "heap", "heap"]] * 2 + [["heap", "heap", "heap", "ready"]] * 2


def test_e5_only_a_ready_castle_can_be_built() -> None:
    # The shells for castle 2 and its wild shell are there, but only castle 1 is ready, and its shells are not.
    games = start(
        players=2,
        round=5,
        shells=[0, 0, 0, 2],
        buckets={0: [4, 1, 1, 0]},
        castles={0: ["heap", "ready", "heap", "heap"]},
        cards={(0, 1): [0, 2, 1, 1], (0, 2): [3, 1, 1, 0]},
    )
    after = play(games, [TWO_SAME, WHITE], {1: CASTLE})
    assert (after["round"], after["phase"]) == (6, "dial")
    assert after["castles"][0] == ["heap", "ready", "heap", "heap"]


@pytest.mark.parametrize(("bucket", "can_build"), [([4, 2, 1, 0], True), ([3, 2, 1, 0], False), ([4, 1, 1, 1], False)])
def test_e6_the_wild_shell_may_be_a_further_white(bucket: list[int], can_build: bool) -> None:
    castles = {0: [1, 2, 3, "ready"]}
    games = start(players=2, round=5, buckets={0: bucket}, castles=castles, cards={(0, 3): [3, 2, 1, 0]})
    after = play(games, [WHITE, WHITE], {1: CASTLE})
    assert (after["round"], after["phase"]) == ((5, "build") if can_build else (6, "dial"))
    if can_build:
        assert np.flatnonzero(games.legal[0, 0]).tolist() == [BUILD + 4 * 3 + WHITE, PASS]
        after = play(games, {0: BUILD + 4 * 3 + WHITE})
        assert after["castles"][0] == [1, 2, 3, 5]
        assert after["buckets"][0] == [0] * 4


@pytest.mark.parametrize(("castle_places", "sea"), [((8, 3), 11), ((7, 8), 11), ((7, 3), 10), ((6, 3), 9)])
def test_e7_turn_of_the_tide(castle_places: tuple[int, int], sea: int) -> None:
    castles = {player: [place, "heap", "heap", "heap"] for player, place in enumerate(castle_places)}
    games = start(players=2, round=8, castles=castles)
    after = play_round(games, [TWO_SAME, TWO_DIFFERENT])
    assert (after["round"], after["groove"], after["sea"]) == (9, 7, sea)
    while after["phase"] != "over":
        assert after["sea"] - after["groove"] == sea - 7
        after = play_round(games, [TWO_SAME, TWO_DIFFERENT])


@pytest.fixture(scope="module")
def final() -> dict:
    """Examples E8 to E11 are one game, which ends when the last player builds a fourth castle in groove 4."""
    castles = {
        0: ["flooded", 4, "heap", 6],
        1: ["heap", "flooded", 4, 6],
        2: ["heap", 6, 6, 3],
        3: [2, "ready", 4, 5],
    }
    cards = {(0, 2): [3, 1, 1, 0], (1, 0): [1, 1, 1, 0], (2, 0): [0, 1, 1, 1], (3, 1): [2, 1, 1, 0]}
    buckets = {
        0: [3, 1, 1, 1],  # all fit on the card of value 2
        1: [1, 1, 1, 3],  # a black one on the wild space, two find no place
        2: [2, 1, 1, 1],  # a white one on the wild space, one finds no place
        3: [2, 1, 1, 2],  # the price of castle 1 with a black wild shell, and one that is left over
    }
    snapshot = position(round=12, castles=castles, cards=cards, buckets=buckets, seaward=2)
    snapshot |= {"phase": "build", "dials": [0, 1, 2, 3], "to_act": [3]}
    return play(Games.from_snapshots([snapshot]), {3: BUILD + 4 * 1 + 3})


@pytest.mark.parametrize(("player", "score"), [(0, 14), (1, 13), (2, 20), (3, 20)], ids=["E8", "E9", "E10", "E11"])
def test_e8_to_e11_scores(final: dict, player: int, score: int) -> None:
    assert final["phase"] == "over"
    assert final["castles"][3] == [2, 4, 4, 5]
    assert final["scores"][player] == score


def test_e11_loses_the_tie_to_e10(final: dict) -> None:
    assert final["winners"] == [False, False, True, False]
