"""The arena: the same deals in all seats, and results that depend on nothing but the seed."""

import csv
import json
import multiprocessing
import os
import pickle
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict
from itertools import pairwise, permutations
from pathlib import Path
from typing import Any

import arena_agents
import numpy as np
import pytest
import torch
from arena_agents import SLOW, Plain, Vandal, VandalSearcher
from drawn import share_of
from learning import AnotherRandom, Cheat, Favourite
from matplotlib.figure import Figure
from toy_game import STONES, TAKE_ALL, stones_of

from strand_env import agents, strand_unter_v1
from strand_env.agents import PolicyAgent, ask, parcels
from strand_env.agents.encoding import encodings_of
from strand_env.agents.parcels import pack, unpack
from strand_env.arena import Results, pieces, run_arena, versus
from strand_env.arena.folder import as_json, describe
from strand_env.arena.lineups import seat_agents, tables_against_copies, tables_of_field
from strand_env.arena.parts import as_bytes, read_part
from strand_env.arena.picture import draw_wins
from strand_env.arena.pieces import Pieces
from strand_env.arena.plan import Plan
from strand_env.arena.play import Played
from strand_env.arena.ratings import rate
from strand_env.arena.report import as_data
from strand_env.arena.statistics import estimate_means, sums_by_pair
from strand_env.arena.workers import WorkerFailed
from strand_env.engine.randomness import Streams
from strand_env.pictures.plots import SEA
from strand_env.registry import game_of
from strand_env.replays.replay import Replay
from strand_env.strand_unter import GAME as STRAND_UNTER
from strand_env.strand_unter import Games

ROOT = Path(__file__).parents[1]
OWN = ROOT / "tests" / "arena_agents.py"
IDLE = 56  # the action of Strand Unter that does nothing


def played(*agents: Any, deals: int = 12, players: int = 4, **arguments: Any) -> Played:
    plan = Plan(STRAND_UNTER, agents, players, deals, **arguments)
    return plan.play(plan.make_agents(), 0, deals)[0]


def same(one: Played, other: Played) -> bool:
    alike = [np.array_equal(one.outcomes[name], other.outcomes[name], equal_nan=True) for name in one.outcomes]
    return all(alike) and one.forfeits == other.forfeits and one.first == other.first


def report(results: Results) -> bytes:
    return as_json(as_data(results))


def files(folder: Path) -> dict[str, bytes]:
    """All that a run leaves behind, but for the pieces, which may be cut anywhere."""
    found = {str(path.relative_to(folder)): path for path in folder.rglob("*") if path.is_file()}
    return {name: path.read_bytes() for name, path in found.items() if not name.startswith("parts/")}


# Who sits where


