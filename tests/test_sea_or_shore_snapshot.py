"""Snapshots of Sea or Shore: contradictions are refused by the name of the field, and what is left out is filled in."""

import copy
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
from naive_sea_or_shore import DEFAULT_RULESET, random_game
from sea_or_shore_positions import EnginesPosition, Trick

from strand_env.sea_or_shore import GAME, Games, Ruleset

Snapshot = dict[str, Any]
SIDES = {"stack": (0, 0), "order": (0, 0), "target": (1, 0), "give": (1, 0), "pick": (0, 1), "discard": (0, 1)}


@cache
def found(phase: str, players: int, trick: int) -> Snapshot:
    """A position of a random game in this phase, in this trick or later."""
    for seed in range(100):
        games = Games(1, players, seed=seed, ruleset=Ruleset(sides=SIDES.get(phase, (0, 0))))
        for step in range(250):
            snapshot = games.snapshot(0)
            if snapshot["phase"] == phase and snapshot["trick"] >= trick:
                return snapshot
            games.step(games.random_actions(1000 * seed + step))
    raise AssertionError(f"no position in phase {phase}")


def in_phase(phase: str, players: int = 4, trick: int = 1) -> Snapshot:
    return copy.deepcopy(found(phase, players, trick))


def doer(snapshot: Snapshot) -> int:
    return snapshot["to_act"][0]


def move(snapshot: Snapshot, one: int, other: int) -> None:
    """A card goes from one hand to another."""
    snapshot["hands"][other] = sorted([*snapshot["hands"][other], snapshot["hands"][one].pop()])


def not_there(snapshot: Snapshot, player: int) -> int:
    """A card that is not with a player."""
    return snapshot["hands"][(player + 1) % snapshot["players"]][0]


def change_play(snapshot: Snapshot, player: int, **fields: Any) -> None:
    snapshot["plays"][player] = snapshot["plays"][player] | fields


def swap_top(snapshot: Snapshot, place: int) -> None:
    """The top treasure of a stack changes places with one below those looked at that is different."""
    stack = snapshot["stacks"][place]
    other = next(number for number in range(3, len(stack)) if stack[number] not in stack[:3])
    stack[0], stack[other] = stack[other], stack[0]


