"""Sending answers: at once on a connection of this project's own protocol, or by ASGI."""

from typing import TYPE_CHECKING, Protocol

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mockserver.server.answering.limits import RequestLimits
from mockserver.server.answering.render import Response
from mockserver.server.answering.spoilt import head_lines

if TYPE_CHECKING:
    from uvicorn.protocols.http.httptools_impl import RequestResponseCycle

_CLOSE = (b"connection", b"close")


class Application(Protocol):
    """What is served: an ASGI application; as it is declared here, one without WebSockets and waits."""

    @property
    def limits(self) -> RequestLimits:
        """How large requests may be."""
        return RequestLimits()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""

    def answer_at_once(self, cycle: "RequestResponseCycle") -> ASGIApp | None:
        """Answer a request that has come whole, without a task. What is to answer it otherwise, or None."""
        return self

    def takes_websocket(self, path: str) -> bool:
        """Whether a WebSocket may be opened at a path."""
        return False

    def close(self) -> None:
        """Let nothing wait any more: the server is about to end."""
        return


def can_answer_at_once(cycle: "RequestResponseCycle") -> bool:
    """Whether a request has come whole, and the connection stays open and can be written to."""
    # The latest versions of uvicorn look for the header before they make the cycle, others when they send.
    if cycle.more_body or not cycle.keep_alive or _CLOSE in cycle.scope["headers"]:
        return False
    flow = cycle.flow
    return not (cycle.disconnected or cycle.waiting_for_100_continue or flow.read_paused or flow.write_paused)


def can_send_at_once(response: Response) -> bool:
    """Whether nothing holds an answer up, and no header, as a rule may set, decides about the connection."""
    return (
        response.rule is None
        and response.fault is None
        and response.parts is None
        and response.protocol is None
        and response.status not in (204, 304)
    )


def send_at_once(cycle: "RequestResponseCycle", response: Response) -> None:
    """Send an answer in one piece, as uvicorn would send it in two: they would be two packets."""
    head, body = head_lines(response.status, response.headers), response.body
    cycle.transport.write(b"%bcontent-length: %d\r\n\r\n%b" % (head, len(body), body))
    cycle.response_started = cycle.response_complete = True
    cycle.message_event.set()
    cycle.on_response()


async def send_response(response: Response, send: Send, is_head: bool) -> None:
    """Send an answer whole."""
    await send(head_of(response, is_head))
    await send({"type": "http.response.body", "body": response.body})


def head_of(response: Response, is_head: bool) -> Message:
    """The message with the status and the headers, the length of the body among them."""
    headers = [*response.headers]
    # The answer to a HEAD has the length already, of the body that it leaves out; a stream has no length.
    if response.status != 204 and not is_head and (response.parts is None or response.fault is not None):
        headers.append((b"content-length", str(len(response.body)).encode()))
    return {"type": "http.response.start", "status": response.status, "headers": headers}


async def until_disconnect(receive: Receive) -> None:
    """Wait until the client is gone."""
    while (await receive())["type"] != "http.disconnect":
        pass
