"""What the page's server puts up with: large bodies, requests that never end, too many connections, no files left."""

import http.client
import json
import os
import resource
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress
from pathlib import Path

import fuzz_server
import pytest
from play_helpers import PATIENCE, Client, new_session, served, settled

from strand_env.play import connections

ROOT = Path(__file__).parents[1]
KEPT = ROOT / "tests" / "replays" / "strand_unter_v0.json"

LARGE = 200_000_000
FITS_INTO_BUFFERS = 20_000_000  # of the system, on both sides
KINDS = {"choose": "POST /choose", "page": "GET /", "none": "POST /nowhere", "state": "PUT /state"}


@pytest.fixture
def client() -> Iterator[Client]:
    with new_session(["random"]) as session:
        settled(session)
        with served(session) as client:
            yield client


def connected(client: Client) -> socket.socket:
    return socket.create_connection(("127.0.0.1", client.port), timeout=PATIENCE)


def head(client: Client, request: str, *lines: str, host: str = "127.0.0.1:{}") -> bytes:
    first = f"{request} HTTP/1.1", f"Host: {host.format(client.port)}", "Content-Type: application/json"
    return "\r\n".join([*first, *lines, "", ""]).encode()


def answer_of(connection: socket.socket) -> bytes:
    """All that is sent until the connection is closed."""
    content = b""
    with suppress(ConnectionResetError):
        while part := connection.recv(65536):
            content += part
    return content


# Large bodies


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("host", ["127.0.0.1:{}", "elsewhere.example"])
@pytest.mark.parametrize("framing", [f"Content-Length: {LARGE}", "Transfer-Encoding: chunked"])
def test_large_bodies_are_cut_off_early(client: Client, kind: str, host: str, framing: str) -> None:
    chunk = b"9" * 65536
    piece = chunk if "Length" in framing else b"10000\r\n" + chunk + b"\r\n"
    sent = 0
    with connected(client) as connection:
        connection.sendall(head(client, KINDS[kind], framing, host=host))
        with suppress(BrokenPipeError, ConnectionResetError):
            while sent < LARGE:
                connection.sendall(piece)
                sent += len(piece)
        answer = answer_of(connection)
    assert sent < FITS_INTO_BUFFERS
    expected = {"choose": 413, "page": 200, "none": 404, "state": 405}[kind] if "127" in host else 421
    assert answer.startswith(b"HTTP/1.1 %d " % expected)
    assert client.get("/state").status == 200


def test_a_length_is_refused_before_anything_is_sent(client: Client) -> None:
    for length in ("4097", "9" * 18):
        with connected(client) as connection:
            connection.sendall(head(client, "POST /choose", f"Content-Length: {length}"))
            assert connection.recv(65536).startswith(b"HTTP/1.1 413 ")


def test_a_connection_stays_open_after_a_small_refused_body(client: Client) -> None:
    with closing(http.client.HTTPConnection("127.0.0.1", client.port, timeout=PATIENCE)) as connection:
        connection.connect()
        own = connection.sock
        for _ in range(3):
            connection.request("POST", "/nowhere", b"{ }")
            answer = connection.getresponse()
            answer.read()
            assert (answer.status, connection.sock) == (404, own)


# Bodies that are announced


@pytest.mark.slow
@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'{"token": 1}'])
def test_an_announced_body_is_asked_for_and_then_refused(client: Client, body: bytes) -> None:
    lines = "Expect: 100-continue", f"Content-Length: {max(len(body), 1)}"  # the empty one never comes
    request = head(client, "POST /hint", *lines) + body
    before = client.get("/state").content
    answer = fuzz_server.exchange(client.port, request)
    interim, _, final = answer.partition(b"\r\n\r\n")
    assert interim.startswith(b"HTTP/1.1 100 ")
    assert final.startswith(b"HTTP/1.1 4") if body else not final
    assert client.get("/state").content == before
    assert fuzz_server.fault_in(answer, request, foreign=False) is None


@pytest.mark.parametrize("final", [101, 200, 204])
def test_an_attack_is_judged_by_the_final_answer(final: int) -> None:
    answer = b"HTTP/1.1 100 \r\n\r\nHTTP/1.1 %d OK\r\n\r\n" % final
    fault = fuzz_server.fault_in(answer, b"POST /hint HTTP/1.1\r\n\r\n", foreign=False)
    assert fault is not None
    assert fault[0] == "accepted wrongly"


def test_an_attack_notices_that_the_game_has_moved(client: Client) -> None:
    before = fuzz_server.get(client.port, "/state")
    token = json.loads(before)["token"]
    assert client.post("/new", {"token": token}).status == 200
    assert fuzz_server.get(client.port, "/state") != before


# Time


