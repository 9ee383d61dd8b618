"""Who may use the control API: not the web pages that a developer happens to have open."""

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from mockserver import errors
from mockserver.errors import ApiError
from mockserver.kernel.spelling import shorten
from mockserver.server.answering.control_token import TOKEN_HEADER, is_same_token
from mockserver.server.answering.hosts import host_of, is_address, is_loopback

if TYPE_CHECKING:
    # The command line reads the defaults below, and needs none of what this imports.
    from mockserver.api.call import Request
    from mockserver.api.endpoint import Endpoint


@dataclass(frozen=True, slots=True, kw_only=True)
class ControlAccess:
    """Who may use the control API.

    A request with the control token may do everything. Without one set, a request has to come by
    loopback, name a host that is the machine itself, and come from no page of another site.
    """

    token: str | None = field(default=None, repr=False)
    """What `X-Mockserver-Token` has to be; None for a server on loopback, which needs none."""
    allowed_hosts: frozenset[str] = frozenset()
    """Host names besides those of loopback, in lower case and without a port."""
    allowed_origins: frozenset[str] = frozenset()
    """Origins of web pages that may use it, such as `https://tests.example`, besides those on loopback."""

    def check(self, endpoint: "Endpoint", request: "Request") -> None:
        """ApiError with 401, 403 or 415 unless the request may use the endpoint.

        An open endpoint is for health checks and browsers: only what it changes is kept from other sites.
        """
        if endpoint.access.open:
            if endpoint.access.own_site and self.token is None:
                self._check_host(request)
                self._check_origin(request)
            elif not _is_safe(request):
                self._check_origin(request)
            return
        if not self._has_token(request):
            self._check_host(request)
            self._check_origin(request)
        if request.body:
            _check_content_type(endpoint, request)

    def _has_token(self, request: "Request") -> bool:
        """Whether the request may do what the token allows; ApiError when it needs the token."""
        if request.is_step:
            # Loading the scenario was allowed, and what it says is part of that.
            return True
        if self.token is None:
            if is_address(request.server) and not is_loopback(request.server):
                raise ApiError(errors.CONTROL_TOKEN_UNSET)
            return False
        given = request.headers.get(TOKEN_HEADER)
        if given is None:
            raise ApiError(errors.CONTROL_TOKEN_MISSING)
        if not is_same_token(given, self.token):
            raise ApiError(errors.CONTROL_TOKEN_INVALID)
        return True

    def _check_host(self, request: "Request") -> None:
        """Refuse names that may be rebound: a page's own name, which it made mean this machine.

        An address is no name, and a request that came by no socket came from no browser.
        """
        given = request.headers.get("host")
        if given is None or not is_address(request.server):
            return
        host = host_of(given)
        if not (is_loopback(host) or is_address(host) or host in self.allowed_hosts):
            raise ApiError(errors.CONTROL_HOST_REFUSED, host=shorten(host or given))

    def _check_origin(self, request: "Request") -> None:
        """Refuse what a page of another site sends; browsers name it for whatever changes something."""
        origin = request.headers.get("origin")
        if origin is None or _is_program(origin):
            if request.headers.get("sec-fetch-site") == "cross-site" and not _is_navigation(request):
                raise ApiError(errors.CONTROL_SITE_REFUSED)
        elif not self._is_allowed(origin, request.headers.get("host")):
            raise ApiError(errors.CONTROL_ORIGIN_REFUSED, origin=shorten(origin))

    def _is_allowed(self, origin: str, host: str | None) -> bool:
        if origin in self.allowed_origins:
            return True
        scheme, _, authority = origin.partition("://")
        return scheme in ("http", "https") and (authority == host or is_loopback(host_of(authority)))


def _is_program(origin: str) -> bool:
    """Whether an `Origin` is the name of a program, as some clients of nodes send it.

    Browsers send `null`, or a scheme with what follows it (RFC 6454, 7), and no page can set the header.
    """
    return re.fullmatch("[A-Za-z0-9_-]+", origin) is not None and origin.lower() != "null"


def _is_safe(request: "Request") -> bool:
    """Whether the method only reads (RFC 9110, 9.2.1)."""
    return request.method in ("GET", "HEAD")


def _is_navigation(request: "Request") -> bool:
    """Whether a link was followed: the page that had it does not see what comes of it."""
    headers = request.headers
    followed = (headers.get("sec-fetch-mode"), headers.get("sec-fetch-dest")) == ("navigate", "document")
    return followed and _is_safe(request)


def _check_content_type(endpoint: "Endpoint", request: "Request") -> None:
    """Refuse the content types that a page may send to any site without a preflight (Fetch, 2.2.2)."""
    wanted = endpoint.reads or "application/json"
    kinds = "jsonl?|yaml" if endpoint.reads else "json"
    given = request.headers.get("content-type", "")
    essence = given.partition(";")[0].strip().lower()
    if not re.fullmatch(rf"[a-z]+/(?:[a-z0-9.-]+[+-])?(?:{kinds})", essence):
        raise ApiError(errors.CONTROL_CONTENT_TYPE, wanted=wanted, given=shorten(given) or "none at all")


def read_allowed_host(text: str) -> str:
    """A host name that an operator allows. A ValueError says why it is none."""
    if ":" in text or not host_of(text):
        raise ValueError(f"{text!r} is no host name: give it without scheme and port, such as mock.example")
    return host_of(text)


def read_allowed_origin(text: str) -> str:
    """An origin that an operator allows. A ValueError says why it is none."""
    try:
        parts = urlsplit(text)
        host = host_of(parts.netloc)
    except ValueError:
        host = ""
    if (
        not host
        or parts.scheme not in ("http", "https")
        or text.lower() != f"{parts.scheme}://{parts.netloc}".lower()
    ):
        raise ValueError(f"{text!r} is no origin: scheme, host and port, such as https://tests.example:3000")
    return text.lower()


def read_control_token(text: str) -> str:
    """A control token that an operator sets. A ValueError says why it is none."""
    if not re.fullmatch(r"[!-~]{8,256}", text):
        raise ValueError("a control token is 8 to 256 visible ASCII characters long")
    return text
