"""Garbage for the page's server, from several clients at once: `attack` is a part of `make attack`.

Each request has to be answered by a refusal, or by what anybody may see; the game must not move, and the server has to
keep its temper: no error 500, nothing on its terminal but a line or two. Then many requests are sent by half and held
open: they are given up in time, and meanwhile the page answers others.
"""

import os
import random
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from itertools import cycle, islice
from pathlib import Path
from typing import IO

from strand_env.play.connections import BACKLOG, MOST_CONNECTIONS, PATIENCE
from strand_env.registry import game_of

ROOT = Path(__file__).parents[1]
PROGRAM = "from strand_env import cli; cli.main()"
SECONDS = 5.0  # for an answer, on a machine that has eight clients to run, too
SILENCE = 0.5  # seconds after which a request is taken to be incomplete, so that no answer is to come
MOST_LINES = 5  # on the server's terminal
METHODS = ["GET", "POST", "PUT", "HEAD", "OPTIONS", "CONNECT", "get", "X" * 300, "GET\x1b"]
PATHS = ["/", "/state", "/style.css", "/page.js", "/game.css", "/game.svg", "/frames/0", "/frames/{}", "/replay.json"]
ORDERS = ["/choose", "/undo", "/new", "/hint"]
STRANGE_PATHS = [
    "*",
    "//",
    "/../../etc/passwd",
    "/%2e%2e/%2e%2e/etc/passwd",
    "/\x00",
    "/state?known={}",
    "http://evil/",
]
BODIES = [b"", b"{", b"[]", b"null", b"1e999", b'{"token":1}', b'{"token":"x","action":0}', b"\xff\xfe", b"[" * 4000]
HEADERS = [
    "Content-Type: application/json",
    "Content-Type: text/plain",
    "Content-Length: {}",
    "Transfer-Encoding: chunked",
    "Transfer-Encoding: gzip, chunked",
    "Origin: http://evil.example",
    "Origin: null",
    "Connection: upgrade",
    "Upgrade: websocket",
    "Expect: 100-continue",
    "Range: bytes=0-",
    "X: " + "y" * 5000,
    "Cookie: \x1b[2J",
    ": nameless",
    "no colon",
]

HALF_A_BODY = "Content-Type: application/json\r\nContent-Length: 9\r\n\r\n{"
HALVES = {
    "nothing": "",
    "half a head": "GET /state HTTP/1.1\r\nHo",
    "half a body": "POST /choose HTTP/1.1\r\n" + HALF_A_BODY,
    "half a body for nobody": "POST /choose HTTP/1.1\r\nHost: {host}\r\nContent-Length: 9\r\n\r\n{",
    "half a body for the page": "POST /choose HTTP/1.1\r\nHost: {host}\r\n" + HALF_A_BODY,
    "a request and a half": "GET / HTTP/1.1\r\nHost: {host}\r\n\r\n"
    "POST /new HTTP/1.1\r\nHost: {host}\r\n" + HALF_A_BODY,
    "half a chunk": "POST /new HTTP/1.1\r\nHost: {host}\r\n"
    "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{",
}
HELD = 400  # half-sent requests at once
GRACE = 5.0  # seconds that a busy machine may be late


@dataclass
class Outcome:
    tried: int = 0
    refused: int = 0
    harmless: int = 0  # answered by what anybody may see, or not at all, as they are incomplete
    faults: list[tuple[str, str]] = field(default_factory=list)  # kind, and an example


def attack(
    game: str, requests: int, clients: int, seed: int, folder: Path, told: Callable[[int], None]
) -> list[Outcome]:
    """Of so many requests to the page of a new game, and of half-sent ones that are held open."""
    outcome = Outcome()
    with serving(game, folder) as (port, errors, process):
        before = get(port, "/state")
        assert before, "the page has no answer"
        rngs = [random.Random(f"{seed} {number}") for number in range(requests)]
        with ThreadPoolExecutor(clients) as pool:
            for number, (refused, fault) in enumerate(pool.map(lambda rng: _try(rng, port), rngs)):
                outcome.tried += 1
                if fault is not None:
                    outcome.faults.append(fault)
                elif refused:
                    outcome.refused += 1
                else:
                    outcome.harmless += 1
                if number % 50 == 0:
                    told(number)
        held = hold(port, process, told)
        if get(port, "/state") != before:
            outcome.faults.append(("accepted wrongly", "the game has moved"))
        lines = errors.read_text("utf-8", "replace").splitlines()
        if len(lines) > MOST_LINES or any("Traceback" in line for line in lines):
            outcome.faults.append(("tracebacks", f"{len(lines)} lines on the server's terminal: {lines[:3]!a}"))
        if not all(line.isprintable() for line in lines):
            outcome.faults.append(("escapes", "on the server's terminal"))
        if sum("connections" in line for line in lines) != 1:
            held.faults.append(("tracebacks", f"not said once that there are too many connections: {lines[:3]!a}"))
    return [outcome, held]


