"""Sending answers by ASGI; at once where this project's own protocol gives access to its connection."""

import asyncio
from collections.abc import Callable
from functools import lru_cache
from http import HTTPStatus
from typing import Protocol

from starlette.types import Message, Receive, Scope, Send

from mockserver.server.render import Headers, Response

CYCLES = "mockserver.cycles"
"""The ASGI extension with the type of uvicorn's objects by which requests are read and answered at once."""

_CLOSE = (b"connection", b"close")


class _Flow(Protocol):
    read_paused: bool
    write_paused: bool


class Cycle(Protocol):
    """What is used of uvicorn's `RequestResponseCycle`: a request, and what became of it so far."""

    scope: Scope
    transport: asyncio.Transport
    flow: _Flow
    message_event: asyncio.Event
    on_response: Callable[[], None]
    body: bytearray
    more_body: bool
    keep_alive: bool
    disconnected: bool
    waiting_for_100_continue: bool
    response_started: bool
    response_complete: bool


def find_cycle(scope: Scope, send: Send) -> Cycle | None:
    """The object that answers a request, if nothing between it and the application changes what is sent."""
    # Found by its method, and not in the scope, which it has itself: each request would leave a circle of
    # references behind, and the collection of garbage would take a fifth of all time.
    cycle: Cycle | None = getattr(send, "__self__", None)
    extensions = scope.get("extensions")
    return cycle if extensions and type(cycle) is extensions.get(CYCLES) else None


def take_body(cycle: Cycle) -> bytes | None:
    """The body of a request that has come whole; None for one that has to be waited for."""
    if cycle.more_body or cycle.disconnected or cycle.waiting_for_100_continue or cycle.flow.read_paused:
        return None
    cycle.message_event.clear()
    body, cycle.body = bytes(cycle.body), bytearray()
    return body


def send_at_once(cycle: Cycle, response: Response) -> bool:
    """Send an answer in one piece; False for one that has to be sent by messages.

    As uvicorn would send it: two messages cost a tenth of a small request, and two writes two packets.
    """
    # What a rule has changed may have headers that decide about the connection.
    if response.effects is not None or response.status in (204, 304) or not cycle.keep_alive:
        return False
    # uvicorn 0.30 looks for this when it sends, and later versions before they make the cycle.
    if cycle.disconnected or cycle.flow.write_paused or _CLOSE in cycle.scope["headers"]:
        return False
    head, body = head_lines(response.status, response.headers), response.body
    cycle.transport.write(b"%bcontent-length: %d\r\n\r\n%b" % (head, len(body), body))
    cycle.response_started = cycle.response_complete = True
    cycle.message_event.set()
    cycle.on_response()
    return True


@lru_cache(maxsize=64)
def head_lines(status: int, headers: Headers) -> bytes:
    """The status line and the headers of an answer as a connection carries them, each line with its end."""
    phrase = next((known.phrase for known in HTTPStatus if known == status), "")
    lines = (b"%b: %b\r\n" % header for header in headers)
    return b"".join((f"HTTP/1.1 {status} {phrase}\r\n".encode(), *lines))


async def send_response(response: Response, send: Send, is_head: bool) -> None:
    """Send an answer whole."""
    await send(head_of(response, is_head))
    await send({"type": "http.response.body", "body": response.body})


def head_of(response: Response, is_head: bool) -> Message:
    """The message with the status and the headers, the length of the body among them."""
    headers = [*response.headers]
    # The answer to a HEAD has the length already, of the body that it leaves out; a stream has no length.
    if response.status != 204 and not is_head and response.stream is None:
        headers.append((b"content-length", str(len(response.body)).encode()))
    return {"type": "http.response.start", "status": response.status, "headers": headers}


async def until_disconnect(receive: Receive) -> None:
    """Wait until the client is gone."""
    while (await receive())["type"] != "http.disconnect":
        pass
