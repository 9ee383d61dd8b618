"""Sending answers by ASGI."""

from starlette.types import Message, Send

from mockserver.server.render import Response


async def send_response(response: Response, send: Send, is_head: bool) -> None:
    """Send an answer whole."""
    await send(head_of(response, is_head))
    await send({"type": "http.response.body", "body": response.body})


def head_of(response: Response, is_head: bool) -> Message:
    """The message with the status and the headers, the length of the body among them."""
    headers = [*response.headers]
    # The answer to a HEAD has the length already, of the body that it leaves out.
    if response.status != 204 and not is_head:
        headers.append((b"content-length", str(len(response.body)).encode()))
    return {"type": "http.response.start", "status": response.status, "headers": headers}
