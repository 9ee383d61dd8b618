"""The standard streams of a process that may have been started without them, or have lost their reader."""

import os
import sys


def open_missing_streams() -> None:
    """Open the null device in place of the standard streams that the process was started without.

    Their descriptors would otherwise be those of the next files and sockets, which would then get what is
    written to standard error.
    """
    for descriptor in (0, 1, 2):
        try:
            os.fstat(descriptor)
        except OSError:
            # The lowest free descriptor is taken (POSIX, open).
            os.open(os.devnull, os.O_RDWR)
    sys.stdout = sys.stdout or os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    sys.stderr = sys.stderr or os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")


def discard_output() -> None:
    """Discard what is still to be written to standard output: it has failed, and would fail again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


_COLOURS = {"green": "32", "yellow": "33", "red": "31"}


def paint(text: str, colour: str) -> str:
    """A text in a colour, if standard output is a terminal that has them, and NO_COLOR is not set."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb" or not sys.stdout.isatty():
        return text
    return f"\x1b[{_COLOURS[colour]}m{text}\x1b[0m"
