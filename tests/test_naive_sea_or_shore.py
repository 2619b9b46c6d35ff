"""The literal implementation of Sea or Shore alone: what lookers remember, refused chance, and all material kept."""

import random
from itertools import chain
from typing import Any

import pytest
from naive_sea_or_shore import DEFAULT_RULESET, Chance, Game, Impossible, Shuffled, random_game
from sea_or_shore_positions import LiteralPosition, Trick


def test_what_lookers_remember() -> None:
    """An earlier looker keeps which cards are among the top ones, until they are turned up."""
    trick = Trick(LiteralPosition, "red 3", "red 4, purple 7, green 9")
    game = trick.position.game
    [stack] = game.stacks
    a, b, c, d = [0, 1], [1, 1], [1, 5], [3, 2]
    stack.cards[:4] = [a, b, c, d]
    assert trick.play_cards()["peeked"] == [[[]], [[]], [[a, b, c]]]
    after = trick.play(121)  # from the last to the first: c is turned up
    assert (after["open"], after["stacks"][0][:3]) == ([c], [b, a, d])
    assert (after["looker"], after["arranged"], after["peeked"]) == ([2], [2], [[[]], [[]], [[a, b]]])
    doer = game.players[0]
    next(game.action_3(doer))  # as far as the choice of the order
    assert (stack.looker, stack.arranged) == (0, 3)
    assert stack.peeked == {0: [a, b, d], 1: [], 2: [a, b]}
    for left, known in ((2, [a]), (1, []), (0, [])):
        stack.turn_up()
        assert (stack.arranged, stack.looker, stack.peeked[2]) == (left, 0 if left else None, known)
    assert stack.peeked == {0: [], 1: [], 2: []}


@pytest.mark.parametrize(
    ("key", "wrong"),
    [
        ("hands", [[*range(12)]] * 3),
        ("hands", [[*range(11)], [*range(12, 24)], [*range(24, 36)]]),
        ("open", [[0, 9]]),
    ],
)
def test_impossible_chance_is_refused(key: str, wrong: Any) -> None:
    start = Game(3, DEFAULT_RULESET, Shuffled(random.Random(1))).snapshot()
    assert Game(3, DEFAULT_RULESET, Chance(lambda: start)).snapshot() == start
    with pytest.raises(Impossible, match="hands" if key == "hands" else "stacks"):
        Game(3, DEFAULT_RULESET, Chance(lambda: start | {key: wrong}))


@pytest.mark.parametrize("taken", [[], [1], [1, 1], [0, 47]])
def test_impossible_draws_are_refused(taken: list[int]) -> None:
    trick = Trick(LiteralPosition, "blue 1, green 1", "red 5, blue 5, green 5, purple 5", sides=(1, 0))
    trick.play_cards()
    trick.position.game.players[2].hand = {1, 2, 3}
    trick.position.game.chance = Chance(lambda: {"taken": taken})
    with pytest.raises(Impossible, match="taken"):
        trick.play(110)


@pytest.mark.parametrize("players", [3, 4, 5])
@pytest.mark.parametrize("sides", [(0, 0), (0, 1), (1, 0), (1, 1)])
def test_random_games_keep_all_material(players: int, sides: tuple[int, int]) -> None:
    for snapshot in random_game(players, seed=players, ruleset=DEFAULT_RULESET | {"sides": list(sides)}):
        on_table = [play["card"] for play in snapshot["plays"] if play and play["card"] is not None]
        cards = [*chain(*snapshot["hands"]), *snapshot["box"], *snapshot["aside"], *on_table]
        assert sorted(cards) == list(range(48))
        beside = sum(play["extras"] for play in snapshot["plays"] if play)
        assert sum(snapshot["extras"]) + snapshot["supply"] + beside == 22
        piles = [*snapshot["stacks"], *snapshot["under"], *snapshot["treasures"]]
        assert sum(map(len, piles)) + sum(each is not None for each in snapshot["open"]) == (20 if players == 3 else 32)
    assert snapshot["phase"] == "over"
    assert sum(snapshot["winners"]) == 1
