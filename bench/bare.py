"""Two bare ASGI applications to compare with: `python -m bench.bare {constant|work} PORT`."""

import sys
from collections.abc import Awaitable, Callable, MutableMapping
from time import time
from typing import Any
from uuid import uuid4

import orjson
import uvicorn

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

_HEADERS = [(b"content-type", b"application/json")]


class Constant:
    """Reads the request and sends the bytes it was given, whatever the request."""

    def __init__(self, body: bytes) -> None:
        self._body = body
        self._headers = [*_HEADERS, (b"content-length", str(len(body)).encode())]

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        await receive()
        await send({"type": "http.response.start", "status": 200, "headers": self._headers})
        await send({"type": "http.response.body", "body": self._body})


class Work:
    """Does the same work with a dict and orjson, and checks nothing."""

    def __init__(self, body: bytes) -> None:
        self._row: dict[str, Any] = orjson.loads(body)
        self._rows: dict[str, dict[str, Any]] = {self._row["id"]: self._row}

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        message = await receive()
        if scope["method"] == "POST":
            asked = orjson.loads(message["body"])
            row = {**self._row, **asked, "id": f"con_{uuid4()}", "createdAt": int(time())}
            self._rows[row["id"]] = row
        else:
            row = self._rows[scope["path"].rpartition("/")[2]]
        body = orjson.dumps(row)
        headers = [*_HEADERS, (b"content-length", str(len(body)).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body})


def main() -> None:
    """Serve one of the two; the row to work with comes in on standard input."""
    kind, port = sys.argv[1], int(sys.argv[2])
    body = sys.stdin.buffer.read()
    app = Constant(body) if kind == "constant" else Work(body)
    uvicorn.run(
        app,
        port=port,
        lifespan="off",
        log_level="error",
        access_log=False,
        date_header=False,
        server_header=False,
    )


if __name__ == "__main__":
    main()
