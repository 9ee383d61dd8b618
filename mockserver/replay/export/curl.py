"""A run as a shell script that makes its requests with curl."""

from shlex import quote

from mockserver.api.family import family_of
from mockserver.replay.export.history import SIGNED
from mockserver.replay.shrinking.conditions import operation_of
from mockserver.replay.shrinking.run import Run
from mockserver.replay.steps import RecordedAnswer, RecordedRequest, decode_bytes
from mockserver.replay.urls import header_of, target_of

_BEGIN = """\
#!/bin/sh
# Made by mockserver export. The requests have the ids of the recording: a server that begins as the
# recorded one did, with the same seed, draws the same ones.
: "${MOCKSERVER_URL:=http://127.0.0.1:4242}"
"""
_OWN = frozenset(
    {"host", "content-length", "connection", "accept-encoding", "transfer-encoding", "keep-alive"}
)
"""Headers that belong to a connection, or that curl sets."""
_LONGEST_ARGUMENT = 100_000
"""Linux takes 128 KiB."""
_CURL = b"curl --silent --show-error --globoff --path-as-is --write-out '\\n'"


def to_curl(run: Run) -> bytes:
    """The script. Header values are bytes, so it need not be UTF-8."""
    answers = run.answers()
    parts = [_BEGIN.encode()]
    for number, request in run.requests().items():
        answer = answers.get(number)
        said = "no answer" if answer is None else str(answer.status)
        if answer is not None and answer.sent is not None:
            said = "no whole answer"
        operation = operation_of(request)
        parts.append(f"\n# {number}{f': {operation}' if operation else ''} ({said})\n".encode())
        parts.append(_command(request, _has_end(answer)))
    return b"".join(parts)


def _has_end(answer: RecordedAnswer | None) -> bool:
    """Whether a client that waits for the end of an answer goes on; it was left in the recording if not."""
    if answer is None or answer.fault == "timeout":
        return False
    return ("content-type", "text/event-stream") not in answer.headers


def _command(request: RecordedRequest, has_end: bool) -> bytes:
    """One call of curl; a body that no argument can have comes from a pipe."""
    words = [_CURL if has_end else _CURL + b" --max-time 1"]
    words += [b"--head" if request.method == "HEAD" else f"--request {quote(request.method)}".encode()]
    # A wallet token may name the host. The control API answers to its own alone.
    names_host = header_of(request, SIGNED) is not None and family_of(request.path).public
    own = _OWN - {"host"} if names_host else _OWN
    for name, value in request.headers:
        if name.lower() not in own:
            words.append(_header(name, value))
    raw = decode_bytes(request.body)
    if raw and header_of(request, "content-type") is None:
        # Without this curl says that the body is a form.
        words.append(b"--header content-type:")
    pipe = b""
    if raw and isinstance(request.body, str) and "\0" not in request.body and len(raw) <= _LONGEST_ARGUMENT:
        words.append(f"--data-raw {quote(request.body)}".encode())
    elif raw:
        pipe = b"printf '" + b"".join(b"\\%03o" % byte for byte in raw) + b"' |\n  "
        words.append(b"--data-binary @-")
    words.append(f'"$MOCKSERVER_URL"{quote(target_of(request))}'.encode())
    return pipe + b" \\\n  ".join(words) + b"\n"


def _header(name: str, value: str) -> bytes:
    # curl takes `name:` for the wish to send no such header, and `name;` for an empty one.
    text = f"{name}: {value}" if value else f"{name};"
    # Each character of a header is a byte.
    return b"--header " + quote(text).encode("latin-1")
