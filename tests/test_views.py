"""The views: pictures, text and story of a game, from snapshots alone."""

import copy
import random
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from playing import Step, steps_of
from positions import ALL_OF_ONE, BROWN, GRAY, THREE_DIFFERENT, THREE_SAME, TWO_DIFFERENT, WHITE, play, position, start
from seen import WRONG, assert_same_surfaces, spoiled, visible, words_of
from subjects.strand_unter import POLICIES, random_ruleset

from strand_env.pictures.canvas import Paint, PixelCanvas, SvgCanvas, mixed, placed, smooth
from strand_env.strand_unter import GAME as STRAND_UNTER
from strand_env.strand_unter import PASS, PHASES, Games, Ruleset
from strand_env.strand_unter.ruleset import COLOURS
from strand_env.strand_unter.views import tell, to_pixels, to_svg, to_text

PLAYERS = (2, 3, 4)


def steps_of_a_game(players: int, seed: int, ruleset: Ruleset | None = None) -> Iterator[Step]:
    """Snapshots before and after each step, and the actions between them."""
    return steps_of(Games(1, players, [seed], ruleset), POLICIES, random.Random(seed))


def examples(players: int) -> list[tuple[dict[str, Any], list[str]]]:
    """A snapshot of each phase with its story, from one game or a few, at both tides."""
    found: dict[tuple[str, bool], tuple[dict[str, Any], list[str]]] = {}
    for seed in range(6):
        for before, actions, after in steps_of_a_game(players, seed):
            found.setdefault((after["phase"], after["round"] > 8), (after, tell(before, actions, after)))
    assert {phase for phase, _ in found} == set(PHASES)
    return list(found.values())


EXAMPLES = {players: examples(players) for players in PLAYERS}


# What is hidden stays hidden


@pytest.mark.slow
@pytest.mark.parametrize("players", PLAYERS)
def test_nothing_hidden_is_shown(players: int) -> None:
    for snapshot, story in EXAMPLES[players]:
        games = Games.from_snapshots([snapshot])
        games.redeal(seed=99)
        other = games.snapshot(0)
        assert other["stream"] != snapshot["stream"]
        if snapshot["round"] < 7 and snapshot["phase"] != "over":
            assert other["covered"] != snapshot["covered"]
        assert to_svg(other, story) == to_svg(snapshot, story)
        assert to_text(other, story) == to_text(snapshot, story)


@pytest.mark.slow
@pytest.mark.parametrize(
    "change",
    [
        lambda snapshot: snapshot["buckets"][1].__setitem__(2, 17),
        lambda snapshot: snapshot["shells"].__setitem__(0, 6),
        lambda snapshot: snapshot["castles"][0].__setitem__(3, "flooded"),
        lambda snapshot: snapshot["castles"][0].__setitem__(3, 5),
        lambda snapshot: snapshot["cards"][1].__setitem__(1, [0, 0, 4, 0]),
        lambda snapshot: snapshot["dials"].__setitem__(0, 7),
        lambda snapshot: snapshot["spell_dials"].__setitem__(1, 2),
        lambda snapshot: snapshot["owed"].__setitem__(1, True),
        lambda snapshot: snapshot.update(to_act=[1]),
        lambda snapshot: snapshot.update(phase="trove"),
        lambda snapshot: snapshot.update(round=3),
        lambda snapshot: snapshot.update(groove=1),
        lambda snapshot: snapshot.update(sea=9),
        lambda snapshot: snapshot.update(phase="over", to_act=[], scores=[3, -1], winners=[True, False]),
    ],
)
def test_everything_open_is_shown(change: Any) -> None:
    snapshot = position(players=2, round=2, shells=(2, 1, 1, 1))
    changed = copy.deepcopy(snapshot)
    change(changed)
    assert to_svg(changed) != to_svg(snapshot)
    assert (to_pixels(changed) != to_pixels(snapshot)).any()
    assert to_text(changed, colour=False) != to_text(snapshot, colour=False)


