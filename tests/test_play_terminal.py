"""Play in the terminal by piped input, and the options of `strand play` and `strand watch`."""

import io
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from play_helpers import Failing, new_session, play_on
from toy_game import STONES, StoneGames

from strand_env import cli
from strand_env.agents import RandomAgent
from strand_env.play import commands
from strand_env.play.session import Recording, Session
from strand_env.play.terminal import play_in_terminal
from strand_env.replays.replay import Replay

KEPT = Path(__file__).parents[1] / "tests" / "replays" / "strand_unter_v0.json"
MANY = ["1"] * 200  # more choices than a game has

Type = Callable[..., str]


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Type:
    """What is shown to somebody who types these lines."""

    def play(session: Session, *lines: str) -> str:
        monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        with session:
            play_in_terminal(session)
        return capsys.readouterr().out

    return play


def test_a_whole_game_by_numbers(typed: Type, tmp_path: Path) -> None:
    file = tmp_path / "game.json"
    shown = typed(new_session(["greedy"]), *MANY[:100], f"s {file}", "q")
    replay = Replay.load(file)
    replay.check()
    scores = replay.scores
    assert scores is not None
    for player, score in enumerate(scores):
        assert f"Player {player}: {score} point" in shown
    assert f"wrote {file}" in shown
    on_one_line = " ".join(shown.split())
    for position in replay.positions():
        assert all(words in on_one_line for words in position.story)
    with new_session(["greedy"]) as session:
        play_on(session, lambda now: now.legal[0])
        assert session.replay() == replay  # the first choice each time, there as here


def test_choices_are_numbered_and_others_refused(typed: Type) -> None:
    shown = typed(new_session(), "0", "11", "99999999999", "x", "", "1 2", "q")
    assert "   1  Set the dial to one white shell.\n" in shown
    assert "  10  Set the dial to all shells of one colour.\n" in shown
    assert shown.count("Expected a number from 1 to 10.") == 3
    assert shown.count("Take a castle from the heap.") == 1  # "1 2" is the choice 1


def test_a_hint_shows_probabilities(typed: Type) -> None:
    shown = typed(new_session(hints=["random", "mc:20"]), "h", "h mc:20", "h nobody", "q")
    assert shown.count("  10%  Set the dial to") == 10
    assert shown.count(" 100%  Set the dial to") == 1
    assert "'nobody' gives no hints; these do: random, mc:20" in shown


def test_undo_and_new_games(typed: Type) -> None:
    session = new_session(["greedy"])
    before = session.now().positions
    shown = typed(session, "u", "1", "u", "q")
    assert "  this is the start of the game\n" in shown
    assert session.now().positions == before
    another = new_session(["greedy"])
    typed(another, "1", "d", "q")
    assert another.now().positions == before
    other = new_session(["greedy"])
    typed(other, "n", "q")
    assert other.now().positions != before


def test_a_game_is_saved_only_in_the_end(typed: Type, tmp_path: Path) -> None:
    file = tmp_path / "game.json"
    assert "its replay would show what is hidden" in typed(new_session(), f"s {file}", "q")
    assert not file.exists()


def test_a_place_that_cannot_be_written_to_is_told(typed: Type) -> None:
    shown = typed(new_session(["greedy"]), *MANY[:100], "s /dev/null/game.json", "u", "q")
    assert "/dev/null" in shown
    assert "wrote" not in shown
    assert shown.rstrip("> \n").splitlines()[-1].startswith("Choose by number")  # it went on


def test_the_end_of_the_input_ends_it(typed: Type) -> None:
    shown = typed(new_session(), "1")
    assert "Take a castle from the heap." in shown
    assert shown.endswith("\n> \n")


def test_any_game_can_be_played(typed: Type) -> None:
    agents = [None, RandomAgent(), RandomAgent()]
    shown = typed(Session(STONES, StoneGames(1, 3), agents, ["you", "a", "b"]), *MANY[:12], "q")
    assert "Player 2: " in shown


def test_an_agent_that_fails_is_told(typed: Type) -> None:
    with pytest.raises(ValueError, match=r"Failing \(player 1\) failed: RuntimeError: thought too hard"):
        typed(new_session([Failing()]), "1", "q")


