"""How large a request may be."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mockserver import errors
from mockserver.errors import ApiError

if TYPE_CHECKING:
    # The command line reads the defaults below, and needs none of what this imports.
    from mockserver.api.call import Request

MOST_SHOWN = 200
"""How many characters of a path that is too long are kept for the journal and the log."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestLimits:
    """How large a request may be; the defaults are those of common servers."""

    max_body_bytes: int = 1024 * 1024
    max_header_bytes: int = 64 * 1024
    """The names and values of all headers together."""
    max_headers: int = 100
    """The number of header lines."""
    max_url_bytes: int = 16 * 1024
    """The path and the query together."""

    @property
    def max_head_bytes(self) -> int:
        """What comes before a body: the URL and the headers."""
        return self.max_url_bytes + self.max_header_bytes


def check_head(request: "Request", headers_size: int, limits: RequestLimits) -> None:
    """ApiError with 414 or 431 for a request whose URL or headers are too large.

    What is too large is taken out of the request, so that neither journal nor log keep it.
    """
    if len(request.path) + len(request.query) > limits.max_url_bytes:
        request.path, request.query = request.path[:MOST_SHOWN], ""
        raise ApiError(errors.URL_TOO_LONG, limit=limits.max_url_bytes)
    if request.header_count > limits.max_headers:
        request.headers, request.headers_size = {}, None
        raise ApiError(errors.TOO_MANY_HEADERS, limit=limits.max_headers)
    if headers_size > limits.max_header_bytes:
        request.headers, request.headers_size = {}, None
        raise ApiError(errors.HEADERS_TOO_LARGE, limit=limits.max_header_bytes)
