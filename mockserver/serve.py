"""`mockserver serve`: an application, and a server in front of it."""

import gc
import logging
import socket
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from mockserver.application import (
    DEFAULT_PROJECT,
    AppOptions,
    build_app,
    empty_directories,
    reason_of,
    warn,
)
from mockserver.options import HOST, PORT, LogOption, Option, read_boolean
from mockserver.server.start_up import CannotStart

if TYPE_CHECKING:
    from mockserver.server.app import App

_GC_THRESHOLD = (50_000, 20, 50)


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeOptions(AppOptions):
    """The options of `serve`."""

    host: str = "127.0.0.1"
    port: int = 4242
    ready_file: Path | None = None
    log: LogOption = "text"
    record: Path | None = None
    """The file in which every call is recorded."""
    mask: bool = False
    """Whether placeholders stand in that file for the secrets that clients bring along."""


SERVE_OPTIONS: tuple[Option, ...] = (
    HOST,
    PORT,
    Option("ready_file", "a JSON file to write when requests are answered", Path, "PATH", is_path=True),
    Option("record", "record every call in a file, which `replay` plays back", Path, "FILE", is_path=True),
    Option("mask", "put placeholders for secrets into the recording", read_boolean, is_switch=True),
)
"""The options of `serve` beside those of its application."""


def serve(options: ServeOptions) -> int:
    """Serve until a signal ends it. The exit code: 1 and one line when it cannot start, otherwise 0."""
    # Start-up creates no garbage, and the garbage collector would take a tenth of its time.
    gc.disable()
    try:
        _serve(options)
    except CannotStart as error:
        warn(str(error))
        return 1
    return 0


def _serve(options: ServeOptions) -> None:
    from mockserver.announcement import announce
    from mockserver.ready_file import ReadyFile
    from mockserver.server.listening import Listener, LogHandler, bind, url_host, url_of

    for directory in empty_directories(options.scenarios):
        warn(_describe_empty(directory, options))
    ready_file = ReadyFile(options.ready_file) if options.ready_file is not None else None
    try:
        listener = bind(options.host, options.port)
    except (OSError, UnicodeError) as error:
        where = f"{url_host(options.host)}:{options.port}"
        raise CannotStart(f"cannot listen on {where}: {reason_of(error)}") from None
    with listener:
        token = _control_token(options, listener)
        app = build_app(replace(options, control=replace(options.control, token=token)))
        logging.getLogger().addHandler(LogHandler(app.log))
        world = app.pipeline.world

        def get_ready() -> None:
            app.start()
            if options.record is not None:
                _record(app, options.record, masked=options.mask)
            project = world.key(f"sk_test_{DEFAULT_PROJECT}").project
            live = world.key(f"sk_live_{DEFAULT_PROJECT}").project
            announce(
                url_of(listener),
                project,
                live,
                ready_file,
                control_token=token,
                is_drawn=token != options.control.token,
            )
            gc.freeze()
            gc.set_threshold(*_GC_THRESHOLD)
            gc.enable()

        try:
            Listener(app, get_ready).run(sockets=[listener])
        finally:
            if ready_file is not None:
                ready_file.withdraw()
            app.recordings.close()
            app.log.close()


def _describe_empty(directory: Path, options: ServeOptions) -> str:
    """What a directory without a scenario means; one that is mounted by a misspelt name is empty."""
    others = sorted(entry.name for entry in directory.iterdir())[:5]
    there = f"only {', '.join(others)}" if others else "nothing"
    instead = "" if len(options.scenarios) > 1 else "; the default scenario is loaded instead"
    return f"warning: no scenario file (*.yaml, *.yml) is in {directory}, {there}{instead}"


def _record(app: "App", path: Path, *, masked: bool) -> None:
    from mockserver.errors import ApiError

    try:
        app.recordings.start(path, masked=masked)
    except ApiError as error:
        raise CannotStart(f"{path}: {error.message}") from None


def _control_token(options: ServeOptions, listener: socket.socket) -> str | None:
    """The control token: the one that was given, or one that is drawn when other machines can connect."""
    from mockserver.server.control_token import draw_control_token
    from mockserver.server.hosts import is_loopback

    if options.control.token is not None or is_loopback(listener.getsockname()[0]):
        return options.control.token
    return draw_control_token()
