"""Reading the lines of a recording, which may be any file.

A line is one JSON value within bounds; a file is read line by line, so that its size does not matter.
Everything that is wrong is a BadRecording with the number of the line.
"""

from collections.abc import Iterator
from typing import Any, BinaryIO

import orjson

from mockserver.server.answering.control_call import MOST_OPENING
from mockserver.server.recording.file import LONGEST_LINE
from mockserver.server.recording.format_1 import Upgrade
from mockserver.server.recording.lines import FORMAT, to_line
from mockserver.state.saved.digests import LinesDigest
from mockserver.state.saved.encoding import Line

_MOST_VALUES = 2_000_000
"""Each takes some hundred bytes of memory."""
_FORMAT_MEMBER = "mockserver_recording"
_LONGEST_FIRST_LINE = 1024
_MOST_DEPTH = 64


class BadRecording(ValueError):
    """A file is no recording, or no whole one. The message names the line and the reason."""

    def __init__(self, place: int, reason: str) -> None:
        super().__init__(f"line {place}: {reason}")
        self.place = place
        self.reason = reason


class Lines:
    """The lines of a recording after the first, which says that it is one."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._ahead: Line | None = None
        self.place = 0
        """The number of the line that was taken last."""
        self.digest = LinesDigest()
        """That of the lines that were taken."""
        self.is_torn = False
        """Whether the last line had no end: the recording ended while it was written."""
        version = _read_format(self._read(_LONGEST_FIRST_LINE))
        self._upgrade = Upgrade() if version == 1 else None

    def peek(self) -> Line | None:
        """The next line, or None after the last."""
        while self._ahead is None:
            line = self._read(LONGEST_LINE)
            if line is None:
                return None
            self._ahead = line if self._upgrade is None else next(self._upgrade.take(line), None)
        return self._ahead

    def take(self) -> Line | None:
        """The next line, or None after the last."""
        line = self.peek()
        if line is not None:
            self.digest.add(line)
            self._ahead = None
        return line

    def read_opening(self) -> bytes:
        """The lines up to `begin`, after one with the format."""
        parts = [to_line({_FORMAT_MEMBER: FORMAT})]
        size = len(parts[0])
        for line in self:
            parts.append(to_line(line))
            size += len(parts[-1])
            if size > MOST_OPENING:
                raise self.bad(f"the state in which it begins has more than {MOST_OPENING} bytes")
            if "begin" in line:
                return b"".join(parts)
        raise self.bad("the recording ends before its first request")

    def __iter__(self) -> Iterator[Line]:
        """The lines that are left."""
        while (line := self.take()) is not None:
            yield line

    def bad(self, reason: str) -> BadRecording:
        """An error about the line that was read last."""
        return BadRecording(self.place, reason)

    def _read(self, longest: int) -> Line | None:
        raw = self._file.readline(longest + 1)
        if not raw:
            return None
        self.place += 1
        if not raw.endswith(b"\n"):
            if len(raw) > longest:
                raise self.bad(f"is longer than {longest} bytes")
            if self.place > 1:
                self.is_torn = True
                return None
        return self._parse(raw)

    def _parse(self, raw: bytes) -> Line:
        if raw.count(b"{") + raw.count(b"[") > _MOST_VALUES:
            raise self.bad(f"has more than {_MOST_VALUES} objects and lists")
        try:
            value = orjson.loads(raw)
        except ValueError:
            raise self.bad("is not JSON, or is nested too deeply") from None
        if not isinstance(value, dict):
            raise self.bad("is no JSON object")
        if is_deep(value, _MOST_DEPTH):
            raise self.bad(f"is nested more than {_MOST_DEPTH} deep")
        # A member that is null is as one that is not there.
        return {name: member for name, member in value.items() if member is not None}


def is_deep(value: Any, most: int) -> bool:
    """Whether objects and lists of a JSON value are in each other more than so many times."""
    if not isinstance(value, (dict, list)):
        return False
    if most == 0:
        return True
    return any(is_deep(each, most - 1) for each in (value.values() if isinstance(value, dict) else value))


def _read_format(line: Line | None) -> int:
    """The version of the format that the first line names; BadRecording for one that is not known."""
    version = None if line is None else line.get(_FORMAT_MEMBER)
    if type(version) is not int or version < 1:
        raise BadRecording(1, f"is not the first line of a recording, which has {_FORMAT_MEMBER}")
    if version > FORMAT:
        reason = f"the format is {version}, and this version of mockserver reads up to {FORMAT}: "
        raise BadRecording(1, reason + "take the version that made it, or a newer one")
    return version
