"""Replays: what was played comes back, and whatever is broken is refused by name; animations and a page."""

import base64
import hashlib
import html.parser
import json
import os
import re
import xml.etree.ElementTree as ElementTree
from bisect import bisect_right
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fake_views import FAKE
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from strand_env.registry import game_names, game_of
from strand_env.replays import animation
from strand_env.replays.replay import MAX_STEPS, BrokenReplay, Replay
from strand_env.strand_unter import GAME as STRAND_UNTER
from strand_env.strand_unter import PASS, Games, Ruleset
from strand_env.support.files import write_whole
from strand_env.support.reading import MAX_BYTES, MAX_DEPTH

KEPT = Path(__file__).with_name("replays") / "strand_unter_v0.json"
CUSTOM = Ruleset(shells=(32, 24, 16, 8))


@cache
def played(players: int = 2, steps: int | None = None, ruleset: Ruleset | None = None) -> tuple[Any, ...]:
    """The snapshots of a random game, its actions and its scores."""
    games = Games(1, players, seed=players, ruleset=ruleset)
    snapshots, actions = [games.snapshot(0)], []
    while not games.over[0] and len(actions) != steps:
        actions.append(games.random_actions(len(actions))[0].tolist())
        games.step(actions[-1:])
        snapshots.append(games.snapshot(0))
    return snapshots, actions, snapshots[-1]["scores"]


def recorded(*arguments: Any, skipped: int = 0) -> Replay:
    """The replay of a random game, perhaps without its first steps."""
    snapshots, actions, scores = played(*arguments)
    return Replay.of(FAKE, snapshots[skipped], actions[skipped:], scores)


def changed(changes: dict[str, Any], **arguments: Any) -> str:
    """The JSON of a replay with other values in some fields."""
    return json.dumps({**json.loads(recorded(**arguments).to_json()), **changes})


def text_of(**arguments: Any) -> str:
    return recorded(**arguments).to_json()


# What was played comes back


@pytest.mark.parametrize("ruleset", [None, CUSTOM], ids=["default", "custom"])
@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_game_comes_back_from_its_seed_and_actions(players: int, ruleset: Ruleset | None, tmp_path: Path) -> None:
    snapshots, actions, scores = played(players, None, ruleset)
    recorded(players, None, ruleset).save(tmp_path / "game.json")
    replay = replace(Replay.load(tmp_path / "game.json"), game=FAKE)
    assert replay == recorded(players, None, ruleset)
    assert replay.start is None
    assert replay.scores == tuple(scores)
    positions = list(replay.positions())
    assert [position.snapshot for position in positions] == snapshots
    assert [position.actions for position in positions] == [None, *map(tuple, actions)]
    assert positions[0].story == []
    assert positions[5].story == FAKE.views.tell(snapshots[4], actions[4], snapshots[5])


@pytest.mark.parametrize("skipped", [1, 7, 20])
def test_a_game_from_a_position_carries_its_start(skipped: int) -> None:
    snapshots = played()[0]
    replay = Replay.from_json(recorded(skipped=skipped).to_json())
    assert replay.start == snapshots[skipped]
    assert [snapshot for snapshot, _ in replay._played()] == snapshots[skipped:]


def test_chosen_cards_carry_their_start() -> None:
    start = Games(1, 2, seed=2).snapshot(0)
    for value in range(4):
        start["cards"][0][value], start["cards"][1][value] = start["cards"][1][value], start["cards"][0][value]
    replay = Replay.from_json(Replay.of(STRAND_UNTER, start, [[0, 4]], None).to_json())
    assert replay.start == start
    replay.check()


def test_an_unfinished_game_has_no_scores() -> None:
    replay = Replay.from_json(recorded(4, 10).to_json())
    assert replay.scores is None
    replay.check()
    Replay.of(STRAND_UNTER, played()[0][0], [], None).check()


def test_a_start_may_be_the_end() -> None:
    snapshots, _, scores = played()
    Replay.from_json(Replay.of(STRAND_UNTER, snapshots[-1], [], scores).to_json()).check()


def test_numbers_of_numpy_are_taken() -> None:
    snapshots, actions, scores = played()
    arrays = Replay.of(FAKE, snapshots[0], [np.array(row) for row in actions], np.array(scores, np.int8))
    assert arrays == Replay.of(FAKE, snapshots[0], np.array(actions), tuple(scores)) == recorded()


