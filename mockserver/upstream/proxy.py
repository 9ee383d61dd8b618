"""A proxy with one fixed upstream, which records what passes.

It neither retries nor follows redirects, verifies certificates, and takes no proxy from the environment.
"""

import asyncio
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit

from starlette.types import Receive, Scope, Send

from mockserver import errors
from mockserver.api.call import Request
from mockserver.api.family import CONTROL
from mockserver.errors import ApiError
from mockserver.kernel.spelling import shorten
from mockserver.launch.streams import warn
from mockserver.server.answering.render import Response, error_response
from mockserver.server.edge.app import reject
from mockserver.server.edge.faults import break_connection, find_transport
from mockserver.server.edge.reading import read_body, read_request
from mockserver.server.edge.sending import Application, send_response, until_disconnect
from mockserver.upstream.writing import UpstreamRecording, has_live_key

if TYPE_CHECKING:
    import httpx

_TIMEOUTS_S = dict.fromkeys(("connect", "read", "write", "pool"), 60)
_LONGEST_BEGINNING_S = 300
"""How long an answer may take to begin, however many interim ones (1xx) come before it."""
_HOP_BY_HOP = frozenset(
    b"connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer".split()
) | {b"transfer-encoding", b"upgrade"}
"""What is for one connection (RFC 9110, 7.6.1), besides what its header Connection names."""
_UNPACKED = {"identity", "gzip", "deflate"}
"""The codings of answers that httpx always unpacks."""
_COMPRESSED = (
    "Secrets are not found in a compressed body, so it is not passed on: send it without Content-Encoding."
)
_HIGHEST_STATUS = 599
_MOST_BYTES = 64 * 1024 * 1024
"""How much of an answer is kept until it is whole. One that is longer is passed on all the same."""
_WITHOUT_BODY = (204, 304)
_OF_REQUESTS = _HOP_BY_HOP | {b"host", b"content-length", b"accept-encoding", b"expect"}
_PREFIXED = re.compile(rb"\A\s*(__(?:Secure|Host)-)")
_FOR_HTTPS_ONLY = re.compile(rb";\s*(?:secure|domain=[^;]*)(?=;|\Z)", re.IGNORECASE)


