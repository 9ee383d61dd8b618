"""The history of a project: what happened, in one strict order, within bounds."""

from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, islice
from operator import itemgetter
from typing import Any, NamedTuple, Protocol

from mockserver.kernel.retention import PROJECT_BYTES, PROJECT_EVENTS
from mockserver.kernel.timers import Timer
from mockserver.kernel.undo import Change, size_of
from mockserver.state.history.changes import Changes
from mockserver.state.history.event import NO_CIRCUMSTANCES, Circumstances, Event

_TUPLE_BYTES = 640
"""What an event takes beside its texts, bytes and changes."""
_HEADER_BYTES = 160
"""What a header takes beside its characters: two objects, and its place in the mapping."""


class HistoryHead(NamedTuple):
    """What a history is, apart from its events."""

    last_number: int = 0
    last_change: int = 0
    """The number of the last event that changed rows or timers."""
    calls: int = 0
    """How many calls of the API were answered."""
    evicted_calls: int = 0
    """How many of these were evicted since the events were deleted last."""
    after: Circumstances = NO_CIRCUMSTANCES
    """The circumstances after the last event, or in which the history began."""


class History:
    """The latest events of a project, bounded by count and by the bytes of all that it keeps.

    Beyond a bound the oldest are evicted, also beyond that of all histories of a world; numbers are
    consecutive and never reused. It records what happened, so a snapshot does not include it and a rollback
    does not change it.
    """

    __slots__ = (
        "_bytes",
        "_events",
        "_histories",
        "_max_bytes",
        "_sizes",
        "after",
        "calls",
        "evicted_calls",
        "last_change",
        "last_number",
    )

    def __init__(
        self,
        histories: "Histories | None" = None,
        *,
        max_count: int = PROJECT_EVENTS,
        max_bytes: int = PROJECT_BYTES,
    ) -> None:
        self._events: deque[Event] = deque(maxlen=max_count)
        self._sizes: deque[int] = deque(maxlen=max_count)
        self._bytes = 0
        self._max_bytes = max_bytes
        self._histories = histories
        # See `HistoryHead`.
        self.last_number = self.last_change = self.calls = self.evicted_calls = 0
        self.after = NO_CIRCUMSTANCES

    def __len__(self) -> int:
        return len(self._events)

    def __iter__(self) -> Iterator[Event]:
        """Oldest first."""
        return iter(self._events)

    @property
    def first_number(self) -> int:
        """The number of the oldest event that is kept, or of the next one."""
        return self.last_number + 1 - len(self._events)

    def add(self, event: Event) -> None:
        """Record an event whose number is `last_number + 1`."""
        self.last_number = event.number
        size = measure(event)
        if event.changes is not None:
            self.last_change = event.number
            size += size_of_changes(event.changes)
        if event.status is not None:
            self.calls += 1
        self.after = event.after
        grown = size
        if len(self._events) == self._events.maxlen:
            grown -= self.evict_oldest()
        self._events.append(event)
        self._sizes.append(size)
        self._bytes += size
        # The oldest are evicted, but never the latest.
        while self._bytes > self._max_bytes and len(self._sizes) > 1:
            grown -= self.evict_oldest()
        if self._histories is not None:
            self._histories.grow(self, grown)

    @property
    def head(self) -> HistoryHead:
        """What it is, apart from its events."""
        return HistoryHead(self.last_number, self.last_change, self.calls, self.evicted_calls, self.after)

    def fill(self, head: HistoryHead, events: Iterable[Event] = ()) -> None:
        """Be a history that has a head and these events, the last of all that it had."""
        for event in events:
            self.add(event)
        self.last_number, self.last_change, self.calls, self.evicted_calls, self.after = head

    def evict_oldest(self) -> int:
        """Evict the oldest event; its bytes. IndexError when there is none."""
        self.evicted_calls += self._events.popleft().status is not None
        size = self._sizes.popleft()
        self._bytes -= size
        return size

    def since(self, number: int) -> list[Event]:
        """The events with a higher number, oldest first; the others are not looked at."""
        found = [*islice(reversed(self._events), max(0, self.last_number - number))]
        found.reverse()
        return found

    def get(self, number: int) -> Event | None:
        """The event with this number, or None if it was evicted."""
        place = number - self.first_number
        return self._events[place] if 0 <= place < len(self._events) else None

    def answered_since(self, number: int) -> list[Event]:
        """The calls that were answered with a higher number, in the order of the answers."""
        return [event for event in self.since(number) if event.status is not None]

    def calls_since(self, number: int) -> list[Event]:
        """The latest event of each call that arrived with a higher number, in order of arrival."""
        calls = {event.call: event for event in self.since(number) if event.call > number}
        return [calls[arrival] for arrival in sorted(calls)]

    def parts_of(self, event: Event) -> list[Event]:
        """The events of a call up to this one, as far as they are kept: several, if it has waited."""
        if event.call == event.number:
            return [event]
        first = max(event.call, self.first_number)
        events = [self._events[number - self.first_number] for number in range(first, event.number + 1)]
        return [part for part in events if part.call == event.call]

    def dropped_since(self, number: int) -> int:
        """At most how many answered calls with a higher number were evicted."""
        return max(0, min(self.evicted_calls, self.first_number - 1 - number))

    def clear(self) -> None:
        """Delete every event; numbers are not reused."""
        if self._histories is not None:
            self._histories.leave(self, self._bytes)
        self._events.clear()
        self._sizes.clear()
        self._bytes = self.evicted_calls = 0

    def leave(self) -> None:
        """Share the bytes of the world's histories no more: the project is deleted, reset or put away."""
        if self._histories is not None:
            self._histories.leave(self, self._bytes)
        self._histories = None

    def join(self, histories: "Histories") -> None:
        """Share the bytes of the world's histories, as a project that was put away does again."""
        self._histories = histories
        if self._events:
            histories.grow(self, self._bytes)


