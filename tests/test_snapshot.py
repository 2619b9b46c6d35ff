"""Snapshots: exact round trips, and refusals that name the field."""

import copy
import json
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st
from positions import start

from strand_env.strand_unter import PHASES, Games, Ruleset

Snapshot = dict[str, Any]

LONGEST_GAME = 15 * 6  # rounds of a dial, a build and at most one step more per player
CUSTOM = Ruleset(
    shells=(32, 24, 16, 8),
    combinations=("all_of_one", "two_same", "three_different", "three_same", "two_different", "two_and_one"),
    fills=((7, 3) * 4, (6,) * 8, (10,) * 8),
)


def through_json(snapshot: Any) -> Any:
    return json.loads(json.dumps(snapshot))


def restored(games: Games) -> Games:
    return Games.from_snapshots([through_json(games.snapshot(number)) for number in range(games.num_games)])


@pytest.mark.slow
@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("ruleset", [None, CUSTOM], ids=["default", "custom"])
def test_restored_at_any_step_a_game_goes_on_the_same(players: int, ruleset: Ruleset | None) -> None:
    games = Games(8, players, seed=players, ruleset=ruleset)
    copies: list[Games] = []
    phases: set[str] = set()
    while True:
        phases |= {games.snapshot(number)["phase"] for number in range(games.num_games)}
        copies.append(restored(games))
        assert copies[-1].ruleset == games.ruleset
        for each in copies:
            assert (each.state == games.state).all()
        if games.over.all():
            break
        actions = games.random_actions(seed=len(copies))
        for each in [games, *copies]:
            each.step(actions)
    assert phases == set(PHASES)


def test_without_history_a_game_goes_on_the_same_but_for_what_is_seen_of_it() -> None:
    """Snapshots of the former version had none."""
    for snapshot in played(3)[::7]:
        games = Games.from_snapshots([snapshot])
        former = Games.from_snapshots([{key: value for key, value in snapshot.items() if key not in HISTORY}])
        for _ in range(4):
            kept, known = former.snapshot(0), games.snapshot(0)
            assert {**kept, **{key: known[key] for key in HISTORY}} == known
            assert all(sum(few) <= sum(many) for few, many in zip(kept["dials_set"], known["dials_set"], strict=True))
            assert Games.from_snapshots([kept]).snapshot(0) == kept
            actions = games.random_actions(seed=1)
            former.step(actions)
            games.step(actions)


def test_a_snapshot_shares_nothing_with_its_game() -> None:
    games = Games(1)
    before = games.snapshot(0)
    changed = games.snapshot(0)
    changed["bag"][0] += 1
    changed["ruleset"]["shells"][0] += 1
    assert games.snapshot(0) == before


def test_how_to_look_and_run_is_up_to_the_caller() -> None:
    games = Games.from_snapshots([Games(1).snapshot(0)], hide_buckets=True, threads=2)
    assert games.hide_buckets
    assert games.threads == 2
    with pytest.raises(ValueError, match="threads"):
        Games.from_snapshots([Games(1).snapshot(0)], threads=0)


# Refusals


@cache
def played(players: int) -> list[Snapshot]:
    """All steps of some random games."""
    games = Games(8, players, seed=7)
    steps: list[Snapshot] = []
    while not games.over.all():
        steps += [games.snapshot(number) for number in np.flatnonzero(~games.over)]
        games.step(games.random_actions(seed=len(steps)))
    return steps + [games.snapshot(number) for number in range(games.num_games)]


Damage = Callable[[Any], Any]
Condition = Callable[[Snapshot], bool]


def put(*path_and_value: Any) -> Damage:
    *path, last, value = path_and_value

    def damage(snapshot: Any) -> None:
        for key in path:
            snapshot = snapshot[key]
        snapshot[last] = value

    return damage


def shorten(*path: str | int) -> Damage:
    def damage(snapshot: Any) -> None:
        for key in path:
            snapshot = snapshot[key]
        snapshot.pop()

    return damage


def move_shell(*target: str | int) -> Damage:
    """One shell from the bag to another place: the totals stay right."""

    def damage(snapshot: Any) -> None:
        colour = next(colour for colour in range(4) if snapshot["bag"][colour])
        snapshot["bag"][colour] -= 1
        for key in target:
            snapshot = snapshot[key]
        snapshot[colour] += 1

    return damage


def repeat_a_card(snapshot: Snapshot) -> None:
    snapshot["cards"][1][2] = snapshot["cards"][0][2]


