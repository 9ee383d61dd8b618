"""The asynchronous edge: reads the body, runs the pipeline, waits where a call waits, and sends."""

import asyncio
import traceback
from collections.abc import Callable, Iterator
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, TypeGuard

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mockserver import errors
from mockserver.api.call import Request
from mockserver.api.family import CONTROL, family_of
from mockserver.errors import ApiError
from mockserver.server.answering.control_call import RECORDING_PATH, STATE_PATH
from mockserver.server.answering.limits import RequestLimits
from mockserver.server.answering.pipeline import Outcome, Pipeline, WaitingCall
from mockserver.server.answering.render import Response, error_response, without_body
from mockserver.server.answering.routing import most_body_bytes
from mockserver.server.edge.faults import raise_timeout, receive_spoilt, send_spoilt
from mockserver.server.edge.log import ServerLog
from mockserver.server.edge.parts import first_part, send_parts
from mockserver.server.edge.reading import path_of, read_body, read_request, share_headers
from mockserver.server.edge.sending import can_answer_at_once, can_send_at_once, send_at_once, send_response
from mockserver.server.edge.start_up import CannotStart
from mockserver.server.edge.ticker import Ticker
from mockserver.server.edge.waits import Waits
from mockserver.server.recording.recordings import Recordings
from mockserver.state.project import Project

if TYPE_CHECKING:
    from uvicorn.protocols.http.httptools_impl import RequestResponseCycle

    from mockserver.server.recording.stepper import Replay

_HEALTH = "/_mock/health"
_CREATE_PROJECT = ("POST", "/_mock/projects")

Listener = Callable[[Request, Response, int], None]
"""Is told of a request that was answered: the response, and how many real nanoseconds that took."""


