"""What is shown and told of Maui: pictures, text, stories, and what actions bring."""

import copy
import random
import re
import xml.etree.ElementTree as ElementTree
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from maui_positions import fill, finished, position, start, take, towel
from maui_steps import KINDS, examples, random_ruleset, steps_of_a_game
from seen import WRONG, assert_same_surfaces, spoiled, visible, words_of

from strand_env.maui import PASS, Games
from strand_env.maui.ruleset import PATTERNS, PRICES, TOWELS
from strand_env.maui.views import play, tell, to_pixels, to_svg, to_text
from strand_env.maui.views.figures import FILLS, draw_cell
from strand_env.maui.views.rehearsal import Rehearsal
from strand_env.maui.views.scores import tie_words
from strand_env.maui.views.table import Table
from strand_env.pictures.canvas import PixelCanvas

LETTERS = "YPBRV"


# What is hidden stays hidden


@pytest.mark.slow
@pytest.mark.parametrize(("players", "variant"), KINDS)
def test_nothing_hidden_is_shown(players: int, variant: str) -> None:
    for snapshot, story in examples(players, variant):
        games = Games.from_snapshots([snapshot])
        games.redeal(seed=99)
        other = games.snapshot(0)
        assert other["stream"] != snapshot["stream"]
        assert to_svg(other, story) == to_svg(snapshot, story)
        assert to_text(other, story) == to_text(snapshot, story)


@pytest.mark.slow
@pytest.mark.parametrize(
    "change",
    [
        lambda snapshot: snapshot["dollars"].__setitem__(1, 4),
        lambda snapshot: snapshot["zones"].__setitem__(0, 3),
        lambda snapshot: snapshot["market"].__setitem__(5, towel("VYR")),
        lambda snapshot: snapshot["bag"].pop(),
        lambda snapshot: snapshot["beach"][0][-1].__setitem__(0, towel("VYR")),
        lambda snapshot: snapshot["beach"][0][-1].__setitem__(1, 4),
        lambda snapshot: snapshot["beach"][0][-1][2].__setitem__(0, "token0"),
        lambda snapshot: snapshot["beach"][0][-1][2].__setitem__(0, "token1"),
        lambda snapshot: snapshot["beach"][0][-1][2].__setitem__(0, 3),
        lambda snapshot: snapshot["beach"][0][-1][2].__setitem__(0, "water"),
        lambda snapshot: snapshot["pieces"][0].__setitem__(4, "crab3"),
        lambda snapshot: snapshot["shells"][1].__setitem__(2, 7),
        lambda snapshot: snapshot["penalties"].__setitem__(0, 2),
        lambda snapshot: snapshot["pearls"][1].__setitem__(1, 2),
        lambda snapshot: snapshot["tokens"][1].__setitem__(0, 1),
        lambda snapshot: snapshot["supply"].__setitem__(1, 0),
        lambda snapshot: snapshot.update(to_act=[1]),
        lambda snapshot: snapshot.update(phase="token"),
        lambda snapshot: snapshot.update(round=9),
        lambda snapshot: snapshot.update(first=1),
        lambda snapshot: snapshot.update(phase="over", to_act=[], scores=[3, -1], winners=[True, False]),
    ],
)
def test_everything_open_is_shown(change: Any) -> None:
    snapshot = position(players=2, column=2)
    changed = copy.deepcopy(snapshot)
    change(changed)
    assert_shown_differently(changed, snapshot)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("phase", "change"),
    [
        ("token", {"fresh": [1, 0]}),
        ("token", {"fresh": [0, 1]}),
        ("umbrella", {"pending": [1]}),
        ("umbrella", {"pending": [0, 1]}),
        ("umbrella", {"pending": [1, 0]}),
        ("umbrella", {"pending": [0], "fresh": [1, 0]}),
        ("umbrella", {"pending": [1, 0], "fresh": [1, 1]}),
    ],
)
def test_what_is_open_in_a_turn_is_shown(phase: str, change: dict[str, Any]) -> None:
    snapshot = position(players=2, column=2, tokens=(1, 1), phase=phase, pending=[0] * (phase == "umbrella"))
    assert_shown_differently(snapshot | change, snapshot)
    assert max(map(len, to_text(snapshot | change, colour=False).splitlines())) <= 100


