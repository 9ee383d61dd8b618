"""Sends webhooks over HTTP, outside the path of requests, and reports what came of it.

A report is a call of the control API, so that a recording has it, and a replay needs to send nothing.
"""

import asyncio
from collections import deque
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from mockserver.api.call import Request
from mockserver.api.values import to_json
from mockserver.api.waiting import Until
from mockserver.crypto.webhook_signatures import SIGNATURE_HEADER, sign_webhook
from mockserver.server.answering.control_token import TOKEN_HEADER
from mockserver.server.edge.app import App
from mockserver.state.outbox import Delivery
from mockserver.state.project import Project
from mockserver.webhooks.deliveries import Result
from mockserver.webhooks.signing import key_of, sent_body

if TYPE_CHECKING:
    import httpx

_MOST_OF_A_PROJECT = 16
_MOST_AT_ONCE = 256
"""So many webhooks are on their way at once: those of one project must not keep others waiting."""
_TIMEOUT_S = 10
"""How long a receiver may take, with all of its answer."""
_MOST_BYTES = 64 * 1024
"""How much of an answer is read; one that is longer has arrived all the same."""
_KEPT_CHARACTERS = 1_000
_LONGEST_WAIT_MS = 3_600_000

Known = tuple[int, set[str]]
"""A generation of a project's rows, and its deliveries of that generation that are not sent yet."""

LaneKey = tuple[Project, int, str]
"""A project, the generation of its rows, and a trigger: rows of another generation may have the same ids."""


