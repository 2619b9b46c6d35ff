"""Sea or Shore's ruleset: what is wrong is refused by the name of the field."""

from typing import Any

import pytest

from strand_env.sea_or_shore import Games, Ruleset, describe

ISLANDS, TREASURES = Ruleset().islands, Ruleset().treasures


@pytest.mark.parametrize(
    ("field", "wrong", "message"),
    [
        ("islands", ISLANDS[:3], r"islands: expected 4 entries"),
        ("islands", (*ISLANDS[:3], tuple(range(1, 12))), r"islands\[3\]: expected 12 entries"),
        (
            "islands",
            (*ISLANDS[:3], tuple(range(12))),
            r"islands\[3\]\[0\]: expected a whole number from 1 to 12, got 0",
        ),
        ("islands", (*ISLANDS[:3], tuple(range(2, 14))), r"islands\[3\]\[11\]: .*got 13"),
        ("islands", (tuple(range(12, 0, -1)), *ISLANDS[1:]), r"islands\[0\]: expected numbers that never fall"),
        ("islands", None, r"islands: expected 4 entries, got None"),
        ("treasures", TREASURES[:2], r"treasures: expected 4 entries"),
        ("treasures", ((1,) * 7, *TREASURES[1:]), r"treasures\[0\]: expected 8 entries"),
        ("treasures", ((1, 2, 2, 3, 3, 5, 5, 5), *TREASURES[1:]), r"treasures\[0\]: expected a 2, a 3 and a 4"),
        ("treasures", ((1, 2, 2, 3, 3, 4, 4, 10), *TREASURES[1:]), r"treasures\[0\]\[7\]: .*from 1 to 9, got 10"),
        ("actions", ((1, 2),), r"actions: expected 2 entries"),
        ("actions", ((1, 2), (3, 5)), r"actions\[1\]\[1\]: .*from 1 to 4, got 5"),
        ("actions", ((1, 2), (3, 3)), r"actions: expected each of 1 to 4 once"),
        ("sides", (0, 2), r"sides\[1\]: expected a whole number from 0 to 1, got 2"),
        ("sides", (True, 0), r"sides\[0\]: .*got True"),
        ("sides", 1, r"sides: expected 2 entries"),
    ],
)
def test_what_is_wrong_is_named(field: str, wrong: Any, message: str) -> None:
    with pytest.raises(ValueError, match=f"^ruleset.{message}"):
        Ruleset(**{field: wrong})


@pytest.mark.parametrize(("players", "sizes"), [(3, [20]), (4, [16, 16]), (5, [16, 16])])
def test_treasures_of_the_stacks(players: int, sizes: list[int]) -> None:
    stacks = Ruleset().stacks(players)
    assert [len(stack) for stack in stacks] == sizes
    if players == 3:
        assert sorted(stacks[0]) == [(colour, value) for colour in range(4) for value in range(1, 6)]


@pytest.mark.parametrize(("sides", "actions"), [((0, 0), {1, 3}), ((0, 1), {1, 4}), ((1, 0), {2, 3}), ((1, 1), {2, 4})])
def test_only_the_actions_that_lie_up_are_carried_out(sides: tuple[int, int], actions: set[int]) -> None:
    games = Games(20, 4, seed=1, ruleset=Ruleset(sides=sides))
    carried_out = set()
    for step in range(60):
        games.step(games.random_actions(step))
        carried_out |= {int(queue[0]["action"]) for queue in games.state["queue"][games.state["num_queue"] > 0]}
    assert carried_out == actions


def test_actions_are_described_by_the_ruleset() -> None:
    other = Ruleset(islands=((1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 12), *ISLANDS[1:]))
    assert describe(1) == "Choose red 2; if played, its colour shows."
    assert describe(48 + 11, other) == "Play red 12, its number showing."
    assert describe(10, other) == "Choose red 6; if played, its colour shows."
    assert describe(97) == "Add 1 extra."
    assert describe(109) == "Choose the next player to the left."
    assert describe(121) == "Put the three treasures back in the order third, second, first."
    with pytest.raises(ValueError, match="action: expected a whole number from 0 to 122"):
        describe(123)
