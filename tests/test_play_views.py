"""What people see of Strand Unter: the beach, what they may choose, and how the points come about."""

import xml.etree.ElementTree as ElementTree
from itertools import combinations

import numpy as np
import pytest
from PIL import Image, ImageDraw
from playing import mid_game, whole_games
from positions import position

from strand_env.strand_unter import Games
from strand_env.strand_unter.actions import BUILD_CASTLE, TAKE_CASTLE
from strand_env.strand_unter.ruleset import COLOURS
from strand_env.strand_unter.views import figures, play
from strand_env.strand_unter.views.beach import _Beach
from strand_env.strand_unter.views.scores import account_of, account_words, tie_words


@pytest.fixture(scope="module")
def ended() -> list[dict]:
    *_, games = whole_games(Games(64, 4, seed=3))
    return [games.snapshot(number) for number in range(games.num_games)]


def parsed(html: str) -> ElementTree.Element:
    return ElementTree.fromstring(f"<div>{html}</div>")


def test_everything_drawn_is_well_formed_and_without_styles_of_its_own() -> None:
    games = mid_game(40, 3)
    before = [games.snapshot(number) for number in range(games.num_games)]
    actions = games.random_actions(1)
    for snapshot, chosen in zip(before, actions.tolist(), strict=True):
        parts = [play.board(snapshot, 0), *(play.player(snapshot, player, 0) for player in range(3))]
        parts.append(play.revealed(snapshot, chosen, snapshot, 0))
        parts += [choice.picture for choice in choices_of(snapshot, 0)]
        for part in parts:
            for element in parsed(part).iter():
                assert "style" not in element.attrib
    assert {element.get("id") for element in ElementTree.fromstring(play.symbols)} >= {"shell-0", "castle-3-3-flooded"}


def choices_of(snapshot: dict, seat: int) -> list:
    legal = np.flatnonzero(Games.from_snapshots([snapshot]).legal[0, seat]).tolist()
    return play.choices(snapshot, seat, legal) if seat in snapshot["to_act"] else []


def test_symbols_that_are_used_are_there() -> None:
    names = {f"#{element.get('id')}" for element in ElementTree.fromstring(play.symbols)}
    for number in range(40):
        snapshot = mid_game(40, 4).snapshot(number)
        html = "".join(play.player(snapshot, player, 0) for player in range(4))
        html += "".join(choice.picture for seat in range(4) for choice in choices_of(snapshot, seat))
        used = {element.get("href") for element in parsed(html).iter("use")}
        assert used <= names


def test_castles_make_room_only_for_shells() -> None:
    snapshot = Games(1, 4, seed=1).snapshot(0)
    snapshot["castles"] = [[1, "ready", 1, 1]] + [["heap"] * 4] * 3
    assert _Beach(snapshot)._scale(1) < 1
    assert _Beach({**snapshot, "shells": [0] * 4})._scale(1) == 1


def test_a_trove_is_what_there_is_to_take() -> None:
    seen = set()
    games = mid_game(400, 3)
    for snapshot in map(games.snapshot, range(games.num_games)):
        if snapshot["phase"] == "trove":
            [seat] = snapshot["to_act"]
            kinds = {"a castle" if choice.action >= TAKE_CASTLE else "a shell" for choice in choices_of(snapshot, seat)}
            assert play.task(snapshot, seat) == f"A consolation trove: take {' or '.join(sorted(kinds, reverse=True))}."
            seen.add(len(kinds))
    assert seen == {1, 2}


def test_choices_say_what_they_take() -> None:
    """What a choice promises is what the step does, in all phases."""
    checked = set()
    games = mid_game(200, 3)
    for number in range(games.num_games):
        snapshot = games.snapshot(number)
        for seat in snapshot["to_act"]:
            if snapshot["phase"] not in ("collect", "trove", "build"):
                continue
            for choice in choices_of(snapshot, seat):
                if TAKE_CASTLE <= choice.action < BUILD_CASTLE or choice.words == "Do not build.":
                    continue
                one = Games.from_snapshots([snapshot])
                actions = np.full((1, 3), one.pass_action)
                for other in snapshot["to_act"]:
                    actions[0, other] = np.flatnonzero(one.legal[0, other])[-1]
                actions[0, seat] = choice.action
                one.step(actions)
                change = np.subtract(one.snapshot(0)["buckets"][seat], snapshot["buckets"][seat])
                for colour, count in enumerate(change):
                    assert (f"{abs(count)} {COLOURS[colour]}" in choice.words) == (count != 0)
                checked.add(snapshot["phase"])
    assert checked == {"collect", "trove", "build"}


