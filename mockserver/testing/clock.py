"""The clock of a project, for tests."""

from collections.abc import Mapping
from datetime import datetime, timedelta

from mockserver.kernel import timestamps
from mockserver.kernel.mappings import without_none
from mockserver.server.edge.ticker import Ticker
from mockserver.state.world import EPOCH_MS
from mockserver.testing.connection import Entry, Json, ProjectClient

__tracebackhide__ = True

ClockStart = str | datetime | Mapping[str, Json]
"""`frozen`, `ticking`, `now`, a time to freeze at; or the members of the control API."""


def read_clock(start: ClockStart) -> Mapping[str, Json]:
    """How a project's clock begins, as the control API takes it; ValueError for another word.

    `frozen` and `ticking` begin at the documented time, on any server; `now` ticks from the real time.
    """
    if isinstance(start, Mapping):
        return start
    if start in ("frozen", "ticking"):
        return {"mode": str(start), "now": timestamps.format_iso(EPOCH_MS)}
    if start == "now":
        return {"mode": "ticking", "now": timestamps.format_iso(Ticker().real_ms())}
    if isinstance(start, str):
        timestamps.parse_clock(start, ("frozen", "ticking", "now"))
    return {"mode": "frozen", "now": _format_time(start)}


class MockClock:
    """A project's clock."""

    def __init__(self, client: ProjectClient) -> None:
        self._client = client

    @property
    def now(self) -> str:
        """The time, as ISO 8601."""
        now: str = self._client.call("GET", "/clock")["now"]
        return now

    @property
    def now_s(self) -> int:
        """The time in whole seconds since 1970, as the API writes most times."""
        return timestamps.parse_iso(self.now) // 1000

    def advance(
        self, seconds: float | timedelta | None = None, *, to: str | datetime | None = None
    ) -> list[Entry]:
        """Advance by seconds or to a time; returns the timers that fired, in order."""
        if isinstance(seconds, timedelta):
            seconds = seconds.total_seconds()
        step = without_none({"seconds": seconds, "to": _format_time(to)})
        fired: list[Entry] = self._client.call("POST", "/clock/advance", json=step)["fired"]
        return fired

    def freeze(self, at: str | datetime | None = None) -> None:
        """Freeze the clock, now or at a later time."""
        self._set(mode="frozen", now=_format_time(at))

    def tick(self, rate: float = 1.0) -> None:
        """Follow real time, `rate` times as fast."""
        self._set(mode="ticking", rate=rate)

    def _set(self, **wanted: object) -> None:
        self._client.call("PUT", "/clock", json=without_none(wanted))


def _format_time(moment: str | datetime | None) -> str | None:
    """A time as the control API takes it; in UTC without a zone."""
    return moment.isoformat() if isinstance(moment, datetime) else moment