def add_a_point(snapshot: Snapshot) -> None:
    snapshot["scores"][0] += 1


def turn_the_result(snapshot: Snapshot) -> None:
    snapshot["winners"] = [not won for won in snapshot["winners"]]


def owe_the_one_who_collects(snapshot: Snapshot) -> None:
    snapshot["owed"][snapshot["to_act"][0]] = True


def owe_one_who_collects_later(snapshot: Snapshot) -> None:
    snapshot["owed"][snapshot["dials"].index(max(snapshot["dials"]))] = True


def one_collects_later(snapshot: Snapshot) -> bool:
    dials = snapshot["dials"]
    return dials.count(max(dials)) == 1 and max(dials) > dials[snapshot["to_act"][0]]


def stop_the_game(snapshot: Snapshot) -> None:
    snapshot["bag"] = [sum(counts) for counts in zip(snapshot["bag"], snapshot["shells"], strict=True)]
    snapshot.update(shells=[0] * 4, phase="over", to_act=[], dials=[0] * 4, scores=[0] * 4, winners=[True] * 4)


def play_on_after_the_end(snapshot: Snapshot) -> None:
    snapshot.update(phase="build", scores=None, winners=None)


def in_round(number: int) -> Condition:
    return lambda snapshot: snapshot["round"] == number


def case(phase: str, damage: Damage, fields: str, such_that: Condition = lambda snapshot: True) -> Any:
    """What is done to a step of this phase, and the field that the message begins with ("|": either will do)."""
    return pytest.param(phase, such_that, damage, fields, id=f"{phase}-{fields}")


HISTORY = ("dials_set", "spell_dials_set", "last_dials", "last_spell_dials")
PER_PLAYER = ("buckets", "cards", "castles", "dials", "spell_dials", "owed", *HISTORY)
NOT_A_COUNT = (-1, 81, 2**70, True, 1.0, "1", None)
NOT_64_BITS = (None, 1, "1", "0x1", "0x" + "g" * 16, "0x" + "0" * 17, "0x" + "0" * 16 + "\n")


