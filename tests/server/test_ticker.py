"""Real time, as the server reads it."""

from types import SimpleNamespace

import pytest

from mockserver.server.edge.ticker import Ticker


def test_real_time_begins_with_the_wall_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monotonic_ns = iter([10**15, 10**15 + 2_500_000_000]).__next__
    time = SimpleNamespace(time_ns=lambda: 1_767_225_600_123_456_789, monotonic_ns=monotonic_ns)
    monkeypatch.setattr("mockserver.server.edge.ticker.time", time)
    assert Ticker().real_ms() == 1_767_225_602_623
