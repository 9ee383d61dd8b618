"""Reading requests as ASGI brings them: bodies with bounds, decoded paths, headers by name."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from urllib.parse import quote, unquote

from starlette.types import Receive, Scope

from mockserver.api.call import Request
from mockserver.state.history.history import size_of_headers

MeasuredHeaders = tuple[Mapping[str, str], int]
"""Headers by lower-case name, and how many characters they have."""


async def read_body(receive: Receive, most: int) -> bytes | None:
    """The whole body; of one of more than `most` bytes only enough to reject it.

    None if the client disconnected.
    """
    message = await receive()
    if message["type"] == "http.disconnect":
        return None
    body: bytes = message.get("body", b"")
    if not message.get("more_body"):
        return body
    parts, size = [body], len(body)
    while message.get("more_body"):
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        # Read a body that is too large to its end, without storing it: a client that is still sending
        # would not read the 413.
        part = message.get("body", b"")
        if size <= most:
            parts.append(part)
        size += len(part)
    return b"".join(parts)


def read_request(scope: Scope, body: bytes, measured: MeasuredHeaders | None = None) -> Request:
    """The request of an ASGI scope and its body; the headers may be given."""
    raw, get = scope["headers"], scope.get
    headers, headers_size = measured or (read_headers(raw), None)
    client, server = get("client"), get("server")
    root_path, raw_path = get("root_path", ""), get("raw_path")
    # By `find`, as for `in` with bytes Python raises an error within.
    is_plain = not root_path and (raw_path is None or raw_path.find(b"%") < 0)
    # By their order: names take longer than all of this.
    return Request(
        scope["method"],
        scope["path"] if is_plain else path_of(scope),
        scope["query_string"].decode("latin-1"),
        headers,
        body,
        get("scheme", "http"),
        client[0] if client else "",
        quote(root_path.rstrip("/")) if root_path else "",
        server[0] if server else "",
        len(raw),
        headers_size,
        raw,
    )


def path_of(scope: Scope) -> str:
    """The decoded path, below the prefix that the application is mounted under."""
    raw_path = scope.get("raw_path")
    # Decode segment by segment: an encoded slash must not split a segment.
    path: str = scope["path"] if raw_path is None or b"%" not in raw_path else _decode_path(raw_path)
    root_path = scope.get("root_path", "")
    return _below(root_path.rstrip("/"), path) if root_path else path


def _below(root_path: str, path: str) -> str:
    """A path without the prefix that the application is mounted under.

    In ASGI `path` includes `root_path`; some servers and clients leave it out.
    """
    if path == root_path:
        return "/"
    return path.removeprefix(root_path) if path.startswith(f"{root_path}/") else path


@lru_cache(maxsize=64)
def share_headers(raw: tuple[tuple[bytes, bytes], ...]) -> MeasuredHeaders:
    """Headers that are not to be changed, because most clients send theirs again and again."""
    headers = read_headers(raw)
    return headers, size_of_headers(headers)


def read_headers(raw: Sequence[tuple[bytes, bytes]]) -> dict[str, str]:
    """Headers by lower-case name; repeated ones are joined with a comma (RFC 9110, 5.3)."""
    headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in raw}
    if len(headers) == len(raw):
        return headers
    found: dict[str, list[str]] = {}
    for name, value in raw:
        # Joined once at the end: adding to a text again and again takes quadratic time.
        found.setdefault(name.decode("latin-1"), []).append(value.decode("latin-1"))
    return {name: ", ".join(values) for name, values in found.items()}


def _decode_path(raw_path: bytes) -> str:
    segments = raw_path.decode("latin-1").partition("?")[0].split("/")
    return "/".join(unquote(segment).replace("/", "%2F") for segment in segments)