REFUSED = [
    # what is there at all, and how much of it
    case("dial", lambda snapshot: snapshot.pop("bag"), "keys: missing ['bag']"),
    case("dial", put("tide", "low"), "keys: missing [], unknown ['tide']"),
    case("dial", put(3, 0), "keys: missing [], unknown ['3']"),
    *[case("dial", shorten(name), name) for name in ("shells", "bag", "covered", "to_act", *PER_PLAYER)],
    *[case("dial", shorten(name, 1), f"{name}[1]") for name in ("covered", "buckets", "cards", "castles")],
    case("dial", shorten("cards", 3, 0), "cards[3][0]"),
    *[case("over", shorten(name), name) for name in ("scores", "winners")],
    *[
        case("dial", put(name, junk), name)
        for name in ("round", "shells", "covered", "to_act", "ruleset", *PER_PLAYER)
        for junk in (None, 1.0, "1", {}, True)
    ],
    case("dial", put("to_act", 1), "to_act"),
    # shells
    *[case("dial", put("bag", 0, junk), "bag[0]") for junk in NOT_A_COUNT],
    *[case("dial", put("covered", 7, 3, junk), "covered[7][3]") for junk in NOT_A_COUNT],
    case("dial", put("shells", 2, -1), "shells[2]"),
    case("dial", put("buckets", 3, 0, -1), "buckets[3][0]"),
    case("dial", put("buckets", 0, [80, 0, 0, 0]), "shells, bag, covered, buckets"),
    case("dial", put("shells", [0, 0, 0, 0]), "shells, bag, covered, buckets"),
    case("dial", move_shell("covered", 0), "covered"),
    case("dial", move_shell("covered", 7), "covered", in_round(9)),
    case("build", move_shell("shells"), "shells"),
    case("over", move_shell("shells"), "shells"),
    # cards and castles
    case("dial", put("cards", 0, 0, [3, 0, 0, 0]), "cards"),
    case("dial", put("cards", 0, 0, 0, -1), "cards[0][0][0]"),
    case("dial", repeat_a_card, "cards"),
    *[
        case("dial", put("castles", 3, 1, junk), "castles[3][1]")
        for junk in ("sea", "Heap", 0, 2, 9, 12, -1, True, 1.0, None)
    ],
    case("dial", put("castles", 0, 0, "flooded"), "castles"),
    case("dial", put("castles", 0, 0, "flooded"), "castles", in_round(9)),
    case("dial", put("castles", 2, [1, 1, 1, "heap"]), "castles[2]", in_round(15)),
    case("dial", put("castles", 2, [8, 8, "heap", "heap"]), "castles[2]", in_round(9)),
    # the tide
    *[case("dial", put("round", number), "round") for number in (0, 16, -1)],
    case("dial", put("round", 2), "groove"),
    case("dial", put("groove", 2), "groove"),
    *[case("dial", put("sea", number), "sea") for number in (0, 2, 12)],
    *[case("dial", put("sea", number), "sea", in_round(9)) for number in (8, 12)],
    # phases, and who decides in them
    *[case("dial", put("phase", junk), "phase") for junk in ("Dial", "", None, 0, ["dial"])],
    *[
        case("dial", put("to_act", junk), "to_act")
        for junk in ([], [0, 1, 2], [0, 0, 1, 2], [3, 2, 1, 0], [4], [-1], ["0"])
    ],
    case("pick", put("phase", "collect"), "to_act|phase"),
    case("collect", put("phase", "pick"), "to_act|phase"),
    case("over", play_on_after_the_end, "to_act|phase|castles"),
    case("dial", stop_the_game, "phase", in_round(3)),
    case("dial", put("castles", 0, [1, 2, 3, 4]), "phase|castles", in_round(5)),
    case("dial", put("castles", 1, ["flooded", 1, 2, 3]), "phase|castles", in_round(14)),
    # nobody has a choice: such a phase is passed over
    case("pick", lambda snapshot: snapshot.update(dials=[4, 5, 6, 7], to_act=[]), "to_act|phase"),
    case("build", lambda snapshot: snapshot.update(castles=[["heap"] * 4] * 4, to_act=[]), "to_act|phase"),
    # dials
    *[case("pick", put("dials", 0, junk), "dials[0]") for junk in (-1, 10, None, True, 0.0, "0")],
    case("dial", put("dials", 2, 5), "dials[2]"),
    case("dial", put("phase", "pick"), "dials[0]"),
    case("pick", put("phase", "dial"), "dials[0]"),
    case("dial", put("spell_dials", 1, 0), "spell_dials[1]"),
    case("spell", put("spell_dials", [0] * 4), "spell_dials"),
    case("spell_pick", put("spell_dials", [None] * 4), "spell_dials"),
    case("spell_pick", put("spell_dials", [4] * 4), "spell_dials[0]"),
    case("spell_pick", put("dials", [4, 5, 6, 7]), "spell_dials"),
    # troves
    *[case("trove", put("owed", 0, junk), "owed[0]") for junk in (1, None, "true")],
    case("dial", put("owed", 3, True), "owed[3]"),
    case("spell", put("owed", [True] * 4), "owed"),
    case("trove", put("owed", [False] * 4), "to_act|owed"),
    case("collect", owe_the_one_who_collects, "owed"),
    case("collect", owe_one_who_collects_later, "owed", one_collects_later),
    # history
    *[case("build", put(name, 0, 0, junk), f"{name}[0][0]") for name in HISTORY[:2] for junk in (-1, 16, None)],
    case("dial", put("dials_set", 0, 0, 15), "dials_set[0]", in_round(2)),
    case("pick", put("dials_set", 3, [1] * 10), "dials_set[3]", in_round(5)),
    case("dial", put("spell_dials_set", 1, 0, 2), "spell_dials_set[1]", in_round(2)),
    case("dial", put("last_dials", [1] * 4), "last_dials", in_round(1)),
    case("dial", put("last_dials", 2, None), "last_dials", in_round(3)),
    case("dial", put("last_dials", 2, 10), "last_dials[2]", in_round(3)),
    case("dial", put("last_spell_dials", 2, 4), "last_spell_dials[2]", in_round(3)),
    case("dial", put("last_spell_dials", [0] * 4), "last_spell_dials", in_round(1)),
    # results
    case("build", put("scores", [0] * 4), "scores"),
    case("build", put("winners", [False] * 4), "winners"),
    *[case("over", put("scores", junk), "scores") for junk in (None, 1)],
    *[case("over", put("scores", 1, junk), "scores[1]") for junk in (None, 1.0, True, 300)],
    *[case("over", put("winners", 1, junk), "winners[1]") for junk in (None, 1, "yes")],
    case("over", add_a_point, "scores"),
    case("over", turn_the_result, "winners"),
    # the random stream and the ruleset
    *[case("dial", put(name, junk), name) for name in ("seed", "stream") for junk in NOT_64_BITS],
    case("dial", lambda snapshot: snapshot["ruleset"].pop("fills"), "ruleset"),
    case("dial", put("ruleset", "shells", [20, 20, 20, 21]), "ruleset.shells"),
    case("dial", put("ruleset", "combinations", 5), "ruleset.combinations"),
    case("dial", put("ruleset", "combinations", dict.fromkeys(CUSTOM.combinations)), "ruleset.combinations"),
    case("dial", put("ruleset", CUSTOM.to_dict()), "shells, bag, covered, buckets"),
]