def test_a_replay_that_was_kept_still_plays() -> None:
    """The format's first version, of a former version of the game, which must be read for ever."""
    replay = Replay.load(KEPT)
    replay.check()
    assert (replay.game, replay.players, replay.seed) == (STRAND_UNTER, 3, 2026)
    assert replay.to_json() == KEPT.read_text("utf-8").replace("strand_unter_v0", STRAND_UNTER.id)


def test_what_is_no_game_is_not_recorded() -> None:
    snapshots, actions, scores = played()
    with pytest.raises(ValueError, match=r"^actions\[0\]: expected 2 whole numbers"):
        Replay.of(FAKE, snapshots[0], [[1, 2, 3]], None)
    with pytest.raises(ValueError, match=r"^players: "):
        Replay.of(FAKE, {}, actions, scores)


# Saving


def test_saving_replaces_the_whole_file_or_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "new folder" / "game.json"
    recorded().save(path)
    before = path.read_bytes()

    def no_space(descriptor: int) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(os, "fsync", no_space)
    with pytest.raises(OSError, match="no space left"):
        recorded(3).save(path)
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]
    monkeypatch.undo()
    recorded(3).save(path)
    assert Replay.load(path).players == 3
    assert list(path.parent.iterdir()) == [path]


def test_a_folder_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError, match="folder"):
        write_whole(tmp_path / "folder", b"")
    with pytest.raises(OSError, match="wanted") as refused:
        write_whole(tmp_path / ("wanted" * 60), b"")  # too long a name, and not that of the unfinished file
    assert refused.value.filename == str(tmp_path / ("wanted" * 60))
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


# Broken files


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("format", "chess", "^format: expected"),
        ("version", 2, "^version: expected 1, got 2"),
        ("version", True, "^version: expected 1, got True"),
        ("strand_env", 7, "^strand_env: "),
        ("game", "os", r"^game: expected one of \['maui_v0', .*'strand_unter_v1'\], got 'os'"),
        ("game", ["strand_unter_v1"], "^game: "),
        ("players", 5, r"^players: expected one of \[2, 3, 4\], got 5"),
        ("players", 2.0, "^players: "),
        ("players", 3, r"^actions\[0\]: expected 3 whole numbers"),
        ("ruleset", None, "^ruleset: "),
        ("ruleset", {**Ruleset().to_dict(), "shells": [80] * 4}, r"^ruleset\.shells: "),
        ("seed", 7, "^seed: "),
        ("seed", "0x" + "0" * 15 + "A", "^seed: "),
        ("seed", "0x" + "0" * 17, "^seed: "),
        ("actions", {}, "^actions: "),
        ("actions", [[0, 0]] * (MAX_STEPS + 1), "^actions: expected a list of at most 10,000 steps"),
        ("actions", [[0, True]], r"^actions\[0\]: "),
        ("actions", [[0, 0], [0, 1.0]], r"^actions\[1\]: "),
        ("actions", [[0, 0], 3], r"^actions\[1\]: "),
        ("scores", [1, 2, 3], "^scores: expected 2"),
        ("scores", [1, "2"], "^scores: expected 2"),
        ("start", None, "^start: expected the snapshot"),
        ("start", {}, "^start: expected the same players as in the replay, got None"),
        ("author", "me", r"^keys: missing \[\], unknown \['author'\]"),
    ],
)
def test_a_broken_field_is_named(field: str, value: Any, message: str) -> None:
    with pytest.raises(BrokenReplay, match=message):
        Replay.from_json(changed({field: value}))


@pytest.mark.parametrize("field", json.loads(text_of()))
def test_a_missing_field_is_named(field: str) -> None:
    data = json.loads(text_of())
    del data[field]
    with pytest.raises(BrokenReplay, match=field):
        Replay.from_json(json.dumps(data))


@pytest.mark.parametrize("name", [name for name in game_names() if game_of(name).variants])
def test_games_with_variants_need_one(name: str) -> None:
    """Rather than being read as the usual one, and broken at some action."""
    game = game_of(name)
    text = Replay.of(game, game.batch(1, seed=1, variant=game.variants[-1]).snapshot(0), [], None).to_json()
    assert Replay.from_json(text).variant == game.variants[-1]
    data = json.loads(text)
    with pytest.raises(BrokenReplay, match=f"^variant: expected one of '{game.variants[0]}', .*; got None"):
        Replay.from_json(json.dumps(data | {"variant": None}))
    del data["variant"]
    with pytest.raises(BrokenReplay, match=r"^keys: missing \['variant'\], unknown \[\]"):
        Replay.from_json(json.dumps(data))


