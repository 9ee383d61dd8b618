"""The only place that reads real time."""

import time


class Ticker:
    """Real time in milliseconds since the Unix epoch, monotonic."""

    def __init__(self) -> None:
        self._offset_ms = time.time_ns() // 1_000_000 - time.monotonic_ns() // 1_000_000

    def real_ms(self) -> int:
        """The real time now."""
        return self._offset_ms + time.monotonic_ns() // 1_000_000
