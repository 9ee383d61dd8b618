"""What a project recorded, for tests: its outbox, its journal, and assertions about its calls."""

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Literal, Unpack

from typing_extensions import TypedDict

from mockserver.kernel.mappings import without_none
from mockserver.testing.connection import TIMEOUT_S, ControlApiError, Entry, ProjectClient

__tracebackhide__ = True

Call = str | Mapping[str, Any]
"""An operation id, or a method and path; or a mapping of `call`, `headers`, `query` and `body`."""

_SHOWN = 5
_ASSERTIONS = ("urn:mockserver:verification-failed", "urn:mockserver:journal-incomplete")
_LONGEST_WAIT_S = 366 * 86_400


class OutboxFilters(TypedDict, total=False):
    """Which messages: to whom, `email` or `sms`, and what for. None is the same as nothing."""

    to: str | None
    channel: str | None
    kind: str | None


class JournalFilters(TypedDict, total=False):
    """Which exchanges. None is the same as nothing."""

    operation: str | None
    status: int | str | None
    """A number, or a class such as "4xx"."""
    method: str | None
    path: str | None
    """A prefix, or a pattern with `*`."""
    request_id: str | None
    matched: bool | None
    """False for the calls that no rule decided about."""
    since: int
    """The number of an exchange that is earlier."""


class _Records:
    """What a project recorded of a kind."""

    _path: ClassVar[str]

    def __init__(self, client: ProjectClient) -> None:
        self._client = client

    def __iter__(self) -> Iterator[Entry]:
        """Oldest first."""
        return iter(self._client.entries(self._path))

    def clear(self) -> None:
        """Delete everything. Codes and links of messages stay valid, numbers of exchanges are not reused."""
        self._client.call("DELETE", self._path)


class MockOutbox(_Records):
    """E-mails and text messages that the real service would have sent."""

    _path = "/outbox"

    def list(self, **filters: Unpack[OutboxFilters]) -> list[Entry]:
        """The matching messages, oldest first."""
        return self._client.entries("/outbox", filters)

    def latest(self, **filters: Unpack[OutboxFilters]) -> Entry:
        """The newest matching message: `code`, `url`, `text` and so on. LookupError without one."""
        return self.wait(**filters, timeout_s=0)

    def wait(self, *, timeout_s: float = 5, **filters: Unpack[OutboxFilters]) -> Entry:
        """Wait for a matching message, and return the newest. LookupError after the timeout."""
        found = self._client.entries("/outbox", {**filters, "order": "desc", "limit": 1}, wait_s=timeout_s)
        if found:
            return found[0]
        there = ", ".join(f"{entry['kind']} to {entry['to']}" for entry in self) or "nothing"
        wanted = " ".join(["the outbox holds no message", *_listed(filters)])
        raise LookupError(f"{wanted}; it holds {there}")


class MockJournal(_Records):
    """Every exchange in order, with the secrets masked."""

    _path = "/journal"

    def __len__(self) -> int:
        total: int = self._client.call("GET", "/journal", params={"limit": 1})["total"]
        return total

    @property
    def last_number(self) -> int:
        """The number of the latest exchange, for `since`; 0 without one."""
        latest = self._client.entries("/journal", {"order": "desc", "limit": 1, "brief": True})
        return int(latest[0]["n"]) if latest else 0

    def list(
        self,
        *,
        order: Literal["asc", "desc"] = "asc",
        limit: int = 1_000_000,
        unmasked: bool = False,
        **filters: Unpack[JournalFilters],
    ) -> list[Entry]:
        """The exchanges that match all filters (see `JournalFilters`), oldest first unless `order="desc"`."""
        shown = {"order": order, "limit": limit, "unmasked": unmasked or None}
        return self._client.entries("/journal", {**filters, **shown})

    def wait(self, *, timeout_s: float = 5, **filters: Unpack[JournalFilters]) -> Entry:
        """Wait for an exchange that matches as in `list`; the first. LookupError after the timeout."""
        found = self._client.entries("/journal", {**filters, "limit": 1}, wait_s=timeout_s)
        if found:
            return found[0]
        latest = self.list(order="desc", limit=_SHOWN)[::-1]
        there = ", ".join(f"{entry['method']} {entry['path']} {entry['status']}" for entry in latest)
        wanted = " ".join(["no exchange fits", *_listed(filters)])
        raise LookupError(f"{wanted}; the latest are {there or 'none at all'}")


def _listed(filters: Mapping[str, object]) -> list[str]:
    return [f"{name}={value}" for name, value in without_none(filters).items()]


def verify(client: ProjectClient, path: str, members: Mapping[str, Any], within: str | None) -> int:
    """Ask a server to verify; how many calls it found. AssertionError if they are not as expected."""
    asked = dict(members) if within is None else {**members, "within": within}
    timeout_s = TIMEOUT_S if within is None else _LONGEST_WAIT_S
    try:
        found: int = client.call("POST", path, json=asked, timeout_s=timeout_s)["found"]
    except ControlApiError as error:
        if error.problem.get("type") not in _ASSERTIONS:
            raise
        raise AssertionError(_explain(error.problem)) from None
    return found


def _explain(problem: Mapping[str, Any]) -> str:
    """What was expected and found, and a line for each call to look at."""
    calls = problem.get("errors") or {}
    lines = [f"  {name}: {entry['message']}" for name, entry in calls.items()]
    return "\n".join([problem["detail"], *lines])