DAMAGES: dict[str, list[tuple[str, Callable[[Snapshot], Any]]]] = {
    "gift": [
        (r"trick: expected 1 in phase 'gift'", lambda s: s.update(trick=2)),
        (r"to_act: ", lambda s: s.update(to_act=[0])),
        (r"hands\[0\]: expected 12 cards, got 11", lambda s: move(s, 0, 1)),
        (r"known\[0\]\[3\]: expected \[\] in phase 'gift'", lambda s: s["known"][0][3].append(s["hands"][3][0])),
        (r"extras, supply, plays: 24 extras in all", lambda s: s["extras"].__setitem__(0, 2)),
        (r"extras: expected none", lambda s: s.update(extras=[2, 0, 0, 0], supply=20)),
        (r"revealed: expected null", lambda s: s.update(revealed=revealed(s))),
        (r"box: expected 0 cards", lambda s: s["box"].append(s["hands"][0].pop())),
        (r"leader: expected a whole number from 0 to 3, got 4", lambda s: s.update(leader=4)),
        (r"points: expected a list of 0", lambda s: s.update(points=[[1, 2, 3, 4]])),
    ],
    "card": [
        (r"hands\[1\]: card \d+ is in hands\[0\], too", lambda s: s["hands"].__setitem__(1, s["hands"][0])),
        (r"hands: cards \[\d+\] are neither", lambda s: s["hands"][0].pop()),
        (r"plays: expected the first", lambda s: s["plays"].reverse()),
        (r"to_act: expected", lambda s: s.update(to_act=[(doer(s) + 1) % 4])),
        (r"plays\[\d\].card: 1 cards have been picked up", lambda s: lay_aside(s)),
        (r"plays\[\d\].shows: expected one of 'colour'", lambda s: change_play(s, first(s), shows="both")),
        (r"plays\[\d\].extras: expected a whole number from 0 to 11", lambda s: change_play(s, first(s), extras=12)),
        (r"plays\[\d\]: expected other fields", lambda s: change_play(s, first(s), face=1)),
        (r"known\[0\]\[1\]: card \d+ is not with player 1", lambda s: s["known"][0].__setitem__(1, [not_there(s, 1)])),
        (r"known\[2\]\[2\]: expected \[\]", lambda s: s["known"][2].__setitem__(2, s["hands"][2][:1])),
        (r"shown\[1\]: card \d+ is not with player 1", lambda s: s["shown"].__setitem__(1, [not_there(s, 1)])),
        (r"known\[0\]\[2\]: card \d+ is missing, but in shown\[2\]", lambda s: show_only(s, 2)),
        (r"known\[0\]: expected a list of 4", lambda s: s["known"][0].pop()),
        (r"hands\[0\]: expected different numbers in ascending order", lambda s: s["hands"][0].reverse()),
        (r"supply: ", lambda s: s.update(supply=23)),
        (r"wins: expected \[\] in phase 'card'", lambda s: s.update(wins=[[0, 0]])),
        (r"queue: expected \[\] in phase 'card'", lambda s: s.update(queue=[[0, 1]])),
        (r"target: 1 does not fit", lambda s: s.update(target=1)),
        (r"stack: 1 does not fit", lambda s: s.update(stack=1)),
        (r"taken: .* does not fit", lambda s: s.update(taken=s["hands"][0][:2])),
        (r"given: .* does not fit", lambda s: s.update(given=s["hands"][0][:1])),
        (r"stacks, under, open, treasures: too many", lambda s: s["stacks"][0].append([0, 1])),
        (r"stacks\[0\]\[0\]\[1\]: ", lambda s: s["stacks"][0].__setitem__(0, [0, 0])),
        (r"stacks\[0\]: \[2, \d\] belongs to the other stack", lambda s: s["stacks"].reverse()),
        (r"stacks\[0\]: expected \d+ treasures", lambda s: s["treasures"][0].append(s["stacks"][0].pop())),
        (r"open\[0\]: None does not fit", lambda s: s["treasures"][0].append(take(s["open"], 0))),
        (r"looker\[0\]: 1, but arranged\[0\] is 0", lambda s: s.update(looker=[1, None], arranged=[0, 0])),
        (r"revealed\[0\].card: expected a card", lambda s: s["revealed"][0].update(card=None)),
        (r"revealed: a card is there twice", lambda s: s["revealed"].__setitem__(0, s["revealed"][1])),
        (r"revealed: expected cards that are aside", lambda s: s.update(revealed=revealed(s))),
        (r"revealed: expected cards that are aside; got \[\d+\]", lambda s: reveal(s, 0, card=s["hands"][1][0])),
        (r"revealed: expected null or 4 plays", lambda s: s["revealed"].__setitem__(0, None)),
        (r"scores: expected null until", lambda s: s.update(scores=[0, 0, 0, 0])),
    ],
    "extras": [
        (
            r"plays\[\d\].extras: expected 0",
            lambda s: (change_play(s, doer(s), extras=1), s.update(supply=s["supply"] - 1)),
        ),
        (r"to_act: ", lambda s: rob(s, doer(s))),
    ],
    "treasure": [
        (r"wins: expected somebody who decides", lambda s: s.update(wins=[])),
        (r"wins\[0\]: player \d has not won the treasure", lambda s: s["wins"][0].__setitem__(1, s["wins"][0][1] ^ 1)),
        (r"wins\[\d\]|to_act: ", lambda s: s["wins"][0].__setitem__(0, (doer(s) + 1) % 4)),
        (r"revealed\[\d\]: expected", lambda s: s["revealed"][doer(s)].update(extras=11)),
        (r"to_act: .*would be asked", lambda s: clear_piles(s)),
    ],
    "target": [
        (r"wins: expected \[\] in phase 'target'", lambda s: s.update(wins=[[doer(s), 0]])),
        (r"queue\[0\]: ", lambda s: s["queue"][0].__setitem__(1, 3)),
        (r"queue: expected somebody", lambda s: s.update(queue=[])),
    ],
    "give": [
        (r"target: expected another player", lambda s: s.update(target=doer(s))),
        (
            r"hands\[\d\]: expected \d+ cards",
            lambda s: s.update(
                target=(s["target"] + 1) % 4 if (s["target"] + 1) % 4 != doer(s) else (s["target"] + 2) % 4
            ),
        ),
        (r"taken: card \d+ is not in hands", lambda s: s.update(taken=sorted(s["hands"][s["target"]][:2]))),
        (r"given: card \d+ is not in hands", lambda s: s.update(given=s["hands"][s["target"]][:1])),
        (r"given: expected fewer than 2", lambda s: s.update(given=s["hands"][doer(s)][:2])),
        (
            r"known\[\d\]\[\d\]: card \d+ is missing, but in taken",
            lambda s: s["known"][s["target"]].__setitem__(doer(s), []),
        ),
        (r"known\[\d\]\[\d\]: expected \[\] in phase 'give'", lambda s: know_third(s)),
        (r"shown\[\d\]: expected \[\]|known", lambda s: show_only(s, doer(s))),
    ],
    "order": [
        (r"stack: None does not fit", lambda s: s.update(stack=None)),
        (r"looker\[\d\]: expected player", lambda s: s.update(stack=1 - s["stack"])),
        (r"peeked\[\d\]\[\d\]: expected .*the cards looked at", lambda s: swap_top(s, s["stack"])),
        (r"peeked\[\d\]\[\d\]: expected", lambda s: s["peeked"][doer(s)][s["stack"]].pop()),
        (r"peeked\[\d\]\[\d\]: .*are not among the top", lambda s: peek_below(s)),
        (
            r"peeked\[\d\]\[\d\]: expected treasures in ascending order",
            lambda s: s["peeked"][doer(s)][s["stack"]].reverse(),
        ),
        (r"arranged\[\d\]: expected a whole number from 0 to 3", lambda s: s["arranged"].__setitem__(s["stack"], 4)),
    ],
    "pick": [
        (r"plays\[\d\].card: 1 cards have been picked up", lambda s: lay_aside(s)),
        (r"queue\[0\]: ", lambda s: s["queue"][0].__setitem__(1, 1)),
    ],
    "discard": [
        (r"shown\[\d\]: expected the card just picked up, got \[\]", lambda s: forget_shown(s)),
        (r"shown\[\d\]: expected the card just picked up, \d+, among others", lambda s: show_another(s)),
        (
            r"revealed: expected the card just picked up to be in hands\[\d\]; \d+ is not",
            lambda s: reveal(s, picked(s), card=not_there(s, doer(s))),
        ),
        (
            r"revealed\[\d\]: expected .*, the play of this trick",
            lambda s: reveal(s, picked(s), shows=other_half(s["plays"][picked(s)])),
        ),
        (r"revealed\[\d\]: expected .*, the play of this trick", lambda s: reveal(s, picked(s), extras=11)),
        (r"hands\[\d\]: expected \d+ cards", lambda s: move(s, doer(s), (doer(s) + 1) % 4)),
    ],
    "over": [
        (r"points\[1\]\[0\]: expected \d+, the round's", lambda s: s["points"][1].__setitem__(0, 90)),
        (r"points\[0\]\[0\]: expected a whole number from 0 to 107", lambda s: s["points"][0].__setitem__(0, 108)),
        (r"scores: ", lambda s: s["scores"].__setitem__(0, 99)),
        (r"trick, round: expected", lambda s: s.update(round=1)),
        (r"to_act: ", lambda s: s.update(to_act=[0])),
    ],
}


