"""`mockserver`, and `python -m mockserver`."""

import os
import signal
import sys
from types import FrameType
from typing import NoReturn


def main() -> int:
    """Run the command line, which a signal can end from the first line on; the exit code.

    The first process of a container has no default for signals: without a handler they are ignored. So
    this one is set before anything is imported that takes time.
    """
    signal.signal(signal.SIGTERM, _leave)
    if _ends_at_once():
        signal.signal(signal.SIGINT, _leave)
    if sys.platform != "win32" and signal.getsignal(signal.SIGHUP) is signal.SIG_DFL:
        signal.signal(signal.SIGHUP, _hang_up)
    try:
        from mockserver.cli import main as run

        if not _ends_at_once():
            signal.signal(signal.SIGTERM, _end)
        return run()
    except KeyboardInterrupt:
        return _status(signal.SIGINT)


def _leave(number: int, _: FrameType | None) -> NoReturn:
    """End what has nothing to tidy up yet, such as a server that does not listen.

    What a handler raises can be lost: extension modules discard exceptions while they are imported and
    while models are built.
    """
    os._exit(_status(number))


def _end(number: int, _: FrameType | None) -> NoReturn:
    raise SystemExit(_status(number))


def _hang_up(*_: object) -> None:
    """End as SIGTERM does when the terminal is closed: else ready files stay, recordings have no end."""
    signal.raise_signal(signal.SIGTERM)


def _status(number: int) -> int:
    """What ends servers on purpose is no failure of theirs, also before they listen."""
    return 0 if sys.argv[1:2] == ["serve"] else 128 + number


def _ends_at_once() -> bool:
    """Whether the command has its own handlers by the time it has to tidy up, or has nothing to tidy up.

    The tools for agents read standard input on a thread, which no exception ends.
    """
    return sys.argv[1:2] in (["serve"], ["exec"], ["mcp"])


if __name__ == "__main__":
    sys.exit(main())
