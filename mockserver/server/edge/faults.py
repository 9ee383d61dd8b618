"""How a fault spoils an answer: on its connection, or without one as a client's library reports it."""

import asyncio
import socket
import struct
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, NoReturn

from starlette.types import Receive, Scope, Send

from mockserver.server.answering.render import Response
from mockserver.server.answering.spoilt import IN_ANSWER, sent_body, sent_bytes, stated_length
from mockserver.server.edge.parts import pieces_of, send_parts
from mockserver.server.edge.sending import send_response, until_disconnect
from mockserver.server.edge.waits import Waits

if TYPE_CHECKING:
    from mockserver.scenario.running.active_faults import ActiveFault

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
    response: Response, fault: "ActiveFault", waits: Waits, scope: Scope, receive: Receive, send: Send
) -> None:
    """Send an answer as its fault has it.

    Without a connection to break, as in process or under another ASGI server, raises what httpx raises.
    """
    is_head = scope["method"] == "HEAD"
    transport = find_transport(scope, send)
    if fault.kind in IN_ANSWER:
        await send_response(response, send, is_head)
    elif transport is None:
        await send_response(await receive_spoilt(response, fault, waits), send, is_head)
    elif fault.spec.slow_response is not None:
        assert response.parts is not None
        await send_parts(response, response.parts, waits, receive, send, is_head=is_head)
    else:
        if response.parts is not None:
            async with pieces_of(response, response.parts, waits, receive) as pieces:
                async for _ in pieces:
                    pass
        if b"origin" in dict(scope["headers"]):
            # Imported on first use: few clients are pages.
            from mockserver.server.edge.cors import headers_for_page

            # Written past the middleware. What has a head, a page reads until it breaks.
            response = replace(response, headers=await headers_for_page(response.headers, scope))
        break_connection(transport, fault.kind, sent_bytes(fault, response) or b"")
        await until_disconnect(receive)


def break_connection(transport: asyncio.Transport, kind: str | None, sent: bytes) -> None:
    """Write what a fault of this kind leaves of an answer, and end the connection.

    A client with a timeout has often left by then: there is nothing to break.
    """
    if transport.is_closing():
        return
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


async def receive_spoilt(
    response: Response, fault: "ActiveFault", waits: Waits, patience_s: float | None = None
) -> Response:
    """What httpx makes of an answer with a fault, or what it raises; TimeoutError if data is late."""
    if fault.spec.slow_response is not None and response.parts is not None:
        async with pieces_of(response, response.parts, waits, None) as pieces:
            body = b""
            while piece := await asyncio.wait_for(anext(pieces, b""), patience_s):
                body += piece
        return replace(response, body=body, parts=None)
    if fault.spec.timeout is not None:
        _raise_for_silence(fault.spec.timeout.after, patience_s)
    _raise_as_client(fault, response)
    if fault.spec.wrong_content_length is not None:
        return replace(response, body=response.body[: stated_length(fault, response)])
    return response


def raise_timeout() -> NoReturn:
    """Raise what httpx raises when nothing has come for as long as a client waits."""
    # Imported on first use: a server on a socket never needs it.
    import httpx

    # How it was noticed in this process tells a test nothing.
    raise httpx.ReadTimeout("The read operation timed out") from None


def _raise_for_silence(after_ms: int | None, patience_s: float | None) -> NoReturn:
    """Raise at once what a client gets that waits for a server which says nothing and then hangs up."""
    if after_ms is None or (patience_s is not None and patience_s * 1000 < after_ms):
        raise_timeout()
    _raise_unanswered()


def _raise_unanswered() -> NoReturn:
    import httpx

    raise httpx.RemoteProtocolError("Server disconnected without sending a response.")


def _raise_as_client(fault: "ActiveFault", response: Response) -> None:
    # Imported on first use: a server on a socket never needs it.
    import httpx

    match fault.kind:
        case "connection_reset_by_peer":
            raise httpx.ReadError("[Errno 104] Connection reset by peer")
        case "empty_response":
            _raise_unanswered()
        case "random_data_then_close":
            raise httpx.RemoteProtocolError("illegal status line")
        case "malformed_response_chunk":
            raise httpx.RemoteProtocolError("illegal chunk header")
    sent, stated = len(sent_body(fault, response)), stated_length(fault, response)
    if sent < stated:
        raise httpx.RemoteProtocolError(
            "peer closed connection without sending complete message body "
            f"(received {sent} bytes, expected {stated})"
        )
