"""A web page in a browser, as far as the Fetch standard says what its scripts may send and read.

It sends what a current browser would: `Origin`, `Sec-Fetch-*`, and a preflight before what is not simple.
It resolves names to the server's address, as a page does that rebinds its own name.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from httpx import Client, Response

SIMPLE_TYPES = ("application/x-www-form-urlencoded", "multipart/form-data", "text/plain")
SIMPLE_METHODS = ("GET", "HEAD", "POST")


@dataclass
class Seen:
    """What a page learns: nothing of an answer that it may not read."""

    sent: bool
    """Whether the request itself was sent, after its preflight if it needed one."""
    text: str | None = None
    status: int | None = None


@dataclass
class Page:
    """A page of an origin. Whatever names its URLs have, they lead to the server of the client."""

    origin: str
    client: Client
    sends_metadata: bool = True
    """Whether the browser sends `Sec-Fetch-*`, which older ones do not."""
    answered: list[int] = field(default_factory=list)
    """The statuses that the server answered, whether the page could see them or not."""

    def fetch(
        self,
        url: str,
        method: str = "GET",
        *,
        headers: Mapping[str, str] | None = None,
        body: bytes | None = None,
        no_cors: bool = False,
    ) -> Seen:
        """`fetch(url, {method, headers, body, mode})`; `no_cors` never preflights and never reads."""
        given = {name.lower(): value for name, value in (headers or {}).items()}
        same = _origin_of(url) == self.origin
        if no_cors and not _is_simple(method, given):
            return Seen(sent=False)
        needs_preflight = not same and not no_cors and not _is_simple(method, given)
        if needs_preflight and not self._passes_preflight(url, method, given):
            return Seen(sent=False)
        mode = "no-cors" if no_cors else "cors"
        answer = self._send(url, method, given, body, mode, "empty", same)
        if same or (not no_cors and answer.headers.get("access-control-allow-origin") in ("*", self.origin)):
            return Seen(sent=True, text=answer.text, status=answer.status_code)
        return Seen(sent=True)

    def submit(self, url: str, fields: bytes, encoding: str = SIMPLE_TYPES[0]) -> Seen:
        """Submit a form, which shows the answer to the user and not to the page."""
        headers = {"content-type": encoding}
        same = _origin_of(url) == self.origin
        answer = self._send(url, "POST", headers, fields, "navigate", "document", same)
        return Seen(sent=True, status=answer.status_code if same else None)

    def embed(self, url: str, kind: str) -> Seen:
        """Embed an image, a script or a frame: the request is sent, the answer is not shown to scripts."""
        mode = "navigate" if kind == "iframe" else "no-cors"
        self._send(url, "GET", {}, None, mode, kind, _origin_of(url) == self.origin)
        return Seen(sent=True)

    def _passes_preflight(self, url: str, method: str, headers: Mapping[str, str]) -> bool:
        asked = {
            "access-control-request-method": method,
            "access-control-request-headers": ",".join(sorted(headers)),
        }
        answer = self._send(url, "OPTIONS", asked, None, "cors", "empty", False)
        if not answer.is_success or answer.headers.get("access-control-allow-origin") != self.origin:
            return False
        methods = answer.headers.get("access-control-allow-methods", "")
        return method in SIMPLE_METHODS or method in methods

    def _send(
        self,
        url: str,
        method: str,
        headers: Mapping[str, str],
        body: bytes | None,
        mode: str,
        destination: str,
        same: bool,
    ) -> Response:
        parts = urlsplit(url)
        target = f"{parts.path}?{parts.query}" if parts.query else parts.path
        added = {"host": parts.netloc}
        if method not in ("GET", "HEAD") or (mode == "cors" and not same):
            added["origin"] = self.origin
        if self.sends_metadata:
            site = "same-origin" if same else "cross-site"
            added |= {"sec-fetch-site": site, "sec-fetch-mode": mode, "sec-fetch-dest": destination}
        answer = self.client.request(method, target, headers={**headers, **added}, content=body)
        self.answered.append(answer.status_code)
        return answer


def _origin_of(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def _is_simple(method: str, headers: Mapping[str, str]) -> bool:
    """Whether it may be sent to any site without a preflight."""
    essence = headers.get("content-type", SIMPLE_TYPES[0]).partition(";")[0].strip().lower()
    return method in SIMPLE_METHODS and essence in SIMPLE_TYPES and not set(headers) - {"content-type"}