def first(snapshot: Snapshot) -> int:
    return snapshot["leader"]


def take(entries: list[Any], place: int) -> Any:
    taken, entries[place] = entries[place], None
    return taken


def revealed(snapshot: Snapshot) -> list[Snapshot]:
    return [{"card": hand[0], "shows": "colour", "extras": 0} for hand in snapshot["hands"]]


def lay_aside(snapshot: Snapshot) -> None:
    """The leader's card is picked up, and lies aside."""
    play = snapshot["plays"][first(snapshot)]
    snapshot["aside"] = sorted([*snapshot["aside"], play["card"]])
    change_play(snapshot, first(snapshot), card=None)


def show_only(snapshot: Snapshot, player: int) -> None:
    """All have seen a card come to a player, but nobody remembers it."""
    snapshot["shown"][player] = snapshot["hands"][player][:1]
    for row in snapshot["known"]:
        row[player] = []


def forget_shown(snapshot: Snapshot) -> None:
    snapshot["shown"][doer(snapshot)] = []


def picked(snapshot: Snapshot) -> int:
    """The player whose card was picked up."""
    return next(player for player, play in enumerate(snapshot["plays"]) if play["card"] is None)


def reveal(snapshot: Snapshot, player: int, **fields: Any) -> None:
    snapshot["revealed"][player] = snapshot["revealed"][player] | fields


