"""The one asynchronous edge: reads the body, runs the pipeline, waits where a wait was asked for, sends."""

import asyncio
from collections.abc import Callable, Iterable
from functools import cached_property
from urllib.parse import quote, unquote

from starlette.types import ASGIApp, Receive, Scope, Send

from mockserver import errors
from mockserver.api.call import Request
from mockserver.api.family import CONTROL
from mockserver.domain.transactions.timers import TIMER_LOOP
from mockserver.errors import ApiError
from mockserver.server.pipeline import Pending, Pipeline
from mockserver.server.render import Response, error_response
from mockserver.state.project import Project

Log = Callable[[Request, Response], None]

_POLL_MS = 1_000
_HEALTH = "/_mock/health"


class App:
    """The ASGI application of a pipeline, for HTTP. A websocket is closed.

    `on_start` is called once, before anything but the server's health is answered. When it fails, every
    other request is answered with 503 and the reason.
    """

    def __init__(
        self,
        pipeline: Pipeline,
        *,
        log: Log | None = None,
        on_start: Callable[[Pipeline], None] | None = None,
    ) -> None:
        self.pipeline = pipeline
        self._log = log
        self._on_start = on_start
        self._failure: Exception | None = None
        self._waiting: set[asyncio.Future[None]] = set()
        self._closing = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await _reject(scope, receive, send)
            return
        if self._on_start is not None and not scope["path"].endswith(_HEALTH):
            try:
                self.start()
            except Exception as failure:
                error = ApiError(errors.CONTROL_NOT_READY, reason=f"{failure}.")
                await _send(error_response(error, CONTROL), send)
                return
        # Only browsers send an origin; the middleware would cost others as much as looking a row up.
        from_browser = any(name == b"origin" for name, _ in scope["headers"])
        await (self._cors_app if from_browser else self._respond)(scope, receive, send)

    def start(self) -> None:
        """Do what is to be done before requests are answered; again is nothing, or the same failure."""
        if self._failure is not None:
            raise self._failure
        if self._on_start is not None:
            try:
                self._on_start(self.pipeline)
            except Exception as failure:
                self._failure = failure
                raise
            self._on_start = None

    async def _respond(self, scope: Scope, receive: Receive, send: Send) -> None:
        body = await self._body(receive)
        if body is None:
            return
        request = read_request(scope, body)
        outcome = self.pipeline.answer(request)
        if isinstance(outcome, Pending) or outcome.delay_ms:
            outcome = await self.finish(outcome)
        if self._waiting:
            self.wake()
        response = outcome
        if self._log is not None:
            self._log(request, response)
        await _send(response, send)

    async def finish(self, outcome: Response | Pending) -> Response:
        """The response, after what it waits for and its delay."""
        response = await self._wait(outcome) if isinstance(outcome, Pending) else outcome
        if response.delay_ms:
            await asyncio.sleep(response.delay_ms / 1000)
        return response

    def open(self) -> None:
        """Wait again where a wait is asked for."""
        self._closing = False

    def close(self) -> None:
        """Wait no longer: what is being waited for is answered with things as they are."""
        self._closing = True
        self.wake()

    @cached_property
    def _cors_app(self) -> ASGIApp:
        """The same as browsers need it: any origin may call, with its cookies."""
        # Its imports cost a start more than it is worth where no browser calls.
        from starlette.middleware.cors import CORSMiddleware

        return CORSMiddleware(
            self._respond,
            # A browser takes a star for an answer only where it sends no cookies.
            allow_origin_regex=".*",
            allow_credentials=True,
            allow_methods=["GET", "POST", "PUT", "DELETE", "OPTIONS"],
            allow_headers=["*"],
            expose_headers=[
                "set-auth-token",
                "set-auth-jwt",
                "retry-after",
                "x-retry-after",
                "x-request-id",
                "x-mockserver-rule",
            ],
        )

    async def _body(self, receive: Receive) -> bytes | None:
        """The whole body; of one that is larger than allowed, enough to see that it is.

        None when the client left before it had sent it all.
        """
        message = await receive()
        body: bytes = message.get("body", b"")
        if not message.get("more_body"):
            return body
        parts, size = [body], len(body)
        while message.get("more_body"):
            message = await receive()
            if message["type"] == "http.disconnect":
                return None
            part = message.get("body", b"")
            if size <= self.pipeline.max_body_size:
                parts.append(part)
            size += len(part)
        return b"".join(parts)

    async def _wait(self, pending: Pending) -> Response:
        """Wait in real time until what is waited for is there, or its time is up."""
        wait = pending.wait
        world = self.pipeline.world
        project = pending.project
        limit_ms = wait.limit_ms
        if limit_ms is None:
            limit_ms = project.settings.wait_limit_ms if project else 0
        # The loop's own time, because the world's real time may be a test's, and stand still.
        loop = asyncio.get_running_loop()
        end_s = loop.time() + limit_ms / 1000
        while not self._closing and not wait.ready() and (left_ms := (end_s - loop.time()) * 1000) > 0:
            await self._sleep_until_change(min(left_ms, _until_due_ms(project)))
            if project is not None:
                TIMER_LOOP.catch_up(project, world.real_ms())
        return pending.finish()

    async def _sleep_until_change(self, timeout_ms: float) -> None:
        """Sleep until another request was answered, or for so long."""
        changed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.add(changed)
        try:
            await asyncio.wait([changed], timeout=timeout_ms / 1000)
        finally:
            self._waiting.discard(changed)

    def wake(self) -> None:
        """Let every wait look again: something happened."""
        for changed in self._waiting:
            if not changed.done():
                changed.set_result(None)


