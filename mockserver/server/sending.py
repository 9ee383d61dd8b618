"""Sending answers by ASGI."""

from starlette.types import Message, Receive, Send

from mockserver.server.render import Response


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