def assert_shown_differently(one: dict[str, Any], other: dict[str, Any]) -> None:
    """In pictures, text and on the page, for those who play and those who watch."""
    assert to_svg(one) != to_svg(other)
    assert (to_pixels(one) != to_pixels(other)).any()
    assert to_text(one, colour=False) != to_text(other, colour=False)
    for seat in (0, 1, None):
        assert page_of(one, seat) != page_of(other, seat)


def page_of(snapshot: dict[str, Any], seat: int | None) -> list[str]:
    players = [play.player(snapshot, player, seat) for player in range(snapshot["players"])]
    ended = [play.result(snapshot)] if snapshot["phase"] == "over" else []
    return [play.heading(snapshot), play.task(snapshot, seat), play.board(snapshot, seat), *players, *ended]


@pytest.mark.parametrize(
    ("variant", "words"), [("base", "Round 12 · {}umbrellas"), ("combined", "Part 1 of 2 · round 12{}")]
)
def test_the_last_round_is_announced(variant: str, words: str) -> None:
    """The start towel does not count: whoever fills column 12 has thirteen on the beach."""
    before = fill(position(players=2, variant="base"), (11, 11)) | {"variant": variant, "round": 12}
    last = fill(position(players=2, variant="base"), (12, 11)) | {"variant": variant, "round": 12, "to_act": [1]}
    over = last | {"phase": "over", "to_act": [], "scores": [3, 2], "winners": [True, False]}
    for snapshot, added in ((before, False), (last, True)):
        news = {"base": "last round · ", "combined": " · last round"}[variant] * added
        for shown in (play.heading(snapshot), to_text(snapshot, colour=False), " ".join(words_of(to_svg(snapshot)))):
            assert words.format(news) in shown
            assert ("last round" in shown) == added
    assert "last round" not in play.heading(over)


def test_the_first_player_is_named_once() -> None:
    snapshot = position(players=4, first=2)
    assert to_text(snapshot, colour=False).count("first player") == 1
    assert re.search(r"Player 2 .* first player", to_text(snapshot, colour=False))
    assert words_of(to_svg(snapshot)).count("first player") == 1
    assert ["first player" in play.player(snapshot, player, 0) for player in range(4)] == [False, False, True, False]


# The picture


@pytest.mark.slow
@pytest.mark.parametrize(("players", "variant"), KINDS)
def test_the_picture_is_sound_and_small(players: int, variant: str) -> None:
    for snapshot, story in examples(players, variant):
        svg = to_svg(snapshot, story)
        assert len(svg) < 300_000
        root = ElementTree.fromstring(svg)
        assert "max-width: 100%" in root.get("style", "")
        assert not [element for element in root.iter() if "href" in str(element.attrib) or "script" in element.tag]
        said = words_of(svg)
        for player in range(players):
            assert f"Player {player}" in said
        told = " ".join(said)
        for sentence in story[-3:]:
            assert sentence in told


@pytest.mark.slow
@pytest.mark.parametrize(("players", "variant"), KINDS[::4])
def test_pixels_are_those_of_the_picture(players: int, variant: str) -> None:
    snapshot, story = examples(players, variant)[-1]
    assert_same_surfaces(to_svg(snapshot, story), to_pixels(snapshot, story))


