"""A request, and what a handler is given and may return."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeGuard, cast

from typing_extensions import TypeVar

from mockserver.api.access import Scheme
from mockserver.state.identity import Session, User
from mockserver.state.project import Project

B = TypeVar("B", default=None)
Q = TypeVar("Q", default=None)
P_co = TypeVar("P_co", bound=Project | None, default=Project, covariant=True)
R = TypeVar("R")
T = TypeVar("T")


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
        return (forwarded if forwarded in ("http", "https") else self.scheme) == "https"

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

    @property
    def now_ms(self: "Call[Any, Any, Project]") -> int:
        """The project's time."""
        return self.project.clock.now_ms


AnyCall = Call[Any, Any, Project | None]
"""A call with or without a project."""


def has_project(call: Call[B, Q, Project | None]) -> TypeGuard[Call[B, Q]]:
    """Whether the call's project is known."""
    return call.project is not None


class Reply(NamedTuple):
    """An answer that needs more than a body: another status, headers, a redirect."""

    body: object = None
    """Sent as JSON; bytes are sent unchanged, with the content type in `headers`."""
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()


class Wait(NamedTuple):
    """An answer that waits for a condition.

    A frozen clock is advanced from timer to timer until `ready()` is true. A ticking clock waits in
    real time, and so does the control API, which waits for other requests. Without a timer to wait for,
    or after `limit_ms`, `answer()` gives the state at that time.
    """

    ready: Callable[[], bool]
    answer: Callable[[], object]
    limit_ms: int | None = None
    """The longest wait; the project's setting unless given."""
    row_id: str = ""
    """The row whose timers the clock is advanced to."""


class EventStream(NamedTuple):
    """An answer that goes on for as long as the client stays: server-sent events (HTML, 9.2).

    Between events it waits, and is asked after each request to the project whether there is a new one.
    """

    project: Project
    is_new: Callable[[], bool]
    """Whether there is something that no event has told yet."""
    is_over: Callable[[], bool]
    """Whether there will be no further events."""
    take_event: Callable[[], bytes]
    """The next event, as the client gets it."""


SLICE = 64 * 1024
"""How many bytes of rows are shown at once, roughly: so many take a few milliseconds."""


@dataclass(frozen=True, slots=True)
class Slices:
    """A long list that is shown in slices, between which other requests are answered.

    Its rows are those of the time of the request.
    """

    rows: Sequence[Any]
    show: Callable[[Any], object]
    weigh: Callable[[Any], int]
    """How many bytes a row amounts to, roughly."""
    finish: Callable[[list[Any]], object] | None = None
    """What is answered of all that is shown; the list of it unless given."""

    def __iter__(self) -> Iterator[list[object]]:
        """What is shown of the rows, slice by slice."""
        shown: list[object] = []
        weight = 0
        for row in self.rows:
            shown.append(self.show(row))
            weight += self.weigh(row)
            if weight >= SLICE:
                yield shown
                shown, weight = [], 0
        yield shown


USUAL_WEIGHT = 256
"""How many bytes most rows amount to, roughly."""


def weigh_row(row: object) -> int:
    """What most rows amount to."""
    return USUAL_WEIGHT


def show_rows(rows: Sequence[R], show: Callable[[R], T], weigh: Callable[[R], int] = weigh_row) -> list[T]:
    """The rows as an answer shows them, alone or as its `data`: `Slices` when they are too many."""
    # Nearly all lists are short: a page of rows of usual weight needs no look at each of them.
    if (len(rows) * USUAL_WEIGHT if weigh is weigh_row else sum(map(weigh, rows))) < SLICE:
        return [show(row) for row in rows]
    # What the pipeline answers with is the list.
    return cast(list[T], Slices(rows, show, weigh))
