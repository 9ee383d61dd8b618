"""The only place that reads real time."""

import time


class Ticker:
    """Real time since the Unix epoch, monotonic."""

    def __init__(self) -> None:
        # Kept, so that a test that sets the clock of Python while it runs does not set that of the server.
        self._monotonic_ns = time.monotonic_ns
        self._offset_ns = time.time_ns() - self._monotonic_ns()

    def real_ms(self) -> int:
        """The real time now, in milliseconds."""
        return self.real_ns() // 1_000_000

    def real_ns(self) -> int:
        """The real time now, in nanoseconds."""
        return self._offset_ns + self._monotonic_ns()