# The picture


@pytest.mark.parametrize("players", PLAYERS)
def test_the_picture_is_sound_and_small(players: int) -> None:
    for snapshot, story in EXAMPLES[players]:
        svg = to_svg(snapshot, story)
        assert len(svg) < 150_000
        root = ElementTree.fromstring(svg)
        assert (root.get("width"), root.get("height")) == ("1200", "800")
        assert "max-width: 100%" in root.get("style", "")  # notebooks are narrower, and would cut it off
        assert not [element for element in root.iter() if "href" in str(element.attrib) or "script" in element.tag]
        said = words_of(svg)
        for player in range(players):
            assert f"Player {player}" in said
        told = " ".join(said)
        for sentence in story[-4:]:
            assert sentence in told


@pytest.mark.slow
@pytest.mark.parametrize("players", PLAYERS)
def test_pixels_are_those_of_the_picture(players: int) -> None:
    for snapshot, story in EXAMPLES[players][::6]:
        assert_same_surfaces(to_svg(snapshot, story), to_pixels(snapshot, story))


def test_the_sea_goes_where_it_should() -> None:
    def is_water(sea: int) -> list[bool]:
        row = to_pixels(position(players=2, round=16 - sea + 4, seaward=4))[300].astype(int)
        middles = [64 + 97 * groove - 20 for groove in range(1, 12)]
        return [row[x][2] > row[x][0] for x in middles]

    for sea in (5, 8, 11):
        assert is_water(sea) == [groove > sea for groove in range(1, 12)]


def test_colours_of_shells_differ_in_shape() -> None:
    shapes = set()
    for colour in range(4):
        snapshot = position(players=2, shells=[int(colour == other) for other in range(4)])
        added = set(to_svg(snapshot).splitlines()) - set(to_svg(position(players=2)).splitlines())
        shapes |= {re.search('points="[^"]*"', line)[0] for line in added if line.startswith("<polygon")}
    assert len(shapes) == 4


@pytest.mark.parametrize("seed", range(8))
def test_any_ruleset_can_be_shown(seed: int) -> None:
    """Up to 10 shells in a groove, and cards with many more shells than there is room for."""
    ruleset = random_ruleset(random.Random(seed))
    for before, actions, after in list(steps_of_a_game(4, seed, ruleset))[::25]:
        story = tell(before, actions, after)
        ElementTree.fromstring(to_svg(after, story))
        lines = visible(to_text(after, story)).splitlines()
        assert max(map(len, lines)) <= 100


def test_many_castles_in_one_groove() -> None:
    castles = {player: [6, 6, 6, 6] for player in range(4)}
    snapshot = position(round=10, shells=(20, 20, 20, 20), castles=castles)
    ElementTree.fromstring(to_svg(snapshot))
    for player in range(4):
        assert re.search(rf"castles {player} .*\|0 1 2 3\|", to_text(snapshot, colour=False))


def test_odd_stories_do_no_harm() -> None:
    snapshot = position(players=2)
    story = ['a <b> & "c"\x00\x1b\nd', "", "x" * 300]
    assert 'a <b> & "c"' in " ".join(words_of(to_svg(snapshot, story)))
    told, untold = to_pixels(snapshot, story), to_pixels(snapshot)
    assert (told[:700] == untold[:700]).all()
    assert (told[700:] != untold[700:]).any()
    said = words_of(to_svg(snapshot, [f"line {number}" for number in range(50)]))
    assert "line 49" in said
    assert "line 0" not in said


# The text