class Follower(Protocol):
    """What is above this layer and plugs into every project of a world."""

    def on_commit(self, project: Any, changes: Sequence[Change]) -> None:
        """Look at what became permanent in a project with subscriptions. So is what this changes."""


TimerHandler = Callable[[Any, Timer], tuple[str, str] | None]
"""Handles a timer of a project; returns the states before and after, or None if nothing changed."""


class Histories:
    """The bytes that the histories of a world have together.

    Beyond their bound, the history to which nothing was added for the longest gives its oldest events up.
    """

    __slots__ = ("_histories", "bytes", "follower", "max_bytes", "on_changes", "timer_handlers")

    def __init__(self, max_bytes: int) -> None:
        self.max_bytes = max_bytes
        self._histories: OrderedDict[History, None] = OrderedDict()
        """Those with events, the one to which the latest was added last."""
        self.bytes = 0
        self.on_changes: Callable[[Any, Sequence[Change]], None] | None = None
        """Is given each project with what has changed in it for good, in the world's order."""
        self.follower: Follower | None = None
        self.timer_handlers: dict[str, TimerHandler] = {}
        """By the kind of timer, for those of what plugs in."""

    def grow(self, history: History, size: int) -> None:
        """Add so many bytes that a history took, and make room for them; its latest event stays."""
        self._histories[history] = None
        self._histories.move_to_end(history)
        self.bytes += size
        while self.bytes > self.max_bytes:
            idlest = next(iter(self._histories))
            if idlest is history and len(history) == 1:
                return
            self.bytes -= idlest.evict_oldest()
            if not len(idlest):
                self.leave(idlest, 0)

    @property
    def order(self) -> list[History]:
        """The histories that have events, the one to which nothing was added for the longest first."""
        return list(self._histories)

    def arrange(self, histories: Iterable[History]) -> None:
        """Let these be those to which was added last, in this order."""
        for history in histories:
            if history in self._histories:
                self._histories.move_to_end(history)

    def leave(self, history: History, size: int) -> None:
        """Take away the bytes that a history had, which has no event here any more."""
        self._histories.pop(history, None)
        self.bytes -= size


def measure(event: Event) -> int:
    """About how many bytes of memory it takes, without what it changed."""
    head_size, request_headers, request_body, headers, response_body = _MEASURED(event)
    size: int = _TUPLE_BYTES + head_size + _HEADER_BYTES * len(request_headers) + _size_of_lines(headers)
    return size + len(request_body) + len(response_body)


@lru_cache(maxsize=64)
def _size_of_lines(headers: tuple[tuple[bytes, bytes], ...]) -> int:
    """About how many bytes of memory the headers of an answer take: most are those of other answers."""
    # Joining is the fastest way to measure many short texts.
    return _HEADER_BYTES * len(headers) + len(b"".join(chain.from_iterable(headers)))


_MEASURED = itemgetter(
    *map(
        Event._fields.index,
        ("head_size", "request_headers", "request_body", "response_headers", "response_body"),
    )
)
"""What an event holds of every size: its size is asked for at every request."""


def size_of_headers(headers: Mapping[str, str]) -> int:
    """How many characters the names and the values have."""
    # Joining is the fastest way to measure many short texts.
    return len("".join((*headers, *headers.values())))


def size_of_changes(changes: Sequence[Change] | Changes | None) -> int:
    """About how many bytes of memory the changes of an event take."""
    return changes.size if isinstance(changes, Changes) else size_of(changes or ())