@pytest.mark.parametrize(("width", "height"), [(80, 52), (32, 20), (25, 17)])
def test_patterns_differ_in_shape(width: int, height: int) -> None:
    """Without colours, also on the small cells of a phone: each pair of patterns differs in much of what is dark."""

    def dark(pattern: int) -> np.ndarray:
        canvas = PixelCanvas(width, height)
        draw_cell(canvas, pattern, 0, 0, width, height)
        ground = np.array([int(FILLS[pattern][i : i + 2], 16) for i in (1, 3, 5)])
        return np.abs(canvas.to_pixels() - ground).sum(2) > 120

    for one, other in combinations(map(dark, range(len(PATTERNS))), 2):
        assert (one ^ other).sum() > 0.4 * (one | other).sum()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_any_ruleset_can_be_shown(seed: int) -> None:
    """Tracks of 1 to 32 squares, many ornament squares, several pieces in a column."""
    ruleset = random_ruleset(random.Random(seed))
    variant = ("base", "crabs", "combined")[seed % 3]
    for before, actions, after in list(steps_of_a_game(4, variant, seed, ruleset))[::9]:
        story = tell(before, actions, after)
        ElementTree.fromstring(to_svg(after, story))
        assert max(map(len, visible(to_text(after, story)).splitlines())) <= 100


# The text


@pytest.mark.parametrize(("players", "variant"), KINDS)
def test_the_text_is_aligned(players: int, variant: str) -> None:
    for snapshot, story in examples(players, variant):
        text, plain = to_text(snapshot, story), to_text(snapshot, story, colour=False)
        assert "\x1b" in text
        assert visible(text) == plain
        lines = plain.splitlines()
        assert max(map(len, lines)) <= 100
        for player in range(players):
            top = next(number for number, line in enumerate(lines) if f"Player {player}  " in line)
            left = lines[top].index(f"Player {player}") + 1
            water = next(number for number, line in enumerate(lines[top:], top) if line[left:].startswith("~~~"))
            cells = [row[left : left + 39].ljust(39) for row in lines[water:]]
            towels = snapshot["beach"][player]
            first = min(
                0, *(each[1] for pair in (player ^ 1, player) if pair < players for each in snapshot["beach"][pair])
            )
            for column, (number, towel_top, _) in enumerate(towels):
                for cell, pattern in enumerate(TOWELS[number]):
                    shown = cells[towel_top + cell - first][3 * column : 3 * column + 3]
                    assert LETTERS[pattern] in shown


def test_the_text_tells_what_there_is() -> None:
    snapshot = position(
        "PVY",
        1,
        column=2,
        market={0: "PVB", 1: "YRV"},
        tokens=(1, 0),
        shells=(3, 0, 12, 0, 1),
        dollars=2,
        players=2,
        zones=(0, 1),
    )
    text = to_text(snapshot, ["Something happened."], colour=False)
    assert "Round 2 · umbrellas" in text
    assert "Player 0 takes a towel or dollars." in text
    assert re.search(r"zone 0: 0 dollars +free PVB +1 dollar YRV +2 dollars [YPBRV]{3}\n", text)
    assert re.search(r"Y  yellow +0 B on 6 +3/12 = 4 +0/12 = 0", text)
    assert re.search(r"B  light blue +12/12 = 22 +0/12 = 0", text)
    assert re.search(r"> Player 0 +29 points so far", text)
    assert re.search(r"2 dollars   tokens B1 R0   pearls ○0 ●0", text)
    assert text.endswith("\nSomething happened.\n")


# The story


