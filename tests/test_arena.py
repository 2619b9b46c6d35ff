"""The arena: the same deals in all seats, and results that depend on nothing but the seed."""

import pytest
from learning import AnotherRandom, Cheat, Favourite
from toy_game import STONES, TAKE_ALL

from strand_env.arena import versus


def test_equal_agents_share_alike() -> None:
    standing = versus("random", "random", 20)
    assert standing.win == (0.25, 0.25, 0.25)
    assert standing.seats == 80


def test_a_better_agent_is_seen_to_be_better() -> None:
    idle = versus(Favourite(56), "random", 200)
    assert idle.win.low < idle.win.mean < idle.win.high < 0.1
    assert idle.score.high < versus("random", "random", 200).score.low


@pytest.mark.parametrize("players", [2, 5])
def test_another_game_is_played_as_well(players: int) -> None:
    greedy = versus(Favourite(TAKE_ALL), AnotherRandom(), 10, players, game=STONES)
    assert 1 / players < greedy.win.mean <= 1
    assert greedy.statistics["last card"].mean > 0


def test_in_training_a_failure_is_an_error() -> None:
    with pytest.raises(RuntimeError, match="Cheat failed: IllegalAction: Cheat: chose action 56"):
        versus("random", Cheat(), 2)