@pytest.mark.parametrize("players", PLAYERS)
def test_the_text_is_aligned(players: int) -> None:
    for snapshot, story in EXAMPLES[players]:
        text, plain = to_text(snapshot, story), to_text(snapshot, story, colour=False)
        assert "\x1b" in text
        assert visible(text) == plain
        lines = plain.splitlines()
        assert max(map(len, lines)) <= 100
        beach = [line.ljust(99) for line in lines[3 : 5 + players]]
        dry = min(snapshot["sea"], 11)
        for line in beach:
            assert [line[11 + 8 * groove] for groove in range(11)] == ["|"] * dry + ["~"] * (11 - dry)
        assert "(o>" in beach[1][11 + 8 * (snapshot["groove"] - 1) :][:8]
        castles = [line for line in lines if line.startswith(("  castle 0", "  castle 2"))]
        assert {line.rindex("  castle") for line in castles} == {49}


def test_the_text_tells_what_there_is() -> None:
    snapshot = position(
        players=2,
        round=10,
        shells=(2, 0, 1, 3),
        buckets={0: (3, 0, 2, 0), 1: (0, 1, 0, 0)},
        castles={0: ["ready", 4, "flooded", "heap"]},
        cards={(0, 0): (1, 0, 1, 1), (0, 3): (2, 2, 1, 1)},
    )
    text = to_text(snapshot, ["Something happened."], colour=False)
    assert "Round 10 of 15 · high tide" in text
    assert "Players 0 and 1 set their dials in secret." in text
    assert "○ 2 white   ◎ 0 gray   ▲ 1 brown   ● 3 black" in text
    assert "> Player 0   bucket ○3  ◎0  ▲2  ●0 " in text
    assert "5 on the beach" in text
    assert "castle 0 ready    ○1/1 ▲1/1 ●0/1 ✱1/1" in text
    assert "castle 1 groove 4" in text
    assert "castle 2 flooded" in text
    assert "castle 3 heap     ○2/2 ◎0/2 ▲1/1 ●0/1 ✱1/1" in text
    assert text.endswith("\nSomething happened.\n")


@pytest.mark.parametrize(
    ("bucket", "price", "ticked"),
    [
        ((1, 1, 1, 0), "○1/1 ◎1/1 ▲1/1 ✱0/1", False),
        ((1, 1, 2, 0), "○1/1 ◎1/1 ▲1/1 ✱1/1", True),
        ((1, 1, 1, 1), "○1/1 ◎1/1 ▲1/1 ✱1/1", True),
        ((0, 4, 4, 4), "○0/1 ◎1/1 ▲1/1 ✱1/1", False),
    ],
)
def test_progress_towards_a_card(bucket: tuple[int, ...], price: str, ticked: bool) -> None:
    castles = ["ready", "heap", "heap", "heap"]
    snapshot = position(players=2, buckets={0: bucket}, castles={0: castles}, cards={(0, 0): (1, 1, 1, 0)})
    assert f"castle 0 ready{' ✓' if ticked else '  '}  {price}" in to_text(snapshot, colour=False)


# The story


def named(words: str) -> list[int]:
    return [int(player) for player in re.findall(r"\d", words)]


def amounts(words: str) -> np.ndarray:
    found = dict.fromkeys(COLOURS, 0)
    for count, colour in re.findall(rf"(\d+) ({'|'.join(COLOURS)})", words):
        found[colour] += int(count)
    return np.array(list(found.values()))