def other_half(play: Snapshot) -> str:
    return "number" if play["shows"] == "colour" else "colour"


def show_another(snapshot: Snapshot) -> None:
    """All have seen another card come to the doer than the one picked up."""
    one = doer(snapshot)
    card = snapshot["revealed"][picked(snapshot)]["card"]
    snapshot["shown"][one] = [next(each for each in snapshot["hands"][one] if each != card)]
    for player in {0, 1, 2, 3} - {one}:
        snapshot["known"][player][one] = snapshot["shown"][one]


def know_third(snapshot: Snapshot) -> None:
    third = next(player for player in range(4) if player not in (doer(snapshot), snapshot["target"]))
    snapshot["known"][third][snapshot["target"]] = snapshot["hands"][snapshot["target"]][:1]


def peek_below(snapshot: Snapshot) -> None:
    stack = snapshot["stacks"][snapshot["stack"]]
    below = next(treasure for treasure in stack[3:] if treasure not in stack[:3])
    other = (doer(snapshot) + 1) % 4
    snapshot["peeked"][other][snapshot["stack"]] = [below]


def rob(snapshot: Snapshot, player: int) -> None:
    """A player who owns no extras is not asked for any."""
    snapshot["supply"] += snapshot["extras"][player]
    snapshot["extras"][player] = 0


def clear_piles(snapshot: Snapshot) -> None:
    """Nobody has anything to steal; the first player has it all, at the bottom of the pile that decides."""
    everything = [treasure for pile in snapshot["treasures"] for treasure in pile]
    snapshot["treasures"] = [everything if player == doer(snapshot) else [] for player in range(4)]


CASES = [
    pytest.param(phase, message, damage, id=f"{phase}: {message[:40]}")
    for phase, those in DAMAGES.items()
    for message, damage in those
]


@pytest.mark.parametrize(("phase", "message", "damage"), CASES)
def test_contradictions_are_refused(phase: str, message: str, damage: Callable[[Snapshot], Any]) -> None:
    snapshot = in_phase(phase, trick=1 if phase == "gift" else 3)
    if phase == "card" and "plays" in message:
        snapshot = next_card(snapshot)
    Games.from_snapshots([snapshot])
    damage(snapshot)
    with pytest.raises(ValueError, match=f"^snapshot 0: (?:{message})"):
        Games.from_snapshots([snapshot])


def next_card(snapshot: Snapshot) -> Snapshot:
    """One card more is played."""
    games = Games.from_snapshots([snapshot])
    player = doer(snapshot)
    games.step([[snapshot["hands"][player][0] if seat == player else 122 for seat in range(4)]])
    while games.snapshot(0)["phase"] != "card":
        games.step(games.random_actions(1))
    return games.snapshot(0)


