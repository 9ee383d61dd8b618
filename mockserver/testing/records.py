"""The outbox and the journal of a project, for tests."""

from collections.abc import Iterator, Mapping
from typing import Literal

from mockserver.kernel.mappings import without_none
from mockserver.testing.connection import Entry, ProjectClient

__tracebackhide__ = True

_SHOWN = 5


class MockOutbox:
    """E-mails and text messages that the real service would have sent."""

    def __init__(self, client: ProjectClient) -> None:
        self._client = client

    def __iter__(self) -> Iterator[Entry]:
        """Oldest first."""
        return iter(self.list())

    def list(
        self, *, to: str | None = None, channel: str | None = None, kind: str | None = None
    ) -> list[Entry]:
        """The matching messages, oldest first."""
        return self._client.entries("/outbox", {"to": to, "channel": channel, "kind": kind})

    def latest(self, *, to: str | None = None, channel: str | None = None, kind: str | None = None) -> Entry:
        """The newest matching message: `code`, `url`, `text` and so on. LookupError without one."""
        return self.wait(to=to, channel=channel, kind=kind, timeout_s=0)

    def wait(
        self,
        *,
        to: str | None = None,
        channel: str | None = None,
        kind: str | None = None,
        timeout_s: float = 5,
    ) -> Entry:
        """Wait for a matching message, and return the newest. LookupError after the timeout."""
        filters = without_none({"to": to, "channel": channel, "kind": kind})
        found = self._client.entries("/outbox", {**filters, "order": "desc", "limit": 1}, wait_s=timeout_s)
        if found:
            return found[0]
        wanted = _listed(filters)
        there = ", ".join(f"{entry['kind']} to {entry['to']}" for entry in self) or "nothing"
        raise LookupError(f"the outbox holds no message {wanted}; it holds {there}".replace("  ", " "))

    def clear(self) -> None:
        """Delete every message; their codes and links stay valid."""
        self._client.call("DELETE", "/outbox")


class MockJournal:
    """Every exchange in order, with the secrets masked."""

    def __init__(self, client: ProjectClient) -> None:
        self._client = client

    def __iter__(self) -> Iterator[Entry]:
        """Oldest first."""
        return iter(self.list())

    def __len__(self) -> int:
        total: int = self._client.call("GET", "/journal", params={"limit": 1})["total"]
        return total

    @property
    def last_number(self) -> int:
        """The number of the latest exchange, for `since`; 0 without one."""
        latest = self._client.entries("/journal", {"order": "desc", "limit": 1})
        return int(latest[0]["n"]) if latest else 0

    def list(
        self,
        *,
        operation: str | None = None,
        status: int | str | None = None,
        method: str | None = None,
        path: str | None = None,
        request_id: str | None = None,
        matched: bool | None = None,
        since: int = 0,
        order: Literal["asc", "desc"] = "asc",
        limit: int = 1_000_000,
        unmasked: bool = False,
    ) -> list[Entry]:
        """The matching exchanges, oldest first unless `order="desc"`.

        `status` is a number or a class such as "4xx", `path` a prefix or a pattern with `*`, `since` the
        number of an exchange that is earlier; `matched=False` are the calls that no rule decided about.
        """
        shown = {"order": order, "limit": limit, "unmasked": unmasked or None, "since": since or None}
        asked = {"operation": operation, "status": status, "method": method, "path": path}
        rest = {"request_id": request_id, "matched": matched}
        return self._client.entries("/journal", {**asked, **rest, **shown})

    def wait(
        self,
        *,
        operation: str | None = None,
        status: int | str | None = None,
        method: str | None = None,
        path: str | None = None,
        request_id: str | None = None,
        matched: bool | None = None,
        since: int = 0,
        timeout_s: float = 5,
    ) -> Entry:
        """Wait for an exchange that matches as in `list`; the first. LookupError after the timeout."""
        asked = {"path": path, "operation": operation, "status": status, "method": method}
        filters = without_none(
            {**asked, "request_id": request_id, "matched": matched, "since": since or None}
        )
        found = self._client.entries("/journal", {**filters, "limit": 1}, wait_s=timeout_s)
        if found:
            return found[0]
        latest = self.list(order="desc", limit=_SHOWN)[::-1]
        there = ", ".join(f"{entry['method']} {entry['path']} {entry['status']}" for entry in latest)
        raise LookupError(f"no exchange fits {_listed(filters)}; the latest are {there or 'none at all'}")

    def clear(self) -> None:
        """Delete every exchange; numbers are not reused."""
        self._client.call("DELETE", "/journal")


def _listed(filters: Mapping[str, object]) -> str:
    return " ".join(f"{name}={value}" for name, value in filters.items())
