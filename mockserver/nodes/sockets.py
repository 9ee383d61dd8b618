"""WebSockets: each message is a request, and what clients have subscribed to is sent to them."""

import asyncio
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from http import HTTPStatus
from typing import Any

import orjson
from httpx import TransportError
from starlette.types import Receive, Scope, Send

from mockserver.api.call import Request
from mockserver.api.waiting import Until
from mockserver.nodes.subscriptions import WATCHERS, News, Watcher
from mockserver.server.answering.pipeline import Outcome
from mockserver.server.answering.render import Response
from mockserver.server.edge.app import App
from mockserver.server.edge.reading import read_request
from mockserver.state.chains import Subscription
from mockserver.state.project import Project

_MOST_WAITING_BYTES = 4 * 1024 * 1024
"""So much is kept for a client that does not read; then its connection ends."""
_MOST_AT_ONCE = 256
"""So many messages are given to clients before other calls are answered."""
_GATHER_MS = 20
"""How long news are gathered before they are sent: looking for them takes time from requests."""
_SUBSCRIBES = b"ubscribe"
_OF_HANDSHAKE = ("connection", "upgrade", "content-length", "content-type")
_GOING_AWAY, _POLICY_VIOLATION, _UNEXPECTED = 1001, 1008, 1011


class Socket:
    """The connection of a client."""

    def __init__(self, app: App, audiences: "Audiences", request: Request) -> None:
        self._app = app
        self._audiences = audiences
        self._request = request
        self._unsent: asyncio.Queue[bytes] = asyncio.Queue()
        self._unsent_bytes = 0
        self._has_ended = asyncio.Event()
        self._code = _GOING_AWAY
        self._answering: set[asyncio.Task[None]] = set()

    async def serve(self, receive: Receive, send: Send) -> None:
        """Answer messages until the client or the server is gone, or the client does not read."""
        # One that does not read holds up the writing for ever: that alone would not see the end.
        parts = self._read(receive), self._write(send), self._has_ended.wait()
        tasks = [asyncio.ensure_future(part) for part in parts]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._audiences.leave(self)
            for task in (*tasks, *self._answering):
                task.cancel()
            with suppress(Exception):
                await asyncio.wait_for(send({"type": "websocket.close", "code": self._code}), 1)

    def push(self, body: bytes) -> None:
        """Send something as soon as the client reads it."""
        if self.is_over:
            return
        self._unsent.put_nowait(body)
        self._unsent_bytes += len(body)
        if self._unsent_bytes > _MOST_WAITING_BYTES and self._unsent.qsize() > 1:
            self.end(_POLICY_VIOLATION)

    def end(self, code: int) -> None:
        """End the connection."""
        self._code = code
        self._has_ended.set()

    @property
    def is_over(self) -> bool:
        """Whether nothing more is sent."""
        return self._has_ended.is_set()

    async def _read(self, receive: Receive) -> None:
        while True:
            message = await receive()
            if message["type"] == "websocket.disconnect":
                return
            body = message.get("bytes") or (message.get("text") or "").encode("utf-8", "replace")
            request = replace(self._request, body=body)
            outcome = self._app.take(request)
            if isinstance(outcome, Response) and outcome.fault is None and outcome.parts is None:
                self._finish(request, outcome)
            else:
                # What waits does not hold up what comes after it.
                task = asyncio.ensure_future(self._wait(request, outcome))
                self._answering.add(task)
                task.add_done_callback(self._answering.discard)
            # Messages that have come already would be read without a turn for any other client.
            await asyncio.sleep(0)

    async def _wait(self, request: Request, outcome: Outcome) -> None:
        try:
            self._finish(request, await self._app.finish_in_process(outcome))
        except TransportError:
            # A fault: what breaks the answer to a request by HTTP breaks the connection here.
            self.end(_UNEXPECTED)

    def _finish(self, request: Request, response: Response) -> None:
        self._app.tell(request, response)
        if response.body:
            self.push(response.body)
        elif response.status >= HTTPStatus.BAD_REQUEST:
            # A rule's answer that is a status alone, which there is no message for.
            self.end(_UNEXPECTED)
        if _SUBSCRIBES in request.body and response.project is not None:
            self._audiences.note(self, response.project, request.body, response.body)

    async def _write(self, send: Send) -> None:
        while True:
            body = await self._unsent.get()
            self._unsent_bytes -= len(body)
            await send({"type": "websocket.send", "text": body.decode("utf-8", "replace")})
            # What a client reads at once is sent without a turn for any other.
            await asyncio.sleep(0)


_Reader = tuple[Socket, str]
"""A connection, and the id of its subscription as JSON."""
_Unsent = tuple["_Feed", str, Sequence[_Reader]]
"""What is new as JSON, of what, and who is to be told, unless they have left."""


@dataclass(slots=True, eq=False)
class _Feed:
    """What is new for all who have subscribed to the same."""

    watcher: Watcher
    news: News
    readers: dict[_Reader, None]
    is_over: bool = False
    """Whether nothing more comes, or none reads it."""

    def look(self) -> Iterator[_Unsent]:
        """What is new for those who read it now."""
        self.readers = {each: None for each in self.readers if not each[0].is_over}
        readers = (*self.readers,)
        news = next(self.news, None) if readers else None
        self.is_over = news is None
        for result in news or ():
            yield self, orjson.dumps(result).decode(), readers


