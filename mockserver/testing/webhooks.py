"""Webhooks of a project, for tests: what was delivered, handlers that take it, and how deliveries end."""

import asyncio
import inspect
import threading
from collections.abc import Callable, Mapping
from typing import Any, Unpack

import httpx
from typing_extensions import TypedDict

from mockserver.kernel.mappings import without_none
from mockserver.testing.connection import Entry, ProjectClient

__tracebackhide__ = True

Handler = Callable[..., Any]
"""An ASGI or WSGI application; or a function of an `httpx.Request`, which returns a status or nothing."""


class DeliveryFilters(TypedDict, total=False):
    """Which deliveries. None is the same as nothing."""

    topic: str | None
    status: str | None
    """`waiting`, `due`, `held`, `lost`, `succeeded` or `failed`."""
    target: str | None
    resource: str | None
    """The id of what it is about."""
    trigger: str | None


class MockWebhooks:
    """What a project delivers to its subscriptions."""

    def __init__(self, client: ProjectClient) -> None:
        self._client = client
        self._handlers: dict[str, Handler] = {}

    def subscribe(self, target: str, *topics: str, handler: Handler | None = None) -> list[Entry]:
        """Subscribe a URL, or an e-mail address, to topics; returns the subscriptions.

        A handler gets what `deliver` sends to that URL, of which the host is not looked up.
        """
        if handler is not None:
            self._handlers[target] = handler
        kind = "email" if "@" in target and "://" not in target else "webhook"
        triggers = [{"target": target, "type": kind}]
        steps = [
            {
                "call": "CreateSubscription",
                "body": {"topic": topic, "triggers": triggers},
                "as": f"made{number}",
            }
            for number, topic in enumerate(topics)
        ]
        # Not by a call of its own: rules, the journal and `explore` are about those of the tested code.
        return [*self._client.make_rows(steps).values()]

    def deliver(self, delivery_id: str | None = None) -> list[Entry]:
        """Send now what waits, or one delivery; returns those that the handlers of this test got.

        What a handler raises is raised after it was noted as a failed attempt.
        """
        asked = without_none({"id": delivery_id})
        due = self._client.call("POST", "/webhooks/deliver", json=asked)["data"]
        return [self._give_to_handler(entry) for entry in due if entry["target"] in self._handlers]

    def redeliver(self, delivery_id: str) -> Entry:
        """Deliver again what has ended, with the same body; a handler of this test gets it at once."""
        entry = self._client.ask("POST", f"/webhooks/deliveries/{delivery_id}/redeliver")
        is_open = entry["status"] in ("due", "held")
        return self._give_to_handler(entry) if is_open and entry["target"] in self._handlers else entry

    def fate(self, outcome: str, **options: Any) -> Entry:
        """Set the fate of deliveries to come: `lost`, `late`, `twice`, `reordered`, `corrupted`, `answered`.

        Takes `topic`, `target`, `count` (None for every one), `nth` (where it begins, from 1), `after_ms`
        of `late`, `status` of `answered`.
        """
        return self._client.ask("POST", "/webhooks/fates", json={"outcome": outcome, **options})

    def inbox(self, name: str) -> str:
        """The URL of an inbox, which takes webhooks without a handler: in a fork one of its own."""
        return f"{self._client.server.url}/_mock/projects/-/inbox/{name}"

    def received(self, name: str) -> list[Entry]:
        """What came to an inbox, oldest first; `verified` says whether the signature is right."""
        return self._client.entries(f"/inbox/{name}")

    def rotate_secret(self) -> str:
        """Sign with a new secret from now on; returns it."""
        secret: str = self._client.call("POST", "/webhooks/secret")["signingSecret"]
        return secret

    def wait(self, *, timeout_s: float = 5, **filters: Unpack[DeliveryFilters]) -> Entry:
        """Wait for a matching delivery, and return the newest. LookupError after the timeout."""
        wanted = {**filters, "order": "desc", "limit": 1}
        found = self._client.entries("/webhooks/deliveries", wanted, wait_s=timeout_s)
        if found:
            return found[0]
        there = ", ".join(f"{entry['topic']} ({_explain(entry)})" for entry in self.list()) or "nothing"
        raise LookupError(f"no delivery matches {without_none(filters)}; there is {there}")

    def list(self, **filters: Unpack[DeliveryFilters]) -> list[Entry]:
        """The matching deliveries, oldest first."""
        return self._client.entries("/webhooks/deliveries", filters)

    def _give_to_handler(self, entry: Entry) -> Entry:
        """Give a delivery to its handler, and report what came of it."""
        path = f"/webhooks/deliveries/{entry['id']}/result"
        try:
            answer = call_handler(self._handlers[entry["target"]], entry)
        except Exception as error:
            self._client.ask("POST", path, json={"error": f"{type(error).__name__}: {error}"[:1000]})
            raise
        result = {"status": answer.status_code, "body": answer.text[:1000]}
        return self._client.ask("POST", path, json=result)


def call_handler(handler: Handler, entry: Mapping[str, Any]) -> httpx.Response:
    """What a handler answers to a delivery. How many arguments it takes says what it is."""
    headers, content = entry["headers"], entry["body"].encode()
    arguments = len(inspect.signature(handler).parameters)
    if arguments == 3:
        return _call_asgi(handler, entry["target"], headers, content)
    if arguments == 2:
        with httpx.Client(transport=httpx.WSGITransport(handler)) as client:
            return client.post(entry["target"], headers=headers, content=content)
    answer = handler(httpx.Request("POST", entry["target"], headers=headers, content=content))
    return answer if isinstance(answer, httpx.Response) else httpx.Response(answer or 200)


def _explain(entry: Entry) -> str:
    """The status of a delivery, and what the last attempt came to."""
    status, attempts = entry["status"], entry["attempts"]
    if status == "held":
        return "held: nothing is sent to its URL, deliver() hands it to a handler"
    return f"{status}: {attempts[-1]['error'] or attempts[-1]['answered']}" if attempts else str(status)


def _call_asgi(handler: Handler, target: str, headers: Mapping[str, str], content: bytes) -> httpx.Response:
    """On a thread of its own: the test may be a coroutine of another event loop."""
    made: list[httpx.Response | BaseException] = []

    async def post() -> httpx.Response:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(handler)) as client:
            return await client.post(target, headers=headers, content=content)

    def run() -> None:
        try:
            made.append(asyncio.run(post()))
        except BaseException as raised:
            made.append(raised)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    if isinstance(made[0], BaseException):
        raise made[0]
    return made[0]