def _until_due_ms(project: Project | None) -> float:
    """Real milliseconds until a ticking project's next timer; a poll's length when there is none."""
    due_ms = project.timers.next_due_ms() if project else None
    if project is None or due_ms is None:
        return _POLL_MS
    # One millisecond more, because a clock that shows whole milliseconds shows the due one late.
    return min(_POLL_MS, project.clock.real_wait_ms(due_ms) + 1)


async def _reject(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] != "websocket":
        raise RuntimeError(f"the mock server speaks HTTP, not {scope['type']}")
    # Closed before it is accepted, which servers answer with 403 (ASGI, WebSocket).
    await receive()
    await send({"type": "websocket.close"})


def read_request(scope: Scope, body: bytes) -> Request:
    """The request that an ASGI scope stands for, and its whole body."""
    raw = scope["headers"]
    headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in raw}
    if len(headers) != len(raw):
        headers = _join_headers(raw)
    client = scope.get("client")
    raw_path = scope.get("raw_path")
    # Decoded segment by segment, so that an encoded slash does not become another segment.
    path = scope["path"] if raw_path is None or b"%" not in raw_path else _decode_path(raw_path)
    root_path = scope.get("root_path", "")
    if root_path:
        root_path = root_path.rstrip("/")
        path = _below(root_path, path)
        root_path = quote(root_path)
    return Request(
        method=scope["method"],
        path=path,
        query=scope["query_string"].decode("latin-1"),
        headers=headers,
        body=body,
        scheme=scope.get("scheme", "http"),
        client=client[0] if client else "",
        root_path=root_path,
    )


def _below(root_path: str, path: str) -> str:
    """A path without the prefix that the application is mounted under.

    ASGI has the prefix in the path as well; servers and clients that leave it out are forgiven.
    """
    if path == root_path:
        return "/"
    return path.removeprefix(root_path) if path.startswith(f"{root_path}/") else path


def _join_headers(raw: Iterable[tuple[bytes, bytes]]) -> dict[str, str]:
    """Headers of which some came more than once."""
    headers: dict[str, str] = {}
    for raw_name, raw_value in raw:
        name, value = raw_name.decode("latin-1"), raw_value.decode("latin-1")
        headers[name] = f"{headers[name]}, {value}" if name in headers else value
    return headers


def _decode_path(raw_path: bytes) -> str:
    segments = raw_path.decode("latin-1").partition("?")[0].split("/")
    return "/".join(unquote(segment).replace("/", "%2F") for segment in segments)


async def _send(response: Response, send: Send) -> None:
    length = str(len(response.body)).encode()
    headers = (
        [*response.headers] if response.status == 204 else [*response.headers, (b"content-length", length)]
    )
    await send({"type": "http.response.start", "status": response.status, "headers": headers})
    await send({"type": "http.response.body", "body": response.body})
