"""The lines of a recording after its beginning: its steps, and what came of them."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from mockserver.api.call import Headers, Request
from mockserver.kernel.codec import Malformed, codec_of, read_base64
from mockserver.server.edge.reading import read_headers
from mockserver.server.recording.reading import Lines
from mockserver.state.saved.encoding import Line


class RecordedRequest(NamedTuple):
    """A request as the application got it; see `Request`."""

    method: str
    path: str
    """Decoded, segment by segment: a slash that was percent-encoded still is."""
    headers: Headers
    """Pairs of a name and a value, in order, each byte a character (ISO 8859-1)."""
    query: str = ""
    """Still percent-encoded."""
    client: str = ""
    """The client's IP address."""
    server: str = ""
    """The address of the socket that it came by."""
    root_path: str = ""
    """The prefix that the application was mounted under."""
    scheme: str = "http"
    """`http` or `https`; `ws` or `wss` of a message by WebSocket."""
    body: Any = ""
    """A text where the bytes are UTF-8, else an object with their `base64`."""

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
    """As in requests; without those that are added when it is sent, such as `content-length`."""
    body: Any = ""
    """As in requests; that of the answer to a `HEAD` is empty."""
    delay_ms: int = 0
    """How long a rule of a scenario held it up in real time."""
    fault: str | None = None
    """What went wrong with sending it on purpose."""
    sent: Any = None
    """All that the connection carried, if the fault ended it."""


class Digests(NamedTuple):
    """The digests of projects after an exchange."""

    n: int
    """The last exchange that was begun."""
    digests: Mapping[str, str]
    """By the id of the project."""


class Step(NamedTuple):
    """A line: one of `request`, `resume`, `tick`, `checkpoint` and `end`, and what came of it."""

    n: int = 0
    """The number of the exchange: requests are numbered in the order in which they were handled."""
    request: RecordedRequest | None = None
    """A request."""
    resume: bool = False
    """The call went on, which had waited."""
    tick: str | None = None
    """The id of a project whose ticking clock moved while a call waited."""
    answer: RecordedAnswer | None = None
    """The answer."""
    waits: bool = False
    """The call waits for something, or others are answered before the next part of its answer is made."""
    checkpoint: Digests | None = None
    """The digests of what has changed since the last checkpoint."""
    end: Digests | None = None
    """The recording was ended in order. The digests are those of all projects that are not put away."""
    withheld: str | None = None
    """What was here, such as `answer`, and had a secret that masking could not take out of it."""
    now_ms: int | None = None
    """What the clock of the request's project shows after the step, in milliseconds since 1970."""
    real_ms: int | None = None
    """The real time that the step read, if a clock ticks: the one input that is not in a request."""
    changes: Mapping[str, Mapping[str, str | int | None]] = {}
    """By project, what the step has changed: rows, timers and draws, by name.

    A row has a digest, a timer its time, a stream of random values how often it was drawn from; null is for
    what is gone.
    """


def read_step(line: Line) -> Step:
    """The step of a line; Malformed for a line of another form."""
    step: Step = codec_of(Step).decode(line)
    for given in (step.request, step.answer):
        if given is not None:
            decode_bytes(given.body)
    if step.answer is not None and step.answer.sent is not None:
        decode_bytes(step.answer.sent, "sent")
    return step


def require_step(lines: Lines, line: Line) -> Step:
    """The step of the line that was read last, whose request, if it has one, can be made; BadRecording."""
    try:
        step = read_step(line)
        if step.request is not None:
            step.request.to_request()
    except Malformed as error:
        raise lines.bad(str(error)) from None
    return step


def decode_bytes(value: Any, member: str = "body") -> bytes:
    """The bytes of a member: of a text, or of an object with their base64. Malformed for anything else."""
    if isinstance(value, str):
        try:
            return value.encode()
        except UnicodeEncodeError:
            raise Malformed("is no text", member) from None
    try:
        return read_base64(value["base64"])
    except (KeyError, TypeError, ValueError):
        raise Malformed("is to be a text, or base64", member) from None
