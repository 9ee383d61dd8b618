"""Exchanges of a journal as lines of the report of a failed test."""

from collections.abc import Iterator, Mapping

from mockserver.testing.abridge import abridge
from mockserver.testing.connection import Entry

__tracebackhide__ = True

_FIRST_ERROR = 400
_MASK = "…"
_JSON = "application/json"
_USUAL = frozenset(
    {
        # Of requests.
        "accept",
        "accept-encoding",
        "accept-language",
        "connection",
        "host",
        "sec-fetch-mode",
        "user-agent",
        # Of both.
        "content-length",
        "x-request-id",
        # Of answers; what the lines say without them.
        "date",
        "server",
        "transfer-encoding",
        "vary",
        "x-mockserver-hint",
        "x-mockserver-rule",
    }
)
"""Headers that tell nothing about a call."""


def describe(entry: Entry, secret_key: str) -> Iterator[str]:
    """A call in some lines: its status, hints, headers that matter, bodies cut to what tells something.

    The `secret_key` is that of the project: headers are shown that have another one.
    """
    yield f"{entry['n']:>4}  {name_exchange(entry)}{_causes(entry)}"
    for hint in entry["hints"]:
        yield f"      hint {hint}"
    for sign, side in ((">", "request"), ("<", "response")):
        headers = _telling_headers(entry[side]["headers"], secret_key)
        if headers:
            yield f"      {sign} {'; '.join(headers)}"
        if entry[side]["body"] is not None:
            yield f"      {sign} {abridge(entry[side]['body'])}"


def name_exchange(entry: Entry) -> str:
    """Method, target and status, such as `GET /v1/contracts?limit=1  200`."""
    target = f"{entry['path']}?{entry['query']}" if entry["query"] else entry["path"]
    return f"{entry['method']} {target}  {entry['status'] or 'no answer'}"


def _causes(entry: Entry) -> str:
    """The rule that decided, and what it made go wrong."""
    found = [f"  {what} {entry[what]}" for what in ("rule", "fault") if entry[what]]
    return "".join(found)


def is_error(entry: Entry) -> bool:
    """Whether the client got an error, or no whole answer."""
    return entry["status"] == 0 or entry["status"] >= _FIRST_ERROR or entry["fault"] is not None


def describe_error(entry: Entry) -> str:
    """A call with an error in one line: which, and what the answer says about it."""
    body = entry["response"]["body"]
    error = body.get("error", body) if isinstance(body, Mapping) else None
    found = error if isinstance(error, Mapping) else {}
    said = [str(found[name]) for name in ("code", "message") if found.get(name)]
    text = f"{entry['n']:>4}  {name_exchange(entry)}{_causes(entry)}"
    return f"{text}  {': '.join(said)}" if said else text


def _telling_headers(headers: Mapping[str, str], secret_key: str) -> list[str]:
    return [
        f"{name}: {value}"
        for name, value in headers.items()
        if not (
            name in _USUAL
            or name.startswith("access-control-")
            or (name == "content-type" and value.startswith(_JSON))
            or (name == "authorization" and _is_own(value, secret_key))
        )
    ]


def _is_own(authorization: str, secret_key: str) -> bool:
    _, _, text = authorization.partition(" ")
    return text.endswith(_MASK) and secret_key.startswith(text.removesuffix(_MASK))
