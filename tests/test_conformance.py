"""What every game owes to those who use it. A game gets these tests by being listed."""

import copy
import json
import pickle
import re
import sys
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from gymnasium.utils.env_checker import check_env
from learning import SMALL, AnotherRandom, Cheat, choices
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, seed_test
from pettingzoo.test.state_test import state_test
from pettingzoo.utils.conversions import parallel_to_aec
from play_helpers import served, settled
from sb3_contrib import MaskablePPO
from stable_baselines3.common.env_checker import check_env as check_env_of_stable_baselines
from subjects import SUBJECTS
from toy_game import STONES

from strand_env import registry
from strand_env.adapters.environments import Environments
from strand_env.adapters.rllib import ForActionMasking
from strand_env.adapters.torchrl import ForTorchRL
from strand_env.agents import Memory, agent_names, agent_of, ask, joint_actions
from strand_env.agents.encoding import encodings_of
from strand_env.arena import run_arena
from strand_env.engine.game import Game
from strand_env.engine.protocol import EVERYTHING, REWARD_KINDS, Batch, IllegalAction
from strand_env.engine.randomness import Streams, spread_seeds
from strand_env.play import page
from strand_env.play.plain import play_views
from strand_env.play.session import Session
from strand_env.registry import game_ids, game_of
from strand_env.replays import Replay
from strand_env.train.config import Config
from strand_env.train.run import Run, begin

LISTED = [*map(game_of, game_ids()), STONES]
GAMES_AND_COUNTS = [
    pytest.param(game, players, id=f"{game.name}-{players}") for game in LISTED for players in game.player_counts
]

GAMES_AND_VARIANTS = [
    pytest.param(game, variant, id=f"{game.name}-{variant}") for game in LISTED for variant in game.variants or (None,)
]


def with_rulesets(*given: Any) -> Iterator[Any]:
    """A game, and whatever else is given, with the default ruleset, and with those under which more happens."""
    subject = SUBJECTS.get(given[0].name)
    for number, ruleset in enumerate([None, *(subject.other_rulesets if subject else ())]):
        names = [given[0].name, *map(str, given[1:]), *([f"ruleset {number}"] if number else [])]
        yield pytest.param(*given, ruleset, id="-".join(names))


every_game = pytest.mark.parametrize("game", LISTED, ids=[game.name for game in LISTED])
every_count = pytest.mark.parametrize(("game", "players"), GAMES_AND_COUNTS)
every_variant = pytest.mark.parametrize(("game", "variant"), GAMES_AND_VARIANTS)
every_ruleset = pytest.mark.parametrize(("game", "ruleset"), [each for game in LISTED for each in with_rulesets(game)])
every_count_and_ruleset = pytest.mark.parametrize(
    ("game", "players", "ruleset"),
    [each for game in LISTED for players in game.player_counts for each in with_rulesets(game, players)],
)


@pytest.fixture(autouse=True)
def listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry._others, STONES.id, STONES)
    for name in ("env_obs_dicts", "env_obs_space"):  # PettingZoo warns of masks in environments not on its list
        monkeypatch.setattr(sys.modules["pettingzoo.test.api_test"], name, [game.id for game in LISTED])


def played(batch: Batch, seed: int = 0) -> Iterator[npt.NDArray[np.int64]]:
    """Plays a batch to its end with random actions: those of each step, before it is made."""
    number = 0
    while not batch.over.all():
        actions = joint_actions(AnotherRandom(), batch, number)
        yield actions
        batch.step(actions)
        number += 1


def through_json(data: Any) -> Any:
    return json.loads(json.dumps(data))


# What it says of itself


@every_game
def test_it_is_declared(game: Game) -> None:
    batch = game.batch(2, game.player_counts[0])
    assert game.id == f"{game.name}_v{game.version}"
    assert game_of(game.name) is game
    assert game_of(game.id) is game
    assert batch.num_actions == game.num_actions
    assert game.default_players in game.player_counts
    assert game.dynamics in ("simultaneous", "sequential")
    assert game.information in ("open", "private")
    said = [game.describe(action) for action in range(game.num_actions)]
    assert all(words.endswith(".") for words in said)
    assert game.agents.reference in agent_names(game)
    assert game.agents.rollout_policy in agent_names(game)


