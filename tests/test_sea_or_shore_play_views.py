"""What people who play Sea or Shore see, and nothing else: table, hand, choices, the reveal, the points."""

import json
import re
import xml.etree.ElementTree as ElementTree
from typing import Any

import numpy as np
import pytest
from play_helpers import all_answers
from sea_or_shore_positions import EnginesPosition, Trick, card, position
from sea_or_shore_steps import PLAYERS, examples, session_of, steps_of_a_game

from strand_env.engine.protocol import Choice, Observer
from strand_env.play import page
from strand_env.play.plain import play_views
from strand_env.play.session import Session
from strand_env.sea_or_shore import GAME, PASS, PHASES, Games
from strand_env.sea_or_shore.views import play as unfiltered
from strand_env.sea_or_shore.views.scores import last_round
from strand_env.sea_or_shore.views.table import Table

play = GAME.views.play
assert play is not None


def parsed(html: str) -> ElementTree.Element:
    return ElementTree.fromstring(f"<div>{html}</div>")


def choices_of(snapshot: dict[str, Any], seat: int) -> list[Choice]:
    return play.choices(snapshot, seat, np.flatnonzero(Games.from_snapshots([snapshot]).legal[0, seat]).tolist())


def parts_of(snapshot: dict[str, Any], seat: Observer) -> list[str]:
    return [play.board(snapshot, seat), *(play.player(snapshot, player, seat) for player in range(snapshot["players"]))]


def words_in(html: str) -> str:
    return re.sub(r"\s+", " ", " ".join(parsed(html).itertext()))


@pytest.mark.slow
@pytest.mark.parametrize("players", PLAYERS)
def test_everything_drawn_is_well_formed_and_without_styles_of_its_own(players: int) -> None:
    symbols = {f"#{element.get('id')}" for element in ElementTree.fromstring(unfiltered.symbols)}
    for before, actions, after in examples(players):
        for seat in (after["to_act"][0] if after["to_act"] else 0, None, "all"):
            parts = [*parts_of(after, seat), play.revealed(before, actions, after, seat)]
            if after["phase"] == "over":
                parts.append(play.result(after, seat))
            elif isinstance(seat, int):
                parts += [part.picture for choice in choices_of(after, seat) for part in (choice, *choice.stages)]
            for part in parts:
                for element in parsed(part).iter():
                    assert "style" not in element.attrib
                    assert element.get("href", next(iter(symbols))) in symbols


# What may be done


@pytest.mark.parametrize("players", PLAYERS)
def test_every_choice_has_its_place(players: int) -> None:
    """All but extras and orders can be clicked in the pictures, by those alone who have to decide."""
    clicked = set()
    for _, _, snapshot in examples(players):
        for seat in range(players):
            drawn = parsed("".join(parts_of(snapshot, seat)))
            places = [name for element in drawn.iter() for name in element.get("data-place", "").split()]
            ghosts = {name for element in drawn.iter() if (name := element.get("data-ghost"))}
            assert len(places) == len(set(places))
            if seat not in snapshot["to_act"]:
                assert not places
                continue
            choices = choices_of(snapshot, seat)
            names = {f"action-{choice.action}" for choice in choices}
            if snapshot["phase"] in ("extras", "order"):
                assert not places
                continue
            clicked.add(snapshot["phase"])
            assert names | {stage.name for choice in choices for stage in choice.stages} <= set(places)
            assert ghosts == (names if snapshot["phase"] == "card" else set())
    assert clicked >= {"gift", "card", "target", "give", "pick", "discard"}


def test_a_card_is_chosen_before_the_half_that_shows() -> None:
    snapshot = position("red 3, green 1", [card("blue 7"), 5, 30, 40])
    choices = {choice.action: choice for choice in choices_of(snapshot, 0)}
    assert len(choices) == 2 * len(snapshot["hands"][0])
    colour, number = choices[card("blue 7")], choices[48 + card("blue 7")]
    assert (colour.words, colour.label) == ("Play blue 7 with its number covered.", "show blue")
    assert (number.words, number.label) == ("Play blue 7 with its colour covered.", "show 7")
    for choice in (colour, number):
        assert [(stage.name, stage.words) for stage in choice.stages] == [(f"card-{card('blue 7')}", "Blue 7")]
    assert "#cover-number" in colour.picture
    assert "#cover-colour" in number.picture


@pytest.mark.slow
@pytest.mark.parametrize("players", PLAYERS)
def test_choices_are_told_apart(players: int) -> None:
    phases = set()
    for before, _, _ in [*steps_of_a_game(players, 0), *steps_of_a_game(players, 3)]:
        phases.add(before["phase"])
        choices = choices_of(before, before["to_act"][-1])
        assert len({choice.words for choice in choices}) == len(choices)
        for choice in choices:
            assert re.fullmatch(r"[A-Z].*\.", choice.words)
    assert phases >= set(PHASES) - {"over", "stack", "treasure"}


