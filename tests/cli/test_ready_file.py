"""The ready file: written in one step, taken away, and never in place of a device."""

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from mockserver.launch.ready_file import ReadyFile
from mockserver.server.edge.start_up import CannotStart
from tests.tables import cases

CONTENT = {"url": "http://127.0.0.1:1", "pid": os.getpid()}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ready.json"


def test_it_is_there_from_its_writing_to_its_withdrawal(path: Path) -> None:
    path.write_text("an earlier run's")
    file = ReadyFile(path)
    assert not path.exists()
    file.write(CONTENT)
    assert json.loads(path.read_text()) == CONTENT
    assert stat.S_IMODE(path.stat().st_mode) == 0o600, "the control token is in it"
    file.withdraw()
    assert list(path.parent.iterdir()) == []


def test_one_that_was_never_written_takes_nothing_away(path: Path) -> None:
    file = ReadyFile(path)
    path.write_text("another server's")
    file.withdraw()
    assert path.exists()


def test_a_link_stays_and_leads_to_the_file(path: Path) -> None:
    link = path.with_name("link.json")
    link.symlink_to(path)
    file = ReadyFile(link)
    file.write(CONTENT)
    assert link.is_symlink()
    assert json.loads(path.read_text()) == CONTENT
    file.withdraw()
    assert link.is_symlink()
    assert not path.exists()


def device(folder: Path, name: str) -> Path:
    """A device as one of the machine's: root could take that one away from all by a mistake."""
    own, of_machine = folder / name, Path("/dev") / name
    try:
        os.mknod(own, stat.S_IFCHR | 0o666, of_machine.stat().st_rdev)
        own.open("ab").close()
    except OSError:
        return of_machine
    return own


def test_a_device_is_written_to_and_stays(tmp_path: Path) -> None:
    null = device(tmp_path, "null")
    file = ReadyFile(null)
    file.write(CONTENT)
    file.withdraw()
    assert stat.S_ISCHR(null.stat().st_mode)


def test_a_fifo_is_written_to_once_it_is_read(path: Path) -> None:
    os.mkfifo(path)
    file = ReadyFile(path)
    file.write(CONTENT)
    assert json.loads(path.read_text()) == CONTENT
    file.withdraw()
    assert stat.S_ISFIFO(path.stat().st_mode)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
def test_a_full_disk_is_one_clear_line(tmp_path: Path) -> None:
    full = device(tmp_path, "full")
    with pytest.raises(CannotStart, match=f"^cannot write {full}: No space left on device$"):
        ReadyFile(full).write(CONTENT)


def test_a_write_that_fails_leaves_nothing(path: Path) -> None:
    file = ReadyFile(path)
    path.mkdir()
    with pytest.raises(CannotStart, match="Is a directory"):
        file.write(CONTENT)
    assert list(path.parent.iterdir()) == [path]


def test_a_directory_cannot_be_one(tmp_path: Path) -> None:
    with pytest.raises(CannotStart, match="Is a directory"):
        ReadyFile(tmp_path)


def test_a_running_servers_file_is_replaced(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as server:
        path.write_text(json.dumps({"pid": server.pid}))
        ReadyFile(path)
        server.communicate(b"\n")
    assert server.returncode == 0, "it was only looked for"
    line = f"mockserver: {path} was the ready file of process {server.pid}, which still runs\n"
    assert capsys.readouterr().err == line


@cases("pid", 0, -1, True, "1", None, 2**70)
def test_one_that_a_dead_server_has_left_is_replaced_in_silence(
    path: Path, capsys: pytest.CaptureFixture[str], pid: object
) -> None:
    path.write_text("[" * 200_000)
    ReadyFile(path)
    path.write_text(json.dumps({"pid": pid}))
    ReadyFile(path)
    dead = subprocess.run(
        [sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, check=True
    )
    path.write_text(json.dumps({"pid": int(dead.stdout)}))
    ReadyFile(path)
    assert capsys.readouterr().err == ""
