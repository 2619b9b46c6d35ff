"""Snapshots of Maui: their keys, what is refused by name, and what may be set up by hand."""

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest
from maui_positions import cover_of, fill, finished, legal, play, position, start, swap, take, towel

from strand_env.maui import VARIANTS, Games

KEYS = {
    *("players", "variant", "part", "round", "phase", "to_act", "first", "market", "zones", "bag", "drawn", "beach"),
    *("pieces", "lying", "shells", "dollars", "penalties", "crab_points", "pearls", "tokens", "supply", "fresh"),
    *("pending", "scores", "winners"),
}

Edit = Callable[[dict[str, Any]], Any]


def mid_game(variant: str = "base", players: int = 3, steps: int = 20) -> dict[str, Any]:
    games = Games(1, players, seed=6, variant=variant)
    for number in range(steps):
        games.step(games.random_actions(number))
    return games.snapshot(0)


def refusal(snapshot: dict[str, Any]) -> str:
    with pytest.raises(ValueError, match=r"^snapshot 0: ") as refused:
        Games.from_snapshots([json.loads(json.dumps(snapshot))])
    return str(refused.value).removeprefix("snapshot 0: ")


def test_the_keys_are_those_of_the_rules_page() -> None:
    for variant in VARIANTS:
        snapshot = Games(1, variant=variant).snapshot(0)
        assert set(snapshot) == {*KEYS, "seed", "stream", "ruleset"}
        assert list(snapshot)[:2] == ["players", "variant"]
        assert snapshot["variant"] == variant


def test_drawn_is_in_the_order_of_the_rules_page() -> None:
    games = Games(1, 3, seed=8)
    first = games.snapshot(0)
    assert first["drawn"] == [first["market"] + [row[0][0] for row in first["beach"]]]
    assert first["bag"] == sorted(set(range(60)) - set(first["drawn"][0]))
    before = first
    for number in range(30):
        games.step(games.random_actions(number))
        after = games.snapshot(0)
        new = after["drawn"][0][len(before["drawn"][0]) :]
        laid = sum(map(len, after["beach"])) - sum(map(len, before["beach"]))
        assert len(new) == laid
        assert set(new) <= set(before["bag"])
        before = after


def second_part() -> tuple[dict[str, Any], dict[str, Any]]:
    """The last position of the first part, and the first one of the second."""
    games = Games(1, 2, seed=8, variant="combined")
    number = 0
    while games.snapshot(0)["part"] == 1:
        last = games.snapshot(0)
        games.step(games.random_actions(number))
        number += 1
    return last, games.snapshot(0)


def test_the_second_part_keeps_what_was_drawn_in_the_first() -> None:
    last, snapshot = second_part()
    assert len(snapshot["drawn"]) == 2
    assert snapshot["drawn"][0][: len(last["drawn"][0])] == last["drawn"][0]
    assert snapshot["pearls"] == last["pearls"] or snapshot["pearls"] > last["pearls"]
    assert all(piece.startswith(("crab", "pattern")) for row in snapshot["pieces"] for piece in row)
    assert Games.from_snapshots([snapshot]).snapshot(0) == snapshot
    assert "drawn" in refusal(snapshot | {"drawn": snapshot["drawn"][1:]})
    assert "drawn[0]" in refusal(snapshot | {"drawn": [snapshot["drawn"][0][:10], snapshot["drawn"][1]]})
    assert "part" in refusal(snapshot | {"variant": "crabs"})


def edited(snapshot: dict[str, Any], edit: Edit) -> dict[str, Any]:
    changed = copy.deepcopy(snapshot)
    edit(changed)
    return changed


