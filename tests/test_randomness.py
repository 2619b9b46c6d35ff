"""The random streams and the small sets of bits that the kernels are built of."""

import random
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import pytest

from strand_env.engine import bits, randomness
from strand_env.engine.randomness import GAMMA, Streams, seeds_of_single_games, spread_seeds
from strand_env.strand_unter import Games


def callable_here(function: Callable[..., Any]) -> Callable[..., Any]:
    """As kernels call it; Python itself would run it as it is written."""
    return numba.njit(lambda *arguments: function(*arguments))


below, decision_stream, mixed = map(callable_here, (randomness.below, randomness.decision_stream, randomness.mixed))
count, lowest, nth, several = map(callable_here, (bits.count, bits.lowest, bits.nth, bits.several))
has, highest = map(callable_here, (bits.has, bits.highest))


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


def stream_drawing(bits: int) -> np.uint64:
    """The stream whose next draw is these 64 bits: SplitMix64 backwards."""

    def unshifted(value: int, shift: int) -> int:
        found = value
        for _ in range(64 // shift):
            found = value ^ found >> shift
        return found

    z = unshifted(bits, 31) * pow(0x94D049BB133111EB, -1, 2**64) % 2**64
    z = unshifted(z, 27) * pow(0xBF58476D1CE4E5B9, -1, 2**64) % 2**64
    return np.uint64((unshifted(z, 30) - int(GAMMA)) % 2**64)


@pytest.mark.parametrize("n", [3, 5, 6, 7, 80, 1001])
def test_numbers_below_are_exactly_even(n: int) -> None:
    """Of the 2**32 draws, the 2**32 % n that would make some numbers likelier are drawn again, and no others."""
    uneven = 2**32 % n
    for low in range(min(n, 200)):
        half = next((number for number in range(n) if (number * 2**32 + low) % n == 0), None)
        if half is None:
            continue
        drawn = (half * 2**32 + low) // n  # times n, its lower half is `low`
        stream = stream_drawing(drawn << 32)
        assert mixed(stream) == drawn << 32
        number, after = below(stream, n)
        again = after != np.uint64((int(stream) + int(GAMMA)) % 2**64)
        assert again == (low < uneven)
        assert again or number == half


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


def test_seeds_of_single_games() -> None:
    given = [0, 7, 2**64 - 1, 7]
    seeds = seeds_of_single_games(given, 4)
    assert seeds.dtype == np.uint64
    for seed, single in zip(seeds, given, strict=True):
        assert seed == spread_seeds(single, np.arange(1))[0]
        assert Games(1, seed=[int(seed)]).snapshot(0) == Games(1, seed=single).snapshot(0)
    for wrong, message in (([1, 2], "seed: expected 3 seeds"), (5, "seed: expected 3 seeds"), ([1, 2, -1], "seed.2")):
        with pytest.raises(ValueError, match=message):
            seeds_of_single_games(wrong, 3)


def streams_of(rows: int, moves: int = 0) -> Streams:
    return Streams.of_decisions(np.arange(rows, dtype=np.uint64), moves, np.arange(rows) % 4)


def test_every_decision_has_a_stream_of_its_own() -> None:
    """Those of the moves, seats and seeds that lie close together, too; and none is that of a game."""
    drawn = {
        int(Streams.of_decisions(np.array([seed], np.uint64), moves, np.array([seat])).bits()[0])
        for seed in range(10)
        for moves in range(-1, 60)
        for seat in range(5)
    }
    assert len(drawn) == 10 * 61 * 5
    assert not drawn & {int(mixed(np.uint64(seed))) for seed in range(10)}


def test_streams_begin_where_the_decision_says() -> None:
    seeds, seats = np.array([3, 2**64 - 1, 5], np.uint64), np.array([0, 3, 2])
    drawn = Streams.of_decisions(seeds, 17, seats).bits()
    for row in range(3):
        assert drawn[row] == mixed(np.uint64(decision_stream(seeds[row], 17, seats[row])))


def test_several_draws_of_a_row_follow_from_its_stream_alone() -> None:
    """More draws begin with the same ones: a search with more rollouts plays the first of them alike."""
    numbers = np.array([3, 0, 5, 1])
    drawn, bits = streams_of(4).several(numbers), streams_of(4).bits()
    starts = [(int(bits[row]) + draw * int(GAMMA)) % 2**64 for row in range(4) for draw in range(numbers[row])]
    assert drawn.tolist() == [mixed(np.uint64(start)) for start in starts]
    assert (streams_of(4).several(numbers + 2)[:3] == drawn[:3]).all()


def test_a_row_draws_the_same_whatever_the_other_rows_are() -> None:
    everything, rows = streams_of(100), np.array([70, 3, 44])
    some = streams_of(100)[rows]
    mask = streams_of(100)[np.isin(np.arange(100), rows)]
    assert (len(everything), len(some), len(mask)) == (100, 3, 3)
    for _ in range(3):
        drawn = everything.bits()
        assert (some.bits() == drawn[rows]).all()
        assert (mask.bits() == drawn[np.sort(rows)]).all()


def test_rows_that_were_taken_out_go_on_apart() -> None:
    everything, untouched = streams_of(10), streams_of(10)
    everything[np.arange(5)].bits()
    everything[:5].bits()
    everything[np.ones(10, np.bool_)].bits()
    assert (everything.bits() == untouched.bits()).all()


def test_streams_are_even() -> None:
    streams = streams_of(5000)
    drawn = np.array([streams.random() for _ in range(10)])
    assert drawn.min() >= 0
    assert drawn.max() < 1
    assert np.histogram(drawn, 10, (0, 1))[0] / 5000 == pytest.approx(np.ones(10), abs=0.08)
    assert np.abs(np.corrcoef(drawn)[np.triu_indices(10, 1)]).max() < 0.06
    bounds = np.where(np.arange(5000) % 2, 3, 7)
    for bound in (3, 7):
        numbers = np.array([streams.integers(bounds)[bounds == bound] for _ in range(10)])
        assert np.bincount(numbers.reshape(-1)) * bound / 25_000 == pytest.approx(np.ones(bound), abs=0.1)
    assert not streams.integers(1).any()


def test_sets_of_bits() -> None:
    rng = random.Random(1)
    for _ in range(3000):
        members = sorted(rng.sample(range(64), rng.randint(1, 64)))
        a_set = np.uint64(sum(1 << member for member in members))
        assert count(a_set) == len(members)
        assert several(a_set) == (len(members) > 1)
        assert lowest(a_set) == members[0]
        assert highest(a_set) == members[-1]
        member = rng.randrange(64)
        assert has(a_set, member) == (member in members)
        n = rng.randrange(len(members))
        assert nth(a_set, np.uint64(n)) == members[n]
