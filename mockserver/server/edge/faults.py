"""How a fault spoils an answer: on its connection, or without one as a client's library reports it."""

import asyncio
import socket
import struct
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace

from starlette.types import Receive, Scope, Send

from mockserver.scenario.running.active_faults import ActiveFault
from mockserver.scenario.running.effects import RuleEffects
from mockserver.server.answering.render import Response
from mockserver.server.answering.spoilt import IN_ANSWER, sent_body, sent_bytes, stated_length
from mockserver.server.edge.sending import head_of, send_response, until_disconnect
from mockserver.server.edge.waits import Waits

_EXTENSION = "mockserver.connection"
"""The ASGI extension with the transport of the connection that a request came by."""

_RESET_WHEN_CLOSED = struct.pack("hh" if sys.platform == "win32" else "ii", 1, 0)
"""`SO_LINGER` of no time: closing a socket resets its connection."""


def connection_extension(transport: asyncio.Transport) -> dict[str, dict[str, object]]:
    """The ASGI extension with which the application reaches a connection."""
    return {_EXTENSION: {"transport": transport}}


def find_transport(scope: Scope, send: Send) -> asyncio.Transport | None:
    """The transport of a connection: as this project's protocols give it, or of any uvicorn."""
    given = (scope.get("extensions") or {}).get(_EXTENSION, {}).get("transport")
    # uvicorn's `send` is a method of the object that answers one request.
    return given or getattr(getattr(send, "__self__", None), "transport", None)


async def send_spoilt(
    response: Response, effects: RuleEffects, waits: Waits, scope: Scope, receive: Receive, send: Send
) -> None:
    """Send an answer as its fault has it.

    Without a connection to break, as in process or under another ASGI server, raises what httpx raises.
    """
    fault, is_head = effects.fault, scope["method"] == "HEAD"
    assert fault is not None
    transport = find_transport(scope, send)
    if fault.kind in IN_ANSWER:
        await send_response(response, send, is_head)
    elif transport is None:
        received = await receive_spoilt(response, effects, waits)
        await send_response(received, send, is_head)
    else:
        async with _is_over(effects, waits, receive) as is_over:
            if fault.spec.slow_response is not None:
                await _drip(response, effects, waits, is_over, send, is_head)
                return
            if fault.spec.timeout is not None:
                await _pause(effects, waits, is_over, fault.spec.timeout.after)
        break_connection(transport, fault.kind, sent_bytes(fault, response) or b"")
        await until_disconnect(receive)


# --- pauses ---------------------------------------------------------------------------------------------


@asynccontextmanager
async def _is_over(effects: RuleEffects, waits: Waits, receive: Receive) -> AsyncIterator[Callable[[], bool]]:
    """Whether nothing is to be waited for any more: the client is gone, or the rule is."""
    gone = asyncio.ensure_future(until_disconnect(receive))

    def look_again(watch: "asyncio.Future[None]") -> None:
        if not watch.cancelled():
            waits.check(effects.project)

    gone.add_done_callback(look_again)
    try:
        yield lambda: gone.done() or effects.is_over()
    finally:
        gone.cancel()


async def _pause(
    effects: RuleEffects, waits: Waits, is_over: Callable[[], bool], span_ms: int | None
) -> None:
    await waits.until_ready(effects.project, is_over, limit_ms=span_ms, follows_clock=False)


# --- on a connection ------------------------------------------------------------------------------------


async def _drip(
    response: Response,
    effects: RuleEffects,
    waits: Waits,
    is_over: Callable[[], bool],
    send: Send,
    is_head: bool,
) -> None:
    """Send the body in pieces; what is left in one when the pauses are to end."""
    assert effects.fault is not None
    slow = effects.fault.spec.slow_response
    assert slow is not None
    await send(head_of(response, is_head))
    rest = response.body
    while rest and not is_over():
        await _pause(effects, waits, is_over, slow.chunk_delay)
        size = len(rest) if is_over() else slow.chunk_size
        piece, rest = rest[:size], rest[size:]
        await send({"type": "http.response.body", "body": piece, "more_body": True})
    await send({"type": "http.response.body", "body": rest})


def break_connection(transport: asyncio.Transport, kind: str | None, sent: bytes) -> None:
    """Write what a fault of this kind leaves of an answer, and end the connection."""
    if kind == "connection_reset_by_peer":
        connected: socket.socket | None = transport.get_extra_info("socket")
        if connected is not None:
            # Aborting alone closes the connection in order, with FIN.
            connected.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET_WHEN_CLOSED)
        transport.abort()
    else:
        transport.write(sent)
        transport.close()


# --- without a connection -------------------------------------------------------------------------------


async def receive_spoilt(response: Response, effects: RuleEffects, waits: Waits) -> Response:
    """What httpx makes of an answer with a fault, or what it raises; a drip is one delay."""
    fault = effects.fault
    assert fault is not None
    slow = fault.spec.slow_response
    if slow is not None:
        pieces = -(-len(response.body) // slow.chunk_size)
        await _pause(effects, waits, effects.is_over, pieces * slow.chunk_delay)
    _raise_as_client(fault, response)
    if fault.spec.wrong_content_length is not None:
        return replace(response, body=response.body[: stated_length(fault, response)])
    return response


def _raise_as_client(fault: ActiveFault, response: Response) -> None:
    # Imported on first use: a server on a socket never needs it.
    import httpx

    match fault.kind:
        case "connection_reset_by_peer":
            raise httpx.ReadError("[Errno 104] Connection reset by peer")
        case "empty_response":
            raise httpx.RemoteProtocolError("Server disconnected without sending a response.")
        case "random_data_then_close":
            raise httpx.RemoteProtocolError("illegal status line")
        case "malformed_response_chunk":
            raise httpx.RemoteProtocolError("illegal chunk header")
        case "timeout":
            raise httpx.ReadTimeout("The read operation timed out")
    sent, stated = len(sent_body(fault, response)), stated_length(fault, response)
    if sent < stated:
        raise httpx.RemoteProtocolError(
            "peer closed connection without sending complete message body "
            f"(received {sent} bytes, expected {stated})"
        )
