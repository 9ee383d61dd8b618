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
    signal.signal(signal.SIGTERM, _leave if _serves() else _end)
    if _serves():
        signal.signal(signal.SIGINT, _leave)
    try:
        from mockserver.cli import main as run

        return run()
    except KeyboardInterrupt:
        return _status(signal.SIGINT)


def _leave(number: int, _: FrameType | None) -> NoReturn:
    """End a server that does not listen yet, and has nothing to tidy up.

    What a handler raises can be lost: extension modules discard exceptions while they are imported and
    while models are built.
    """
    os._exit(_status(number))


def _end(number: int, _: FrameType | None) -> NoReturn:
    raise SystemExit(_status(number))


def _status(number: int) -> int:
    """What ends servers on purpose is no failure of theirs, also before they listen."""
    return 0 if _serves() else 128 + number


def _serves() -> bool:
    return sys.argv[1:2] == ["serve"]


if __name__ == "__main__":
    sys.exit(main())