def test_with_three_players_there_is_one_stack() -> None:
    snapshot = in_phase("order", players=3)
    games = Games.from_snapshots([snapshot])
    assert games.legal[0, doer(snapshot)].sum() == 6
    with pytest.raises(ValueError, match="phase: 'stack', but with 3 players"):
        Games.from_snapshots([snapshot | {"phase": "stack", "stack": None}])


@pytest.mark.parametrize("opened", ["green 2", "purple 2"])
def test_with_three_players_both_colours_of_an_action_compete(opened: str) -> None:
    snapshot = Trick(EnginesPosition, opened, "red 3, blue 9, blue 5", sides=(1, 0)).play_cards()
    assert snapshot["queue"] == [[1, 2]]
    Games.from_snapshots([snapshot])
    with pytest.raises(ValueError, match=r"queue\[0\]: player 0 has not won; player 1 has"):
        Games.from_snapshots([snapshot | {"queue": [[0, 2]], "to_act": [0]}])


@pytest.mark.parametrize("phase", ["gift", "card", "extras", "treasure", "target", "give", "stack", "order", "pick"])
def test_without_the_trick_revealed_last(phase: str) -> None:
    """It is taken for none before the reveal, and for the plays after it."""
    snapshot = in_phase(phase, trick=1 if phase == "gift" else 3)
    given = snapshot.pop("revealed")
    restored = Games.from_snapshots([snapshot]).snapshot(0)
    if phase in ("gift", "card", "extras"):
        assert restored == snapshot | {"revealed": [None] * 4}
    else:
        assert restored == snapshot | {"revealed": given}


def test_the_game_goes_on_without_the_card_picked_up() -> None:
    """Without the trick revealed last nothing tells which card action 4 has taken; the others are still there."""
    snapshot = in_phase("discard", trick=3)
    del snapshot["revealed"]
    games = Games.from_snapshots([snapshot])
    while games.snapshot(0)["phase"] != "card":
        games.step(games.random_actions(1))
        assert Games.from_snapshots([games.snapshot(0)]).snapshot(0) == games.snapshot(0)
    snapshot = games.snapshot(0)
    assert snapshot["revealed"].count(None) == 1
    another = next(play for play in snapshot["revealed"] if play)
    another["card"] = next(cards[0] for cards in snapshot["shown"] if cards)
    with pytest.raises(ValueError, match="revealed: expected cards that are aside"):
        Games.from_snapshots([snapshot])


def with_revealed_in_a_hand(sides: tuple[int, int]) -> tuple[Snapshot, int, int]:
    """A trick begins, and what was revealed last is all aside but for a card of a hand, as if it was picked up."""
    snapshot = Trick(EnginesPosition, "red 1, green 1", "red 10, red 5, red 3, green 5", sides=sides).play_cards()
    assert snapshot["phase"] == "card"
    owner, card = 2, snapshot["hands"][2][0]
    reveal(snapshot, 1, card=card)
    return snapshot, owner, card


def know(snapshot: Snapshot, player: int, owner: int, card: int) -> None:
    snapshot["known"][player][owner] = [card]


ACTION_2_AND_4, ACTION_1_AND_4 = (1, 1), (0, 1)


@pytest.mark.parametrize("sides", [ACTION_1_AND_4, ACTION_2_AND_4])
def test_everybody_knows_a_card_picked_up(sides: tuple[int, int]) -> None:
    snapshot, owner, card = with_revealed_in_a_hand(sides)
    for player in (0, 1, 3):
        know(snapshot, player, owner, card)
    refused = rf"revealed: expected the card picked up, {card}, to be aside or in shown"
    with pytest.raises(ValueError, match=refused):
        Games.from_snapshots([snapshot])
    snapshot["shown"][owner] = [card]
    Games.from_snapshots([snapshot])
    reveal(snapshot, 0, card=snapshot["hands"][0][0])
    with pytest.raises(ValueError, match="revealed: expected cards that are aside, but for one picked up; got"):
        Games.from_snapshots([snapshot])


