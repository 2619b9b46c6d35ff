"""What is shown and told of Sea or Shore, to each observer: pictures, text, stories."""

import copy
import json
import random
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sea_or_shore_positions import EnginesPosition, Trick, card, position, treasures
from sea_or_shore_steps import PLAYERS, Step, examples, steps_of_a_game
from seen import WRONG, assert_same_surfaces, spoiled, visible, words_of
from subjects.sea_or_shore import random_ruleset

from strand_env.engine.protocol import Observer
from strand_env.pictures.canvas import Paint, PixelCanvas
from strand_env.replays.animation import save_html
from strand_env.replays.replay import Replay
from strand_env.sea_or_shore import GAME, PASS, Games
from strand_env.sea_or_shore.ruleset import COLOURS
from strand_env.sea_or_shore.views import tell, to_svg, to_text
from strand_env.sea_or_shore.views.figures import draw_creature
from strand_env.sea_or_shore.views.scores import tie_words
from strand_env.sea_or_shore.views.table import Table

views = GAME.views


def story_of(step: Step, seat: Observer) -> list[str]:
    return views.tell(*step, seat=seat)


def seen(snapshot: dict[str, Any], seat: Observer) -> dict[str, Any]:
    return Games.as_seen(snapshot, seat)


# What is hidden stays hidden, and what is open is shown


@pytest.mark.slow
@pytest.mark.parametrize("players", PLAYERS)
def test_nothing_hidden_is_shown(players: int) -> None:
    """In no phase: hands, covered cards, box and stacks are dealt again for an observer, who sees no difference."""
    different = 0
    for _, _, snapshot in examples(players):
        for seat in (0, players - 1):
            games = Games.from_snapshots([snapshot])
            games.redeal(99, seat)
            other = games.snapshot(0)
            different += other["hands"] != snapshot["hands"]
            assert views.to_svg(other, seat=seat) == views.to_svg(snapshot, seat=seat)
            assert views.to_text(other, seat=seat) == views.to_text(snapshot, seat=seat)
            if snapshot["phase"] == "extras":
                assert (views.to_pixels(other, seat=seat) == views.to_pixels(snapshot, seat=seat)).all()
    assert different > 10


