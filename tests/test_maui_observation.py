"""What players of Maui see: each section against a plain reading of the snapshot, and enough to plan by."""

import random
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from maui_positions import play, start, take
from subjects.maui import random_ruleset, spots_of

from strand_env.maui import VARIANTS, Games, Ruleset, layout
from strand_env.maui.ruleset import PIECES, PLAYER_COUNTS, TOWELS

PHASES = ["turn", "umbrella", "token", "over"]


def one_hot(index: int, size: int) -> list[int]:
    return [int(index == entry) for entry in range(size)]


def rows_of(towel: Any, snapshot: dict[str, Any]) -> npt.NDArray[np.int64]:
    """(rows, patterns): what a towel shows by its active cells."""
    number, top, cover = towel
    rows = np.zeros((7, 5), np.int64)
    for cell, (printed, lies) in enumerate(zip(TOWELS[number], cover, strict=True)):
        tokens = {f"token{kind}": pattern for kind, pattern in enumerate(snapshot["ruleset"]["token_patterns"])}
        if lies is None or lies in tokens:
            rows[top + cell - 1, tokens.get(lies, printed)] = 1
    return rows


def table_of(snapshot: dict[str, Any]) -> dict[str, Any]:
    players, laid = snapshot["players"], [len(row) for row in snapshot["beach"]]
    asked = snapshot["to_act"][0] if snapshot["to_act"] else None
    before = np.zeros((7, 5))
    if snapshot["phase"] in ("umbrella", "token"):
        before = rows_of(snapshot["beach"][asked][-2], snapshot)
    after = 0 if asked is None else players - 1 - (asked - snapshot["first"]) % players
    pending = [0, 0]
    for place, number in enumerate(snapshot["pending"]):
        pending[number] = 1 + place
    market = []
    for number in snapshot["market"]:
        market.append([entry for pattern in TOWELS[number] for entry in one_hot(pattern, 5)] + [number])
    return {
        "phase": one_hot(PHASES.index(snapshot["phase"]), 4),
        "players": one_hot(players - 2, 3),
        "part": snapshot["part"],
        "before": before,
        "variant": one_hot(VARIANTS.index(snapshot["variant"]), 3),
        "round": snapshot["round"],
        "last_round": int(13 in laid),
        "supply": snapshot["supply"] + [0] * (10 - len(snapshot["supply"])),
        "pending": pending,
        "crab_side": int(snapshot["variant"] == "crabs" or snapshot["part"] == 2),
        "turns_left": after,
        "columns_left": 13 - max(laid),
        "bag_left": len(snapshot["bag"]),
        "market": market,
        "bag": [int(number in snapshot["bag"]) for number in range(60)],
        "zones": snapshot["zones"],
        "fresh": snapshot["fresh"],
    }


def seat_of(snapshot: dict[str, Any], player: int) -> dict[str, Any]:
    beach, rules, spots = snapshot["beach"][player], snapshot["ruleset"], spots_of(snapshot)
    pieces = list(zip(spots, snapshot["pieces"][player], snapshot["lying"][player], strict=True))
    lying = [1 + PIECES.index(piece) if lies else 0 for _, piece, lies in pieces]
    ahead = np.zeros((3, 7, 5), np.int64)
    for (column, row), piece, _ in pieces:
        if 0 <= column - len(beach) < 3:
            kind, value = min(PIECES.index(piece), 4), int(piece[4:]) if piece.startswith("crab") else 1
            ahead[column - len(beach), row - 1, kind] = value
    tracks = [[0, *track] for track in rules["tracks"]]
    if snapshot["variant"] == "combined":
        tracks = [track + more for track, more in zip(tracks, rules["extensions"], strict=True)]
    shells = snapshot["shells"][player]
    ornaments = [[at for track, at, _ in rules["ornaments"] if track == p and at > shells[p]] for p in range(5)]
    return {
        "last": rows_of(beach[-1], snapshot),
        "present": 1,
        "to_act": int(player in snapshot["to_act"]),
        "order": (player - snapshot["first"]) % snapshot["players"],
        "laid": len(beach),
        "top": beach[-1][1] + 1,
        "shells": shells,
        "points": [track[square] for track, square in zip(tracks, shells, strict=True)],
        "to_ornament": [min(ahead, default=square) - square for ahead, square in zip(ornaments, shells, strict=True)],
        "dollars": snapshot["dollars"][player],
        "lying": lying + [0] * (9 - len(lying)),
        "number": beach[-1][0],
        "tokens": snapshot["tokens"][player],
        "pearls": snapshot["pearls"][player],
        "penalties": snapshot["penalties"][player],
        "crab_points": snapshot["crab_points"][player],
        "ahead": ahead,
        "to_end": [len(track) - 1 - square for track, square in zip(tracks, shells, strict=True)],
        "first": int(player == snapshot["first"]),
        "done": int(len(beach) == 13),
    }


