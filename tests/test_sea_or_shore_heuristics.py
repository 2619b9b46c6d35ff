"""Sea or Shore's agents: what they know, that they reckon rightly, and that each follows its plan."""

import os
import subprocess
import sys
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from sea_or_shore_positions import card, position

from strand_env.agents import Positions
from strand_env.agents.sea_or_shore.chances import BY_WAY, CHANCES, PER_ACTION, WAY, WIN
from strand_env.agents.sea_or_shore.heuristics import Bluffer, Counter, Heuristic, Hoarder, Reader, Skipper, Thief
from strand_env.agents.sea_or_shore.inference import ERROR
from strand_env.arena import versus
from strand_env.engine.randomness import Streams
from strand_env.sea_or_shore import NUM_ACTIONS, PASS, PHASES, Games, Ruleset
from strand_env.sea_or_shore.actions import ADD, SEAT, SHOW_NUMBER, TAKE

HEURISTICS = [Counter, Bluffer, Hoarder, Thief, Reader, Skipper]
SIDES = [(0, 0), (0, 1), (1, 0), (1, 1)]
FROZEN = [
    3739929601,
    2688483243,
    3032962650,
    3227482972,
    1197611044,
    369151736,
    3329871624,
    4038392777,
    4238698922,
    602532002,
    755888083,
    3357645667,
]  # of skipper: see below


def played(num_games: int, num_players: int = 4, sides: tuple[int, int] = (0, 0)) -> Games:
    """Games at all stages, by random play."""
    games = Games(num_games, num_players, seed=5, ruleset=Ruleset(sides=sides))
    longest = 40 * num_players
    for number in range(longest):
        going = (np.arange(num_games) * 7 % longest > number) & ~games.over
        games.step(games.random_actions(number)[going], going)
    games.reset(games.over)
    return games


def deciding(games: Games) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    numbers, seats = np.nonzero(games.to_act)
    return numbers, seats


def rate(agent: Heuristic, games: Games) -> npt.NDArray[np.float32]:
    return agent.rate(*games.look_at_rows(*deciding(games)))


def trick(opened: str, own: str, plays: str = "", gone: str = "", **more: Any) -> Games:
    """A game of 4 in which others have played and the next player, with the cards `own`, has to.

    Plays are such as "red 9 by colour, blue 7+2 by number", from seat 0 on, which leads; cards that are gone lie aside.
    """
    hand, lost = ([card(each) for each in words.split(", ")] if words else [] for words in (own, gone))
    moves = [each.partition(" by ") for each in plays.split(", ")] if plays else []
    cards = [card(what.partition("+")[0]) for what, _, _ in moves]
    rest = [each for each in range(48) if each not in (*hand, *lost, *cards)]
    rest.sort(key=lambda each: 5 * each % 12)  # high and low ones mixed
    hands = [[each, *(rest.pop(0) for _ in hand[1:])] for each in cards] + [hand]
    hands += [[rest.pop(0) for _ in hand] for _ in range(4 - len(hands))]
    snapshot = position(opened, [each[0] for each in hands], trick=13 - len(hand), **more)
    snapshot |= {"hands": [sorted(each) for each in hands], "aside": sorted(lost + rest), "box": []}
    games = Games.from_snapshots([snapshot])
    for player, (what, _, half) in enumerate(moves):
        step(games, player, cards[player] + (SHOW_NUMBER if half == "number" else 0))
        if games.snapshot(0)["phase"] == "extras":
            step(games, player, ADD + int(what.partition("+")[2] or 0))
    return games


def step(games: Games, player: int, action: int) -> None:
    games.step([[action if seat == player else PASS for seat in range(games.num_players)]])


def best(agent: Heuristic, games: Games) -> int:
    return int(rate(agent, games)[0].argmax())


def chance_to_win(games: Games, played_card: str, way: int = 0) -> float:
    """As it is counted: if the others play anything, or (1) high cards for high stakes."""
    features = CHANCES.encode(games.look_at_rows(*deciding(games))[0])[0]
    return float(features[card(played_card) * PER_ACTION + BY_WAY + WAY * way + WIN])


# What all of them know


def test_positions_are_of_all_phases() -> None:
    """So that the tests around say something about each of them."""
    for num_players in (3, 4, 5):
        legal = np.zeros(NUM_ACTIONS, np.bool_)
        for sides in SIDES:
            games = played(160, num_players, sides)
            legal |= games.legal[deciding(games)].any(0) != 0
        absent = set(np.flatnonzero(~legal).tolist())
        assert absent <= {
            PASS,
            *range(ADD + 6, SEAT),
            *range(SEAT + num_players, TAKE),
            *((114, 115) * (num_players == 3)),
        }


