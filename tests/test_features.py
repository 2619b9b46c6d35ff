"""The default encodings: held against plain readings of snapshots, within their bounds, and with nothing hidden."""

import json
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playing import mid_game, random_play
from subjects import SUBJECTS
from subjects.base import Configuration, described
from toy_game import STONES

from strand_env.adapters.environments import Environments
from strand_env.engine.game import Game
from strand_env.maui import GAME as MAUI
from strand_env.maui.actions import DOLLARS, SHIFTS, TURN
from strand_env.maui.potential import points
from strand_env.maui.ruleset import PRICES
from strand_env.registry import game_ids, game_of
from strand_env.sea_or_shore import GAME as SEA_OR_SHORE
from strand_env.sea_or_shore import Ruleset as SeaOrShoreRuleset
from strand_env.sea_or_shore.actions import CARD
from strand_env.sea_or_shore.layout import layout_of
from strand_env.strand_unter import GAME as STRAND_UNTER
from strand_env.strand_unter import Games, Ruleset
from strand_env.strand_unter.features import FEATURES, LAYOUT

ENCODED = [(game, encoding) for game in map(game_of, game_ids()) for encoding in game.encodings]
by_encoding = pytest.mark.parametrize(
    ("game", "encoding"), ENCODED, ids=[f"{game.name}-{encoding.name}" for game, encoding in ENCODED]
)


def entries(shown: np.ndarray, name: str) -> np.ndarray:
    section = LAYOUT[name]
    return shown[:, section.slice].reshape(len(shown), *section.shape)


@by_encoding
def test_entries_are_within_their_bounds_and_named_without_gaps(game: Game, encoding: Any) -> None:
    layout = encoding.layout
    assert layout.size == encoding.size
    assert [section.start for section in layout][1:] == [section.slice.stop for section in layout][:-1]
    lowest, highest = np.full(encoding.size, np.inf), np.full(encoding.size, -np.inf)
    rulesets = [None, SeaOrShoreRuleset(sides=(1, 1))] if game is SEA_OR_SHORE else [None]
    for players in game.player_counts:
        for variant, ruleset in product(game.variants or (None,), rulesets):
            batch: Any = game.batch(60, players, players, ruleset, variant=variant)
            for number in range(80):
                seen = batch.observe().reshape(-1, batch.layout.size)
                shown = encoding.encode(seen)
                assert shown.dtype == np.float32
                assert (layout.minimum <= shown).all()
                assert (shown <= layout.maximum).all()
                lowest, highest = np.minimum(lowest, shown.min(0)), np.maximum(highest, shown.max(0))
                batch.step(batch.random_actions(number))
                batch.reset(batch.over)
    varied = lowest < highest
    constant = [section.name for section in layout if not varied[section.slice].any()]
    seated = [f"seat_{place}.present" for place in range(1, game.player_counts[0])]
    always = ("seat_0.", *seated, "fresh")  # fresh tokens are rare
    assert [name for name in constant if not name.startswith(always)] == []


PINNED = Path(__file__).with_name("features.json")
PINNED_CASES = {
    ", ".join([name, *described(configuration)]): (subject.game, configuration)
    for name, subject in SUBJECTS.items()
    for configuration in subject.configurations
}


def weighted_sums(game: Game, configuration: Configuration) -> dict[str, float]:
    """Of each section of the default encoding, over some positions of a game and all who look."""
    batch: Any = game.batch(1, seed=3, **configuration)
    encoding, seen = game.encodings[0], []
    for number in range(120):
        if number % 6 == 0:
            seen.append(batch.observe().reshape(-1, batch.layout.size))
        batch.step(batch.random_actions(number))
        batch.reset(batch.over)
    shown = encoding.encode(np.concatenate(seen)).astype(np.float64)
    weighted = shown * np.cos(np.arange(shown.size)).reshape(shown.shape)
    return {section.name: round(float(weighted[:, section.slice].sum()), 4) for section in encoding.layout}


@pytest.mark.parametrize("case", PINNED_CASES)
def test_entries_are_those_that_agents_were_trained_on(case: str) -> None:
    today = weighted_sums(*PINNED_CASES[case])
    assert today == pytest.approx(json.loads(PINNED.read_text("utf-8"))[case], abs=5e-4), (
        "if the change is meant, it takes another name for the encoding, and `python tests/test_features.py`"
    )