CONTRADICTIONS: list[tuple[str, str, Edit]] = [
    ("variant", "base", lambda s: s.update(variant="tides")),
    ("part", "base", lambda s: s.update(part=2)),
    ("round", "base", lambda s: s.update(round=0)),
    ("first", "base", lambda s: s.update(first=3)),
    ("bag", "base", lambda s: s["bag"].pop()),
    ("bag", "base", lambda s: s["bag"].reverse()),
    ("market", "base", lambda s: s["market"].__setitem__(0, s["bag"][0])),
    ("market", "base", lambda s: s["market"].__setitem__(0, s["market"][1])),
    ("market", "base", lambda s: s["market"].append(s["bag"][0])),
    ("beach", "base", lambda s: s["beach"][0][-1].__setitem__(0, s["market"][0])),
    ("beach", "base", lambda s: s["beach"][1].clear()),
    ("drawn", "base", lambda s: s["drawn"][0].pop()),
    ("drawn", "base", lambda s: s["drawn"][0].append(s["bag"][0])),
    ("drawn", "base", lambda s: s["drawn"][0].append(s["drawn"][0][0])),
    ("drawn", "base", lambda s: s["drawn"].append(s["drawn"][0])),
    ("drawn", "base", lambda s: s["drawn"][0].reverse()),
    ("beach[0][1][1]", "base", lambda s: s["beach"][0][1].__setitem__(1, 8)),
    ("beach[0][1][2][0]", "base", lambda s: s["beach"][0][1].__setitem__(2, ["water", None, None])),
    ("beach[0][1][2][0]", "base", lambda s: s["beach"][0][1].__setitem__(2, [3, None, None])),
    ("beach[0][1][2]", "base", lambda s: s["beach"][0][1].__setitem__(2, [None, None])),
    ("beach[0][1][2][0]", "base", lambda s: s["beach"][0][1].__setitem__(2, ["sand", None, None])),
    ("beach[0][0][2][0]", "base", lambda s: s["beach"][0][0].__setitem__(2, ["token0", None, None])),
    ("pieces[1]", "base", lambda s: s["pieces"][1].__setitem__(0, "crab2")),
    ("pieces[1]", "base", lambda s: s["pieces"][1].pop()),
    ("pieces[1][0]: expected one of ['crab2'", "base", lambda s: s["pieces"][1].__setitem__(0, 1)),
    ("pieces[1][0]", "base", lambda s: s["pieces"][1].__setitem__(0, "pearl2")),
    ("pieces[1]", "crabs", lambda s: s["pieces"][1].reverse()),
    ("lying[0][7]", "base", lambda s: s["lying"][0].__setitem__(7, False)),
    ("lying[0][0]", "base", lambda s: s["lying"][0].__setitem__(0, True)),
    ("lying", "base", lambda s: s["lying"].pop()),
    ("shells[0][1]", "base", lambda s: s["shells"][0].__setitem__(1, 13)),
    ("shells[0][1]", "combined", lambda s: s["shells"][0].__setitem__(1, 25)),
    ("dollars, zones", "base", lambda s: s["zones"].__setitem__(0, s["zones"][0] + 1)),
    ("dollars[0]", "base", lambda s: s["dollars"].__setitem__(0, -1)),
    ("penalties[0]", "base", lambda s: s["penalties"].__setitem__(0, 50)),
    ("crab_points[0]", "base", lambda s: s["crab_points"].__setitem__(0, 2)),
    ("pearls[0][0]", "base", lambda s: s["pearls"][0].__setitem__(0, 4)),
    ("pearls[0][0]", "crabs", lambda s: s["pearls"][0].__setitem__(0, 1)),
    ("tokens, supply, beach", "base", lambda s: s["tokens"][0].__setitem__(0, 2)),
    ("tokens, supply, beach", "base", lambda s: s["supply"].__setitem__(0, s["supply"][0] - 1)),
    ("supply[1]", "base", lambda s: s["supply"].__setitem__(1, 3)),
    ("supply", "base", lambda s: s["supply"].append(0)),
    ("fresh", "base", lambda s: s.update(fresh=[1, 0])),
    ("pending", "base", lambda s: s.update(pending=[0])),
    ("pending", "base", lambda s: s.update(pending=[2])),
    ("pending", "base", lambda s: s.update(phase="umbrella")),
    ("to_act", "base", lambda s: s.update(phase="token")),
    ("to_act", "base", lambda s: s.update(to_act=[])),
    ("to_act", "base", lambda s: s.update(to_act=[0, 1])),
    ("phase", "base", lambda s: s.update(phase="over", to_act=[], scores=[0] * 3, winners=[True, False, False])),
    ("scores", "base", lambda s: s.update(scores=[0, 0, 0])),
    ("winners", "base", lambda s: s.update(winners=[True, False, False])),
    ("seed", "base", lambda s: s.update(seed=5)),
    ("stream", "base", lambda s: s.update(stream="0x12")),
]


