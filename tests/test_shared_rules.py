"""What agents and views work out from observations and snapshots agrees with the rules, in many random positions."""

from itertools import product

import numpy as np
import pytest
from playing import mid_game

from strand_env.agents.choosing import NEVER
from strand_env.agents.sea_or_shore.options import find_legal
from strand_env.agents.strand_unter.building import flooded_after
from strand_env.agents.strand_unter.dials import IMPOSSIBLE, rate_combinations_there
from strand_env.agents.strand_unter.shells import MOST, free_wilds
from strand_env.engine.bits import has
from strand_env.sea_or_shore import GAME as SEA_OR_SHORE
from strand_env.strand_unter import PASS, Games, layout
from strand_env.strand_unter.actions import BUILD_CASTLE, NUM_ACTIONS, TAKE_COLOUR, TAKE_PAIR, TAKEN
from strand_env.strand_unter.legal import build_options, combination_options, set_combinations, shells_of_colour
from strand_env.strand_unter.ruleset import COMBINATIONS, NUM_COLOURS, NUM_VALUES
from strand_env.strand_unter.scoring import castles_to_build, unfit_shells
from strand_env.strand_unter.seats import missing, to_build
from strand_env.strand_unter.state import BUILD, FLOODED, LAST_ROUND, READY
from strand_env.strand_unter.views.scores import account_of
from strand_env.strand_unter.views.words import collided, payable, places, points_of, progress

NUM_PLAYERS = 3


@pytest.fixture(scope="module")
def games() -> Games:
    return mid_game(300, NUM_PLAYERS)


@pytest.fixture(scope="module")
def players(games: Games) -> list[tuple]:
    """Each player of each game: the record, the player's number, and the own seat in the observation."""
    _, _, seats = layout.by_name(games.observe().reshape(-1, layout.size))
    seats = seats.reshape(games.num_games, NUM_PLAYERS, -1)
    everybody = np.ndindex(games.num_games, NUM_PLAYERS)
    return [(games.state[game], player, seats[game, player, 0]) for game, player in everybody]


def test_castles_to_build(players: list[tuple]) -> None:
    for game, player, seat in players:
        values = castles_to_build(game["castles"][player])
        assert to_build(seat) == values
        assert seat["built"] == NUM_VALUES - values.bit_count()


def test_what_a_castle_lacks(players: list[tuple]) -> None:
    complete = 0
    all_ready = [READY] * NUM_VALUES
    for game, player, seat in players:
        cards, bucket = game["cards"][player], game["buckets"][player]
        options = build_options(all_ready, cards, bucket)
        for value in range(NUM_VALUES):
            can_build = any(has(options, BUILD_CASTLE + NUM_COLOURS * value + wild) for wild in range(NUM_COLOURS))
            paid, wild = progress(cards[value].tolist(), bucket.tolist())
            assert missing(seat, value) == cards[value].sum() + 1 - sum(paid) - wild
            assert (missing(seat, value) == 0) == payable(cards[value].tolist(), bucket.tolist()) == can_build
            complete += can_build
    assert 200 < complete < NUM_VALUES * len(players) - 200


def test_free_wild_spaces_are_those_that_shells_still_fit_on(players: list[tuple]) -> None:
    seen = set()
    for game, player, seat in players:
        castles, cards, bucket = (game[name][player] for name in ("castles", "cards", "buckets"))
        # With enough white shells for all their own spaces, each one more takes a wild space or is unfit.
        enough = bucket.copy()
        enough[0] = max(enough[0], cards[:, 0].sum())
        filled = seat.copy()
        filled["bucket"] = enough
        free, unfit = free_wilds(filled), unfit_shells(castles, cards, enough)
        for more in range(NUM_VALUES + 2):
            enough[0] += more > 0
            assert unfit_shells(castles, cards, enough) == max(unfit + more - free, 0)
        seen.add(int(free_wilds(seat)))
    assert seen == set(range(NUM_VALUES + 1))


