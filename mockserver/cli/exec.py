"""`mockserver exec`."""

import argparse
import os
import signal
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from shlex import quote
from types import FrameType
from typing import TYPE_CHECKING

from mockserver.cli.parser import Parser
from mockserver.cli.serve import serve_options
from mockserver.launch.options import APP_OPTIONS, FREE_PORT, HOST, RECORD, STATE, TLS_OPTIONS
from mockserver.launch.serve import ServeOptions, run_server
from mockserver.launch.streams import complain
from mockserver.server.edge.start_up import CannotStart
from mockserver.testing.environment import around_proxies

if TYPE_CHECKING:
    from mockserver.launch.announcement import Ready
    from mockserver.launch.redirecting import Places
    from mockserver.server.edge.listening import Listener

EXAMPLE = "mockserver exec --clock frozen -- npm test"
EXIT_CODES = {
    "0": "the command succeeded",
    "1..": "the command's own status",
    "125": "the server cannot start",
    "126": "the command cannot be run",
    "127": "there is no such command",
    "128+N": "signal N ended the command",
}
CANNOT_START = 125
if sys.platform == "win32":
    _FORWARDED: tuple[signal.Signals, ...] = ()
else:
    _FORWARDED = (signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2)
    """What is passed on besides SIGINT and SIGTERM."""


def add_arguments(parser: Parser) -> None:
    """See `Command`."""
    options = (HOST, FREE_PORT, *TLS_OPTIONS, RECORD, STATE, *APP_OPTIONS)
    parser.add_options(options, ServeOptions(port=0, log="none"))
    parser.add_argument(
        "--record-on-failure",
        type=Path,
        metavar="FILE",
        help="record every call, and keep the recording if the command fails",
    )
    parser.add_argument(
        "--redirect-hosts",
        type=Path,
        metavar="FILE",
        help="lead what a program of Node asks of these hosts to the nodes of this server: host: chain id",
    )
    parser.add_command("the command and its arguments")


def run(options: argparse.Namespace) -> int:
    """See `Command`."""
    server = serve_options(options)
    command: list[str] = options.parser.read_command(options)
    places: Places = {}
    if options.redirect_hosts is not None:
        from mockserver.launch.redirecting import read_hosts

        try:
            places = read_hosts(options.redirect_hosts)
        except ValueError as error:
            options.parser.error(str(error))
        complain(f"what Node asks of {', '.join(places)} is answered here, and not by those hosts")
    kept: Path | None = options.record_on_failure
    if kept is None:
        return run_command(server, command, places)
    if server.record is not None:
        options.parser.error("--record and --record-on-failure exclude each other")
    return _run_recorded(server, command, places, kept)


def _run_recorded(server: ServeOptions, command: list[str], places: "Places", kept: Path) -> int:
    """Run a command as `run_command`, and keep a recording if it fails."""
    # Imported on first use: other runs do without it.
    from mockserver.server.recording.file import find_replaceable, replace_file

    try:
        target = find_replaceable(kept)
    except OSError as error:
        complain(f"cannot record in {kept}: {error.strerror}")
        return CANNOT_START
    draft = target.with_name(f".{target.name}.{os.getpid()}")
    status = 0
    try:
        status = run_command(replace(server, record=draft), command, places)
    finally:
        if not status:
            draft.unlink(missing_ok=True)
    if draft.exists():
        problem = replace_file(draft, target)
        complain(problem or f"the recording is in {kept}: mockserver replay {quote(str(kept))}")
    return status


def run_command(options: ServeOptions, command: list[str], places: "Places") -> int:
    """Start a server, and run a command until it ends; the exit status. Its hosts may be led to `places`."""
    runner = _Runner(command, places)
    # What is ignored stays so, also for the command.
    taken = [number for number in _FORWARDED if signal.getsignal(number) is not signal.SIG_IGN]
    before = {number: signal.signal(number, runner.take_signal) for number in taken}
    try:
        run_server(options, runner.start, runner.forward)
    except CannotStart as error:
        complain(error)
        return CANNOT_START
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    return runner.status


class _Runner:
    """Runs a command as soon as a server is ready, and ends the server with it."""

    def __init__(self, command: list[str], places: "Places") -> None:
        # Imported on first use: other commands start no processes.
        from mockserver.launch.child import Child

        self._command = command
        self._places = places
        self._child = Child(self._stop)
        self._listener: Listener | None = None
        self._stopped_by = 0

    @property
    def status(self) -> int:
        """The command's; or that of a signal that came before it was started."""
        return self._child.status or (128 + self._stopped_by if self._listener is None else 0)

    def start(self, ready: "Ready", listener: "Listener") -> None:
        """Start the command."""
        self._listener = listener
        clients = ready.environment()
        if self._places:
            from mockserver.launch.redirecting import redirect

            clients |= redirect(self._places, clients, os.environ)
        self._child.start(self._command, command_environment(clients, os.environ))

    def forward(self, number: int) -> bool:
        """Pass a signal on; one that comes before the command ends the server."""
        self._stopped_by = number
        return self._child.forward(number)

    def take_signal(self, number: int, _: FrameType | None) -> None:
        """Pass on a signal that does not end servers; one that comes before the command ends the server."""
        if not self._child.forward(number):
            signal.raise_signal(signal.SIGTERM)

    def _stop(self) -> None:
        if self._listener is not None:
            self._listener.should_exit = True


def command_environment(clients: Mapping[str, str], inherited: Mapping[str, str]) -> dict[str, str]:
    """The environment of the command: that of clients, which go around a proxy."""
    # Blocks of a frozen clock are the same in each run: a fork would find on disk what the last one had.
    usual = {"FOUNDRY_NO_STORAGE_CACHING": "true"}
    return {**usual, **inherited, **clients, **around_proxies(clients["MOCKSERVER_URL"], inherited)}
