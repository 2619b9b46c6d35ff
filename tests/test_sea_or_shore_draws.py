"""Chance is fair in Sea or Shore: this the literal implementation, which is told all draws, cannot judge."""

from collections import Counter
from collections.abc import Iterator
from itertools import combinations, permutations, product
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pytest
from sea_or_shore_deals import rarity

from strand_env.sea_or_shore import GAME, Games, Ruleset
from strand_env.sea_or_shore.actions import GIFT, GIVE
from strand_env.sea_or_shore.ruleset import HAND_SIZES, code_of

State = npt.NDArray[Any]
GAMES = 3000
TOO_FAR = 5.5  # standard deviations: exceeded in one of 50 million cases, and some 10,000 are looked at


class Shuffle(NamedTuple):
    """A deck that is shuffled in every game, and what came to each of its places: a row for each."""

    deck: list[int]
    dealt: npt.NDArray[np.int64]


@pytest.mark.slow
@pytest.mark.parametrize("players", GAME.player_counts)
def test_deals_and_stacks_are_fair(players: int) -> None:
    """Any two places of a deck in one round, and the same place of two decks or in both rounds."""
    rounds: dict[int, list[State]] = {1: [], 2: []}
    for state in states(players):
        for number, begun in rounds.items():
            begun.append(state[begins(state, number)])
    shuffles = []
    for begun in rounds.values():
        state = np.concatenate(begun)
        assert len(state) == GAMES
        shuffles += shuffles_of(state[state["seed"].argsort()], players)
    for deck, dealt in shuffles:
        ways = Counter(permutations(deck, 2))
        for one, other in combinations(dealt, 2):
            assert rarity(counted(one, other), ways) < TOO_FAR
    for first, second in combinations(shuffles, 2):
        ways = Counter(product(first.deck, second.deck))
        for one, other in zip(first.dealt, second.dealt, strict=False):
            assert rarity(counted(one, other), ways) < TOO_FAR


@pytest.mark.slow
@pytest.mark.parametrize("players", GAME.player_counts)
def test_action_2_draws_every_set_of_cards_alike(players: int) -> None:
    drawn: dict[int, Counter[tuple[int, ...]]] = {}
    for state in states(players):
        for game in state[(state["phase"] == GIVE) & (state["table"]["given_number"] == 0)]:
            taken = bits(game["taken"])
            hand = taken | bits(game["hands"][game["target"]])
            places = np.flatnonzero(taken[hand]).tolist()
            drawn.setdefault(int(hand.sum()), Counter())[tuple(places)] += 1
    for size, sets in drawn.items():
        ways = Counter(combinations(range(size), min(2, size)))
        assert sets.total() > 5 * len(ways)
        assert rarity(sets, ways) < TOO_FAR, size
    assert sorted(drawn) == list(range(1, HAND_SIZES[players - 3]))


def states(players: int) -> Iterator[State]:
    """Games of random players, after the deal and after every step, until all are in the last round."""
    games = Games(GAMES, players, seed=players, ruleset=Ruleset(sides=(1, 0)))
    begun = 0
    for step in range(300):
        yield games.state
        begun += int(begins(games.state, 2).sum())
        if begun == GAMES:
            return
        games.step(games.random_actions(step))
    raise AssertionError("a round takes fewer steps")


def begins(state: State, number: int) -> npt.NDArray[np.bool_]:
    """Where a round has just been set up."""
    return (state["phase"] == GIFT) & (state["table"]["round"] == number)


def shuffles_of(state: State, players: int) -> list[Shuffle]:
    """In whose hand each card is, or in the box; and the treasures of each stack, the open one last."""
    where = np.concatenate([bits(state["hands"][:, :players]), bits(state["box"])[:, None]], 1)
    assert (where.sum(1) == 1).all()
    shuffles = [Shuffle(sorted(where[0].argmax(0).tolist()), where.argmax(1).T)]
    for number, stack in enumerate(Ruleset().stacks(players)):
        below = state["stacks"][:, number, : len(stack) - 1]
        dealt = np.concatenate([below, state["open"][:, number, None]], 1).T
        shuffles.append(Shuffle([code_of(*treasure) for treasure in stack], dealt.astype(np.int64)))
    return shuffles


def bits(cards: npt.NDArray[np.uint64]) -> npt.NDArray[np.bool_]:
    return (cards[..., None] >> np.arange(48, dtype=np.uint64) & np.uint64(1)).astype(np.bool_)


def counted(one: npt.NDArray[np.int64], other: npt.NDArray[np.int64]) -> dict[tuple[int, int], int]:
    codes, counts = np.unique(256 * one + other, return_counts=True)
    return {divmod(code, 256): count for code, count in zip(codes.tolist(), counts.tolist(), strict=True)}