def changed(change: Callable[[dict[str, Any]], Any], **fields: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    snapshot = seen(position("red 3, green 1", [0, 5, 13, 30], piles=("red 2", "", "", "")), 1) | fields
    other = copy.deepcopy(snapshot)
    change(other)
    return snapshot, other


@pytest.mark.parametrize(
    "change",
    [
        lambda snapshot: snapshot["hands"][1].pop(),
        lambda snapshot: snapshot["hands"][2].pop(),
        lambda snapshot: snapshot["aside"].pop(),
        lambda snapshot: snapshot["extras"].__setitem__(2, 5),
        lambda snapshot: snapshot.update(supply=7),
        lambda snapshot: snapshot["open"].__setitem__(0, [1, 3]),
        lambda snapshot: snapshot["open"].__setitem__(1, None),
        lambda snapshot: snapshot["remaining"][1].pop(),
        lambda snapshot: snapshot["under"][0].append([0, 5]),
        lambda snapshot: snapshot["treasures"][0].append([3, 2]),
        lambda snapshot: snapshot.update(round=2, points=[[3, 4, 5, 6]]),
        lambda snapshot: snapshot.update(trick=5),
        lambda snapshot: snapshot.update(leader=2),
        lambda snapshot: snapshot.update(to_act=[3]),
        lambda snapshot: snapshot.update(phase="extras"),
        lambda snapshot: snapshot["known"][1][2].append(40),
        lambda snapshot: snapshot["known"][2][1].append(5),
        lambda snapshot: snapshot["shown"][3].append(40),
        lambda snapshot: snapshot.update(looker=[2, None], arranged=[3, 0]),
        lambda snapshot: snapshot["ruleset"].update(sides=[1, 0]),
        lambda snapshot: snapshot["ruleset"].update(sides=[0, 1]),
        lambda snapshot: snapshot.update(
            phase="over", to_act=[], scores=[3, 4, 1, 2], winners=[False, True, False, False]
        ),
        lambda snapshot: snapshot["plays"].__setitem__(0, {"card": None, "shows": "colour", "extras": 0, "face": 2}),
        lambda snapshot: snapshot["revealed"].__setitem__(0, {"card": 3, "shows": "colour", "extras": 2}),
    ],
)
def test_everything_open_is_shown(change: Callable[[dict[str, Any]], Any]) -> None:
    before, after = changed(change)
    assert to_svg(after, seat=1) != to_svg(before, seat=1)
    assert to_text(after, colour=False, seat=1) != to_text(before, colour=False, seat=1)


@pytest.mark.parametrize(
    "change",
    [
        lambda play: play.update(face=3),
        lambda play: play.update(shows="number"),
        lambda play: play.update(extras=2),
        lambda play: play.update(card=30, face=None),
    ],
)
def test_what_shows_of_a_card_is_shown(change: Callable[[dict[str, Any]], Any]) -> None:
    play = {"card": None, "shows": "colour", "extras": 0, "face": 2}
    before, after = changed(lambda snapshot: change(snapshot["plays"][0]), plays=[play, None, None, None])
    assert to_svg(after, seat=1) != to_svg(before, seat=1)
    assert to_text(after, colour=False, seat=1) != to_text(before, colour=False, seat=1)


def test_what_a_player_knows_is_shown_to_that_player_alone() -> None:
    """A gift is known to its giver; who has looked at a stack knows the next treasures, others that somebody does."""
    games = Games(1, 4, seed=3)
    gifts = [int(np.flatnonzero(mask)[0]) for mask in games.legal[0]]
    games.step([gifts])
    snapshot = games.snapshot(0)
    letters = f"{'RBGP'[gifts[0] // 12]}{gifts[0] % 12 + 1}"
    known = {seat: f"known: {letters}\n" in to_text(seen(snapshot, seat), colour=False, seat=seat) for seat in range(4)}
    assert known == {0: True, 1: False, 2: False, 3: False}
    assert f"{letters}°" in to_text(seen(snapshot, 3), colour=False, seat=3)
    for _, _, after in examples(4):
        if after["phase"] == "order":
            [looker], stack = after["to_act"], after["stack"]
            for seat in range(4):
                text = to_text(seen(after, seat), colour=False, seat=seat)
                assert f"player {looker} knows the next 3" in text
                told = (
                    f"knows the next 3: {' '.join('RBGP'[c] + str(v) for c, v in after['stacks'][stack][:3])}" in text
                )
                assert told == (seat == looker)


# The picture


@pytest.mark.slow
@pytest.mark.parametrize("players", PLAYERS)
def test_the_picture_is_sound_and_small(players: int) -> None:
    for step in examples(players):
        for seat in (0, None, "all"):
            story = story_of(step, seat)
            svg = views.to_svg(step[2], story, seat=seat)
            assert len(svg) < 250_000
            root = ElementTree.fromstring(svg)
            assert (root.get("width"), root.get("height")) == ("1200", "800")
            assert "max-width: 100%" in root.get("style", "")
            assert not [element for element in root.iter() if "href" in str(element.attrib) or "script" in element.tag]
            said = words_of(svg)
            assert [f"Player {player}" in said for player in range(players)] == [True] * players
            told = " ".join(said)
            for words in story[-3:]:
                assert words in told


@pytest.mark.slow
@pytest.mark.parametrize("players", PLAYERS)
def test_pixels_are_those_of_the_picture(players: int) -> None:
    step = next(step for step in examples(players) if step[2]["phase"] == "extras")
    assert_same_surfaces(views.to_svg(step[2], seat="all"), views.to_pixels(step[2], seat="all"), colours=4)


@pytest.mark.parametrize("size", [30, 9, 6])
def test_colours_differ_in_shape(size: int) -> None:
    """Without colours, also where they are small: each pair of creatures differs in much of what is dark."""

    def dark(colour: int) -> np.ndarray:
        canvas = PixelCanvas(3 * size, 3 * size)
        canvas.rectangle(0, 0, 3 * size, 3 * size, Paint("#ffffff"))
        draw_creature(canvas, colour, 1.5 * size, 1.5 * size, size, "#000000", "#ffffff")
        return canvas.to_pixels().sum(2) < 380

    for one, other in combinations(map(dark, range(len(COLOURS))), 2):
        assert (one ^ other).sum() > 0.35 * (one | other).sum()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_any_ruleset_can_be_shown(seed: int) -> None:
    """Equal numbers, values up to 9, actions on other cards."""
    ruleset = random_ruleset(random.Random(seed))
    for step in list(steps_of_a_game(3 + seed, seed, ruleset))[::9]:
        story = story_of(step, 0)
        ElementTree.fromstring(views.to_svg(step[2], story, seat=0))
        assert max(map(len, visible(views.to_text(step[2], story, seat=0)).splitlines())) <= 100


def test_the_widest_positions_can_be_shown() -> None:
    """None of them comes about in a game."""
    snapshot = seen(Games(1, 5, seed=1).snapshot(0), 0)
    pile = [[3, 9]] * 24
    snapshot |= {"treasures": [pile] * 5, "under": [pile[:12]] * 2, "extras": [22] * 5, "phase": "card", "to_act": [0]}
    snapshot |= {"known": [[[], *[list(range(12))] * 4], *([[]] * 5 for _ in range(4))], "points": [[99] * 5]}
    for fields in ({}, {"phase": "over", "to_act": [], "scores": [214] * 5, "winners": [True, *[False] * 4]}):
        ElementTree.fromstring(to_svg(snapshot | fields, seat=0))
        assert max(map(len, to_text(snapshot | fields, colour=False, seat=0).splitlines())) <= 100


# The text


@pytest.mark.parametrize("players", PLAYERS)
def test_the_text_fits_and_has_no_need_of_colours(players: int) -> None:
    for step in examples(players):
        for seat in (0, None, "all"):
            story = story_of(step, seat)
            text, plain = (views.to_text(step[2], story, colour, seat=seat) for colour in (True, False))
            assert "\x1b" in text
            assert visible(text) == plain
            assert max(map(len, plain.splitlines())) <= 100
            lines = [line for line in plain.splitlines() if re.match(r"[>* ] Player \d", line)]
            assert len(lines) == players
            assert len({re.search(r"\d+ extras?", line).start() for line in lines}) == 1  # type: ignore[union-attr]


def test_the_text_tells_what_there_is() -> None:
    snapshot = position("red 3, green 1", [card("red 9"), 5, 13, 30], extras=(1, 0, 0, 4), piles=("", "blue 2, red 4"))
    snapshot["treasures"] = snapshot["treasures"] + [[], []]
    text = views.to_text(snapshot, ["Something happened."], colour=False, seat=0)
    assert "Round 1 of 2 · trick 4 of 12" in text
    assert "Player 0 plays a card and covers one half of it." in text
    assert re.search(r"Stack 0     open: R3   \d+ face down: R1 ", text)
    assert "R/B: take extras   G/P: sort treasures   supply: 17 extras" in text
    assert re.search(r"> Player 0  leads +1 extra +0 points", text)
    assert re.search(r"  Player 1 +0 extras  6 points\n +pile: B2 R4\n +hand: 9 cards face down", text)
    assert re.search(r"hand: .*R9", text)
    assert text.endswith("\nSomething happened.\n")


# The story


class Retold:
    """What a reader of the story knows of the table."""

    def __init__(self, before: dict[str, Any]) -> None:
        self.extras, self.supply = list(before["extras"]), before["supply"]
        self.piles = [list(pile) for pile in before["treasures"]]
        self.open = [treasure for treasure in before["open"] if treasure]
        self.added = [play["extras"] if play else 0 for play in before["plays"]]
        self.new_trick = False

    def read(self, words: str) -> None:
        assert re.fullmatch(r"[A-Z].*[a-z0-9)]\.", words), words
        if found := re.match(r"Player (\d) adds (\d+) extra", words):
            self.pay(int(found[1]), int(found[2]))
            self.added[int(found[1])] = int(found[2])
        elif found := re.match(r"Player (\d), the lowest loser, gets (\d+) extra", words):
            self.supply -= int(found[2])
            self.extras[int(found[1])] += int(found[2])
        elif found := re.match(r"Player (\d) takes the treasure (\w+ \d)\.", words):
            [treasure] = treasures(found[2])
            self.open.remove(treasure)
            self.piles[int(found[1])].append(treasure)
        elif found := re.match(r"Player (\d) steals (\w+ \d) from player (\d)\.", words):
            assert self.piles[int(found[3])].pop() == treasures(found[2])[0]
            self.piles[int(found[1])] += treasures(found[2])
        elif found := re.match(r"Player (\d) takes (\d) extras? from (the supply|player (\d))\.", words):
            self.extras[int(found[1])] += int(found[2])
            if found[4]:
                self.pay(int(found[4]), int(found[2]))
            else:
                self.supply -= int(found[2])
        elif found := re.match(r"(.*) go(es)? under", words):
            gone = treasures(found[1].lower().replace(" and ", ", "))
            assert sorted(gone) == sorted(self.open)
            self.open = []
        elif found := re.match(r"Player \d leads trick \d+, and (.*) (is|are) open", words):
            assert self.open == [] or not self.new_trick
            self.open, self.new_trick = treasures(found[1].replace(" and ", ", ")), True

    def pay(self, player: int, number: int) -> None:
        self.extras[player] -= number
        assert self.extras[player] >= 0


def check_retold(step: Step, story: list[str]) -> None:
    before, _, after = step
    reader = Retold(before)
    for words in story:
        reader.read(words)
    if after["round"] != before["round"] or after["phase"] == "over":
        for player, points in enumerate(after["points"][-1]):
            earned = sum(value for _, value in reader.piles[player]) + reader.extras[player] // 2
            assert earned == points, story
            assert any(words.startswith(f"Player {player} gets {points} point") for words in story)
        return
    if after["trick"] != before["trick"]:
        reader.supply += sum(reader.added)
    assert (reader.extras, reader.supply) == (after["extras"], after["supply"]), story
    assert reader.piles == after["treasures"], story
    assert reader.open == [treasure for treasure in after["open"] if treasure], story


@pytest.mark.slow
@pytest.mark.parametrize("players", PLAYERS)
def test_the_story_tells_everything_to_everybody(players: int) -> None:
    for seed in range(4):
        ruleset = random_ruleset(random.Random(seed)) if seed == 3 else None
        for step in steps_of_a_game(players, seed, ruleset):
            for seat in (seed % players, None, "all"):
                check_retold(step, story_of(step, seat))
        after = step[2]
        winner = after["winners"].index(True)
        assert story_of(step, None)[-1].startswith(f"Player {winner} wins with {after['scores'][winner]} point")


def told(trick: Trick, *actions: int, seat: Observer = None) -> list[str]:
    """The story of the last of these actions."""
    trick.play(*actions[:-1])
    before = trick.position.snapshot()
    [asked] = before["to_act"]
    done = [actions[-1] if player == asked else PASS for player in range(before["players"])]
    trick.play(actions[-1])
    return views.tell(before, done, trick.position.snapshot(), seat=seat)


def plays(trick: Trick) -> list[int]:
    """The actions by which a trick is played, colours showing."""
    players = len(trick.cards)
    leader = trick.position.snapshot()["leader"]
    actions = []
    for seat in [(leader + step) % players for step in range(players)]:
        actions.append(trick.cards[seat])
        if trick.position.snapshot()["extras"][seat]:
            actions.append(96 + trick.added[seat])
    return actions


def test_the_story_of_a_theft_and_an_action() -> None:
    """E1 of the rules."""
    trick = Trick(
        EnginesPosition, "red 3, purple 2", "red 9, red 4, red 6, green 5", piles=("", "", "blue 2, red 4", "")
    )
    assert told(trick, *plays(trick)) == [
        "Player 3 plays green 5 with its number covered.",
        "The covers come off: player 0 played red 9, player 1 played red 4, player 2 played red 6 and player 3 played "
        "green 5.",
        "Player 0 wins red with 9 against players 1 and 2.",
        "Player 3 wins green unopposed.",
        "Player 1, the lowest loser, gets 3 extras.",
    ]
    assert told(trick, 110) == ["Player 0 steals red 4 from player 2."]
    assert told(trick, 115) == ["Player 3 looks at the next three treasures of the stack of green and purple."]
    story = told(trick, 116)
    assert story[:2] == ["Player 3 puts the three treasures back.", "Red 3 and purple 2 go under their stacks."]
    assert story[2].startswith("Player 1 leads trick 5, and ")


def test_the_story_of_extras_and_treasures() -> None:
    """E2."""
    trick = Trick(EnginesPosition, "blue 5, green 1", "blue 9, blue 7+3, green 2, purple 2", extras=(0, 4, 0, 0))
    story = told(trick, *plays(trick))
    assert "player 1 played blue 7 and 3 extras (10)" in story[1]
    assert story[2:] == [
        "Player 1 wins blue with 10 against player 0.",
        "Player 2 wins green unopposed.",
        "Player 3 wins purple unopposed.",
        "Player 0, the lowest loser, gets 2 extras.",
        "Player 1 takes the treasure blue 5.",
        "Player 2 takes the treasure green 1.",
    ]


def test_the_story_of_two_colours_that_count_as_one() -> None:
    """E3 and E4."""
    trick = Trick(EnginesPosition, "red 3", "red 4, purple 7, green 7")
    story = told(trick, *plays(trick))
    assert "Player 1 wins green and purple with 7 against player 2, being nearer to the leader." in story
    assert "Player 2, the lowest loser, gets 2 extras." in story
    assert story[-1] == "Player 1 looks at the next three treasures of the stack."


def test_the_story_of_a_short_supply() -> None:
    """E7."""
    trick = Trick(EnginesPosition, "red 1, green 1", "red 10, red 8, red 3, green 9, green 2", extras=(19, 0, 0, 0, 0))
    story = told(trick, *plays(trick))
    assert "Player 2, the lowest loser, gets 3 extras." in story
    assert "Player 4, the lowest loser, gets none: the supply is empty." in story


def test_the_story_of_action_1() -> None:
    """E8 (b) and (c)."""
    for extras, words in (
        ((5, 1, 2, 0), "Player 0 takes 2 extras from player 2."),
        ((5, 1, 1, 0), "Player 0 takes 2 extras from the supply."),
    ):
        trick = Trick(
            EnginesPosition, "blue 1, green 1", "red 5, blue 5, green 5, purple 5", extras=extras, sides=(0, 1)
        )
        assert told(trick, *plays(trick))[-1] == words


def test_the_story_of_a_card_taken_up() -> None:
    """E9 (a)."""
    trick = Trick(EnginesPosition, "blue 1, green 1", "red 5, blue 5, green 5, purple 5", sides=(0, 1))
    trick.play_cards()
    assert told(trick, 109) == ["Player 3 takes player 0's card red 5 into the hand."]
    assert told(trick, card("red 5"))[0] == "Player 3 discards red 5."


def test_the_story_of_an_exchange_depends_on_who_hears_it() -> None:
    """E10: the doer and the other player know the cards, third players do not."""
    for seat in (0, 1, 2, None, "all"):
        trick = Trick(EnginesPosition, "blue 1, green 1", "red 5, blue 5, green 5, purple 5", sides=(1, 0), trick=1)
        trick.play_cards()
        [drawn] = told(trick, 110, seat=seat)
        snapshot = trick.position.snapshot()
        taken = snapshot["taken"]
        names = [f"{COLOURS[each // 12]} {each % 12 + 1}" for each in taken]
        knows = seat in (0, 2, "all")
        what = f"{names[0]} and {names[1]}" if knows else "2 cards"
        assert drawn == f"Player 0 draws {what} from the hand of player 2."
        [chosen] = told(trick, taken[0], seat=seat)
        assert chosen == f"Player 0 chooses {names[0] if seat in (0, 'all') else 'a card'} to give back."
        handed = told(trick, taken[1], seat=seat)[0]
        assert handed == f"Player 0 gives {what} to player 2."


def test_the_story_of_gifts_and_orders_depends_on_who_hears_it() -> None:
    games = Games(1, 4, seed=3)
    before = games.snapshot(0)
    gifts = [int(np.flatnonzero(mask)[0]) for mask in games.legal[0]]
    games.step([gifts])
    names = [f"{COLOURS[each // 12]} {each % 12 + 1}" for each in gifts]
    for seat in (0, 3, None, "all"):
        story = views.tell(before, gifts, games.snapshot(0), seat=seat)
        for giver, receiver in enumerate((3, 0, 1, 2)):
            what = names[giver] if seat in (giver, receiver, "all") else "a card"
            assert story[giver] == f"Player {giver} gives {what} to player {receiver}."
    trick = Trick(EnginesPosition, "red 3", "red 4, purple 7, green 9")
    trick.play_cards()
    before = trick.position.snapshot()
    trick.play(121)
    assert trick.position.snapshot()["open"] == [before["stacks"][0][2]]  # the last of the three is now the first
    names = [f"{COLOURS[colour]} {value}" for colour, value in before["stacks"][0][2::-1]]
    for seat in (0, 1, 2, None, "all"):
        words = views.tell(before, [PASS, PASS, 121], trick.position.snapshot(), seat=seat)[0]
        order = f" as {names[0]}, {names[1]} and {names[2]}, top first" if seat in (2, "all") else ""
        assert words == f"Player 2 puts the three treasures back{order}."


def test_covered_cards_are_told_by_what_shows() -> None:
    games = Games.from_snapshots([position("red 3, green 1", [card("blue 7"), 5, 30, 40])])
    before = games.snapshot(0)
    for action, hidden, words in (
        (card("blue 7"), "blue with its number covered", "blue 7 with its number covered"),
        (48 + card("blue 7"), "7 with its colour covered", "blue 7 with its colour covered"),
    ):
        games = Games.from_snapshots([before])
        games.step([[action, PASS, PASS, PASS]])
        for seat in (0, 1, None, "all"):
            story = views.tell(before, [action, PASS, PASS, PASS], games.snapshot(0), seat=seat)
            assert story == [f"Player 0 plays {words if seat in (0, 'all') else hidden}."]


def test_after_the_end_there_is_nothing_to_tell() -> None:
    after = next(step[2] for step in examples(3) if step[2]["phase"] == "over")
    assert views.tell(after, [PASS] * 3, after) == []


# Replays


def test_a_game_is_replayed_with_all_hands_open_or_from_one_seat(tmp_path: Path) -> None:
    replay = Replay.of(GAME, *recorded(3))
    for seat, hidden in (("all", 0), (1, 2), (None, 3)):
        [first, *later] = replay.positions(seat)
        text = views.to_text(first.snapshot, colour=False, seat=seat)
        assert text.count("hand: 12 cards face down") == hidden
        gifts = " ".join(later[0].story)
        assert len(re.findall(r"gives a card to", gifts)) == {0: 0, 2: 1, 3: 3}[hidden]
        file = tmp_path / "game.html"
        short = Replay.of(GAME, first.snapshot, [position.actions for position in later[:3]], None)
        save_html(short, file, seat=seat)
        [data] = re.findall(r'type="application/json">(.*?)</script>', file.read_text("utf-8"), re.DOTALL)
        frames = json.loads(data)
        expected = [views.to_svg(each.snapshot, each.story, seat=seat) for each in short.positions(seat)]
        assert [frame["picture"] for frame in frames["frames"]] == expected


def recorded(players: int) -> tuple[dict[str, Any], list[list[int]], list[int]]:
    """Start, actions and scores of a game."""
    steps = list(steps_of_a_game(players, 1))
    return steps[0][0], [actions for _, actions, _ in steps], steps[-1][2]["scores"]


# The end


def test_ties_are_explained() -> None:
    """E12."""
    points = [[5, 6, 6, 5]]
    trick = Trick(
        EnginesPosition, "blue 1, green 1", "red 5, blue 5, green 5, purple 5", leader=2, trick=12, points=points
    )
    story = told(trick, *plays(trick))
    assert story[-1] == (
        "Player 2 wins with 7 points: of players 1 and 2, player 2 is nearest to the leader of the last trick."
    )
    after = trick.position.snapshot()
    assert tie_words(Table(seen(after, None) | {"scores": [6, 7, 8, 5]})) == ""


# Bad input

FIELDS = (
    *("players", "round", "trick", "leader", "phase", "to_act", "hands", "box", "aside", "plays", "revealed", "extras"),
    *("supply", "open", "stacks", "under", "treasures", "points", "wins", "queue", "target", "stack", "taken", "given"),
    *("known", "shown", "looker", "arranged", "peeked", "scores", "winners", "ruleset"),
)
FITTING: dict[str, tuple[Any, ...]] = {  # what of it may be there all the same
    **dict.fromkeys(("plays", "revealed", "open", "stacks", "target", "stack", "looker"), (None,)),
    **dict.fromkeys(("aside", "points", "wins", "queue", "taken", "given", "box"), ([],)),
    **dict.fromkeys(("under", "treasures", "known", "shown", "peeked", "hands", "stacks"), ([], None)),
    "scores": (None,),
    "winners": (None, True),
}


def scored(snapshot: dict[str, Any]) -> dict[str, Any]:
    """Everything has a value, so that everything can be wrong."""
    return snapshot | {"scores": [3, 2, 1, 0], "winners": [True, False, False, False]}


def damages(snapshot: dict[str, Any], field: str) -> Iterator[dict[str, Any]]:
    for wrong in WRONG:
        if isinstance(wrong, np.ndarray) or not any(wrong == fit for fit in FITTING.get(field, ())):
            yield from spoiled(snapshot, field, wrong)


def assert_refused(field: str, call: Callable[..., Any], *given: Any, **named: Any) -> None:
    with pytest.raises(ValueError, match=rf"\b{field}\b.*: ") as refusal:
        call(*given, **named)
    assert str(refusal.value).isprintable()
    assert len(str(refusal.value)) < 300 or field == "ruleset"


@pytest.mark.slow
@pytest.mark.parametrize("field", FIELDS)
def test_wrong_values_are_refused_by_name(field: str) -> None:
    """By what shows snapshots as they are, and by the views themselves, which are only given what is seen."""
    whole = scored(examples(4)[2][2])
    for damaged in damages(whole, field):
        for seat in (0, None, "all"):
            assert_refused(field, views.to_text, damaged, seat=seat)
            assert_refused(field, views.tell, whole, [PASS] * 4, damaged, seat=seat)
        assert_refused(field, views.to_svg, damaged, seat=0)
        assert_refused(field, views.tell, damaged, [PASS] * 4, whole, seat=0)
        assert_refused(field, views.play.board, damaged, 0)
    shown = seen(whole, 0)
    for damaged in damages(shown, field):
        assert_refused(field, to_svg, damaged, seat=0)
        assert_refused(field, to_text, damaged, seat=0)
        assert_refused(field, tell, damaged, [PASS] * 4, shown, seat=0)
        assert_refused(field, tell, shown, [PASS] * 4, damaged, seat=0)


@pytest.mark.parametrize("seat", [0, None, "all"])
@pytest.mark.parametrize("field", FIELDS)
def test_nothing_damaged_is_filtered(field: str, seat: Observer) -> None:
    snapshot = scored(examples(4)[2][2])
    for wrong in ({"x": 1}, 10**9, "x"):
        for damaged in spoiled(snapshot, field, wrong):
            assert_refused(field, Games.as_seen, damaged, seat)
            assert_refused(field, Games.actions_as_seen, damaged, [PASS] * 4, seat)


def test_what_is_seen_already_is_seen_again() -> None:
    for step in examples(5):
        for seat in (0, None):
            assert seen(seen(step[2], seat), seat) == seen(step[2], seat)


@pytest.mark.parametrize("actions", ["abc", "abcd", [1, 2], [0, 0, 0, 123], [0, 0, 0, -1], [0, 0, 0, 1.5], None, 5, {}])
@pytest.mark.parametrize("seat", [0, "all"])
def test_only_actions_of_all_players_are_filtered(actions: Any, seat: Observer) -> None:
    with pytest.raises(ValueError, match=r"^actions: expected 4 from 0 to 122, one per player, got "):
        Games.actions_as_seen(Games(1, 4).snapshot(0), actions, seat)


def test_bad_steps_are_refused() -> None:
    three, four = (seen(Games(1, players).snapshot(0), 0) for players in (3, 4))
    with pytest.raises(ValueError, match="after: expected a game of 4 players"):
        tell(four, [0] * 4, three)
    for actions in (None, 5, [0], [0, 0, 0, 123], [0, 0, 0, -1], [0, 0, 0, 1.5]):
        with pytest.raises(ValueError, match="actions: expected 4 from 0 to 122"):
            tell(four, actions, four)  # type: ignore[arg-type]


def test_escape_codes_of_a_story_never_reach_the_terminal() -> None:
    story = ["\x1b[2J\x1b]0;title\x07red", "one\r\ntwo\x9b1mthree"]
    snapshot = Games(1, 3).snapshot(0)
    plain = views.to_text(snapshot, story, colour=False, seat=0)
    assert plain.replace("\n", "").isprintable()
    assert visible(views.to_text(snapshot, story, seat=0)) == plain