def test_nobody_picks_up_a_card_without_a_colour_of_action_4() -> None:
    snapshot, owner, card = with_revealed_in_a_hand(ACTION_1_AND_4)
    for player in (0, 1, 3):
        know(snapshot, player, owner, card)
    snapshot["shown"][owner] = [card]
    Games.from_snapshots([snapshot])
    reveal(snapshot, 3, card=0)  # red like the others, instead of green
    with pytest.raises(ValueError, match=f"revealed: card {card} is picked up, but no play has a colour that wins"):
        Games.from_snapshots([snapshot])


def test_action_2_may_have_moved_a_card_picked_up() -> None:
    """Then nobody else has to know of it, and third players know nothing of two hands."""
    snapshot, owner, card = with_revealed_in_a_hand(ACTION_2_AND_4)
    Games.from_snapshots([snapshot])
    know(snapshot, 0, owner, card)
    Games.from_snapshots([snapshot])
    for giver in range(4):
        right = (giver - 1) % 4
        know(snapshot, giver, right, snapshot["hands"][right][1])
    know(snapshot, 0, owner, card)
    with pytest.raises(ValueError, match="revealed: expected the card picked up"):
        Games.from_snapshots([snapshot])


def test_a_card_picked_up_is_aside_or_known_while_another_action_is_under_way() -> None:
    """First action 4, then action 1: the doer of action 4 has discarded a card."""
    played = "red 5, blue 5, green 5, purple 5"
    trick = Trick(EnginesPosition, "blue 1, green 1", played, sides=(0, 1), leader=3, extras=[0, 3, 1, 2])
    trick.play_cards()
    trick.play(109)
    hand = trick.position.snapshot()["hands"][3]
    [shown] = trick.position.snapshot()["shown"][3]
    for discarded in (shown, next(each for each in hand if each != shown)):
        games = Games.from_snapshots([trick.position.snapshot()])
        games.step([[122, 122, 122, discarded]])
        snapshot = games.snapshot(0)
        assert snapshot["phase"] == "target"
        Games.from_snapshots([snapshot])
        reveal(snapshot, 0, card=snapshot["hands"][1][0])
        with pytest.raises(ValueError, match=r"revealed: expected the card picked up, .* to be aside or in shown"):
            Games.from_snapshots([snapshot])


def look_at(snapshot: Snapshot, stack: int, number: int, looker: int = 1) -> Snapshot:
    """A player knows the next so many treasures of a stack, and nobody else any."""
    snapshot["looker"][stack], snapshot["arranged"][stack] = looker, number
    for player, row in enumerate(snapshot["peeked"]):
        row[stack] = sorted(snapshot["stacks"][stack][:number]) if player == looker else []
    return snapshot


@pytest.mark.parametrize("phase", ["card", "extras", "treasure", "stack"])
def test_three_treasures_are_known_only_in_the_trick_of_the_look(phase: str) -> None:
    for stack in range(2):
        Games.from_snapshots([look_at(in_phase(phase, trick=4), stack, 2)])
        with pytest.raises(ValueError, match=rf"arranged\[{stack}\]: expected at most 2, .*; got 3"):
            Games.from_snapshots([look_at(in_phase(phase, trick=4), stack, 3)])


def test_who_looks_has_played_a_colour_of_action_3() -> None:
    snapshot = in_phase("order")
    stack = 1 - snapshot["stack"]
    with pytest.raises(ValueError, match=rf"arranged\[{stack}\]: expected at most 2, .*; got 3"):
        Games.from_snapshots([look_at(snapshot, stack, 3)])


@pytest.mark.parametrize("trick", range(1, 6))
def test_each_trick_turns_up_one_of_the_treasures_looked_at(trick: int) -> None:
    """So in trick 1 none are known, in trick 2 none or two, and so on."""
    exactly = next(snapshot for snapshot in (in_phase("card", trick=trick),) if snapshot["trick"] == trick)
    for number in (1, 2):
        snapshot = look_at(copy.deepcopy(exactly), 0, number)
        if trick + number >= 4:
            Games.from_snapshots([snapshot])
        else:
            with pytest.raises(ValueError, match=rf"arranged\[0\]: {number} .* in trick {trick}"):
                Games.from_snapshots([snapshot])


