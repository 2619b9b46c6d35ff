"""What people who play Maui see: the table, their choices, the places to click, and how the points come about."""

import re
import xml.etree.ElementTree as ElementTree
from typing import Any

import numpy as np
import pytest
from maui_positions import position, start, take
from maui_steps import KINDS, examples, steps_of_a_game

from strand_env.engine.protocol import Choice
from strand_env.maui import Games
from strand_env.maui.actions import DOLLARS, PASS, SPARE, STEP, TOKEN
from strand_env.maui.views import play
from strand_env.maui.views.scores import result_words
from strand_env.maui.views.table import Table


def parsed(html: str) -> ElementTree.Element:
    return ElementTree.fromstring(f"<div>{html}</div>")


def choices_of(snapshot: dict[str, Any]) -> list[Choice]:
    [asked] = snapshot["to_act"]
    return play.choices(snapshot, asked, np.flatnonzero(Games.from_snapshots([snapshot]).legal[0, asked]).tolist())


def parts_of(snapshot: dict[str, Any], seat: int | None) -> list[str]:
    return [play.board(snapshot, seat), *(play.player(snapshot, player, seat) for player in range(snapshot["players"]))]


@pytest.mark.slow
@pytest.mark.parametrize(("players", "variant"), KINDS)
def test_everything_drawn_is_well_formed_and_without_styles_of_its_own(players: int, variant: str) -> None:
    symbols = {f"#{element.get('id')}" for element in ElementTree.fromstring(play.symbols)}
    for snapshot, _ in examples(players, variant):
        asked = snapshot["to_act"][0] if snapshot["to_act"] else None
        parts = parts_of(snapshot, asked)
        if asked is None:
            parts.append(play.result(snapshot))
        else:
            parts += [part.picture for choice in choices_of(snapshot) for part in (choice, *choice.stages)]
        for part in parts:
            for element in parsed(part).iter():
                assert "style" not in element.attrib
                assert element.get("href", next(iter(symbols))) in symbols
        assert play.revealed(snapshot, [PASS] * players, snapshot, asked) == ""


@pytest.mark.slow
@pytest.mark.parametrize(("players", "variant"), KINDS)
def test_every_choice_has_its_place(players: int, variant: str) -> None:
    """Each stage and each action can be clicked in the pictures, on the own beach only; each height has its ghost."""
    for snapshot, _ in examples(players, variant):
        if not snapshot["to_act"]:
            continue
        [asked] = snapshot["to_act"]
        drawn = parsed("".join(parts_of(snapshot, asked)))
        places = {name for element in drawn.iter() for name in element.get("data-place", "").split()}
        ghosts = [name for element in drawn.iter() if (name := element.get("data-ghost"))]
        choices = choices_of(snapshot)
        for choice in choices:
            if choice.action != PASS:
                assert {f"action-{choice.action}", *(stage.name for stage in choice.stages)} - {
                    "token-0",
                    "token-1",
                } <= places
        assert sorted(ghosts) == sorted(f"action-{choice.action}" for choice in choices if choice.action < DOLLARS)
        other = (asked + 1) % players
        assert not re.search(
            "data-(ghost|place)", play.player(snapshot, asked, other) + play.player(snapshot, other, other)
        )


def test_a_towel_is_chosen_before_its_height() -> None:
    snapshot = position("YPB", market={0: "YRV", 1: "PBV"})
    towels = [choice for choice in choices_of(snapshot) if choice.action < DOLLARS]
    assert {choice.stages[0].name for choice in towels} >= {"market-0", "market-1"}
    for choice in towels:
        assert [stage.name for stage in choice.stages] == [f"market-{choice.action // 5}"]
    [level] = [choice for choice in towels if choice.action == take(0)]
    assert level.words == "Take YRV, free, rows 3 to 5: yellow +1; +1 point."
    assert level.stages[0].words == "Towel YRV (yellow-orange-purple), free"
    assert level.label == "rows 3 to 5: +1"


@pytest.mark.parametrize(
    ("snapshot", "action", "words"),
    [
        (position("BRV", 1, market={0: "YPB"}), take(0, -2), "light blue +3, 2 penalty tokens; +2 points."),
        (position("BRV", column=2, market={0: "BRY"}, pieces={(2, 3): "pearl0"}), take(), "1 white pearl; +4 points."),
        (position("BRV", column=3, market={0: "BRY"}, pieces={(3, 6): "pearl1"}), take(), "passes a black pearl; +2"),
        (position("YPB", market={1: "YRV"}), take(1), "yellow +1, costs 1 dollar; +0 points."),
        (
            position("BYP", market={0: "RVY"}, tokens=(1, 0)),
            take(),
            "lays 1 light blue token; +1 point.",
        ),
        (position("YPB", 3, 2, {1: "YPR"}, {(2, 4): "crab4"}, variant="crabs"), take(1), "crabs −4; −4 points."),
        (
            position("BRV", column=2, market={0: "BRY"}, pieces={(2, 3): "pattern0"}),
            take(),
            "orange +1, an umbrella of yellow or purple; +2 points.",
        ),
        (
            position("PVY", 1, market={0: "PVB"}, shells=(0, 3, 0, 0, 0)),
            take(),
            "purple +2, 1 orange token; +8 points.",
        ),
    ],
)
def test_choices_say_what_they_bring(snapshot: dict[str, Any], action: int, words: str) -> None:
    [choice] = [choice for choice in choices_of(snapshot) if choice.action == action]
    assert words in choice.words