@pytest.mark.parametrize("num_players", [3, 4, 5])
@pytest.mark.parametrize("sides", SIDES)
def test_choices_do_not_depend_on_what_is_hidden(sides: tuple[int, int], num_players: int) -> None:
    """The same view, another deal: the same ratings and features."""
    games = played(160, num_players, sides)
    numbers, seats = deciding(games)
    one = games.select(numbers)
    other = one.clone()
    other.redeal(17, seats)
    rows = np.arange(len(numbers)), seats
    assert (one.state["hands"] != other.state["hands"]).any()
    for heuristic in HEURISTICS:
        ratings = [heuristic().rate(*each.look_at_rows(*rows)) for each in (one, other)]
        assert (ratings[0] == ratings[1]).all()
    features = [CHANCES.encode(each.look_at_rows(*rows)[0]) for each in (one, other)]
    assert (features[0] == features[1]).all()


PLAIN_PYTHON = """
import sys
import numpy as np
from test_sea_or_shore_heuristics import CHANCES, Skipper, deciding, played, rate
rated, features = [], []
for players, sides in ((3, (0, 1)), (4, (1, 0)), (5, (1, 1))):
    games = played(16, players, sides)
    rated.append(rate(Skipper(), games).ravel())
    features.append(CHANCES.encode(games.look_at_rows(*deciding(games))[0]).ravel())
np.save(sys.argv[1], np.concatenate(rated + features))
"""


@pytest.mark.slow
def test_plain_python_rates_and_encodes_the_same(tmp_path: Path) -> None:
    files = [tmp_path / "compiled.npy", tmp_path / "plain.npy"]
    for file, disabled in zip(files, ("0", "1"), strict=True):
        environment = os.environ | {"NUMBA_DISABLE_JIT": disabled, "PYTHONPATH": str(Path(__file__).parent)}
        subprocess.run([sys.executable, "-c", PLAIN_PYTHON, str(file)], env=environment, check=True)
    compiled, plain = (np.load(file) for file in files)
    assert compiled == pytest.approx(plain, abs=1e-4)


@pytest.mark.parametrize("num_players", [3, 4, 5])
def test_plays_are_as_likely_as_the_heuristic_was_to_make_them(num_players: int) -> None:
    """Taken back one by one, they are judged in the positions in which they were made."""
    games, agent = Games(20, num_players, seed=3), Skipper()
    likely, checked = np.ones((20, num_players)), 0
    for number in range(12 * num_players):
        rows = deciding(games)
        asked = np.isin(games.state["phase"][rows[0]], (PHASES.index("card"), PHASES.index("extras")))
        likely[games.state["table"]["played"] == 0] = 1
        if asked.any():
            at = rows[0][asked], rows[1][asked]
            found = agent.likelihoods(games.select(at[0]), at[1])
            others = np.where(np.arange(num_players) == at[1][:, None], 1, likely[at[0]])
            assert found == pytest.approx(others.prod(1), rel=1e-4)
            checked += (found < 1).sum()
        actions = games.random_actions(number)
        seen, masks = games.look_at_rows(*rows)
        chosen = agent.probabilities(seen, masks)[np.arange(len(rows[0])), actions[rows]]
        expected = (1 - ERROR) * chosen + ERROR / masks.sum(1)
        likely[rows[0][asked], rows[1][asked]] *= expected[asked]
        games.step(actions)
    assert checked > 100