def _may_move_on(state: bytes, game: str) -> bool:
    """Whether agents may still change the state; where hands are private it does not tell who has decided."""
    asked = game_of(game).information == "private" and b'"choices":[]' not in state
    return not asked and b'"thinking":[]' not in state


@contextmanager
def serving(game: str, folder: Path) -> Iterator[tuple[int, Path, int]]:
    """The page of a person and agents that play at random: its port, its server's complaints, and the process."""
    errors = folder / f"errors of {game}"
    command = [sys.executable, "-c", PROGRAM, "play", "--game", game, "--opponents", "random", "--no-browser"]
    file: IO[bytes]
    with errors.open("wb") as file:
        running = subprocess.Popen(
            command,
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=file,
            text=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        )
    try:
        assert running.stdout is not None
        found = re.search(r"http://127\.0\.0\.1:(\d+)/", running.stdout.readline())
        assert found, errors.read_text()
        port = int(found[1])
        deadline = time.monotonic() + 60
        while _may_move_on(get(port, "/state"), game) and time.monotonic() < deadline:
            time.sleep(0.05)
        yield port, errors, running.pid
    finally:
        running.send_signal(signal.SIGINT)
        running.communicate()


def half(kind: str, port: int) -> bytes:
    return HALVES[kind].replace("{host}", f"127.0.0.1:{port}").encode()


def hold(port: int, process: int, told: Callable[[int], None]) -> Outcome:
    """Holds half-sent requests of all kinds open, and asks for the page again and again until all are given up."""
    outcome = Outcome(tried=HELD)
    files = Path("/proc", str(process), "fd")  # where the system shows them
    before = most = len(os.listdir(files)) if files.exists() else 0
    left: set[socket.socket] = set()

    def ask() -> None:
        nonlocal most
        try:
            answers = b'"token"' in get(port, "/state")
        except OSError:
            answers = False
        if not answers:
            outcome.faults.append(("hangs", f"the page does not answer beside {len(left)} half-sent requests"))
        most = max(most, len(os.listdir(files)) if before else 0)
        told(HELD - len(left))

    with ExitStack() as stack:
        for number, kind in enumerate(islice(cycle(HALVES), HELD)):
            connection = stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=SECONDS))
            with suppress(ConnectionError):  # closed already, to make room
                connection.sendall(half(kind, port))
            connection.setblocking(False)
            left.add(connection)
            if number % 50 == 0:
                ask()
        deadline = time.monotonic() + PATIENCE + GRACE
        while left and time.monotonic() < deadline:
            ask()
            time.sleep(0.2)
            left -= {connection for connection in left if _is_closed(connection)}
    outcome.refused = HELD - len(left)
    outcome.faults += [("hangs", "a half-sent request is kept open")] * len(left)
    if most > before + MOST_CONNECTIONS + BACKLOG:
        outcome.faults.append(("accepted wrongly", f"{most} open files beside half-sent requests, {before} before"))
    return outcome


def _is_closed(connection: socket.socket) -> bool:
    try:
        while connection.recv(65536):
            pass
    except BlockingIOError:
        return False
    except ConnectionError:
        pass
    return True


def get(port: int, path: str) -> bytes:
    """The body, as the head has the time of day."""
    request = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n"
    answer = exchange(port, request.encode(), silence=SECONDS)
    return answer.partition(b"\r\n\r\n")[2]