# The commands


def refusal(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> str:
    monkeypatch.setattr(sys, "argv", ["strand", *arguments])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    return str(ended.value.code)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["play", "--opponents", "tied"], "no agent is called 'tied'; there are: "),
        (["play", "--opponents", ""], "opponents: expected at least one agent, as tide or tide,mc:256"),
        (
            ["play", "--opponents", "tide,tide", "--players", "4"],
            "opponents: expected one agent, or 3 for 4 players; ",
        ),
        (["play", "--players", "5"], "players: expected a whole number from 2 to 4, got 5"),
        (["play", "--seat", "4"], "seat: expected a whole number from 0 to 3, got 4"),
        (["play", "--hints", "cheater"], "hints: cheater sees what is hidden, and would give it away"),
        (["play", "--hints", "nobody"], "no agent is called 'nobody'"),
        (["watch", "missing.json"], "missing.json: expected a file with a replay, or an agent for each seat"),
        (["watch", "tide"], "tide: expected a file with a replay, or an agent for each seat"),
        (["watch", *["tide"] * 5], "players: expected a whole number from 2 to 4, got 5"),
        (["watch", "tide", "nobody"], "no agent is called 'nobody'"),
        (["watch", __file__], f"{__file__}: expected JSON"),
    ],
)
def test_what_is_wrong_is_told(monkeypatch: pytest.MonkeyPatch, arguments: list[str], message: str) -> None:
    assert refusal(monkeypatch, *arguments).startswith(f"strand: {message}")


@pytest.fixture
def serving(monkeypatch: pytest.MonkeyPatch) -> list:
    """What would have been served, with its port and whether a browser is opened."""
    calls: list = []
    monkeypatch.setattr(commands, "_serve", lambda *arguments: calls.append(arguments))
    return calls


def test_who_sits_where(monkeypatch: pytest.MonkeyPatch, serving: list) -> None:
    for options, names in [
        ([], ["you", "tide", "tide", "tide"]),
        (["--players", "2"], ["you", "tide"]),
        (["--opponents", "greedy, mc:8", "--seat", "1"], ["greedy", "you", "mc:8"]),
    ]:
        assert refusal(monkeypatch, "play", *options, "--no-browser") == "0"
        session, port, no_browser = serving.pop()
        assert session.names == names
        assert session.seat == names.index("you")
        assert list(session.hints) == ["tide", "learned", "mc:256", "rm:256"]
        assert (port, no_browser) == (0, True)


def test_a_seed_decides_the_deal(monkeypatch: pytest.MonkeyPatch, serving: list) -> None:
    for seed in ("5", "5", "6"):
        assert refusal(monkeypatch, "play", "--seed", seed) == "0"
    deals = [session.now().snapshot for session, *_ in serving]
    assert deals[0] == deals[1] != deals[2]


def test_a_replay_or_agents_are_watched(monkeypatch: pytest.MonkeyPatch, serving: list) -> None:
    assert refusal(monkeypatch, "watch", str(KEPT), "--port", "8080") == "0"
    recording, port, no_browser = serving.pop()
    assert isinstance(recording, Recording)
    assert (len(recording.now().positions), port, no_browser) == (len(Replay.load(KEPT).actions) + 1, 8080, False)
    assert refusal(monkeypatch, "watch", "tide", "random") == "0"
    session, *_ = serving.pop()
    assert (session.names, session.seat) == (["tide", "random"], None)


def test_hints_that_come_by_themselves_need_no_more_packages(monkeypatch: pytest.MonkeyPatch, serving: list) -> None:
    monkeypatch.setitem(sys.modules, "safetensors", None)
    assert refusal(monkeypatch, "play", "--players", "2") == "0"
    assert list(serving.pop()[0].hints) == ["tide", "mc:256", "rm:256"]
    assert "a trained agent needs more" in refusal(monkeypatch, "play", "--hints", "learned")


def test_the_terminal_by_the_command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("q\n"))
    assert refusal(monkeypatch, "play", "--terminal", "--players", "2", "--seat", "1") == "0"
    assert "You are player 1. Set your dial, in secret." in capsys.readouterr().out