class App:
    """The ASGI application of a pipeline, for HTTP, and for WebSocket where a room takes that.

    `on_start` is called once, before anything but the server's health is answered. When it fails, every
    other request is answered with 503 and the reason. One that cannot fail, and is about one project,
    names it: it is not called for the calls of other projects.
    """

    def __init__(
        self,
        pipeline: Pipeline,
        *,
        log: ServerLog | None = None,
        on_start: Callable[[Pipeline], None] | None = None,
        started: Project | None = None,
    ) -> None:
        self.pipeline = pipeline
        self.recordings = pipeline.server.recordings = Recordings(pipeline)
        self.log = log or ServerLog("none", pipeline.server.routes, pipeline.world.read_real_ms)
        self.listeners: list[Listener] = [] if self.log.form == "none" else [self.log.write_request]
        """Are told of each request that was answered, before the response is sent."""
        self._real_ns = Ticker().real_ns
        self._on_start = on_start
        self._started = started
        self._failure: Exception | None = None
        self.waits = Waits(pipeline.tick)
        self._going_on: set[asyncio.Task[Response]] = set()
        """The calls that wait: the event loop itself does not hold on to tasks."""
        self.preparations: dict[str, Callable[[Request], Iterator[None]]] = {}
        """What builds in steps what the first answer at a path needs; others are answered in between."""
        self.websockets: ASGIApp = reject
        """What serves WebSockets at the paths of JSON-RPC."""
        self.protocols: dict[str, ASGIApp] = {}
        """What speaks the protocols of libraries, by name: an operation was asked for it, and may be used."""

    @property
    def limits(self) -> RequestLimits:
        """How large requests may be."""
        return self.pipeline.server.limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            is_taken = scope["type"] == "websocket" and self.takes_websocket(path_of(scope))
            await (self.websockets if is_taken else reject)(scope, receive, send)
            return
        # Only browsers send Origin; other clients need not pay for the middleware.
        if b"origin" in dict(scope["headers"]):
            is_for_pages = family_of(path_of(scope)).is_for_pages
            await (self._cors_app if is_for_pages else self._control_cors_app)(scope, receive, send)
        else:
            await self._respond(scope, receive, send)

    def takes_websocket(self, path: str) -> bool:
        """Whether a WebSocket may be opened at a path."""
        return self.websockets is not reject and family_of(path).is_rpc

    def answer_at_once(self, cycle: "RequestResponseCycle") -> ASGIApp | None:
        """Answer a request that has come whole, without a task. What is to answer it otherwise, or None."""
        if self._on_start is not None or not can_answer_at_once(cycle):
            return self
        scope: Any = cycle.scope
        if scope["path"] in self.preparations:
            return self
        request = read_request(scope, bytes(cycle.body), share_headers(tuple(scope["headers"])))
        if "origin" in request.headers:
            return self
        began_ns = self._real_ns() if self.listeners else 0
        outcome = self.take(request)
        if isinstance(outcome, WaitingCall) or request.method == "HEAD" or not can_send_at_once(outcome):
            return partial(self._finish_and_send, request, outcome, began_ns)
        if self.listeners:
            self.tell(request, outcome, self._real_ns() - began_ns)
        send_at_once(cycle, outcome)
        return None

    def start(self) -> None:
        """Call `on_start` once; afterwards do nothing, or raise the same failure."""
        if self._failure is not None:
            raise self._failure
        if self._on_start is not None:
            try:
                self._on_start(self.pipeline)
            except Exception as failure:
                self._failure = failure
                raise
            self._on_start = None

    def _start_late(self) -> ApiError | None:
        """Start where no lifespan did; the error of a start that failed."""
        is_first = self._failure is None
        try:
            self.start()
        except Exception as failure:
            if is_first and not isinstance(failure, CannotStart):
                self.pipeline.server.on_failure(traceback.format_exc())
            return ApiError(errors.CONTROL_NOT_READY, reason=f"{failure}.")
        return None

    def _waits_for_start(self, request: Request) -> bool:
        """Whether a request may be about what `on_start` makes."""
        if request.path == _HEALTH:
            return False
        if self._started is None or "x-behalf-of-project" in request.headers:
            return True
        if (request.method, request.path) == _CREATE_PROJECT:
            return False
        return self.pipeline.find_project(request) in (None, self._started)

    async def _respond(self, scope: Scope, receive: Receive, send: Send) -> None:
        most = self.limits.max_body_bytes
        if scope["path"].startswith(RECORDING_PATH) or scope["path"].endswith(STATE_PATH):
            most = most_body_bytes(self.pipeline.server, read_request(scope, b""))
        body = await read_body(receive, most)
        if body is None:
            return
        request = read_request(scope, body)
        if self._on_start is not None and self._waits_for_start(request):
            error = self._start_late()
            if error is not None:
                refused, is_head = error_response(error, family_of(request.path)), request.method == "HEAD"
                await send_response(without_body(refused) if is_head else refused, send, is_head)
                return
        if request.path in self.preparations:
            for _ in self.preparations[request.path](request):
                await asyncio.sleep(0)
        began_ns = self._real_ns() if self.listeners else 0
        await self._finish_and_send(request, self.take(request), began_ns, scope, receive, send)

    async def _finish_and_send(
        self, request: Request, outcome: Outcome, began_ns: int, scope: Scope, receive: Receive, send: Send
    ) -> None:
        """Send the response after what it waits for."""
        response = await self.finish(outcome) if isinstance(outcome, WaitingCall) else outcome
        if self.listeners:
            self.tell(request, response, self._real_ns() - began_ns)
        if response.fault is not None:
            await send_spoilt(response, response.fault, self.waits, scope, receive, send)
        elif response.parts is not None:
            await send_parts(response, response.parts, self.waits, receive, send)
        elif response.protocol is not None:
            await self.protocols[response.protocol](scope, _give_again(request.body, receive), send)
        else:
            await send_response(response, send, request.method == "HEAD")

    def take(self, request: Request) -> Outcome:
        """The response to a request, or what it waits for; during a replay only to the requests of it."""
        recordings = self.recordings
        is_answered = recordings.replay is None or recordings.replays.admit(request)
        return self.answer(request) if is_answered else recordings.replays.answer_others(request)

    def tell(self, request: Request, response: Response, took_ns: int = 0) -> None:
        """Tell the listeners that a request was answered."""
        for listener in self.listeners:
            listener(request, response, took_ns)

    def answer(self, request: Request) -> Outcome:
        """The response to a request, or what it waits for; ends the waits that it has made ready."""
        outcome = self.pipeline.answer(request)
        # Before anything else is awaited: another request might be the last one by then.
        if self.waits.of_project:
            self.waits.check(outcome.project)
        return outcome

    async def finish(self, outcome: Outcome) -> Response:
        """The response, after what it waits for. A client that leaves meanwhile does not end its call."""
        replay = self.recordings.replay
        if replay is not None and isinstance(outcome, WaitingCall):
            outcome = await _wait_for_steps(replay, outcome)
        if not isinstance(outcome, WaitingCall):
            return outcome
        # A client in this process that leaves cancels what it awaits; over HTTP the server would not notice.
        going_on = asyncio.create_task(self._go_on(outcome))
        self._going_on.add(going_on)
        going_on.add_done_callback(self._going_on.discard)
        try:
            return await asyncio.shield(going_on)
        except asyncio.CancelledError:
            # What takes longer than a server that ends waits for.
            if not self.waits.are_over:
                raise
            late = ApiError(errors.CONTROL_NOT_READY, reason="The server was stopped meanwhile.")
            return error_response(late, outcome.call.family, body=outcome.call.request.body)

    async def _go_on(self, outcome: Outcome) -> Response:
        while isinstance(outcome, WaitingCall):
            project = outcome.project
            try:
                await self.waits.wait(project, outcome.until)
            except asyncio.CancelledError:
                self.pipeline.give_up(outcome)
                raise
            outcome = self.pipeline.resume(outcome)
            # It may have made ready what others wait for.
            self.waits.check(project)
        return outcome

    async def finish_in_process(self, outcome: Outcome, patience_s: float | None = None) -> Response:
        """The response as a client in this process gets it, whole. With a fault, raises what httpx raises.

        ReadTimeout of httpx if nothing has come after the seconds for which the client waits.
        """
        try:
            if isinstance(outcome, WaitingCall):
                outcome = await asyncio.wait_for(self.finish(outcome), patience_s)
            if outcome.fault is not None:
                outcome = await receive_spoilt(outcome, outcome.fault, self.waits, patience_s)
        except TimeoutError:
            raise_timeout()
        if outcome.protocol is not None:
            return error_response(ApiError(errors.CONTROL_NO_CONNECTION), CONTROL)
        return outcome if outcome.parts is None else first_part(outcome, outcome.parts)

    def open(self) -> None:
        """Allow waits again."""
        self.waits.begin()

    def close(self) -> None:
        """End all waits, delays and faults: pending requests are answered now, with the current state."""
        self.waits.end()
        if self.recordings.replay is not None:
            self.recordings.replays.stop()

    @cached_property
    def _cors_app(self) -> ASGIApp:
        return self.with_cors("/", self._respond)

    @cached_property
    def _control_cors_app(self) -> ASGIApp:
        return self.with_cors("/_mock/", self._respond)

    def with_cors(self, path: str, respond: ASGIApp) -> ASGIApp:
        """What answers at a path, with CORS: any origin may call the API, with its cookies, and nodes.

        The control API has it for the origins that the operator allows.
        """
        origins = self.pipeline.server.access.allowed_origins
        is_for_pages = family_of(path).is_for_pages
        if not (is_for_pages or origins):
            return respond
        # Imported on first use: only pages need it.
        from mockserver.server.edge.cors import allow_origins, allow_pages

        return allow_pages(respond) if is_for_pages else allow_origins(respond, origins)


async def _wait_for_steps(replay: "Replay", waiting: WaitingCall) -> Outcome:
    """Wait until the steps of a replay have made the answer, or until the replay is over."""
    made: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()

    def set_answer(answer: Outcome) -> None:
        if not made.done():
            made.set_result(answer)

    replay.hold(waiting, set_answer)
    return await made


async def reject(scope: Scope, receive: Receive, send: Send) -> None:
    """Close a WebSocket that nothing takes; RuntimeError for what is neither that nor HTTP."""
    if scope["type"] != "websocket":
        raise RuntimeError(f"the mock server serves HTTP and WebSocket, not {scope['type']}")
    # Closed before it is accepted, which servers answer with 403 (ASGI, WebSocket).
    await receive()
    await send({"type": "websocket.close"})


def _give_again(body: bytes, receive: Receive) -> Receive:
    """What gives a body that was read already, and then what comes after it."""
    given = False

    async def give() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body}

    return give


def is_ready(outcome: Outcome) -> TypeGuard[Response]:
    """Whether an outcome is a whole response that nothing spoils."""
    if not isinstance(outcome, Response) or outcome.protocol is not None:
        return False
    return outcome.fault is None and outcome.parts is None