def exchange(port: int, content: bytes, leave: bool = False, silence: float = SILENCE) -> bytes:
    """What is answered to these bytes. The server takes the end of what is sent for a hang-up: so wait for it first."""
    answer = b""
    connecting = socket.create_connection(("127.0.0.1", port), timeout=SECONDS)
    with connecting as connection, suppress(BrokenPipeError, ConnectionResetError):
        connection.sendall(content)
        if leave:
            return answer
        connection.settimeout(silence)
        with suppress(TimeoutError):
            while not _is_whole(answer) and (part := connection.recv(65536)):
                answer += part
        connection.settimeout(SECONDS)
        with suppress(OSError):  # the server may have closed it
            connection.shutdown(socket.SHUT_WR)
        while part := connection.recv(65536):
            answer += part
    return answer


def _is_whole(answer: bytes) -> bool:
    """Whether the final answer is there, with its body."""
    head, end, body = final(answer).partition(b"\r\n\r\n")
    length = re.search(rb"\r\ncontent-length: (\d+)", head)
    return bool(end) and (length is None or len(body) >= int(length[1]))


def final(answer: bytes) -> bytes:
    """An answer without "100 Continue", which only promises to read on: whatever follows it decides."""
    return re.sub(rb"^HTTP/1\.1 100 .*?\r\n\r\n", b"", answer, flags=re.MULTILINE | re.DOTALL)


def _try(rng: random.Random, port: int) -> tuple[bool, tuple[str, str] | None]:
    """Whether one request is refused; what is wrong with its answer, if anything."""
    content, foreign, leave = _request(rng, port)
    try:
        try:
            answer = exchange(port, content, leave)
        except TimeoutError:  # it may be the machine that hangs
            answer = exchange(port, content, leave)
    except TimeoutError:
        return False, ("hangs", f"{content[:200]!a}")
    except OSError:
        return True, None  # too many at once: cut off
    return final(answer).startswith(b"HTTP/1.1 4"), fault_in(answer, content, foreign)


def fault_in(answer: bytes, content: bytes, foreign: bool) -> tuple[str, str] | None:
    """What is wrong with the answer to a request, which comes from elsewhere or not."""
    example = f"{content[:200]!a}: {answer[:100]!a}"
    statuses = [int(status) for status in re.findall(rb"^HTTP/1\.1 (\d+) ", final(answer), re.MULTILINE)]
    if any(status >= 500 for status in statuses):
        return "tracebacks", example
    if any(status < 300 for status in statuses) and (foreign or content.startswith((b"POST", b"PUT"))):
        return "accepted wrongly", example
    if re.search(rb"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]", answer):
        return "escapes", example
    return None


def _request(rng: random.Random, port: int) -> tuple[bytes, bool, bool]:
    """The bytes of a request, whether it comes from elsewhere, and whether its sender leaves at once."""
    if rng.random() < 0.1:
        return rng.randbytes(rng.choice((1, 50, 3000, 70_000))), True, rng.random() < 0.2
    method = rng.choice([*METHODS, "POST", "POST"])
    numbers = ["-1", "99", "1e9", "x", "9" * 5000, "%00", "٣", "0x0", ""]
    path = rng.choice([*PATHS, *ORDERS, *ORDERS, *STRANGE_PATHS]).replace("{}", rng.choice(numbers))
    foreign = rng.random() < 0.3
    host = rng.choice(["evil.example", "127.0.0.1", "", "127.0.0.1:1"]) if foreign else f"127.0.0.1:{port}"
    body = rng.choice([*BODIES, rng.randbytes(100), b"9" * rng.choice((5000, 200_000))])
    chosen = rng.sample(HEADERS, rng.randrange(5))
    headers = [each.replace("{}", rng.choice([str(len(body)), "-1", "1e3", "9" * 20, "0"])) for each in chosen]
    if method in ("POST", "PUT") and rng.random() < 0.6:
        headers += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
    version = rng.choice(["HTTP/1.1"] * 5 + ["HTTP/1.0", "HTTP/9.9", "", "HTTP/1.1 x"])
    lines = [f"{method} {path} {version}", f"Host: {host}", *headers, "", ""]
    content = rng.choice(["\r\n"] * 9 + ["\n"]).join(lines).encode("utf-8", "surrogateescape") + body
    if rng.random() < 0.2:
        place = rng.randrange(len(content))
        content = content[:place] + rng.randbytes(1) + content[place + 1 :]
        foreign = False  # it may have become anything
    if rng.random() < 0.1:
        content = content[: rng.randrange(len(content))]
    return content, foreign, rng.random() < 0.1
