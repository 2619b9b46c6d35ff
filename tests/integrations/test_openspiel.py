"""OpenSpiel's own tests and algorithms run on every game; nothing hidden is in what players see."""

import base64
import pickle
import random
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("pyspiel")

import bots
import pyspiel
from open_spiel.integration_tests import api_test
from open_spiel.python.algorithms import (
    cfr,
    expected_game_score,
    exploitability,
    get_all_states,
    ismcts,
    mcts,
    outcome_sampling_mccfr,
)
from open_spiel.python.policy import TabularPolicy, UniformRandomPolicy
from open_spiel.python.tests import games_sim_test
from toy_game import STONES

from strand_env.adapters.openspiel import SpielGame, SpielState, load
from strand_env.agents import agent_of, joint_actions
from strand_env.agents.asking import policies_of
from strand_env.arena import run_arena
from strand_env.arena.exact import GameTree
from strand_env.arena.ratings import alpha_rank
from strand_env.arena.terminal import tables
from strand_env.engine.protocol import Snapshot
from strand_env.engine.randomness import Streams
from strand_env.registry import game_ids, game_of, register_game
from strand_env.strand_unter.ruleset import Ruleset
from strand_env.support.extras import MissingExtra

LISTED = game_ids()
register_game(STONES)
GAMES = [
    *(("strand_unter", players, turn_based) for players in (2, 4) for turn_based in (False, True)),
    ("maui", 2, False),
    ("maui", 4, False),
    *(("sea_or_shore", players, turn_based) for players in (3, 5) for turn_based in (False, True)),
    *(("stones", players, turn_based) for players in (2, 5) for turn_based in (False, True)),
]


def begun(game: SpielGame) -> SpielState:
    """The first state in which somebody decides."""
    state = game.new_initial_state()
    while state.is_chance_node():
        state.apply_action(state.legal_actions()[0])
    return state


def played(state: SpielState, draws: random.Random, moves: int) -> SpielState:
    """After so many random moves, and until somebody decides; or at the end."""
    while not state.is_terminal() and (moves > 0 or state.is_chance_node()):
        if state.is_simultaneous_node():
            players = range(state.get_game().num_players())
            state.apply_actions([draws.choice(state.legal_actions(player) or [0]) for player in players])
        else:
            state.apply_action(draws.choice(state.legal_actions()))
        moves -= 1
    return state


def midway(game: SpielGame) -> SpielState:
    """After 20 random moves, or fewer in a game that is over by then."""
    states = (played(game.new_initial_state(), random.Random(1), moves) for moves in (20, 10, 5, 2))
    return next(state for state in states if not state.is_terminal())


def last_round(seed: int, round_: int = 15) -> Snapshot:
    """The last round, or a later part of the game, of two players who play at random."""
    games = game_of("strand_unter").batch(64, 2, seed)
    for step in range(1000):
        there = (games.state["round"] == round_) & ~games.over
        if there.any():
            return games.snapshot(int(there.argmax()))
        games.step(games.random_actions(step))
    raise AssertionError("no game got there")


# OpenSpiel's own tests


@pytest.mark.parametrize(("name", "players", "turn_based"), GAMES)
def test_random_simulations(name: str, players: int, turn_based: bool) -> None:
    game = load(name, num_players=players, turn_based=turn_based, seed=1)
    pyspiel.random_sim_test(game, num_sims=2, serialize=False, verbose=False)
    explicit = load(name, num_players=players, turn_based=turn_based, deals=4)
    pyspiel.random_sim_test(explicit, num_sims=2, serialize=True, verbose=False)
    simulations = games_sim_test.GamesSimTest()
    simulations.sim_game(explicit)
    if game.get_type().dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS:
        pyspiel.random_sim_test(pyspiel.convert_to_turn_based(explicit), num_sims=2, serialize=True, verbose=False)


class TestPartialTreeOfStrandUnter(api_test.EnforceAPIOnPartialTreeBase):
    game_name, game = "strand_unter_v1", load("strand_unter", num_players=2, deals=3)


class TestPartialTreeOfMaui(api_test.EnforceAPIOnPartialTreeBase):
    game_name, game = "maui_v0", load("maui", num_players=2, deals=3)


class TestPartialTreeOfSeaOrShore(api_test.EnforceAPIOnPartialTreeBase):
    game_name, game = "sea_or_shore_v0", load("sea_or_shore", num_players=3, deals=3, turn_based=True)


