"""Requests and answers as the lines of a recording, and lines as bytes."""

from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Any, Protocol, TypeVar

import orjson

from mockserver.api.call import Request
from mockserver.api.values import to_json
from mockserver.server.answering.control_token import TOKEN_HEADER
from mockserver.server.answering.render import Response
from mockserver.server.answering.spoilt import sent_bytes
from mockserver.state.history.event import Event
from mockserver.state.saved.encoding import Line

FORMAT = 2
"""The version of the format."""

CONTENT_TYPE = "application/jsonl"
"""That of recordings, and of the state of a project."""

TOKEN = "control-token"
"""What stands in a recording for the control token of its server."""

OTHER_TOKEN = "other-token"
"""What stands there for any other token that a request has."""

BODIES = ("request_body", "response_body")
"""The members of events that are in base64."""
_BLOCK = 8 * 1024
_T = TypeVar("_T")


class Sink(Protocol):
    """Takes the lines of a recording."""

    def write(self, *lines: Line) -> None:
        """Take a line, or a block of lines."""


def to_line(value: Line) -> bytes:
    """A line with its end."""
    try:
        return orjson.dumps(value, option=orjson.OPT_APPEND_NEWLINE)
    except TypeError:
        # A lone surrogate, which a JSON escape can carry but UTF-8 cannot, becomes a question mark.
        return to_json(value) + b"\n"


def withhold(line: Line, has_secret: Callable[[bytes], bool]) -> Line:
    """What is written instead of a line with a secret: without its answer, or also without its request."""
    kept: Line = {name: line[name] for name in ("n", "real_ms", "resume") if name in line}
    asked = {"request": line["request"]} if "request" in line else {}
    if "answer" in line and not has_secret(to_line(asked)):
        return kept | asked | {"withheld": "answer"}
    return kept | {"withheld": next((name for name in line if name != "n"), "")}


def encode_bytes(raw: bytes) -> Any:
    """A body: a text if it is UTF-8, else an object with its base64."""
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return {"base64": b64encode(raw).decode()}


def encode_headers(headers: Iterable[tuple[bytes, bytes]]) -> list[tuple[str, str]]:
    """Headers in order, each a name and a value, with a character for each byte."""
    return [(str(name, "latin-1"), str(value, "latin-1")) for name, value in headers]


def encode_request_headers(request: Request, token: str | None) -> list[tuple[str, str]]:
    """The headers of a request as they came, with a stand-in for a control token."""
    stand_in = TOKEN if request.headers.get(TOKEN_HEADER) == token else OTHER_TOKEN
    found = encode_headers(request.raw_headers)
    if TOKEN_HEADER not in request.headers:
        return found
    return [(name, stand_in if name == TOKEN_HEADER else value) for name, value in found]


def encode_request(request: Request, headers: list[tuple[str, str]]) -> Line:
    """A request as it came, with its headers as they are written."""
    # Written one by one: this runs before every request.
    found: Line = {"method": request.method, "path": request.path}
    if request.query:
        found["query"] = request.query
    if request.client:
        found["client"] = request.client
    if request.server:
        found["server"] = request.server
    if request.root_path:
        found["root_path"] = request.root_path
    if request.scheme != "http":
        found["scheme"] = request.scheme
    found["headers"] = headers
    if request.body:
        found["body"] = encode_bytes(request.body)
    return found


@lru_cache(maxsize=64)
def _share_lines(headers: tuple[tuple[bytes, bytes], ...]) -> list[tuple[str, str]]:
    """Headers as they are written; most answers have those of many others."""
    return encode_headers(headers)


def encode_answer(response: Response) -> Line:
    """An answer, and what went wrong with its sending on purpose."""
    found: Line = {"status": response.status, "headers": _share_lines(response.headers)}
    body = response.body
    if body:
        # As `encode_bytes` does it, and without a call: this runs after every request.
        found["body"] = body.decode() if body.isascii() else encode_bytes(body)
    if response.delay_ms:
        found["delay_ms"] = response.delay_ms
    fault = response.fault
    if fault is not None:
        found["fault"] = fault.kind
        sent = sent_bytes(fault, response)
        if sent is not None:
            found["sent"] = encode_bytes(sent)
    return found


def in_blocks(parts: Iterable[_T], size_of: Callable[[_T], int]) -> Iterator[list[_T]]:
    """Parts that are looked into together: few have anything."""
    block: list[_T] = []
    size = 0
    for part in parts:
        more = size_of(part)
        if block and size + more > _BLOCK:
            yield block
            block, size = [], 0
        block.append(part)
        size += more
    if block:
        yield block


def is_step(line: Line) -> bool:
    """Whether a line has what was sent and answered, in texts that have escapes of their own."""
    return "request" in line or "answer" in line or "event" in line


def texts_of(lines: Iterable[Line]) -> Iterator[str]:
    """What secrets are looked for in: the texts of steps, and other lines as they are."""
    for line in lines:
        yield from texts_in(line) if is_step(line) else (to_line(line).decode(),)


def texts_in(value: Any) -> list[str]:
    """The texts of a value, and the names of its members."""
    found: list[str] = []
    values = [value]
    for each in values:
        if isinstance(each, str):
            found.append(each)
        elif isinstance(each, dict):
            found += each
            values += [member for name, member in each.items() if name not in BODIES]
        elif isinstance(each, (list, tuple)):
            values += each
    return found


def request_of(exchange: Event) -> Request:
    """The request of a call in a history."""
    headers = exchange.request_headers
    return Request(
        exchange.method,
        exchange.path,
        exchange.query,
        headers,
        exchange.request_body,
        raw_headers=[
            (name.encode("latin-1"), value.encode("latin-1", "replace")) for name, value in headers.items()
        ],
    )