@every_count
def test_what_players_see_has_the_layout_it_says(game: Game, players: int) -> None:
    batch = game.batch(5, players, seed=3)
    layout = batch.layout
    covered = [entry for section in layout for entry in range(section.slice.start, section.slice.stop)]
    assert covered == list(range(layout.size))
    before, went_on = batch.observe(), np.zeros(5, np.bool_)
    for _ in played(batch):
        seen, table = batch.observe(), batch.observe_table()
        assert seen.shape == (5, players, layout.size)
        assert seen.dtype == layout.dtype
        assert (seen >= 0).all()
        assert (seen <= batch.observation_maximum).all()
        assert (table >= 0).all()
        assert (table <= batch.table_maximum).all()
        assert (seen != before).any((1, 2))[went_on].all(), "a step changes what somebody sees"
        before, went_on = seen, ~batch.over


@every_game
@pytest.mark.parametrize("action", [-1, 1000, 2**40])
def test_a_decision_that_does_not_exist_is_illegal(game: Game, action: int) -> None:
    batch = game.batch(3, seed=1)
    turn, before = batch.decision_turn(), batch.state.copy()
    actions = batch.random_decisions(turn, 1)
    actions[1] = action
    with pytest.raises(IllegalAction, match=f"{action}"):
        batch.advance(actions, turn)
    assert (batch.state == before).all()


@every_game
def test_new_games_have_no_winners_and_no_scores(game: Game) -> None:
    batch = game.batch(2, seed=1)
    batch.state["winners"], batch.state["scores"] = 1, 1
    batch.reset()
    assert not batch.winners.any()
    assert not batch.scores.any()


@every_count
def test_who_has_nothing_to_decide_may_only_pass(game: Game, players: int) -> None:
    batch = game.batch(20, players, seed=5)
    deciding = 0
    for _ in played(batch):
        legal, to_act = batch.legal, batch.to_act
        assert legal.dtype == np.int8
        assert set(np.unique(legal)) <= {0, 1}
        assert (legal.sum(2) > 0).all()
        only_pass = (legal.sum(2) == 1) & (legal[:, :, batch.pass_action] == 1)
        assert (only_pass == ~to_act).all()
        assert (to_act.any(1) == ~batch.over).all()
        assert not batch.winners[~batch.over].any()
        assert not batch.scores[~batch.over].any()
        deciding += to_act.sum()
        games, seats = (index.reshape(-1) for index in np.indices(to_act.shape))
        seen, masks = batch.look_at_rows(games, seats)
        assert (seen == batch.observe().reshape(len(seen), -1)).all()
        assert (masks == legal.reshape(len(masks), -1)).all()
    assert deciding > 20
    assert batch.winners.any(1).all()
    assert not batch.to_act.any()


@every_count
def test_rewards(game: Game, players: int) -> None:
    batch = game.batch(50, players, seed=8)
    assert not any(batch.rewards(kind).any() for kind in REWARD_KINDS)
    batch.play_on()
    assert batch.rewards("win").sum(1) == pytest.approx(np.zeros(50), abs=1e-6)
    assert batch.rewards("margin").sum(1) == pytest.approx(np.zeros(50), abs=1e-5)
    assert (batch.rewards("score") == batch.scores).all()
    assert (batch.rewards("win") > 0).any(1).all()
    everybody = np.arange(50).repeat(players), np.tile(np.arange(players), 50)
    results = batch.results(*everybody)
    assert ((results["rank"] == 1) == batch.winners.reshape(-1)).all()
    assert all(len(values) == len(everybody[0]) for values in batch.statistics(*everybody).values())


# Determinism


@pytest.mark.slow
@every_game
@pytest.mark.parametrize("threads", [1, 2])
def test_a_game_is_the_same_in_any_batch(game: Game, threads: int) -> None:
    players, sizes = game.player_counts[-1], (1, 7, 4096)
    seeds = spread_seeds(11, np.arange(4096))
    batches = [game.batch(size, players, seeds[:size], threads=threads) for size in sizes]
    for number in range(60):
        actions = joint_actions(AnotherRandom(), batches[-1], number)
        for size, batch in zip(sizes, batches, strict=True):
            assert (batch.observe() == batches[-1].observe()[:size]).all()
            assert (batch.legal == batches[-1].legal[:size]).all()
            assert (batch.seeds == batches[-1].seeds[:size]).all()
            batch.step(actions[:size])
        for size, batch in zip(sizes, batches, strict=True):
            assert (batch.over == batches[-1].over[:size]).all()
            assert (batch.scores == batches[-1].scores[:size]).all()
            batch.reset(batch.over)


