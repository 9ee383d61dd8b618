"""What clients subscribe to by WebSocket, and how it is found out what is new."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, TypeVar

from mockserver import errors
from mockserver.errors import RpcError
from mockserver.nodes.methods import METHOD_ERRORS, Methods
from mockserver.server.answering.control_call import ControlCall
from mockserver.state.chains import Subscription
from mockserver.state.project import Project

T = TypeVar("T")

MOST_SUBSCRIPTIONS = 10_000
"""The most of a project; the oldest are forgotten."""

News = Iterator[list[Any]]
"""What is new since it was asked the last time. It ends when nothing more can come."""
Watch = Callable[[Project, Subscription], News]


class Watcher(NamedTuple):
    """How news of a kind are made."""

    notification: str
    """The method of its notifications."""
    watch: Watch
    period_ms: int | None
    """How often there is something new by the clock alone; None if only what happens counts."""


WATCHERS: dict[str, Watcher] = {}
"""By the kind of subscriptions."""


def watcher(kind: str, notification: str, period_ms: int | None = None) -> Callable[[Watch], Watch]:
    """Declare what watches for subscriptions of a kind."""

    def declare(watch: Watch) -> Watch:
        WATCHERS[kind] = Watcher(notification, watch, period_ms)
        return watch

    return declare


class SubscriptionMethods(Methods[T]):
    """Methods that need a WebSocket: by HTTP no notification could reach their client."""

    errors = (*METHOD_ERRORS, errors.RPC_NOT_SUPPORTED)

    def check(self, call: ControlCall, asked: T, arguments: Mapping[str, Any]) -> None:
        """See `Methods`."""
        if not call.request.is_by_websocket:
            reason = "notifications not supported: connect by WebSocket"
            raise RpcError(errors.RPC_NOT_SUPPORTED, reason=reason)


def subscribe(project: Project, wanted: Subscription, size: int) -> int:
    """Keep a subscription, and return its id: a number of so many bytes."""
    table = project.chains.subscriptions
    if len(table) >= MOST_SUBSCRIPTIONS:
        table.remove(next(iter(table)).id)
    # A client keeps its subscriptions when a snapshot is restored, and with it what was drawn before:
    # the number of the call makes the ids afterwards others.
    drawn = project.entropy.draw("subscription", 8).hex()
    made = project.entropy.derive(f"subscription/{drawn}/{project.history.last_number}", size)
    number = int.from_bytes(made, "big")
    table.put(wanted._replace(id=str(number)))
    return number


def unsubscribe(project: Project, number: int) -> bool:
    """End a subscription. Whether there was one."""
    known = str(number) in project.chains.subscriptions
    if known:
        project.chains.subscriptions.remove(str(number))
    return known