def test_searches_find_likely_hands_behind_plays() -> None:
    """A colour shows: numbers are as frequent as Bayes' rule says, and what the searcher sees stays the same."""
    games = trick("blue 5, green 1", "blue 8, red 2, red 3, red 9, green 2, green 3", "blue 11 by colour")
    observer, rows = np.ones(4000, np.int64), 20  # each with a pool of its own
    positions = Positions(games, np.zeros(rows, np.int64), observer[:rows])
    redealt, likely = (
        positions.copies(
            np.full(rows, 200), Streams.of_decisions(np.arange(rows, dtype=np.uint64), 0, observer[:rows]), others
        )[0]
        for others in (None, Skipper())
    )
    weights = Skipper().likelihoods(redealt, observer)
    numbers = [redealt.state["cards"][:, 0] % 12 // 3 == part for part in range(4)]
    alike, expected = ([np.average(each, weights=by) for each in numbers] for by in (None, weights))
    assert max(abs(np.subtract(alike, expected))) > 0.08
    found = [(likely.state["cards"][:, 0] % 12 // 3 == part).mean() for part in range(4)]
    assert found == pytest.approx(expected, abs=0.04)
    seen = games.look_at_rows(np.zeros(1, np.int64), observer[:1])[0]
    assert (likely.look_at_rows(np.arange(4000), observer)[0] == seen).all()


# Each follows its plan


def test_counting_agrees_with_what_redeals_show() -> None:
    """The last player's chance to win a colour: as often as it is won when the hidden cards are redealt."""
    own = "blue 8, red 2, red 3, red 9, green 2, green 3, green 9, purple 2"
    games = trick("blue 5, green 1", own, "blue 9 by colour, red 11 by number, red 5 by colour")
    copies = games.select(np.zeros(4000, np.int64))
    copies.redeal(np.arange(4000, dtype=np.uint64), np.full(4000, 3))
    joint = np.full((4000, 4), PASS)
    joint[:, 3] = card("blue 8")
    copies.step(joint)
    won = np.mean([snapshot["treasures"][3] == [[1, 5]] for snapshot in map(copies.snapshot, range(4000))])
    assert 0.1 < won < 0.9
    assert chance_to_win(games, "blue 8") == pytest.approx(won, abs=0.04)


def test_the_counter_knows_when_nothing_can_beat_a_card() -> None:
    own, plays = "blue 9, red 2, green 3, red 3, red 4, green 5", "blue 2 by colour, red 5 by colour, red 6 by colour"
    unsure = trick("blue 5, green 1", own, plays)
    sure = trick("blue 5, green 1", own, plays, gone="blue 10, blue 11, blue 12")
    assert chance_to_win(unsure, "blue 9") < 0.9
    assert chance_to_win(sure, "blue 9") == pytest.approx(1)
    assert best(Counter(), sure) % 48 == card("blue 9")


def test_the_bluffer_shows_high_numbers_and_covers_low_ones() -> None:
    games = trick("blue 5, green 1", "blue 11, green 4, red 7")
    ratings = {agent: rate(agent(), games)[0] for agent in (Bluffer, Counter)}
    high, low = card("blue 11"), card("green 4")
    assert ratings[Bluffer][SHOW_NUMBER + high] > ratings[Bluffer][high]
    assert ratings[Bluffer][SHOW_NUMBER + low] < ratings[Bluffer][low]
    assert ratings[Counter][SHOW_NUMBER + high] == ratings[Counter][high]


def test_nobody_bluffs_when_nobody_plays_after() -> None:
    games = trick("blue 5, green 1", "blue 11, green 4", "red 5 by colour, red 6 by colour, green 9 by number")
    for heuristic in HEURISTICS:
        ratings = rate(heuristic(), games)[0]
        hand = [card("blue 11"), card("green 4")]
        assert (ratings[hand] == ratings[[SHOW_NUMBER + each for each in hand]]).all()


def added(agent: Heuristic, value: int) -> int:
    """How many extras an agent adds to a blue 9 for a treasure of this value, if only blue 10 has been played."""
    own, tens = "blue 9, green 2, green 3, green 4, red 2, red 3", "red 10, green 10, purple 10"
    plays = "blue 10 by number, red 6 by colour, red 8 by colour"
    games = trick(f"blue {value}, green 1", own, plays, gone=tens, extras=(0, 0, 0, 6))
    step(games, 3, card("blue 9"))
    return best(agent, games) - ADD


def test_the_hoarder_spends_extras_on_big_treasures_alone() -> None:
    """Otherwise it would rather lose, and get some."""
    assert (added(Counter(), 3), added(Counter(), 5)) == (2, 2)
    assert (added(Hoarder(), 3), added(Hoarder(), 5)) == (0, 2)


def test_the_thief_steals_and_robs_the_leader() -> None:
    piles = ("blue 3", "blue 4", "", "")
    games = trick(
        "blue 4, green 1",
        "blue 12, red 3",
        "blue 3 by colour, blue 2 by colour, green 3 by colour",
        piles=piles,
        points=[[5, 30, 5, 5]],
    )
    step(games, 3, card("blue 12"))
    assert best(Thief(), games) == SEAT + 2  # seat 1, which is ahead
    ratings = rate(Counter(), games)[0]
    assert ratings[SEAT + 2] == ratings[TAKE]


def test_the_reader_expects_high_cards_behind_big_treasures() -> None:
    """A covered number beside the colour of a five, and a covered colour, which may be that one."""
    for plays in (
        "blue 5 by colour, red 6 by colour, red 8 by colour",
        "blue 11 by number, red 6 by colour, red 8 by colour",
    ):
        games = trick("blue 5, green 1", "blue 9, red 3, green 2, green 3, red 2, red 10", plays)
        reader, counter = (float(rate(agent(), games)[0, card("blue 9")]) for agent in (Reader, Counter))
        assert reader < counter - 0.3
        assert chance_to_win(games, "blue 9", 1) < chance_to_win(games, "blue 9") - 0.05


def test_the_reference_stays_as_it_is() -> None:
    """What it thinks best in some positions. If this changes, results are no longer comparable: give it a new name."""
    digests = []
    for sides in SIDES:
        for players in (3, 4, 5):
            best_actions = rate(Skipper(), played(160, players, sides)).argmax(1)
            digests.append(zlib.crc32(best_actions.astype(np.int8).tobytes()))
    assert digests == FROZEN


def test_the_reference_beats_random_players_and_the_counter() -> None:
    assert versus("skipper", "random", deals=60, game="sea_or_shore").win.low > 0.9
    assert versus("skipper", "counter", deals=100, game="sea_or_shore").win.low > 0.4
