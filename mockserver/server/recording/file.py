"""The file of a recording. What goes wrong with it ends the recording, and changes nothing else."""

import errno
import os
import stat
import sys
from collections.abc import Callable
from pathlib import Path

import orjson

from mockserver.server.recording.lines import in_blocks, to_line, withhold
from mockserver.state.saved.encoding import Line

MOST_BYTES = 1024 * 1024 * 1024
"""How large a recording becomes at most."""
LONGEST_LINE = 64 * 1024 * 1024
"""How long a line may be, in bytes: those who read one refuse longer ones."""


class RecordingFile:
    """Writes lines, each at once, until one cannot be written.

    A file at a path is replaced, unless another recording is being written to it; only its owner may read
    it, because the secrets of a run are in it. Without a path it is a temporary one. OSError when it cannot
    be opened.
    """

    def __init__(
        self, path: Path | None, on_failure: Callable[[str], None], *, most_bytes: int = MOST_BYTES
    ) -> None:
        self._descriptor = _open(path)
        self._on_failure = on_failure
        self._most_bytes = most_bytes
        self.size = 0
        self.failure: str | None = None
        """Why nothing is written any more."""

    def write(self, *lines: Line) -> None:
        """Write lines at once, of which several are short; after the first failure do nothing."""
        if self.failure is not None:
            return
        raw = b"".join(map(to_line, lines))
        length = len(raw)
        if length > LONGEST_LINE:
            self._fail(f"a line would be longer than {LONGEST_LINE} bytes")
            return
        if self.size + length > self._most_bytes:
            self._fail(f"it would be larger than {self._most_bytes} bytes")
            return
        try:
            written = os.write(self._descriptor, raw)
            while written < length:
                written += os.write(self._descriptor, raw[written:])
        except OSError as error:
            self._fail(str(error))
            self._cut()
        else:
            self.size += length

    def _cut(self) -> None:
        """Remove the part of a line that did fit on a full disk."""
        try:
            os.ftruncate(self._descriptor, self.size)
        except OSError:
            # A pipe, or a disk that is gone: those who read it expect that the last line may be torn.
            return

    def _fail(self, reason: str) -> None:
        self.failure = reason
        self._on_failure(f"the recording has stopped: {reason}\n")

    def withhold(self, has_secret: Callable[[bytes], bool]) -> int:
        """Overwrite the lines that have a secret with what says so; how many there were."""
        place = count = 0
        for lines in in_blocks(self.read().splitlines(keepends=True), len):
            is_clean = not has_secret(b"".join(lines))
            for raw in lines:
                if not is_clean and has_secret(raw):
                    os.lseek(self._descriptor, place, os.SEEK_SET)
                    os.write(self._descriptor, _withheld(raw, has_secret))
                    count += 1
                place += len(raw)
        os.lseek(self._descriptor, self.size, os.SEEK_SET)
        return count

    def read(self) -> bytes:
        """All that was written."""
        parts, left = [], self.size
        # Windows cannot read at a place: the next line is written where the last one ended.
        os.lseek(self._descriptor, 0, os.SEEK_SET)
        while left and (part := os.read(self._descriptor, left)):
            parts.append(part)
            left -= len(part)
        os.lseek(self._descriptor, self.size, os.SEEK_SET)
        return b"".join(parts)

    def close(self) -> None:
        """Close the file, idempotently. A temporary one is gone then."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


def _withheld(raw: bytes, has_secret: Callable[[bytes], bool]) -> bytes:
    """A line of the same length without what has a secret."""
    try:
        line = orjson.loads(raw)
    except orjson.JSONDecodeError:
        # Another process has cut the file off meanwhile: nothing of what is left can be told apart.
        line = {}
    return to_line(withhold(line, has_secret)).rstrip().ljust(len(raw) - 1)[: len(raw) - 1] + b"\n"


def refuse_overwriting(recording: Path, target: Path) -> None:
    """OSError if what is made of a recording would be written over it."""
    if target.exists() and target.samefile(recording):
        raise FileExistsError(errno.EEXIST, "it is the recording itself", str(target))


def find_replaceable(path: Path) -> Path:
    """The file behind a path that is to be replaced; OSError if there can be none.

    A device is none: it would be gone after that for all that use it.
    """
    target = path.resolve()
    if not target.parent.is_dir():
        raise OSError(errno.ENOTDIR, f"there is no directory {path.parent}")
    if target.is_dir():
        raise OSError(errno.EISDIR, "it is a directory")
    if target.exists() and not target.is_file():
        raise OSError(errno.EINVAL, "it is no regular file, which can be replaced")
    return target


def replace_file(draft: Path, target: Path) -> str | None:
    """Put a draft in the place of a file; what is wrong if it cannot be, and stays where it is."""
    try:
        os.replace(draft, find_replaceable(target))
    except OSError as error:
        kept = f"; it is in {draft}" if draft.exists() else ""
        return f"cannot write {target}: {error.strerror}{kept}"
    return None


def make_private(descriptor: int) -> None:
    """Let only the owner read a file, if it is a regular one."""
    if sys.platform != "win32" and stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.fchmod(descriptor, 0o600)


def _open(path: Path | None) -> int:
    if path is not None:
        return _open_alone(path)
    # Imported on first use: it takes some milliseconds, and few servers record.
    from tempfile import TemporaryFile

    with TemporaryFile() as file:
        return os.dup(file.fileno())


def _open_alone(path: Path) -> int:
    """Open a file and empty it, once no other recording can be written to it."""
    # Without waiting for those who read a pipe, which is refused then: it would hold up every request.
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)
    descriptor = os.open(path, flags, 0o600)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "it is no regular file, which can be read again", str(path))
        _lock(descriptor, path)
        make_private(descriptor)
        os.ftruncate(descriptor, 0)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def _lock(descriptor: int, path: Path) -> None:
    """Lock a file until it is closed or its process ends, where there are such locks."""
    if sys.platform != "win32":
        from fcntl import LOCK_EX, LOCK_NB, flock

        try:
            flock(descriptor, LOCK_EX | LOCK_NB)
        except BlockingIOError:
            raise OSError(errno.EBUSY, "another recording is being written to it", str(path)) from None
        except OSError:
            # A file system without locks.
            return