def test_games_without_variants_have_none() -> None:
    data = json.loads(text_of())
    assert "variant" not in data
    assert Replay.from_json(json.dumps(data | {"variant": None})).variant is None
    with pytest.raises(BrokenReplay, match=r"^variant: this game has no variants"):
        Replay.from_json(json.dumps(data | {"variant": "base"}))


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("players", 3, "^start: expected the same players as in the replay, got 3"),
        ("seed", "0x" + "0" * 16, "^start: expected the same seed"),
        ("ruleset", CUSTOM.to_dict(), "^start: expected the same ruleset"),
        ("phase", "lunch", "^start: .*phase: expected"),
        ("bag", [0, 0, 0, 0], "^start: .*bag"),
        ("castles", [[[]]], "^start: .*castles"),
    ],
)
def test_a_broken_start_is_named(key: str, value: Any, message: str) -> None:
    start = {**played()[0][7], key: value}
    with pytest.raises(BrokenReplay, match=message):
        Replay.from_json(changed({"start": start}, skipped=7))


GOOD = text_of()
BROKEN_TEXTS = {
    "empty": ("", "expected JSON"),
    "binary": (bytes(range(256)), "UTF-8"),
    "another encoding": (GOOD.encode("utf-16"), "UTF-8"),
    "cut off": (GOOD[:-4], "cut off"),
    "two objects": (GOOD + GOOD, "expected JSON"),
    "a list": ("[]", "^format"),
    "null": ("null", "^format"),
    "not a number": (GOOD.replace('"version": 1', '"version": NaN'), "expected finite numbers, got 'NaN'"),
    "infinite": (GOOD.replace('"version": 1', '"version": -Infinity'), "expected finite numbers, got '-Infinity'"),
    "overflowing": (GOOD.replace('"version": 1', '"version": 1e999'), "expected finite numbers, got '1e999'"),
    "huge": (
        GOOD.replace('"version": 1', '"version": ' + "9" * 5000),
        "at most 20 digits, got one of 5000",
    ),
    "twice": (GOOD.replace('"version": 1', '"version": 1, "version": 1'), "'version': expected once, got twice"),
    "deep": ("[" * 100_000, f"expected nesting of at most {MAX_DEPTH} levels"),
    "deep objects": ('{"a":' * 100_000, f"expected nesting of at most {MAX_DEPTH} levels"),
    "deep behind a quote": (r'["\"", ' + "[" * 100_000, f"expected nesting of at most {MAX_DEPTH} levels"),
    "brackets in a string": ('["' + "[" * 1000 + '"]', "^format"),
    "a string without an end": ('"' + r"\"" * 400_000, "cut off"),
    "many keys": ("{" + ",".join(f'"{number}":0' for number in range(80_000)) + "}", "^format"),
    "large": (GOOD + " " * MAX_BYTES, "expected at most 1,000,000 bytes"),
}


@pytest.mark.parametrize(("text", "message"), BROKEN_TEXTS.values(), ids=list(BROKEN_TEXTS))
def test_a_broken_text_is_refused(text: str | bytes, message: str) -> None:
    with pytest.raises(BrokenReplay, match=message):
        Replay.from_json(text)


def test_messages_stay_short_and_on_one_line() -> None:
    for changes in ({"game": "\n" * 9999}, {"ruleset": {"\n" * 9999: 1}}, {"scores": ["\x1b[2J"] * 9999}):
        with pytest.raises(BrokenReplay) as raised:
            Replay.from_json(changed(changes))
        assert len(str(raised.value)) < 400
        assert str(raised.value).isprintable()


def test_what_is_no_file_is_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(tmp_path)
    for name in ("pipe", "link", "."):
        with pytest.raises(BrokenReplay, match="expected a file"):
            Replay.load(tmp_path / name)
    with pytest.raises(FileNotFoundError):
        Replay.load(tmp_path / "nothing")


def test_the_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "broken.json").write_text("{", "utf-8")
    with pytest.raises(BrokenReplay, match=r"broken\.json: expected JSON"):
        Replay.load(tmp_path / "broken.json")


def test_no_more_is_read_than_a_replay_can_be(tmp_path: Path) -> None:
    with (tmp_path / "sparse").open("wb") as file:
        file.truncate(2**36)  # would not fit into memory
    with pytest.raises(BrokenReplay, match="expected at most 1,000,000 bytes"):
        Replay.load(tmp_path / "sparse")