class Sender:
    """Sends the deliveries of each trigger one after the other, those of different triggers at once."""

    def __init__(self, app: App) -> None:
        self._app = app
        self._known: WeakKeyDictionary[Project, Known] = WeakKeyDictionary()
        self._lanes: dict[LaneKey, deque[str]] = {}
        self._tasks: set[asyncio.Task[object]] = set()
        self._ticking: set[Project] = set()
        self._slots = asyncio.Semaphore(_MOST_AT_ONCE)
        self._slots_of: WeakKeyDictionary[Project, asyncio.Semaphore] = WeakKeyDictionary()
        self._clients: dict[bool, asyncio.Future[httpx.AsyncClient]] = {}
        """By whether it is for TLS."""
        if self._may_start():
            # The first subscription was made just now: what it is sent soon need not wait for imports.
            self._start(self._client(tls=False))

    def know(self, project: Project, row: Delivery) -> None:
        """Note a delivery that was made or sent here, and not restored: only these are sent by timers."""
        generation, known = self._known.get(project, (project.generation, set()))
        if generation != project.generation:
            known = set()
        self._known[project] = project.generation, known
        known.add(row.id)

    def knows(self, project: Project, row: Delivery) -> bool:
        """Whether a delivery was made here since the rows of its project were last replaced."""
        generation, known = self._known.get(project, (0, ()))
        return generation == project.generation and row.id in known

    def forget(self, project: Project, row: Delivery) -> None:
        """Forget a delivery that has ended."""
        if project in self._known:
            self._known[project][1].discard(row.id)

    def send(self, project: Project, row: Delivery) -> None:
        """Send a delivery after the call that made it due. Nothing is sent without an event loop."""
        if not self._may_start():
            return
        key = project, project.generation, row.trigger_id
        lane = self._lanes.setdefault(key, deque())
        lane.append(row.id)
        if len(lane) == 1:
            self._start(self._send_all(key, lane))

    def await_timers(self, project: Project) -> None:
        """Let the timers of a ticking clock fire while no request comes."""
        if project.clock.mode == "ticking" and project not in self._ticking and self._may_start():
            self._ticking.add(project)
            self._start(self._tick(project))

    def _may_start(self) -> bool:
        if self._app.pipeline.is_replayed or self._app.waits.are_over:
            return False
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return False
        return True

    def _start(self, work: Coroutine[Any, Any, object]) -> None:
        # The event loop itself holds its tasks weakly.
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _tick(self, project: Project) -> None:
        waits = self._app.waits

        def is_over() -> bool:
            return project.clock.mode != "ticking" or not project.webhooks.deliveries.first(
                "status", "waiting"
            )

        try:
            while not (waits.are_over or project.is_deleted or project.is_put_away or is_over()):
                await waits.wait(project, Until(is_over, real_ms=_LONGEST_WAIT_MS))
        finally:
            self._ticking.discard(project)

    async def _send_all(self, key: LaneKey, lane: deque[str]) -> None:
        project, generation, _ = key
        own = self._slots_of.setdefault(project, asyncio.Semaphore(_MOST_OF_A_PROJECT))
        try:
            while lane:
                async with own, self._slots:
                    row = self._find_due(project, generation, lane[0])
                    if row is not None:
                        result = await self._post(project, row)
                        if self._find_due(project, generation, row.id) is not None:
                            self._report(project, row, result)
                lane.popleft()
        finally:
            self._lanes.pop(key, None)

    def _find_due(self, project: Project, generation: int, row_id: str) -> Delivery | None:
        """The delivery, if it is still to be sent."""
        is_over = project.is_deleted or project.is_put_away or project.generation != generation
        if is_over or not self._may_start():
            return None
        row = project.webhooks.deliveries.get(row_id)
        return row if row is not None and row.status == "due" else None

    async def _client(self, *, tls: bool) -> "httpx.AsyncClient":
        # Made once, in a thread: it takes two tenths of a second, in which other calls are answered.
        if tls not in self._clients:
            self._clients[tls] = asyncio.get_running_loop().run_in_executor(None, _make_client, tls)
        return await self._clients[tls]

    async def _post(self, project: Project, row: Delivery) -> Result:
        client = await self._client(tls=row.target.startswith("https:"))
        import httpx

        body = sent_body(row)
        signature = sign_webhook(key_of(self._app.pipeline.world, project), row.body.encode())
        headers = {"content-type": "application/json", SIGNATURE_HEADER: signature}
        try:
            async with (
                asyncio.timeout(_TIMEOUT_S),
                client.stream("POST", row.target, content=body, headers=headers) as answer,
            ):
                return Result(answer.status_code, None, await _read_beginning(answer))
        except TimeoutError:
            return Result(error=f"no answer in {_TIMEOUT_S} s")
        except (httpx.HTTPError, httpx.InvalidURL, OSError, ValueError) as error:
            return Result(error=f"{type(error).__name__}: {error}"[:_KEPT_CHARACTERS])

    def _report(self, project: Project, row: Delivery, result: Result) -> None:
        token = self._app.pipeline.server.access.token
        headers = {"content-type": "application/json", **({TOKEN_HEADER: token} if token else {})}
        given = {"status": result.answered, "error": result.error, "body": result.response}
        self._app.answer(
            Request(
                method="POST",
                path=f"/_mock/projects/{project.id}/webhooks/deliveries/{row.id}/result",
                query="",
                headers=headers,
                # A recording has the lines as they came.
                raw_headers=[(name.encode(), value.encode()) for name, value in headers.items()],
                body=to_json({name: value for name, value in given.items() if value is not None}),
            )
        )


def _make_client(tls: bool) -> "httpx.AsyncClient":
    """A client that keeps neither connections nor cookies."""
    # Imported on first use: few servers send any webhooks.
    from http.cookiejar import DefaultCookiePolicy

    import httpx

    limits = httpx.Limits(max_keepalive_connections=0)
    client = httpx.AsyncClient(trust_env=False, verify=tls, limits=limits, timeout=_TIMEOUT_S)
    client.cookies.jar.set_policy(DefaultCookiePolicy(allowed_domains=[]))
    return client


async def _read_beginning(answer: "httpx.Response") -> str:
    """The beginning of an answer's body. What is compressed is not unpacked: it might be endless."""
    read = b""
    async for part in answer.aiter_raw():
        read += part
        if len(read) >= _MOST_BYTES:
            break
    return read[:_KEPT_CHARACTERS].decode("utf-8", "replace")