class TestFullTreeOfALastRound(api_test.EnforceAPIOnFullTreeBase):
    game_name = "strand_unter_v1(a last round)"
    game = load("strand_unter", snapshot=last_round(0), turn_based=True, deals=1)

    @classmethod
    def setUpClass(cls) -> None:
        counted, infostates = count_nodes(cls.game)
        api_test.TOTAL_NUM_STATES[cls.game_name] = counted
        api_test.PERFECT_RECALL_NUM_STATES[cls.game_name] = infostates
        super().setUpClass()


def count_nodes(game: SpielGame) -> tuple[tuple[int, int, int], int]:
    """Chance, decision and terminal nodes, counted with the engine's own snapshots; and information states."""
    counts, infostates, waiting = [0, 0, 0], set(), [game.new_initial_state()]
    while waiting:
        state = waiting.pop()
        counts[0 if state.is_chance_node() else 2 if state.is_terminal() else 1] += 1
        if not state.is_chance_node() and not state.is_terminal():
            infostates.add(state.information_state_string())
        waiting.extend(state.child(action) for action in state.legal_actions())
    return (counts[0], counts[1], counts[2]), len(infostates)


# The same games as the engine's


@pytest.mark.parametrize("name", ["strand_unter", "maui", "sea_or_shore", "stones"])
@pytest.mark.parametrize("reward", ["win", "score", "margin"])
def test_states_and_returns_are_the_engines(name: str, reward: Any) -> None:
    house, draws = game_of(name), random.Random(5)
    game = load(name, num_players=3, reward=reward, deals=1, seed=7)
    state, batch = game.new_initial_state(), house.batch(1, 3, 7)
    state.apply_action(0)
    while not state.is_terminal():
        seen, legal = batch.observe()[0], batch.legal[0]
        for player in range(3):
            assert (state.position.seen[player] == seen[player]).all()
            asked = bool(batch.to_act[0, player])
            expected = np.flatnonzero(legal[player]).tolist() if asked else []
            assert state.legal_actions(player) == expected
        actions = [draws.choice(np.flatnonzero(mask).tolist()) for mask in legal]
        before = batch.clone()
        batch.step([actions])
        deciding = np.flatnonzero(before.to_act[0]).tolist()
        if len(deciding) > 1:
            state.apply_actions(actions)
        else:
            state.apply_action(actions[deciding[0]])
        if state.is_chance_node():
            batch = before
            batch.redeal(7)
            batch.step([actions])
            state.apply_action(0)
    assert batch.over[0]
    assert state.returns() == pytest.approx(batch.rewards(reward)[0].tolist())
    assert any(state.returns())


def test_a_snapshot_goes_on_where_it_was() -> None:
    snapshot = last_round(3)
    game = load("strand_unter", snapshot=snapshot)
    state = game.new_initial_state()
    assert state.batch.snapshot(0) == snapshot
    assert game.num_players() == 2
    assert not state.is_chance_node()
    with pytest.raises(ValueError, match="snapshot: it has its own number of players"):
        load("strand_unter", snapshot=snapshot, num_players=2)


def test_no_chance_is_left_in_a_last_round() -> None:
    game = load("strand_unter", snapshot=last_round(1), turn_based=True, deals=1)
    assert not any(
        state.is_chance_node()
        for state in get_all_states.get_all_states(game, include_terminals=True, include_chance_states=True).values()
    )


def test_words_for_actions() -> None:
    state = begun(load("maui", num_players=2, seed=1))
    house = game_of("maui")
    for action in state.legal_actions():
        assert state.action_to_string(action) == house.describe(action, state.batch.ruleset)


def test_chance_is_sampled_again_in_each_clone() -> None:
    state = load("maui", num_players=2, seed=1).new_initial_state()
    dealt = set()
    for _ in range(5):
        copy = state.clone()
        copy.apply_action(0)
        dealt.add(str(copy))
    assert len(dealt) == 5
    one, other = (begun(load("maui", num_players=2, seed=1)) for _ in range(2))
    assert str(one) == str(other)


def test_a_search_does_not_see_what_will_be_drawn() -> None:
    """Until the chance node is passed, states hold the next draw of nobody: it is another one in each clone."""
    state = begun(load("maui", num_players=2, seed=2))
    while not state.is_chance_node():
        state.apply_action(state.legal_actions()[0])
    towels = set()
    for _ in range(12):
        copy = state.clone()
        copy.apply_action(0)
        towels.add(tuple(copy.batch.snapshot(0)["market"]))
    assert len(towels) > 3