class Retold:
    """What a reader of the story knows: what came into each bucket, and where each castle is now."""

    def __init__(self, before: dict[str, Any]) -> None:
        self.buckets = np.array(before["buckets"])
        self.castles = copy.deepcopy(before["castles"])
        self.shells = np.array(before["shells"])
        self.sea, self.groove = before["sea"], before["groove"]

    def read(self, sentence: str) -> None:
        assert re.fullmatch(r"[A-Z1-9].*[a-z0-9]\.", sentence), sentence
        if found := re.match(r"Players? ([\d, and]+) sets? one (\w+) shell.* and (takes it|take one each)\.", sentence):
            for player in named(found[1]):
                self.take(player, np.array([colour == found[2] for colour in COLOURS], int))
        elif found := re.match(r"Player (\d) takes castle (\d) from the heap", sentence):
            assert self.castles[int(found[1])][int(found[2])] == "heap"
            self.castles[int(found[1])][int(found[2])] = "ready"
        elif found := re.match(r"Player (\d) takes (.*)\.", sentence):
            self.take(int(found[1]), amounts(found[2]))
        elif found := re.match(r"Player (\d) builds castle (\d) in groove (\d) for (.*)\.", sentence):
            self.buckets[int(found[1])] -= amounts(found[4])
            self.castles[int(found[1])][int(found[2])] = int(found[3])
        elif found := re.match(r"The sea floods groove (\d+)", sentence):
            self.sea = int(found[1]) - 1
            for value, player in re.findall(r"castle (\d) of player (\d)", sentence):
                assert self.castles[int(player)][int(value)] == int(found[1])
                self.castles[int(player)][int(value)] = "flooded"
        elif found := re.match(r"(.*) go(es)? back into the bag\.", sentence):
            assert (self.shells == amounts(found[1])).all()
            self.shells[:] = 0
        elif found := re.match(r"The tide turns: the sea stands beyond groove (\d+)\.", sentence):
            self.sea = int(found[1])
        if found := re.search(r"the sandpiper .* groove (\d), where it finds (.*)\.", sentence, re.IGNORECASE):
            assert not self.shells.any()
            self.groove, self.shells = int(found[1]), amounts(found[2])
            if "goes out" in sentence:
                self.sea += 1

    def take(self, player: int, shells: np.ndarray) -> None:
        self.buckets[player] += shells
        self.shells -= shells


@pytest.mark.slow
@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("own_rules", [False, True])
def test_the_story_tells_everything(players: int, own_rules: bool) -> None:
    for seed in range(30):
        ruleset = random_ruleset(random.Random(seed)) if own_rules else None
        for before, actions, after in steps_of_a_game(players, seed, ruleset):
            story = tell(before, actions, after)
            reader = Retold(before)
            for sentence in story:
                reader.read(sentence)
            assert reader.buckets.tolist() == after["buckets"], story
            assert reader.castles == after["castles"], story
            assert reader.shells.tolist() == after["shells"], story
            assert (reader.sea, reader.groove) == (after["sea"], after["groove"]), story
            if after["phase"] == "over":
                check_result(after, story)


def check_result(after: dict[str, Any], story: list[str]) -> None:
    for player, score in enumerate(after["scores"]):
        line = next(line for line in story if line.startswith(f"Player {player} has {score} point"))
        numbers = list(map(int, re.findall(r"\d+", line.partition(":")[2])))
        assert numbers[0] - sum(numbers[1:]) == score
    [why] = [line for line in story if line.endswith(": the game is over.")]
    done = [player for player, castles in enumerate(after["castles"]) if not {"heap", "ready"} & set(castles)]
    if done:
        assert named(re.match(r"Players? (.*?) (?:has|have) built all castles", why).group(1)) == done
    else:
        assert (why, after["round"]) == ("No round is left: the game is over.", after["ruleset"].get("rounds", 15))
    winners, points = re.match(r"Players? (.*?) (?:wins|share the win) with (-?\d+) point", story[-1]).groups()
    assert [player in named(winners) for player in range(after["players"])] == after["winners"]
    assert int(points) == max(after["scores"])


def told(games: Games, actions: dict[int, int] | list[int]) -> list[str]:
    before = games.snapshot(0)
    chosen = dict(enumerate(actions)) if isinstance(actions, list) else actions
    after = play(games, actions)
    return tell(before, [chosen.get(player, PASS) for player in range(games.num_players)], after)