def test_points_are_explained_castle_by_castle(ended: list[dict]) -> None:
    unfit = 0
    for snapshot in ended:
        for player, score in enumerate(snapshot["scores"]):
            account = account_of(snapshot, player)
            assert account.points == score
            assert [fit + not_fit for fit, not_fit in zip(account.fit, account.unfit, strict=True)] == snapshot[
                "buckets"
            ][player]
            words = " ".join(account_words(snapshot, player))
            for value, place in enumerate(snapshot["castles"][player]):
                told = f"in groove {place}: {place} + {value} = {place + value}" if isinstance(place, int) else "0."
                assert f"Castle {value} " in words
                assert told in words
            assert ("unfit" in words) == (sum(account.unfit) > 0)
            unfit += sum(account.unfit) > 0
        totals = [foot.find("tr/td[2]").text for foot in parsed(play.result(snapshot)).iter("tfoot")]
        assert sorted(int(total.replace("−", "-")) for total in totals) == sorted(snapshot["scores"])
    assert unfit > 10


@pytest.mark.parametrize(
    ("castles", "scores", "winners", "words"),
    [
        ([[6, "heap"], [5, "heap"]], [6, 5], [True, False], ""),
        ([[6, 3], [4, 5]], [10, 10], [True, False], "The tie goes to player 0, with more points in groove 6."),
        ([[7, 4], [7, 4], [5, 6]], [12] * 3, [True, True, False], "to players 0 and 1, with more points in groove 7."),
        # One after the other falls behind; shells that are unfit make the scores the same.
        ([[8, 3], [8, 2], [5, 6]], [9] * 3, [True, False, False], "to player 0, with more points in groove 3."),
        ([[6, 1], [6, 1]], [8, 8], [True, True], "Players 0 and 1 have 8 points each, and the same in every groove."),
    ],
)
def test_ties_are_explained(castles: list[list], scores: list[int], winners: list[bool], words: str) -> None:
    snapshot = position(len(castles), castles={player: [*row, "heap", "heap"] for player, row in enumerate(castles)})
    told = tie_words(snapshot | {"scores": scores, "winners": winners})
    assert told.endswith(words)
    assert bool(told) == bool(words)


def test_the_end_tells_who_won_a_tie(ended: list[dict]) -> None:
    for snapshot in ended:
        best = [player for player, score in enumerate(snapshot["scores"]) if score == max(snapshot["scores"])]
        assert bool(tie_words(snapshot)) == (len(best) > 1)
        assert (tie_words(snapshot) in play.result_words(snapshot)) == (len(best) > 1)


def test_shells_differ_in_shape() -> None:
    """Without colours: each pair of shells, with their ribs, differs in much of what they cover."""
    size = 60

    def silhouette(colour: int) -> np.ndarray:
        def placed(points: list) -> list:
            return [(size / 2 + x * size / 2.4, size / 2 + y * size / 2.4) for x, y in points]

        image = Image.new("1", (size, size))
        draw = ImageDraw.Draw(image)
        draw.polygon(placed(figures._SHELL_OUTLINES[colour]), fill=1)
        for rib in figures._SHELL_RIBS[colour]:
            draw.line(placed(rib), fill=0, width=3)
        return np.array(image)

    for one, other in combinations(map(silhouette, range(len(COLOURS))), 2):
        assert (one ^ other).sum() > 0.25 * (one | other).sum()


def test_the_dial_shows_who_set_what() -> None:
    games = Games(1, 4, seed=1)
    dials = [0, 5, 5, 9]
    before = games.snapshot(0)
    games.step([dials])
    html = play.revealed(before, dials, games.snapshot(0), 0)
    cells = list(parsed(html).iter("li"))
    badges = [["".join(badge.itertext()) for badge in cell.findall("span[@class='badges']/span")] for cell in cells]
    assert badges == [["player 0"], [], [], [], [], ["player 1", "player 2"], [], [], [], ["player 3"]]
    assert [number for number, cell in enumerate(cells) if "crowd" in cell.get("class", "")] == [5]