def test_all_choices_of_agents_meet() -> None:
    assert tables_of_field(4, 2) == [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    assert tables_of_field(3, 3) == [(0, 1, 2)]
    assert tables_of_field(2, 4) == [(0, 0, 0, 1), (0, 0, 1, 1), (0, 1, 1, 1)]
    assert tables_against_copies(3, 4) == [(0, 2, 2, 2), (1, 2, 2, 2)]


@pytest.mark.parametrize("tables", [tables_of_field(5, 4), tables_of_field(3, 4), tables_of_field(2, 2)])
def test_every_agent_has_every_seat_equally_often_in_each_deal(tables: list[tuple[int, ...]]) -> None:
    for deal in seat_agents(tables, np.arange(7)):
        assert Counter(tuple(sorted(lineup)) for lineup in deal.tolist()) == dict.fromkeys(tables, len(tables[0]))
        counts = [Counter(column) for column in deal.T.tolist()]
        assert all(count == counts[0] and len(set(count.values())) == 1 for count in counts)


def test_everybody_sits_next_to_everybody() -> None:
    seating = seat_agents([(0, 1, 2, 3)], np.arange(6))
    assert {tuple(lineup) for lineup in seating.reshape(-1, 4).tolist()} == set(permutations(range(4)))


def test_heroes_sit_everywhere_among_copies() -> None:
    assert seat_agents([(0, 1, 1)], np.arange(1)).tolist() == [[[0, 1, 1], [1, 0, 1], [1, 1, 0]]]


def test_a_deal_is_the_same_for_all_lineups() -> None:
    plan = Plan(STRAND_UNTER, ("random", Favourite(IDLE), Favourite(0)), 3, deals=2, seed=9, record=6)
    replays = plan.play(plan.make_agents(), 0, 2)[1]
    assert [replay.seed for replay in replays[:3]] == [replays[0].seed] * 3
    assert [replay.seed for replay in replays[3:]] == [replays[3].seed] * 3
    assert replays[0].seed != replays[3].seed
    other = Plan(STRAND_UNTER, ("random", "random"), 3, deals=1, seed=9, record=1)  # whoever plays
    assert other.play(other.make_agents(), 0, 1)[1][0].seed == replays[0].seed


def test_agents_play_the_seats_that_they_have() -> None:
    favourites = (0, 1, 2, 4)  # taken unless one's card says as many
    plan = Plan(STONES, tuple(map(Favourite, favourites)), 4, deals=6, record=24)
    replays = plan.play(plan.make_agents(), 0, 6)[1]
    seen = set()
    for replay, lineup in zip(replays, plan.seating(0, 6).reshape(-1, 4), strict=True):
        for before, after in pairwise(list(replay.positions())[:9]):  # there are stones for more than eight steps
            (seat,) = before.snapshot["to_act"]
            favourite = favourites[lineup[seat]]
            if before.snapshot["cards"][seat] != stones_of(favourite):
                assert after.actions is not None
                assert after.actions[seat] == favourite
                seen.add((seat, favourite))
    assert len(seen) == 16


def test_labels_are_short_but_different() -> None:
    def labels(*agents: str) -> tuple[str, ...]:
        return Plan(STRAND_UNTER, agents, 4, 1).labels

    assert labels("random", "mc:256", "folder/file.py:Own", "a.b:Other") == ("random", "mc:256", "Own", "Other")
    assert labels("one.py:Own", "two.py:Own") == ("one.py:Own", "two.py:Own")
    assert labels("random", "random") == ("random", "random (2)")
    assert labels("random", "models/of/a/long/name") == ("random", "…dels/of/a/long/name")


# What the games come to


def test_the_win_is_split() -> None:
    part = played("random", Favourite(0))
    assert part.outcomes["win"].sum(2) == pytest.approx(1)
    assert {0.0, 0.5, 1.0} <= set(np.unique(part.outcomes["win"]))
    assert (part.outcomes["rank"][part.outcomes["win"] > 0] == 1).all()
    assert not part.forfeits


def test_equal_agents_share_alike() -> None:
    standing = versus("random", "random", 20)
    assert standing.win == (0.25, 0.25, 0.25)
    assert standing.seats == 80


def test_a_worse_agent_is_seen_to_be_worse() -> None:
    idle = versus(Favourite(IDLE), "random", 200)
    assert idle.win.low < idle.win.mean < idle.win.high < 0.1
    assert idle.score.high < versus("random", "random", 200).score.low
    assert idle.ranks[3].low > 0.3
    assert sum(rank.mean for rank in idle.ranks) == pytest.approx(1)
    assert idle.statistics["castles built"] == (0, 0, 0)
    assert 9 < idle.statistics["rounds"].mean <= 15


def test_games_count_their_castles() -> None:
    games = Games(30, 3, seed=2)
    while not games.over.all():
        games.step(games.random_actions(1))
    numbers, seats = (index.reshape(-1) for index in np.indices((30, 3)))
    counted = games.statistics(numbers, seats)
    assert set(counted["castles built"]) > {1, 2, 3}
    for row, (game, seat) in enumerate(zip(numbers, seats, strict=True)):
        snapshot = games.snapshot(int(game))
        castles = snapshot["castles"][seat]
        flooded = castles.count("flooded")
        assert counted["flooded"][row] == flooded
        assert counted["castles built"][row] == flooded + sum(isinstance(place, int) for place in castles)
        assert counted["rounds"][row] == snapshot["round"]


class Most(Plain):
    """Does the last thing that is legal: takes as many stones as it may."""

    def act(self, observation: Any, mask: Any, rng: Any) -> Any:
        return mask.shape[1] - 1 - mask[:, ::-1].argmax(1)


@pytest.mark.slow
@pytest.mark.parametrize("players", [2, 5])
def test_another_game_is_played_as_well(players: int, tmp_path: Path) -> None:
    greedy = versus(Most(), AnotherRandom(), 20, players, game=STONES)
    assert greedy.win.low > 1 / players
    assert 1 <= greedy.statistics["last card"].mean <= STONES.ruleset.default().highest_card
    agents = [Favourite(TAKE_ALL), Favourite(0), Plain()]
    results = run_arena(agents, 3, players, game=STONES, out=tmp_path, record=2)
    assert {standing.agent for standing in results.standings} == {"Favourite", "Favourite (2)", "Plain"}
    assert json.loads((tmp_path / "results.json").read_bytes())["run"]["game"] == "stones_v0"


def test_agents_hear_once_that_a_run_begins() -> None:
    hero = Favourite(0)
    versus(hero, "random", 3)
    assert hero.resets == 1


def test_an_agent_is_asked_once_in_a_step_for_all_its_seats() -> None:
    hero = Favourite(0)
    versus("random", hero, 50)
    assert hero.asked[0] == 50 * 4 * 3
    assert len(hero.asked) < 200


# Intervals


@pytest.mark.slow
def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    rng = np.random.default_rng(1)
    luck = rng.normal(0.5, 0.3, (80, 3000))  # of each deal in each of 3,000 runs
    sums = luck * 4 + rng.normal(0, 0.1, (80, 3000))  # its four games go nearly the same way
    found = estimate_means(sums, np.full(sums.shape, 4.0), seed=3)
    covered = np.mean([low <= 0.5 <= high for _, low, high in found])
    assert 0.92 < covered < 0.965
    width = np.mean([high - low for _, low, high in found])
    assert width == pytest.approx(2 * 1.96 * 0.3 / 80**0.5, rel=0.05)  # and not that of 320 independent games


def test_means_are_paired_by_deal() -> None:
    rng = np.random.default_rng(1)
    one = rng.random((50, 1))
    found = estimate_means(np.hstack([one, 1 - one]), np.ones((50, 2)), seed=0)
    assert found[0].low == pytest.approx(1 - found[1].high)
    assert found[0].mean == pytest.approx(one.mean())
    assert estimate_means(one, np.ones((50, 1)), seed=1)[0] != found[0]  # another seed, other draws
    assert estimate_means(one, np.ones((50, 1)), seed=0)[0] == pytest.approx(found[0])


def test_what_cannot_be_told_is_not_a_number() -> None:
    (one,) = estimate_means(np.array([[0.5]]), np.array([[1.0]]), seed=0)
    assert one.mean == 0.5
    assert np.isnan([one.low, one.high]).all()
    (never,) = estimate_means(np.zeros((9, 1)), np.zeros((9, 1)), seed=0)
    assert np.isnan(never).all()


def test_pairs_by_hand() -> None:
    seating = seat_agents(tables_of_field(3, 4), np.arange(4))
    values = np.random.default_rng(0).random((*seating.shape, 4))
    expected: Counter[tuple[int, int, int]] = Counter()
    times: Counter[tuple[int, int, int]] = Counter()
    for deal, lineup in np.ndindex(seating.shape[:2]):
        for one, other in permutations(range(4), 2):
            key = deal, int(seating[deal, lineup, one]), int(seating[deal, lineup, other])
            expected[key] += values[deal, lineup, one, other]
            times[key] += 1
    sums, counts = sums_by_pair(values, seating, 3)
    for index in np.ndindex(sums.shape):
        assert sums[index] == pytest.approx(expected[index])
        assert counts[index] == times[index]


def test_two_players_share_the_win_between_them() -> None:
    results = run_arena(["random", AnotherRandom(), Favourite(0)], 30, 2)
    for one, other in permutations(range(3), 2):
        share = results.crossplay[one][other].mean
        assert share == pytest.approx(1 - results.crossplay[other][one].mean)
        assert share == pytest.approx(results.ahead[one][other].mean)
    assert results.crossplay[0][1] == (0.5, 0.5, 0.5) != results.crossplay[0][2]
    assert np.isnan(results.crossplay[0][0].mean)


def test_who_comes_before_whom() -> None:
    results = run_arena(["random", Plain(), Favourite(0)], 30, 3)
    for one, other in permutations(range(3), 2):
        assert results.crossplay[one][other] == results.standings[one].win  # as everybody is in every game
        assert results.ahead[one][other].mean == pytest.approx(1 - results.ahead[other][one].mean)
    assert results.ahead[0][1].low < 0.5 < results.ahead[0][1].high
    assert results.ahead[0][2].low > 0.5
    copies = run_arena(["random", Plain()], 10, 3)
    assert copies.ahead[0][0].mean == 0.5


# Ratings


def test_who_wins_more_is_rated_higher() -> None:
    rng = np.random.default_rng(5)
    strength = np.array([0.0, 1.0, 2.0, 2.0])
    seating = np.array([rng.permutation(4) for _ in range(3000)])
    scores = strength[seating] + rng.normal(0, 2, seating.shape)
    ranks = 1.0 + (scores[:, :, None] < scores[:, None, :]).sum(2)
    ratings = rate(seating, ranks, 4)
    assert ratings[0].mu + 2 < ratings[1].mu < ratings[2].mu - 2
    assert ratings[2].mu == pytest.approx(ratings[3].mu, abs=3 * ratings[2].sigma)


def test_shared_places_and_copies_change_no_rating() -> None:
    everywhere = seat_agents([(0, 1)], np.zeros(50, np.int64)).reshape(-1, 2)
    one, other = rate(everywhere, np.ones(everywhere.shape), 2)
    assert one.mu == pytest.approx(other.mu)
    alone = np.zeros((50, 4), np.int64)
    ranks = np.tile([1.0, 2.0, 3.0, 4.0], (50, 1))
    assert rate(alone, ranks, 1)[0].mu == pytest.approx(25)


# Agents that fail


FAILURES = {
    "Failing": ("RuntimeError", "thought too hard"),
    "Garbled": ("RuntimeError", "file udc80 missing"),
    "Leaving": ("SystemExit", "had enough"),
    "Illegal": ("IllegalAction", "which is not legal"),
    "Forger": ("IllegalAction", "which is not legal"),
    "Nonsense": ("ValueError", "expected 1 actions from it, got float64"),
    "TooMany": ("ValueError", r"expected 1 actions from it, got int64 \(2,\)"),
    "Silent": ("ValueError", "expected 1 actions from it, got object"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", FAILURES)
def test_who_fails_forfeits_those_games_and_no_others(name: str) -> None:
    sound = played("random", Favourite(0), Plain())
    broken = played("random", Favourite(0), getattr(arena_agents, name)())
    seating = Plan(STRAND_UNTER, ("random",) * 3, 4, 12).seating(0, 12)
    forfeited = {(forfeit.deal, forfeit.lineup) for forfeit in broken.forfeits}
    games = sound.outcomes["win"].shape[:2]
    assert 0 < len(forfeited) < games[0] * games[1] / 2
    error, message = FAILURES[name]
    for forfeit in broken.forfeits:
        assert forfeit.error == error
        assert message.replace("\\", "") in forfeit.message.replace("\\", "")
        forfeit.message.encode()  # as files need it
        assert forfeit.agent == 2 == seating[forfeit.deal, forfeit.lineup, forfeit.seat]
    for game in np.ndindex(games):
        offenders = {forfeit.seat for forfeit in broken.forfeits if (forfeit.deal, forfeit.lineup) == game}
        for outcome, values in broken.outcomes.items():
            if not offenders:
                assert (values[game] == sound.outcomes[outcome][game]).all()
            elif outcome not in ("win", "rank"):
                assert np.isnan(values[game]).all()
        if offenders:
            share = 1 / (4 - len(offenders))
            assert broken.outcomes["win"][game].tolist() == [0 if seat in offenders else share for seat in range(4)]
            assert broken.outcomes["rank"][game].tolist() == [4 if seat in offenders else 1 for seat in range(4)]


def test_nobody_wins_if_everybody_fails() -> None:
    both = played(Cheat(), Cheat(), players=2, deals=3)
    assert len(both.forfeits) == 2 * both.outcomes["win"][:, :, 0].size  # both set their dials at once
    assert not both.outcomes["win"].any()
    assert (both.outcomes["rank"] == 2).all()


@pytest.mark.parametrize("vandal", [Vandal(), VandalSearcher()])
def test_who_spoils_what_it_is_given_spoils_nothing(vandal: Any) -> None:
    assert same(played("random", vandal, Favourite(0)), played("random", Plain(), Favourite(0)))


def test_forfeits_are_told() -> None:
    results = run_arena(["random", arena_agents.Failing(), Cheat()], 10, 2)
    assert [standing.forfeits > 0 for standing in results.standings] == [False, True, True]
    assert results.standings[2].forfeits == results.standings[2].seats == 40
    assert results.standings[2].win == (0, 0, 0)
    assert np.isnan(results.standings[2].score.mean)
    told = json.loads(report(results))["forfeits"]
    assert told[0]["agent"] == "Cheat"
    assert told[0]["games"] > told[1]["games"] > 0


def test_in_training_a_failure_is_an_error() -> None:
    with pytest.raises(RuntimeError, match="Cheat failed: IllegalAction: Cheat: chose action 56"):
        versus("random", Cheat(), 2)


# Functions as agents


def first_legal(observations: Any, masks: Any) -> Any:
    assert observations.dtype == np.float32
    assert masks.dtype == np.int8
    assert observations.ndim == masks.ndim
    return masks.argmax(-1)


@pytest.mark.parametrize("game", ["strand_unter", "maui"])
def test_a_function_plays_like_an_agent(game: str) -> None:
    class FirstLegal:
        def reset(self) -> None: ...

        def act(self, observation: Any, mask: Any, rng: Any) -> Any:
            return mask.argmax(1)

    expected = versus(FirstLegal(), "random", 20, 3, game=game)
    for policy, batched in (
        (first_legal, True),
        (first_legal, False),
        (lambda seen, masks: masks.argmax(1).tolist(), True),
        (lambda seen, masks: torch.as_tensor(masks).argmax(1), True),
        (lambda seen, mask: int(mask.argmax()), False),
        (lambda seen, mask: torch.as_tensor(mask).argmax(), False),
    ):
        standing = versus(policy, "random", 20, 3, game=game, batched=batched)
        assert (standing.win, standing.score) == (expected.win, expected.score)
        assert standing.agent == policy.__name__
    as_opponent = versus("random", first_legal, 20, 3, game=game)
    assert as_opponent.win == versus("random", FirstLegal(), 20, 3, game=game).win


def test_a_function_sees_what_the_environments_show() -> None:
    env = strand_unter_v1.learner_vector_env(num_envs=8, seat="random", opponents="tide")
    shown = {row.tobytes() for row in env.reset(seed=1)[0]}
    seen = set()
    agent = PolicyAgent(lambda rows, masks: seen.update(row.tobytes() for row in rows) or masks.argmax(1))
    ask(agent, env.match.batch, np.arange(8), env.match.seats, Streams(np.zeros(8, np.uint64)))
    assert seen == shown


def test_an_encoding_is_chosen_for_a_function() -> None:
    sizes = set()
    for encoding in encodings_of(game_of(), 4):
        versus(lambda rows, masks: sizes.add(rows.shape[1]) or masks.argmax(1), "random", 1, encoding=encoding)
    assert sizes == {encoding.size for encoding in encodings_of(game_of(), 4).values()}


@pytest.mark.parametrize(
    ("policy", "batched", "message"),
    [
        (lambda seen, masks: (masks.argmax(1), None), True, "got a tuple of 2; where a library's predict returns a st"),
        (lambda seen, masks: masks * 1.0, True, r"got float64 \(1, 57\); if these are logits or values, take the best"),
        (lambda seen, masks: masks.argmax(1) * 1.0, True, r"got float64 \(1,\)"),
        (lambda seen, masks: masks.argmax(), True, "got a single number; .* row by row: batched=False"),
        (lambda seen, masks: [0, 0], True, r"got int64 \(2,\)"),
        (lambda seen, mask: mask, False, "expected one action, a whole number; got array.* batched=True"),
        (lambda seen, mask: 0.0, False, "expected one action, a whole number; got 0.0"),
        (lambda seen, mask: True, False, "expected one action, a whole number; got True"),
        (lambda seen, masks: masks.argmin(1), True, "IllegalAction: <lambda>: chose action 10, which is not legal"),
        (lambda seen, masks: 1 / 0, True, "ZeroDivisionError"),
    ],
)
def test_what_is_wrong_with_a_functions_answer_is_named(policy: Any, batched: bool, message: str) -> None:
    with pytest.raises(RuntimeError, match=rf"<lambda> failed: .*{message}"):
        versus(policy, "random", 2, batched=batched)


def test_what_cannot_be_a_policy_is_refused() -> None:
    for hero, message in (
        (lambda seen: 0, "expected an agent .* got .*; a function has to take an observation and a mask"),
        (first_legal.__class__, "expected an agent"),
        (3, "expected an agent"),
    ):
        with pytest.raises(ValueError, match=message):
            versus(hero, "random", 1)
    with pytest.raises(ValueError, match=r"a function plays as PolicyAgent\(function\)"):
        run_arena([first_legal, "random"], 1)  # type: ignore[list-item]
    with pytest.raises(ValueError, match="policy: expected a function of observation and mask, got 3"):
        PolicyAgent(3)  # type: ignore[arg-type]
    for arguments, message in (
        ({"batched": 1}, "batched: expected True or False, got 1"),
        ({"encoding": "best"}, "encoding: expected one of .*; got 'best'"),
        ({"players": 9}, "players: expected a whole number from 2 to 4, got 9"),
    ):
        with pytest.raises(ValueError, match=message):
            versus(first_legal, "random", 1, **arguments)


# Nothing but the seed decides


FIELD = ["random", f"{OWN}:Slow", f"{OWN}:Failing"]


def arena_of_field(**arguments: Any) -> Results:
    return run_arena(FIELD, 40, 3, seed=7, **arguments)


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that nothing has interrupted."""
    folder = tmp_path_factory.mktemp("finished")
    arena_of_field(out=folder, record=5)
    return folder


def test_a_game_does_not_depend_on_its_batch() -> None:
    plan = Plan(STRAND_UNTER, ("random", arena_agents.Failing(), Favourite(0)), 4, 9, seed=3)
    agents = plan.make_agents()
    together = plan.play(agents, 0, 9)[0]
    for deal in range(9):
        alone = plan.play(agents, deal, 1)[0]
        cut = {name: values[deal : deal + 1] for name, values in together.outcomes.items()}
        assert same(alone, Played(deal, cut, [each for each in together.forfeits if each.deal == deal]))


def test_pieces_and_seeds(finished: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def reported(**arguments: Any) -> dict[str, Any]:
        data: dict[str, Any] = json.loads(report(run_arena(FIELD, 40, 3, **arguments)))
        return {name: data[name] for name in ("standings", "crossplay", "forfeits")}

    expected = json.loads((finished / "results.json").read_bytes())
    monkeypatch.setattr(pieces, "MOST_GAMES", 30)
    again = reported(seed=7, watch=lambda done: None)
    assert again == {name: expected[name] for name in again}
    assert reported(seed=8) != again


@pytest.mark.slow
def test_processes_change_nothing(finished: Path, tmp_path: Path) -> None:
    arena_of_field(out=tmp_path, record=5, processes=2)
    assert files(tmp_path) == files(finished)


def test_parts_survive_files(tmp_path: Path) -> None:
    plan = Plan(STRAND_UNTER, ("random", arena_agents.Failing()), 4, 2)
    part = plan.play(plan.make_agents(), 0, 2)[0]
    assert part.forfeits
    (tmp_path / "part.npz").write_bytes(as_bytes(part))
    assert same(read_part(tmp_path / "part.npz", plan), part)
    # Earlier versions wrote forfeits as text.
    told = json.dumps([asdict(forfeit) for forfeit in part.forfeits])
    np.savez_compressed(tmp_path / "part.npz", first=0, forfeits=told, **part.outcomes)
    assert same(read_part(tmp_path / "part.npz", plan), part)


def test_files_tell_what_the_results_do(finished: Path) -> None:
    results = arena_of_field(record=0)
    data = json.loads((finished / "results.json").read_bytes())
    assert [standing["win"]["mean"] for standing in data["standings"]] == [
        round(standing.win.mean, 6) for standing in results.standings
    ]
    with (finished / "standings.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [row["agent"] for row in rows] == FIELD
    assert [float(row["score high"]) for row in rows] == [round(each.score.high, 6) for each in results.standings]
    with (finished / "crossplay.csv").open() as file:
        pairs = {(row["agent"], row["with"]): row for row in csv.DictReader(file)}
    assert float(pairs[FIELD[1], FIELD[2]]["win low"]) == round(results.crossplay[1][2].low, 6)
    with (finished / "forfeits.csv").open() as file:
        assert len(list(csv.DictReader(file))) == len(results.forfeits) > 0
    assert share_of(SEA, finished / "arena.png") > 0.01, "there are bars"


def test_replays_are_kept_with_their_players(finished: Path) -> None:
    kept = json.loads((finished / "results.json").read_bytes())["replays"]
    assert len(kept) == 5
    assert kept[0]["seats"] == FIELD
    for each in kept:
        replay = Replay.load(finished / each["file"])
        replay.check()
        assert replay.players == len(each["seats"]) == 3


# Other machines


def test_agents_take_their_files_along(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Trained ones, files with their neighbours, modules of the current folder, and those of searches."""
    monkeypatch.chdir(tmp_path)
    for folder in ("one", "two", "package"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "data.txt").write_text(folder)
    beside = "from pathlib import Path\nDATA = Path(__file__).with_name('data.txt').read_text()\n"
    own = (
        "import {beside}\nfrom strand_env.agents import RandomAgent\n"
        "class Own(RandomAgent):\n    data, place = {beside}.DATA, __file__\n"
    )
    for folder in ("one", "two"):
        (tmp_path / folder / f"beside_{folder}.py").write_text(beside)
        (tmp_path / folder / "own.py").write_text(own.format(beside=f"beside_{folder}"))
    (tmp_path / "package" / "__init__.py").write_text("")
    (tmp_path / "package" / "parcel_module.py").write_text(own.format(beside="package.parcel_beside"))
    (tmp_path / "package" / "parcel_beside.py").write_text(beside)
    shutil.copytree(STRAND_UNTER.agents.trained["learned"], tmp_path / "model")
    names = ("tide", "learned", "model", "mc:2@model", "one/own.py:Own", "two/own.py:Own", "mc:3/1@one/own.py:Own")
    agents.agent_of("package.parcel_module:Own")  # as it is before anything is played
    parcel = pickle.loads(pickle.dumps(pack((*names, "package.parcel_module:Own"), STRAND_UNTER)))
    assert parcel.files["modules/package/data.txt"] == b"package"
    assert "modules/package/parcel_module.py" in parcel.files
    shutil.rmtree(tmp_path / "one")
    shutil.rmtree(tmp_path / "two")
    shutil.rmtree(tmp_path / "model")
    there = unpack(parcel)
    made: list[Any] = [agents.agent_of(name) for name in there]
    assert there[:2] == names[:2]
    assert [made[place].data for place in (4, 5)] == ["one", "two"]
    assert str(tmp_path) not in made[4].place
    assert made[6].rollouts == 3
    assert unpack(pack(names[:2], STRAND_UNTER)) == names[:2]
    assert not pack(("tide", "mc:3@learned"), STRAND_UNTER).files


def test_a_folder_that_is_too_large_to_send_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own.py").write_text("from strand_env.agents import RandomAgent\nclass Own(RandomAgent): pass\n")
    names = "tide", f"{tmp_path}/own.py:Own"
    assert set(pack(names, STRAND_UNTER).files) == {"0/own.py"}
    monkeypatch.setattr(parcels, "MOST_BYTES", 60)
    with pytest.raises(ValueError, match=r"everything in an agent's folder is sent .* move the agent to a folder of"):
        pack(names, STRAND_UNTER)


def test_folders_of_processes_that_were_killed_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parcels, "gettempdir", lambda: str(tmp_path))
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    names = (f"strand_env-{dead.pid}-a", f"strand_env-{os.getpid()}-b", "strand_env-notes-c", f"strand_env-{10**30}-d")
    for name in names:
        (tmp_path / name).mkdir()
    parcels._sweep()
    assert [(tmp_path / name).exists() for name in names] == [False, True, True, True]


# Interruptions


def wait_for(condition: Callable[[], bool], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def children_of(process: int) -> list[Path]:
    """Where the system shows the processes that another has started; none if it does not tell."""
    listed = Path(f"/proc/{process}/task/{process}/children")
    return [Path(f"/proc/{child}/exe") for child in listed.read_text().split()] if listed.exists() else []


@pytest.mark.slow
def test_a_run_that_was_killed_goes_on(finished: Path, tmp_path: Path) -> None:
    arguments = f"{FIELD}, 40, 3, seed=7, record=5, out={str(tmp_path)!r}, processes=2"
    program = f"from strand_env.arena import run_arena; run_arena({arguments})"
    run = subprocess.Popen([sys.executable, "-c", program], cwd=ROOT, env={**os.environ, SLOW: "0.01"})
    wait_for(lambda: len(list(tmp_path.glob("parts/*.npz"))) >= 3)
    children = children_of(run.pid)
    assert all(child.exists() for child in children)
    run.kill()
    run.wait()
    wait_for(lambda: not any(child.exists() for child in children))  # they end with the one that started them
    assert not (tmp_path / "results.json").exists()
    kept = {path: path.stat().st_mtime_ns for path in tmp_path.glob("parts/*.npz")}
    told: list[int] = []
    arena_of_field(out=tmp_path, record=5, resume=True, watch=told.append)
    assert 3 <= told[0] < told[-1] == 40
    assert all(path.stat().st_mtime_ns == written for path, written in kept.items())
    assert files(tmp_path) == files(finished)


def test_a_run_that_is_finished_stays_as_it_is(finished: Path) -> None:
    before = files(finished)
    told: list[int] = []
    arena_of_field(out=finished, record=5, resume=True, watch=told.append)
    assert told == [40]
    assert files(finished) == before


def test_another_run_is_not_mixed_in(finished: Path) -> None:
    with pytest.raises(ValueError, match="there is a run already; continue it by --resume"):
        arena_of_field(out=finished, record=5)
    with pytest.raises(ValueError, match=r"which this one cannot resume: deals: 40 there, 41 here; seed: 7 there, 0"):
        run_arena(FIELD, 41, 3, record=5, out=finished, resume=True)
    with pytest.raises(ValueError, match=r"agents: .* there, .* here; versus: None there, 'random' here"):
        run_arena(FIELD[1:], 40, 3, 7, versus="random", record=5, out=finished, resume=True)


def test_an_agent_that_was_changed_is_another_one(tmp_path: Path) -> None:
    code = tmp_path / "own.py"
    code.write_text("from strand_env.agents import RandomAgent\n\n\nclass Own(RandomAgent):\n    pass\n")
    out = tmp_path / "out"
    run_arena(["random", f"{code}:Own"], 2, out=out)
    code.write_text(code.read_text() + "\n")
    with pytest.raises(ValueError, match="files: "):
        run_arena(["random", f"{code}:Own"], 2, out=out, resume=True)


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


def test_first_agents_of_two_runs_are_compared_deal_by_deal() -> None:
    tide, greedy = (run_arena([name], 60, 3, seed=2, versus="random") for name in ("tide", "greedy"))
    assert tide.first_agent("win") == pytest.approx(tide.standings[0].win)
    assert tide.first_agent("score") == pytest.approx(tide.standings[0].score)
    ahead = tide.first_agent("margin")
    assert ahead.mean == pytest.approx(tide.standings[0].score.mean - tide.standings[1].score.mean)
    assert ahead.low < ahead.mean < ahead.high
    more = tide.first_agent("score", than=greedy)
    assert more.mean == pytest.approx(tide.standings[0].score.mean - greedy.standings[0].score.mean)
    assert tuple(tide.first_agent("score", than=tide)) == (0, 0, 0), "paired, nothing is left to chance"
    with pytest.raises(ValueError, match=r"kind: expected one of 'win', .*'margin'; got 'wins'"):
        tide.first_agent("wins")
    with pytest.raises(ValueError, match=r"than: expected a run with deals, seed, players \(60, 2, 3\) as in this one"):
        tide.first_agent("win", than=run_arena(["tide"], 60, 3, seed=1, versus="random"))


def test_shares_of_the_win_are_drawn_between_0_and_100_percent() -> None:
    panel = Figure().subplots()
    draw_wins(panel, run_arena(["tide", "random"], 20, 2))
    left, right = panel.get_xlim()
    assert left == 0
    assert right == 100
    panel = Figure().subplots()
    draw_wins(panel, results := run_arena(["greedy", "sprinter"], 20, 2))
    left, right = panel.get_xlim()
    ends = [100 * end for standing in results.standings for end in standing.win]
    assert 0 < left < min(ends) < max(ends) < right < 100


def test_folders_that_are_called_like_agents_do_not_matter(elsewhere: Path) -> None:
    folder = elsewhere / "random"
    folder.mkdir()
    (folder / "agent.json").write_text("{}")
    plan = Plan(STRAND_UNTER, ("random", "mc:2"), 2, 1)
    described = describe(plan)
    assert described["files"] == {}
    (folder / "agent.json").write_text("{ }")
    assert describe(plan) == described


def test_all_that_agents_come_from_is_described(elsewhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = elsewhere / "strand_own_module.py"
    code.write_text("from strand_env.agents import RandomAgent as Own\n")
    shutil.copytree(Path(agents.__file__).parent, elsewhere / "agents")
    monkeypatch.setattr(agents, "__file__", str(elsewhere / "agents" / "__init__.py"))
    plan = Plan(STRAND_UNTER, ("strand_own_module:Own", "tide"), 2, 1)
    before = describe(plan)
    code.write_text(code.read_text() + "\n")
    assert describe(plan)["files"] != before["files"]
    (elsewhere / "agents" / "strand_unter" / "tide.json").write_text("{}")
    assert describe(plan)["strand_env.agents"] != before["strand_env.agents"]


def test_a_trained_agent_that_does_not_play_does_not_matter(elsewhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So that runs can go on after one more was put beside the others."""
    shutil.copytree(Path(agents.__file__).parent, elsewhere / "agents")
    monkeypatch.setattr(agents, "__file__", str(elsewhere / "agents" / "__init__.py"))
    folder = elsewhere / "agents" / "strand_unter" / "another"
    without, taking_part = (Plan(STRAND_UNTER, ("tide", name), 2, 1) for name in ("random", str(folder)))
    before = describe(without)
    folder.mkdir()
    for file in ("agent.json", "agent.safetensors"):
        (folder / file).write_text("{}")
    assert describe(without) == before
    described = describe(taking_part)
    (folder / "agent.safetensors").write_text("{ }")
    assert describe(taking_part)["files"] != described["files"]


def test_agents_are_described_by_the_names_that_they_were_given() -> None:
    results = run_arena(["random"], 1, versus="random")
    run = as_data(results)["run"]
    assert (run["agents"], run["versus"]) == (["random"], "random")
    assert [standing.agent for standing in results.standings] == ["random", "random (2)"]


def test_no_more_games_are_recorded_than_there_are(tmp_path: Path) -> None:
    run_arena(["random", "random"], 1, 2, out=tmp_path, record=10**14)
    assert len(json.loads((tmp_path / "results.json").read_bytes())["replays"]) == 2


def test_broken_files_are_named(tmp_path: Path) -> None:
    run_arena(["random", Plain()], 2, out=tmp_path)
    part = sorted(tmp_path.glob("parts/*.npz"))[0]
    part.write_bytes(part.read_bytes()[:50])
    with pytest.raises(ValueError, match=f"{part}: not an NPZ file: .*; delete this file to play its deals again"):
        run_arena(["random", Plain()], 2, out=tmp_path, resume=True)
    part.unlink()
    run_arena(["random", Plain()], 2, out=tmp_path, resume=True)
    (tmp_path / "run.json").write_text("[]")
    with pytest.raises(ValueError, match=r"run\.json: expected the description of a run"):
        run_arena(["random", Plain()], 2, out=tmp_path, resume=True)


@pytest.mark.slow
def test_a_process_that_dies_is_told() -> None:
    with pytest.raises(WorkerFailed, match=r"a process died while deals \d+ to \d+(, \d+ to \d+)? were played$"):
        run_arena(["random", f"{OWN}:Deadly"], 5, processes=2)


@pytest.mark.slow
def test_an_error_in_a_process_is_told_with_its_deals() -> None:
    with pytest.raises(WorkerFailed, match=r"(?s)^while deals \d+ to \d+ were played:.*OSError: too far from home"):
        run_arena(["random", f"{OWN}:Homebound"], 5, processes=2)


@pytest.mark.slow
def test_no_process_is_left_behind() -> None:
    before = multiprocessing.active_children()
    with pytest.raises(RuntimeError, match="seen enough"):
        run_arena(["random", "random"], 500, processes=2, watch=stop_after(5))
    assert multiprocessing.active_children() == before


def stop_after(deals: int) -> Callable[[int], None]:
    def watch(done: int) -> None:
        if done >= deals:
            raise RuntimeError("seen enough")

    return watch


@pytest.mark.parametrize("processes", [1, 3])
def test_pieces_are_all_deals_once(processes: int) -> None:
    to_play = Pieces(1000, [range(10, 20), range(300, 700), range(990, 1000)], 4, processes)
    spans = []
    while (span := to_play.take()) is not None:
        spans.append(span)
        to_play.learn(len(span), seconds=0.01 * len(span))
    assert sorted(deal for span in spans for deal in span) == [
        *range(10), *range(20, 300), *range(700, 990)
    ]  # fmt: skip
    assert len(spans[0]) == 1
    assert 30 < max(map(len, spans)) <= 300  # what is done in three seconds
    assert len(spans) < 40


def test_slow_agents_play_small_pieces() -> None:
    to_play = Pieces(1000, [], 4)
    for _ in range(5):
        span = to_play.take()
        assert span is not None
        assert len(span) == 1
        to_play.learn(1, seconds=60)


# What is refused


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"agents": ["random"]}, "agents: expected at least two, or one and --versus another; got 1"),
        ({"agents": [], "versus": "random"}, "agents: expected at least one, and one to play against"),
        ({"agents": ["random", "rnadom"]}, "no agent is called 'rnadom'.*did you mean 'random'"),
        ({"versus": "nobody"}, "no agent is called 'nobody'"),
        (
            {"agents": ["random", "tests.arena_agents:Stillborn"]},
            "Stillborn: cannot begin to play: OSError: the weights",
        ),
        ({"agents": ["random", "tests.arena_agents:Unwilling"]}, "Unwilling: cannot begin to play: SystemExit: $"),
        ({"agents": ["random", "tests.arena_agents:Picky"]}, "Picky: cannot begin to play: ValueError: bad weights"),
        ({"agents": "random"}, "agents: expected a list of agents, got 'random'"),
        ({"agents": 3}, "agents: expected a list of agents, got 3"),
        ({"players": 5}, "players: expected a whole number from 2 to 4, got 5"),
        ({"players": True}, "players: expected a whole number from 2 to 4, got True"),
        ({"deals": 0}, "deals: expected a whole number from 1 to 1000000, got 0"),
        ({"deals": 1.5}, "deals: expected a whole number"),
        ({"seed": -1}, "seed: expected a whole number"),
        ({"record": -1}, "record: expected a whole number from 0 to 1000000000000000000, got -1"),
        ({"record": 1}, "record: replays need a folder: out, or --out"),
        ({"resume": True}, "resume: expected the folder of the run: out, or --out"),
        ({"processes": 0}, "processes: expected a whole number of at least 1, got 0"),
        ({"processes": "2"}, "processes: expected a whole number of at least 1, got '2'"),
        ({"agents": ["random", Plain()], "processes": 2}, "given as objects play in one process"),
    ],
)
def test_wrong_arguments_are_named(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        run_arena(**{"agents": ["random", "random"], "deals": 1, **arguments})


def test_a_folder_that_cannot_be_is_told_before_anything_is_played(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="file"):
        run_arena(["random", "random"], 10**5, out=tmp_path / "file")


def test_a_folder_that_may_not_be_written_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # whoever runs the tests may write anywhere, perhaps
    with pytest.raises(PermissionError, match=f"Permission denied: '{tmp_path}'"):
        run_arena(["random", "random"], 10**5, out=tmp_path)