@by_encoding
def test_what_is_shown_follows_from_the_observation_row_by_row(game: Game, encoding: Any) -> None:
    batch: Any = random_play(game.batch(50, game.default_players, seed=1), 30)  # type: ignore[arg-type]
    seen = batch.observe().reshape(-1, batch.layout.size)
    shown = encoding.encode(seen)
    for rows in (np.array([7]), np.arange(40, 10, -3), np.arange(0)):
        assert (encoding.encode(seen[rows]) == shown[rows]).all()


@by_encoding
def test_it_is_what_environments_show_unless_told_otherwise(game: Game, encoding: Any) -> None:
    env = Environments(game).parallel_env()
    observations, _ = env.reset(seed=1)
    seen = env.table.batch.observe()[0]
    for player, agent in enumerate(env.agents):
        assert (observations[agent]["observation"] == encoding.encode(seen[[player]])[0]).all()
    assert env.layout is encoding.layout
    compact = Environments(game).parallel_env(encoding="compact")
    observations, _ = compact.reset(seed=1)
    assert (observations["player_0"]["observation"] == (seen[0] / compact.layout.maximum).astype(np.float32)).all()


def test_a_game_without_encodings_shows_the_compact_one() -> None:
    shown = [Environments(STONES).parallel_env(encoding=name).reset(seed=1)[0] for name in (None, "compact")]
    for agent, seen in shown[0].items():
        assert (seen["observation"] == shown[1][agent]["observation"]).all()


def test_history_is_counted_by_what_players_have_set() -> None:
    games = Games(30, 3, seed=5)
    set_dials: list[list[list[int]]] = [[[] for _ in range(3)] for _ in range(30)]
    last: list[list[int | None]] = [[None] * 3 for _ in range(30)]
    for number in range(60):
        snapshots = [games.snapshot(game) for game in range(30)]
        actions = games.random_actions(number)
        games.step(actions)
        for game, before in enumerate(snapshots):
            if before["phase"] == "dial":
                for player in range(3):
                    set_dials[game][player].append(int(actions[game, player]))
            after = games.snapshot(game)
            if after["round"] > before["round"]:
                last[game] = [dials[-1] for dials in set_dials[game]]
        shown = FEATURES.encode(games.observe()[:, 1])
        for game in range(30):
            for seat in range(3):
                dials = set_dials[game][(1 + seat) % 3]
                share = [dials.count(position) / max(len(dials), 1) for position in range(10)]
                assert entries(shown, f"seat_{seat}.dials_set")[game] == pytest.approx(share)
                expected = last[game][(1 + seat) % 3]
                assert entries(shown, f"seat_{seat}.last_dial")[game].tolist() == [expected == p for p in range(10)]


def best_gain(kind: str, shells: list[int], needed: list[int]) -> int:
    """The most needed shells that a combination brings, by trying all ways to take shells."""
    best = 0
    for taken in np.ndindex(*(count + 1 for count in shells)):
        amounts = sorted((count for count in taken if count), reverse=True)
        fits = {
            "two_same": amounts == [2],
            "two_different": amounts == [1, 1],
            "three_same": amounts == [3],
            "two_and_one": amounts == [2, 1],
            "three_different": amounts == [1, 1, 1],
            "all_of_one": len(amounts) == 1 and amounts[0] == shells[int(np.argmax(taken))],
        }
        if fits[kind]:
            best = max(best, sum(map(min, taken, needed)))
    return best


@pytest.mark.parametrize("ruleset", [None, Ruleset(combinations=tuple(reversed(Ruleset().combinations)))])
def test_what_dial_positions_bring_is_the_best_of_all_ways(ruleset: Ruleset | None) -> None:
    games = random_play(Games(40, 2, seed=3, ruleset=ruleset), 25)
    encoding = FEATURES.of_ruleset(games.ruleset) if FEATURES.of_ruleset else FEATURES
    shown = encoding.encode(games.observe()[:, 0])
    for game in range(40):
        snapshot = games.snapshot(game)
        for seat in range(2):
            castles = snapshot["castles"][seat]
            cards = [snapshot["cards"][seat][value] for value in range(4) if castles[value] in ("heap", "ready")]
            bucket = snapshot["buckets"][seat]
            needed = [max(sum(card[colour] for card in cards) - bucket[colour], 0) for colour in range(4)]
            gains = [min(count, need, 1) for count, need in zip(snapshot["shells"], needed, strict=True)]
            gains += [best_gain(kind, snapshot["shells"], needed) for kind in games.ruleset.combinations]
            assert (2 * entries(shown, f"seat_{seat}.brings")[game]).tolist() == gains, (snapshot, seat)


