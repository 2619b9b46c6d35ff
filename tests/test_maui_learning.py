"""Learning Maui: the feature encoding, the potential, and the pictures of what agents do."""

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from test_maui_heuristics import PLAIN, played
from typer.testing import CliRunner

from strand_env.agents.encoding import encoding_of
from strand_env.agents.maui.gains import ACTIONS, GAINS, NUM_IDEAS, POINTS, encode_gains
from strand_env.agents.maui.heuristics import Greedy, Nalu
from strand_env.agents.maui.ratings import GAINS_AND_RATINGS, encode_ratings
from strand_env.cli import app
from strand_env.maui import GAME, VARIANTS, Games, layout
from strand_env.train.maui import points, potential


def look(games: Games) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int8]]:
    return games.look_at_rows(*np.nonzero(games.to_act))


def shown_gains(features: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """(rows, actions, ideas)"""
    return features[:, : len(ACTIONS) * NUM_IDEAS].reshape(len(features), len(ACTIONS), NUM_IDEAS)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("players", [2, 4])
def test_gains_are_those_of_the_legal_actions(players: int, variant: str) -> None:
    observations, masks = look(played(600, players, variant))
    gains = shown_gains(encode_gains(observations))
    legal = masks[:, ACTIONS] == 1
    assert not gains[~legal].any()
    assert gains[legal].any(axis=1).mean() > 0.9  # the others bring nothing
    # That these are the engine's is tested with the heuristics.
    expected = Greedy(PLAIN).rate(observations, masks)[:, ACTIONS]
    assert gains[legal][:, 0] * POINTS == pytest.approx(expected[legal], abs=1e-4)


@pytest.mark.parametrize("variant", VARIANTS)
def test_ratings_are_those_of_the_reference(variant: str) -> None:
    observations, masks = look(played(600, 3, variant))
    shown = encode_ratings(observations).reshape(len(masks), len(ACTIONS), 2)
    legal = masks[:, ACTIONS] == 1
    ratings = Nalu().rate(observations, masks)[:, ACTIONS]
    worse = ratings - ratings.max(axis=1, keepdims=True)
    assert not shown[~legal].any()
    assert shown[..., 0][legal] == pytest.approx(np.maximum(1 + worse / 8, 0)[legal], abs=1e-4)
    assert shown[..., 1][legal] == pytest.approx(np.maximum(1 + worse, 0)[legal], abs=1e-4)


def test_features_are_finite_and_of_similar_size() -> None:
    for variant in VARIANTS:
        features = encode_gains(look(played(400, 3, variant))[0])
        assert features.shape[1] == GAINS.size
        assert np.abs(features).max() < 8
        # Entries are different things: a place that is written twice would leave the last ones empty.
        assert features[:, -1 - 12 : -12].any()


def test_features_do_not_depend_on_the_batch() -> None:
    observations, _ = look(played(100))
    alone = np.concatenate([encode_gains(row[np.newaxis]) for row in observations])
    assert (alone == encode_gains(observations)).all()


def test_it_is_the_encoding_that_learners_get() -> None:
    assert encoding_of(GAME, 4) is GAINS_AND_RATINGS


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
        assert {path.stem for path in (tmp_path / arguments[0]).glob("*.png")} == set(GAME.training.pictures)
