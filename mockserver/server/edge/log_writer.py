"""A writer of log lines that never blocks its caller and never fails: a bounded queue and a thread."""

import atexit
import os
import select
import sys
import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import TextIO

CAPACITY = 10_000
"""How many texts may wait to be written; the next ones are dropped."""

_BATCH = 256
"""The most texts of one write, so that a slow reader's progress shows."""
_PAUSE_S = 0.01
"""The pause after a write: waking the thread for each line would cost requests more than writing does."""
_PATIENCE_S = 1.0
"""How long `close` waits for a reader that takes nothing."""


class LogWriter:
    """Writes lines to a stream, which is asked for at each write: by default to standard error.

    What cannot be queued or written is dropped and counted; once writing works again, `describe_gap` gives
    the line that says how much was. The thread starts with the first line.
    """

    def __init__(
        self, describe_gap: Callable[[int], str], find_stream: Callable[[], TextIO | None] | None = None
    ) -> None:
        self._describe_gap = describe_gap
        self._find_stream = find_stream or (lambda: sys.stderr)
        self._queue: SimpleQueue[str] = SimpleQueue()
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()
        self._closing = threading.Event()
        # Two counters, because each has one thread that changes it.
        self._refused = 0
        self._lost = 0
        self._reported = 0
        self._writes = 0

    @property
    def dropped(self) -> int:
        """How many lines were dropped."""
        return self._refused + self._lost

    def write(self, text: str) -> None:
        """Queue a text of one or more lines, which ends with a line feed."""
        if self._queue.qsize() >= CAPACITY:
            self._refused += 1
            return
        self._queue.put(text)
        if self._thread is None:
            self._start()

    def close(self) -> None:
        """Write what is queued, for as long as the stream takes anything; more lines start a new thread."""
        thread = self._thread
        if thread is None:
            return
        atexit.unregister(self.close)
        self._closing.set()
        self._queue.put("")
        while thread.is_alive():
            before = self._writes
            thread.join(_PATIENCE_S)
            if self._writes == before:
                return

    def _start(self) -> None:
        with self._lock:
            if self._thread is not None:
                return
            self._closing.clear()
            # A daemon: a write that blocks for ever must not keep the process from ending.
            self._thread = threading.Thread(target=self._run, name="mockserver-log", daemon=True)
            self._thread.start()
            # For servers that run an application without its lifespan.
            atexit.register(self.close)

    def _run(self) -> None:
        while True:
            texts = [self._queue.get()]
            while len(texts) < _BATCH and not self._queue.empty():
                texts.append(self._queue.get())
            self._write_batch("".join(texts))
            if len(texts) < _BATCH and self._closing.wait(_PAUSE_S) and self._is_over():
                return

    def _is_over(self) -> bool:
        """Whether the closed writer is done; if not, the thread goes on."""
        self._thread = None
        # A line that was queued before this was not followed by a start.
        if self._queue.empty():
            return True
        with self._lock:
            if self._thread is not None:
                return True
            self._thread = threading.current_thread()
        return False

    def _write_batch(self, text: str) -> None:
        self._lost += self._write_out(text)
        missing = self.dropped - self._reported
        if missing and not self._write_out(self._describe_gap(missing)):
            self._reported += missing

    def _write_out(self, text: str) -> int:
        """Write a text; how many of its lines were not written."""
        rest = memoryview(text.encode("utf-8", "backslashreplace"))
        try:
            stream = self._find_stream()
            descriptor = None if stream is None else _descriptor(stream)
            if stream is None:
                return text.count("\n")
            if descriptor is None:
                stream.write(text)
                stream.flush()
                return 0
            while rest:
                rest = rest[self._write_some(descriptor, rest) :]
                self._writes += 1
        except Exception:
            # Whatever stands in for standard error: its failures are not those of the server.
            return bytes(rest).count(b"\n")
        return 0

    @staticmethod
    def _write_some(descriptor: int, data: memoryview) -> int:
        # Not by way of the stream: interpreters that end would wait for its lock, or abort.
        try:
            return os.write(descriptor, data)
        except BlockingIOError:
            # The process that made the pipe made it so for all that share it.
            select.select([], [descriptor], [])
            return 0


def _descriptor(stream: TextIO) -> int | None:
    """The descriptor of a stream; None for one in memory. A ValueError if the former is closed."""
    try:
        return stream.fileno()
    except OSError:
        return None
