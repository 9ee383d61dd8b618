"""The lines of a recording after its beginning: requests, what came of them, and the time that passed."""

from base64 import b64decode
from binascii import Error as Base64Error
from collections.abc import Mapping
from typing import Any, NamedTuple

from mockserver.api.call import Request
from mockserver.kernel.codec import Malformed, codec_of
from mockserver.server.app import read_headers
from mockserver.state.encoding import Line

Headers = tuple[tuple[str, str], ...]


class RecordedRequest(NamedTuple):
    """A request as the application got it; see `Request`."""

    method: str
    path: str
    headers: Headers
    query: str = ""
    client: str = ""
    server: str = ""
    root_path: str = ""
    scheme: str = "http"
    body: Any = ""

    def to_request(self) -> Request:
        """The request as the application gets it; Malformed when it cannot have been one."""
        raw = self.raw_headers()
        return Request(
            method=self.method,
            path=self.path,
            query=self.query,
            headers=read_headers(raw),
            body=decode_bytes(self.body),
            scheme=self.scheme,
            client=self.client,
            root_path=self.root_path,
            server=self.server,
            header_count=len(raw),
            raw_headers=raw,
        )

    def raw_headers(self) -> list[tuple[bytes, bytes]]:
        """The header lines; Malformed for a character that is no byte."""
        try:
            return [(name.encode("latin-1"), value.encode("latin-1")) for name, value in self.headers]
        except UnicodeEncodeError:
            raise Malformed("has a character that is no byte", "headers") from None


class RecordedAnswer(NamedTuple):
    """An answer, before it was sent."""

    status: int
    headers: Headers
    body: Any = ""
    delay_ms: int = 0
    fault: str | None = None
    sent: Any = None
    """All that the connection carried, if the fault ended it."""


class Digests(NamedTuple):
    """The digests of projects after an exchange."""

    n: int
    digests: Mapping[str, str]


class Step(NamedTuple):
    """A line: one of `request`, `waits`, `slice`, `answer`, `tick`, `checkpoint` and `end`."""

    n: int = 0
    request: RecordedRequest | None = None
    waits: bool = False
    slice: bool = False
    answer: RecordedAnswer | None = None
    tick: str | None = None
    checkpoint: Digests | None = None
    end: Digests | None = None
    now_ms: int | None = None
    real_ms: int | None = None
    changes: Mapping[str, Mapping[str, str | int | None]] = {}


def read_step(line: Line) -> Step:
    """The step of a line; Malformed for a line of another form."""
    step: Step = codec_of(Step).decode(line)
    for given in (step.request, step.answer):
        if given is not None:
            decode_bytes(given.body)
    return step


def decode_bytes(value: Any) -> bytes:
    """The bytes of a body: of a text, or of an object with their base64. Malformed for anything else."""
    if isinstance(value, str):
        try:
            return value.encode()
        except UnicodeEncodeError:
            raise Malformed("is no text", "body") from None
    try:
        return b64decode(value["base64"].encode(), validate=True)
    except (AttributeError, Base64Error, KeyError, TypeError, ValueError):
        raise Malformed("is to be a text, or base64", "body") from None
