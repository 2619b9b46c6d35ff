"""What holds in every game, looked for in random ones."""

import itertools
import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from playing import random_play, whole_games
from subjects.base import Policy
from subjects.strand_unter import POLICIES, hoarder, random_ruleset

from strand_env.strand_unter import Games, Ruleset

seeds = st.integers(0, 2**64 - 1)
player_counts = st.integers(2, 4)
many = settings(deadline=None, max_examples=60)


def policy_actions(games: Games, policies: list[Policy], rng: random.Random) -> np.ndarray:
    """Each seat by its own policy, in every game."""
    legal = games.legal
    chosen = [
        [policy(rng, np.flatnonzero(mask).tolist(), {}) for policy, mask in zip(policies, game, strict=True)]
        for game in legal
    ]
    return np.array(chosen)


@pytest.mark.slow
@many
@given(players=player_counts, seed=seeds, choices=st.randoms(use_true_random=False), other_rules=st.booleans())
def test_shells_and_castles_are_never_lost(players: int, seed: int, choices: random.Random, other_rules: bool) -> None:
    ruleset = random_ruleset(choices) if other_rules else Ruleset.default()
    games = Games(1, players, [seed], ruleset)
    policies = [choices.choice(POLICIES) for _ in range(players)]
    order = {"heap": 0, "ready": 1, "flooded": 3}  # a castle goes only forwards; 2 is to stand in a groove
    # Castles that are not in play count as flooded from the start.
    before = [[0 if value in ruleset.castles else 3 for value in range(4)]] * players
    while True:
        now = games.snapshot(0)
        places = [now["shells"], now["bag"], *now["covered"], *now["buckets"]]
        assert [sum(column) for column in zip(*places, strict=True)] == list(ruleset.shells)
        assert min(min(place) for place in places) >= 0
        stages = [[order.get(place, 2) for place in castles] for castles in now["castles"]]
        for castles, old, new in zip(now["castles"], before, stages, strict=True):
            assert all(later - earlier in (0, 1) for earlier, later in zip(old, new, strict=True))
            assert all(1 <= place <= min(8, now["sea"]) for place in castles if isinstance(place, int))
        before = stages
        if games.over[0]:
            break
        games.step(policy_actions(games, policies, choices))
    assert now["scores"] == [literal_score(now, player) for player in range(players)]
    assert now["winners"] == literal_winners(now)


def literal_score(snapshot: dict[str, Any], player: int) -> int:
    castles, cards = snapshot["castles"][player], snapshot["cards"][player]
    standing = sum(place + value for value, place in enumerate(castles) if isinstance(place, int))
    unbuilt = [card for place, card in zip(castles, cards, strict=True) if place in ("heap", "ready")]
    bucket = snapshot["buckets"][player]
    # The most shells that find a place: try each way to hand the wild spaces to colours.
    placed = max(
        sum(min(bucket[colour], sum(card[colour] for card in unbuilt) + wild.count(colour)) for colour in range(4))
        for wild in itertools.combinations_with_replacement(range(4), len(unbuilt))
    )
    return standing - (sum(bucket) - placed)


def literal_winners(snapshot: dict[str, Any]) -> list[bool]:
    tied = [player for player, score in enumerate(snapshot["scores"]) if score == max(snapshot["scores"])]
    for groove in range(11, 0, -1):
        points = {
            player: sum(groove + value for value, place in enumerate(snapshot["castles"][player]) if place == groove)
            for player in tied
        }
        tied = [player for player in tied if points[player] == max(points.values())]
    return [player in tied for player in range(snapshot["players"])]


@many
@given(players=player_counts, seed=seeds, steps=st.integers(0, 60), redeal=seeds, hide=st.booleans())
def test_redeal_changes_nothing_that_is_seen(players: int, seed: int, steps: int, redeal: int, hide: bool) -> None:
    games = random_play(Games(8, players, seed, hide_buckets=hide), steps)
    dealt = games.clone()
    dealt.redeal(redeal)
    for name in ("to_act", "legal", "over", "scores", "winners"):
        assert (getattr(dealt, name) == getattr(games, name)).all()
    assert (dealt.observe() == games.observe()).all()
    for _ in whole_games(dealt, seed=1):  # and what was dealt can be played
        pass


@pytest.mark.slow
@many
@given(players=player_counts, seed=seeds, data=st.data())
def test_seats_are_only_names(players: int, seed: int, data: st.DataObject) -> None:
    """Players who change seats, with all that is theirs, play the same game."""
    order = data.draw(st.permutations(range(players)))
    games = Games(1, players, [seed])
    moved = Games.from_snapshots([relabelled(games.snapshot(0), order)])
    number = 0
    while not games.over[0]:
        actions = games.random_actions(number)
        games.step(actions)
        moved.step(actions[:, order])
        number += 1
        assert moved.snapshot(0) == relabelled(games.snapshot(0), order)
        assert (moved.legal == games.legal[:, order]).all()
        for new, old in enumerate(order):
            assert sorted(moved.observe()[0, new].tolist()) == sorted(games.observe()[0, old].tolist())
            assert (moved.observe()[0, new, :96] == games.observe()[0, old, :96]).all()  # the table and the own seat


def relabelled(snapshot: dict[str, Any], order: list[int]) -> dict[str, Any]:
    moved = dict(snapshot)
    history = ("dials_set", "spell_dials_set", "last_dials", "last_spell_dials")
    for key in ("buckets", "cards", "castles", "dials", "spell_dials", "owed", *history, "scores", "winners"):
        moved[key] = snapshot[key] and [snapshot[key][player] for player in order]
    moved["to_act"] = [new for new, old in enumerate(order) if old in snapshot["to_act"]]
    return moved


def test_the_bag_runs_empty() -> None:
    """Four players who hoard leave too little for a groove; it is filled with what there is."""
    games = Games(60, 4, seed=1)
    rng = random.Random(1)
    short = 0
    while not games.over.all():
        high_tide = (games.state["phase"] == 0) & (games.state["round"] > 8)
        lying = games.state["shells"].sum(1)
        too_few = high_tide & (lying < 9)
        assert not games.state["bag"][too_few].any()
        short += too_few.sum()
        games.step(policy_actions(games, [hoarder] * 4, rng))
    assert short > 20


@many
@given(seed=seeds)
def test_the_game_flows_as_the_rules_say(seed: int) -> None:
    """Rounds and grooves follow each other, and a game ends early only with a fourth castle."""
    games = Games(4, 4, seed)
    last = [0] * 4
    for batch in whole_games(games, seed=seed % 1000):
        for index, round_ in enumerate(batch.state["round"].tolist()):
            assert round_ - last[index] in (0, 1)
            last[index] = round_
            assert batch.state["groove"][index] == (round_ if round_ <= 8 else 16 - round_)
    for index in range(4):
        built = [sum(place not in ("heap", "ready") for place in row) for row in games.snapshot(index)["castles"]]
        assert (last[index] == 15) or 4 in built