@every_game
def test_advance_does_what_single_calls_do(game: Game) -> None:
    players = game.player_counts[0]
    quick, slow = game.batch(100, players, seed=2), game.batch(100, players, seed=2)
    turn, ended = quick.turn(), 0
    for number in count():
        if ended > 50:
            break
        actions = quick.random_actions(number)
        assert (slow.random_actions(number) == actions).all()
        quick.advance(actions, turn)
        slow.step(actions)
        over = slow.over
        assert (turn.over == over).all()
        assert (turn.scores[over] == slow.scores[over]).all()
        assert (turn.winners[over] == slow.winners[over]).all()
        slow.reset(over)
        assert (turn.observations == slow.observe()).all()
        assert (turn.legal == slow.legal).all()
        ended += over.sum()


@every_variant
def test_advance_by_decisions_does_what_single_calls_do(game: Game, variant: str | None) -> None:
    """Those who decide at the same time are asked one after the other."""
    players, everyone = game.player_counts[0], np.arange(60)
    quick, slow = (game.batch(60, players, seed=2, variant=variant) for _ in range(2))
    turn, ended = quick.decision_turn(), 0
    actions = np.full((60, players), slow.pass_action)
    decided = np.zeros((60, players), np.bool_)
    for number in count():
        if ended > 20:
            break
        assert (turn.players == (slow.to_act & ~decided).argmax(1)).all()
        assert (turn.observations == slow.observe()[everyone, turn.players]).all()
        assert (turn.legal == slow.legal[everyone, turn.players]).all()
        decisions = quick.random_decisions(turn, number)
        assert turn.legal[everyone, decisions].all()
        actions[everyone, turn.players] = decisions
        decided[everyone, turn.players] = True
        quick.advance(decisions, turn)
        ready = np.flatnonzero((decided == slow.to_act).all(1))
        slow.step(actions[ready], ready)
        decided[ready], actions[ready] = False, slow.pass_action
        over = slow.over
        assert (turn.over == over).all()
        assert (turn.scores[over] == slow.scores[over]).all()
        assert (turn.winners[over] == slow.winners[over]).all()
        slow.reset(over)
        ended += over.sum()
    before, wrong = quick.state.copy(), quick.random_decisions(turn, 0)
    wrong[7] = turn.legal[7].argmin()
    with pytest.raises(IllegalAction, match=f"game 7, player {turn.players[7]}, .*action {wrong[7]} "):
        quick.advance(wrong, turn)
    assert (quick.state == before).all()
    quick.reset(seed=9)
    with pytest.raises((IllegalAction, ValueError)):
        quick.advance(np.full(60, quick.pass_action), turn)


@every_count
def test_random_opponents_play_the_same_asked_or_not(game: Game, players: int) -> None:
    asked, compiled = game.batch(30, players, seed=9), game.batch(30, players, seed=9)
    steps = list(played(asked))
    moves = np.zeros(30, np.int64)
    compiled.play_on(moves=moves)
    assert (compiled.scores == asked.scores).all()
    assert moves.max() == len(steps)


@every_game
def test_other_seeds_are_other_games(game: Game) -> None:
    batch = game.batch(200, game.player_counts[0])
    seen = {row.tobytes() for row in batch.observe_table()}
    assert len(seen) > 150


@every_game
@pytest.mark.parametrize("copied", [copy.deepcopy, lambda batch: pickle.loads(pickle.dumps(batch))])
def test_copies_go_on_exactly(game: Game, copied: Any) -> None:
    batch = game.batch(6, game.player_counts[-1], seed=1)
    for number, actions in enumerate(played(batch)):
        if number == 2:
            other = copied(batch)
        if number >= 2:
            other.step(actions)
    assert (other.scores == batch.scores).all()
    assert (other.state == batch.state).all()


# Snapshots


@pytest.mark.slow
@every_count
def test_a_snapshot_goes_on_exactly(game: Game, players: int) -> None:
    batch = game.batch(4, players, seed=6)
    copies: list[Batch] = []
    for actions in played(batch):
        snapshots = [through_json(batch.snapshot(index)) for index in range(4)]
        copies.append(game.batch.from_snapshots(snapshots))
        assert [copies[-1].snapshot(index) for index in range(4)] == snapshots
        for each in copies:
            each.step(actions)
    final = [batch.snapshot(index) for index in range(4)]
    for each in (*copies, game.batch.from_snapshots(through_json(final))):
        assert [each.snapshot(index) for index in range(4)] == final
    assert {"players", "to_act", "ruleset", "scores", "winners", "seed", "stream", "phase"} <= final[0].keys()


