"""The URLs of recorded requests."""

import re
from urllib.parse import quote

from mockserver.replay.steps import RecordedAnswer, RecordedRequest

_SLASH = re.compile("%2[Ff]")
_DOTS = re.compile(r"(?<![^/])\.{1,2}(?![^/])")
_SAFE = "/:@!$&'()*+,;="
"""What a path may have as it is (RFC 3986, 3.3)."""


def target_of(request: RecordedRequest) -> str:
    """The path and the query as they travel."""
    path = quote_path(request.root_path + request.path)
    return f"{path}?{request.query}" if request.query else path


def quote_path(path: str) -> str:
    """A decoded path as it travels. What was percent-encoded still is: slashes, and dots alone."""
    parts = (quote(part.encode("utf-8", "surrogatepass"), safe=_SAFE) for part in _SLASH.split(path))
    return _DOTS.sub(lambda dots: "%2E" * len(dots[0]), "%2F".join(parts))


def url_of(request: RecordedRequest) -> str:
    """The whole URL; without a `host` the server is called `mockserver`."""
    scheme = request.scheme.replace("ws", "http")
    return f"{scheme}://{header_of(request, 'host') or 'mockserver'}{target_of(request)}"


def header_of(message: RecordedRequest | RecordedAnswer, name: str) -> str | None:
    """The first value of a header, by its lower-case name."""
    return next((value for each, value in message.headers if each.lower() == name), None)


def text_of(request: RecordedRequest) -> str:
    """All that a client has sent, to look for a text in it."""
    return f"{request.path}?{request.query} {request.headers} {request.body}"