@pytest.mark.parametrize(("named", "variant", "edit"), CONTRADICTIONS)
def test_contradictions_are_refused_by_the_name_of_the_field(named: str, variant: str, edit: Edit) -> None:
    sound = mid_game(variant)
    assert Games.from_snapshots([sound]).snapshot(0) == sound
    message = refusal(edited(sound, edit))
    assert message.startswith(named), message
    assert len(message) < 300


def test_refusals_say_what_would_be_right() -> None:
    """Where a field depends on the phase."""
    turn = mid_game()
    phase = "does not fit phase 'turn'; expected"
    assert refusal(turn | {"to_act": []}) == f"to_act: [] {phase} the players who have to decide"
    assert refusal(turn | {"pending": [0]}) == f"pending: [0] {phase} []"
    over = finished((12, 12, 12), (1, 1, 1), winner=2)
    assert refusal(over | {"to_act": [1]}) == "to_act: [1] does not fit phase 'over'; expected []"
    umbrella = "pending: [] does not fit phase 'umbrella'; expected the pattern umbrellas not used yet, the current one"
    assert refusal(position(column=2, phase="umbrella")) == f"{umbrella} first"


def test_games_of_one_batch_share_their_variant() -> None:
    snapshots = [Games(1, 3, variant=variant).snapshot(0) for variant in ("base", "combined")]
    with pytest.raises(ValueError, match="snapshot 1: variant: 'combined', but snapshot 0 has 'base'"):
        Games.from_snapshots(snapshots)


def test_crabs_under_towels_are_checked() -> None:
    snapshot = position("YPB", 2, 3, variant="crabs", pieces={(2, 4): "crab3"})
    assert "beach[0][2][2][2]: expected 3" in refusal(snapshot)
    snapshot["beach"][0][2][2] = [None, None, 3]
    assert "crab_points[0]: expected 3" in refusal(snapshot)
    snapshot["crab_points"] = [3, 0, 0]
    assert Games.from_snapshots([snapshot]).snapshot(0) == snapshot
    snapshot["beach"][0][2][2] = [None, None, 4]
    assert "beach[0][2][2][2]: expected 3" in refusal(snapshot)


def test_a_spare_towel_may_lie_where_a_crab_was() -> None:
    snapshot = position("YPB", 3, 3, variant="crabs", pieces={(2, 4): "crab3"})
    assert Games.from_snapshots([snapshot]).snapshot(0) == snapshot


def test_the_umbrellas_in_use_are_those_that_the_new_towel_covers() -> None:
    games = start("BRV", 3, 2, market={0: "BRY"}, pieces={(2, 3): "pattern0"}, shells=(4, 0, 0, 0, 2))
    asked = play(games, take())
    assert Games.from_snapshots([asked]).snapshot(0) == asked
    assert "pending: [1], but the new towel covers the pattern umbrellas [0]" in refusal(asked | {"pending": [1]})
    assert "pending" in refusal(asked | {"pending": []})
    assert "fresh[0]" in refusal(asked | {"fresh": [1, 0]})