class UpstreamProxy(Application):
    """The ASGI application that passes requests on to one service."""

    def __init__(self, upstream: str, recording: UpstreamRecording, *, allow_live: bool) -> None:
        """`upstream` is an origin, perhaps with a path before all paths; ValueError for anything else."""
        self._base = read_upstream(upstream)
        self._recording, self._allow_live = recording, allow_live
        self._transport: httpx.AsyncHTTPTransport | None = None
        self._prefixes: dict[bytes, bytes] = {}
        """The prefixes that cookies have there, which plain HTTP may not have here, by their other name."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await reject(scope, receive, send)
            return
        body = await read_body(receive, self.limits.max_body_bytes)
        if body is None:
            return
        request = read_request(scope, body)
        try:
            if len(body) > self.limits.max_body_bytes:
                raise ApiError(errors.BODY_TOO_LARGE, limit=self.limits.max_body_bytes)
            if not self._allow_live and has_live_key(request):
                raise ApiError(errors.LIVE_KEY_REFUSED)
            if request.headers.get("content-encoding", "identity").lower() != "identity":
                raise ApiError(errors.CONTROL_INVALID, summary=_COMPRESSED)
            await self._pass_on(request, scope, receive, send)
        except ApiError as error:
            await send_response(error_response(error, CONTROL), send, request.method == "HEAD")

    async def disconnect(self) -> None:
        """End the connections to the upstream."""
        if self._transport is not None:
            await self._transport.aclose()

    async def _pass_on(self, request: Request, scope: Scope, receive: Receive, send: Send) -> None:
        import httpx

        began_ms = self._recording.read_ms()
        query = f"?{request.query}" if request.query else ""
        raw_path = scope.get("raw_path") or quote(request.path).encode()
        try:
            given = httpx.Request(
                request.method,
                f"{self._base}{raw_path.decode('latin-1')}{query}",
                headers=[*self._headers_up(request)],
                content=request.body
                if request.body or b"content-length" in dict(request.raw_headers)
                else None,
                extensions={"timeout": _TIMEOUTS_S},
            )
            async with asyncio.timeout(_LONGEST_BEGINNING_S):
                answer = await self._open_transport().handle_async_request(given)
        except (httpx.HTTPError, httpx.InvalidURL, TimeoutError) as error:
            raise ApiError(errors.UPSTREAM_UNREACHABLE, reason=f"{type(error).__name__}: {error}") from None
        try:
            if answer.status_code > _HIGHEST_STATUS:
                raise ApiError(errors.UPSTREAM_UNREACHABLE, reason=f"{answer.status_code} is no status")
            if packed := _codings_of(answer) - _UNPACKED:
                reason = f"the coding {shorten(min(packed))} of its body was not asked for"
                raise ApiError(errors.UPSTREAM_UNREACHABLE, reason=reason)
            await self._answer(request, began_ms, answer, scope, receive, send)
        finally:
            await answer.aclose()

    def _open_transport(self) -> "httpx.AsyncHTTPTransport":
        """The connections, without a client around them: it would keep cookies, and takes as long again."""
        import httpx

        if self._transport is None:
            self._transport = httpx.AsyncHTTPTransport(
                trust_env=False, verify=self._base.startswith("https:")
            )
        return self._transport

    async def _answer(
        self,
        request: Request,
        began_ms: int,
        answer: "httpx.Response",
        scope: Scope,
        receive: Receive,
        send: Send,
    ) -> None:
        import httpx

        headers = tuple(self._headers_down(answer, scope))
        transport, body, size = find_transport(scope, send), bytearray(), 0
        await send({"type": "http.response.start", "status": answer.status_code, "headers": headers})
        try:
            async for part in answer.aiter_bytes():
                size += len(part)
                if size <= _MOST_BYTES:
                    body += part
                else:
                    body.clear()
                await send({"type": "http.response.body", "body": part, "more_body": True})
                if transport is not None and transport.is_closing():
                    # The client has left, and the answer may have no end.
                    return
        except httpx.HTTPError:
            # It broke off, and does so here. What has no end is no exchange.
            if transport is not None:
                break_connection(transport, None, b"")
                await until_disconnect(receive)
            return
        # Written before the end is sent: a client that has its answer finds it in the recording.
        if size <= _MOST_BYTES:
            self._recording.add(request, began_ms, Response(answer.status_code, headers, bytes(body)))
        else:
            warn(f"an answer of {size} bytes is not recorded: {_MOST_BYTES} are the most")
        await send({"type": "http.response.body", "body": b""})

    def _headers_up(self, request: Request) -> Iterable[tuple[bytes, bytes]]:
        left_out = _OF_REQUESTS | _named_by_connection(request.raw_headers)
        for name, value in request.raw_headers:
            if name == b"cookie":
                value = b"; ".join(self._restore(pair.strip()) for pair in value.split(b";"))
            elif name in (b"origin", b"referer") and request.headers.get("host", "-").encode() in value:
                value = self._base.encode()
            if name not in left_out:
                yield name, value
        # What is compressed would have to be unpacked to be masked.
        yield b"accept-encoding", b"identity"

    def _headers_down(self, answer: "httpx.Response", scope: Scope) -> Iterable[tuple[bytes, bytes]]:
        host = dict(scope["headers"]).get(b"host", b"")
        left_out = _HOP_BY_HOP | _named_by_connection(answer.headers.raw)
        # The length of a 304 is that of the body that it has not, and that of chunks is none (RFC 9112, 6.3).
        if (
            answer.headers.keys() & {"content-encoding", "transfer-encoding"}
            or answer.status_code in _WITHOUT_BODY
        ):
            left_out |= {b"content-encoding", b"content-length"}
        for name, value in answer.headers.raw:
            lower = name.lower()
            if lower == b"set-cookie":
                value = self._rename(value)
            elif lower == b"location" and value.startswith(self._base.encode()):
                value = b"http://" + host + value.removeprefix(self._base.encode())
            if lower not in left_out:
                yield lower, value

    def _rename(self, cookie: bytes) -> bytes:
        """A cookie of the service as one of this server, which is reached by plain HTTP at another host."""
        prefix = _PREFIXED.match(cookie)
        if prefix is not None:
            cookie = cookie[prefix.end() :]
            self._prefixes[cookie.partition(b"=")[0].strip()] = prefix[1]
        return _FOR_HTTPS_ONLY.sub(b"", cookie)

    def _restore(self, pair: bytes) -> bytes:
        return self._prefixes.get(pair.partition(b"=")[0], b"") + pair


def _named_by_connection(headers: Iterable[tuple[bytes, bytes]]) -> frozenset[bytes]:
    """The names that Connection adds to those of one connection."""
    named = (value.lower().split(b",") for name, value in headers if name.lower() == b"connection")
    return frozenset(each.strip() for names in named for each in names)


def _codings_of(answer: "httpx.Response") -> set[str]:
    return {coding.lower() for coding in answer.headers.get_list("content-encoding", split_commas=True)}


def read_upstream(text: str) -> str:
    """The base URL of a service; ValueError for one with user, query or fragment, or of another scheme."""
    url = urlsplit(text)
    is_plain = not (url.username or url.password or url.query or url.fragment)
    if not is_plain:
        # It is not repeated: what stands there may be a secret.
        raise ValueError("a URL such as https://api.example.com has no user, no query and no fragment")
    # The port is read on access; a ValueError says what is wrong with it.
    if url.scheme not in ("http", "https") or not url.hostname or url.port == 0:
        raise ValueError(f"{text!r} is no URL such as https://api.example.com")
    return text.rstrip("/")
