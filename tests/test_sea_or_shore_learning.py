"""Learning Sea or Shore: the feature encoding, the potential, and the pictures of what agents do."""

import re
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure
from test_sea_or_shore_heuristics import SIDES, played
from typer.testing import CliRunner

from strand_env.agents import agent_of
from strand_env.agents.encoding import encoding_of
from strand_env.agents.lookahead import LookaheadAgent
from strand_env.agents.sea_or_shore.chances import CHANCES, PER_ACTION
from strand_env.arena import versus
from strand_env.cli import app
from strand_env.sea_or_shore import GAME, NUM_ACTIONS
from strand_env.sea_or_shore.potential import potential
from strand_env.train.inspection import FEWEST, MIXING, watch
from strand_env.train.sea_or_shore import Plays, difference_of_halves, draw_gains


def test_learners_are_shown_chances_by_default() -> None:
    assert encoding_of(GAME, 4) is CHANCES


@pytest.mark.parametrize("num_players", [3, 4, 5])
@pytest.mark.parametrize("sides", SIDES)
def test_features_tell_which_actions_are_legal(sides: tuple[int, int], num_players: int) -> None:
    games = played(160, num_players, sides)
    rows = np.repeat(np.arange(160), num_players), np.tile(np.arange(num_players), 160)
    observations, masks = games.look_at_rows(*rows)
    features = CHANCES.encode(observations)
    actions = features[:, : NUM_ACTIONS * PER_ACTION].reshape(len(masks), NUM_ACTIONS, PER_ACTION)
    assert (actions[:, :, 0] == masks).all()
    assert not actions[masks == 0].any()
    assert np.isfinite(features).all()
    assert abs(features).max() < 6


def test_the_potential_is_the_lead() -> None:
    games = played(200, 3)
    rows = np.repeat(np.arange(200), 3), np.tile(np.arange(3), 200)
    potentials = potential(games.look_at_rows(*rows)[0]).reshape(200, 3)
    assert potentials.sum(1) == pytest.approx(0, abs=1e-5)
    points = [
        [
            sum(value for _, value in pile) + extras // 2
            for pile, extras in zip(each["treasures"], each["extras"], strict=True)
        ]
        for each in map(games.snapshot, range(200))
        if each["round"] == 1
    ]
    rounds = [games.snapshot(game)["round"] == 1 for game in range(200)]
    leads = np.array(points) - (np.sum(points, axis=1, keepdims=True) - points) / 2
    assert potentials[rounds] * games.most_points(games.ruleset, None) == pytest.approx(leads, abs=1e-3)


def bundled() -> LookaheadAgent:
    agent = agent_of("learned", game="sea_or_shore")
    assert isinstance(agent, LookaheadAgent)
    return agent


def test_plays_are_told_with_the_half_that_shows_and_their_gain() -> None:
    plays = Plays(watch("bluffer", "skipper", 60, 4, 0, "sea_or_shore"))
    assert len(plays.numbers) == 60 * 24
    before_others = ~plays.is_last
    assert plays.shows_number[before_others & (plays.numbers >= 10)].mean() > 0.9
    assert plays.shows_number[before_others & (plays.numbers <= 3)].mean() < 0.1
    assert np.isnan(plays.gains).sum() == 60
    assert 0.5 < np.nanmean(plays.gains) < 2


def test_halves_are_compared_at_equal_number_and_stake() -> None:
    """Whatever else numbers and stakes gain does not count, and cards of one game are no independent samples."""
    rng = np.random.default_rng(1)
    strata, games = rng.integers(12, size=6000), np.repeat(np.arange(600), 10)
    shows = rng.random(6000) < np.linspace(0.05, 0.95, 12)[strata]
    worth = 5 * strata + 0.3 * shows
    assert difference_of_halves(shows, worth, strata, games) == pytest.approx((0.3, 0.3, 0.3))
    noisy = worth + rng.normal(0, 2, 6000)
    mean, low, high = difference_of_halves(shows, noisy, strata, games)
    assert low < 0.3 < high
    assert low + high == pytest.approx(2 * mean)
    assert 0.1 < mean - low < 0.2
    together = noisy + rng.normal(0, 2, 600)[games] * np.where(shows, 1, -1)
    _, low, high = difference_of_halves(shows, together, strata, games)
    assert high - low > 0.45
    assert difference_of_halves(strata > 5, worth, strata, games) is None
    assert difference_of_halves(shows[:10], worth[:10], 0 * strata[:10], games[:10]) is None, "one game"


def test_gains_are_drawn_however_few() -> None:
    """With axes of equal height, and with the difference that the half makes."""
    figure = Figure()
    axes = figure.subplots()
    draw_gains(axes, watch("bluffer", "skipper", 12, 4, 0, "sea_or_shore"))
    drawn = {line.get_label(): line for line in axes.lines}
    assert len(axes.lines) == 7
    points = sum(np.isfinite(line.get_ydata()).sum() for line in drawn.values())
    assert points > 15
    legend = [text.get_text() for text in axes.get_legend().get_texts()]
    assert f"fewer than {FEWEST} cards" in legend
    number = r"[+−]\d\.\d\d"
    assert re.match(rf"bluffer\nnumber in place of colour: {number} \({number} to {number}\)", axes.get_title())


@pytest.mark.slow
def test_pictures_are_drawn(tmp_path: Path) -> None:
    command = ["inspect", "bluffer", "--game", "sea_or_shore", "--games", "20", "--compare", "counter"]
    done = CliRunner().invoke(app, [*command, "--folder", str(tmp_path)])
    assert done.exit_code == 0, done.output
    assert {path.stem for path in tmp_path.glob("*.png")} == {*GAME.training.pictures, *MIXING}


@pytest.mark.slow
@pytest.mark.parametrize("players", [3, 4, 5])
def test_the_bundled_network_beats_the_reference_with_any_number_of_players(players: int) -> None:
    network = bundled().policy  # alone: looking ahead takes a thousand times as long
    assert versus(network, "skipper", 200, players, 8, "sea_or_shore").win.low > 1 / players
    assert versus("skipper", network, 200, players, 8, "sea_or_shore").win.high < 1 / players


@pytest.mark.slow
def test_the_bundled_agent_gains_by_looking_ahead() -> None:
    agent = bundled()
    without, with_it = (versus(each, "skipper", 8, 4, 8, "sea_or_shore").win.mean for each in (agent.policy, agent))
    assert with_it > without + 0.05


def test_the_bundled_agent_is_small() -> None:
    assert sum(path.stat().st_size for path in GAME.agents.trained["learned"].iterdir()) < 5_000_000