def test_nobody_plays_on_after_the_last_round() -> None:
    done = fill(position(players=3), (11, 12, 10))
    assert "beach[1]: the last column is filled" in refusal(done)
    assert "beach[1]: the last column is filled" in refusal(done | {"to_act": [1]})
    assert Games.from_snapshots([done | {"to_act": [2]}]).to_act.tolist() == [[False, False, True]]


@pytest.mark.parametrize("part", [1, 2])
def test_penalties_are_no_more_than_columns_can_have_brought(part: int) -> None:
    """Two for each, as one cell of a towel lies on the beach; 26 in the whole first part."""
    snapshot = mid_game() if part == 1 else second_part()[1]
    most = 2 * len(snapshot["beach"][0]) + 26 * (part - 1)
    others = snapshot["penalties"][1:]
    snapshot |= {"penalties": [most, *others]}
    assert Games.from_snapshots([snapshot]).snapshot(0) == snapshot
    assert f"penalties[0]: expected a whole number from 0 to {most}" in refusal(
        snapshot | {"penalties": [most + 1, *others]}
    )


def test_a_game_that_is_over_is_counted_again() -> None:
    sound = finished((12, 12, 12), (1, 1, 1), winner=2)
    assert Games.from_snapshots([sound]).snapshot(0) == sound
    assert "scores" in refusal(sound | {"scores": [1, 2, 1]})
    assert "winners" in refusal(sound | {"winners": [True, False, False]})
    assert "scores" in refusal(sound | {"scores": None})
    assert "phase: 'over', but the second part has not been played" in refusal(sound | {"variant": "combined"})


# What may be set up by hand


def test_towels_may_lie_anywhere() -> None:
    for top in range(-1, 8):
        snapshot = position("YPB", top)
        assert snapshot["beach"][0][0][2] == cover_of(top)
        assert Games.from_snapshots([snapshot]).snapshot(0) == snapshot


def test_towels_change_places_with_any_other() -> None:
    snapshot = Games(1, 4, seed=2).snapshot(0)
    for other in (snapshot["market"][3], snapshot["bag"][7], snapshot["beach"][2][0][0]):
        changed = copy.deepcopy(snapshot)
        swap(changed, changed["beach"][0][0][0], other)
        assert Games.from_snapshots([changed]).snapshot(0) == changed
    swap(snapshot, snapshot["market"][0], towel("PVB"))
    assert snapshot["market"][0] == towel("PVB")
    assert Games.from_snapshots([snapshot]).snapshot(0) == snapshot


def test_tokens_may_be_held_without_having_passed_their_squares() -> None:
    games = start(tokens=(1, 2))
    assert games.snapshot(0)["tokens"][0] == [1, 2]
    assert games.snapshot(0)["supply"] == [1, 0]
    assert legal(games)


def test_counts_of_the_past_may_be_changed_late_in_a_game() -> None:
    snapshot = fill(position(players=2), (12, 11)) | {"to_act": [1]}
    snapshot |= {"penalties": [5, 0], "pearls": [[3, 1], [0, 0]], "shells": [[7, 0, 1, 1, 0], [6, 0, 0, 0, 12]]}
    assert Games.from_snapshots([snapshot]).snapshot(0) == snapshot


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_game_goes_on_from_the_last_round_that_is_counted(variant: str) -> None:
    """No game comes to round 40, but a position may be set up there; the round stays the same from then on."""
    games = Games.from_snapshots([Games(1, 2, seed=3, variant=variant).snapshot(0) | {"round": 40}])
    most = games.observation_maximum
    rounds = set()
    for step in range(1000):
        snapshot = games.snapshot(0)
        rounds.add((snapshot["part"], snapshot["round"]))
        assert Games.from_snapshots([snapshot]).snapshot(0) == snapshot
        assert (games.observe() <= most).all()
        if games.over[0]:
            break
        games.step(games.random_actions(step))
    assert games.over[0]
    assert {number for part, number in rounds if part == 1} == {40}
    assert (2, 1) in rounds or variant != "combined"