def test_three_different_shells_bring_what_each_of_them_does() -> None:
    games, seen = Games(30, 2, seed=3), 0
    place = games.ruleset.combinations.index("three_different") + 4  # after the single colours
    for step in range(60):
        for game, player in np.argwhere(games.to_act).tolist():
            snapshot = games.snapshot(game)
            if snapshot["phase"] == "collect" and snapshot["dials"][player] == place:
                shown = FEATURES.encode(games.observe()[[game], player])
                brings, take = entries(shown, "seat_0.brings")[0, :4], entries(shown, "take")[0]
                assert take[-4:] == pytest.approx(brings.sum() - brings)
                seen += bool(brings[3])
        games.step(games.random_actions(step))
    assert seen > 3


def test_the_score_as_it_stands_is_the_final_one_in_the_end() -> None:
    games = Games(40, 4, seed=2)
    for number in range(200):
        games.step(games.random_actions(number))
    assert games.over.all()
    shown = FEATURES.encode(games.observe()[:, 0])
    scores = games.scores.astype(int)
    for seat in range(1, 4):
        lead = entries(shown, f"seat_{seat}.lead").reshape(-1)
        assert (10 * lead).round().astype(int).tolist() == (scores[:, 0] - scores[:, seat]).tolist()
        points, to_stay = (entries(shown, f"seat_{seat}.{name}") for name in ("points", "points_to_stay"))
        assert (points == to_stay)[games.state["round"] == 15].all()


def test_hidden_buckets_stay_hidden() -> None:
    games = mid_game(60, 3)
    games.hide_buckets = True
    before = FEATURES.encode(games.observe()[:, 0])
    buckets = games.state["buckets"]
    buckets[:, 1], buckets[:, 2] = buckets[:, 2].copy(), buckets[:, 1].copy()  # as many are out of sight as before
    assert (FEATURES.encode(games.observe()[:, 0]) == before).all()


@pytest.mark.parametrize("name", SUBJECTS)
def test_actions_have_names_in_all_environments(name: str) -> None:
    game = game_of(name)
    environments = Environments(game)
    env = environments.parallel_env()
    env.reset(seed=1)
    legal = env.legal_actions("player_0")
    assert list(legal) == np.flatnonzero(env.table.legal[0]).tolist()
    assert all(env.describe(action) == words == game.describe(action) for action, words in legal.items())
    learner = environments.learner_env()
    learner.reset(seed=1)
    assert list(learner.legal_actions()) == np.flatnonzero(learner.action_masks()).tolist()
    several = environments.learner_vector_env(3)
    several.reset(seed=1)
    assert list(several.legal_actions(2)) == np.flatnonzero(several.action_masks()[2]).tolist()
    assert several.layout is learner.layout
    with pytest.raises(ValueError, match="index: expected a whole number from 0 to 2, got 3"):
        several.legal_actions(3)


def test_former_versions_say_what_to_use() -> None:
    with pytest.raises(ImportError, match=r"use strand_env[.]strand_unter_v1"):
        from strand_env import strand_unter_v0  # noqa: F401
    with pytest.raises(ValueError, match="strand_unter_v0 was replaced by strand_unter_v1"):
        game_of("strand_unter_v0")
    assert STRAND_UNTER.id == "strand_unter_v1"


# Maui