def observe(snapshot: dict[str, Any], observer: int) -> npt.NDArray[np.int64]:
    """The whole observation of a player, section by section."""
    players = snapshot["players"]
    seats = [seat_of(snapshot, (observer + seat) % players) for seat in range(players)]
    expected = table_of(snapshot) | {
        f"seat_{place}.{name}": value for place, seat in enumerate(seats) for name, value in seat.items()
    }
    flat = [np.ravel(expected.get(section.name, np.zeros(len(section.maximum)))) for section in layout]
    assert [len(values) for values in flat] == [len(section.maximum) for section in layout]
    return np.concatenate(flat)


@pytest.mark.slow
@pytest.mark.parametrize("players", PLAYER_COUNTS)
@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("rules", ["default", "other"])
def test_sections_equal_a_plain_reading_of_the_snapshot(players: int, variant: str, rules: str) -> None:
    ruleset = Ruleset() if rules == "default" else random_ruleset(random.Random(players))
    games = Games(6, players, seed=players, ruleset=ruleset, variant=variant)
    seen_phases = set()
    for number in range(400):
        seen = games.observe()
        assert (seen <= games.layout.maximum).all()
        assert (games.observe_table() == seen[:, 0]).all()
        for index in range(number % 3, 6, 3):
            snapshot = games.snapshot(index)
            seen_phases.add(snapshot["phase"])
            for player in range(players):
                expected = observe(snapshot, player)
                assert (seen[index, player] == expected).all(), snapshot
        if games.over.all():
            break
        games.step(games.random_actions(number))
    assert {"turn", "over"} <= seen_phases


def test_all_players_and_variants_have_observations_of_one_width() -> None:
    sizes = {Games(1, players, variant=variant).observe().shape[2] for players in PLAYER_COUNTS for variant in VARIANTS}
    assert sizes == {layout.size} == {960}


def test_the_towel_to_match_is_shown_while_a_choice_is_open() -> None:
    games = start("RBY", 3, market={0: "VBP"}, tokens=(0, 1))
    assert not games.observe()[0, 0, layout["before"].slice].any()
    play(games, take())
    before = games.observe()[0, 0, layout["before"].slice].reshape(7, 5)
    assert np.argwhere(before).tolist() == [[2, 3], [3, 2], [4, 0]]
    play(games, 49)
    assert not games.observe()[0, 0, layout["before"].slice].any()


def test_the_next_towels_can_be_found_in_the_observation() -> None:
    """What is legal follows from what a player sees: patterns of the market, the own last towel, dollars, tokens."""
    games = Games(300, 3, seed=4)
    tried = 0
    for number in range(40):
        seen = games.observe()
        for index in range(0, 300, 37):
            [asked] = np.flatnonzero(games.to_act[index]) if games.to_act[index].any() else [None]
            if asked is None or not seen[index, asked, layout["phase"].start]:
                continue
            own = {name: seen[index, asked, layout[name].slice] for name in ("market", "zones")}
            own |= {name: seen[index, asked, layout[f"seat_0.{name}"].slice] for name in ("last", "top", "dollars")}
            market, last = own["market"].reshape(6, 16)[:, :15].reshape(6, 3, 5), own["last"].reshape(7, 5)
            tokens = seen[index, asked, layout["seat_0.tokens"].slice]
            found = []
            for place in range(6):
                for shift in range(5):
                    top = own["top"][0] - 1 + shift - 2
                    inside = [(cell, top + cell - 1) for cell in range(3) if 0 <= top + cell - 1 < 7]
                    meets = any((market[place, cell] & last[row]).any() for cell, row in inside)
                    meets |= any(last[row, 2 + kind] for _, row in inside for kind in range(2) if tokens[kind])
                    if meets and place % 3 <= own["dollars"][0]:
                        found.append(5 * place + shift)
            found += [30 + zone for zone in range(2) if own["zones"][zone]]
            assert np.flatnonzero(games.legal[index, asked]).tolist() == found
            tried += 1
        games.step(games.random_actions(number))
    assert tried > 200