@pytest.mark.slow
@pytest.mark.parametrize("kind", fuzz_server.HALVES)
def test_half_sent_requests_are_given_up(client: Client, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    monkeypatch.setattr(connections, "PATIENCE", 0.5)
    number = fuzz_server.HELD if kind == "half a head" else 50  # `make attack` mixes them
    with ExitStack() as stack:
        many = [stack.enter_context(connected(client)) for _ in range(number)]
        for connection in many:
            with suppress(ConnectionError):  # closed already, to make room
                connection.sendall(fuzz_server.half(kind, client.port))
        assert client.get("/state").status == 200
        for connection in many:
            answer_of(connection)  # which ends as the connection is closed


def test_dripping_does_not_help(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "PATIENCE", 0.5)
    with connected(client) as connection:
        connection.sendall(head(client, "GET /state")[:-2])
        start = time.monotonic()
        with suppress(BrokenPipeError, ConnectionResetError):
            while time.monotonic() - start < PATIENCE:
                connection.sendall(b"X: x\r\n")
                time.sleep(0.05)
        assert time.monotonic() - start < PATIENCE


@pytest.mark.slow
def test_answers_that_nobody_reads_are_given_up(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "PATIENCE", 0.5)
    with connected(client) as connection:
        connection.setblocking(False)
        start, closed = time.monotonic(), False
        while not closed and time.monotonic() - start < PATIENCE:
            _, writable, _ = select.select([], [connection], [], 1)
            try:
                if writable:
                    connection.send(head(client, "GET /state") * 100)
            except BlockingIOError:
                time.sleep(0.01)
            except (BrokenPipeError, ConnectionResetError):
                closed = True
    assert closed
    assert client.get("/state").status == 200


@pytest.mark.slow
def test_who_computes_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "PATIENCE", 0.2)
    with new_session(["random"]) as session:
        settled(session)
        now = session.now()

        def slowly() -> object:
            time.sleep(1)
            return now

        with served(session) as client:
            monkeypatch.setattr(session, "now", slowly)
            assert client.get("/state").status == 200


# Numbers


def test_beyond_the_most_connections_those_that_wait_longest_are_closed(
    client: Client, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """So the page answers whoever sends a whole request, however many others only connect."""
    monkeypatch.setattr(connections, "MOST_CONNECTIONS", 10)
    monkeypatch.setattr(connections, "PATIENCE", PATIENCE)
    with ExitStack() as stack:
        many = [stack.enter_context(connected(client)) for _ in range(30)]
        assert client.get("/state").status == 200
        assert all(answer_of(each) == b"" for each in many[:20])
        assert select.select(many[21:], [], [], 0)[0] == []  # none of these is closed
    assert client.get("/state").status == 200
    assert caplog.messages == ["more than 10 connections: those that wait longest are closed"]


def test_garbage_is_reported_once(client: Client, caplog: pytest.LogCaptureFixture) -> None:
    for _ in range(20):
        with connected(client) as connection:
            connection.sendall(b"\x16\x03\x01 garbage\r\n\r\n")
            assert answer_of(connection).startswith(b"HTTP/1.1 400 ")
        with connected(client) as connection:
            connection.sendall(head(client, "GET /state", "Connection: upgrade, close", "Upgrade: websocket"))
            assert answer_of(connection).startswith(b"HTTP/1.1 200 ")
    assert 1 <= len(caplog.messages) == len({*caplog.messages}) <= 3


@pytest.mark.slow
def test_files_that_run_out_are_reported_once(tmp_path: Path) -> None:
    program = "from strand_env.play import connections; connections.MOST_CONNECTIONS = 10000; "
    program += "connections.PATIENCE = 2; from strand_env import cli; cli.main()"
    command = [sys.executable, "-c", program, "watch", str(KEPT), "--no-browser"]
    errors = tmp_path / "errors"
    with errors.open("wb") as file:
        running = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=file,
            text=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        )
    try:
        assert running.stdout is not None
        client = Client(int(running.stdout.readline().split("/")[2].partition(":")[2]))
        assert client.get("/state").status == 200
        files = len(os.listdir(f"/proc/{running.pid}/fd")) + 10
        resource.prlimit(running.pid, resource.RLIMIT_NOFILE, (files, files))
        with ExitStack() as stack:
            for _ in range(70):
                with suppress(TimeoutError):
                    stack.enter_context(socket.create_connection(("127.0.0.1", client.port), timeout=0.2))
            time.sleep(3)
        assert client.get("/state").status == 200
        assert errors.read_text().splitlines() == ["strand: a connection has to wait or was lost: Too many open files"]
    finally:
        running.send_signal(signal.SIGINT)
        running.communicate()
        assert running.returncode == 0