def test_the_story_of_two_collisions_and_a_spell() -> None:
    """E1 and E2 of the rules, more or less."""
    games = start(shells=(1, 2, 1, 0))
    assert told(games, [GRAY, GRAY, BROWN, BROWN])[:2] == [
        "Players 0 and 1 set one gray shell and take one each.",
        "Players 2 and 3 set one brown shell, but there is only 1.",
    ]
    games = start(shells=(1, 1, 1, 1))
    assert told(games, [ALL_OF_ONE, TWO_DIFFERENT, ALL_OF_ONE, THREE_DIFFERENT]) == [
        "Player 1 sets two shells of different colours.",
        "Player 3 sets three shells of different colours.",
        "Players 0 and 2 collide on all shells of one colour: neither collects.",
    ]
    assert told(games, {1: 14}) == [
        "Player 1 takes 1 white and 1 gray shell.",
        "Player 3 cannot take three shells of different colours.",
    ]
    assert told(games, {0: BROWN, 2: WHITE})[:2] == [
        "Player 2 sets one white shell in the shell-spell, but there is none.",
        "Player 0 sets one brown shell in the shell-spell and takes it.",
    ]
    assert told(games, {0: 36, 2: 39}) == [
        "Player 0 takes castle 0 from the heap.",
        "Player 2 takes castle 3 from the heap.",
    ]
    assert told(games, {3: 37})[0] == "Player 3 takes castle 1 from the heap as a trove."


def test_the_story_of_a_single_shell_that_is_all_of_its_colour() -> None:
    story = told(start(players=2, shells=(1, 0, 0, 0), castles={1: ["ready"] * 4}), [ALL_OF_ONE, BROWN])
    assert story[:3] == [
        "Player 1 sets one brown shell, but there is none.",
        "Player 0 sets all shells of one colour.",
        "Player 0 takes 1 white shell.",
    ]


def test_the_story_where_nothing_is_left_for_a_trove() -> None:
    games = start(players=2, shells=(0, 0, 0, 0), castles={0: ["ready"] * 4})
    story = told(games, [THREE_SAME, WHITE])
    assert "Player 0 sets three shells of one colour." in story
    story = told(games, {1: 36})
    assert story[:3] == [
        "Player 1 takes castle 0 from the heap.",
        "Player 0 cannot take three shells of one colour.",
        "Player 0 finds nothing for a trove.",
    ]


def test_the_story_follows_the_ruleset() -> None:
    ruleset = Ruleset(combinations=Ruleset.default().combinations[::-1])
    games = Games(1, 2, 0, ruleset)
    assert "Players 0 and 1 collide on all shells of one colour: neither collects." in told(games, [4, 4])


def test_after_the_end_there_is_nothing_to_tell() -> None:
    after = next(snapshot for snapshot, _ in EXAMPLES[2] if snapshot["phase"] == "over")
    assert tell(after, [PASS, PASS], after) == []


# Bad input


def test_bad_input_is_refused() -> None:
    two, three = position(players=2), position(players=3)
    for show in (to_svg, to_pixels, to_text):
        with pytest.raises(ValueError, match=r"snapshot: expected all keys .*'sea'"):
            show({key: value for key, value in two.items() if key != "sea"})
        with pytest.raises(ValueError, match="snapshot: expected a dict"):
            show([two])  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="after: expected a game of 2 players"):
        tell(two, [0, 0], three)
    building = {**two, "phase": "build", "dials": [0, 0]}
    wrong: list[Any] = [None, 5, "00", [0], [0, 0, 0], [0, 57], [0, -1], [0, None], [0, 1.5], [[0], [0, 0]]]
    for actions in wrong:
        with pytest.raises(ValueError, match="actions: expected 2 from 0 to 9"):
            tell(two, actions, two)
        with pytest.raises(ValueError, match="actions: expected 2 from 0 to 56"):
            tell(building, actions, two)
    with pytest.raises(ValueError, match="dials: expected all of them in phase 'build'"):
        tell({**building, "dials": [0, None]}, [0, 0], two)


SHOWN = (
    *("players", "round", "groove", "sea", "phase", "to_act", "shells", "buckets", "cards", "castles", "dials"),
    *("spell_dials", "owed", "scores", "winners", "ruleset"),
)
FITTING = {  # what of it may be there all the same
    "dials": (None,),
    "spell_dials": (None,),
    "owed": (True,),
    "scores": (None,),
    "winners": (None, True),
}