# Games that are none


def test_an_illegal_action_is_named() -> None:
    actions = [list(row) for row in played()[1]]
    games = Games(1, 2, seed=2)
    games.step([actions[0]])
    legal = np.flatnonzero(games.legal[0, 1]).tolist()
    for action in (PASS + 1, -1, 10**18, 40):
        actions[1][1] = action
        message = f"actions[1]: expected a legal action of player 1, one of {legal}; got {action}"
        with pytest.raises(BrokenReplay, match=f"^{re.escape(message)}$"):
            Replay.from_json(changed({"actions": actions})).check()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda data: data["actions"].append([PASS, PASS]),
            r"^actions\[\d+\]: expected no more actions",
        ),
        (
            lambda data: data["actions"].pop(),
            r"^scores: expected null, as the game is not over after \d+ steps",
        ),
        (
            lambda data: data.update(scores=None),
            r"^scores: expected \[.*\], as the game ends .*; got None",
        ),
        (
            lambda data: data.update(scores=[0, 99]),
            r"^scores: expected \[.*\], as the game ends .*; got \(0, 99\)",
        ),
    ],
)
def test_what_does_not_end_as_it_says_is_refused(change: Callable[[Any], Any], message: str) -> None:
    data = json.loads(GOOD)
    change(data)
    replay = Replay.from_json(json.dumps(data))
    with pytest.raises(BrokenReplay, match=message):
        replay.check()
    with pytest.raises(BrokenReplay, match=message):
        list(replace(replay, game=FAKE).positions())


def plays_or_is_refused(text: str | bytes) -> None:
    with suppress(BrokenReplay):
        Replay.from_json(text).check()


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.integers(-2, 90) | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)


def paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The way to each value within a value."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(found for key, item in inner for found in paths(item, (*path, key)))]


@pytest.mark.slow
@pytest.mark.parametrize("skipped", [0, 7])
@settings(deadline=None, max_examples=150)
@given(data=st.data())
def test_any_value_may_be_replaced(skipped: int, data: st.DataObject) -> None:
    tree = json.loads(text_of(skipped=skipped))
    field = data.draw(st.sampled_from(sorted(tree)))
    *way, last = (field, *data.draw(st.sampled_from(paths(tree[field]))))
    parent = tree
    for key in way:
        parent = parent[key]
    parent[last] = data.draw(JSON_VALUES)
    plays_or_is_refused(json.dumps(tree))


@pytest.mark.slow
@settings(deadline=None, max_examples=300)
@given(data=st.data())
def test_any_bytes_may_be_replaced(data: st.DataObject) -> None:
    good = text_of(skipped=7).encode()
    first = data.draw(st.integers(0, len(good)))
    after = data.draw(st.integers(first, min(first + 20, len(good))) | st.just(len(good)))
    pieces = st.sampled_from([b"", b'"', b"[", b"]", b"}", b",", b"1", b"-", b"\\", b"null", b"\xff", b"\n"])
    plays_or_is_refused(good[:first] + data.draw(pieces | st.binary(max_size=6)) + good[after:])


# Animations and a page


SVG = "{http://www.w3.org/2000/svg}"


def shown_at(animation: ElementTree.Element, milliseconds: int) -> list[str]:
    """The pictures that a viewer of the SVG sees at this time."""
    pictures = []
    for group in animation:
        animate, picture = group
        times = {name: int(animate.get(name, "").removesuffix("ms")) for name in ("begin", "dur")}
        shares = [float(share) for share in animate.get("keyTimes", "").split(";")]
        display = group.get("display")
        if milliseconds >= times["begin"]:
            share = (milliseconds - times["begin"]) % times["dur"] / times["dur"]
            display = animate.get("values", "").split(";")[bisect_right(shares, share) - 1]
        if display == "inline":
            pictures.append(ElementTree.tostring(picture, "unicode").strip())
    return pictures


