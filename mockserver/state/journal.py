"""The journal: every request and response in order."""

from collections import OrderedDict, deque
from collections.abc import Iterator, Mapping
from itertools import takewhile
from typing import NamedTuple

from mockserver.leniencies import Leniency

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


class Journal:
    """The latest exchanges of a project, bounded by count and by the bytes of all that it keeps.

    Beyond a bound the oldest are evicted, also beyond that of the room that several journals share; numbers
    are never reused. The journal records what happened, so a snapshot does not include it and a rollback
    does not change it.
    """

    __slots__ = ("_bytes", "_exchanges", "_max_bytes", "_max_count", "_room", "_sizes", "last_number")

    def __init__(
        self,
        *,
        max_count: int = 2_000,
        max_bytes: int = 8 * 1024 * 1024,
        last_number: int = 0,
        room: "JournalRoom | None" = None,
    ) -> None:
        self._exchanges: deque[Exchange] = deque()
        self._sizes: deque[int] = deque()
        self._bytes = 0
        self._max_count = max_count
        self._max_bytes = max_bytes
        self._room = room
        self.last_number = last_number

    def __len__(self) -> int:
        return len(self._exchanges)

    def __iter__(self) -> Iterator[Exchange]:
        """Oldest first."""
        return iter(self._exchanges)

    def add(self, exchange: Exchange) -> None:
        """Record an exchange whose number is `last_number + 1`."""
        self.last_number = exchange.number
        self._exchanges.append(exchange)
        size = size_of(exchange)
        self._sizes.append(size)
        self._bytes += size
        if len(self._exchanges) > self._max_count or self._bytes > self._max_bytes:
            size -= self._evict()
        if self._room is not None:
            self._room.grow(self, size)

    def _evict(self) -> int:
        """Evict the oldest, but never the latest; their bytes."""
        before = self._bytes
        while len(self._exchanges) > 1 and (
            len(self._exchanges) > self._max_count or self._bytes > self._max_bytes
        ):
            self.evict_oldest()
        return before - self._bytes

    def evict_oldest(self) -> int:
        """Evict the oldest exchange; its bytes. IndexError when there is none."""
        self._exchanges.popleft()
        size = self._sizes.popleft()
        self._bytes -= size
        return size

    def since(self, number: int) -> Iterator[Exchange]:
        """The exchanges with a higher number, newest first."""
        return takewhile(lambda exchange: exchange.number > number, reversed(self._exchanges))

    def get(self, number: int) -> Exchange | None:
        """The exchange with this number, or None if it was evicted."""
        if not self._exchanges:
            return None
        # Numbers are consecutive, so the position follows from the first one.
        place = number - self._exchanges[0].number
        return self._exchanges[place] if 0 <= place < len(self._exchanges) else None

    def clear(self) -> None:
        """Delete every exchange; numbers are not reused."""
        if self._room is not None:
            self._room.leave(self, self._bytes)
        self._exchanges.clear()
        self._sizes.clear()
        self._bytes = 0

    def leave_room(self) -> None:
        """Share the room no more: no project has this journal now, or it is put away."""
        if self._room is not None:
            self._room.leave(self, self._bytes)
        self._room = None

    def enter_room(self, room: "JournalRoom") -> None:
        """Share a room, as one that was put away does when it is taken out."""
        self._room = room
        if self._exchanges:
            room.grow(self, self._bytes)


class JournalRoom:
    """The bytes that the journals of a server have together.

    Beyond its bound, the journal to which nothing was added for the longest gives its oldest exchanges up.
    """

    __slots__ = ("_journals", "_max_bytes", "bytes")

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._journals: OrderedDict[Journal, None] = OrderedDict()
        """Those with exchanges, the one to which the latest was added last."""
        self.bytes = 0

    def grow(self, journal: Journal, size: int) -> None:
        """Add so many bytes that a journal took, and make room for them; its latest exchange stays."""
        self._journals[journal] = None
        self._journals.move_to_end(journal)
        self.bytes += size
        while self.bytes > self._max_bytes:
            idlest = next(iter(self._journals))
            if idlest is journal and len(journal) == 1:
                return
            self.bytes -= idlest.evict_oldest()
            if not len(idlest):
                del self._journals[idlest]

    def leave(self, journal: Journal, size: int) -> None:
        """Take away the bytes that a journal had, which has no exchange here any more."""
        self._journals.pop(journal, None)
        self.bytes -= size


def size_of(exchange: Exchange) -> int:
    """About how many bytes of memory an exchange takes."""
    size = _TUPLE_BYTES + exchange.head_size + _HEADER_BYTES * len(exchange.request_headers)
    for name, value in exchange.response_headers:
        size += _HEADER_BYTES + len(name) + len(value)
    return size + len(exchange.request_body) + len(exchange.response_body)
