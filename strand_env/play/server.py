"""The page's server: for this machine alone, and for one session.

It serves only the fixed paths below; nothing in a request ever becomes a file path. Requests from other sites open in
the same browser are refused, by the name they use for the server (Host) and by where they come from (Origin).
"""

import os
import socket
from collections.abc import Awaitable, Callable
from contextlib import suppress
from importlib.resources import files
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.middleware.base import BaseHTTPMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from strand_env.play import page
from strand_env.play.connections import Server
from strand_env.play.plain import play_views
from strand_env.play.session import Recording, Refused, Session
from strand_env.support.reading import parse_json

HOST = "127.0.0.1"
LARGEST_BODY = 4096  # bytes; an order takes about a hundred

_FILES = {
    "/": ("index.html", "text/html"),
    "/style.css": ("style.css", "text/css"),
    "/page.js": ("page.js", "text/javascript"),
    "/choices.js": ("choices.js", "text/javascript"),
}
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}

Next = Callable[[Request], Awaitable[Response]]


def application(shown: Session | Recording, port: int) -> Starlette:
    """The application that serves a session or recording at this port."""
    answers = _Answers(shown)
    routes = [
        *(Route(path, _file(*file)) for path, file in _FILES.items()),
        Route("/game.css", _text(answers.views.style, "text/css")),
        Route("/game.svg", _text(answers.views.symbols, "image/svg+xml")),
        Route("/state", answers.state),
        Route("/frames/{number}", answers.frame),
        Route("/replay.json", answers.replay),
        *(Route(f"/{name}", answers.order(name), methods=["POST"]) for name in ("choose", "undo", "new", "hint")),
    ]
    handlers: Any = {Refused: lambda _, error: _refusal(409, str(error))}
    names = {f"{name}:{port}".removesuffix(":80") for name in (HOST, "localhost", "[::1]")}  # as browsers send them
    return Starlette(routes=routes, exception_handlers=handlers, middleware=[Middleware(_Guard, names=names)])


class _Guard(BaseHTTPMiddleware):
    """Admits requests to a name of this machine, and from no page but its own."""

    def __init__(self, app: Any, names: set[str]) -> None:
        super().__init__(app)
        self._names = names

    async def dispatch(self, request: Request, call_next: Next) -> Response:
        host, origin = request.headers.get("host", ""), request.headers.get("origin")
        if host not in self._names:
            response = _refusal(421, f"this server is reached as {sorted(self._names)[0]}")
        elif origin is not None and origin.removeprefix("http://") != host:
            response = _refusal(403, "requests from other pages are refused")
        else:
            response = await call_next(request)
        response.headers.update(_HEADERS)
        return response


class _Answers:
    def __init__(self, shown: Session | Recording) -> None:
        self._shown = shown
        self.views = play_views(shown.game)

    def state(self, request: Request) -> Response:
        now = self._shown.now()
        if request.query_params.get("known") == f"{now.token}/{now.version}":
            return Response(status_code=204)
        return JSONResponse(page.state(self._shown, now, self.views))

    def frame(self, request: Request) -> Response:
        now, number = self._shown.now(), request.path_params["number"]
        steps = {str(step): step for step in range(len(now.positions))}
        if number not in steps:
            return _refusal(404, f"step: expected one from 0 to {len(now.positions) - 1}")
        return JSONResponse(page.frame(self._shown, now, self.views, steps[number]))

    def replay(self, request: Request) -> Response:
        name = f'attachment; filename="{self._shown.game.id}.json"'
        content = self._session().replay().to_json()
        return Response(content, media_type="application/json", headers={"Content-Disposition": name})

    def order(self, name: str) -> Callable[[Request], Awaitable[Response]]:
        async def answer(request: Request) -> Response:
            if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
                return _refusal(415, "expected JSON, as application/json")
            length = request.headers.get("content-length", "0")  # digits, or the request would not have come so far
            if len(length) > 9 or int(length) > LARGEST_BODY:
                return _refusal(413, f"expected at most {LARGEST_BODY} bytes")
            body = b""
            try:
                async for piece in request.stream():
                    body += piece
                    if len(body) > LARGEST_BODY:
                        return _refusal(413, f"expected at most {LARGEST_BODY} bytes")
                data = parse_json(body, LARGEST_BODY)
            except ClientDisconnect:
                return Response(status_code=400)  # nobody is left to read it
            except ValueError:
                return _refusal(400, "expected JSON, got something broken")
            if not isinstance(data, dict):
                return _refusal(400, "expected an object with a token")
            return await run_in_threadpool(self._carry_out, name, data)

        return answer

    def _carry_out(self, name: str, data: dict[str, Any]) -> Response:
        session, token = self._session(), data.get("token")
        if name == "choose":
            session.choose(token, data.get("action"))
        elif name == "undo":
            session.undo(token)
        elif name == "new":
            session.new_game(token, same_deal=data.get("same_deal") is True)
        else:
            session.ask_hint(token, data.get("agent"))
        return JSONResponse(page.state(session, session.now(), self.views))

    def _session(self) -> Session:
        if isinstance(self._shown, Session):
            return self._shown
        raise Refused("this is a recording: it can only be watched")


def _file(name: str, kind: str) -> Callable[[Request], Response]:
    return _text(files(__package__).joinpath("static", name).read_text("utf-8"), kind)


def _text(content: str, kind: str) -> Callable[[Request], Response]:
    return lambda request: Response(content, media_type=kind)


def _refusal(status: int, message: str) -> Response:
    return JSONResponse({"error": message}, status)


def listen(port: int) -> socket.socket:
    """A socket on the loopback interface, at this port, or at a free one if it is 0."""
    try:
        return socket.create_server((HOST, port))
    except OSError as error:
        raise ValueError(
            f"port {port}: {os.strerror(error.errno or 0)}; choose another one, or leave it out to get a free one"
        ) from None


def server_of(shown: Session | Recording, listening: socket.socket) -> Server:
    """A server, ready to run on this socket."""
    return Server(application(shown, listening.getsockname()[1]))


def serve(shown: Session | Recording, listening: socket.socket) -> None:
    """Serves the page until interrupted."""
    with suppress(KeyboardInterrupt):  # the way to stop it
        server_of(shown, listening).run(sockets=[listening])
