"""A project's clock as a test holds it."""

from datetime import datetime, timedelta
from typing import Any

from mockserver.kernel import timestamps
from mockserver.testing.connection import ProjectClient

Entry = dict[str, Any]


class MockClock:
    """A project's time."""

    def __init__(self, client: ProjectClient) -> None:
        self._client = client

    @property
    def now(self) -> str:
        """What it shows, as ISO 8601."""
        now: str = self._client.call("GET", "/clock")["now"]
        return now

    @property
    def now_s(self) -> int:
        """What it shows, in whole seconds since 1970, as the API writes most times."""
        return timestamps.parse_iso(self.now) // 1000

    def advance(
        self, seconds: float | timedelta | None = None, *, to: str | datetime | None = None
    ) -> list[Entry]:
        """Move forward, by seconds or to a time; answers what fired on the way, in order."""
        if isinstance(seconds, timedelta):
            seconds = seconds.total_seconds()
        asked = {"seconds": seconds, "to": _format_time(to)}
        step = {name: value for name, value in asked.items() if value is not None}
        fired: list[Entry] = self._client.call("POST", "/clock/advance", json=step)["fired"]
        return fired

    def freeze(self, at: str | datetime | None = None) -> None:
        """Stand still, here or at a later time, until told to move."""
        self._set(mode="frozen", now=_format_time(at))

    def tick(self, rate: float = 1.0) -> None:
        """Follow real time, `rate` times as fast."""
        self._set(mode="ticking", rate=rate)

    def _set(self, **wanted: object) -> None:
        given = {name: value for name, value in wanted.items() if value is not None}
        self._client.call("PUT", "/clock", json=given)


def _format_time(moment: str | datetime | None) -> str | None:
    """A time as the control API takes it, which is in UTC where it says no zone."""
    return moment.isoformat() if isinstance(moment, datetime) else moment
