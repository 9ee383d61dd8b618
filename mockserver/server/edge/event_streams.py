"""Sending of server-sent events (HTML, 9.2) for as long as the client listens."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

from starlette.types import Receive, Send

from mockserver.api.call import EventStream
from mockserver.server.answering.render import Response
from mockserver.server.edge.sending import head_of, until_disconnect
from mockserver.server.edge.waits import Waits

_PAUSE_S = 0.2
"""How long what happens is gathered before the next event: at most five a second."""
_SILENCE_MS = 15_000
"""After how long without an event a comment is sent, so that proxies keep the connection."""
_COMMENT = b":\n\n"


async def send_events(
    response: Response, stream: EventStream, waits: Waits, receive: Receive, send: Send
) -> None:
    """Send the head and then events, until the client, the project or the server is gone."""
    await send(head_of(response, is_head=False))
    async with _until_gone(stream, waits, receive) as gone:

        def is_over() -> bool:
            return gone.done() or waits.are_over or stream.is_over()

        while not is_over():
            if not stream.is_new():
                await waits.until_ready(
                    stream.project,
                    lambda: is_over() or stream.is_new(),
                    limit_ms=_SILENCE_MS,
                    follows_clock=True,
                )
                if is_over():
                    break
            event = stream.take_event() if stream.is_new() else _COMMENT
            await send({"type": "http.response.body", "body": event, "more_body": True})
            # What happens meanwhile costs nothing: nothing waits, so nothing is looked at.
            await asyncio.wait([gone], timeout=_PAUSE_S)
    await send({"type": "http.response.body", "body": b""})


def first_event(response: Response, stream: EventStream) -> Response:
    """The response as a client in this process gets it, which reads it whole: with one event, if any."""
    return replace(response, body=stream.take_event() if stream.is_new() else b"", stream=None)


@asynccontextmanager
async def _until_gone(
    stream: EventStream, waits: Waits, receive: Receive
) -> "AsyncIterator[asyncio.Future[None]]":
    """Keep the project open, and watch whether the client is still there."""
    gone = asyncio.ensure_future(until_disconnect(receive))

    def look_again(watch: "asyncio.Future[None]") -> None:
        if not watch.cancelled():
            waits.check(stream.project)

    gone.add_done_callback(look_again)
    stream.project.listeners += 1
    try:
        yield gone
    finally:
        stream.project.listeners -= 1
        gone.cancel()
