"""Whatever the views do, nobody is shown what is hidden: on the page, in the terminal, in replays and animations.

Twins are two games that differ in nothing but what one observer cannot see. The views repeat all they are given.
"""

import io
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from play_helpers import PATIENCE, Failing, served, settled
from tattling_views import TATTLING, TattlingGames
from toy_game import StoneRules

from strand_env.engine.protocol import EVERYTHING, Observer
from strand_env.play import page
from strand_env.play.plain import play_views
from strand_env.play.session import Now, Recording, Session
from strand_env.play.terminal import play_in_terminal
from strand_env.replays import Position, Replay, animation

PLAYERS = 5
STONES_LEFT, ALL_TAKEN = 130, PLAYERS - 1  # the person's turn comes, or the game is over before
FIXED = ("/", "/game.css", "/game.svg", "/state")


class Modest:
    """Takes as little as it may."""

    def reset(self) -> None:
        pass

    def act(self, observation: Any, mask: np.ndarray, rng: Any) -> np.ndarray:
        return mask.argmax(1)


def start_and_twin(stones: int = STONES_LEFT) -> tuple[Any, Any, int]:
    """Two starts with other cards to come, and the seat that is last to act."""
    snapshot = TattlingGames(1, PLAYERS, seed=4, ruleset=StoneRules(stones)).snapshot(0)
    twin = snapshot | {"seed": f"{77:#018x}", "stream": f"{78:#018x}"}
    return snapshot, twin, (snapshot["turn"] - 1) % PLAYERS


def sessions(stones: int = STONES_LEFT) -> Iterator[Session]:
    """Twins in which everybody has acted once but the person, so that all other cards have been replaced."""
    *starts, seat = start_and_twin(stones)
    for start in starts:
        agents = [None if player == seat else Modest() for player in range(PLAYERS)]
        batch = TattlingGames.from_snapshots([start])
        with Session(TATTLING, batch, agents, ["anybody"] * PLAYERS, name="x") as session:
            now = settled(session)
            assert (len(now.positions), now.over) == (PLAYERS, stones == ALL_TAKEN)
            yield session


def replays(stones: int = STONES_LEFT) -> Iterator[Replay]:
    for session in sessions(stones):
        now = session.now()
        actions = [each.actions for each in now.positions[1:] if each.actions is not None]
        yield Replay.of(TATTLING, now.positions[0].snapshot, actions, now.snapshot["scores"])


def answers(shown: Session | Recording) -> list[bytes]:
    steps = len(shown.now().positions)
    with served(shown) as client:
        return [client.get(path).content for path in (*FIXED, *(f"/frames/{number}" for number in range(steps)))]


def forget_to_hide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TattlingGames, "as_seen", lambda snapshot, observer: snapshot)


at_both_times = pytest.mark.parametrize("stones", [STONES_LEFT, ALL_TAKEN], ids=["in the middle", "at the end"])


@at_both_times
def test_twins_differ_in_what_is_hidden_alone(stones: int) -> None:
    one, two = (session.now().snapshot for session in sessions(stones))
    *_, seat = start_and_twin(stones)
    assert {key for key in one if one[key] != two[key]} == {"cards", "seed", "stream"}
    assert [player for player in range(PLAYERS) if one["cards"][player] == two["cards"][player]] == [seat]


@pytest.mark.slow
@at_both_times
def test_the_page_of_a_player_is_the_same_for_twins(monkeypatch: pytest.MonkeyPatch, stones: int) -> None:
    one, two = map(answers, sessions(stones))
    assert len(one) == len(FIXED) + PLAYERS
    assert one == two
    forget_to_hide(monkeypatch)
    one, two = map(answers, sessions(stones))
    assert one[FIXED.index("/state")] != two[FIXED.index("/state")]
    assert all(frame != other for frame, other in zip(one[len(FIXED) :], two[len(FIXED) :], strict=True))


@at_both_times
def test_the_terminal_of_a_player_is_the_same_for_twins(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], stones: int
) -> None:
    def shown(session: Session) -> str:
        monkeypatch.setattr(sys, "stdin", io.StringIO("q\n"))
        play_in_terminal(session)
        return capsys.readouterr().out

    one, two = map(shown, sessions(stones))
    assert ("You are player" in one) == (stones == STONES_LEFT)
    assert one == two
    forget_to_hide(monkeypatch)
    one, two = map(shown, sessions(stones))
    assert one != two


@pytest.mark.slow
@at_both_times
def test_a_recording_is_the_same_for_twins(monkeypatch: pytest.MonkeyPatch, stones: int) -> None:
    *_, seat = start_and_twin(stones)
    monkeypatch.setattr("secrets.token_hex", lambda size: "x")
    for observer in (seat, None):
        one, two = (answers(Recording(replay, observer)) for replay in replays(stones))
        assert one == two
    one, two = (answers(Recording(replay, EVERYTHING)) for replay in replays(stones))
    assert one != two
    forget_to_hide(monkeypatch)
    one, two = (answers(Recording(replay, seat)) for replay in replays(stones))
    assert one != two


@pytest.mark.parametrize("save", [animation.save_svg, animation.save_gif, animation.save_html])
def test_an_animation_is_the_same_for_twins(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, save: Any) -> None:
    *_, seat = start_and_twin()

    def saved(observer: Observer) -> list[bytes]:
        contents = []
        for replay in replays():
            save(replay, tmp_path / "animation", seat=observer)
            contents.append((tmp_path / "animation").read_bytes())
        return contents

    for observer in (seat, None):
        one, two = saved(observer)
        assert one == two
    one, two = saved(EVERYTHING)
    assert one != two
    forget_to_hide(monkeypatch)
    one, two = saved(seat)
    assert one != two


def test_hidden_actions_are_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    *_, seat = start_and_twin()
    session = next(sessions())
    now, views = session.now(), play_views(TATTLING)

    def with_other_actions(position: Position) -> Position:
        assert position.actions is not None
        return position._replace(
            actions=tuple(own if player == seat else 9 for player, own in enumerate(position.actions))
        )

    twin = replace(now, positions=(now.positions[0], *map(with_other_actions, now.positions[1:])))

    def shown(which: Now) -> list[Any]:
        (before, *_), (after, actions, _) = which.positions[-2:]
        told = TATTLING.views.tell(before, actions, after, seat=seat)
        return [told, *(page.frame(session, which, views, number) for number in range(PLAYERS))]

    assert shown(now) == shown(twin)
    monkeypatch.setattr(TattlingGames, "actions_as_seen", lambda before, actions, observer: list(actions))
    assert [one == two for one, two in zip(shown(now), shown(twin), strict=True)] == [False, True] + [False] * 4


@pytest.mark.parametrize("observer", ["the person", "a seat", None, EVERYTHING])
def test_an_opponents_error_may_not_show_what_it_sees(observer: Any) -> None:
    """Such as its legal actions, from which its card follows. Observers of everything may read it."""
    start, _, seat = start_and_twin()
    agents = [None if player == seat and observer == "the person" else Failing() for player in range(PLAYERS)]
    session = Session(TATTLING, TattlingGames.from_snapshots([start]), agents, ["anybody"] * PLAYERS)
    if observer != "the person":
        session.observer = seat if observer == "a seat" else observer
    with session:
        failure = session.wait(lambda now: bool(now.failure), PATIENCE).failure
    assert failure.startswith(f"anybody (player {start['turn']}) failed: RuntimeError")
    assert ("thought too hard" in failure) == (observer == EVERYTHING)