class Retold:
    """What a reader of the story knows of a game."""

    def __init__(self, before: dict[str, Any]) -> None:
        kept = ("beach", "market", "zones", "dollars", "shells", "tokens", "pearls", "penalties", "crab_points")
        self.known = {name: copy.deepcopy(before[name]) for name in kept}
        self.player = before["to_act"][0] if before["to_act"] else 0
        self.patterns = before["ruleset"]["token_patterns"]

    def read(self, sentence: str) -> None:
        assert re.fullmatch(r"[A-Z1-9].*[a-z0-9)]\.", sentence), sentence
        if found := re.match(r"Player (\d)", sentence):
            self.player = int(found[1])
        known, player = self.known, self.player
        if found := re.match(r"Player \d takes towel (\w+)(.*) and lays it into column (\d+), rows (\S+) to", sentence):
            place = known["market"].index(towel(found[1]))
            price = 0 if "spare" in found[2] else PRICES[place]
            assert ("dollar" in found[2]) == (price > 0)
            known["dollars"][player] -= price
            known["zones"][place // 3] += price
            known["market"].pop(place)
            known["market"].insert(3 * (place // 3) + 2, None)
            assert int(found[3]) == len(known["beach"][player])
            known["beach"][player].append([towel(found[1]), int(found[4])])
        elif found := re.match(r"Towel (\w+) comes from the bag into row (\d)", sentence):
            assert known["market"][3 * int(found[2]) + 2] is None
            known["market"][3 * int(found[2]) + 2] = towel(found[1])
        elif found := re.match(r"It sticks out .* gets (\d) penalty", sentence):
            known["penalties"][player] += int(found[1])
        elif sentence.startswith("It covers"):
            for colour, name in enumerate(("white", "black")):
                known["pearls"][player][colour] += len(re.findall(f"a {name} pearl", sentence))
            known["crab_points"][player] += sum(map(int, re.findall(r"a crab of (\d)", sentence)))
        elif found := re.match(r"Player \d takes (\d+) dollars? from zone (\d)", sentence):
            known["dollars"][player] += int(found[1])
            assert known["zones"][int(found[2])] == int(found[1])
            known["zones"][int(found[2])] = 0
        elif sentence.startswith(f"Player {player} moves"):
            for name, steps, square in re.findall(r"the ([a-z ]+) shell by (\d+) to square (\d+)", sentence):
                track = PATTERNS.index(name)
                known["shells"][player][track] += int(steps)
                assert known["shells"][player][track] == int(square)
        elif found := re.match(r"Player \d lays a ([a-z ]+) token", sentence):
            known["tokens"][player][self.patterns.index(PATTERNS.index(found[1]))] -= 1
        elif re.match(r"Player \d takes \d .* from (an )?ornament", sentence):
            for count, name in re.findall(r"(\d+) (yellow|pink|light blue|orange|purple)", sentence):
                known["tokens"][player][self.patterns.index(PATTERNS.index(name))] += int(count)


def check_retold(before: dict[str, Any], story: list[str], after: dict[str, Any]) -> None:
    reader = Retold(before)
    for sentence in story:
        reader.read(sentence)
    same = ("shells", "pearls", "tokens", "penalties")
    if after["part"] == before["part"]:
        reader.known["beach"] = [[each[:2] for each in row] for row in reader.known["beach"]]
        assert reader.known.pop("beach") == [[each[:2] for each in row] for row in after["beach"]], story
        same = (*same, "market", "zones", "dollars", "crab_points")
    assert {name: reader.known[name] for name in same} == {name: after[name] for name in same}, story


@pytest.mark.slow
@pytest.mark.parametrize(("players", "variant"), KINDS)
def test_the_story_tells_everything(players: int, variant: str) -> None:
    for seed in range(4):
        ruleset = random_ruleset(random.Random(seed)) if seed == 3 else None
        for before, actions, after in steps_of_a_game(players, variant, seed, ruleset):
            story = tell(before, actions, after)
            check_retold(before, story, after)
            if after["part"] != before["part"]:
                assert f"player {after['first']} begins part 2." in story[-1]
                assert any("part 1 is over" in sentence for sentence in story)
            if after["phase"] == "over":
                winner = after["winners"].index(True)
                assert story[-1].startswith(f"Player {winner} wins with {after['scores'][winner]} point")
                for player, points in enumerate(after["scores"]):
                    [line] = [line for line in story if line.startswith(f"Player {player} has {points} point")]
                    terms = re.findall(r"(less )?(\d+) (?:on|for)", line)
                    assert sum(-int(number) if less else int(number) for less, number in terms) == points


def told(games: Games, action: int) -> list[str]:
    before = games.snapshot(0)
    [asked] = before["to_act"]
    actions = [action if player == asked else PASS for player in range(games.num_players)]
    games.step([actions])
    return tell(before, actions, games.snapshot(0))


def test_the_story_of_a_towel() -> None:
    """E1 of the rules."""
    story = told(start("PVY", 1, market={0: "PVB"}, shells=(0, 3, 0, 0, 0)), take())
    assert story[0] == "Player 0 takes towel PVB and lays it into column 1, rows 1 to 3."
    assert re.fullmatch(r"Towel [YPBRV]{3} comes from the bag into row 0 of the market\.", story[1])
    assert story[2:] == [
        "Player 0 moves the pink shell by 3 to square 6 and the purple shell by 2 to square 2.",
        "Player 0 takes 1 orange token from an ornament square.",
    ]


def test_the_story_of_a_towel_that_sticks_out() -> None:
    """E4."""
    story = told(start("BRV", 1, market={0: "YPB"}), take(shift=-2))
    assert "It sticks out into the water: player 0 gets 2 penalty tokens." in story


def test_the_story_of_a_forced_token() -> None:
    """E8."""
    story = told(start("BYP", market={0: "RVY"}, tokens=(1, 0)), take())
    assert "Player 0 lays a light blue token onto row 3." in story
    assert "Player 0 moves the light blue shell by 1 to square 1." in story


def test_the_story_of_an_umbrella() -> None:
    """E6."""
    games = start("BRV", column=2, market={0: "BRY"}, pieces={(2, 3): "pattern0"}, shells=(4, 0, 0, 0, 2))
    assert "It covers an umbrella of yellow or purple." in told(games, take())
    assert told(games, 38)[0] == "Player 0 moves the yellow shell by 1 to square 5 by an umbrella."


def test_the_story_of_a_spare_towel() -> None:
    """E10."""
    market = dict(enumerate(["YPV", "BRY", "PYR", "PRV", "YBP", "RVP"]))
    games = start("YPB", -1, 2, market, {(2, 3): "pearl0"}, dollars=0, zones=(0, 0))
    story = told(games, 33)
    assert story[:2] == [
        "Player 0 takes towel BRY as a spare towel and lays it into column 2, rows 3 to 5.",
        "A white pearl leaves the beach.",
    ]


def test_after_the_end_there_is_nothing_to_tell() -> None:
    after = examples(2, "base")[-1][0]
    assert after["phase"] == "over"
    assert tell(after, [PASS, PASS], after) == []


# What actions bring


def turns_between(before: dict[str, Any], after: dict[str, Any]) -> int:
    players, last = before["players"], after["to_act"][0] if after["to_act"] else before["first"] - 1
    rounds = after["round"] - before["round"]
    places = [(player - before["first"]) % players for player in (before["to_act"][0], last)]
    return players * rounds + places[1] - places[0]


@pytest.mark.slow
@pytest.mark.parametrize(("players", "variant"), KINDS)
def test_gains_are_what_the_engine_does(players: int, variant: str) -> None:
    """Every legal action of random games; where the player is asked again, no token is laid."""
    checked, skipped = 0, 0
    for before, _, _ in steps_of_a_game(players, variant, 7):
        games = Games.from_snapshots([before])
        [player] = before["to_act"]
        rehearsal = Rehearsal(Table(before))
        assert rehearsal.legal == np.flatnonzero(games.legal[0, player]).tolist()
        for action in np.flatnonzero(games.legal[0, player]).tolist():
            gain = rehearsal.gain(action)
            games = Games.from_snapshots([before])
            games.step([[action if each == player else PASS for each in range(players)]])
            asked_again = games.snapshot(0)
            if asked_again["to_act"] == [player] and asked_again["phase"] == "token" and games.legal[0, player, PASS]:
                games.step([[PASS] * players])
            after = games.snapshot(0)
            assert bool(gain.umbrellas) == (asked_again["phase"] == "umbrella" and asked_again["to_act"] == [player])
            assert gain.lacks_match == (after["phase"] == "token" and after["to_act"] == [player])
            if after["part"] != before["part"] or turns_between(before, after) > players:
                skipped += 1  # the player had another turn, or begins again
                continue
            change = {
                name: np.subtract(after[name][player], before[name][player]).tolist()
                for name in ("pearls", "dollars", "penalties", "crab_points", "tokens", "shells")
            }
            told = (gain.pearls, gain.dollars, gain.penalties, gain.crabs)
            assert told == (change["pearls"], change["dollars"], change["penalties"], change["crab_points"])
            if not gain.umbrellas:  # whose matches are not counted yet
                assert (gain.steps, gain.tokens) == (change["shells"], change["tokens"])
                points = [Table(snapshot).account(player).points for snapshot in (before, after)]
                assert gain.points == points[1] - points[0]
                assert gain.towel == after["beach"][player][-1]
            checked += 1
    assert checked > 50
    assert skipped < 0.2 * checked


# The end


@pytest.mark.parametrize(
    ("towels", "dollars", "winner", "words"),
    [
        ([12, 11, 12], [1, 1, 1], 1, "player 1 has fewer towels"),
        ([12, 12, 12], [1, 0, 2], 2, "player 2 has more dollars"),
        ([12, 12, 12], [1, 1, 1], 2, "player 2 has the later turn"),
    ],
)
def test_ties_are_explained(towels: list[int], dollars: list[int], winner: int, words: str) -> None:
    snapshot = finished(towels, [7, 7, 7], winner, dollars=dollars)
    assert tie_words(Table(snapshot)) == f"of players 0, 1 and 2, {words}"
    assert tie_words(Table({**snapshot, "scores": [7, 6, 5]})) == ""


# Bad input


FIELDS = (
    *("players", "variant", "part", "round", "phase", "to_act", "first", "market", "zones", "bag", "drawn", "beach"),
    *("pieces", "lying", "shells", "dollars", "penalties", "crab_points", "pearls", "tokens", "supply", "fresh"),
    *("pending", "scores", "winners", "ruleset"),
)
FITTING: dict[str, tuple[Any, ...]] = {  # what of it may be there all the same
    "lying": (True,),
    "bag": ([],),
    "pending": ([],),
    "scores": (None, -1000),
    "winners": (None, True),
}


@pytest.mark.slow
@pytest.mark.parametrize("field", FIELDS)
def test_wrong_values_are_refused_by_name(field: str) -> None:
    snapshot = position(players=2, scores=[3, 2], winners=[True, False])
    for wrong in WRONG:
        if any(wrong is fit or wrong == fit for fit in FITTING.get(field, ()) if not isinstance(wrong, np.ndarray)):
            continue
        for changed in spoiled(snapshot, field, wrong):
            for show in (to_svg, to_text, lambda it: tell(it, [2, 0], snapshot), lambda it: tell(snapshot, [2, 0], it)):
                with pytest.raises(ValueError, match=rf"\b{field}\b.*: ") as refusal:
                    show(changed)
                assert str(refusal.value).isprintable()
                assert len(str(refusal.value)) < 300 or field == "ruleset"


def test_bad_steps_are_refused() -> None:
    two, three = position(players=2), position(players=3)
    with pytest.raises(ValueError, match="after: expected a game of 2 players"):
        tell(two, [2, PASS], three)
    for actions in (None, 5, [0], [0, 50], [0, -1], [0, None]):
        with pytest.raises(ValueError, match="actions: expected 2 from 0 to 49"):
            tell(two, actions, two)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"actions: expected one of \[.*\] for player 0, got 49"):
        tell(two, [PASS, PASS], two)


def test_escape_codes_of_a_story_never_reach_the_terminal() -> None:
    story = ["\x1b[2J\x1b]0;title\x07red", "one\r\ntwo\x9b1mthree"]
    plain = to_text(position(), story, colour=False)
    assert plain.replace("\n", "").isprintable()
    assert visible(to_text(position(), story)) == plain
