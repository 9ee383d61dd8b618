"""A request, and what a handler is given and may return."""

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, NamedTuple, TypeGuard

from typing_extensions import TypeVar

from mockserver.api.access import Scheme
from mockserver.api.waiting import Until
from mockserver.leniencies import Leniency, refuse
from mockserver.state.identity import Session, User
from mockserver.state.project import Project

B = TypeVar("B", default=None)
Q = TypeVar("Q", default=None)
P_co = TypeVar("P_co", bound=Project | None, default=Project, covariant=True)

Headers = tuple[tuple[str, str], ...]
"""The headers of an answer, by lower-case name."""

RawHeaders = tuple[tuple[bytes, bytes], ...]
"""The headers of an answer as they are sent."""


@dataclass(slots=True)
class Request:
    """A request as received, before anything is checked."""

    method: str
    path: str
    """Below the prefix that the server is mounted under."""
    query: str
    """The query string, still percent-encoded."""
    headers: Mapping[str, str]
    """By lower-case name; repeated headers joined with a comma."""
    body: bytes = b""
    scheme: str = "http"
    client: str = ""
    """The caller's IP address, or an empty string."""
    root_path: str = ""
    """The prefix that the server is mounted under, as URLs spell it: `/mock`, or empty."""
    server: str = ""
    """The address of the socket that it came by. Without a socket it is a name, or empty."""
    header_count: int = 0
    """How many header lines it had, repeated ones included."""
    headers_size: int | None = None
    """How many characters its headers have, if that is known."""
    raw_headers: Sequence[tuple[bytes, bytes]] = ()
    """Its header lines as they came, for a recording."""
    is_step: bool = False
    """Whether it came from no client, but is a step of a scenario that is being loaded."""

    @property
    def is_secure(self) -> bool:
        """Whether it came over HTTPS; a proxy in between says so in `X-Forwarded-Proto`."""
        forwarded = self.headers.get("x-forwarded-proto", "").partition(",")[0].strip()
        return (forwarded if forwarded in ("http", "https") else self.scheme) in ("https", "wss")

    @property
    def is_by_websocket(self) -> bool:
        """Whether it is a message of a WebSocket, on which answers that it did not ask for can follow."""
        return self.scheme in ("ws", "wss")

    @property
    def cookie_path(self) -> str:
        """The `Path` of cookies: the server's prefix, so that applications beside it do not get them."""
        return self.root_path or "/"


class Identified(NamedTuple):
    """What the headers claim: a key's project, and what else came along."""

    project: Project
    scheme: Scheme
    scopes: frozenset[str]
    token: str | None = None
    """A session or access token, or a provider's token."""
    provider: str | None = None
    beside: str | None = None
    """A session's token that came beside a secret key, as proof that its user is there."""
    key: str | None = None
    """The text of the key."""


class Caller(NamedTuple):
    """The authenticated caller of a request."""

    scheme: Scheme
    scopes: frozenset[str] = frozenset()
    """What a secret key may do; empty means everything."""
    user: User | None = None
    session: Session | None = None
    renewed: bool = False
    """Whether this request renewed the session."""
    note: str = ""
    """Why the token is not valid, of a caller whose token need not be."""


ANONYMOUS_CALLER = Caller(Scheme.PROJECT_KEY)


@dataclass(slots=True)
class Call(Generic[B, Q, P_co]):
    """What a handler is given: the project, the caller and the validated request."""

    project: P_co
    """None only without credentials, for a link that no project issued; such a handler takes a
    `Call[Body, Query, Project | None]`."""
    caller: Caller
    path: Mapping[str, str]
    body: B
    query: Q
    request: Request
    hints: tuple[Leniency, ...] = field(default=(), kw_only=True)
    """What it relied on beyond the specification."""

    @property
    def now_ms(self: "Call[Any, Any, Project]") -> int:
        """The project's time."""
        return self.project.clock.now_ms

    def accept_leniently(self, leniency: Leniency, param: str | None = None) -> None:
        """Accept what the specification does not grant, with a hint; 400 with the setting `strict`."""
        if self.project is not None and self.project.settings.strict:
            refuse(leniency, param)
        if leniency not in self.hints:
            self.hints = (*self.hints, leniency)


AnyCall = Call[Any, Any, Project | None]
"""A call with or without a project."""


def has_project(call: Call[B, Q, Project | None]) -> TypeGuard[Call[B, Q]]:
    """Whether the call's project is known."""
    return call.project is not None


Send = Callable[[Request], Any]
"""What answers a request with something that has a `status` and a `body`, as the pipeline does."""

Parts = Generator[bytes | Until, None, None]
"""A body that is sent piece by piece, with what is waited for in between."""


class Reply(NamedTuple):
    """An answer that needs more than a body: another status, headers, a redirect, pieces of a body."""

    body: object = None
    """Sent as JSON; bytes are sent unchanged, with the content type in `headers`."""
    status: int = 200
    headers: Headers = ()
    parts: Parts | None = None
    """Sent after the head instead of a body, for as long as the client stays."""
    protocol: str | None = None
    """The name of the protocol that a library speaks instead: see `App.protocols`."""