@every_game
def test_a_damaged_snapshot_is_refused_by_the_name_of_the_field(game: Game) -> None:
    sound = game.batch(1, game.player_counts[-1], seed=4).snapshot(0)
    for key in sound:
        missing = {name: value for name, value in sound.items() if name != key}
        if key in game.batch.snapshots.optional_keys:
            assert game.batch.from_snapshots([missing]).snapshot(0) == sound
        else:
            with pytest.raises(ValueError, match=rf"^snapshot 0: keys: missing \['{key}'\]"):
                game.batch.from_snapshots([missing])
        for junk in ({}, "junk", 1.5, -1, 10**9, [[]]):
            if key == "to_act" or (junk == {} and sound[key] == {}):
                continue
            with pytest.raises(ValueError, match=r"^snapshot 0: [a-z_, ]+[\[:.]"):
                game.batch.from_snapshots([{**sound, key: junk}])
    with pytest.raises(ValueError, match="unknown"):
        game.batch.from_snapshots([{**sound, "extra": 1}])


@every_game
def test_rulesets_go_through_json(game: Game) -> None:
    default = game.ruleset.default()
    assert game.ruleset.from_dict(through_json(default.to_dict())) == default
    with pytest.raises(ValueError, match=r"^ruleset: expected the keys"):
        game.ruleset.from_dict({})


# What is hidden


def hidden_apart(game: Game, players: int, observer: int, ruleset: Any = None) -> Iterator[tuple[Batch, Batch]]:
    """Positions, and the same with what the observer cannot know dealt again."""
    batch = game.batch(12, players, seed=13, ruleset=ruleset)
    for number, _ in enumerate(played(batch)):
        other = batch.clone()
        other.redeal(number, observer)
        yield batch, other


@pytest.mark.slow
@every_count_and_ruleset
def test_dealing_again_leaves_all_that_the_observer_sees(game: Game, players: int, ruleset: Any) -> None:
    changed = False
    for observer in range(players):
        for batch, other in hidden_apart(game, players, observer, ruleset):
            assert (batch.observe()[:, observer] == other.observe()[:, observer]).all()
            assert (batch.legal[:, observer] == other.legal[:, observer]).all()
            assert (batch.to_act == other.to_act).all()
            assert (batch.over == other.over).all()
            assert [batch.status(index) for index in range(12)] == [other.status(index) for index in range(12)]
            changed |= bool((batch.state["stream"] != other.state["stream"]).all())
    assert changed


@every_game
def test_dealing_again_follows_from_the_seed(game: Game) -> None:
    batch = game.batch(30, game.player_counts[-1], seed=3)
    batch.step(batch.random_actions(0))
    same, others = [], []
    for seed in (1, 1, 2):
        other = batch.clone()
        other.redeal(seed, 0)
        other.play_on()
        (same if seed == 1 else others).append(other.scores)
    assert (same[0] == same[1]).all()
    assert (same[0] != others[0]).any()


@pytest.mark.slow
@every_count_and_ruleset
def test_nothing_hidden_is_shown(game: Game, players: int, ruleset: Any) -> None:
    """Positions that differ only in what an observer cannot know look the same to it, in every view."""
    views, shown = game.views, play_views(game)
    observers = [0, players - 1]
    for observer in observers:
        before: list[tuple[Any, Any]] = []
        for number, (batch, other) in enumerate(hidden_apart(game, players, observer, ruleset)):
            pair = batch.snapshot(0), other.snapshot(0)
            one, two = ([game.batch.as_seen(each, observer), game.batch.as_seen(each, None)] for each in pair)
            assert one == two
            if number % 3:
                continue  # drawing takes longest
            for draw in (views.to_text, views.to_svg):
                assert draw(pair[0], seat=observer) == draw(pair[1], seat=observer)
            assert shown.board(pair[0], observer) == shown.board(pair[1], observer)
            assert shown.task(pair[0], observer) == shown.task(pair[1], observer)
            before.append(pair)
        for draw_pixels in (views.to_pixels,):
            assert (draw_pixels(before[1][0], seat=observer) == draw_pixels(before[1][1], seat=observer)).all()


@every_game
def test_all_of_it_is_shown_to_those_who_may_see_everything(game: Game) -> None:
    snapshot = game.batch(1, game.player_counts[-1], seed=1).snapshot(0)
    everything = game.batch.as_seen(snapshot, EVERYTHING)
    assert {key: everything[key] for key in snapshot} == snapshot
    hidden = [key for key, value in game.batch.as_seen(snapshot, None).items() if value != everything[key]]
    assert {"seed", "stream"} <= set(hidden)
    if game.information == "private":
        own = game.batch.as_seen(snapshot, 0)
        assert own != game.batch.as_seen(snapshot, 1)
        assert game.views.to_text(snapshot, seat=0) != game.views.to_text(snapshot, seat=1)