@pytest.mark.parametrize("num_players", [2, 4])
def test_when_the_sea_floods_a_castle(num_players: int) -> None:
    """One is built, then no more: it goes after the round that was foreseen."""
    games = mid_game(2000, num_players)
    _, tables, seats = layout.by_name(games.observe()[:, 0])
    building = [game for game in range(games.num_games) if tables["phase"][game, BUILD] and games.to_act[game, 0]]
    foreseen = {0: 0, 1: 0}
    for game in building:
        groove, high_tide = int(tables["groove"][game]), int(tables["high_tide"][game])
        expected = int(flooded_after(tables[game], seats[game], groove))
        one = games.select([game])
        actions = np.full((1, num_players), PASS)
        actions[0, 0] = one.legal[0, 0].argmax()
        value = (actions[0, 0] - BUILD_CASTLE) // NUM_COLOURS
        flooded = None
        while not one.over[0]:
            round_ = int(one.state["round"][0])
            one.step(actions)
            if flooded is None and one.state["castles"][0, 0, value] == FLOODED:
                flooded = round_
            actions = np.where(one.legal[:, :, PASS] == 1, PASS, one.legal.argmax(2))
        if one.state["round"][0] == LAST_ROUND:  # unless this castle was the fourth, which ended the game
            assert flooded == (expected if expected < LAST_ROUND else None)
            foreseen[high_tide] += 1
    assert min(foreseen.values()) > 20


def test_the_best_way_to_take_each_combination() -> None:
    rng = np.random.default_rng(3)
    kinds = np.zeros(len(COMBINATIONS), np.float32)
    available = unavailable = 0
    for _ in range(400):
        there = np.maximum(rng.integers(-3, 5, NUM_COLOURS), 0).astype(np.int8)
        worth = np.zeros((NUM_COLOURS, MOST + 1), np.float32)
        worth[:, 1:] = rng.normal(size=(NUM_COLOURS, MOST)).round(1)
        rate_combinations_there(there, worth, 0, kinds)
        for kind in range(len(COMBINATIONS)):
            options = combination_options(kind, there)
            ways = [action for action in range(NUM_ACTIONS) if has(options, action)]
            taken = [TAKEN[way] if way >= TAKE_PAIR else colour_taken(kind, way, there) for way in ways]
            best = max((sum(worth[colour, count] for colour, count in enumerate(row)) for row in taken), default=NEVER)
            if ways:
                assert kinds[kind] == pytest.approx(best, abs=1e-5)
                available += 1
            else:
                assert kinds[kind] < IMPOSSIBLE
                unavailable += 1
    assert min(available, unavailable) > 500


def colour_taken(kind: int, action: int, there: np.ndarray) -> list[int]:
    colour = action - TAKE_COLOUR
    return [shells_of_colour(kind, int(there[each])) if each == colour else 0 for each in range(NUM_COLOURS)]


def test_views_count_as_the_rules_do(games: Games) -> None:
    """Points, unfit shells and collisions of snapshots are those of the records and of what players see."""
    _, _, seats = layout.by_name(games.observe()[:, 0])
    spells = 0
    for game in range(games.num_games):
        snapshot, record = games.snapshot(game), games.state[game]
        assert collided(snapshot["dials"]) == np.flatnonzero(seats[game]["in_spell"]).tolist()
        spells += set_combinations(record["dials"])[1] != 0
        for player in range(NUM_PLAYERS):
            castles, cards, bucket = (record[name][player] for name in ("castles", "cards", "buckets"))
            assert places(snapshot["castles"][player]) == castles.tolist()
            assert sum(points_of(snapshot["castles"][player])) == seats[game, player]["points"]
            account = account_of(snapshot, player)
            assert sum(account.unfit) == unfit_shells(castles, cards, bucket)
            assert account.points == sum(account.castle_points) - sum(account.unfit)
            assert np.add(account.fit, account.unfit).tolist() == bucket.tolist()
            assert min(*account.fit, *account.unfit) >= 0
    assert spells > 20


def test_legal_actions_as_they_follow_from_what_a_player_sees() -> None:
    """In every phase of Sea or Shore, with all sides of the action cards: those of the rules."""
    decisions = np.zeros(len(SEA_OR_SHORE.batch.phases), np.int64)
    found = np.empty(SEA_OR_SHORE.num_actions, np.int8)
    for players, sides in product(SEA_OR_SHORE.player_counts, product((0, 1), repeat=2)):
        games = SEA_OR_SHORE.batch(8, players, seed=6, ruleset=SEA_OR_SHORE.ruleset(sides=sides))
        step = 0
        while not games.over.all():
            rows, seats = np.nonzero(games.to_act)
            observations, masks = games.look_at_rows(rows, seats)
            _, tables, seats_seen = games.layout.by_name(observations)
            for row, mask in enumerate(masks):
                find_legal(tables[row], seats_seen[row], found)
                assert (found == mask).all()
            np.add.at(decisions, games.state["phase"][rows], 1)
            games.step(games.random_actions(step))
            step += 1
    assert decisions[:-1].min() > 50
