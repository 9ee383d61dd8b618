"""Bodies that are sent piece by piece: events for as long as a client listens, and answers that drip."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace

from starlette.types import Receive, Send

from mockserver.api.call import Parts
from mockserver.api.waiting import Until
from mockserver.server.answering.render import Response
from mockserver.server.edge.sending import head_of, until_disconnect
from mockserver.server.edge.waits import Waits
from mockserver.state.project import Project


async def send_parts(
    response: Response, parts: Parts, waits: Waits, receive: Receive, send: Send, *, is_head: bool = False
) -> None:
    """Send the head and then the parts, until they end or the client or the server is gone."""
    await send(head_of(response, is_head))
    async with pieces_of(response, parts, waits, receive) as pieces:
        async for piece in pieces:
            await send({"type": "http.response.body", "body": piece, "more_body": True})
    await send({"type": "http.response.body", "body": b""})


@asynccontextmanager
async def pieces_of(
    response: Response, parts: Parts, waits: Waits, receive: Receive | None
) -> AsyncIterator[AsyncIterator[bytes]]:
    """The pieces of a body as they come, while its project is kept open and its client is watched."""
    project = response.project
    assert project is not None
    gone = None if receive is None else asyncio.ensure_future(until_disconnect(receive))
    if gone is not None:
        gone.add_done_callback(lambda watch: None if watch.cancelled() else waits.check(project))

    def is_over() -> bool:
        # A stream without an end is cut when the server stops; other waits take no time then.
        return (gone is not None and gone.done()) or (response.fault is None and waits.are_over)

    project.listeners += 1
    try:
        yield _pieces(project, parts, waits, is_over)
    finally:
        project.listeners -= 1
        parts.close()
        if gone is not None:
            gone.cancel()


async def _pieces(
    project: Project, parts: Parts, waits: Waits, is_over: Callable[[], bool]
) -> AsyncIterator[bytes]:
    for part in parts:
        if isinstance(part, Until):
            await waits.wait(project, part._replace(ready=_either(is_over, part.ready)))
        elif not is_over():
            yield part
        if is_over():
            return


def _either(first: Callable[[], bool], second: Callable[[], bool]) -> Callable[[], bool]:
    return lambda: first() or second()


def first_part(response: Response, parts: Parts) -> Response:
    """The response as a client in this process gets it, which reads it whole: with an event, if any."""
    first = next(parts, None)
    parts.close()
    return replace(response, body=first if isinstance(first, bytes) else b"", parts=None)
