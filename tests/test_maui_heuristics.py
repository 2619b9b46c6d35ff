"""Maui's heuristics: what they know, that they reckon exactly, and that each follows its plan."""

import zlib
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from maui_positions import DOLLARS, SPARE, STEP, TOKEN, start, take

from strand_env.agents.maui.heuristics import Beachcomber, Greedy, Heuristic, Nalu, Racer, Scout
from strand_env.agents.rollouts import finish
from strand_env.arena import versus
from strand_env.maui import PASS, VARIANTS, Games, Ruleset, layout

FROZEN = [
    4278617173,
    2160519638,
    656585483,
    4068615312,
    1901772389,
    674802790,
    3003387372,
    3825535503,
    3386071546,
]  # of nalu: see below
HEURISTICS = [Greedy, Scout, Beachcomber, Racer, Nalu]

# Points and nothing else
PLAIN = Greedy.weights | {"dollar": (0.0,) * 4, "tempo": 0.0, "lay": 0.0}
SEVERAL = Ruleset(
    ornaments=((0, 3, 0), (1, 4, 1)),
    umbrella_spots=((2, 1), (2, 7), (5, 2), (6, 5), (8, 3), (9, 6), (11, 2), (12, 5)),
    crab_spots=((2, 4), (2, 6), (5, 6), (7, 4), (9, 2), (10, 6), (12, 4)),
    penalty=2,
)


def played(num_games: int, num_players: int = 4, variant: str = "base", ruleset: Ruleset | None = None) -> Games:
    """Games at all stages, by random play."""
    games = Games(num_games, num_players, seed=5, ruleset=ruleset, variant=variant)
    longest = (32 if variant == "combined" else 16) * num_players
    for number in range(longest):
        going = np.arange(num_games) % longest > number
        games.step(games.random_actions(number)[going], going)
    games.reset(games.over)
    return games


def deciding(games: Games) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    numbers, seats = np.nonzero(games.to_act)
    return numbers, seats


def rate(agent: Heuristic, games: Games) -> npt.NDArray[np.float32]:
    return agent.rate(*games.look_at_rows(*deciding(games)))


def best(agent: Heuristic, games: Games) -> int:
    return int(rate(agent, games)[0].argmax())