@pytest.mark.slow
@pytest.mark.parametrize("field", SHOWN)
def test_wrong_values_are_refused_by_name(field: str) -> None:
    snapshot = position(players=2, scores=[3, 2], winners=[True, False])
    shows = (to_svg, to_pixels, to_text, lambda it: tell(it, [0, 0], snapshot), lambda it: tell(snapshot, [0, 0], it))
    for wrong in WRONG:
        if any(wrong is fit for fit in FITTING.get(field, ())):
            continue
        for changed in spoiled(snapshot, field, wrong):
            for show in shows:
                with pytest.raises(ValueError, match=rf"\b{field}\b.*: expected") as refusal:
                    show(changed)
                assert str(refusal.value).isprintable()
                assert len(str(refusal.value)) < 300 or field == "ruleset"


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"to_act": [0, 0]}, "to_act"),
        ({"to_act": [2]}, "to_act"),
        ({"shells": [81, 0, 0, 0]}, "shells"),
        ({"groove": 9}, "groove"),
        ({"sea": 12}, "sea"),
        ({"castles": [["heap"] * 4, ["heap"] * 3 + [9]]}, r"castles\[1\]\[3\]"),
        ({"dials": [None, 10]}, r"dials\[1\]"),
        ({"phase": "over"}, "scores"),
        ({"phase": "over", "scores": [1, 2]}, "winners"),
        ({"phase": "over", "scores": [1, 2], "winners": [False, False]}, "winners"),
        ({"ruleset": {**Ruleset.default().to_dict(), "combinations": ["\x1b[31m"] * 6}}, "combinations"),
    ],
)
def test_values_that_just_do_not_fit_are_refused(fields: dict[str, Any], named: str) -> None:
    for show in (to_svg, to_text):
        with pytest.raises(ValueError, match=named):
            show({**position(players=2), **fields})


def test_the_widest_positions_can_be_shown() -> None:
    """None of them comes about in a game."""
    many = [80, 80, 80, 80]
    snapshot = position(players=2, shells=many, round=15, groove=8, sea=1, dials=[9, None], spell_dials=[None, 3])
    snapshot |= {"buckets": [many] * 2, "cards": [[[80, 0, 0, 0]] * 4] * 2, "castles": [[8, 1, "flooded", "ready"]] * 2}
    snapshot |= {"owed": [True, True], "to_act": (1, 0)}
    for fields in ({}, {"phase": "over", "to_act": (), "scores": (-80, 80), "winners": (True, True)}):
        assert_same_surfaces(to_svg({**snapshot, **fields}), to_pixels({**snapshot, **fields}))
        assert max(map(len, to_text({**snapshot, **fields}, colour=False).splitlines())) <= 100


def test_escape_codes_of_a_story_never_reach_the_terminal() -> None:
    snapshot = position(players=2)
    story = ["\x1b[2J\x1b]0;title\x07red", "one\r\ntwo\x9b1mthree\u202efour\u2028five\ud800"]
    plain = to_text(snapshot, story, colour=False)
    assert plain.replace("\n", "").isprintable()
    assert plain.endswith("\\x1b[2J\\x1b]0;title\\x07red\none\\r\\ntwo\\x9b1mthree\\u202efour\\u2028five\\ud800\n")
    assert visible(to_text(snapshot, story)) == plain
    said = words_of(to_svg(snapshot, story))
    assert all(words.isprintable() for words in said)
    assert "one\\r\\ntwo\\x9b1mthree\\u202efour\\u2028five\\ud800" in said


@pytest.mark.parametrize("story", ["a sentence", 5, [5], [None], [["a"]], {"a": 1}])
def test_only_sentences_make_a_story(story: Any) -> None:
    for show in (to_svg, to_pixels, to_text):
        with pytest.raises(ValueError, match="story: expected a list of sentences"):
            show(position(players=2), story)


# The canvas


