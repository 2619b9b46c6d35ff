"""What players see: the layout, the packed entries against a plain reading, and that nothing hidden leaks."""

from pathlib import Path

import generate
import numpy as np
import pytest
from generate import PAGES
from plain_observation import observe
from playing import mid_game, whole_games

from strand_env.strand_unter import PHASES, Games, Ruleset, layout

PLAYERS = pytest.mark.parametrize("players", [2, 3, 4])
HIDING = pytest.mark.parametrize("hide_buckets", [False, True], ids=["open", "hidden"])


@PLAYERS
@HIDING
def test_entries_equal_a_plain_reading_of_the_snapshot(players: int, hide_buckets: bool) -> None:
    rows_seen = 0
    ruleset = Ruleset(shells=(17, 23, 30, 10), fills=((5, 6) * 4, (8, 7) * 4, (9, 8) * 4))
    for games in whole_games(Games(40, players, seed=players, ruleset=ruleset, hide_buckets=hide_buckets)):
        seen = games.observe()
        assert seen.dtype == np.int8
        assert seen.min() >= 0
        assert (seen <= games.layout.maximum).all()
        for index in range(0, games.num_games, 5):
            snapshot = games.snapshot(index)
            for player in range(players):
                assert seen[index, player].tolist() == observe(snapshot, player, hide_buckets), snapshot
                rows_seen += 1
    assert rows_seen > 500


def test_a_given_array_is_filled_whatever_was_in_it() -> None:
    games = mid_game(num_players=2)
    out = np.full((games.num_games, 2, games.layout.size), 77, np.int8)
    assert games.observe(out) is out
    assert (out == games.observe()).all()
    masks = np.full((games.num_games, 2, 64), 77, np.int8)
    legal = games.write_legal(masks)
    assert np.shares_memory(legal, masks)
    assert (legal == games.legal).all()
    assert not masks[:, :, games.num_actions :].any()


def test_observations_are_new_arrays() -> None:
    games = mid_game()
    before, legal_before = games.observe(), games.legal
    kept, legal_kept = before.copy(), legal_before.copy()
    games.step(games.random_actions(1))
    games.observe()
    assert (before == kept).all()
    assert (legal_before == legal_kept).all()


def test_sections_cover_the_observation_without_gaps() -> None:
    position = 0
    for section in layout:
        assert section.slice.start == position
        assert section.slice.stop == position + len(section.maximum)
        assert section.meaning
        position = section.slice.stop
    assert position == layout.size == Games(1).observe().shape[2]
    assert len({section.name for section in layout}) == len(layout)
    with pytest.raises(KeyError, match="shells"):
        layout["no_such_section"]


@PLAYERS
def test_the_width_is_the_same_and_empty_seats_are_flagged(players: int) -> None:
    seen = mid_game(num_players=players).observe()
    assert seen.shape[2] == layout.size
    for seat in range(4):
        present = seen[:, :, layout[f"seat_{seat}.present"].slice]
        assert (present == (seat < players)).all()
        if seat >= players:
            assert not seen[:, :, layout[f"seat_{seat}.present"].start :].any()


@PLAYERS
@HIDING
def test_nobody_sees_what_is_hidden(players: int, hide_buckets: bool) -> None:
    games = mid_game(64, players, hide_buckets=hide_buckets)
    changed = games.clone()
    changed.redeal(9)
    assert not (changed.state["bag"] == games.state["bag"]).all()
    assert (changed.observe() == games.observe()).all()
    assert (changed.legal == games.legal).all()


def test_hidden_buckets_show_nothing_of_the_others_shells() -> None:
    """Where another player's bucket holds other shells, the observer sees the same."""
    games = mid_game(200, hide_buckets=True)
    changed = games.clone()
    buckets, bag = changed.state["buckets"], changed.state["bag"]
    bag += buckets[:, 1:].sum(1, dtype=np.int8)
    buckets[:, 1:] = 0
    assert (changed.state["buckets"] != games.state["buckets"]).any()
    assert (changed.observe()[:, 0] == games.observe()[:, 0]).all()

    in_build = games.state["phase"] == PHASES.index("build")
    assert in_build.any()
    for seat in (1, 2, 3):
        assert not games.observe()[in_build][:, :, layout[f"seat_{seat}.to_act"].slice].any()


@pytest.mark.parametrize("page", PAGES)
def test_the_pages_of_the_documentation_are_as_generated(page: str) -> None:
    written = Path(generate.__file__).with_name(page).read_text(encoding="utf-8")
    assert written == PAGES[page](), "run `make docs`"