def test_choices_say_what_they_do() -> None:
    """E1 and E8 of the rules, one decision after the other."""
    trick = Trick(
        EnginesPosition, "red 3, purple 2", "red 9, red 4, red 6, green 5", piles=("", "", "blue 2, red 4", "")
    )
    assert [choice.words for choice in choices_of(trick.play_cards(), 0)] == [
        "Steal red 4 from player 2.",
        "Take the open treasure red 3.",
    ]
    assert [choice.words for choice in choices_of(trick.play(113), 3)] == [
        "Look at the next three treasures of the stack of red and blue.",
        "Look at the next three treasures of the stack of green and purple.",
    ]
    orders = choices_of(trick.play(114), 3)
    assert re.fullmatch(
        r"Put them back as red \d, red \d and red \d, the next one first \(now 1, 2, 3\)\.", orders[0].words
    )
    assert [choice.label for choice in orders] == ["1, 2, 3", "1, 3, 2", "2, 1, 3", "2, 3, 1", "3, 1, 2", "3, 2, 1"]
    trick = Trick(
        EnginesPosition,
        "blue 1, green 1",
        "red 5, blue 5, green 5, purple 5",
        extras=(0, 3, 1, 2),
        sides=(0, 1),
    )
    snapshot = trick.play(card("red 5"), card("blue 5"))
    assert [choice.words for choice in choices_of(snapshot, 1)] == [
        "Add no extras: blue 5 counts 5.",
        "Add 1 extra: blue 5 counts 6.",
        "Add 2 extras: blue 5 counts 7.",
        "Add 3 extras: blue 5 counts 8.",
    ]
    snapshot = trick.play(96, card("green 5"), 96, card("purple 5"), 96)
    assert [choice.words for choice in choices_of(snapshot, 0)] == [
        "Take 2 extras from player 1, who has 3.",
        "Take 2 extras from player 3, who has 2.",
    ]
    snapshot = trick.play(111)
    assert choices_of(snapshot, 3)[0].words == "Take your own card purple 5 into your hand."
    assert choices_of(snapshot, 3)[1].words == "Take the card of player 0, red 5 into your hand."
    assert play.task(snapshot, 3) == "Which card of this trick do you take into your hand?"
    assert play.task(snapshot, 0) == "Player 3 takes a card of this trick into the hand."
    assert "Discard red 5." in [choice.words for choice in choices_of(trick.play(109), 3)]


def test_tasks_say_what_is_to_be_done() -> None:
    start = Games(1, 4, seed=1).snapshot(0)
    assert play.task(start, 1) == "Give your right neighbour, player 0, the highest card of your longest colour."
    assert play.task(start, None) == "Players 0, 1, 2 and 3 choose a card for their right neighbours."
    assert play.heading(start) == "Round 1 of 2 · trick 1 of 12"
    assert play.round_of(start) == "Round 1, trick 1"
    for sides, words in (((0, 0), "take 2 extras"), ((1, 0), "draw 2 cards")):
        trick = Trick(
            EnginesPosition, "blue 1, green 1", "red 5, blue 5, green 5, purple 5", extras=(0, 3, 1, 2), sides=sides
        )
        snapshot = trick.play_cards()
        assert snapshot["phase"] == "target"
        assert words in play.task(snapshot, 0)


# The trick


def test_a_covered_half_is_shown_to_its_player_alone() -> None:
    games = Games.from_snapshots([position("red 3, green 1", [card("blue 7"), 5, 30, 40])])
    games.step([[48 + card("blue 7"), PASS, PASS, PASS]])
    snapshot = games.snapshot(0)
    for seat in (0, 1, None, "all"):
        trick = next(each for each in parsed(play.board(snapshot, seat)).iter("ul") if each.get("class") == "trick")
        first = ElementTree.tostring(trick[0], "unicode")
        knows = seat in (0, "all")
        assert ("#creature-1" in first) == knows
        assert "cover-colour" in first
        assert ("blue 7 with its colour covered" if knows else "7 with its colour covered") in first
        assert ("blue" in first) == knows


@pytest.mark.slow
@pytest.mark.parametrize("players", [4, 5])
def test_the_reveal_is_shown_until_the_next_card(players: int) -> None:
    """It stays the same while winners decide, then it is gone; it is the same for everybody."""
    shown, moments = "", 0
    for step in steps_of_a_game(players, 2):
        before, _, after = step
        covered = before["phase"] in ("gift", "card", "extras")
        reveals = covered and before["phase"] != "gift" and after["revealed"] != before["revealed"]
        html = play.revealed(*step, 0)
        assert html == play.revealed(*step, 1) == play.revealed(*step, None)
        if reveals and after["revealed"][0] is not None:
            moments += 1
            assert html != shown
            assert [len(items) for items in parsed(html).iter("ul")] == [players]
            shown = html
        elif not covered:
            assert html == shown
        else:
            assert html == ""
    assert moments >= 2 * {4: 12, 5: 9}[players] - 1


