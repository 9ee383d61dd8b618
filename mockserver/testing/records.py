"""The outbox and the journal of a project, for tests."""

from collections.abc import Iterator
from typing import Any

from mockserver.kernel.mappings import without_none
from mockserver.testing.connection import Entry, ProjectClient

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
        return self._client.entries("/outbox", to=to, channel=channel, kind=kind)

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
        found = self._client.entries("/outbox", wait_s=timeout_s, order="desc", limit=1, **filters)
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
        latest = self._client.entries("/journal", order="desc", limit=1)
        return int(latest[0]["n"]) if latest else 0

    def list(self, **filters: Any) -> list[Entry]:
        """The matching exchanges, oldest first.

        By `operation`, `status` (404 or "4xx"), `method`, `path`, `request_id` and `since`; with
        `order`, `limit` and `unmasked`.
        """
        return self._client.entries("/journal", **filters)

    def wait(self, *, timeout_s: float = 5, **filters: Any) -> Entry:
        """Wait for a matching exchange, and return the first. LookupError after the timeout."""
        found = self._client.entries("/journal", wait_s=timeout_s, **{"limit": 1, **filters})
        if found:
            return found[0]
        latest = self.list(order="desc", limit=_SHOWN)[::-1]
        there = ", ".join(f"{entry['method']} {entry['path']} {entry['status']}" for entry in latest)
        raise LookupError(f"no exchange fits {_listed(filters)}; the latest are {there or 'none at all'}")

    def clear(self) -> None:
        """Delete every exchange; numbers are not reused."""
        self._client.call("DELETE", "/journal")


def _listed(filters: dict[str, Any]) -> str:
    return " ".join(f"{name}={value}" for name, value in filters.items())
