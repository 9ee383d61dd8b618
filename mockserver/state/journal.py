"""The journal: every request and response in order; and the log of what they and the clock changed."""

from collections import OrderedDict, deque
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, islice
from operator import itemgetter
from typing import Any, Generic, Literal, NamedTuple, Protocol, TypeVar

from mockserver.kernel.retention import PROJECT_BYTES, PROJECT_EXCHANGES
from mockserver.leniencies import Leniency
from mockserver.state.moment import Moment
from mockserver.state.row_changes import ChangeNotes, Changes

NO_STATUS = 0
"""The status of an exchange without an answer, as in HAR."""
_TUPLE_BYTES = 512
"""What an exchange takes beside its texts and bytes."""
_HEADER_BYTES = 160
"""What a header takes beside its characters: two objects, and its place in the mapping."""


class Exchange(NamedTuple):
    """A request and its response, unmasked: code that shows it has to mask secrets."""

    number: int
    at_ms: int
    method: str
    path: str
    query: str
    operation: str | None
    head_size: int
    """How many characters the path, the query and the request's headers have together."""
    request_headers: Mapping[str, str]
    request_body: bytes
    status: int
    response_headers: tuple[tuple[bytes, bytes], ...]
    response_body: bytes
    rule: str | None
    hints: tuple[Leniency, ...] = ()
    fault: str | None = None
    """What went wrong with the answer on purpose; the response is what it would have been without that."""
    changes: ChangeNotes | Changes | None = None
    """What the call changed; None for nothing."""
    moment: Moment | None = None
    """What leads back to the state that the call left; None if it was made while a scenario was loaded."""
    arrival: int = 0
    """The number of the request, in the order of arrival: a call that waits is answered after later ones."""
    took_ms: int = 0
    """How long it took on the project's clock."""

    @property
    def size(self) -> int:
        """About how many bytes of memory the exchange takes."""
        head_size, request_headers, request_body, headers, response_body, changes = _MEASURED(self)
        size: int = (
            _TUPLE_BYTES
            + head_size
            + _HEADER_BYTES * (len(request_headers) + len(headers))
            # Joining is the fastest way to measure many short texts.
            + len(b"".join(chain.from_iterable(headers)))
            + len(request_body)
            + len(response_body)
        )
        if changes is not None:
            size += changes.size
        return size


_MEASURED = itemgetter(
    *map(
        Exchange._fields.index,
        (
            "head_size",
            "request_headers",
            "request_body",
            "response_headers",
            "response_body",
            "changes",
        ),
    )
)
"""What an exchange holds of every size: its size is asked for at every request."""

Cause = Literal["call", "control", "clock"]


class ChangeEntry(NamedTuple):
    """Changes and their cause: a call of the API, one of the control API, or a move of the clock."""

    number: int
    at_ms: int
    cause: Cause
    operation: str | None
    """The operation of the call."""
    exchange: int | None
    """The number of the call in the journal; None for a call that waited longer, when it began to wait."""
    changes: ChangeNotes | Changes
    moment: Moment | None = None
    """What leads back to the state after it."""

    @property
    def size(self) -> int:
        """About how many bytes of memory the entry takes."""
        return _TUPLE_BYTES + self.changes.size


class _Numbered(Protocol):
    @property
    def number(self) -> int: ...
    @property
    def size(self) -> int: ...


E = TypeVar("E", bound=_Numbered)


class Log(Generic[E]):
    """The latest entries, bounded by count and by the bytes of all that it keeps.

    Beyond a bound the oldest are evicted, also beyond that of the room that several logs share; numbers are
    never reused. A log records what happened, so a snapshot does not include it and a rollback does not
    change it.
    """

    __slots__ = ("_bytes", "_entries", "_max_bytes", "_max_count", "_room", "_sizes", "last_number")

    def __init__(
        self,
        *,
        max_count: int = PROJECT_EXCHANGES,
        max_bytes: int = PROJECT_BYTES,
        last_number: int = 0,
        room: "LogRoom | None" = None,
    ) -> None:
        # Both evict their oldest themselves when they are full.
        self._entries: deque[E] = deque(maxlen=max_count)
        self._sizes: deque[int] = deque(maxlen=max_count)
        self._bytes = 0
        self._max_count = max_count
        self._max_bytes = max_bytes
        self._room = room
        self.last_number = last_number

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[E]:
        """Oldest first."""
        return iter(self._entries)

    def add(self, entry: E) -> None:
        """Record an entry whose number is `last_number + 1`."""
        self.last_number = entry.number
        sizes, size = self._sizes, entry.size
        grown = size if len(sizes) < self._max_count else size - sizes[0]
        self._entries.append(entry)
        sizes.append(size)
        self._bytes += grown
        # The oldest are evicted, but never the latest.
        while self._bytes > self._max_bytes and len(sizes) > 1:
            grown -= self.evict_oldest()
        if self._room is not None:
            self._room.grow(self, grown)

    def evict_oldest(self) -> int:
        """Evict the oldest entry; its bytes. IndexError when there is none."""
        self._entries.popleft()
        size = self._sizes.popleft()
        self._bytes -= size
        return size

    def since(self, number: int) -> list[E]:
        """The entries with a higher number, oldest first; the others are not looked at."""
        # Numbers are consecutive, so those are so many at the end.
        found = [*islice(reversed(self._entries), max(0, self.last_number - number))]
        found.reverse()
        return found

    def get(self, number: int) -> E | None:
        """The entry with this number, or None if it was evicted."""
        if not self._entries:
            return None
        # Numbers are consecutive, so the position follows from the first one.
        place = number - self._entries[0].number
        return self._entries[place] if 0 <= place < len(self._entries) else None

    def clear(self) -> None:
        """Delete every entry; numbers are not reused."""
        if self._room is not None:
            self._room.leave(self, self._bytes)
        self._entries.clear()
        self._sizes.clear()
        self._bytes = 0

    def leave_room(self) -> None:
        """Share the room no more: no project has this log now, or it is put away."""
        if self._room is not None:
            self._room.leave(self, self._bytes)
        self._room = None

    def enter_room(self, room: "LogRoom") -> None:
        """Share a room, as one that was put away does when it is taken out."""
        self._room = room
        if self._entries:
            room.grow(self, self._bytes)


