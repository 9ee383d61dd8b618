"""A command that runs while a server serves: its signals, terminal and status, and what it leaves behind."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from mockserver.launch.application import reason_of
from mockserver.launch.streams import complain

NOT_EXECUTABLE, NOT_FOUND = 126, 127
"""The statuses by which shells say that a command cannot be run (POSIX, Exit Status for Commands)."""

_PATIENCE_S = 2.0
"""How long what a command leaves behind has to end after SIGTERM."""
_LOOK_S = 0.02
if sys.platform == "win32":
    _KILL = signal.SIGTERM
else:
    _KILL = signal.SIGKILL


def status_of(returncode: int) -> int:
    """The exit status that a shell would report: 128 and the signal that ended a process."""
    return returncode if returncode >= 0 else 128 - returncode


def descendants(root: int) -> Iterator[int]:
    """The processes that a process has started, and those that they have, where the system has /proc."""
    children: dict[int, list[int]] = {}
    for file in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            # The name, in parentheses, may have any characters; the parent comes second after it (proc(5)).
            parent = int(file.read_bytes().rpartition(b")")[2].split()[1])
            children.setdefault(parent, []).append(int(file.parent.name))
    found = [root]
    for pid in found:
        found += children.get(pid, ())
    yield from found[1:]


def _start(command: Sequence[str], environment: Mapping[str, str]) -> subprocess.Popen[bytes]:
    if sys.platform == "win32":
        import shutil

        # Only a shell finds programs such as `npm`, which is `npm.cmd`.
        program = shutil.which(command[0], path=environment.get("PATH"))
        return subprocess.Popen([program or command[0], *command[1:]], env=environment)
    return subprocess.Popen(command, env=environment, process_group=0)


class Child:
    """A command in a process group of its own, so that signals reach all that it has started.

    Windows has none: there the command itself is ended.

    Where standard input and output are the terminal, the group has it as a shell's foreground job would:
    Ctrl-C goes to the group. Elsewhere a signal comes to this process, which forwards it; the second SIGINT
    or SIGTERM ends the group at once, and every process below it.
    """

    def __init__(self, on_end: Callable[[], None]) -> None:
        self._on_end = on_end
        self._process: subprocess.Popen[bytes] | None = None
        self._has_terminal = False
        self._early: list[int] | None = None
        """The signals that came while it was being started, when it may run already."""
        self._endings: list[int] = []
        """The signals that came and are to end it."""
        self.status = 0
        """The exit status, once it has ended or could not be started."""

    def start(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        """Start it, and call `on_end`, in a thread, when it has ended; at once if it cannot be started."""
        self._early = []
        try:
            self._process = _start(command, environment)
        except OSError as error:
            self.status = NOT_FOUND if isinstance(error, FileNotFoundError) else NOT_EXECUTABLE
            complain(f"cannot run {command[0]}: {reason_of(error)}")
            self._on_end()
            return
        for number in self._early:
            self.forward(number)
        self._give_terminal(self._process.pid)
        threading.Thread(target=self._wait, args=(self._process,), name="mockserver-exec").start()

    def forward(self, number: int) -> bool:
        """Pass a signal on to the group; whether there is one, or is about to be."""
        if self._process is None:
            if self._early is not None:
                self._early.append(number)
            return self._early is not None
        if number in (signal.SIGINT, signal.SIGTERM):
            self._endings.append(number)
        if self._endings.count(number) > 1:
            self._kill_all(self._process.pid)
        else:
            self._send(number)
        return True

    def _kill_all(self, root: int) -> None:
        """End the group, and what has made a group of its own, as `timeout` and another `exec` do."""
        for pid in [*descendants(root)]:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, _KILL)
        self._send(_KILL)

    def _wait(self, process: subprocess.Popen[bytes]) -> None:
        self.status = status_of(process.wait())
        self._end_rest()
        self._take_terminal()
        self._on_end()

    def _end_rest(self) -> None:
        """End what the command has left running in its group."""
        if not self._send(signal.SIGTERM):
            return
        pause = threading.Event()
        for _ in range(round(_PATIENCE_S / _LOOK_S)):
            pause.wait(_LOOK_S)
            if not self._send(0):
                return
        self._send(_KILL)

    def _send(self, number: int) -> bool:
        """Whether anything in the group took a signal."""
        assert self._process is not None
        if sys.platform == "win32":
            # There are no groups, and Ctrl-C has reached every program of the console already.
            if number not in (0, signal.SIGINT):
                self._process.terminate()
            return self._process.poll() is None
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)
            return True
        return False

    def _give_terminal(self, group: int) -> None:
        if sys.platform == "win32":
            return
        with suppress(OSError):
            if sys.stdin.isatty() and sys.stdout.isatty() and os.tcgetpgrp(0) == os.getpgrp():
                # Taking it back is from the background, which would stop this process.
                signal.signal(signal.SIGTTOU, signal.SIG_IGN)
                os.tcsetpgrp(0, group)
                self._has_terminal = True
                # It may have read from the terminal before it had it.
                self._send(signal.SIGCONT)

    def _take_terminal(self) -> None:
        if sys.platform != "win32" and self._has_terminal:
            with suppress(OSError):
                os.tcsetpgrp(0, os.getpgrp())
