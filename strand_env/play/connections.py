"""What the server puts up with: requests that never end, answers that nobody reads, more of either than it can hold.

Uvicorn limits none of this by itself. A page needs a few connections, and requests of some hundred bytes.
"""

import asyncio
import logging
import math
import socket
import sys
from contextlib import suppress
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

PATIENCE = 10.0  # seconds for a request to arrive, and for an answer to be read
LARGEST_REQUEST = 64 * 1024  # bytes, head included, before the connection is closed
MOST_CONNECTIONS = 100
BACKLOG = 64  # connections that wait to be accepted


class Connection(H11Protocol):
    """One connection, closed if it takes too long or sends too much, or if it waits longest when there are too many."""

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._taken = 0
        self._clock: asyncio.TimerHandle | None = None
        self._start_clock()
        if len(self.connections) > MOST_CONNECTIONS:
            self._make_room()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_clock()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        self._taken += len(data)
        super().data_received(data)
        self._close_if_too_long()

    def handle_events(self) -> None:
        super().handle_events()
        if self.conn.their_state not in (h11.IDLE, h11.SEND_BODY):  # the request is complete
            self._taken = 0
            self._stop_clock()  # computing the answer may take its time

    def send_400_response(self, msg: str) -> None:
        if self.cycle is not None and not self.cycle.response_complete:
            self.cycle.disconnected = True  # it broke off in its body: the page's own answer has nowhere to go
        with suppress(h11.LocalProtocolError):  # as after HEAD, which gets no body
            super().send_400_response(msg)
        self.transport.close()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._start_clock()

    def on_response_complete(self) -> None:
        if self.conn.their_state is not h11.SEND_BODY:  # otherwise the rest of a refused body is still to come
            self._start_clock()
        super().on_response_complete()
        self._close_if_too_long()

    def _close_if_too_long(self) -> None:
        answered = self.cycle is None or self.cycle.response_complete
        if self._taken > LARGEST_REQUEST and answered:
            self.transport.close()

    def _make_room(self) -> None:
        """Closes the connection whose time is up first. So whoever sends a whole request at once gets an answer."""
        self.logger.warning("more than %d connections: those that wait longest are closed", MOST_CONNECTIONS)
        longest = min((each for each in self.connections if isinstance(each, Connection)), key=Connection._deadline)
        longest._stop_clock()  # it is not chosen twice
        longest.transport.abort()

    def _deadline(self) -> float:
        return math.inf if self._clock is None else self._clock.when()

    def _start_clock(self) -> None:
        self._stop_clock()
        self._clock = self.loop.call_later(PATIENCE, self.transport.abort)

    def _stop_clock(self) -> None:
        if self._clock is not None:
            self._clock.cancel()
            self._clock = None


class Server(uvicorn.Server):
    """Reports each kind of trouble once, however often it occurs."""

    def __init__(self, app: Any) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                http=Connection,
                ws="none",
                backlog=BACKLOG,
                log_level="warning",
                lifespan="off",
                timeout_graceful_shutdown=1,
            )
        )
        self._reported: set[str] = set()

    async def serve(self, sockets: list[socket.socket] | None = None) -> None:
        asyncio.get_running_loop().set_exception_handler(self._report)
        log = logging.getLogger("uvicorn.error")
        log.addFilter(self._is_new)
        try:
            await super().serve(sockets)
        finally:
            log.removeFilter(self._is_new)

    def _report(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        if not isinstance(error, OSError):
            loop.default_exception_handler(context)
        elif self._first(str(error.strerror)):  # as of accept(), over and over, while there are no files left
            print(f"strand: a connection has to wait or was lost: {error.strerror}", file=sys.stderr)

    def _is_new(self, record: logging.LogRecord) -> bool:
        """Tells of errors in the application; of garbage from a client once, and of tabs cut off at shutdown never."""
        message = record.getMessage()
        return bool(record.exc_info) or ("graceful shutdown" not in message and self._first(message))

    def _first(self, message: str) -> bool:
        new = message not in self._reported
        self._reported.add(message)
        return new