@pytest.mark.parametrize(("phase", "such_that", "damage", "fields"), REFUSED)
def test_a_damaged_or_impossible_snapshot_is_refused(
    phase: str, such_that: Condition, damage: Damage, fields: str
) -> None:
    sound = next(each for each in played(4) if each["phase"] == phase and such_that(each))
    Games.from_snapshots([sound])
    damaged = copy.deepcopy(sound)
    damage(damaged)
    with pytest.raises(ValueError, match="snapshot 0: ") as refused:
        Games.from_snapshots([damaged])
    assert str(refused.value).startswith(tuple(f"snapshot 0: {field}" for field in fields.split("|")))


def test_castles_are_flooded_only_once_the_sea_has_left_the_last_groove() -> None:
    castles = {0: ["flooded", "heap", "heap", "heap"]}
    start(round=11, seaward=2, castles=castles)  # the sea is at groove 7
    with pytest.raises(ValueError, match="snapshot 0: castles: one is flooded"):
        start(round=10, seaward=2, castles=castles)


@pytest.mark.parametrize(
    ("snapshots", "message"),
    [
        ([], "^snapshots: "),
        ({}, "^snapshots: "),
        ("dial", "^snapshots: "),
        (None, "^snapshots: "),
        ([[]], "^snapshot 0: expected a dict"),
        ([None], "^snapshot 0: expected a dict"),
        ([{}], "^snapshot 0: keys: missing .*'bag'"),
    ],
)
def test_what_is_no_list_of_fitting_snapshots_is_refused(snapshots: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Games.from_snapshots(snapshots)


@pytest.mark.parametrize(("field", "other"), [("players", {"num_players": 3}), ("ruleset", {"ruleset": CUSTOM})])
def test_the_games_of_a_batch_are_of_one_kind(field: str, other: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=f"^snapshot 1: {field}: "):
        Games.from_snapshots([Games(1).snapshot(0), Games(1, **other).snapshot(0)])


JUNK = st.recursive(
    (st.integers(-1, 4) | st.integers(-2, 21))
    | st.sampled_from([*PHASES, "heap", "ready", "flooded"])
    | (st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3)),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


@st.composite
def changed_snapshots(draw: st.DrawFn) -> Snapshot:
    """A sound snapshot with one entry, however deep, deleted or replaced."""
    sound = played(draw(st.integers(2, 4)))
    numbers = st.integers(0, len(sound) - 1)
    snapshot: Any = copy.deepcopy(sound[draw(numbers)])
    place, key = snapshot, draw(st.sampled_from(sorted(snapshot)))
    replacements = JUNK | numbers.map(lambda number: sound[number][path[0]])
    path = [key]
    while isinstance(place[key], list | dict) and place[key] and draw(st.booleans()):
        place = place[key]
        key = draw(st.sampled_from(sorted(place) if isinstance(place, dict) else range(len(place))))
        replacements = JUNK
        path.append(key)
    if draw(st.integers(0, 9)) == 0:
        del place[key]
    else:
        place[key] = draw(replacements)
    note(f"changed: {path}")
    return snapshot


@pytest.mark.slow
@settings(max_examples=1000, deadline=None)
@given(changed_snapshots())
def test_a_changed_snapshot_is_refused_or_played_as_it_stands(snapshot: Snapshot) -> None:
    try:
        games = Games.from_snapshots([snapshot])
    except ValueError:
        return
    restored = games.snapshot(0)
    expected = {key: restored[key] for key in Games.snapshots.optional_keys} | snapshot
    # As text, where 1, 1.0 and true differ.
    assert json.dumps(restored, sort_keys=True) == json.dumps(expected, sort_keys=True)
    for seed in range(LONGEST_GAME):
        assert games.to_act.any() != games.over.all()
        games.step(games.random_actions(seed))
    assert games.over.all()