@dataclass(slots=True, eq=False)
class _Audience:
    """Who has subscribed to something in a project."""

    project: Project
    feeds: dict[Subscription, _Feed] = field(default_factory=dict)
    unsent: deque[_Unsent] = field(default_factory=deque)
    task: asyncio.Task[None] | None = None
    changes: int = 0
    """How often a subscription came or went."""

    def add(self, socket: Socket, row: Subscription, named: str) -> None:
        """Send a client what is new from now on, with the id of its subscription as JSON."""
        wanted, reader = row._replace(id=""), (socket, named)
        feed = self.feeds.get(wanted)
        if feed is not None:
            self.unsent += feed.look()
        if feed is not None and not feed.is_over:
            feed.readers[reader] = None
        else:
            watcher = WATCHERS[row.kind]
            feed = self.feeds[wanted] = _Feed(watcher, watcher.watch(self.project, row), {reader: None})
            self.unsent += feed.look()
        self.changes += 1

    def remove(self, socket: Socket, named: str | None = None) -> None:
        """Send a client nothing more: of a subscription, or of any."""
        self.changes += 1
        for feed in self.feeds.values():
            for reader in [each for each in feed.readers if each[0] is socket and named in (None, each[1])]:
                del feed.readers[reader]

    async def tell(self) -> None:
        """Send what is new: after a jump of the clock hundreds of messages for each client."""
        for feed in [*self.feeds.values()]:
            self.unsent += feed.look()
            await asyncio.sleep(0)
        self.feeds = {wanted: feed for wanted, feed in self.feeds.items() if not feed.is_over}
        while self.unsent:
            feed, shown, readers = self.unsent.popleft()
            method = feed.watcher.notification
            for start in range(0, len(readers), _MOST_AT_ONCE):
                chosen = readers[start : start + _MOST_AT_ONCE]
                for socket, named in filter(feed.readers.__contains__, chosen):
                    params = f'{{"subscription":{named},"result":{shown}}}'
                    socket.push(f'{{"jsonrpc":"2.0","method":"{method}","params":{params}}}'.encode())
                # All may be of one client, to whom a message is sent in each turn.
                for _ in chosen:
                    await asyncio.sleep(0)

    def next_ms(self) -> int | None:
        """When there is something new by the clock alone."""
        now_ms = self.project.clock.now_ms
        periods = {feed.watcher.period_ms for feed in self.feeds.values()}
        return min((now_ms // period * period + period for period in periods if period), default=None)

    def next_change(self) -> Callable[[], bool]:
        """Says whether something has happened in the project since now."""
        before = self._state()
        return lambda: self._state() != before

    def _state(self) -> object:
        clock, history = self.project.clock, self.project.history
        moment = clock.now_ms if clock.mode == "frozen" else None
        return self.project.generation, history.last_change, moment, self.changes


class Audiences:
    """Who has subscribed to something, by project."""

    def __init__(self, app: App) -> None:
        self._app = app
        self._of: dict[Project, _Audience] = {}

    async def serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Accept a connection, and answer its messages."""
        await receive()
        await send({"type": "websocket.accept"})
        await Socket(self._app, self, _request_of(scope)).serve(receive, send)

    def note(self, socket: Socket, project: Project, asked: bytes, answered: bytes) -> None:
        """Add and remove subscriptions as a message of a client had it."""
        ended: set[str] = set()
        for request in _objects_in(asked):
            params = request.get("params")
            if str(request.get("method")).endswith("nsubscribe") and isinstance(params, list):
                ended.update(orjson.dumps(each).decode().lower() for each in params)
        audience = self._of.get(project)
        if audience is not None:
            for named in ended:
                audience.remove(socket, named)
        for answer in _objects_in(answered):
            result = answer.get("result")
            row = project.chains.subscriptions.get(_row_id(result))
            if row is not None:
                self._join(socket, project, row, orjson.dumps(result).decode())
        self._app.waits.check(project)

    def leave(self, socket: Socket) -> None:
        """Forget a connection."""
        for audience in [*self._of.values()]:
            audience.remove(socket)
            self._app.waits.check(audience.project)

    def _join(self, socket: Socket, project: Project, row: Subscription, named: str) -> None:
        audience = self._of.get(project)
        if audience is None:
            audience = self._of[project] = _Audience(project)
            project.listeners += 1
            audience.task = asyncio.ensure_future(self._watch(audience))
        audience.add(socket, row, named)

    async def _watch(self, audience: _Audience) -> None:
        """Send what is new for as long as there are clients that want to know."""
        project, waits = audience.project, self._app.waits
        try:
            while True:
                is_new = audience.next_change()
                await audience.tell()
                if not audience.feeds or project.is_deleted or waits.are_over:
                    return
                await waits.wait(project, Until(is_new, due_ms=audience.next_ms()))
                await waits.wait(project, Until(lambda: project.is_deleted, real_ms=_GATHER_MS))
        finally:
            project.listeners -= 1
            del self._of[project]


def _request_of(scope: Scope) -> Request:
    """The request that each message is: by POST, with the headers of the handshake."""
    raw = [
        (name, value)
        for name, value in scope["headers"]
        if name.decode("latin-1") not in _OF_HANDSHAKE and not name.startswith(b"sec-websocket-")
    ]
    raw.append((b"content-type", b"application/json"))
    # ASGI servers may leave out the scheme, of HTTP and of WebSockets.
    return read_request({"scheme": "ws", **scope, "method": "POST", "headers": raw}, b"")


def _objects_in(body: bytes) -> Iterator[dict[str, Any]]:
    with suppress(orjson.JSONDecodeError):
        read = orjson.loads(body)
        yield from (each for each in (read if isinstance(read, list) else [read]) if isinstance(each, dict))


def _row_id(result: object) -> str:
    if isinstance(result, str) and result.startswith("0x"):
        with suppress(ValueError):
            return str(int(result, 16))
    return str(result) if isinstance(result, int) else ""
