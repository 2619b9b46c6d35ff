"""The page's server: what it answers, what it refuses, and that nothing hidden is on the wire."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from play_helpers import (
    GETS,
    PATIENCE,
    Answer,
    Client,
    Slow,
    Stubborn,
    all_answers,
    first,
    new_session,
    play_on,
    served,
    settled,
)
from playing import mid_game
from toy_game import STONES, StoneGames

from strand_env.agents import RandomAgent
from strand_env.play.server import LARGEST_BODY, application, listen
from strand_env.play.session import Recording, Session
from strand_env.replays.replay import Replay
from strand_env.strand_unter import Games

ROOT = Path(__file__).parents[1]
KEPT = ROOT / "tests" / "replays" / "strand_unter_v0.json"


@pytest.fixture
def session() -> Iterator[Session]:
    with new_session(hints=["tide"]) as session:
        yield session


@pytest.fixture
def client(session: Session) -> Iterator[Client]:
    settled(session)
    with served(session) as client:
        yield client


# What it answers


def test_who_goes_away_in_the_middle_is_not_missed(capsys: pytest.CaptureFixture[str], client: Client) -> None:
    with socket.create_connection(("127.0.0.1", client.port)) as connection:
        head = f"POST /choose HTTP/1.1\r\nHost: 127.0.0.1:{client.port}\r\nContent-Type: application/json\r\n"
        connection.sendall(f"{head}Content-Length: 500\r\n\r\n{{".encode())
        assert client.get("/state").status == 200
    for _ in range(3):
        assert client.get("/state").status == 200
    assert capsys.readouterr().err == ""


@pytest.mark.slow
@pytest.mark.parametrize("path", GETS)
def test_every_answer_forbids_what_the_page_does_not_need(client: Client, path: str) -> None:
    answer = client.get(path)
    assert answer.status == 200
    policy = answer.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self';")
    assert "unsafe" not in policy
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["cache-control"] == "no-store"


def test_the_page_needs_nothing_from_elsewhere(client: Client) -> None:
    for path in GETS:
        text = client.get(path).text.replace("http://www.w3.org/2000/svg", "")
        assert not re.search(r"https?://|//[a-z]+\.|@import", text), path
    page = client.get("/").text
    assert re.findall(r"<script[^>]*>", page) == ['<script src="page.js" type="module">']
    assert not re.search(r"<style|\son\w+=|style=", page)
    assert not re.search(r"<script|<style|\son\w+=|style=|javascript:", client.get("/state").text)


def test_the_state_offers_what_is_legal(client: Client, session: Session) -> None:
    state = client.get("/state").data
    assert [choice["action"] for choice in state["choices"]] == list(session.now().legal) == list(range(10))
    assert state["names"] == ["you", "tide", "greedy"]
    assert (state["seat"], state["steps"], state["over"], state["thinking"]) == (0, 0, False, [])
    assert client.get(f"/state?known={state['token']}/{state['version']}").status == 204


@pytest.mark.slow
def test_a_game_goes_on_by_choices(client: Client, session: Session) -> None:
    seen = []
    while not (state := client.get("/state").data)["over"]:
        order = {"token": state["token"], "action": state["choices"][-1]["action"]}
        assert client.post("/choose", order).status == 200
        settled(session)
        seen.append(state["frame"]["task"])
    assert "Set your dial, in secret." in seen
    assert "wins with" in state["frame"]["task"]
    assert state["frame"]["result"].count("<table") == 3
    answer = client.get("/replay.json")
    assert answer.headers["content-disposition"] == 'attachment; filename="strand_unter_v1.json"'
    Replay.from_json(answer.content).check()
    frames = [client.get(f"/frames/{number}").data for number in range(state["steps"] + 1)]
    assert [frame["number"] for frame in frames] == list(range(state["steps"] + 1))
    assert frames[-1] == state["frame"]
    assert not any(frame["result"] for frame in frames[:-1])


def test_the_story_tells_this_round_and_the_one_before(client: Client, session: Session) -> None:
    now = play_on(session, until=lambda now: now.snapshot["round"] == 4)
    story = client.get("/state").data["frame"]["story"]
    assert {step["round"] for step in story} == {3}
    told = [words for step in story for words in step["sentences"]]
    rounds = [position.snapshot["round"] for position in now.positions]
    assert told == [
        words
        for number, position in enumerate(now.positions)
        if number and rounds[number - 1] == 3
        for words in position.story
    ]


def test_orders(client: Client, session: Session) -> None:
    token = client.get("/state").data["token"]
    assert client.post("/hint", {"token": token, "agent": "tide"}).data["hint"]["agent"] == "tide"
    session.wait(lambda now: now.hint is not None and now.hint.likely is not None, PATIENCE)
    likely = client.get("/state").data["hint"]["likely"]
    assert sum(likely.values()) == pytest.approx(1)
    client.post("/choose", {"token": token, "action": 3})
    later = settled(session).token
    back = client.post("/undo", {"token": later}).data
    assert back["steps"] == 0
    start = session.now().positions
    client.post("/new", {"token": session.now().token, "same_deal": True})
    assert session.now().positions == start
    client.post("/new", {"token": session.now().token, "same_deal": False})
    assert session.now().positions != start


def test_a_replay_is_watched() -> None:
    replay = Replay.load(KEPT)
    with served(Recording(replay)) as client:
        state = client.get("/state").data
        assert (state["seat"], state["live"], state["steps"]) == (None, False, len(replay.actions))
        for path in ("/choose", "/undo", "/new", "/hint"):
            refused = client.post(path, {"token": state["token"]})
            assert (refused.status, refused.data["error"]) == (409, "this is a recording: it can only be watched")
        assert client.get("/replay.json").status == 409


def test_any_game_has_a_page() -> None:
    agents = [None, *[RandomAgent()] * 4]
    with Session(STONES, StoneGames(1, 5), agents, list("abcde")) as session, served(session) as client:
        while not (state := client.get("/state").data)["over"]:
            settled(session)
            if state["choices"]:
                assert all(choice["words"] == STONES.describe(choice["action"]) for choice in state["choices"])
                client.post("/choose", {"token": state["token"], "action": state["choices"][0]["action"]})
        assert "data:image/svg+xml" in state["frame"]["board"]
        assert "Player 4:" in state["frame"]["result"]


# What it refuses


def refused(client: Client, ask: Callable[[], Answer]) -> tuple[int, str]:
    """The answer to a request that must change nothing."""
    before = client.get("/state").content
    answer = ask()
    assert client.get("/state").content == before
    return answer.status, answer.data["error"]


def test_illegal_and_stale_choices_change_nothing(client: Client, session: Session) -> None:
    token = session.now().token
    for action in (10, 57, -1, "0", None, True, [0], {}):
        status, message = refused(client, partial(client.post, "/choose", {"token": token, "action": action}))
        assert status == 409
        assert message.startswith(f"{action!r} is not one of your choices")
    for stale in ("", None, 3, [], token + "0"):
        status, message = refused(client, partial(client.post, "/choose", {"token": stale, "action": 0}))
        assert (status, message) == (409, "the game has moved on since then; nothing was changed")
    status, message = refused(client, partial(client.post, "/hint", {"token": token, "agent": "../secret"}))
    assert (status, message) == (409, "'../secret' gives no hints; these do: tide")
    assert refused(client, partial(client.get, "/replay.json"))[0] == 409


@pytest.mark.slow
@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 400),
        (b"{", 400),
        (b"\xff\xfe", 400),
        (b"[" * 4000, 400),
        (b"[]", 400),
        (b'"token"', 400),
        (b"{}", 409),
        (b" " * (LARGEST_BODY + 1), 413),
        (b"9" * 10_000_000, 413),
    ],
)
@pytest.mark.parametrize("path", ["/choose", "/undo", "/new", "/hint"])
def test_garbage_changes_nothing(client: Client, path: str, body: bytes, status: int) -> None:
    send = partial(client.send, "POST", path, body, {"content-type": "application/json"})
    assert refused(client, send)[0] == status


def test_only_json_is_an_order(client: Client, session: Session) -> None:
    body = json.dumps({"token": session.now().token, "action": 0}).encode()
    for kind in ("text/plain", "application/x-www-form-urlencoded", ""):
        assert refused(client, partial(client.send, "POST", "/choose", body, {"content-type": kind}))[0] == 415


@pytest.mark.slow
@pytest.mark.parametrize("number", ["1", "-1", "00", "x", "9" * 5000, "%2e%2e", "1.0"])
def test_there_are_only_the_steps_so_far(client: Client, number: str) -> None:
    assert client.get(f"/frames/{number}").status == 404


@pytest.mark.slow
@pytest.mark.parametrize(
    "path",
    [
        "/page.py",
        "/static/page.js",
        "/../server.py",
        "/%2e%2e/server.py",
        "/etc/passwd",
        "//etc/passwd",
        "/frames/../..",
    ],
)
def test_no_path_of_a_request_is_opened(client: Client, path: str) -> None:
    assert client.get(path).status in (404, 405)


@pytest.mark.slow
@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "127.0.0.1.evil.example:{port}", ""]
)
def test_other_names_for_this_machine_are_refused(client: Client, session: Session, host: str) -> None:
    name = host.format(port=client.port)
    for path in GETS:
        assert client.get(path, Host=name).status == 421
    order = {"token": session.now().token, "action": 0}
    assert refused(client, partial(client.post, "/choose", order, Host=name))[0] == 421


def test_the_usual_names_are_fine(client: Client) -> None:
    for name in ("127.0.0.1", "localhost"):
        assert client.get("/state", Host=f"{name}:{client.port}").status == 200


def test_at_the_usual_port_names_come_without_it(session: Session) -> None:
    guard = application(session, 80).user_middleware[0]
    assert guard.kwargs["names"] == {"127.0.0.1", "localhost", "[::1]"}


@pytest.mark.slow
@pytest.mark.parametrize(
    "origin",
    ["http://evil.example", "null", "https://127.0.0.1:{port}", "http://127.0.0.1:1", "http://localhost:{port}", ""],
)
def test_other_pages_may_not_give_orders(client: Client, session: Session, origin: str) -> None:
    order = {"token": session.now().token, "action": 0}
    ask = partial(client.post, "/choose", order, Origin=origin.format(port=client.port))
    assert refused(client, ask) == (403, "requests from other pages are refused")
    assert client.post("/choose", order, Origin=client.here).status == 200


# What is hidden


@pytest.mark.slow
def test_nothing_of_the_future_is_sent() -> None:
    """Games that differ in nothing but what is hidden are the same on the wire, in all phases."""
    games, twins = mid_game(64, 3), mid_game(64, 3)
    twins.redeal(99)
    tried: Counter[str] = Counter()
    different = 0
    for number in range(games.num_games):
        snapshot, twin = games.snapshot(number), twins.snapshot(number)
        if tried[snapshot["phase"]] == 3:
            continue
        tried[snapshot["phase"]] += 1
        different += snapshot["covered"] != twin["covered"]
        assert snapshot["stream"] != twin["stream"]
        # Nobody thinks here, since what they do may be by chance.
        answers = [all_answers(new_session(["random"] * 2, start=each, name="x")) for each in (snapshot, twin)]
        assert answers[0] == answers[1]
    assert tried.keys() >= {"dial", "pick", "collect", "build"}
    assert different >= 5


@pytest.mark.slow
def test_dials_that_are_being_set_are_not_sent() -> None:
    """The others have decided, differently, before the person has: until then it is the same on the wire."""
    answers, opened = [], []
    for position in (0, 8):
        with new_session([Stubborn(position), Stubborn(position)], name="x") as session:
            session.wait(lambda now: now.version == 3 and not now.thinking, PATIENCE)
            answers.append(all_answers(session))
            session.choose(session.now().token, 3)
            settled(session)
            opened.append(all_answers(session))
    assert answers[0] == answers[1]
    assert opened[0] != opened[1]


def test_who_has_decided_first_does_not_matter() -> None:
    slow = Slow()
    with new_session([Stubborn(4), slow]) as session:
        assert slow.asked.wait(PATIENCE)
        with served(session) as client:
            state = client.get("/state").data
        assert state["thinking"] == [2]
        assert state["frame"]["revealed"] == ""
        slow.go.set()


@pytest.mark.slow
def test_seeds_and_snapshots_are_never_sent_before_the_end() -> None:
    with new_session(["greedy", "tide"], hints=["tide"], seed=77) as session:
        secrets: set[bytes] = {b'"covered"', b'"bag"', b'"stream"', b'"seed"', b'"ruleset"'}
        while not settled(session).over:
            now = session.now()
            for name in ("seed", "stream"):
                bits = now.snapshot[name]
                secrets |= {bits.encode(), bits[2:].encode(), str(int(bits, 16)).encode()}
            for answer in all_answers(session):
                assert not [secret for secret in secrets if secret in answer]
            session.choose(now.token, first(now))


# The command


def test_a_busy_port_is_told() -> None:
    with listen(0) as taken:
        port = taken.getsockname()[1]
        assert taken.getsockname()[0] == "127.0.0.1"
        with pytest.raises(ValueError, match=f"port {port}: Address already in use; choose another one"):
            listen(port)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "steps"),
    [
        (["play", "--opponents", "greedy,tide", "--seed", "3"], 0),
        (["watch", str(KEPT)], len(Replay.load(KEPT).actions)),
    ],
)
def test_the_command_serves_until_it_is_interrupted(arguments: list[str], steps: int) -> None:
    program = [sys.executable, "-c", "from strand_env import cli; cli.main()", *arguments, "--no-browser"]
    running = subprocess.Popen(
        program,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    try:
        assert running.stdout is not None
        found = re.search(r"http://127\.0\.0\.1:(\d+)/", running.stdout.readline())
        assert found
        port = int(found[1])
        assert Client(port).get("/state").data["steps"] == steps
        with socket.create_connection(("127.0.0.1", port)):  # a tab that is open and silent does not keep it
            running.send_signal(signal.SIGINT)
            assert running.wait(PATIENCE) == 0
        assert running.stderr is not None
        assert running.stderr.read() == ""
    finally:
        running.kill()
        running.communicate()


def test_games_of_the_server_do_not_touch_each_other() -> None:
    first_one, second = Games(1, 2, 5), Games(1, 2, 5)
    with Session(new_session().game, first_one, [None, RandomAgent()], ["you", "random"]) as session:
        play_on(session)
    assert first_one.snapshot(0) == second.snapshot(0)
