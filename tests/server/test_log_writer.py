"""Lines reach a stream in order, and one that takes nothing costs its writer nothing."""

import io
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

import pytest

from mockserver.server.edge.log_writer import LogWriter
from tests.tables import cases

CAPACITY = 10_000

LINE = f"{'x' * 99}\n"


def describe(count: int) -> str:
    return f"{count} lines are missing\n"


def writer_to(stream: TextIO | None) -> LogWriter:
    return LogWriter(describe, lambda: stream)


@pytest.fixture
def pipe() -> Iterator[tuple[int, TextIO]]:
    """The descriptor that reads, and the stream that writes."""
    reader, writer = os.pipe()
    with os.fdopen(writer, "w") as stream:
        yield reader, stream


def read_all(descriptor: int) -> Iterator[bytes]:
    while part := os.read(descriptor, 65_536):
        yield part


def test_nothing_is_lost_when_it_is_closed(tmp_path: Path) -> None:
    with (tmp_path / "log").open("w") as stream:
        writer = writer_to(stream)
        for number in range(CAPACITY - 1):
            writer.write(f"{number}\n")
        writer.close()
    assert (tmp_path / "log").read_text().splitlines() == [str(number) for number in range(CAPACITY - 1)]
    assert writer.dropped == 0


def test_it_goes_on_after_it_was_closed() -> None:
    stream = io.StringIO()
    writer = writer_to(stream)
    writer.close()
    for text in ("one\n", "two\n"):
        writer.write(text)
        writer.close()
    assert stream.getvalue() == "one\ntwo\n"


def test_its_thread_ends_with_it() -> None:
    before = threading.active_count()
    writer = writer_to(io.StringIO())
    writer.write(LINE)
    assert threading.active_count() == before + 1
    writer.close()
    assert threading.active_count() == before


def test_an_unread_pipe_blocks_nothing(pipe: tuple[int, TextIO], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mockserver.server.edge.log_writer._PATIENCE_S", 0.01)
    reader, stream = pipe
    writer = writer_to(stream)
    for _ in range(CAPACITY + 5_000):
        writer.write(LINE)
    # It gives up, because there is no reader.
    writer.close()
    missing = writer.dropped
    assert 0 < missing <= 5_000
    received: list[bytes] = []
    reading = threading.Thread(target=lambda: received.extend(read_all(reader)))
    reading.start()
    monkeypatch.undo()
    writer.write("the end\n")
    writer.close()
    stream.close()
    reading.join()
    os.close(reader)
    lines = b"".join(received).decode().splitlines()
    assert [line for line in lines if not line.startswith("x")] in (
        [describe(missing).rstrip(), "the end"],
        ["the end", describe(missing).rstrip()],
    )
    assert len(lines) == CAPACITY + 5_000 - missing + 2
    assert writer.dropped == missing


def test_a_pipe_whose_reader_is_gone_is_no_failure(pipe: tuple[int, TextIO]) -> None:
    reader, stream = pipe
    os.close(reader)
    writer = writer_to(stream)
    for _ in range(3):
        writer.write(LINE)
    writer.close()
    assert writer.dropped == 3


def test_a_pipe_that_does_not_block_is_waited_for(pipe: tuple[int, TextIO]) -> None:
    reader, stream = pipe
    os.set_blocking(stream.fileno(), False)
    received: list[bytes] = []
    reading = threading.Thread(target=lambda: received.extend(read_all(reader)))
    writer = writer_to(stream)
    for _ in range(2_000):
        writer.write(LINE)
    reading.start()
    writer.close()
    stream.close()
    reading.join()
    os.close(reader)
    assert b"".join(received).decode() == LINE * 2_000


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
def test_a_disk_that_is_full_is_no_failure() -> None:
    with open("/dev/full", "w") as stream:
        writer = writer_to(stream)
        writer.write(LINE)
        writer.write(f"two\nlines {LINE}")
        writer.close()
    assert writer.dropped == 3


@cases("closed", True, False)
def test_a_closed_or_missing_stream_is_no_failure(closed: bool) -> None:
    stream = io.StringIO()
    stream.close()
    writer = writer_to(stream if closed else None)
    writer.write(LINE)
    writer.close()
    assert writer.dropped == 1


def test_a_stream_that_is_not_like_others_is_no_failure() -> None:
    writer = LogWriter(describe, lambda: object())  # type: ignore[arg-type, return-value]
    writer.write(LINE)
    writer.close()
    assert writer.dropped == 1


def test_a_gap_is_said_when_the_stream_takes_lines_again() -> None:
    found: list[TextIO | None] = [None]
    writer = LogWriter(describe, lambda: found[0])
    writer.write(LINE)
    writer.close()
    found[0] = stream = io.StringIO()
    for _ in range(2):
        writer.write("back\n")
        writer.close()
    assert stream.getvalue() == "back\n1 lines are missing\nback\n"
