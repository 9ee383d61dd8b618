"""One request being answered."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeGuard

from typing_extensions import TypeVar

from mockserver.api.access import Scheme
from mockserver.state.identity import Session, User
from mockserver.state.project import Project

B = TypeVar("B", default=None)
Q = TypeVar("Q", default=None)
P_co = TypeVar("P_co", bound=Project | None, default=Project, covariant=True)


@dataclass(slots=True)
class Request:
    """A request as it came in, before anything is believed."""

    method: str
    path: str
    """Below the prefix that the server is mounted under."""
    query: str
    """Everything behind the question mark, still encoded."""
    headers: Mapping[str, str]
    """By lower-case name; repeated headers joined with a comma."""
    body: bytes = b""
    scheme: str = "http"
    client: str = ""
    """The caller's IP address, or an empty string."""
    root_path: str = ""
    """The prefix that the server is mounted under, as URLs spell it: `/mock`, or empty."""

    @property
    def is_secure(self) -> bool:
        """Whether it came in over HTTPS; a proxy in between says so."""
        forwarded = self.headers.get("x-forwarded-proto", "").partition(",")[0].strip()
        return (forwarded if forwarded in ("http", "https") else self.scheme) == "https"

    @property
    def cookie_path(self) -> str:
        """Where cookies belong: below the server's prefix, so that they stay apart from what is beside it."""
        return self.root_path or "/"


class Caller(NamedTuple):
    """Who a request comes from, once that is established."""

    scheme: Scheme
    scopes: frozenset[str] = frozenset()
    """What a secret key may do; empty means everything."""
    user: User | None = None
    session: Session | None = None
    renewed: bool = False
    """Whether this request began the session's lifetime anew."""


ANONYMOUS_CALLER = Caller(Scheme.PROJECT_KEY)


@dataclass(slots=True)
class Call(Generic[B, Q, P_co]):
    """What a handler is given: the project, the caller, and the checked request."""

    project: P_co
    """None is possible where anybody may call, with a link that no project issued; such a handler takes a
    `Call[Body, Query, Project | None]`."""
    caller: Caller
    path: Mapping[str, str]
    body: B
    query: Q
    request: Request

    @property
    def now_ms(self: "Call[Any, Any, Project]") -> int:
        """The project's time."""
        return self.project.clock.now_ms


AnyCall = Call[Any, Any, Project | None]
"""A call, whether or not it is known whose it is."""


def has_project(call: Call[B, Q, Project | None]) -> TypeGuard[Call[B, Q]]:
    """Whether it is known whose call it is."""
    return call.project is not None


class Reply(NamedTuple):
    """An answer that needs more than a body: another status, headers, a redirect."""

    body: object = None
    """What is sent as JSON; bytes are sent as they are, and then the headers say what they are."""
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()


class Wait(NamedTuple):
    """An answer that is worth waiting for.

    A frozen clock jumps to the moment that is waited for, again and again until `ready` holds; a
    ticking one really waits, and so does the control API, for what other requests bring about. When
    there is no such moment, or after `limit_ms`, `answer` answers with things as they then are.
    """

    ready: Callable[[], bool]
    answer: Callable[[], object]
    limit_ms: int | None = None
    """How long at the most; the project's own limit unless given."""
    row_id: str = ""
    """The row whose next timer is the moment that is waited for."""
