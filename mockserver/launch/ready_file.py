"""The ready file: where a server is, for as long as it runs."""

import errno
import json
import os
import stat
import threading
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from mockserver.launch.application import reason_of
from mockserver.launch.streams import warn
from mockserver.server.edge.start_up import CannotStart


class ReadyFile:
    """A file that is there while the server runs. A device or a FIFO is written to, and stays."""

    def __init__(self, path: Path) -> None:
        """Take away the file of an earlier run. CannotStart when no file can be written there."""
        self._path = path
        self._content = b""
        try:
            self._special = _special_mode(path)
            if self._special is None:
                self._target = path.resolve() if path.is_symlink() else path
                _report_running(path)
                self._target.unlink(missing_ok=True)
                if not os.access(self._target.parent, os.W_OK):
                    folder = self._target.parent
                    raise PermissionError(errno.EACCES, f"{folder} is no directory that can be written to")
        except OSError as error:
            raise self._failure(error) from None

    def write(self, content: Mapping[str, object]) -> None:
        """Write the file in one step: a reader never sees part of it.

        CannotStart when it cannot be written.
        """
        self._content = (json.dumps(content, indent=2) + "\n").encode()
        try:
            if self._special is None:
                self._replace()
            elif stat.S_ISFIFO(self._special):
                # Opening a FIFO waits for its reader, which may be waiting for this server.
                threading.Thread(target=self._write_fifo, name="mockserver-ready-file", daemon=True).start()
            else:
                self._path.write_bytes(self._content)
        except OSError as error:
            raise self._failure(error) from None

    def withdraw(self) -> None:
        """Delete the file, unless it is another server's by now."""
        if self._special is None and self._content:
            with suppress(OSError):
                if self._target.read_bytes() == self._content:
                    self._target.unlink()

    def _replace(self) -> None:
        draft = self._target.with_name(f".{self._target.name}.{os.getpid()}")
        try:
            draft.unlink(missing_ok=True)
            # For its owner only: the control token and the wallet secret are in it.
            with open(draft, "xb", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
                file.write(self._content)
            os.replace(draft, self._target)
        except OSError:
            draft.unlink(missing_ok=True)
            raise

    def _write_fifo(self) -> None:
        with suppress(OSError):
            self._path.write_bytes(self._content)

    def _failure(self, error: OSError) -> CannotStart:
        return CannotStart(f"cannot write {self._path}: {reason_of(error)}")


def _special_mode(path: Path) -> int | None:
    """The mode of what is no regular file; None for a regular file and for nothing at all.

    An OSError for a directory.
    """
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    return None if stat.S_ISREG(mode) else mode


def _report_running(path: Path) -> None:
    """Say so if the file is that of a process that still runs, and not one that a killed server left."""
    # Imported here, since most runs do without it. It refuses deep nesting, into which the standard library
    # would recurse.
    import orjson

    try:
        pid = orjson.loads(path.read_bytes())["pid"]
    except (OSError, ValueError, TypeError, KeyError):
        return
    if type(pid) is int and pid > 0 and pid != os.getpid() and _runs(pid):
        warn(f"{path} was the ready file of process {pid}, which still runs")


def _runs(pid: int) -> bool:
    if os.name != "posix":
        # Elsewhere, signal 0 is no question (os.kill).
        return False
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except (OSError, OverflowError):
        return False
    return True