class LogRoom:
    """The bytes that the journals and the logs of changes of a server have together.

    Beyond its bound, the log to which nothing was added for the longest gives its oldest entries up.
    """

    __slots__ = ("_logs", "bytes", "max_bytes")

    def __init__(self, max_bytes: int) -> None:
        self.max_bytes = max_bytes
        self._logs: OrderedDict[Log[Any], None] = OrderedDict()
        """Those with entries, the one to which the latest was added last."""
        self.bytes = 0

    def grow(self, log: Log[Any], size: int) -> None:
        """Add so many bytes that a log took, and make room for them; its latest entry stays."""
        try:
            self._logs.move_to_end(log)
        except KeyError:
            self._logs[log] = None
        self.bytes += size
        while self.bytes > self.max_bytes:
            idlest = next(iter(self._logs))
            if idlest is log and len(log) == 1:
                return
            self.bytes -= idlest.evict_oldest()
            if not len(idlest):
                self.leave(idlest, 0)

    @property
    def order(self) -> list[Log[Any]]:
        """The logs that have entries, the one to which nothing was added for the longest first."""
        return list(self._logs)

    def arrange(self, logs: Iterable[Log[Any]]) -> None:
        """Let these logs be those to which was added last, in this order."""
        for log in logs:
            if log in self._logs:
                self._logs.move_to_end(log)

    def leave(self, log: Log[Any], size: int) -> None:
        """Take away the bytes that a log had, which has no entry here any more."""
        self._logs.pop(log, None)
        self.bytes -= size


class JournalHead(NamedTuple):
    """What a journal is, apart from its entries."""

    arrivals: int = 0
    """How many requests have arrived."""
    cleared: int = 0
    """The last exchange that was deleted, and not evicted."""
    forgotten: int = 0
    """How many requests that waited were dropped."""


class Journal(Log[Exchange]):
    """Every exchange of a project in the order of the answers, and the requests that wait for theirs."""

    __slots__ = ("_cleared", "_forgotten", "_waiting", "arrivals")

    def __init__(
        self,
        *,
        max_count: int = PROJECT_EXCHANGES,
        max_bytes: int = PROJECT_BYTES,
        last_number: int = 0,
        room: LogRoom | None = None,
    ) -> None:
        super().__init__(max_count=max_count, max_bytes=max_bytes, last_number=last_number, room=room)
        self.arrivals = 0
        """How many requests have arrived."""
        self._cleared = last_number
        self._forgotten = 0
        self._waiting: dict[int, Exchange] = {}

    @property
    def head(self) -> JournalHead:
        """What it is, apart from its entries."""
        return JournalHead(self.arrivals, self._cleared, self._forgotten)

    @head.setter
    def head(self, head: JournalHead) -> None:
        self.arrivals, self._cleared, self._forgotten = head

    def wait_for(self, request: Exchange) -> None:
        """Note a request whose answer is to come."""
        self._waiting[request.arrival] = request
        if len(self._waiting) > self._max_count:
            del self._waiting[next(iter(self._waiting))]
            self._forgotten += 1

    def end_wait(self, arrival: int) -> None:
        """Forget a request that waited, since its exchange is recorded."""
        self._waiting.pop(arrival, None)

    def calls_since(self, number: int) -> list[Exchange]:
        """The exchanges with a higher number, and the requests that wait, in order of arrival."""
        return sorted([*self.since(number), *self._waiting.values()], key=lambda call: call.arrival)

    def dropped_since(self, number: int) -> int:
        """How many exchanges with a higher number were evicted, and requests that waited."""
        first = self._entries[0].number if self._entries else self.last_number + 1
        return max(0, first - 1 - max(number, self._cleared)) + self._forgotten

    def clear(self) -> None:
        """Delete every exchange, and every request that waits for its answer; numbers are not reused."""
        super().clear()
        self._cleared = self.last_number
        self._forgotten = 0
        self._waiting.clear()


ChangeLog = Log[ChangeEntry]
"""What changed in a project, in order."""