# Saving


@pytest.mark.parametrize(("name", "players", "turn_based"), GAMES)
def test_round_trips(name: str, players: int, turn_based: bool) -> None:
    """OpenSpiel writes a game and its state together only where chance is explicit, if the game is in Python."""
    for deals in (None, 3):
        game = load(name, num_players=players, turn_based=turn_based, seed=3, deals=deals)
        state = midway(game)
        copies = [state.clone(), game.deserialize_state(state.serialize())]
        if deals is not None:
            again, restored = pyspiel.deserialize_game_and_state(pyspiel.serialize_game_and_state(game, state))
            assert str(again) == str(game)
            copies += [restored, pickle.loads(pickle.dumps(state))]
        for copy in copies:
            assert str(copy) == str(state)
            assert copy.history() == state.history()
            for player in range(players):
                assert copy.information_state_string(player) == state.information_state_string(player)
                assert copy.legal_actions(player) == state.legal_actions(player)
            assert played(copy, random.Random(9), 1000).is_terminal()
            assert not state.is_terminal()


def test_parameters_survive() -> None:
    ruleset = Ruleset(shells=(21, 19, 20, 20))
    game = load("strand_unter", num_players=3, ruleset=ruleset, hide_buckets=True, reward="margin", encoding="compact")
    again = pyspiel.load_game(str(game))
    assert again.batch.ruleset == ruleset
    assert again.batch.chosen_options == {"hide_buckets": True}
    assert again.reward == "margin"
    assert again.observation_tensor_shape() == game.observation_tensor_shape() == [game.batch.layout.size]
    assert set(LISTED) <= set(pyspiel.registered_names())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"num_players": 9}, "num_players: "),
        ({"reward": "fame"}, "reward: "),
        ({"deals": 0}, "deals: "),
        ({"turn_based": 2}, "turn_based: "),
        ({"variant": "other"}, "variant: "),
        ({"ruleset": 3}, "ruleset: "),
        ({"snapshot": {"players": 2}}, "snapshot 0: "),
        ({"encoding": "none"}, "encoding: "),
        ({"seed": -1}, "seed: "),
        ({"threads": 2}, "options: "),
        *(({"num_players": wrong}, "num_players: ") for wrong in (0, False, [])),
        *(({"encoding": wrong}, "encoding: ") for wrong in (0, "")),
        ({"variant": ""}, "variant: "),
        ({"snapshot": {2}}, "snapshot: expected plain data"),
        ({"snapshot": {"shells": np.zeros(4)}}, "snapshot: expected plain data"),
        ({"hide_buckets": {2}}, "options: expected plain data"),
    ],
)
def test_wrong_arguments_are_named(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        load("strand_unter", **arguments)


@pytest.mark.parametrize("game", game_ids())
@pytest.mark.parametrize("name", ["ruleset", "options", "snapshot"])
@pytest.mark.parametrize(
    "text",
    [
        *("[" * 100_000, '{"a":' * 5000, '{"a": 1, "a": 1}', '{"a": NaN}', '{"a": 1e999}', f'{{"a": {"9" * 5000}}}'),
        *("{", "", "[1]", "3", '"\x1b[2J"', '{"\x1b[2J": 1}', '{"threads": 1}', '{"a": "' + "x" * 2_000_000 + '"}'),
    ],
    ids=lambda text: f"{text[:9]!a}",
)
def test_texts_are_refused_in_a_sentence(game: str, name: str, text: str) -> None:
    """As in a saved game, which may come from anybody."""
    encoded = base64.urlsafe_b64encode(text.encode()).decode().rstrip("=") or "_"
    with pytest.raises(ValueError, match=f"{name}") as refusal:
        SpielGame(game_of(game), {name: encoded})
    assert str(refusal.value).isprintable()
    assert len(str(refusal.value)) < 1000


def test_numbers_of_numpy_are_numbers() -> None:
    game = load("maui", num_players=np.int64(3), seed=np.uint8(4), first=np.int8(1), turn_based=np.True_)
    assert str(game) == str(load("maui", num_players=3, seed=4, first=1, turn_based=True))


def test_damaged_parameters_are_named() -> None:
    with pytest.raises(ValueError, match="snapshot: expected JSON"):
        pyspiel.load_game("maui_v0", {"snapshot": "xyz"})


# Nothing hidden


@pytest.mark.parametrize(("name", "players", "turn_based"), GAMES)
def test_hidden_things_change_nothing_that_a_player_sees(name: str, players: int, turn_based: bool) -> None:
    """States that differ in what is hidden from a player alone are one information state."""
    draws, others_differ, worlds_differ = random.Random(2), 0, 0
    for seed in range(8):
        game = load(name, num_players=players, turn_based=turn_based, seed=seed)
        state = played(game.new_initial_state(), draws, draws.randrange(5, 60))
        if state.is_terminal():
            continue
        for player in range(players):
            other = state.resample_from_infostate(player, pyspiel.UniformProbabilitySampler(0.0, 1.0))
            assert other.information_state_string(player) == state.information_state_string(player)
            assert other.observation_string(player) == state.observation_string(player)
            assert other.information_state_tensor(player) == state.information_state_tensor(player)
            assert other.observation_tensor(player) == state.observation_tensor(player)
            assert other.current_player() == state.current_player()
            assert other.legal_actions(player) == state.legal_actions(player)
            worlds_differ += other.batch.snapshot(0) != state.batch.snapshot(0)
            rivals = [each for each in range(players) if each != player]
            others_differ += any(other.observation_string(each) != state.observation_string(each) for each in rivals)
            for each in (state, other):
                assert played(each.clone(), random.Random(4), 1000).is_terminal()
    assert worlds_differ
    assert others_differ or name != "sea_or_shore"
    assert not (others_differ and name == "maui")


def test_covered_shells_are_in_no_information_state() -> None:
    """Two games that differ under the sea alone look the same to all players, from the deal on."""
    one = game_of("strand_unter").batch(1, 2, 4)
    other = one.clone()
    other.redeal(99)
    states = [load("strand_unter", snapshot=games.snapshot(0)).new_initial_state() for games in (one, other)]
    assert states[0].batch.snapshot(0)["covered"] != states[1].batch.snapshot(0)["covered"]
    for player in range(2):
        assert states[0].information_state_string(player) == states[1].information_state_string(player)
    for state in states:  # until the next groove is uncovered
        played(state, random.Random(3), 30)
    assert states[0].information_state_string(0) != states[1].information_state_string(0)


def test_secret_choices_are_not_seen() -> None:
    state = begun(load("strand_unter", num_players=2, turn_based=True, seed=1))
    children = [state.child(action) for action in state.legal_actions()]
    assert len({child.information_state_string(1) for child in children}) == 1
    assert len({child.observation_string(1) for child in children}) == 1
    assert len({child.information_state_string(0) for child in children}) == len(children)
    draws = [children[0].resample_from_infostate(1, random.Random(seed).random) for seed in range(20)]
    assert len({other.position.chosen[0] for other in draws}) > 3  # what the other one chose is anybody's guess
    assert {other.information_state_string(1) for other in draws} == {children[0].information_state_string(1)}
    same = [child.resample_from_infostate(1, random.Random(0).random) for child in children]
    assert len({other.serialize() for other in same}) == 1, "nor does anything else say what was chosen"
    own = children[0].resample_from_infostate(0, random.Random(0).random)
    assert own.position.chosen == children[0].position.chosen


def test_who_has_passed_in_secret_is_not_asked_again() -> None:
    """In states that the next player takes for possible, the others have decided, whatever they chose."""
    met = 0
    for seed in range(12):
        game, draws = load("strand_unter", num_players=2, turn_based=True, seed=seed), random.Random(seed)
        state = begun(game)
        while not state.is_terminal():
            player = state.current_player()
            passed = player == 1 and state.position.chosen[0] == game.pass_action and state.batch.to_act[0, 0]
            if passed:
                met += 1
                assert state.resample_from_infostate(1, draws.random).current_player() == 1
                assert state.observation_string(0).endswith(f"chosen: {game.pass_action}")
            state = played(state, draws, 1)
    assert met


# Algorithms


@pytest.mark.parametrize(("name", "players"), [("strand_unter", 2), ("maui", 2), ("sea_or_shore", 3)])
def test_mcts(name: str, players: int) -> None:
    game = load(name, num_players=players, turn_based=True, seed=1, deals=8)
    state = begun(game)
    rollouts = mcts.RandomRolloutEvaluator(1, np.random.RandomState(0))
    bot = mcts.MCTSBot(game, 1.0, 20, rollouts, random_state=np.random.RandomState(0))
    assert bot.step(state) in state.legal_actions()


@pytest.mark.parametrize(("name", "players"), [("strand_unter", 2), ("sea_or_shore", 3)])
def test_information_set_mcts(name: str, players: int) -> None:
    game = load(name, num_players=players, turn_based=True, seed=1)
    state = played(begun(game), random.Random(3), 7)
    rollouts = mcts.RandomRolloutEvaluator(1, np.random.RandomState(0))
    bot = ismcts.ISMCTSBot(game, rollouts, 1.0, 20, random_state=np.random.RandomState(0))
    assert bot.step(state) in state.legal_actions()


def test_cfr_and_exploitability() -> None:
    """CFR+ comes near an equilibrium, by OpenSpiel's converter to turn-based games and by ours."""
    snapshot, values = last_round(2), []
    ours = load("strand_unter", snapshot=snapshot, turn_based=True, deals=1, reward="margin")
    theirs = pyspiel.convert_to_turn_based(load("strand_unter", snapshot=snapshot, deals=1, reward="margin"))
    for game in (ours, theirs):
        solver = cfr.CFRPlusSolver(game)
        for _ in range(40):
            solver.evaluate_and_update_policy()
        policy = solver.average_policy()
        assert exploitability.nash_conv(game, policy) < exploitability.nash_conv(game, UniformRandomPolicy(game)) / 10
        values.append(expected_game_score.policy_value(game.new_initial_state(), [policy, policy]))
    assert values[0] == pytest.approx(values[1], abs=0.02)


def test_outcome_sampling_mccfr() -> None:
    np.random.seed(0)  # noqa: NPY002  # which the solver draws from
    game = load("strand_unter", snapshot=last_round(2), turn_based=True, deals=1, reward="margin")
    solver = outcome_sampling_mccfr.OutcomeSamplingSolver(game)
    before = exploitability.nash_conv(game, solver.average_policy())
    for _ in range(3000):
        solver.iteration()
    assert exploitability.nash_conv(game, solver.average_policy()) < before


def test_exact_values_agree() -> None:
    """OpenSpiel's best responses to our agents, and its CFR+, come to the values of our backward induction."""
    rng = Streams(np.zeros(1, np.uint64))
    for seed, name in ((2, "tide"), (4, "random"), (2, "random")):
        game = load("strand_unter", snapshot=last_round(seed), turn_based=True, deals=1)
        tree, agent = GameTree(game.batch), agent_of(name)
        policy = TabularPolicy(game)
        for state in get_all_states.get_all_states(game, include_terminals=False).values():
            weights = policies_of(agent, state.batch, np.zeros(1, np.int64), np.array([state.current_player()]), rng)[0]
            policy.policy_for_key(state.information_state_string())[:] = weights
        low, high = (float(tree.best_response(agent, seat)[0]) for seat in (0, 1))
        assert exploitability.nash_conv(game, policy) == pytest.approx(high - low, abs=1e-9)
        on_policy = expected_game_score.policy_value(game.new_initial_state(), [policy, policy])
        assert on_policy[0] == pytest.approx(float(tree.between([agent, agent])[0]), abs=1e-9)
    solver = cfr.CFRPlusSolver(game)
    for _ in range(60):
        solver.evaluate_and_update_policy()
    average = solver.average_policy()
    value = expected_game_score.policy_value(game.new_initial_state(), [average, average])[0]
    gap = exploitability.nash_conv(game, average)
    assert abs(value - float(tree.equilibrium()[0][0])) <= gap + 1e-9


# As agents


@pytest.mark.parametrize(("name", "players"), [("strand_unter", 2), ("maui", 2), ("sea_or_shore", 3)])
def test_searches_are_agents_by_name(name: str, players: int) -> None:
    for kind in ("mcts", "ismcts"):
        if (name, kind) == ("maui", "ismcts"):
            with pytest.raises(ValueError, match="Maui has no hidden information"):
                agent_of(f"openspiel-{kind}:3", game=name)
            continue
        with pytest.raises(ValueError, match=r"openspiel-\w+:1: simulations: expected a whole number from 2 to"):
            agent_of(f"openspiel-{kind}:1", game=name)
        agent, batch = agent_of(f"openspiel-{kind}:3", game=name), game_of(name).batch(2, players, 5)
        chosen = []
        for moves in range(4):
            actions = joint_actions(agent, batch, moves)
            assert (actions == joint_actions(agent, batch, moves)).all()  # the same game, the same choices
            batch.step(actions)
            chosen.append(actions)
        assert len(np.unique(chosen)) > 2


def test_mcts_searches_past_what_is_drawn() -> None:
    """Where few actions are legal, so that its tree has nodes after draws, which it meets again and again."""
    agent, batch = agent_of("openspiel-mcts:40", game="maui"), game_of("maui").batch(1, 2, 5)
    for moves in range(12):
        batch.step(joint_actions(agent, batch, moves))


def test_bots_and_our_searches_get_equal_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    times = {"openspiel-mcts:2": 40.0, "mc:256": 100.0, "uct:256": 10_000_000.0}
    monkeypatch.setattr(bots, "time_of", lambda name, game: times.get(name, 39.0))
    monkeypatch.setattr(bots, "RESULTS", tmp_path)
    maui = game_of("maui")
    assert bots.bots_of(maui) == ["openspiel-mcts"]
    assert bots.bots_of(game_of("sea_or_shore")) == ["openspiel-mcts", "openspiel-ismcts"]
    pairs = bots.pairs_of(maui, 2)
    assert [pair.ours for pair in pairs] == ["mc:64", "uct:1"]  # 102 rollouts would take as long, and none
    times.clear()
    assert bots.pairs_of(maui, 2) == pairs  # as measured the first time
    row = bots.row_of(maui, pairs[1], 2)
    assert row.startswith("| Maui, 2 players | `openspiel-mcts:2` | 40 ms | `uct:1` | 39 ms | 2 | ")
    assert bots.row_of(maui, pairs[1], 2) == row
    assert bots.filled(bots.PAGE.read_text("utf-8"), "bots", "make bots", [row]).count(row) == 1


def test_a_search_is_timed_by_its_decisions() -> None:
    fast, slow = (bots.time_of(f"openspiel-mcts:{simulations}", game_of("maui")) for simulations in (2, 16))
    assert 0 < fast < slow


def test_the_first_player_can_be_another_one() -> None:
    state = begun(load("strand_unter", num_players=3, turn_based=True, first=2, seed=1))
    order = []
    for _ in range(3):
        order.append(state.current_player())
        state.apply_action(0)
    assert order == [2, 0, 1]


# α-rank


def test_alpha_rank_of_a_circle_and_of_who_beats_all() -> None:
    circle = [[0.5, 0.6, 0.4, 0.9], [0.4, 0.5, 0.6, 0.9], [0.6, 0.4, 0.5, 0.9], [0.1, 0.1, 0.1, 0.5]]
    shares = alpha_rank(circle)
    assert sum(shares) == pytest.approx(1)
    assert shares[:3] == pytest.approx([shares[0]] * 3)
    assert shares[3] < 0.01
    assert alpha_rank([[0.0, 0.9], [0.1, 0.0]]) == pytest.approx([0.99, 0.01])
    assert alpha_rank([[0.0, 0.5], [0.5, 0.0]]) == pytest.approx([0.5, 0.5])
    for wrong in ([[0.5, 0.1]], [0.5], [[0.5, float("nan")], [0.5, 0.5]]):
        with pytest.raises(ValueError, match="payoffs: expected a square matrix of finite numbers"):
            alpha_rank(wrong)


@pytest.mark.parametrize("players", [2, 3])
def test_the_arena_shows_alpha_ranks_beside_ratings(players: int, monkeypatch: pytest.MonkeyPatch) -> None:
    names = ["random", "tide", "greedy", "sprinter"]
    results = run_arena(names, 20, players)
    wins = [[estimate.mean for estimate in row] for row in results.crossplay]
    rivals = {agent: [other for other in range(4) if other != agent] for agent in range(4)}
    (first,) = (a for a in range(4) if all(wins[a][b] > wins[b][a] for b in rivals[a]))
    assert results.alpha_ranks is not None
    assert results.alpha_ranks[first] > 0.9
    assert sum(results.alpha_ranks) == pytest.approx(1)
    standings = next(iter(tables(results)))
    shown = {str(column.header): list(column.cells) for column in standings.columns}
    assert shown["α-rank %"][list(shown["agent"]).index(names[first])] == f"{100 * results.alpha_ranks[first]:.1f}"
    assert run_arena(names[:players], 2, players, versus="tide").alpha_ranks is None
    monkeypatch.setitem(sys.modules, "open_spiel.python.egt", None)
    without = run_arena(names, 1, players)
    assert without.alpha_ranks is None
    assert "α-rank %" not in [column.header for column in next(iter(tables(without))).columns]
    with pytest.raises(MissingExtra, match=r"α-rank needs more: pip install 'strand-env\[arena,openspiel\]'"):
        alpha_rank(wins)
