"""The only place that reads real time."""

import time


class Ticker:
    """Real time in milliseconds since the Unix epoch, monotonic."""

    def __init__(self) -> None:
        # Kept, so that a test that sets the clock of Python while it runs does not set that of the server.
        self._monotonic_ns = time.monotonic_ns
        self._offset_ms = time.time_ns() // 1_000_000 - self._monotonic_ns() // 1_000_000

    def real_ms(self) -> int:
        """The real time now."""
        return self._offset_ms + self._monotonic_ns() // 1_000_000
