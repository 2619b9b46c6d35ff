"""Maui's ruleset: the facts of the rules page, checked, and obeyed where several things share a place."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from maui_positions import legal, play, position, start, take, towel

from strand_env.maui import Games, Ruleset, describe
from strand_env.maui.ruleset import TOWELS

DEFAULT = Ruleset.default()


def test_the_towels_are_all_ordered_triples() -> None:
    assert len(TOWELS) == 60
    assert tuple(sorted(set(TOWELS))) == TOWELS
    for number, (a, b, c) in enumerate(TOWELS):
        others = [pattern for pattern in range(5) if pattern != a]
        left = [pattern for pattern in others if pattern != b]
        assert number == 12 * a + 3 * others.index(b) + left.index(c)


def test_the_defaults_are_those_of_the_rules_page() -> None:
    assert DEFAULT.start_top == 3
    assert DEFAULT.tracks == ((1, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22),) * 5
    assert DEFAULT.extensions == (tuple(range(24, 47, 2)),) * 5
    assert DEFAULT.ornaments == ((0, 6, 0), (1, 6, 1))
    assert DEFAULT.token_patterns == (2, 3)
    assert DEFAULT.pattern_umbrellas == ((0, 4), (1, 4))
    assert DEFAULT.crabs == (2, 2, 3, 3, 3, 4, 4)
    for spots in (DEFAULT.umbrella_spots, DEFAULT.crab_spots + DEFAULT.crab_umbrella_spots):
        assert len({column for column, _ in spots}) == len(spots)
        assert {(14 - column, 8 - row) for column, row in spots} == set(spots)  # a half-turn about column 7, row 4


TRACKS = [list(track) for track in DEFAULT.tracks]
SPOTS = [list(spot) for spot in DEFAULT.umbrella_spots]
# By field, or the entry of a field that is the last one of these: what is refused there
WRONG: dict[str, list[Any]] = {
    "start_top": [0, 6, 3.0, "3", None, True, [3]],
    "tracks": [None, [], TRACKS[:4], TRACKS * 2, 5],
    "tracks[4]": [[], [1] * 17, 3, None, [1, -1], [101], [1.0], ["1"]],
    "extensions[4]": [[1] * 17, 3, [-1]],
    "ornaments": [None, 3, [[0, square, 0] for square in range(1, 12)]],
    "ornaments[1]": [None, [0, 6], [5, 6, 0], [0, 0, 0], [0, 13, 0], [0, 6, 2], [0, 6, 1]],
    "token_patterns": [None, [2], [2, 5], [2, -1], [2, 3, 4]],
    "pattern_umbrellas": [None, [[0, 4]], 5],
    "pattern_umbrellas[1]": [[1, 1], [0, 5], [1], 3],
    "penalty": [-1, 101, 1.0, None],
    "crabs": [None, [2] * 6, [2] * 6 + [5], [1] * 7, [2.0] * 7],
    "umbrella_spots": [None, SPOTS[:7], SPOTS * 2],
    "umbrella_spots[7]": [[13, 1], [0, 1], [1, 0], [1, 8], [1], 5, SPOTS[0]],
    "crab_umbrella_spots": [[[2, 4], [3, 5]]],
}


def refused() -> Iterator[tuple[str, Any, str]]:
    for named, values in WRONG.items():
        field, _, _ = named.partition("[")
        for value in values:
            rest = DEFAULT.to_dict()[field]
            yield field, value if field == named else [*rest[:-1], value], re.escape(named)


@pytest.mark.parametrize(("field", "value", "named"), list(refused()))
def test_what_cannot_be_is_refused_by_the_name_of_the_field(field: str, value: Any, named: str) -> None:
    for make in (lambda: Ruleset(**{field: value}), lambda: Ruleset.from_dict(DEFAULT.to_dict() | {field: value})):
        with pytest.raises(ValueError, match=rf"^ruleset\.{named}") as error:
            make()
        assert len(str(error.value)) < 250


def test_it_goes_through_json() -> None:
    other = Ruleset(start_top=2, tracks=[[1, 2]] * 5, ornaments=[], extensions=[[]] * 5)
    assert Ruleset.from_dict(json.loads(json.dumps(other.to_dict()))) == other
    assert hash(other) != hash(DEFAULT)


def test_tokens_are_described_by_their_patterns() -> None:
    assert "light blue token" in describe(43)
    assert "purple token" in describe(43, Ruleset(token_patterns=(4, 3)))


# Rulesets with several things in one place

CROWDED = Ruleset(
    umbrella_spots=[[1, 6], [1, 3], [1, 5], [1, 4], [2, 1], [2, 2], [2, 3], [12, 7]],
    crab_spots=[[1, 5], [1, 3], [1, 1], [2, 2], [2, 3], [2, 4], [12, 7]],
    crab_umbrella_spots=[[1, 4], [1, 2]],
)


def test_several_umbrellas_in_a_column_take_effect_by_ascending_rows() -> None:
    pieces = {(1, 6): "pearl0", (1, 3): "pattern1", (1, 5): "pattern0", (1, 4): "pearl1"}
    games = start("BRV", 3, market={0: "BRY"}, pieces=pieces, ruleset=CROWDED)
    after = play(games, take())
    assert (after["phase"], after["pending"]) == ("umbrella", [1, 0])
    assert after["pearls"][0] == [0, 1]  # the one in row 6 is not covered
    assert legal(games) == [39, 42]
    after = play(games, 39)
    assert (after["phase"], after["pending"]) == ("umbrella", [0])
    assert legal(games) == [38, 42]
    after = play(games, 42)
    assert after["shells"][0] == [0, 1, 1, 1, 1]
    assert after["lying"][0] == [False] * 4 + [True] * 4


def test_several_crabs_in_a_column() -> None:
    pieces = {(1, 5): "crab4", (1, 3): "crab2", (1, 4): "pattern0"}
    games = start("BRV", 3, market={0: "PRV"}, pieces=pieces, ruleset=CROWDED, variant="crabs", shells=(12, 0, 0, 0, 0))
    assert take() in legal(games)
    after = play(games, take())
    assert after["beach"][0][1] == [towel("PRV"), 3, [2, None, 4]]
    assert after["crab_points"][0] == 6
    assert after["shells"][0] == [12, 0, 0, 1, 1]  # the umbrella moves purple, row 4 orange; row 5 is under a crab


def test_several_ornament_squares_on_a_track_each_give_a_token() -> None:
    ruleset = Ruleset(ornaments=[[2, 3, 1], [2, 2, 0], [0, 6, 0], [2, 4, 1]])
    snapshot = position("BRV", 1, market={0: "BVY"}, ruleset=ruleset, shells=(0, 0, 1, 0, 0))
    assert snapshot["supply"] == [2, 2, 2, 2]
    after = play(Games.from_snapshots([snapshot]), take())
    assert after["shells"][0] == [0, 0, 4, 0, 0]  # by 3 in row 1
    assert after["tokens"][0] == [1, 2]
    assert after["supply"] == [1, 1, 2, 1]
    empty = snapshot | {"supply": [0, 2, 2, 2], "tokens": [[0, 0], [0, 2], [0, 0]]}
    assert play(Games.from_snapshots([empty]), take())["tokens"][0] == [1, 1]  # nothing is left on one of them


def test_ornament_squares_are_passed_once() -> None:
    games = start("PVY", 1, market={0: "PVB"}, shells=(0, 6, 0, 0, 0))
    assert play(games, take())["tokens"][0] == [0, 0]


def test_steps_beyond_the_last_square_are_lost_and_extensions_are_for_the_combined_game() -> None:
    snapshot = position("PVY", 1, market={0: "PVB"}, shells=(0, 11, 0, 0, 0))
    assert play(Games.from_snapshots([snapshot]), take())["shells"][0] == [0, 12, 0, 0, 2]
    longer = Games.from_snapshots([snapshot | {"variant": "combined"}])
    assert play(longer, take())["shells"][0] == [0, 14, 0, 0, 2]


def test_other_points_and_penalties() -> None:
    ruleset = Ruleset(penalty=5, tracks=[[50, 60]] * 5, ornaments=[], start_top=1)
    games = Games(20, 2, seed=1, ruleset=ruleset)
    games.play_on()
    for index in range(20):
        last = games.snapshot(index)
        for player in range(2):
            tracks = sum([0, 50, 60][square] for square in last["shells"][player])
            pearls = sum([0, 2, 5, 9][pearls] for pearls in last["pearls"][player])
            lost = 5 * last["penalties"][player]
            assert last["scores"][player] == tracks + pearls + last["dollars"][player] - lost
    assert (games.scores < games.most_points(ruleset, "base")).all()


def test_a_game_with_negative_scores_has_a_winner() -> None:
    games = Games(200, 3, seed=3, ruleset=Ruleset(penalty=100), variant="crabs")
    games.play_on()
    assert (games.scores < 0).any()
    assert (games.winners.sum(1) == 1).all()
    assert (games.scores[games.winners] == games.scores.max(1)).all()
    margins = games.rewards("margin")
    assert margins.sum(1) == pytest.approx(0, abs=1e-4)
    seats = games.winners.argmax(1)
    results = games.results(range(200), seats)
    assert (results["rank"] == 1).all()
    assert (results["win"] == 1).all()