def points(games: Games, seats: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """(games,): a player's points as they stand. Dollars of the first of two parts are worth nothing."""
    rows = np.arange(games.num_games)
    known = games.statistics(rows, seats)
    _, tables, seen = layout.by_name(games.look_at_rows(rows, seats)[0])
    dollars = np.where((tables["variant"][:, 2] == 1) & (tables["part"] == 1), 0, seen["dollars"][:, 0])
    lost = games.ruleset.penalty * known["penalties"] + known["crab points"]
    return known["track points"] + known["pearl points"] + dollars - lost


def turns(games: Games, seats: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """(games,): the turns of this part in which a player has decided already."""
    _, tables, seen = layout.by_name(games.look_at_rows(np.arange(games.num_games), seats)[0])
    asked = (seen["order"] * seen["to_act"]).sum(1)
    amid_own = (seen["to_act"][:, 0] == 1) & (tables["phase"][:, 0] == 0)
    return tables["round"].astype(np.int64) - 1 + (seen["order"][:, 0] < asked) + amid_own


def after(games: Games, numbers: Any, seats: Any, actions: Any) -> Games:
    """Copies of games, each stepped with a player's action."""
    copies = games.select(numbers)
    joint = np.full((len(numbers), games.num_players), PASS)
    joint[np.arange(len(numbers)), seats] = actions
    copies.step(joint)
    return copies


def most_points(games: Games, seats: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """(games,): the most points that a player can have at the end of the turn, by trying everything."""
    most = points(games, seats)
    asked = games.to_act[np.arange(games.num_games), seats] & (games.state["phase"] != 0)
    if asked.any():
        rows = np.flatnonzero(asked)
        which, actions = np.nonzero(games.legal[rows, seats[rows]])
        tried = after(games, rows[which], seats[rows][which], actions)
        most[rows] = -1000
        np.maximum.at(most, rows[which], most_points(tried, seats[rows][which]))
    return most


@pytest.mark.parametrize("num_players", [2, 3, 4])
@pytest.mark.parametrize(("variant", "ruleset"), [*((variant, None) for variant in VARIANTS), ("crabs", SEVERAL)])
def test_an_action_is_rated_by_the_points_that_it_brings(
    variant: str, ruleset: Ruleset | None, num_players: int
) -> None:
    """With the best use of umbrellas and tokens in the rest of the turn: as the engine really gives them."""
    games = played(960, num_players, variant, ruleset)
    numbers, seats = deciding(games)
    ratings = rate(Heuristic(PLAIN, games.ruleset), games)
    rows, actions = np.nonzero(ratings > -1000)
    tried = after(games, numbers[rows], seats[rows], actions)
    before, owners = games.select(numbers[rows]), seats[rows]
    gained = most_points(tried, owners) - points(before, owners)
    # Without actions that may end the first part, after which dollars are dealt again, and those after which the
    # player's next turn was carried out without asking.
    table = layout.by_name(before.look_at_rows(np.arange(len(rows)), owners)[0])[1]
    ends_part = (table["variant"][:, 2] == 1) & (table["part"] == 1) & (table["columns_left"] <= 1)
    compared = ~ends_part & (turns(tried, owners) <= table["round"])
    assert compared.mean() > 0.9
    assert ratings[rows, actions][compared] == pytest.approx(gained[compared], abs=1e-3)


def test_all_kinds_of_actions_are_rated() -> None:
    """So that the test above says something about each of them."""
    games = played(960)
    legal = games.legal[deciding(games)].any(0)
    for kind in (range(DOLLARS), range(DOLLARS, SPARE), range(STEP, TOKEN), range(TOKEN, PASS), [PASS]):
        assert legal[kind].any(), kind
    stuck = start("YPB", -1, 2, {0: "YPV", 1: "BRY", 2: "PYR", 3: "PRV", 4: "YBP", 5: "RVP"}, dollars=0, zones=(0, 0))
    ratings = rate(Nalu(), stuck)[0]
    assert (ratings > -1000).nonzero()[0].tolist() == list(range(SPARE, SPARE + 6))


def test_weights_are_checked() -> None:
    with pytest.raises(ValueError, match=r"weights: guess: expected at least 0\.0001, got 0"):
        Heuristic(Greedy.weights | {"guess": 0})


# Each follows its plan


def test_greedy_takes_the_most_points_now() -> None:
    """Two matches rather than one; and no step on a full track."""
    market = {0: "YVR", 1: "VRP", 2: "BYR", 3: "YPV", 4: "RVB", 5: "BRV"}
    assert best(Greedy(), start("YPB", 3, 1, market, dollars=2)) == take(3)
    full = start("YPB", 3, 1, market, dollars=2, shells=(12, 12, 0, 0, 0))
    assert rate(Greedy(), full)[0, take(3)] == 0


def test_the_scout_prepares_the_next_turn() -> None:
    """Of two towels that bring the same now, it takes the one that another of the market continues."""
    market = {0: "YPV", 1: "RPV", 2: "RBY", 3: "YVP", 4: "BRY", 5: "BYR"}
    games = start("YBR", 3, 1, market, dollars=2)
    one, other = take(0), take(3)
    now, ahead = rate(Greedy(), games)[0], rate(Scout(), games)[0]
    assert now[one] == now[other]
    assert ahead[one] > ahead[other], "RPV would follow in two rows"


def averages(agent: Heuristic, variant: str = "base") -> dict[str, float]:
    """Of what players have in the end, if all are alike."""
    games = Games(300, 4, seed=9, variant=variant)
    policy = agent.rollout_policy(games)
    assert policy is not None
    finish(games, [policy], np.arange(300, dtype=np.uint64), np.full((300, 4), -1))
    known = games.statistics(np.repeat(np.arange(300), 4), np.tile(np.arange(4), 300))
    return {name: float(values.mean()) for name, values in known.items()} | {"score": float(games.scores.mean())}


def test_greedy_scores_as_the_rules_tell() -> None:
    """The table at the end of the rules: 57 points in the base game, 41 with crabs, 110 in the combined game."""
    for variant, expected in (("base", 57), ("crabs", 41), ("combined", 110)):
        assert averages(Greedy(), variant)["score"] == pytest.approx(expected, abs=1.5)


def test_the_beachcomber_collects_and_the_racer_hurries() -> None:
    scout, beachcomber, racer = averages(Scout()), averages(Beachcomber()), averages(Racer())
    assert beachcomber["pearl points"] > scout["pearl points"] + 1.5
    assert racer["towels"] > scout["towels"] + 0.15


def test_the_reference_stays_as_it_is() -> None:
    """What it thinks best in some positions. If this changes, results are no longer comparable: give it a new name."""
    digests = []
    for variant in VARIANTS:
        for players in (2, 3, 4):
            best_actions = rate(Nalu(), played(192, players, variant)).argmax(1)
            digests.append(zlib.crc32(best_actions.astype(np.int8).tobytes()))
    assert digests == FROZEN


def test_the_reference_beats_random_and_greedy_players() -> None:
    assert versus("nalu", "random", deals=100, game="maui").win.low > 0.95
    assert versus("nalu", "greedy", deals=150, game="maui").win.low > 0.45
