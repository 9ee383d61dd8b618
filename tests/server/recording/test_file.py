"""The file of a recording: whole lines only, up to its bounds, and what is withheld in it."""

import errno
import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import orjson
import pytest

from mockserver.server.recording import file as module
from mockserver.server.recording.file import RecordingFile
from tests.descriptors import open_files
from tests.tables import cases

LINE = {"n": 1, "note": "x" * 20}
RAW = orjson.dumps(LINE) + b"\n"


class Disk:
    """Takes so many bytes at once, and so many altogether."""

    def __init__(self, at_once: int, altogether: int) -> None:
        self._write = os.write
        self._at_once, self._left = at_once, altogether

    def write(self, descriptor: int, raw: bytes) -> int:
        """See `os.write`."""
        if self._left <= 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        written = self._write(descriptor, raw[: min(self._at_once, self._left)])
        self._left -= written
        return written


@cases("at_once", 1, 7, len(RAW) - 1, len(RAW))
def test_a_line_in_pieces_is_whole(at_once: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = RecordingFile(tmp_path / "run.jsonl", pytest.fail)
    monkeypatch.setattr("mockserver.server.recording.file.os.write", Disk(at_once, 10_000).write)
    file.write(LINE)
    file.write(LINE)
    file.close()
    assert (tmp_path / "run.jsonl").read_bytes() == RAW * 2
    assert file.size == len(RAW) * 2


def test_of_a_line_cut_by_a_full_disk_nothing_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    file = RecordingFile(tmp_path / "run.jsonl", said.append)
    monkeypatch.setattr("mockserver.server.recording.file.os.write", Disk(7, len(RAW) + 10).write)
    file.write(LINE)
    file.write(LINE)
    monkeypatch.undo()
    file.write(LINE)
    file.close()
    assert (tmp_path / "run.jsonl").read_bytes() == RAW
    assert file.size == len(RAW)
    assert said == ["the recording has stopped: [Errno 28] No space left on device\n"]


def test_an_uncuttable_file_ends_the_recording(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(descriptor: int, size: int) -> None:
        raise OSError(errno.EINVAL, "Invalid argument")

    said: list[str] = []
    file = RecordingFile(tmp_path / "run.jsonl", said.append)
    file.write(LINE)
    monkeypatch.setattr("mockserver.server.recording.file.os.write", Disk(7, 10).write)
    monkeypatch.setattr("mockserver.server.recording.file.os.ftruncate", refuse)
    file.write(LINE)
    assert (file.read(), len(said)) == (RAW, 1)
    file.close()
    assert (tmp_path / "run.jsonl").read_bytes() == RAW + RAW[:10], "readers expect a last line that is torn"


@cases("most_bytes, lines", (len(RAW) * 2, 2), (len(RAW) * 2 - 1, 1))
def test_a_file_has_at_most_its_largest_size(most_bytes: int, lines: int) -> None:
    said: list[str] = []
    file = RecordingFile(None, said.append, most_bytes=most_bytes)
    for _ in range(3):
        file.write(LINE)
    file.write({})
    assert file.read() == RAW * lines
    assert said == [f"the recording has stopped: it would be larger than {most_bytes} bytes\n"]
    file.close()


def test_a_recording_grows_to_1_gib_and_a_line_to_64_mib() -> None:
    said: list[str] = []
    file = RecordingFile(None, said.append)
    file.size = 1 << 30
    file.write({})
    other = RecordingFile(None, said.append)
    other.write({"a": "x" * (1 << 26)})
    assert said == [
        "the recording has stopped: it would be larger than 1073741824 bytes\n",
        "the recording has stopped: a line would be longer than 67108864 bytes\n",
    ]
    file.close()
    other.close()


def test_a_line_may_be_as_long_as_readers_take(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LONGEST_LINE", len(RAW))
    said: list[str] = []
    file = RecordingFile(None, said.append)
    file.write(LINE)
    assert (file.read(), file.failure) == (RAW, None)
    file.write({**LINE, "n": 10})
    file.write(LINE)
    assert (file.read(), file.failure) == (RAW, f"a line would be longer than {len(RAW)} bytes")
    assert len(said) == 1
    file.close()


def test_the_lines_with_a_secret_are_withheld_in_their_places(tmp_path: Path) -> None:
    file = RecordingFile(tmp_path / "run.jsonl", pytest.fail)
    lines = [{"n": n, "request": {"path": "secret" if n in (1, 3, 4) else "/v2/users"}} for n in range(1, 5)]
    for line in lines:
        file.write(line)
    size = file.size
    assert file.withhold(lambda raw: b"secret" in raw) == 3
    found = file.read()
    assert [orjson.loads(raw) for raw in found.splitlines()] == [
        {"n": 1, "withheld": "request"},
        lines[1],
        {"n": 3, "withheld": "request"},
        {"n": 4, "withheld": "request"},
    ]
    assert (file.size, len(found), found[-1:]) == (size, size, b"\n")
    assert file.withhold(lambda raw: b"secret" in raw) == 0
    file.close()
    assert (tmp_path / "run.jsonl").read_bytes() == found


def test_what_is_left_of_a_cut_line_with_a_secret_is_withheld(tmp_path: Path) -> None:
    file = RecordingFile(tmp_path / "run.jsonl", pytest.fail)
    file.write({"n": 1, "request": {"path": "/v2/users", "body": "secret"}})
    os.truncate(tmp_path / "run.jsonl", 10)
    file.write({"n": 2, "request": {"path": "secret"}})
    assert file.withhold(lambda raw: b"secret" in raw) == 1
    file.close()
    assert b"secret" not in (tmp_path / "run.jsonl").read_bytes()


def test_a_long_recording_is_read_whole(tmp_path: Path) -> None:
    file = RecordingFile(tmp_path / "run.jsonl", pytest.fail)
    for number in range(5):
        file.write({"n": number, "note": "x" * 700_000})
    assert file.read() == (tmp_path / "run.jsonl").read_bytes()
    assert len(file.read()) == file.size > 3_000_000
    file.close()


def test_of_a_file_cut_from_outside_the_rest_is_read(tmp_path: Path) -> None:
    file = RecordingFile(tmp_path / "run.jsonl", pytest.fail)
    file.write(LINE)
    os.truncate(tmp_path / "run.jsonl", 5)
    assert file.read() == RAW[:5]
    file.close()


def test_a_file_that_is_replaced_is_for_its_owner_only(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_bytes(b"before\n" * 100)
    path.chmod(0o644)
    file = RecordingFile(path, pytest.fail)
    file.write(LINE)
    file.close()
    assert path.read_bytes() == RAW
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_file_is_written_by_one_recorder_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    file = RecordingFile(path, pytest.fail)
    file.write(LINE)
    with pytest.raises(OSError, match="another recording is being written to it"):
        RecordingFile(path, pytest.fail)
    assert path.read_bytes() == RAW, "it is left as it was"
    file.close()
    RecordingFile(path, pytest.fail).close()


HOLD = """
import sys
from pathlib import Path
from mockserver.server.recording.file import RecordingFile
file = RecordingFile(Path(sys.argv[1]), print)
print(flush=True)
input()
"""


def test_the_lock_of_another_process_ends_with_it(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    command = [sys.executable, "-c", HOLD, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"\n"
        with pytest.raises(OSError, match="another recording is being written to it"):
            RecordingFile(path, pytest.fail)
        other.kill()
    RecordingFile(path, pytest.fail).close()


@cases("make", os.mkfifo, lambda path: path.symlink_to("/dev/null"))
def test_what_cannot_be_read_again_is_refused(make: Callable[[Path], None], tmp_path: Path) -> None:
    before = open_files()
    make(tmp_path / "run.jsonl")
    with pytest.raises(OSError, match="it is no regular file"):
        RecordingFile(tmp_path / "run.jsonl", pytest.fail)
    assert open_files() == before