def test_the_reveal_tells_who_wins() -> None:
    """E2: blue 9 against blue 7 with 3 extras."""
    trick = Trick(EnginesPosition, "blue 5, green 1", "blue 9, blue 7+3, green 2, purple 12+1", extras=(0, 4, 0, 1))
    trick.play(card("blue 9"), card("blue 7"), 99, card("green 2"), card("purple 12"))
    before = trick.position.snapshot()
    after = trick.play(97)
    words = words_in(play.revealed(before, [PASS, PASS, PASS, 97], after, 2))
    assert re.search(r"9 is what blue 9 counts gets extras", words)
    assert re.search(r"7 \+ 3 = 10 is what blue 7 and 3 extras counts wins blue", words)
    assert re.search(r"12 \+ 1: 12 is what purple 12 and 1 extra counts wins purple", words)


def test_what_is_at_stake() -> None:
    three = position("red 3", [card("red 4"), 20, 30])
    words = words_in(play.board(three, 0))
    assert "red 3 treasure 3 blue Take extras green Sort treasures one colour purple Sort treasures one colour" in words
    four = position("red 3, green 1", [0, 5, 13, 30], sides=(1, 1))
    assert "red 3 treasure 3 blue Exchange cards green 1 treasure 1 purple Pick up a card" in words_in(
        play.board(four, 0)
    )


# The end


@pytest.mark.parametrize("players", PLAYERS)
def test_points_are_explained_round_by_round(players: int) -> None:
    snapshot = next(after for _, _, after in examples(players) if after["phase"] == "over")
    tables = list(parsed(play.result(snapshot, 0)).iter("table"))
    order = [int(each.find("caption/small").get("data-player")) for each in tables]  # type: ignore[union-attr,arg-type]
    assert snapshot["winners"][order[0]]
    words = " ".join(play.result_words(snapshot, 0))
    for player, html in zip(order, tables, strict=True):
        first, treasures, extras = (int(row[2].text or "") for row in html.find("tbody") or [])
        assert first == snapshot["points"][0][player]
        assert treasures + extras == snapshot["points"][1][player]
        assert (treasures, extras) == last_round(Table(Games.as_seen(snapshot, 0)), player)
        assert html.findtext("tfoot/tr/td[2]") == str(snapshot["scores"][player])
        assert f"Player {player}: {snapshot['scores'][player]} point" in words
        assert f"Round 2: {treasures + extras}, of these {treasures} for treasures and {extras} for extras." in words


def test_screen_readers_hear_what_there_is() -> None:
    snapshot = position("red 3, green 1", [card("blue 7"), 5, 30, 40], piles=("red 2", "", "", ""), extras=(2, 0, 0, 0))
    labels = " ".join(
        element.get("aria-label", "") for part in parts_of(snapshot, 0) for element in parsed(part).iter()
    )
    assert "open: red 3; in the stack, in any order: R1, " in labels
    assert "Island cards out of the round: " in labels
    assert "Hand of player 0" in labels
    words = " ".join(map(words_in, parts_of(snapshot, 0)))
    assert "extras; treasures: red 2" in words
    assert "blue 7" in words
    assert "player 0 leads" in words


# What is sent


def sent(session: Session) -> list[str]:
    """What a browser is sent of a session."""
    now, views = session.now(), play_views(GAME)
    frames = [page.frame(session, now, views, number) for number in range(len(now.positions))]
    return [json.dumps(each) for each in (page.state(session, now, views), *frames)]


def twins(snapshot: dict[str, Any], person: int) -> list[Session]:
    """Two sessions that differ only in what is hidden from the person. Nobody thinks in them."""
    games = Games.from_snapshots([snapshot])
    games.redeal(7, person)
    return [session_of(start, person, name="x") for start in (snapshot, games.snapshot(0))]


@pytest.mark.slow
@pytest.mark.parametrize("players", PLAYERS)
def test_sessions_that_differ_in_hidden_cards_send_the_same(players: int) -> None:
    """In every phase, to those who decide and to others; and after a decision, if it shows nothing new."""
    tried, different, steps = set(), 0, 0
    for _, _, snapshot in examples(players):
        for person in range(players):
            sessions = twins(snapshot, person)
            one, other = (session.now().snapshot for session in sessions)
            different += one["hands"] != other["hands"]
            tried.add((snapshot["phase"], person in snapshot["to_act"]))
            assert sent(sessions[0]) == sent(sessions[1])
            if snapshot["to_act"] == [person]:
                for session in sessions:
                    session.choose(session.now().token, session.now().legal[0])
                one, other = (Games.as_seen(session.now().snapshot, person) for session in sessions)
                if one == other:
                    assert len(sessions[0].now().positions) == 2
                    assert sent(sessions[0]) == sent(sessions[1])
                    steps += 1
    assert {phase for phase, asked in tried if not asked} >= {"card", "extras", "give", "order", "pick", "discard"}
    assert different > 30
    assert steps > 5


@pytest.mark.slow
def test_nothing_hidden_is_on_the_wire() -> None:
    """The same on a real server, byte by byte, in the first round."""
    for _, _, snapshot in examples(4):
        if snapshot["round"] == 1:
            one, other = (all_answers(session) for session in twins(snapshot, (snapshot["to_act"][0] + 1) % 4))
            assert one == other