@pytest.mark.parametrize("variant", MAUI.variants)
def test_the_gain_of_laying_a_towel_is_what_it_brings(variant: str) -> None:
    """Points after the action less those before, where no umbrella or token is left to decide about."""
    batch: Any = random_play(MAUI.batch(60, 3, seed=1, variant=variant), 40)
    layout = MAUI.encodings[0].layout
    assert layout is not None
    checked = 0
    for number in range(20):
        game, player = np.nonzero(batch.to_act)
        seen, legal = batch.look_at_rows(game, player)
        shown = MAUI.encodings[0].encode(seen)
        matches, gain = (shown[:, layout[name].slice] for name in ("matches", "gain"))
        actions = batch.random_actions(number)
        before = points(batch.layout.by_name(seen)[2])[:, 0]
        phases, parts = batch.state["phase"].copy(), batch.layout.by_name(seen)[1]["part"].copy()
        batch.step(actions)
        seen, _ = batch.look_at_rows(game, player)
        _, tables, seats = batch.layout.by_name(seen)
        after = points(seats)[:, 0]
        for row, action in enumerate(actions[game, player]):
            settled = phases[game[row]] == TURN and not batch.to_act[game[row], player[row]]
            if settled and action < DOLLARS and matches[row, action] and tables["part"][row] == parts[row]:
                assert legal[row, action]
                brought = after[row] - before[row] + PRICES[action // SHIFTS]
                assert round(8 * gain[row, action]) == brought, (variant, row, action)
                checked += 1
        batch.reset(batch.over)
    assert checked > 100


# Sea or Shore


def chance_to_beat(seen: dict[str, Any], me: int, other: int, unseen: list[int], card: int) -> float:
    """How likely another player beats a card in its colour, if any card of theirs that fits is as likely."""
    play, known = seen["plays"][other], seen["known"][me][other]
    size = len(seen["hands"][other]) + (play is not None)
    weights = dict.fromkeys(known, 1.0) | dict.fromkeys(unseen, (size - len(known)) / max(len(unseen), 1))
    if play is not None:
        half = (lambda each: each // 12) if play["shows"] == "colour" else (lambda each: each % 12)
        weights = {each: weight for each, weight in weights.items() if half(each) == half(play["card"])}
    distance = [(player - seen["leader"]) % seen["players"] for player in (other, me)]
    beating = 0.0
    for each, weight in weights.items():
        open_colours = [treasure[0] for treasure in seen["open"] if treasure]
        joined = seen["players"] == 3 and not any(colour // 2 == card // 24 for colour in open_colours)
        same = each // 24 == card // 24 if joined else each // 12 == card // 12
        counts = min(each % 12 + 1 + (play["extras"] if play else 0), 12)
        beating += weight * (same and (counts, -distance[0]) > (card % 12 + 1, -distance[1]))
    return beating / sum(weights.values())


@pytest.mark.slow
@pytest.mark.parametrize("players", SEA_OR_SHORE.player_counts)
def test_the_chance_to_win_with_a_card_counts_what_can_beat_it(players: int) -> None:
    batch: Any = SEA_OR_SHORE.batch(30, players, seed=3)
    layout = SEA_OR_SHORE.encodings[0].layout
    assert layout is not None
    checked = 0
    for number in range(40):
        for game, me in zip(*np.nonzero(batch.to_act), strict=True):
            snapshot = batch.snapshot(int(game))
            if number % 4 or snapshot["phase"] != "card":
                continue
            seen = batch.observe()[game, [me]]
            shown = SEA_OR_SHORE.encodings[0].encode(seen)[0]
            win, beaten_by = (shown[layout[name].slice] for name in ("win", "beaten_by"))
            hand, known = snapshot["hands"][me], [card for cards in snapshot["known"][me] for card in cards]
            unseen = [card for card in range(48) if card not in {*hand, *known, *snapshot["aside"]}]
            for card in hand:
                others = [player for player in range(players) if player != me]
                expected = np.prod([1 - chance_to_beat(snapshot, me, other, unseen, card) for other in others])
                assert win[card] == pytest.approx(expected, abs=1e-4), (snapshot, me, card)
                above = [each for each in {*unseen, *known} if each // 12 == card // 12 and each > card]
                assert 4 * beaten_by[card] == len(above)
                checked += 1
            assert not np.delete(win, hand).any()
        batch.step(batch.random_actions(number))
    assert checked > 500


def test_chances_stay_within_their_bounds_where_only_joined_colours_are_left() -> None:
    """Then whoever has one of the two has it for certain, and rounding must not make it more than that."""
    observed, encoding = layout_of(SeaOrShoreRuleset.default()), SEA_OR_SHORE.encodings[0]
    seen, tables, seats = observed.by_name(np.zeros((300, observed.size), observed.dtype))  # views of the same
    rng = np.random.default_rng(1)
    for number, (table, own, other) in enumerate(zip(tables, seats[:, 0], seats[:, 1], strict=True)):
        left = rng.permutation(np.arange(1, 24))[: 2 + number % 22]  # cards of the first two colours
        known = int(rng.integers(len(left)))
        table["phase"][CARD] = table["hand"][0] = own["present"] = own["to_act"] = 1
        table["joined"][:2] = 1
        table["unseen"][left[known:]] = 1
        table["unseen_number"] = len(left) - known + rng.integers(24)
        other["held"][left[:known]] = 1
        other["hand_size"], other["played"], other["present"] = known + rng.integers(1, 6), 1, 1
    shown = encoding.encode(seen)
    assert encoding.layout is not None
    assert (shown >= encoding.layout.minimum).all()


if __name__ == "__main__":
    sums = {case: weighted_sums(*PINNED_CASES[case]) for case in PINNED_CASES}
    PINNED.write_text(json.dumps(sums, indent=1) + "\n", "utf-8")