def test_tokens_are_chosen_by_kind_if_there_are_two() -> None:
    one = start("RBY", market={0: "VBP"}, tokens=(0, 1))
    one.step([[take(), PASS, PASS]])
    assert [(choice.action, choice.stages) for choice in choices_of(one.snapshot(0))] == [(46, ()), (48, ()), (49, ())]
    two = start("RBY", market={0: "VBP"}, tokens=(1, 1))
    two.step([[take(), PASS, PASS]])
    stages = {choice.action: [stage.name for stage in choice.stages] for choice in choices_of(two.snapshot(0))}
    assert stages == {43: ["token-0"], 45: ["token-0"], 46: ["token-1"], 48: ["token-1"], 49: []}


def test_tasks_say_what_is_to_be_done() -> None:
    assert play.task(position(), 0) == "Your turn: take a towel, or dollars."
    assert play.task(position(), 1) == "Player 0 takes a towel or dollars."
    assert play.task(position("YPB", market={0: "YRV"}, zones=(0, 0)), 0) == "Your turn: take a towel."
    market = dict(enumerate(["YPV", "BRY", "PYR", "PRV", "YBP", "RVP"]))
    stuck = position("YPB", -1, 2, market, dollars=0, zones=(0, 0))
    assert play.task(stuck, 0) == "Your turn: nothing matches, so take a spare towel."
    assert [choice.action for choice in choices_of(stuck)] == list(range(SPARE, STEP))


@pytest.mark.parametrize(
    ("pending", "fresh", "words"),
    [
        ([0], [0, 0], "the yellow or purple shell by an umbrella"),
        ([1, 0], [0, 0], "the pink or purple shell by an umbrella, then the yellow or purple one"),
        ([1], [1, 0], "the pink or purple shell by an umbrella; 1 light blue token waits for the next turn"),
        (
            [1],
            [1, 1],
            "the pink or purple shell by an umbrella; 1 light blue and 1 orange token wait for the next turn",
        ),
    ],
)
def test_tasks_name_umbrellas_and_fresh_tokens(pending: list[int], fresh: list[int], words: str) -> None:
    snapshot = position(tokens=(1, 1), phase="umbrella", pending=pending, fresh=fresh)
    assert play.task(snapshot, 1) == f"Player 0 moves {words}."
    assert play.task(snapshot, 0) == f"An umbrella: move {words.replace(' by an umbrella', '')}."


def test_fresh_tokens_are_named_where_tokens_are_counted() -> None:
    snapshot = position(tokens=(2, 1), phase="token", fresh=(1, 0))
    assert play.task(snapshot, 0).endswith("on the new towel? 1 light blue token waits for the next turn.")
    titles = [element.get("title", "") for element in parsed(play.player(snapshot, 0, 0)).iter("span")]
    assert [title for title in titles if "token" in title][:2] == [
        "2 light blue tokens, 1 of them from the next turn on",
        "1 orange token",
    ]
    others = [element.get("title", "") for element in parsed(play.player(snapshot, 1, 0)).iter("span")]
    assert not any("next turn" in title for title in others)


@pytest.mark.slow
def test_all_kinds_of_choices_are_told_apart() -> None:
    seen = set()
    for before in [step[0] for seed in (1, 3) for step in steps_of_a_game(3, "combined", seed)]:
        choices = choices_of(before)
        assert len({choice.words for choice in choices}) == len(choices)
        for choice in choices:
            assert re.fullmatch(r"[A-Z].*\.", choice.words)
            seen.add(next(name for name, end in KINDS_OF_ACTIONS.items() if choice.action < end))
    assert seen >= {"take", "dollars", "step", "token", "pass"}


KINDS_OF_ACTIONS = {"take": DOLLARS, "dollars": SPARE, "spare": STEP, "step": TOKEN, "token": PASS, "pass": PASS + 1}


@pytest.mark.parametrize(("players", "variant"), KINDS)
def test_points_are_explained_track_by_track(players: int, variant: str) -> None:
    [snapshot] = [snapshot for snapshot, _ in examples(players, variant) if snapshot["phase"] == "over"]
    table = Table(snapshot)
    accounts = [table.account(player) for player in range(players)]
    assert [account.points for account in accounts] == snapshot["scores"]
    tables = list(parsed(play.result(snapshot)).iter("table"))
    order = [int(each.find("caption/small").get("data-player")) for each in tables]
    assert snapshot["winners"][order[0]]
    for player, html in zip(order, tables, strict=True):
        rows = [int(row[2].text.replace("−", "-")) for row in html.find("tbody")]
        assert rows[:5] == accounts[player].tracks
        assert sum(rows) == int(html.find("tfoot/tr/td[2]").text.replace("−", "-")) == snapshot["scores"][player]
    words = " ".join(result_words(snapshot))
    for player, score in enumerate(snapshot["scores"]):
        assert f"Player {player}: {score} point" in words


def test_screen_readers_hear_what_there_is() -> None:
    snapshot = position("PVY", 1, column=2, market={0: "PVB"}, players=2, pieces={(2, 3): "pearl0"})
    labels = [element.get("aria-label", "") for part in parts_of(snapshot, 0) for element in parsed(part).iter()]
    told = " ".join(labels)
    assert "Row 0: 1 dollar in the zone, PVB free, " in told
    assert "Yellow, 12 squares: player 0 on 0, player 1 on 0." in told
    assert "1 light blue token on square 6 of yellow." in told
    assert "The beach of player 0 with 1 of 12 towels. The last one is PVY in rows 1 to 3." in told
    assert "Ahead: a white pearl in column 2, row 3;" in told