def test_shapes_are_where_they_should() -> None:
    canvas = PixelCanvas(100, 60)
    canvas.rectangle(0, 0, 100, 60, Paint("#ffffff"))
    canvas.rectangle(10, 10, 20, 10, Paint("#ff0000"))
    canvas.ellipse(50, 15, 10, 5, Paint("#00ff00"))
    canvas.polygon([(70, 10), (90, 10), (90, 20)], Paint("#0000ff"))
    canvas.line([(10, 40), (30, 40)], "#000000", 2)
    canvas.text(60, 50, "HH", 20, "#ff00ff", "middle")
    pixels = canvas.to_pixels()
    for colour, inside, outside in (
        ("ff0000", [(10, 10), (29, 19)], [(9, 10), (30, 19), (10, 9), (10, 20)]),
        ("00ff00", [(41, 15), (50, 11)], [(39, 15), (61, 15), (41, 10)]),
        ("0000ff", [(85, 12), (89, 15)], [(75, 15), (91, 15)]),
        ("000000", [(11, 39), (29, 40)], [(20, 37), (20, 42)]),
    ):
        assert {bytes(pixels[y, x]).hex() for x, y in inside} == {colour}
        assert {bytes(pixels[y, x]).hex() for x, y in outside} == {"ffffff"}
    letters = np.argwhere((pixels != 255).any(2)[30:, 35:])
    assert letters[:, 0].max() + 30 == 49  # they stand on 50
    assert abs((letters[:, 1].min() + letters[:, 1].max()) / 2 + 35 - 60) <= 1  # around 60


def test_svg_says_what_was_drawn() -> None:
    svg = SvgCanvas(100, 60)
    svg.ellipse(50, 15, 10, 5, Paint("#00ff00", "#000000", 2))
    svg.text(60, 50, "<&>", 20, "#ff00ff", "end", bold=True)
    root = ElementTree.fromstring(svg.to_svg())
    place, paint = {"cx": "50", "cy": "15", "rx": "10", "ry": "5"}, {"fill": "#00ff00", "stroke": "#000000"}
    assert root[0].attrib == place | paint | {"stroke-width": "2"}
    assert (root[1].text, root[1].get("text-anchor")) == ("<&>", "end")


def test_a_smooth_curve_goes_through_its_points() -> None:
    corners = [(0.0, 0.0), (4.0, 0.0), (4.0, 4.0), (0.0, 4.0)]
    curve = smooth(corners, 5)
    assert len(curve) == 20
    assert curve[::5] == corners
    assert max(x for x, _ in curve) > 4  # round, not straight
    assert smooth(corners, 5, closed=False)[-1] == corners[-1]


def test_placing_and_mixing() -> None:
    assert np.allclose(placed([(1, 0)], 10, 20, 3, np.pi / 2), [(10, 23)])
    assert mixed("#000000", "#ff8000", 0.5) == "#804000"


def test_only_pixels_need_pillow() -> None:
    program = (
        "import sys; sys.modules['PIL'] = None\n"
        "from strand_env.strand_unter import Games\n"
        "from strand_env.strand_unter.views import to_pixels, to_svg, to_text\n"
        "snapshot = Games(1, 2).snapshot(0)\n"
        "to_svg(snapshot), to_text(snapshot)\n"
        "try: to_pixels(snapshot)\n"
        "except ImportError as error: print(error)\n"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "pip install '.[cli]'" in run.stdout


def test_the_game_finds_its_views_and_hides_what_is_hidden() -> None:
    for snapshot, story in EXAMPLES[2]:
        seen = Games.as_seen(snapshot, None)
        hidden = {"bag", "covered", "seed", "stream"}
        assert {name for name in seen if seen[name] is None and snapshot[name] is not None} == hidden
        for seat in (None, 0, "all"):
            assert STRAND_UNTER.views.to_svg(snapshot, story, seat=seat) == to_svg(seen, story)
            assert STRAND_UNTER.views.to_text(snapshot, story, seat=seat) == to_text(seen, story)