def test_an_animation_as_svg(tmp_path: Path) -> None:
    replay = replace(recorded(2, 12), game=STRAND_UNTER)
    seen = []
    path = tmp_path / "game.svg"
    animation.save_svg(replay, path, seconds=0.5, watch=lambda positions: seen.extend(positions) or positions)
    positions = list(replay.positions())
    assert seen == positions
    root = ElementTree.parse(path).getroot()
    assert [root.get(name) for name in ("width", "height", "viewBox")] == ["1200", "800", "0 0 1200 800"]
    views = replay.game.views
    drawn = [ElementTree.fromstring(views.to_svg(position.snapshot, position.story)) for position in positions]
    expected = [ElementTree.tostring(picture, "unicode") for picture in drawn]
    for cycle in (0, 500 * (12 + 3), 3000 * 500 * (12 + 3)):  # the last position thrice as long
        for number, picture in enumerate([*expected, expected[-1], expected[-1]]):
            for moment in (0, 1, 250, 499):
                assert shown_at(root, cycle + 500 * number + moment) == [picture]
    assert [group.get("display") for group in root] == ["inline"] + ["none"] * 12
    animates = [group[0] for group in root]
    assert {animate.tag for animate in animates} == {f"{SVG}animate"}
    how = {"attributeName": "display", "calcMode": "discrete", "repeatCount": "indefinite"}
    assert all(how.items() <= animate.attrib.items() for animate in animates)
    assert not [element for element in root.iter() if "href" in str(element.attrib) or "script" in element.tag]


def test_an_animation_as_gif(tmp_path: Path) -> None:
    replay = recorded(2, 12)
    animation.save_gif(replay, tmp_path / "game.gif", seconds=0.5)
    shown = []  # a picture for each half second: a frame may stand for several positions that look the same
    with Image.open(tmp_path / "game.gif") as gif:
        assert gif.size == (800, 48)
        assert gif.info["loop"] == 0
        for number in range(gif.n_frames):
            gif.seek(number)
            assert gif.info["duration"] % 500 == 0
            shown += [np.asarray(gif.convert("RGB"), int)] * (gif.info["duration"] // 500)
    drawn = [Image.fromarray(FAKE.views.to_pixels(position.snapshot)) for position in replay.positions()]
    expected = [np.asarray(picture.resize((800, 48), Image.Resampling.LANCZOS), int) for picture in drawn]
    expected += [expected[-1]] * 2  # the last position is shown three times as long
    assert len(shown) == len(expected) == 12 + 3
    assert len({picture.tobytes() for picture in expected}) >= 8
    for seen, meant in zip(shown, expected, strict=True):  # in fewer colours, but like no other position
        closest = min(expected, key=lambda picture: np.abs(seen - picture).mean())
        assert (closest == meant).all()
        assert np.abs(seen - meant).mean() < 3


class Page(html.parser.HTMLParser):
    """The elements of a page as a browser finds them: name, attributes and the text right after the opening."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None], str]] = []
        self.feed(source)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs), ""))

    def handle_data(self, data: str) -> None:
        if self.elements and not self.elements[-1][2]:
            self.elements[-1] = (*self.elements[-1][:2], data)


def test_a_page_holds_the_whole_game_and_runs_nothing_but_its_own(tmp_path: Path) -> None:
    replay = recorded(2, 12)
    animation.save_html(replay, tmp_path / "game.html", seconds=0.5)
    elements = Page((tmp_path / "game.html").read_text("utf-8")).elements
    (_, kind, data), (_, _, script) = [element for element in elements if element[0] == "script"]
    assert kind["type"] == "application/json"
    frames = [
        {"picture": FAKE.views.to_svg(position.snapshot, position.story), "story": position.story}
        for position in replay.positions()
    ]
    assert json.loads(data) == {"milliseconds": 500, "frames": frames}
    assert "b" not in [tag for tag, _, _ in elements]
    assert not {"src", "href"} & {name for _, attributes, _ in elements for name in attributes}
    assert [attributes["max"] for tag, attributes, _ in elements if tag == "input"] == ["12"]
    [policy] = [attributes["content"] for _, attributes, _ in elements if "http-equiv" in attributes]
    [style] = [text for tag, _, text in elements if tag == "style"]
    digests = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in (style, script)]
    expected = "default-src 'none'; img-src data:; style-src 'sha256-{}'; script-src 'sha256-{}'"
    assert policy == expected.format(*digests)


@pytest.mark.parametrize("save", [animation.save_svg, animation.save_gif, animation.save_html])
def test_a_broken_game_leaves_nothing_behind(save: Callable[..., None], tmp_path: Path) -> None:
    with pytest.raises(BrokenReplay, match=r"^scores"):
        save(replace(recorded(), scores=(0, 99)), tmp_path / "new")
    assert list(tmp_path.iterdir()) == []
