"""The random streams and the small sets of bits that the kernels are built of."""

import random

import numpy as np
import pytest

from strand_env.bits import count, lowest, nth, several
from strand_env.randomness import GAMMA, below, mixed, spread_seeds
from strand_env.strand_unter import Games


def test_the_generator_is_splitmix64() -> None:
    state = np.uint64(1234567)
    numbers = []
    for _ in range(3):
        numbers.append(int(mixed(state)))
        state = np.uint64((int(state) + int(GAMMA)) % 2**64)
    assert numbers == [6457827717110365317, 3203168211198807973, 9817491932198370423]


@pytest.mark.parametrize("n", [1, 2, 7, 80])
def test_numbers_below_are_even(n: int) -> None:
    stream = n
    counts = np.zeros(n, int)
    for _ in range(2000 * n):
        number, stream = below(np.uint64(stream), n)
        counts[number] += 1
    assert np.abs(counts / 2000 - 1).max() < 0.12


def test_every_shell_is_equally_likely_to_lie_anywhere() -> None:
    games = Games(20_000, seed=3)
    assert np.abs(games.state["shells"].mean(0) - 9 / 4).max() < 0.04
    assert np.abs(games.state["covered"][:, 1:].mean(0) - 9 / 4).max() < 0.04
    assert np.abs(games.state["bag"].mean(0) - 2).max() < 0.04


def test_every_card_is_equally_likely_in_every_seat() -> None:
    games = Games(20_000, seed=4)
    for value, cards in enumerate(games.ruleset.cards):
        for player in range(4):
            dealt = games.state["cards"][:, player, value]
            shares = [(dealt == card).all(1).mean() for card in np.array(cards)]
            assert np.abs(np.array(shares) - 1 / 8).max() < 0.012


def test_derived_seeds_depend_on_the_number_of_the_game_alone() -> None:
    some, all_ = spread_seeds(5, np.array([7, 3])), spread_seeds(5, np.arange(10))
    assert some.tolist() == [all_[7], all_[3]]


def test_sets_of_bits() -> None:
    rng = random.Random(1)
    for _ in range(3000):
        members = sorted(rng.sample(range(64), rng.randint(1, 64)))
        bits = np.uint64(sum(1 << member for member in members))
        assert count(bits) == len(members)
        assert several(bits) == (len(members) > 1)
        assert lowest(bits) == members[0]
        n = rng.randrange(len(members))
        assert nth(bits, np.uint64(n)) == members[n]
