"""What lets web pages of any origin read answers (Fetch, CORS)."""

from collections.abc import Collection
from typing import TYPE_CHECKING

from starlette.types import ASGIApp, Message, Scope

from mockserver.api.call import RawHeaders

if TYPE_CHECKING:
    from starlette.middleware.cors import CORSMiddleware

_PREFIX = b"access-control-"

METHODS = ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"]
"""The methods that pages may use."""


def allow_pages(app: ASGIApp) -> "CORSMiddleware":
    """The application with CORS: any origin may call, with its cookies."""
    # Imported on first use: most servers are never called by a browser.
    from starlette.middleware.cors import CORSMiddleware

    return CORSMiddleware(
        app,
        # Fetch: with credentials the origin must be echoed, `*` is not allowed.
        allow_origin_regex=".*",
        allow_credentials=True,
        allow_methods=METHODS,
        allow_headers=["*"],
        expose_headers=[
            "set-auth-token",
            "set-auth-jwt",
            "retry-after",
            "x-retry-after",
            "ratelimit",
            "ratelimit-policy",
            "ratelimit-limit",
            "ratelimit-remaining",
            "ratelimit-reset",
            "x-ratelimit-limit",
            "x-ratelimit-remaining",
            "x-ratelimit-reset",
            "x-request-id",
            "x-mockserver-rule",
            "x-mockserver-hint",
        ],
    )


async def headers_for_page(headers: RawHeaders, scope: Scope) -> RawHeaders:
    """The headers of an answer that is sent past the middleware, with those by which a page may read it."""
    from starlette.datastructures import Headers

    head: Message = {"type": "http.response.start", "headers": []}
    await allow_pages(_ignore).send(head, _ignore, Headers(scope=scope))
    own = (header for header in headers if not header[0].startswith(_PREFIX))
    return (*own, *(header for header in head["headers"] if header[0].startswith(_PREFIX)))


async def _ignore(*_: object) -> None:
    return


def allow_origins(app: ASGIApp, origins: Collection[str]) -> ASGIApp:
    """The application with CORS for some origins, without cookies."""
    from starlette.middleware.cors import CORSMiddleware

    return CORSMiddleware(app, allow_origins=[*origins], allow_methods=METHODS, allow_headers=["*"])
