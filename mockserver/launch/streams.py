"""The standard streams of a process that may have been started without them, or have lost their reader."""

import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from io import TextIOWrapper
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from pathlib import Path


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


def write_any_character() -> None:
    """Write UTF-8 to what is no terminal; to one what its encoding has, and else an escape.

    Pipes of Windows, and some locales, have encodings without the characters of documents and recordings.
    """
    output = sys.stdout
    if isinstance(output, TextIOWrapper) and output.isatty():
        output.reconfigure(errors="backslashreplace")
    elif isinstance(output, TextIOWrapper):
        output.reconfigure(encoding="utf-8", errors="surrogateescape")


def discard_output() -> None:
    """Discard what is still to be written to standard output: it has failed, and would fail again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


_COLOURS = {"green": "32", "yellow": "33", "red": "31"}
_PATIENCE_S = 0.5
_PAUSE_S = 0.2
_ERASE = "\r\x1b[K"
"""Back to the beginning of the line, and clear it (ECMA-48, EL)."""


def paint(text: str, colour: str, stream: TextIO | None = None) -> str:
    """A text in a colour, where a stream, standard output unless given, is to have them.

    As Python does: NO_COLOR (no-color.org) wins over FORCE_COLOR (force-color.org), which wins over whether
    the stream is a terminal that has colours.
    """
    is_wanted = not os.environ.get("NO_COLOR") and (
        bool(os.environ.get("FORCE_COLOR")) or _is_terminal(stream or sys.stdout)
    )
    return f"\x1b[{_COLOURS[colour]}m{text}\x1b[0m" if is_wanted else text


def complain(message: object) -> None:
    """Say on standard error what is wrong."""
    if isinstance(message, OSError) and message.filename is not None:
        message = f"{message.filename}: {message.strerror}"
    _tell(message, "red")


@contextmanager
def complaining(file: "Path", *refusals: type[Exception]) -> Iterator[None]:
    """Complain of a file that cannot be read or written, or that is refused, and go on after it."""
    try:
        yield
    except BrokenPipeError:
        # It is about what reads the output of this command.
        raise
    except OSError as error:
        complain(f"{error.filename or file}: {error.strerror or error}")
    except refusals as error:
        complain(f"{file}: {error}")


def warn(message: object) -> None:
    """Say on standard error what people should know; it is no line of the log."""
    _tell(message, "yellow")


def _tell(message: object, colour: str) -> None:
    print(f"{paint('mockserver:', colour, sys.stderr)} {message}", file=sys.stderr, flush=True)


def _is_terminal(stream: TextIO) -> bool:
    return os.environ.get("TERM") != "dumb" and stream.isatty()


@contextmanager
def show_progress(describe: Callable[[], str]) -> Iterator[None]:
    """Show how far long work is: on standard error, if that is a terminal, in a line that is wiped again.

    `describe` is called in a thread, a few times a second. Work that is done within half a second shows
    nothing.
    """
    if not _is_terminal(sys.stderr):
        yield
        return
    done = threading.Event()
    thread = threading.Thread(target=_show, args=(describe, done), name="mockserver-progress", daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def _show(describe: Callable[[], str], done: threading.Event) -> None:
    is_over = done.wait(_PATIENCE_S)
    with suppress(OSError):
        while not is_over:
            print(f"{_ERASE}{describe()}", end="", file=sys.stderr, flush=True)
            is_over = done.wait(_PAUSE_S)
            print(_ERASE, end="", file=sys.stderr, flush=is_over)
