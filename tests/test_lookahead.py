"""Agents with lookahead: they find what a turn shows, see nothing hidden, and are saved and loaded."""

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from strand_env.agents import agent_of, ask, joint_actions
from strand_env.agents.encoding import encoding_of
from strand_env.agents.lookahead import LAMBDA, LookaheadAgent, _in_the_race
from strand_env.agents.network import Lookahead, Network, NetworkAgent, layer_sizes, load_agent, save_agent
from strand_env.arena import versus
from strand_env.engine.game import Game
from strand_env.engine.randomness import Streams
from strand_env.registry import game_of
from strand_env.train.config import Config

LOOKAHEAD = Lookahead(samples=4, reward="margin", unit=0.01, shaping=1.0)


def blind(game: Game) -> NetworkAgent:
    """All actions are worth the same to it."""
    encoding = encoding_of(game, 4)
    sizes = layer_sizes(game, encoding, [4])
    layers = [(np.zeros(shape, np.float32), np.zeros(shape[1], np.float32)) for shape in pairwise(sizes)]
    return NetworkAgent(Network(layers, "relu", encoding.per_action), encoding, 0.0, game.id)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["maui", "strand_unter"])
def test_it_finds_points_that_the_network_does_not_know(name: str) -> None:
    """Without any idea of values, all comes from the potential: the lead at its next turn."""
    game = game_of(name)
    policy = blind(game)
    shares = [
        versus(agent, "random", 20, 4, game=game).win.mean for agent in (policy, LookaheadAgent(policy, LOOKAHEAD))
    ]
    assert shares[1] > shares[0] + 0.2


def test_its_choices_depend_neither_on_the_draws_to_come_nor_on_the_batch() -> None:
    game = game_of("maui")
    agent = LookaheadAgent(blind(game), LOOKAHEAD)
    games = game.batch(30, 4, seed=1)
    for moves in range(20):
        games.step(joint_actions(agent_of("nalu", game=game), games, moves))
    numbers, seats = np.nonzero(games.to_act)
    rng = Streams.of_decisions(games.seeds[numbers], 20, seats)
    chosen = ask(agent, games, numbers, seats, rng)
    assert len(np.unique(chosen)) > 3
    other_draws = games.clone()
    other_draws.redeal(7)
    rng = Streams.of_decisions(games.seeds[numbers], 20, seats)
    assert (ask(agent, other_draws, numbers, seats, rng) == chosen).all()
    for row in range(5):
        rows = np.array([row])
        rng = Streams.of_decisions(games.seeds[numbers[rows]], 20, seats[rows])
        assert ask(agent, games, numbers[rows], seats[rows], rng) == chosen[row]


def test_turns_to_come_are_mixed_by_lambda() -> None:
    """With an even chance at every turn of its own, all comes from the end, which counts the less the later it is."""
    game = game_of("maui")
    games = game.batch(40, 4, seed=1)
    for moves in range(30):
        games.step(joint_actions(agent_of("nalu", game=game), games, moves))
    games, (numbers, own) = games.clone(), np.nonzero(games.to_act)
    actions = ask(agent_of("nalu", game=game), games, numbers, own, Streams.of_decisions(games.seeds, 30, own))
    lookahead = replace(LOOKAHEAD, turns=1000, shaping=0.0, steepness=0.15)
    found = LookaheadAgent(blind(game), lookahead)._play_on(games, own, actions, games.seeds.copy())
    assert games.over.all()
    won = games.rewards("win")[numbers, own] + 1 / 4
    weights = (found - 1 / 4) / (won - 1 / 4)
    turns = np.log(weights) / np.log(LAMBDA)
    assert turns == pytest.approx(turns.round(), abs=1e-6)
    assert turns.min() > 0
    assert len(np.unique(turns.round())) > 1


def test_values_are_win_probabilities() -> None:
    agent = LookaheadAgent(blind(game_of("maui")), replace(LOOKAHEAD, shaping=0.0, steepness=0.5))
    observations = game_of("maui").batch(3, 4, seed=1).look_at_rows(np.arange(3), np.zeros(3, np.int64))[0]
    values = agent._values(np.array([-4, 0, 4], np.float32), observations, 4)
    odds = values / (1 - values)
    assert values[1] == pytest.approx(1 / 4), "as good as the others"
    assert odds[2] / odds[1] == pytest.approx(np.exp(0.5 * 4))
    assert odds[1] / odds[0] == pytest.approx(np.exp(0.5 * 4))


def test_actions_race() -> None:
    """What is behind by more than its luck is out; what was out before stays out."""
    luck = np.array([3.0, -3, 3, -3, 3, -3, 3, -3])
    even = np.zeros(8)
    values = np.array([[even, even - 0.5 + luck, even - 2 + luck / 2, even + 9]])
    left = np.array([[True, True, True, False]])
    assert _in_the_race(values, left).tolist() == [[True, True, False, False]]


def test_the_networks_own_value_counts_as_much_as_the_agent_says() -> None:
    game = game_of("sea_or_shore")
    policy = load_agent(game.agents.trained["learned"])
    games = game.batch(20, 4, seed=1)
    for moves in range(12):
        games.step(joint_actions(agent_of("skipper", game=game), games, moves))
    rows = np.nonzero(games.to_act)
    own = policy.probabilities(*games.look_at_rows(*rows)).argmax(1)
    shares = []
    for prior in (0, 10_000):
        agent = LookaheadAgent(policy, Lookahead(4, "margin", 0.0007, 1.0, prior))
        chosen = ask(agent, games, *rows, Streams.of_decisions(games.seeds[rows[0]], 0, rows[1]))
        shares.append((chosen == own).mean())
    assert shares[0] < shares[1]
    assert shares[1] > 0.9


def saved(folder: Path, **changes: Any) -> Path:
    game = game_of("maui")
    policy = blind(game)
    save_agent(folder, policy.network, game, [4], policy.encoding, 0.0, lookahead=LOOKAHEAD)
    description = json.loads((folder / "agent.json").read_text())
    description["lookahead"] |= changes
    (folder / "agent.json").write_text(json.dumps(description))
    return folder


def test_it_is_loaded_by_name(tmp_path: Path) -> None:
    loaded = agent_of(str(saved(tmp_path)), game="maui")
    assert isinstance(loaded, LookaheadAgent)
    assert loaded.lookahead == LOOKAHEAD


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"samples": 0}, "lookahead: samples: expected a whole number from 1"),
        ({"samples": 10**6}, "lookahead: samples: expected a whole number from 1"),
        ({"reward": "fame"}, "lookahead: reward: expected one of"),
        ({"unit": 0}, "lookahead: unit: expected a number"),
        ({"unit": float("nan")}, "agent.json"),
        ({"shaping": -1}, "lookahead: shaping: expected a number"),
        ({"turns": 0}, "lookahead: turns: expected a whole number from 1"),
        ({"turns": 1.5}, "lookahead: turns: expected a whole number from 1"),
        ({"steepness": -1}, "lookahead: steepness: expected a number"),
        ({"depth": 2}, "lookahead: "),
        ({"prior": -1}, "lookahead: prior: expected a whole number from 0"),
    ],
)
def test_nonsense_in_a_folder_is_refused(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        load_agent(saved(tmp_path, **changes))


def test_only_values_can_look_ahead() -> None:
    with pytest.raises(ValueError, match="lookahead: expected 0 without dmc, which learns values; got 8"):
        Config(lookahead=8)
