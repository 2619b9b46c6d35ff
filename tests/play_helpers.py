"""Agents and helpers for the tests of games that people play."""

import http.client
import json
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from strand_env.agents import AnyAgent, agent_of
from strand_env.play.server import HOST, listen, server_of
from strand_env.play.session import Now, Recording, Session
from strand_env.strand_unter import GAME as STRAND_UNTER
from strand_env.strand_unter import Games

GETS = ["/", "/style.css", "/page.js", "/choices.js", "/game.css", "/game.svg", "/state", "/frames/0"]
PATIENCE = 90  # seconds: more than anything here takes on a busy machine


class Slow:
    """Thinks until it is let go, then does the first thing that is legal."""

    def __init__(self) -> None:
        self.times = 0  # that it was asked
        self.go = threading.Event()
        self.asked = threading.Event()

    def reset(self) -> None:
        pass

    def act(self, observation: Any, mask: np.ndarray, rng: Any) -> np.ndarray:
        self.times += 1
        self.asked.set()
        assert self.go.wait(PATIENCE)
        return mask.argmax(1)


class Stubborn:
    """Sets the dial to one position whenever it can, and otherwise does the first thing that is legal."""

    def __init__(self, position: int) -> None:
        self.position = position

    def reset(self) -> None:
        pass

    def act(self, observation: Any, mask: np.ndarray, rng: Any) -> np.ndarray:
        return np.where(mask[:, self.position] == 1, self.position, mask.argmax(1))


class Failing:
    """Fails, always or so many times; then it does the first thing that is legal."""

    def __init__(self, times: int = 1_000_000) -> None:
        self.times = times

    def reset(self) -> None:
        pass

    def act(self, observation: Any, mask: np.ndarray, rng: Any) -> np.ndarray:
        self.times -= 1
        if self.times >= 0:
            raise RuntimeError("thought too hard")
        return mask.argmax(1)


def new_session(
    others: Sequence[AnyAgent | str] = ("tide", "greedy"),
    seed: int = 1,
    seat: int | None = 0,
    hints: Sequence[str] = (),
    start: dict[str, Any] | None = None,
    name: str | None = None,
    seeded: bool = False,
) -> Session:
    """A game of Strand Unter with a person in a seat, or without one."""
    agents: list[AnyAgent | None] = [agent_of(other) for other in others]
    names = [other if isinstance(other, str) else type(other).__name__ for other in others]
    if seat is not None:
        agents.insert(seat, None)
        names.insert(seat, "you")
    batch = Games(1, len(agents), seed) if start is None else Games.from_snapshots([start])
    return Session(STRAND_UNTER, batch, agents, names, {hint: agent_of(hint) for hint in hints}, name, seeded)


def settled(session: Session) -> Now:
    """How things stand once nobody but the person is thinking, as far as the person is told."""

    def others_are_done(now: Now) -> bool:
        told = session.game.information == "open" or len(now.snapshot["to_act"]) == 1
        return not now.thinking or bool(now.failure) or (bool(now.legal) and not told)

    now = session.wait(others_are_done, PATIENCE)
    assert others_are_done(now), "somebody is still thinking"
    return now


def first(now: Now) -> int:
    return now.legal[0]


def varied(now: Now) -> int:
    """One choice after the other, to see many kinds of decisions."""
    return now.legal[(5 * len(now.positions)) % len(now.legal)]


def play_on(session: Session, choose: Callable[[Now], int] = varied, until: Callable[[Now], bool] | None = None) -> Now:
    """Plays to the end, or until this holds when the person is asked."""
    while True:
        now = settled(session)
        assert not now.failure
        if now.over or (until is not None and until(now)):
            return now
        session.choose(now.token, choose(now))


# The server


@dataclass(frozen=True)
class Answer:
    status: int
    content: bytes
    headers: http.client.HTTPMessage

    @property
    def text(self) -> str:
        return self.content.decode()

    @property
    def data(self) -> Any:
        return json.loads(self.content)


class Client:
    """Talks to a server as a browser would, or as it never would."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.here = f"http://{HOST}:{port}"

    def get(self, path: str, **headers: str) -> Answer:
        return self.send("GET", path, b"", headers)

    def post(self, path: str, data: Any, **headers: str) -> Answer:
        return self.send("POST", path, json.dumps(data).encode(), {"content-type": "application/json", **headers})

    def send(self, method: str, path: str, body: bytes, headers: dict[str, str]) -> Answer:
        connection = http.client.HTTPConnection(HOST, self.port, timeout=PATIENCE)
        try:
            with suppress(BrokenPipeError, ConnectionResetError):  # it may be refused before all of it is sent
                connection.request(method, path, body, {"Host": f"{HOST}:{self.port}", **headers})
            answer = connection.getresponse()
            return Answer(answer.status, answer.read(), answer.headers)
        finally:
            connection.close()


@contextmanager
def served(shown: Session | Recording) -> Iterator[Client]:
    """The page of a game, on a real server in a thread."""
    with listen(0) as listening:
        server = server_of(shown, listening)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            yield Client(listening.getsockname()[1])
        finally:
            server.should_exit = True
            thread.join()


def all_answers(shown: Session | Recording) -> list[bytes]:
    """Everything that a server sends of a game."""
    last = len(shown.now().positions)
    paths = [*GETS, "/replay.json", *(f"/frames/{number}" for number in range(last))]
    with served(shown) as client:
        return [client.get(path).content for path in paths]
