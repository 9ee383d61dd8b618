"""The real time of a replay: what was recorded, and from the end of the recording on the machine's own."""

from collections.abc import Callable


class ReplayTime:
    """Gives the recorded readings of real time, one after the other."""

    def __init__(self, start_ms: int = 0) -> None:
        self.now_ms = start_ms
        """The reading of the step that is being replayed."""
        self._since: tuple[Callable[[], int], int] | None = None

    def real_ms(self) -> int:
        """The real time."""
        if self._since is None:
            return self.now_ms
        read, began_ms = self._since
        return self.now_ms + read() - began_ms

    def go_on(self, read: Callable[[], int]) -> None:
        """Follow the machine's time from here on."""
        self._since = read, read()
