"""Learning Maui: the feature encoding, the potential, and the pictures of what agents do."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
import torch
from test_maui_heuristics import PLAIN, played
from typer.testing import CliRunner

from strand_env.agents import agent_of
from strand_env.agents.encoding import encoding_of
from strand_env.agents.lookahead import LookaheadAgent
from strand_env.agents.maui.afterstates import AFTERSTATES, PER_ACTION, encode_afterstates
from strand_env.agents.maui.heuristics import Greedy
from strand_env.agents.maui.position import POINTS
from strand_env.agents.maui.solo import solo
from strand_env.agents.network import NetworkAgent
from strand_env.arena import versus
from strand_env.cli import app
from strand_env.maui import GAME, VARIANTS, Games, layout
from strand_env.maui.actions import NUM_ACTIONS
from strand_env.maui.potential import points, potential
from strand_env.maui.ruleset import COLUMNS
from strand_env.train.config import Config
from strand_env.train.learner import PolicyPool, environment_of, model_of, network_of

GAIN = 7  # the place of an action's points among its features
FORESEEN = -13  # that of what is foreseen of it, less the best


def look(games: Games) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int8]]:
    return games.look_at_rows(*np.nonzero(games.to_act))


def shown_actions(features: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """(rows, actions, features of each)"""
    return features[:, : NUM_ACTIONS * PER_ACTION].reshape(len(features), NUM_ACTIONS, PER_ACTION)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("players", [2, 3, 4])
def test_what_is_shown_of_actions_is_what_the_legal_ones_bring(players: int, variant: str) -> None:
    observations, masks = look(played(600, players, variant))
    shown = shown_actions(encode_afterstates(observations))
    legal = masks == 1
    assert (shown[:, :, 0] == legal).all()
    assert not shown[~legal].any()
    # Where no tokens can be laid, whose use is a guess, these are the points that the heuristics count; that those are
    # the engine's is tested with them.
    expected = Greedy(PLAIN).rate(observations, masks)
    without = legal & (layout.by_name(observations)[2][:, 0]["tokens"].sum(axis=1) == 0)[:, np.newaxis]
    assert without.any()
    assert shown[without][:, GAIN] * POINTS == pytest.approx(expected[without], abs=1e-4)


def test_features_are_finite_and_of_similar_size() -> None:
    for variant in VARIANTS:
        features = encode_afterstates(look(played(400, 3, variant))[0])
        assert features.shape[1] == AFTERSTATES.size
        assert np.abs(features).max() < 8
        # Entries are different things: a place that is written twice would leave the last ones empty.
        assert features[:, -1 - 12 : -12].any()
        assert shown_actions(features)[:, :, -1].any()


def test_features_do_not_depend_on_the_batch() -> None:
    observations, _ = look(played(100))
    alone = np.concatenate([encode_afterstates(row[np.newaxis]) for row in observations])
    assert (alone == encode_afterstates(observations)).all()


def test_the_last_turn_is_foreseen_exactly() -> None:
    """Where no other turn follows, the best of what is foreseen is the best that the engine makes of any action."""
    games = played(2000)
    numbers, seats = np.nonzero(games.to_act)
    observations, masks = games.look_at_rows(numbers, seats)
    _, tables, everybody = layout.by_name(observations)
    own = everybody[:, 0]
    last = (tables["last_round"] == 1) & (tables["phase"][:, 0] == 1) & (own["tokens"].sum(axis=1) == 0)
    umbrellas = own["ahead"][:, 0, :, 2:4].any(axis=(1, 2))  # which would be another decision
    rows = np.flatnonzero(last & ~umbrellas)
    assert len(rows) > 10
    foreseen = shown_actions(encode_afterstates(observations))[:, :, FORESEEN]
    for row in rows[:40]:
        legal = np.flatnonzero(masks[row])
        copies = games.select(np.full(len(legal), numbers[row]))
        actions = np.full((len(legal), 4), copies.pass_action)
        actions[:, seats[row]] = legal
        copies.step(actions)
        copies_seen, _ = copies.look_at_rows(np.arange(len(legal)), np.full(len(legal), seats[row]))
        scores = points(layout.by_name(copies_seen)[2])[:, 0]
        assert foreseen[row, legal] * POINTS == pytest.approx(scores - scores.max(), abs=1e-3)


def test_in_the_model_of_one_player_time_and_money_are_worth_something() -> None:
    values = solo().values
    for turns in range(1, COLUMNS + 1):
        known = values[:, turns, 1 : COLUMNS + 2 - turns]
        assert (np.diff(known, axis=-1) >= -1e-3).all(), "another dollar"
        assert (known > values[:, turns - 1, 1 : COLUMNS + 2 - turns]).all(), "another turn"
    assert solo().moves[:, 1 : COLUMNS + 1].sum(axis=-1) == pytest.approx(1)


def test_it_is_the_encoding_that_learners_get() -> None:
    assert encoding_of(GAME, 4) is AFTERSTATES


def test_the_policy_of_training_is_the_network_of_the_agent() -> None:
    config = Config(game="maui", n_envs=8, n_steps=4, batch_size=16, hidden="16,8", opponents="self=1", imitate=0)
    env = environment_of(config, PolicyPool(config))
    model = model_of(config, env)
    observations, masks = look(played(100))
    features = AFTERSTATES.encode(observations)
    policy = model.policy.get_distribution(torch.from_numpy(features), masks).distribution.probs.detach().numpy()
    agent = NetworkAgent(network_of(model), AFTERSTATES)
    assert agent.probabilities(observations, masks) == pytest.approx(policy, abs=1e-5)
    assert policy.std() > 0


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_potential_ends_as_the_margin(variant: str) -> None:
    games = Games(50, 3, seed=2, variant=variant)
    number = 0
    while not games.over.all():
        going = ~games.over
        games.step(games.random_actions(number)[going], going)
        number += 1
    everybody = np.repeat(np.arange(50), 3), np.tile(np.arange(3), 50)
    observations, _ = games.look_at_rows(*everybody)
    assert potential(observations) == pytest.approx(games.rewards("margin").ravel(), abs=1e-5)
    assert (points(layout.by_name(observations)[2])[:, 0] == games.scores.ravel()).all()


@pytest.mark.slow
def test_pictures_are_drawn(tmp_path: Path) -> None:
    for arguments in (["greedy", "--compare", "random", "--games", "40"], ["random", "--compare", "", "--games", "1"]):
        told = CliRunner().invoke(
            app, ["inspect", *arguments, "--game", "maui", "--folder", str(tmp_path / arguments[0])]
        )
        assert told.exit_code == 0, told.exception
        assert {path.stem for path in (tmp_path / arguments[0]).glob("*.png")} == {*GAME.training.pictures, "mixing"}


def bundled() -> LookaheadAgent:
    agent = agent_of("learned", game="maui")
    assert isinstance(agent, LookaheadAgent)
    return agent


@pytest.mark.slow
@pytest.mark.parametrize(
    ("players", "variant", "least", "most"),
    [(2, "combined", 0.8, 0.2), (3, "crabs", 0.45, 0.24), (4, "base", 0.3, 0.2)],
)
def test_the_bundled_network_beats_the_reference(players: int, variant: str, least: float, most: float) -> None:
    network = bundled().policy  # alone: looking ahead takes a thousand times as long
    assert versus(network, "nalu", 300, players, 8, "maui", variant).win.mean > least
    assert versus("nalu", network, 300, players, 8, "maui", variant).win.mean < most


@pytest.mark.slow
def test_the_bundled_agent_gains_by_looking_ahead() -> None:
    agent = bundled()
    quick = LookaheadAgent(agent.policy, replace(agent.lookahead, samples=16, turns=3))
    without, with_it = (versus(each, "nalu", 15, 4, 8, "maui").win.mean for each in (agent.policy, quick))
    assert with_it > without + 0.05


def test_the_bundled_agent_is_small() -> None:
    assert sum(path.stat().st_size for path in GAME.agents.trained["learned"].iterdir()) < 5_000_000