@pytest.mark.parametrize(("phase", "field"), [("pick", "looker"), ("target", "shown"), ("order", "shown")])
def test_what_no_action_has_done_is_refused(phase: str, field: str) -> None:
    """Neither looks without action 3, nor cards picked up without action 4."""
    snapshot = in_phase(phase, trick=4)
    if field == "looker":
        look_at(snapshot, 0, 2)
    else:
        snapshot["shown"][1] = snapshot["hands"][1][:1]
        for player in (0, 2, 3):
            snapshot["known"][player][1] = sorted({*snapshot["known"][player][1], *snapshot["shown"][1]})
    with pytest.raises(ValueError, match=rf"{field}\[\d\]: expected .*, since action \d is on the other side"):
        Games.from_snapshots([snapshot])


@pytest.mark.parametrize("players", GAME.player_counts)
@pytest.mark.parametrize("sides", [(0, 0), (0, 1), (1, 0), (1, 1)])
def test_no_winner_of_an_action_is_left_out(players: int, sides: tuple[int, int]) -> None:
    games = Games(1, players, seed=5, ruleset=Ruleset(sides=sides))
    refused = step = 0
    while refused < 3:
        snapshot = games.snapshot(0)
        later = snapshot["queue"][snapshot["phase"] not in ("card", "extras", "treasure") :]
        if later and snapshot["trick"] < 9 and None not in snapshot["open"] and all_on_the_table(snapshot):
            snapshot["queue"] = snapshot["queue"][: -len(later)]
            with pytest.raises(ValueError, match=r"queue: expected the actions of players \[\d.*\]; got "):
                Games.from_snapshots([snapshot])
            refused += 1
        games.step(games.random_actions(step))
        games.reset(games.over)
        step += 1


def all_on_the_table(snapshot: Snapshot) -> bool:
    return all(play and play["card"] is not None for play in snapshot["plays"])


@pytest.mark.slow
@pytest.mark.parametrize("players", GAME.player_counts)
@pytest.mark.parametrize("sides", [(0, 0), (0, 1), (1, 0), (1, 1)])
def test_snapshots_of_games_and_redeals_are_accepted(players: int, sides: tuple[int, int]) -> None:
    games = Games(4, players, seed=7, ruleset=Ruleset(sides=sides))
    step = 0
    while not games.over.all():
        games.step(games.random_actions(step))
        step += 1
        redealt = games.clone()
        redealt.redeal(step, step % players)
        for batch in (games, redealt):
            snapshots = [batch.snapshot(number) for number in range(4)]
            restored = Games.from_snapshots(snapshots)
            assert [restored.snapshot(number) for number in range(4)] == snapshots


@pytest.mark.slow
@pytest.mark.parametrize("players", GAME.player_counts)
@pytest.mark.parametrize("sides", [(0, 0), (0, 1), (1, 0), (1, 1)])
def test_snapshots_of_the_literal_implementation_are_accepted(players: int, sides: tuple[int, int]) -> None:
    for number, snapshot in enumerate(random_game(players, 5, DEFAULT_RULESET | {"sides": list(sides)})):
        if number % 3 == 0:
            whole = snapshot | {"seed": "0x" + "1" * 16, "stream": "0x" + "2" * 16}
            restored = Games.from_snapshots([whole]).snapshot(0)
            del restored["revealed"]
            assert restored == whole


def test_high_scores() -> None:
    """More than a signed byte holds."""
    snapshot = in_phase("over")
    best = snapshot["points"][1].index(max(snapshot["points"][1]))
    snapshot["points"][0] = [107 if player == best else 0 for player in range(4)]
    snapshot["scores"] = [sum(points) for points in zip(*snapshot["points"], strict=True)]
    snapshot["winners"] = [player == best for player in range(4)]
    assert Games.from_snapshots([snapshot]).scores[0, best] > 107
    assert Games.most_points(Ruleset(), None) == 214
