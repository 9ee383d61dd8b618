"""Sending answers by ASGI."""

from starlette.types import Send

from mockserver.server.render import Response


async def send_response(response: Response, send: Send, is_head: bool) -> None:
    """Send an answer whole."""
    await send_head(response, send, is_head)
    await send({"type": "http.response.body", "body": response.body})


async def send_head(response: Response, send: Send, is_head: bool) -> None:
    """Send the status and the headers, with the length of the body."""
    headers = [*response.headers]
    # The answer to a HEAD has the length already, of the body that it leaves out.
    if response.status != 204 and not is_head:
        headers.append((b"content-length", str(len(response.body)).encode()))
    await send({"type": "http.response.start", "status": response.status, "headers": headers})