def who_decides(batch: Batch) -> npt.NDArray[np.int64]:
    """A few games in which player 0 decides, in as many phases as there are."""
    games = np.flatnonzero(batch.to_act[:, 0])
    _, first = np.unique(batch.state["phase"][games], return_index=True)
    return np.array([*games[first], *np.delete(games, first)], np.int64)[:4]  # searches take their time


@pytest.mark.slow
@every_ruleset
def test_agents_choose_by_what_they_may_see(game: Game, ruleset: Any) -> None:
    """Where only what is hidden differs, so does nothing that an agent does; a search deals it again, too."""
    trained = () if ruleset is None else game.agents.trained  # for the default rules
    names = [name for name in agent_names(game) if name != "cheater" and name not in trained]
    names += ["mc:12", "rm:24", "uct:12", "posterior:12"]
    players = game.player_counts[-1]
    positions = [(batch.clone(), other) for batch, other in hidden_apart(game, players, 0, ruleset)]
    phases = [set(batch.state["phase"][batch.to_act[:, 0]].tolist()) for batch, _ in positions]
    known = [set().union(*phases[:number]) for number in range(len(phases))]
    throughout = [
        pair
        for number, pair in enumerate(positions)
        if number % max(len(positions) // 10, 1) == 0 or phases[number] - known[number]
    ]
    for name in names:
        agent, asked, seen = agent_of(name, ruleset, game=game), 0, set[int]()
        memories = [Memory(12, players) for _ in range(2)]
        for number, (batch, other) in enumerate(throughout):
            games = who_decides(batch)
            if len(games):
                seats = np.zeros(len(games), np.int64)
                chosen = [
                    ask(agent, each, games, seats, Streams.of_decisions(batch.seeds[games], number, seats), memory)
                    for each, memory in zip((batch, other), memories, strict=True)
                ]
                assert (chosen[0] == chosen[1]).all()
                asked += len(games)
                seen |= set(batch.state["phase"][games].tolist())
        assert asked > 5
        assert seen == set().union(*phases)


# Variants


@pytest.mark.slow
@every_variant
def test_variants_are_kept(game: Game, variant: str | None) -> None:
    players = game.player_counts[0]
    batch = game.batch(3, players, seed=5, variant=variant)
    assert batch.variant == variant
    assert batch.layout.size == game.batch(1, players).layout.size
    assert game.batch(1, players).variant == (game.variants[0] if game.variants else None)
    copies = [batch.clone(), batch.select([0, 1, 2]), copy.deepcopy(batch), pickle.loads(pickle.dumps(batch))]
    for actions in played(batch):
        for each in copies:
            each.step(actions)
        snapshots = [through_json(batch.snapshot(index)) for index in range(3)]
        restored = game.batch.from_snapshots(snapshots)
        assert restored.variant == variant
        assert (restored.state == batch.state).all()
        assert ("variant" in snapshots[0]) == bool(game.variants)
    for each in copies:
        assert each.variant == variant
        assert (each.scores == batch.scores).all()


@every_game
def test_unknown_options_are_refused(game: Game) -> None:
    for make in (lambda **given: game.batch(1, **given), Environments(game).parallel_env):
        with pytest.raises(TypeError, match=r"^options: \w+ knows \[.*\], but not \['hide_all'\]$"):
            make(hide_all=True)


@every_game
def test_unknown_variants_are_refused(game: Game) -> None:
    known = f"expected one of .*{game.variants[0]}" if game.variants else "no variants"
    for make in (lambda: game.batch(1, variant="junk"), lambda: Environments(game).parallel_env(variant="junk")):
        with pytest.raises(ValueError, match=f"^variant: .*{known}"):
            make()


@every_variant
def test_environments_and_replays_have_variants(game: Game, variant: str | None) -> None:
    environments = Environments(game)
    env = environments.parallel_env(variant=variant)
    env.reset(seed=3)
    while env.agents:
        env.step({agent: int(env.observe(agent)["action_mask"].argmax()) for agent in env.agents})
    replay = env.replay()
    assert replay.variant == variant
    assert Replay.from_json(replay.to_json()) == replay
    replay.check()
    vector = environments.learner_vector_env(3, variant=variant)
    vector.reset(seed=1)
    assert vector.match.batch.variant == variant
    for other in game.variants:
        if other != variant:
            with pytest.raises(
                ValueError, match=f"^snapshot: a game of the variant {variant!r}, but here is {other!r}"
            ):
                environments.parallel_env(variant=other).restore(env.snapshot())


# Environments


@pytest.mark.slow
@every_count
def test_pettingzoos_tests(game: Game, players: int) -> None:
    environments = Environments(game)
    parallel_api_test(environments.parallel_env(num_players=players))
    for env in (environments.raw_env(num_players=players), environments.env(num_players=players)):
        api_test(env)
    api_test(parallel_to_aec(environments.parallel_env(num_players=players)))
    state_test(environments.raw_env(num_players=players), environments.parallel_env(num_players=players))


@every_game
def test_pettingzoos_seed_tests(game: Game) -> None:
    environments = Environments(game)
    parallel_seed_test(environments.parallel_env)
    seed_test(environments.raw_env)


@every_game
@pytest.mark.parametrize("wrapper", [ForActionMasking, ForTorchRL])
def test_what_wraps_it_for_a_library_plays_the_same_game(game: Game, wrapper: Any) -> None:
    plain, env = Environments(game).parallel_env(), wrapper(Environments(game).parallel_env())
    parallel_api_test(env, num_cycles=100)
    observations, seen = plain.reset(seed=4)[0], env.reset(seed=4)[0]
    while plain.agents:
        assert env.agents == plain.agents
        actions = {}
        for agent, (observation, mask) in zip(plain.agents, map(dict.values, observations.values()), strict=True):
            assert env.observation_space(agent).contains(seen[agent])
            for shown, expected in zip(seen[agent].values(), (observation, mask), strict=True):
                assert (shown == expected).all()
            actions[agent] = choices(observation[None], mask[None])[0]
        (observations, *outcome, _), (seen, *wrapped, _) = plain.step(actions), env.step(actions)
        assert wrapped == outcome
    assert not env.agents
    assert any(outcome[0].values())


@pytest.mark.slow
@every_count
def test_the_same_game_at_once_and_one_by_one(game: Game, players: int) -> None:
    environments = Environments(game)
    parallel, one_by_one = (
        make(num_players=players, reward="margin") for make in (environments.parallel_env, environments.raw_env)
    )
    rewarded = False
    for seed in range(4):
        parallel.reset(seed=seed)
        one_by_one.reset(seed=seed)
        received = dict.fromkeys(parallel.agents, 0.0)
        rewards: dict[str, float] = {}
        while parallel.agents:
            seen = [parallel.observe(agent) for agent in parallel.agents]
            actions = choices(*(np.array([each[key] for each in seen]) for key in ("observation", "action_mask")))
            *_, rewards = parallel.step(dict(zip(parallel.agents, actions, strict=True)))[:2]
        for agent in one_by_one.agent_iter():
            observation, reward, over, _, _ = one_by_one.last()
            received[agent] += reward
            one_by_one.step(
                None if over else choices(observation["observation"][None], observation["action_mask"][None])[0]
            )
        assert received == rewards
        assert one_by_one.replay() == parallel.replay()
        rewarded |= any(rewards.values())
    assert rewarded


@every_count
def test_gymnasiums_and_stable_baselines_checkers(game: Game, players: int) -> None:
    for seat in (players - 1, "random"):
        env = Environments(game).learner_env(num_players=players, seat=seat)
        check_env(env, skip_render_check=True)
        check_env_of_stable_baselines(env, warn=False)


@pytest.mark.slow
@every_game
@pytest.mark.parametrize("opponents", ["random", AnotherRandom()], ids=["random", "asked"])
def test_a_batch_plays_as_single_environments(game: Game, opponents: Any) -> None:
    players, environments = game.player_counts[-1], Environments(game)
    arguments = {"num_players": players, "seat": "random", "opponents": opponents, "reward": "margin"}
    vector = environments.learner_vector_env(5, **arguments)
    envs = [environments.learner_env(**arguments) for _ in range(5)]
    observations, infos = vector.reset(seed=4)
    begun = [env.reset(seed=4 + number) for number, env in enumerate(envs)]
    ended = 0
    for _ in range(80):  # more than the decisions of a player in a game
        for number, (observation, info) in enumerate(begun):
            assert (observations[number] == observation).all()
            assert infos["seat"][number] == info["seat"]
            assert (vector.action_masks()[number] == info["action_mask"]).all()
        actions = choices(observations, vector.action_masks())
        observations, rewards, over, _, infos = vector.step(actions)
        begun = []
        for number, env in enumerate(envs):
            observation, reward, ends, _, info = env.step(actions[number])
            assert (reward, ends) == (rewards[number], over[number])
            if ends:
                ended += 1
                assert (infos["final_obs"][number] == observation).all()
                assert all(infos["final_info"][key][number] == info[key] for key in ("win", "score", "rank"))
                observation, info = env.reset()
            begun.append((observation, info))
    assert ended >= 5


@every_game
def test_an_illegal_action_ends_the_game_or_changes_nothing(game: Game) -> None:
    environments = Environments(game)
    for make in (environments.parallel_env, environments.raw_env):
        env = make(illegal="raise")
        env.reset(seed=2)
        table = env.table
        before, player = pickle.dumps(env), table.to_act[0]
        wrong = int(table.legal[player].argmin())
        legal = table.legal.argmax(1).tolist()
        legal[player] = wrong
        actions = dict(zip(env.agents, legal, strict=True)) if make == environments.parallel_env else wrong
        with pytest.raises(IllegalAction, match=f"player {player}.*action {wrong} "):
            env.step(actions)
        assert pickle.dumps(env) == before
        table.referee.illegal = "terminate"
        env.step(actions)
        assert table.rewards.tolist() == [-1.0 if each == player else 0.0 for each in range(table.num_players)]


@every_game
@pytest.mark.parametrize("observer", [None, 0, 1, EVERYTHING])
def test_an_illegal_action_is_told_to_those_who_may_know_it(game: Game, observer: Any) -> None:
    """It is not in the hand, or it would be legal."""
    env = Environments(game).parallel_env(num_players=3, render_mode="ansi", render_seat=observer)
    observations, _ = env.reset(seed=1)
    masks = {agent: seen["action_mask"] for agent, seen in observations.items()}
    actions = {agent: int(mask.argmax()) for agent, mask in masks.items()}
    wrong = int(masks["player_0"].argmin())
    env.step(actions | {"player_0": wrong})
    shown = env.render()
    assert shown is not None
    assert "player_0 chose" in shown
    known = game.information == "open" or observer in (0, EVERYTHING)
    assert (f"player_0 chose action {wrong}, which is not legal: the game ends." in shown) == known
    assert ("player_0 chose an action that is not legal: the game ends." in shown) == (not known)


@every_game
@pytest.mark.parametrize("make", ["learner_env", "learner_vector_env", "learner_vec_env"])
def test_what_an_opponent_may_do_is_told_where_everything_is_open(game: Game, make: str) -> None:
    environments = Environments(game)
    env = getattr(environments, make)(*([] if make == "learner_env" else [2]), seat=0, opponents=Cheat())
    match = env.match

    def play() -> None:
        env.reset()
        while True:
            match.step(env.action_masks().reshape(match.num_games, -1).argmax(1))

    with pytest.raises(IllegalAction, match=r"^Cheat: chose ") as refusal:
        play()
    message = str(refusal.value)
    assert ("legal: [" in message) == (game.information == "open")
    if game.information == "private":
        assert not re.search("[0-9]", message)
        assert refusal.value.__context__ is None


@pytest.mark.slow
@every_game
@pytest.mark.parametrize("kind", ["learner_vec_env", "self_play_vec_env"])
def test_maskable_ppo_learns_on_it(game: Game, kind: str) -> None:
    env = getattr(Environments(game), kind)(4, reward="margin")
    more = env.buffer_arguments if kind == "self_play_vec_env" else {}
    model = MaskablePPO("MlpPolicy", env, **SMALL, **more)
    weights = model.policy.action_net.weight.detach().clone()
    model.learn(1024)
    assert model.num_timesteps == 1024
    assert len(model.ep_info_buffer) > 0
    assert not (model.policy.action_net.weight == weights).all()


# Replays, agents, arena, training, page


@pytest.mark.slow
@every_count
def test_replays(game: Game, players: int) -> None:
    env = Environments(game).parallel_env(num_players=players)
    env.reset(seed=3)
    while env.agents:
        env.step({agent: int(env.observe(agent)["action_mask"].argmax()) for agent in env.agents})
    replay = env.replay()
    assert Replay.from_json(replay.to_json()) == replay
    *_, last = replay.positions()
    assert last.snapshot["scores"] == list(replay.scores or ())
    told = [position.story for position in replay.positions()]
    assert any(told)


@pytest.mark.slow
@every_game
def test_agents_by_name_play_whole_games(game: Game) -> None:
    players = game.player_counts[0]
    for name in (*agent_names(game), "mc:4", "rm:24", "uct:4", "cheater:4", "prior:4", "posterior:4"):
        agent, batch, moves = agent_of(name, game=game), game.batch(2, players, seed=2), 0
        memory = Memory(2, players)
        agent.reset()
        while not batch.over.all():
            batch.step(joint_actions(agent, batch, moves, memory))
            moves += 1


@pytest.mark.slow
@every_game
def test_the_arena_measures_its_agents(game: Game, tmp_path: Path) -> None:
    players = game.player_counts[-1]
    agents = [game.agents.reference, AnotherRandom()]
    results = run_arena(agents, 6, players, game=game, out=tmp_path, record=1)
    assert sum(standing.win.mean * standing.seats for standing in results.standings) == pytest.approx(
        6 * results.plan.games_per_deal
    )
    assert json.loads((tmp_path / "run.json").read_bytes())["game"] == game.id
    assert not results.forfeits
    [kept] = (tmp_path / "replays").iterdir()
    Replay.load(kept).check()


@pytest.mark.slow
@every_game
def test_training_and_what_comes_of_it(game: Game, tmp_path: Path) -> None:
    config = Config(
        game=game.name,
        opponents="random=1,self=1",
        players=str(game.player_counts[0]),
        shaping=0,
        imitate=256,
        total_timesteps=256,
        n_envs=8,
        n_steps=8,
        batch_size=32,
        hidden="16",
        deals=2,
        final_deals=2,
        evaluate_every=128,
    )
    begin(tmp_path / "run", config)
    Run(tmp_path / "run").learn()
    folder = str(tmp_path / "run" / "agent")
    agent = agent_of(folder, game=game)
    batch = game.batch(3, game.player_counts[0])
    while not batch.over.all():
        batch.step(joint_actions(agent, batch, 0))
    for other in LISTED:
        if other is not game:
            with pytest.raises(ValueError, match=f"it plays {game.id}, not {other.id}"):
                agent_of(folder, game=other)


@every_game
def test_agents_of_another_game_are_refused_by_name(game: Game) -> None:
    for other in LISTED:
        for name in other.agents.heuristics:
            if name not in game.agents.heuristics:
                with pytest.raises(
                    ValueError, match=f"{name} plays .*{other.title}.*; the agents of {game.title} are: .*random"
                ):
                    agent_of(name, game=game)


@pytest.mark.slow
@every_count
def test_people_play_it_on_a_page(game: Game, players: int) -> None:
    agents = [None, *[AnotherRandom()] * (players - 1)]
    names = ["you", *[f"agent {number}" for number in range(1, players)]]
    with Session(game, game.batch(1, players, seed=5), agents, names) as session, served(session) as client:
        now = settled(session)
        while not now.over:
            offered = [choice["action"] for choice in client.get("/state").data["choices"]]
            assert sorted(offered) == sorted(now.legal)
            action = offered[len(now.positions) % len(offered)]
            assert client.post("/choose", {"token": now.token, "action": action}).status == 200
            now = settled(session)
        state = client.get("/state").data
        assert state["over"]
        assert state["frame"]["result"]
        session.replay().check()


@every_game
def test_two_sessions_that_differ_in_what_is_hidden_send_the_same(game: Game) -> None:
    players = game.player_counts[-1]
    for observer in range(players):
        batch = game.batch(1, players, seed=21)
        other = batch.clone()
        other.redeal(5, observer)
        sent = []
        for each in (batch, other):
            agents = [AnotherRandom() if seat != observer else None for seat in range(players)]
            session = Session(game, each, agents, ["somebody"] * players, name="same")
            now = session.now()  # nobody thinks before the session is entered
            sent.append(json.dumps(page.state(session, now, play_views(game))))
        assert sent[0] == sent[1]


@pytest.mark.parametrize("game", LISTED, ids=lambda game: game.id)
def test_environments_show_any_encoding_of_the_game(game: Game) -> None:
    environments = Environments(game)
    for name, encoding in encodings_of(game, game.default_players).items():
        parallel = environments.parallel_env(encoding=name)
        match = environments.learner_match(3, encoding=name)
        learner = environments.learner_env(encoding=name)
        everybody = environments.self_play_vec_env(3, encoding=name)
        observations, _ = parallel.reset(seed=1)
        batch = parallel.table.batch
        expected = encoding.encode(batch.observe()[0])
        shown = np.stack([seen["observation"] for seen in observations.values()])
        assert (shown == expected).all()
        assert shown.shape[1] == encoding.size == everybody.reset().shape[1]
        assert parallel.observation_space("player_0").contains(observations["player_0"])
        match.reset([1, 2, 3])
        assert (match.observations == encoding.encode(match.seen)).all()
        first, _ = learner.reset(seed=1)
        assert learner.observation_space.contains(first)
        assert (first == match.observations[0]).all()
        assert same_after_pickling(learner, first)
    for wrong in ("", "far", 1):
        for make in (environments.parallel_env, environments.learner_env, environments.self_play_vec_env):
            with pytest.raises(ValueError, match=r"^encoding: expected one of "):
                make(encoding=wrong)


def same_after_pickling(env: Any, first: np.ndarray) -> bool:
    return (pickle.loads(pickle.dumps(env)).reset(seed=1)[0] == first).all()
